// Package fleet makes up clusters to compare on: repositories of manifests
// with the controller flags that belong to them. The same seed makes the same
// repositories.
package fleet

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Set is one flag set: a repository (path to text) and the flags for it.
type Set struct {
	Name  string
	Args  []string          // controller flags, single values, in order
	Files map[string]string // inside the repository
	Side  map[string]string // beside the repository; "@NAME" in Args is its path
	Env   map[string]string // of the controller, and what osm-gen may read
	// Secrets are the values that must not stand in the clear; Derived are
	// read out of secrets, so that they may be hidden too.
	Secrets, Derived []string
	// Floats: some numbers are no integers, which sealed documents do not take.
	Floats bool
	MDs    []MD
	// Systems says which profile a MachineDeployment is for.
	Systems map[MD]*System
	// builtin are the files that osm-gen has inside.
	builtin []string
}

// MD names one MachineDeployment of a set.
type MD struct{ Namespace, Name string }

// Given is the set as osm-gen gets it: without the profiles that it has inside.
func (s *Set) Given() *Set {
	out := *s
	out.Files = maps.Clone(s.Files)
	for _, name := range s.builtin {
		delete(out.Files, name)
	}
	return &out
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

// maker makes one set.
type maker struct {
	*rand.Rand
	set *Set
	mds []string
	// what the set's MachineDeployments share
	useTokens bool
	profileNS string
	external  bool
	legacy    bool // kubelets that still need a cloud-config
	tokens    int
	objects   int
}

func newMaker(seed, stream uint64, name, namespace string) *maker {
	return &maker{
		Rand: rand.New(rand.NewPCG(seed, stream)),
		set: &Set{
			Name: name, Files: map[string]string{}, Side: map[string]string{}, Systems: map[MD]*System{},
			Args: []string{"-namespace=" + namespace},
		},
		profileNS: namespace,
	}
}

func (m *maker) chance(one int) bool { return m.IntN(one) == 0 }

func pick[T any](m *maker, from ...T) T { return from[m.IntN(len(from))] }

// some of them, in any order; at least one.
func (m *maker) some(from []string) []string {
	var out []string
	for _, i := range m.Perm(len(from)) {
		if m.chance(2) || len(out) == 0 {
			out = append(out, from[i])
		}
	}
	return out
}

// letters are some that nothing else holds.
func (m *maker) letters(n int) string {
	const alphabet = "bcdfghjklmnpqrstvwxz2456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.IntN(len(alphabet))]
	}
	return string(b)
}

// secret makes a value that must never show, and remembers it.
func (m *maker) secret(prefix string) string { return m.isSecret(prefix + m.letters(24)) }

func (m *maker) isSecret(text string) string {
	m.set.Secrets = append(m.set.Secrets, text)
	return text
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

func (m *maker) addConfigMap(namespace, name string, data map[string]string) {
	m.set.Files["configmaps/"+namespace+"-"+name+".yaml"] = toYAML(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": name, "namespace": namespace}, "data": data,
	})
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
func (m *maker) common(extras int) {
	ca := base64.StdEncoding.EncodeToString([]byte(certificate("kubernetes " + m.set.Name)))
	kubeconfig := "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: " + ca +
		"\n    server: https://" + m.set.Name + ".example.com:6443\n" + clusterInfoExtras[extras%len(clusterInfoExtras)] +
		"kind: Config\npreferences: {}\n"
	m.addConfigMap("kube-public", "cluster-info", map[string]string{"kubeconfig": kubeconfig})
	m.addSecret("cloud-init-settings", "cloud-init-getter-token", "kubernetes.io/service-account-token",
		map[string]string{"kubernetes.io/service-account.name": "cloud-init-getter"},
		map[string]string{"token": m.secret("eyJhbGciOiJSUzI1NiJ9.getter.")}, false)
}

// addToken is the bootstrap token of a MachineDeployment.
func (m *maker) addToken(namespace, name string) {
	key := namespace + "-" + name
	if len(key) >= 63 {
		key = name
	}
	id := fmt.Sprintf("b%05d", m.tokens)
	tail := m.letters(16)
	if m.chance(8) { // a token that YAML would read as a number unless it is quoted
		id = fmt.Sprint(100000 + m.tokens)
		tail = fmt.Sprint(1000000000000000 + m.IntN(1000000))
	}
	m.tokens++
	m.isSecret(tail)
	m.addSecret("kube-system", "bootstrap-token-"+id, "bootstrap.kubernetes.io/token",
		map[string]string{"machinedeployment.k8s.io/name": key},
		map[string]string{
			"token-id": id, "token-secret": tail,
			"expiration":                     "2099-01-01T00:00:00Z", // far off: the controller renews what is about to expire
			"usage-bootstrap-authentication": "true",
		}, m.chance(2))
}
