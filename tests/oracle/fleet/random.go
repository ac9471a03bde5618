package fleet

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random builds one set of n MachineDeployments, each with a profile of its
// own that holds whatever a schema lets through: odd texts, names, modes, keys
// and modules, for both user-data generators. Some of them no generator takes;
// those are the more interesting half.
func Random(seed uint64, n int) *Set {
	m := newMaker(seed, 77, "random", "kube-system")
	m.common(0)
	m.set.Args = append(m.set.Args, argsServiceAccount(m)...)
	var machines, profiles []string
	for i := range n {
		r := &random{Rand: m.Rand, maker: m}
		machine, profile := r.pair(i)
		machines = append(machines, machine)
		profiles = append(profiles, profile)
	}
	m.set.Files["machines.yaml"] = strings.Join(machines, "---\n")
	m.set.Files["profiles.yaml"] = strings.Join(profiles, "---\n")
	return m.set
}

// Without returns the set without some of its MachineDeployments.
func (s *Set) Without(gone map[MD]bool) *Set {
	out := *s
	out.Files = map[string]string{}
	for name, text := range s.Files {
		out.Files[name] = text
	}
	var machines []string
	out.MDs = nil
	for i, text := range strings.Split(s.Files["machines.yaml"], "---\n") {
		if !gone[s.MDs[i]] {
			machines = append(machines, text)
			out.MDs = append(out.MDs, s.MDs[i])
		}
	}
	out.Files["machines.yaml"] = strings.Join(machines, "---\n")
	return &out
}

type random struct {
	*rand.Rand
	maker *maker
	odd   int // one part in odd is odd
}

func (r *random) chance(one int) bool       { return r.IntN(one) == 0 }
func (r *random) pick(from []string) string { return from[r.IntN(len(from))] }

func (r *random) pair(i int) (machine, profile string) {
	name := fmt.Sprintf("m%04d", i)
	r.odd = []int{8, 40, 400}[r.IntN(3)]
	os := r.pick([]string{"flatcar", "flatcar", "flatcar", "flatcar", "ubuntu", "rhel", "amzn2", "rockylinux"})
	utility := "cloud-init"
	spec := map[string]any{}
	if os == "flatcar" && !r.chance(4) {
		utility = "ignition"
	}
	if os == "flatcar" && (utility == "cloud-init" || r.chance(3)) {
		spec["provisioningUtility"] = utility
		if r.chance(60) {
			spec["provisioningUtility"] = r.pick([]string{"ignition", "cloud-init", "pxe", ""})
		}
	}
	if r.chance(3) {
		spec["distUpgradeOnBoot"] = r.chance(2)
	}
	if os == "rhel" {
		for k, v := range rhelSpec(r.maker, r.IntN(6)) {
			spec[k] = v
		}
	}
	provider := r.pick([]string{"aws", "azure", "vsphere", "vsphere", "edge", "kubevirt"})
	config := map[string]any{
		"cloudProvider": provider, "cloudProviderSpec": map[string]any{}, "operatingSystem": os,
		"operatingSystemSpec": spec, "sshPublicKeys": r.keys(),
	}
	if r.chance(12) {
		config["network"] = map[string]any{"cidr": "10.0.0.4/24"} // for flatcar only
	}
	machine = toYAML(map[string]any{
		"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
		"metadata": map[string]any{
			"name": name, "namespace": "kube-system",
			"annotations": map[string]any{
				"k8c.io/operating-system-profile":            "osp-" + name,
				"machinedeployment.clusters.k8s.io/revision": "1",
			},
		},
		"spec": map[string]any{"selector": map[string]any{"matchExpressions": []any{map[string]any{"key": "pool", "operator": "DoesNotExist"}}}, "template": map[string]any{"spec": map[string]any{
			"providerSpec": map[string]any{"value": config},
			"versions":     map[string]any{"kubelet": "1.35.0"},
		}}},
	})
	r.maker.set.MDs = append(r.maker.set.MDs, MD{"kube-system", name})
	profile = toYAML(map[string]any{
		"apiVersion": "operatingsystemmanager.k8c.io/v1alpha1", "kind": "OperatingSystemProfile",
		"metadata": map[string]any{"name": "osp-" + name, "namespace": "kube-system"},
		"spec": map[string]any{
			"osName": os, "osVersion": "1", "version": "v1.0.0", "provisioningUtility": utility,
			"supportedCloudProviders": []any{map[string]any{"name": provider}},
			"bootstrapConfig":         r.config(os, false),
			"provisioningConfig":      r.config(os, true),
		},
	})
	return machine, profile
}

func (r *random) config(os string, long bool) map[string]any {
	out := map[string]any{}
	var files, units []any
	for range r.IntN(4) {
		files = append(files, r.file())
	}
	if os == "flatcar" {
		for range r.IntN(3) {
			units = append(units, r.unit(long))
		}
		if r.chance(2) {
			files, units = r.again(files, units)
		}
	}
	if files != nil {
		out["files"] = files
	}
	if units != nil {
		out["units"] = units
	}
	if r.chance(3) {
		out["modules"] = r.modules()
	}
	return out
}

