package fleet

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"slices"
	"strings"
	"time"
)

// A recipe is what one set is about: the flags that it always has. The seed
// adds others to them.
type recipe struct {
	name      string
	namespace string
	args      func(m *maker) []string
	tokens    bool // bootstrap tokens, not a ServiceAccount's
	legacy    bool // kubelets that still need a cloud-config
}

var recipes = []recipe{
	{"external-defaults", "kube-system", argsExternal, true, false},
	{"credentials-dockerconfig", "kube-system", argsDockerConfig, true, false},
	{"mirrors", "kube-system", argsMirrors, true, false},
	{"in-tree-defaults", "kube-system", argsNone, true, false},
	{"mirrors-legacy", "kube-system", argsLegacyMirrors, true, false},
	{"credentials-plain", "osm-system", argsPlain, true, false},
	{"service-account", "kube-system", argsServiceAccount, false, false},
	{"bundles-proxy", "kubermatic", argsBundles, true, false},
	{"legacy-cloud-config", "kube-system", argsNone, true, true},
	{"legacy-service-account", "osm-system", argsServiceAccount, false, true},
}

func argsNone(*maker) []string { return nil }

func argsExternal(m *maker) []string {
	return []string{pick(m, "-external-cloud-provider", "-external-cloud-provider=true", "-external-cloud-provider=1")}
}

const mirrorFlag = "-node-containerd-registry-mirrors="

// Every form that a mirror takes: parameters of osm's own and of others,
// paths, ports, wildcards, none of a scheme, one folder for two registries.
var mirrorForms = []string{
	"ghcr.io=https://harbor.example.com/v2/proxy-ghcr-io?kubermatic=override_path%3Dtrue",
	"ghcr.io=https://harbor.example.com",
	"registry.k8s.io=https://z.example.com:8443/path?b=2&kubermatic=override_path%3Dtrue&a=1",
	"gitlab.com/group/project=https://mirror.example.com/project/repo",
	"gitlab.com/other=https://mirror.example.com/other?kubermatic=override_path%3D1",
	"insecure.example.com=https://mirror.insecure.example.com/v2?kubermatic=override_path%3Dzzzz",
	"*=https://any.example.com?kubermatic=",
	"_default=https://last.example.com/x=y",
	"bare.example.com=mirror.without.scheme",
	"docker.io=https://mirror.gcr.io",
	"docker.io=http://[fd00::5]:5000/v2/?kubermatic=override_path%3DT%26x%3Dy",
	"quay.io=https://q.example.com/%7Euser/?q=a+b&kubermatic=x%3Dy",
}

var legacyMirrorForms = []string{
	"registry-v1.docker.io", " http://mirror.example.cn", "https://registry.docker-cn.com", "quay.io=quay-mirror.example.com",
	"ghcr.io=http://foo/bar", "", "registry.example.com=https://host.example.com/v2?kubermatic=override_path%3Dtrue",
	"quay.io=https://second.example.com",
}

var insecureForms = []string{
	"192.168.100.100:5000", " insecure.example.com", "", "10.0.0.1:5000 ", "docker.io", "*", "gitlab.com/group", "[fd00::9]:5000",
}

func (m *maker) legacyMirrors() string {
	return "-node-registry-mirrors=" + strings.Join(m.some(legacyMirrorForms), ",")
}

func (m *maker) insecure() string {
	return "-node-insecure-registries=" + strings.Join(m.some(insecureForms), ",")
}

func argsMirrors(m *maker) []string {
	out := []string{
		mirrorFlag + "private.example.com=https://robot:" + m.secret("mi") + "@mirror.example.com/v2?kubermatic=override_path%3Dtrue",
		"-external-cloud-provider=true",
		"-pause-image=registry.example.com:5000/kubernetes/pause:v3.10",
		m.insecure(), m.legacyMirrors(),
	}
	for _, i := range m.Perm(len(mirrorForms)) {
		out = append(out, mirrorFlag+mirrorForms[i])
	}
	return out
}

func argsLegacyMirrors(m *maker) []string {
	out := []string{m.legacyMirrors(), m.insecure(), "-node-no-proxy=", "-device-ownership-from-security-context"}
	for _, form := range m.some(mirrorForms) {
		out = append(out, mirrorFlag+form)
	}
	return out
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
	}
}

// sprinkle gives some of the flags that the set does not have yet.
func (m *maker) sprinkle() {
	have := func(flag string) bool {
		return slices.ContainsFunc(m.set.Args, func(a string) bool {
			name, _, _ := strings.Cut(strings.TrimPrefix(a, "-"), "=")
			return strings.TrimPrefix(name, "-") == flag
		})
	}
	for _, f := range []struct {
		flag   string
		values []string
	}{
		{"cluster-dns", []string{"10.96.0.10, fd00:10:96::000a,::ffff:10.1.2.3", "fd00::a", "10.10.10.10", " 10.0.0.0 ,10.0.0.1"}},
		{"pause-image", []string{"192.168.100.100:5000/kubernetes/pause:v3.1", "registry.example/pause"}},
		{"initial-taints", []string{"node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule,dedicated=gpu:NoExecute", "a=b:NoSchedule"}},
		{"node-kubelet-feature-gates", []string{
			"GracefulNodeShutdown=true,IdentifyPodOS=false", "GracefulNodeShutdown=true,IdentifyPodOS=0,RotateKubeletServerCertificate=f", "A=T,a=F,B=1",
		}},
		{"node-http-proxy", []string{"http://proxy.example.com:3128", "http://[fd00::3]:8080/"}},
		{"node-no-proxy", []string{"", "localhost", ".svc,.cluster.local,10.0.0.0/8,$(hostname)"}},
		{"node-insecure-registries", []string{""}},
		{"node-registry-mirrors", []string{""}},
		{"device-ownership-from-security-context", []string{"true", "false", "T"}},
		{"override-bootstrap-kubelet-apiserver", []string{"https://over.example.com:6443", "https://10.0.0.1"}},
		{"host-ca-bundle", []string{"@some-ca.pem"}},
	} {
		if have(f.flag) || !m.chance(3) {
			continue
		}
		arg := "-" + f.flag + "=" + pick(m, f.values...)
		switch f.flag {
		case "node-insecure-registries":
			arg = m.insecure()
		case "node-registry-mirrors":
			arg = m.legacyMirrors()
		case "host-ca-bundle":
			m.set.Side["some-ca.pem"] = certificate("some host") + "# no line break at the end"
		}
		m.set.Args = append(m.set.Args, arg)
	}
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
