package fleet

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

const profileAnnotation = "k8c.io/operating-system-profile"

// SecretMark is what a derived profile has for the content of the Secret that
// Extend makes; the controller knows nothing else of it.
const SecretMark = "<sealed:kube-system/extension-files:content>"

// machine is what the selector of an extension can tell of a MachineDeployment.
type machine struct {
	id      MD
	profile string
	minor   int // of its kubelet
}

func machinesOf(text string) ([]machine, error) {
	var out []machine
	for doc := range strings.SplitSeq(text, "---\n") {
		var given struct {
			Metadata struct {
				Name, Namespace string
				Annotations     map[string]string
			}
			Spec struct {
				Template struct {
					Spec struct{ Versions struct{ Kubelet string } }
				}
			}
		}
		if err := yaml.Unmarshal([]byte(doc), &given); err != nil {
			return nil, err
		}
		m := machine{id: MD{given.Metadata.Namespace, given.Metadata.Name}, profile: given.Metadata.Annotations[profileAnnotation]}
		parts := strings.Split(strings.TrimPrefix(given.Spec.Template.Spec.Versions.Kubelet, "v"), ".")
		if len(parts) > 1 && strings.TrimLeft(parts[0], "0") == "1" {
			m.minor, _ = strconv.Atoi(parts[1])
		}
		out = append(out, m)
	}
	return out, nil
}

// extender makes up extensions of a set.
type extender struct {
	*random
	machines  []machine
	profiles  []string
	hooked    []string // the profiles that take more than files and modules
	documents []string
}

// Extend adds extensions to the set, whose MachineDeployments stand in the
// file `machines`. hooked are the profiles that take more than files and
// modules; without any the texts are as odd as those of Random. It returns the
// content of the Secret that SecretMark stands for, "" when none does.
func Extend(seed, stream uint64, set *Set, machines string, hooked []string) (string, error) {
	known, err := machinesOf(set.Files[machines])
	if err != nil {
		return "", err
	}
	m := &maker{Rand: rand.New(rand.NewPCG(seed, stream)), set: set}
	e := &extender{random: &random{Rand: m.Rand, maker: m, odd: 1 << 30}, machines: known, hooked: hooked}
	seen := map[string]bool{}
	for _, k := range known {
		if !seen[k.profile] {
			e.profiles = append(e.profiles, k.profile)
		}
		seen[k.profile] = true
	}
	content := ""
	if len(hooked) > 0 {
		content = "line of a file: " + m.letters(12) + "\n\t\"quoted\" <&> 'once' {{ no template }} \u00fc " + m.letters(12) + "\n"
		m.isSecret(content)
		m.addSecret("kube-system", "extension-files", "Opaque", nil, map[string]string{"content": content}, m.chance(2))
		e.secret()
		e.whole()
		e.old()
	}
	for i := range max(12, len(known)/2) {
		if len(hooked) == 0 {
			e.odd = []int{8, 40, 400}[e.IntN(3)]
		}
		e.some(fmt.Sprintf("e%d", i))
	}
	set.Files["extensions.yaml"] = strings.Join(e.documents, "---\n")
	return content, nil
}

func (e *extender) add(name string, spec map[string]any) {
	e.documents = append(e.documents, toYAML(map[string]any{
		"apiVersion": "osm-gen.dev/v1alpha1", "kind": "OperatingSystemProfileExtension",
		"metadata": map[string]any{"name": name}, "spec": spec,
	}))
}

func inline(data string) map[string]any {
	return map[string]any{"inline": map[string]any{"data": data}}
}

// secret: every other MachineDeployment gets files out of a Secret.
func (e *extender) secret() {
	var those []any
	for i, m := range e.machines {
		if i%2 == 0 {
			those = append(those, m.id.Namespace+"/"+m.id.Name)
		}
	}
	reference := map[string]any{"secretKeyRef": map[string]any{"namespace": "kube-system", "name": "extension-files", "key": "content"}}
	e.add("secret", map[string]any{
		"selector":           map[string]any{"machineDeployments": those},
		"bootstrapConfig":    map[string]any{"files": []any{map[string]any{"path": "/etc/early-secret", "permissions": 600, "content": reference}}},
		"provisioningConfig": map[string]any{"files": []any{map[string]any{"path": "/etc/late-secret", "permissions": 400, "content": reference}}},
	})
}