// again adds what is there already: a file, a unit or a drop-in, or a file where a folder must be.
func (r *random) again(files, units []any) ([]any, []any) {
	file := map[string]any{"path": "/etc/again", "content": map[string]any{"inline": map[string]any{"data": "x"}}}
	if len(files) > 0 {
		path := files[r.IntN(len(files))].(map[string]any)["path"].(string)
		file["path"] = path + r.pick([]string{"", "", "/", "/.", "/x/..", "/below", "/below/too", "x"})
	}
	if len(units) == 0 {
		return append(files, file), units
	}
	unit := units[r.IntN(len(units))].(map[string]any)
	switch r.IntN(4) {
	case 0:
		return append(files, file), units
	case 1:
		file["path"] = r.pick([]string{"/etc/systemd/system/", "/etc/systemd//system/./"}) + unit["name"].(string) + r.pick([]string{"", "", ".d"})
		return append(files, file), units
	case 2:
		return files, append(units, map[string]any{"name": unit["name"], "content": "[Unit]\n"})
	default:
		dropIns, _ := unit["dropIns"].([]any)
		unit["dropIns"] = append(dropIns, map[string]any{"name": "1-a.conf", "content": "[Unit]\n"}, map[string]any{"name": "1-a.conf", "content": "[Unit]\n"})
		return files, units
	}
}

func (r *random) file() map[string]any {
	inline := map[string]any{"data": r.text(r.word)}
	if r.chance(3) {
		inline["encoding"] = r.pick([]string{"b64", "gz", "gzip+b64", "b64"})
	}
	out := map[string]any{"path": r.path(), "content": map[string]any{"inline": inline}}
	if !r.chance(3) {
		out["permissions"] = r.permissions()
	}
	return out
}

func (r *random) permissions() int {
	if r.chance(r.odd) {
		return []int{44, 1777, 4095, 4096, 7777, 888, 189, 7, -5, -50, 70000, 10, 100}[r.IntN(13)]
	}
	return []int{0, 644, 600, 755, 400, 420}[r.IntN(6)]
}

func (r *random) path() string {
	if r.chance(2 * r.odd) {
		return r.pick([]string{
			"etc/relative", "/it's", "/it''s", "/two words", "/a: b", "/a #b", "/\u00e9\U0001F680", "/quote' # gone", "/q': x",
			"/new\nline", "/tab\there", "/back\\slash", "/\"dq\"", "/a\u0085b", "/bell\a", "/<&>",
		})
	}
	return fmt.Sprintf("/etc/%s/%d.conf", r.word(), r.IntN(100))
}

var plainWords = []string{
	"alpha", "x=1", "set -euo pipefail", "echo \"<&>\"", "[Unit]", "key: value", "- item", "100%", "a\tb", "it's", "\u00fcber",
	"ExecStart=/opt/bin/run --flag", "#!/bin/bash", "# comment", "\U0001F680", "\\", "a \\", "'", "\"", "|", "x  ", "~", "null",
}

func (r *random) word() string { return r.pick(plainWords[r.IntN(3)*3:]) }

// text is lines of some indentation with all that YAML minds about between them.
func (r *random) text(line func() string) string {
	var b strings.Builder
	indent := []int{0, 0, 0, 0, 2, 4}[r.IntN(6)]
	for i := range r.IntN(9) {
		if i > 0 || r.chance(6) {
			b.WriteString(r.lineBreak())
		}
		n := indent
		if r.chance(3) {
			n += 1 + r.IntN(6)
		}
		if r.chance(r.odd) {
			n = r.IntN(indent + 1)
		}
		b.WriteString(strings.Repeat(" ", n))
		switch {
		case r.chance(r.odd):
			b.WriteString("\t")
		case r.chance(6): // a blank line, of some spaces
			continue
		case r.chance(2 * r.odd):
			b.WriteString("# less")
			continue
		}
		b.WriteString(line())
		if r.chance(4 * r.odd) {
			b.WriteString(r.pick([]string{"\x01", "\x7f", "\u0080", "\ufeff", "\ufffd", "\ufffe", "\u200b", "\U0010FFFF", "\x1b[0m"}))
		}
	}
	b.WriteString(strings.Repeat("\n", r.IntN(3)))
	return b.String()
}

func (r *random) lineBreak() string {
	if r.chance(2 * r.odd) {
		return r.pick([]string{"\r\n", "\r\n", "\r\n", "\r", "\u0085", "\u0085\n", "\u2028", "\u2029\n", "\r\r\n", "\r          "})
	}
	return "\n"
}

