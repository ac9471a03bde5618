// Package fleet makes up clusters to compare on: repositories of manifests
// with the controller flags that belong to them. The same seed makes the same
// repositories.
package fleet

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// Set is one flag set: a repository (path to text) and the flags for it.
type Set struct {
	Name  string
	Args  []string          // controller flags, single values, in order
	Files map[string]string // inside the repository
	Side  map[string]string // beside the repository; "@NAME" in Args is its path
	// Secrets are the values that must not stand in the clear.
	Secrets []string
	// Floats: some numbers are no integers, which sealed documents do not take.
	Floats bool
	// Functions: the profile passes secrets through template functions, so
	// that a text which holds one is secret as a whole.
	Functions bool
	MDs       []MD
}

// MD names one MachineDeployment of a set.
type MD struct{ Namespace, Name string }

// Ubuntu's providers in the controller's default profile.
var Providers = []string{
	"alibaba", "aws", "azure", "baremetal", "digitalocean", "edge", "gce", "hetzner",
	"kubevirt", "nutanix", "openstack", "vmware-cloud-director", "vsphere",
}

// InTree are the providers compared without --external-cloud-provider.
var InTree = []string{"aws", "hetzner", "digitalocean"}

var (
	versions = []string{"1.33.4", "v1.34.1", "1.35.0", "1.36.2"}
	families = []string{"", "IPv4", "IPv6", "IPv4+IPv6", "IPv6+IPv4"}
)

const kubeletPrefix = "v1.kubelet-config.machine-controller.kubermatic.io/"

// Every kubelet annotation with values that differ in form.
var kubeletAnnotations = []struct {
	suffix string
	values []string
}{
	{"ContainerLogMaxSize", []string{"300Mi", "", "1Gi"}},
	{"ContainerLogMaxFiles", []string{"30", "1"}},
	{"MaxPods", []string{"110", "0", "+5", "250"}},
	{"SystemReserved", []string{"ephemeral-storage=30Gi,cpu=30m", "cpu=1", "nonsense", "a=b=c,a=d"}},
	{"KubeReserved", []string{"ephemeral-storage=30Gi,cpu=30m", "memory=1Gi,cpu=200m,pid=100", ""}},
	{"EvictionHard", []string{"memory.available<30Mi", "imagefs.available<10%,nodefs.available<5%"}},
	{"ImageGCHighThresholdPercent", []string{"85", "0"}},
	{"ImageGCLowThresholdPercent", []string{"70", "+7"}},
	{"ImageMinimumGCAge", []string{"2m", "1h30m", "0", "1.5h"}},
	{"ImageMaximumGCAge", []string{"48h", "0s", "250ms"}},
}

// Every generator of one set.
type maker struct {
	rnd *rand.Rand
	set *Set
	mds []string
	// what the set's MachineDeployments share
	useTokens bool
	profile   string
	profileNS string
	system    *System // nil: Ubuntu
}

// Make builds the sets for one profile name. profile is the text of a profile
// manifest to put into each repository ("" relies on the embedded defaults);
// profileName is the name of the object inside.
func Make(seed uint64, profile, profileName string) []*Set {
	recipes := []struct {
		name      string
		namespace string
		args      func(m *maker) []string
		providers []string
		sa        bool
	}{
		{"external-defaults", "kube-system", argsExternal, Providers, false},
		{"in-tree-defaults", "kube-system", argsNone, repeat(InTree, 8), false},
		{"mirrors", "kube-system", argsMirrors, repeat(Providers, 8), false},
		{"mirrors-legacy", "kube-system", argsLegacyMirrors, repeat(InTree, 6), false},
		{"credentials-dockerconfig", "kube-system", argsDockerConfig, repeat(Providers, 8), false},
		{"credentials-plain", "osm-system", argsPlain, repeat(Providers, 6), false},
		{"service-account", "kube-system", argsServiceAccount, repeat(InTree, 5), true},
		{"bundles-proxy", "kubermatic", argsBundles, repeat(Providers, 13), false},
	}
	var sets []*Set
	for i, r := range recipes {
		m := &maker{
			rnd:       rand.New(rand.NewPCG(seed, uint64(i))),
			set:       &Set{Name: r.name, Files: map[string]string{}, Side: map[string]string{}},
			useTokens: !r.sa, profile: profileName, profileNS: r.namespace,
		}
		m.set.Args = append([]string{"-namespace=" + r.namespace}, r.args(m)...)
		m.common(i)
		m.set.Floats = i%4 == 3
		for j, p := range r.providers {
			m.machineDeployment(i, j, p)
		}
		m.set.Files["machines/machinedeployments.yaml"] = strings.Join(m.mds, "---\n")
		if profile != "" {
			m.set.Files["profiles/"+profileName+".yaml"] = inNamespace(profile, r.namespace)
		}
		sets = append(sets, m.set)
	}
	return sets
}