// whole: every member, for the profiles that take them.
func (e *extender) whole() {
	e.add("whole", map[string]any{
		"order":    e.IntN(1000),
		"selector": map[string]any{"profiles": e.hooked},
		"bootstrapConfig": map[string]any{
			"files":   []any{map[string]any{"path": "/etc/early", "content": inline("{{ .ServerURL }} {{ .Token }}\n")}},
			"modules": map[string]any{"bootcmd": []any{"echo early"}},
		},
		"provisioningConfig": map[string]any{
			"files": []any{
				map[string]any{"path": "/etc/crictl.yaml", "replace": true, "permissions": 600, "content": inline("timeout: 10\n")},
				map[string]any{"path": "/etc/late", "content": inline("{{ .KubeVersion }}{{ if .HTTPProxy }} {{ .HTTPProxy }}{{ end }}\n")},
			},
			"modules": map[string]any{"runcmd": []any{"echo late"}},
		},
		"kernelModules":  []any{"nf_conntrack", "br_netfilter"},
		"sysctls":        map[string]any{"net.core.somaxconn": 4096, "kernel.domainname": "{{ .CloudProviderName }}.example.com"},
		"caCertificates": []any{certificate("proxy"), certificate("other")},
		"sshKeys": []any{
			map[string]any{"keys": []any{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGV4dGVuc2lvbg admin@example.com"}},
			map[string]any{"user": "root", "keys": []any{"from=\"192.0.2.0/24\" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHJvb3Q it's"}},
		},
		"units": []any{
			map[string]any{"name": "agent@1.service", "enable": true, "content": "[Service]\nExecStart=/opt/agent {{ .KubeVersion }}\n",
				"dropIns": []any{map[string]any{"name": "10-limits.conf", "content": "[Service]\nLimitNOFILE=1024\n"}}},
			map[string]any{"name": "containerd.service", "dropIns": []any{map[string]any{"name": "90-proxy.conf", "content": "[Service]\nCPUWeight=200\n"}}},
			map[string]any{"name": "cups.service", "mask": true},
			map[string]any{"name": "avahi.service", "enable": false},
		},
		"commands": map[string]any{
			"beforeSetup":   []any{"echo before '{{ .KubeVersion }}'"},
			"beforeKubelet": []any{"for i in 1 2; do\n  echo \"$i\"\ndone\n", "echo second"},
			"afterSetup":    []any{"echo after"},
		},
		"containerd": map[string]any{
			"nvidia":                true,
			"configuration":         "[plugins.\"io.containerd.cri.v1.images\"]\nmax_concurrent_downloads = 5\n",
			"configurationVersion2": "[debug]\nlevel = \"info\"\n",
		},
	})
}

// old: what a kubelet before 1.30 has no place for, and Flatcar has none for.
func (e *extender) old() {
	var recent, packaged []any
	hooked := map[string]bool{}
	for _, name := range e.hooked {
		hooked[name] = true
		if !strings.Contains(name, "flatcar") {
			packaged = append(packaged, name)
		}
	}
	for _, m := range e.machines {
		if m.minor >= 30 && hooked[m.profile] {
			recent = append(recent, m.id.Namespace+"/"+m.id.Name)
		}
	}
	e.add("packages", map[string]any{
		"order": e.IntN(1000), "selector": map[string]any{"profiles": packaged}, "packages": []any{"socat", "linux-headers-{{ .KubeVersion }}"},
	})
	if len(recent) > 0 {
		e.add("kubelet", map[string]any{
			"selector": map[string]any{"machineDeployments": recent},
			"kubelet":  map[string]any{"configuration": "maxPods: 200\nclusterDomain: {{ .CloudProviderName }}.local\n"},
		})
	}
}

// some: files and modules for some MachineDeployments, and at times more.
func (e *extender) some(name string) {
	spec := map[string]any{"order": e.IntN(1000)}
	selector := map[string]any{}
	more := false
	first, second := e.machines[e.IntN(len(e.machines))], e.machines[e.IntN(len(e.machines))]
	switch {
	case len(e.hooked) == 0: // few: a text that cannot be rendered is one for none of them
		selector["machineDeployments"] = []string{first.id.Name, second.id.Name}
	case len(e.hooked) > 0 && e.chance(2):
		selector["profiles"] = e.maker.some(e.hooked)
		more = true
	case e.chance(2):
		selector["machineDeployments"] = []string{first.id.Name, second.id.Namespace + "/" + second.id.Name}
	case e.chance(2):
		selector["profiles"] = append(e.maker.some(e.profiles)[:1], first.profile)
	case e.chance(2):
		selector["cloudProviders"] = e.maker.some([]string{"aws", "azure", "vsphere"})
	case e.chance(2):
		selector["operatingSystems"] = e.maker.some([]string{"ubuntu", "flatcar", "rhel"})
	}
	spec["selector"] = selector
	if len(e.hooked) == 0 || e.chance(4) { // there is little room in a provider's user-data
		spec["bootstrapConfig"] = e.part(name)
	}
	spec["provisioningConfig"] = e.part(name)
	if more {
		if e.chance(2) {
			spec["sysctls"] = map[string]any{"net.test." + name: e.IntN(100), "kernel.other." + name: fmt.Sprint(e.IntN(9))}
		}
		if e.chance(2) {
			spec["commands"] = map[string]any{e.pick([]string{"beforeSetup", "beforeKubelet", "afterSetup"}): []any{"echo " + name}}
		}
		if e.chance(2) {
			spec["units"] = []any{map[string]any{"name": name + ".service", "enable": e.chance(2), "content": "[Service]\nExecStart=/bin/true\n"}}
		}
		if e.chance(3) {
			spec["caCertificates"] = []any{certificate(name)}
		}
		if e.chance(3) {
			spec["containerd"] = map[string]any{
				"configuration": "[plugins.\"io.containerd." + name + "\"]\nx = 1\n", "configurationVersion2": "[plugins." + name + "]\nx = 1\n",
			}
		}
	}
	e.add(name, spec)
}

func (e *extender) part(name string) map[string]any {
	var files []any
	for i := range e.IntN(3) {
		path := fmt.Sprintf("/etc/%s/%d", name, i)
		if e.chance(2 * e.odd) {
			path += e.pick([]string{"/it's", "/it''s", "/two words", "/a: b", "/a #b", "/\u00e9\U0001F680", "/quote' # gone", "/back\\slash", "/\"dq\"", "/<&>"})
		}
		data := e.text(e.word)
		if len(e.hooked) > 0 {
			data = strings.TrimLeft(data, " \n") // Ignition cannot carry lines with less of it than the first
		}
		if e.chance(3) {
			data += e.pick([]string{"{{ .KubeVersion }}\n", "{{- .CloudProviderName -}}", "{{ .KubeVersion | quote }}\n{{ range $i := list 1 2 }}{{ $i }}{{ end }}\n"})
		}
		content := map[string]any{"data": data}
		if e.chance(2) {
			content["encoding"] = e.pick([]string{"b64", ""})
		}
		file := map[string]any{"path": path, "content": map[string]any{"inline": content}}
		if e.chance(2) {
			file["permissions"] = e.permissions()
			if n, ok := file["permissions"].(int); !ok || n <= 0 || n > 7777 {
				file["permissions"] = 640
			}
		}
		files = append(files, file)
	}
	out := map[string]any{}
	if files != nil {
		out["files"] = files
	}
	if e.chance(3) {
		out["modules"] = map[string]any{e.pick([]string{"bootcmd", "runcmd"}): []any{"echo " + name, "echo " + e.pick([]string{"'q'", "\"dq\"", "a:b", "c#d", "{e}, [f]"})}}
	}
	return out
}

// Manifest writes an object, whatever characters it holds.
func Manifest(object map[string]any) string { return toYAML(object) }

// Derive is the set with every MachineDeployment naming the profile that its
// extensions make, and those profiles among the manifests of the controller:
// osm-gen makes them itself.
func (s *Set) Derive(machines string, names map[MD]string, profiles map[string]string) (*Set, error) {
	known, err := machinesOf(s.Files[machines])
	if err != nil {
		return nil, err
	}
	out := *s
	out.Files, out.builtin = maps.Clone(s.Files), slices.Clone(s.builtin)
	documents := strings.Split(s.Files[machines], "---\n")
	for i, m := range known {
		line := regexp.MustCompile(`(?m)^( +"?` + profileAnnotation + `"?: ).*$`)
		if !line.MatchString(documents[i]) {
			return nil, fmt.Errorf("%s names no profile", m.id.Name)
		}
		documents[i] = line.ReplaceAllString(documents[i], "${1}"+strconv.Quote(names[m.id]))
	}
	out.Files[machines] = strings.Join(documents, "---\n")
	for name, text := range profiles {
		path := "profiles/" + name + ".yaml"
		out.Files[path] = text
		out.builtin = append(out.builtin, path)
	}
	return &out, nil
}