func (r *random) unit(long bool) map[string]any {
	out := map[string]any{"name": r.unitName()}
	if r.chance(2) {
		out["enable"] = r.chance(2)
	}
	if r.chance(4) {
		out["mask"] = r.chance(2)
	}
	if !r.chance(4) {
		out["content"] = r.unitText(long)
	}
	var dropIns []any
	for range r.IntN(3) {
		name := fmt.Sprintf("%d-%s.conf", r.IntN(50), r.pick([]string{"a", "net", "x y"}))
		if r.chance(r.odd) {
			name = r.pick([]string{"a.cfg", "~", "a: b.conf", "a #.conf", "'q.conf'", "@a.conf", "x.conf\n", "\u00e9.conf", "true", "- a.conf"})
		}
		dropIns = append(dropIns, map[string]any{"name": name, "content": r.unitText(long)})
	}
	if dropIns != nil {
		out["dropIns"] = dropIns
	}
	return out
}

func (r *random) unitName() string {
	if r.chance(r.odd) {
		return r.pick([]string{
			"a.conf", "a", "a.b/service", "~", "null", "a: b.service", "a.service # x", "'a.service'", "\"a.service\"", "@a.service",
			"[a.service]", "&x a.service", "*x.service", "!t a.service", "| a.service", "a.service ", " a.service", "a.service\n",
			"\u00e9@1.service", "a\tb.service", "- a.service", "-a.service", "`a.service", "%a.service", "a'.service", "1.timer",
			"true.mount", "a.b.scope", "a,b.path", "{a}.service", "a.service:", "? a.service", ".service", "a.service\n    mask: true",
		})
	}
	return fmt.Sprintf("%s%d%s", r.pick([]string{"kubelet", "setup", "x@"}), r.IntN(9),
		r.pick([]string{".service", ".service", ".timer", ".mount", ".socket", ".slice"}))
}

func (r *random) unitText(long bool) string {
	if r.chance(3) {
		return r.text(r.word)
	}
	line := func() string {
		if long && r.chance(20) {
			return "ExecStart=" + strings.Repeat(r.pick([]string{"x", "\u00e9", "x y "}), 600+r.IntN(1800))
		}
		if r.chance(r.odd) {
			return r.pick([]string{"garbage", "[Unit] x", "[Unit", "[Install]x", "=", "[", "]", "# \\", "; \\ ", "a=b \\", "\\"})
		}
		return r.pick([]string{
			"[Unit]", "[Service]", "[Install]", "[Install]", "WantedBy=multi-user.target", "ExecStart=/bin/true \\", "# note", "; note",
			"Restart = always", "A=B C", "Environment=\"X=<&>\"", "X=",
		})
	}
	text := r.text(line)
	if r.chance(2) {
		text = strings.Repeat(" ", len(text)-len(strings.TrimLeft(text, " "))) + "[Unit]\n" + text
	}
	return text
}

func (r *random) modules() map[string]any {
	out := map[string]any{}
	list := func() []string {
		var l []string
		for range r.IntN(3) {
			l = append(l, r.word())
		}
		return l
	}
	if r.chance(2) {
		out["bootcmd"] = list()
	}
	if r.chance(2) {
		out["runcmd"] = list()
	}
	if r.chance(3) {
		out["rh_subscription"] = map[string]string{"username": r.word(), "password": r.maker.secret("mod-"), "auto-attach": "true"}
	}
	if r.chance(3) {
		out["yum_repos"] = map[string]any{
			"zz": map[string]string{"name": r.word(), "baseurl": "https://k8c.io"}, "aa": map[string]string{}, "B": map[string]string{"x": ""},
		}
	}
	if r.chance(3) {
		out["yum_repo_dir"] = r.word()
	}
	for k, v := range out {
		if l, ok := v.([]string); ok && l == nil {
			delete(out, k)
		}
	}
	return out
}

func (r *random) keys() []string {
	var out []string
	for range r.IntN(4) {
		if r.chance(2 * r.odd) {
			// machine-controller takes only keys; a comment may be anything.
			out = append(out, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxlZnQtYW5kLXJpZ2h0LWFuZC1taWRkbGUtcGFydDAx "+r.pick([]string{
				"~", "null", "Null", "true", "yes", "123", "0x1F", "1_000", "1e3", ".inf", "2020-01-01", "'q'", "\"dq\"", "'open", "a: b", "a:",
				":a", "a :b", "a #c", "a# c", "@x", "`x", "%x", "!t x", "!!str 5", "&x a", "*x", "| x", "|", ">", "[a]", "{a: b}", "{a", "-x",
				"- x", "-", "?x", "? x", "x\ty", "x\t# y", "\u00fcn\u00ef", "\u3000x\u00a0", "a\nb", "a\n          b", "a\n        - b",
				"a\u0085b", "a\u2028b", "=", "<<", "---", "...", "a,b", "x\x01", "\U0001F680", "ssh-rsa A <&> \"it's\"", "a\\b", "!!binary aGk=",
				"!x", "! x", "0b11", "0o17", "1:30", "NaN", ".nan", "%", "y", "*", "&", "!", "@",
			}))
			continue
		}
		out = append(out, fmt.Sprintf("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxlZnQtYW5kLXJpZ2h0LWFuZC1taWRkbGUtcGFydDA%d user%d@example.com", r.IntN(5), r.IntN(3)))
	}
	return out
}