// inNamespace gives a profile manifest the namespace where the controller of
// the set looks for it.
func inNamespace(profile, namespace string) string {
	lines := strings.Split(profile, "\n")
	out := make([]string, 0, len(lines)+1)
	inMeta := false
	for _, l := range lines {
		if inMeta && strings.HasPrefix(l, "  namespace:") {
			continue
		}
		if l == "metadata:" {
			inMeta = true
			out = append(out, l, "  namespace: "+namespace)
			continue
		}
		if inMeta && l != "" && !strings.HasPrefix(l, " ") {
			inMeta = false
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

func repeat(from []string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = from[i%len(from)]
	}
	return out
}

func argsNone(*maker) []string     { return nil }
func argsExternal(*maker) []string { return []string{"-external-cloud-provider"} }

func argsMirrors(m *maker) []string {
	return []string{
		"-node-containerd-registry-mirrors=private.example.com=https://robot:" + m.secret("mi") + "@mirror.example.com/v2?kubermatic=override_path%3Dtrue",
		"-external-cloud-provider=true",
		"-pause-image=registry.example.com:5000/kubernetes/pause:v3.10",
		"-cluster-dns=10.96.0.10, fd00:10:96::000a,::ffff:10.1.2.3",
		"-node-insecure-registries=192.168.100.100:5000, insecure.example.com,,10.0.0.1:5000",
		"-node-registry-mirrors=registry-v1.docker.io, http://mirror.example.cn,quay.io=quay-mirror.example.com,ghcr.io=http://foo/bar,httpbin.org",
		"-node-containerd-registry-mirrors=ghcr.io=https://harbor.example.com/v2/proxy-ghcr-io?kubermatic=override_path%3Dtrue",
		"-node-containerd-registry-mirrors=ghcr.io=https://harbor.example.com",
		"-node-containerd-registry-mirrors=registry.k8s.io=https://z.example.com:8443/path?b=2&kubermatic=override_path%3Dtrue&a=1",
		"-node-containerd-registry-mirrors=gitlab.com/group/project=https://mirror.example.com/project/repo",
		"-node-containerd-registry-mirrors=insecure.example.com=https://mirror.insecure.example.com/v2?kubermatic=override_path%3Dzzzz",
		"-node-containerd-registry-mirrors=*=https://any.example.com?kubermatic=",
		"-node-containerd-registry-mirrors=bare.example.com=mirror.without.scheme",
	}
}

func argsLegacyMirrors(*maker) []string {
	return []string{
		"-node-registry-mirrors=https://registry.docker-cn.com",
		"-node-insecure-registries=docker.io,*",
		"-node-containerd-registry-mirrors=_default=https://last.example.com/x=y",
		"-node-no-proxy=",
		"-node-kubelet-feature-gates=GracefulNodeShutdown=true,IdentifyPodOS=0,RotateKubeletServerCertificate=f",
		"-device-ownership-from-security-context",
	}
}

func argsDockerConfig(m *maker) []string {
	auths := map[string]map[string]string{
		"https://gcr.io/v1/":         {"username": "_json_key", "password": m.secret("pw \"quoted\" \\ back\tslash")},
		"index.docker.io/v1/":        {"auth": base64.StdEncoding.EncodeToString([]byte(m.secret("user:")))},
		"registry.example.com:5000":  {"username": "robot$ci", "password": m.secret("p"), "identitytoken": m.secret("id")},
		"https://scheme.example.com": {"identitytoken": m.secret("tok")},
	}
	text, _ := json.Marshal(map[string]any{"auths": auths})
	m.addSecret("kube-system", "registry-credentials", "kubernetes.io/dockerconfigjson", nil,
		map[string]string{".dockerconfigjson": string(text)}, false)
	return []string{
		"-external-cloud-provider",
		"-node-registry-credentials-secret=kube-system/registry-credentials",
		"-initial-taints=node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule,dedicated=gpu:NoExecute",
		"-node-kubelet-feature-gates=GracefulNodeShutdown=true,IdentifyPodOS=false",
		"-cluster-dns=fd00::a",
	}
}

func argsPlain(m *maker) []string {
	m.addSecret("kube-system", "pull", "Opaque", nil, map[string]string{
		"docker.io":            `{"username":"u","password":"` + m.secret("") + `"}`,
		"quay.io":              `{"auth":"` + m.secret("") + `"}`,
		"registry.example.com": `{"identitytoken":"` + m.secret("") + `"}`,
	}, true)
	return []string{
		"-external-cloud-provider",
		"-node-registry-credentials-secret=kube-system/pull",
		"-override-bootstrap-kubelet-apiserver=https://[2001:db8::1]:6443",
		"-device-ownership-from-security-context=true",
	}
}

func argsServiceAccount(m *maker) []string {
	m.addSecret("kube-system", "kubelet-bootstrap-token-x7", "kubernetes.io/service-account-token",
		map[string]string{"kubernetes.io/service-account.name": "kubelet-bootstrap"},
		map[string]string{"token": m.secret("eyJhbGciOiJSUzI1NiIsImtpZCI6IiJ9.") + "." + m.secret("sig-")}, false)
	m.addSecret("kube-system", "kubelet-bootstrap-other", "Opaque", nil, map[string]string{"token": m.secret("not-this-one")}, false)
	m.set.Files["cluster/serviceaccount.yaml"] = "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: kubelet-bootstrap\n  namespace: kube-system\n" +
		"secrets:\n- name: kubelet-bootstrap-other\n- name: kubelet-bootstrap-token-x7\n"
	return []string{"-bootstrap-token-service-account-name=kube-system/kubelet-bootstrap"}
}

func argsBundles(m *maker) []string {
	m.set.Side["host-ca.pem"] = "# bundle of the host\n" + certificate("host") + certificate("host two")
	m.set.Side["kubernetes-ca.pem"] = certificate("kubernetes flag")
	return []string{
		"-external-cloud-provider",
		"-host-ca-bundle=@host-ca.pem",
		"-kubernetes-ca-bundle=@kubernetes-ca.pem",
		"-node-http-proxy=http://user:" + m.secret("pa") + "@proxy.example.com:3128",
		"-node-no-proxy=.svc,.cluster.local,localhost,127.0.0.1,10.0.0.0/8,fd00::/8",
		"-override-bootstrap-kubelet-apiserver=https://override.example.com:443",
		"-cluster-dns=10.10.10.10",
	}
}

// secret makes a value that must never show, and remembers it.
func (m *maker) secret(prefix string) string {
	const alphabet = "bcdfghjklmnpqrstvwxz2456789"
	b := []byte(prefix)
	for range 24 {
		b = append(b, alphabet[m.rnd.IntN(len(alphabet))])
	}
	m.set.Secrets = append(m.set.Secrets, string(b))
	return string(b)
}

func (m *maker) addSecret(namespace, name, kind string, labelsOrAnnotations, data map[string]string, stringData bool) {
	meta := map[string]any{"namespace": namespace, "name": name}
	if len(labelsOrAnnotations) > 0 {
		if kind == "kubernetes.io/service-account-token" {
			meta["annotations"] = labelsOrAnnotations
		} else {
			meta["labels"] = labelsOrAnnotations
		}
	}
	o := map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": meta, "type": kind}
	if stringData {
		o["stringData"] = data
	} else {
		enc := map[string]string{}
		for k, v := range data {
			enc[k] = base64.StdEncoding.EncodeToString([]byte(v))
		}
		o["data"] = enc
	}
	m.set.Files["secrets/"+namespace+"-"+name+".yaml"] = toYAML(o)
}

// What a cluster-info may hold beside the address and the CA: some of it
// survives into the kubelet's kubeconfig, some does not.
var clusterInfoExtras = []string{
	"  name: \"\"\ncontexts: null\ncurrent-context: \"\"\nusers: null\n",
	"    tls-server-name: kubernetes.default\n  name: kubernetes\n",
	"    proxy-url: http://egress.example.com:8080\n    unknown: dropped\n  name: c\ncontexts: []\n",
	"    disable-compression: true\n    insecure-skip-tls-verify: false\n  name: other\n" +
		"contexts:\n- name: x\n  context: {cluster: other, user: u}\ncurrent-context: x\nusers:\n- name: u\n  user: {username: nobody}\n",
}

// common writes what every cluster has: cluster-info and the getter's token.
func (m *maker) common(i int) {
	ca := base64.StdEncoding.EncodeToString([]byte(certificate("kubernetes " + m.set.Name)))
	kubeconfig := "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: " + ca +
		"\n    server: https://" + m.set.Name + ".example.com:6443\n" + clusterInfoExtras[i%len(clusterInfoExtras)] +
		"kind: Config\npreferences: {}\n"
	m.set.Files["cluster/cluster-info.yaml"] = toYAML(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "cluster-info", "namespace": "kube-public"},
		"data":     map[string]any{"kubeconfig": kubeconfig},
	})
	m.addSecret("cloud-init-settings", "cloud-init-getter-token", "kubernetes.io/service-account-token",
		map[string]string{"kubernetes.io/service-account.name": "cloud-init-getter"},
		map[string]string{"token": m.secret("eyJhbGciOiJSUzI1NiJ9.getter.")}, false)
}

// machineDeployment adds the j-th MachineDeployment of set i. Provider,
// version, family and annotations walk at different strides, so that the sets
// together meet every combination that matters.
func (m *maker) machineDeployment(i, j int, provider string) {
	name := fmt.Sprintf("%s-%d-%d", strings.ReplaceAll(provider, "vmware-cloud-director", "vcd"), i, j)
	namespace := "kube-system"
	switch {
	case j == 3: // the key of tokens falls back to the bare name from 63 bytes
		name = strings.Repeat("l", 63-len(namespace)-1-len(name)) + name
	case j == 4:
		namespace = "team-a"
	}
	annotations := map[string]string{
		"k8c.io/operating-system-profile":            m.profile,
		"machinedeployment.clusters.k8s.io/revision": fmt.Sprint(1 + m.rnd.IntN(12)),
	}
	if j%5 == 1 {
		annotations["k8c.io/operating-system-profile-namespace"] = m.profileNS
	}
	if j%4 == 2 { // text that the annotation hash has to escape
		annotations["kubectl.kubernetes.io/last-applied-configuration"] = "{\"a\":\"<b> & \\\\ 'c'\"}\n"
		annotations["example.com/note"] = "tab\there, line\u2028separator, gr\u00fc\u00dfe \U0001F680, del\u007f"
	}
	if j%2 == 1 {
		for k, a := range kubeletAnnotations {
			if j%6 == 1 || m.rnd.IntN(3) > 0 { // all of them now and then
				annotations[kubeletPrefix+a.suffix] = a.values[(i+j/2+k)%len(a.values)]
			}
		}
	}
	config := map[string]any{
		"cloudProvider":     provider,
		"cloudProviderSpec": providerSpec(provider, j, m.set.Floats),
		"operatingSystem":   "ubuntu",
		"sshPublicKeys":     sshKeys(j),
	}
	if f := families[(i+j)%len(families)]; f != "" {
		config["network"] = map[string]any{"ipFamily": f}
	} else if j%2 == 0 {
		config["network"] = map[string]any{"cidr": "", "gateway": "", "dns": map[string]any{"servers": nil}}
	}
	switch j % 3 {
	case 0:
		config["operatingSystemSpec"] = map[string]any{"distUpgradeOnBoot": true}
	case 1:
		config["operatingSystemSpec"] = map[string]any{"distUpgradeOnBoot": false}
	}
	if j%7 == 5 {
		text := "[global]\nname = \"overwritten <&>\"\npassword = " + m.secret("") + "\n"
		config["overwriteCloudConfig"] = text // cloud credentials are what it is for
		m.set.Secrets = append(m.set.Secrets, text)
		config["caPublicKey"] = ""
	}
	version := kubeletVersion(i, j)
	if m.system != nil {
		version = m.system.apply(m, i, j, config)
	}
	m.mds = append(m.mds, toYAML(map[string]any{
		"apiVersion": "cluster.k8s.io/v1alpha1",
		"kind":       "MachineDeployment",
		"metadata":   map[string]any{"name": name, "namespace": namespace, "annotations": annotations},
		"spec": map[string]any{
			"replicas": 1,
			"selector": map[string]any{"matchLabels": map[string]any{"workerset": name}},
			"template": map[string]any{
				"metadata": map[string]any{"labels": map[string]any{"workerset": name}},
				"spec": map[string]any{
					"providerSpec": map[string]any{"value": config},
					"versions":     map[string]any{"kubelet": version},
				},
			},
		},
	}))
	m.set.MDs = append(m.set.MDs, MD{namespace, name})

	if !m.useTokens {
		return
	}
	key := namespace + "-" + name
	if len(key) >= 63 {
		key = name
	}
	id := fmt.Sprintf("b%02dc%02d", i, j)
	if j == 2 { // a token that YAML would read as a number unless it is quoted
		id = "123456"
	}
	tail := m.secret("")[:16]
	if j == 2 {
		tail = fmt.Sprintf("%016d", 1000000000000000+m.rnd.IntN(1000000))
	}
	m.set.Secrets = append(m.set.Secrets, tail)
	m.addSecret("kube-system", "bootstrap-token-"+id, "bootstrap.kubernetes.io/token",
		map[string]string{"machinedeployment.k8s.io/name": key},
		map[string]string{
			"token-id": id, "token-secret": tail,
			"expiration":                     "2099-01-01T00:00:00Z", // far off: the controller renews what is about to expire
			"usage-bootstrap-authentication": "true",
		}, j%2 == 0)
}

// kubeletVersion: four minors, and now and then a form that has to be read
// loosely. (A release candidate counts as older than every release: without
// an external cloud provider it would ask for a legacy cloud-config.)
func kubeletVersion(i, j int) string {
	if i%2 == 0 && j >= 6 {
		return []string{"1.36.0-rc.1+k3s1", "1.34", "v01.35", "1.33.1+vendor.2"}[j%4]
	}
	return versions[(i*3+j)%len(versions)]
}

func sshKeys(j int) any {
	a := "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxlZnQtYW5kLXJpZ2h0LWFuZC1taWRkbGUtcGFydDAx one@example.com"
	b := "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAACAQDdOIhYmzCK5DSVLu3c two@example.com"
	switch j % 5 {
	case 0:
		return []string{a}
	case 1:
		return []string{a, b, a + "\n", "  ", b}
	case 2:
		return []string{}
	case 3:
		return nil
	}
	return []string{" " + b + "\t", "ssh-rsa AAAA it's # quoted: here"}
}

// providerSpec is some machine description for a provider. The profiles for
// Ubuntu do not look into it; it is carried into the OSC as it is.
func providerSpec(provider string, j int, floats bool) any {
	ratio := any("0.25")
	if floats {
		ratio = 0.25
	}
	switch provider {
	case "aws":
		return map[string]any{"availabilityZone": "eu-central-1b", "vpcId": "e-123f", "subnetID": "test-subnet", "diskSize": 50, "tags": map[string]any{"owner": "a&b <c>"}}
	case "hetzner":
		return map[string]any{"serverType": "cx32", "location": "fsn1", "networks": []string{"net-1"}}
	case "baremetal":
		return map[string]any{"driver": "tinkerbell", "driverSpec": map[string]any{"metal": nil, "nested": []any{1, ratio, true, "x\ny"}}}
	case "edge":
		return map[string]any{}
	}
	return map[string]any{"region": "r-" + provider, "size": j, "ratio": ratio, "big": 123456789012, "on": j%2 == 0}
}

// certificate makes a self-signed certificate that depends on its name alone.
// It is there to be parsed and carried, never to be trusted.
func certificate(name string) string {
	seed := sha256.Sum256([]byte("oracle certificate: " + name))
	key := ed25519.NewKeyFromSeed(seed[:]) // signs without randomness
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Unix(0, 0).UTC(), NotAfter: time.Unix(4e9, 0).UTC(),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(nil, tmpl, tmpl, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// toYAML writes JSON values as block YAML: strings always as JSON strings
// (which YAML reads the same), so that nothing depends on a writer's quoting.
func toYAML(v any) string {
	var b bytes.Buffer
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var plain any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&plain); err != nil {
		panic(err)
	}
	writeYAML(&b, plain, 0)
	return b.String()
}

func writeYAML(b *bytes.Buffer, v any, depth int) {
	pad := strings.Repeat("  ", depth)
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			b.WriteString(pad + scalar(k) + ":")
			writeNested(b, v[k], depth+1)
		}
	case []any:
		for _, item := range v {
			b.WriteString(pad + "-")
			writeNested(b, item, depth+1)
		}
	}
}

func writeNested(b *bytes.Buffer, v any, depth int) {
	switch c := v.(type) {
	case map[string]any:
		if len(c) > 0 {
			b.WriteString("\n")
			writeYAML(b, v, depth)
			return
		}
	case []any:
		if len(c) > 0 {
			b.WriteString("\n")
			writeYAML(b, v, depth)
			return
		}
	}
	b.WriteString(" " + scalar(v) + "\n")
}

func scalar(v any) string {
	if s, ok := v.(string); ok && plainSafe(s) {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	// YAML does not take these as they are, or means something else; JSON does
	var out strings.Builder
	for _, c := range strings.TrimSuffix(b.String(), "\n") {
		if c >= 0x7f && c < 0xa0 || c == 0xfeff || c == 0xfffe || c == 0xffff {
			fmt.Fprintf(&out, `\u%04x`, c)
		} else {
			out.WriteRune(c)
		}
	}
	return out.String()
}

// plainSafe: a word that no YAML reads as anything else.
func plainSafe(s string) bool {
	if len(s) < 3 || s[0] < 'A' || s[0] > 'z' || s == "null" || s == "true" || s == "false" || s == "yes" || s == "off" {
		return false
	}
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '/' || c == '.') {
			return false
		}
	}
	return true
}

// Write puts the repository into dir/repo and what stands beside it into dir;
// it returns the arguments with their "@NAME" paths filled in.
func (s *Set) Write(dir string) ([]string, error) {
	for name, text := range s.Side {
		if err := writeFile(filepath.Join(dir, name), text); err != nil {
			return nil, err
		}
	}
	for name, text := range s.Files {
		if err := writeFile(filepath.Join(dir, "repo", name), text); err != nil {
			return nil, err
		}
	}
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		if name, value, ok := strings.Cut(a, "=@"); ok {
			a = name + "=" + filepath.Join(dir, value)
		}
		args[i] = a
	}
	return args, nil
}

func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
