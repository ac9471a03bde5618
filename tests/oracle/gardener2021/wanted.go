package gardener2021

import (
	"slices"
	"strings"

	"github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"osm-gen.dev/tests/oracle/gardenercases"
)

// wanted is what user-data shall do: of what Gardener gives a generator, and of what the extension
// of 2021 adds, which is described here.
type wanted struct {
	nodes   map[string]gardenercases.Node // files
	order   []string                      // of files, as they are written
	units   []coreUnit                    // CoreOS alone
	brought map[string]bool               // paths and names of units whose text is the operating system's
	calls   [][]string                    // scripts alone
	links   map[string]string
	names   []string // status.units
}

func isCoreOS(name string) bool { return name == "coreos" || name == "flatcar" }

func hasContainerd(osc *v1alpha1.OperatingSystemConfig) bool {
	return osc.Spec.CRIConfig != nil && osc.Spec.CRIConfig.Name == v1alpha1.CRINameContainerD
}

func (w *wanted) file(path string, mode uint32, data []byte) {
	w.nodes[path] = gardenercases.Node{Kind: "file", Mode: mode, Data: data}
	w.order = append(w.order, path)
}

// bring is a file whose words are osm-gen's own.
func (w *wanted) bring(path string, mode uint32) {
	w.brought[path] = true
	w.file(path, mode, nil)
}

func wantedOf(osc *v1alpha1.OperatingSystemConfig, answer *Answer) *wanted {
	w := &wanted{nodes: map[string]gardenercases.Node{}, brought: map[string]bool{}, links: map[string]string{}, names: answer.Units}
	provision := answer.Given.Bootstrap
	if isCoreOS(osc.Spec.Type) && !provision {
		w.bring("/etc/modprobe.d/sctp.conf", 0o644)
	}
	for _, file := range answer.Given.Files {
		mode := uint32(0o644)
		if file.Permissions != nil {
			mode = uint32(*file.Permissions)
		}
		w.file(file.Path, mode, file.Content)
	}
	if isCoreOS(osc.Spec.Type) {
		w.coreOS(osc, provision)
		return w
	}
	for _, unit := range answer.Given.Units {
		if unit.Content != nil {
			w.file("/etc/systemd/system/"+unit.Name, 0o644, unit.Content)
		}
		for _, dropIn := range unit.DropIns {
			w.file("/etc/systemd/system/"+unit.Name+".d/"+dropIn.Name, 0o644, dropIn.Content)
		}
	}
	w.scripts(osc, provision)
	return w
}

func (w *wanted) coreOS(osc *v1alpha1.OperatingSystemConfig, provision bool) {
	for _, name := range []string{"update-engine.service", "locksmithd.service"} {
		w.units = append(w.units, coreUnit{Name: name, Mask: true, Command: "stop"})
	}
	for _, from := range osc.Spec.Units {
		unit := coreUnit{Name: from.Name, Enable: from.Enable != nil && *from.Enable}
		if from.Content != nil {
			unit.Content = *from.Content
		}
		if from.Command != nil {
			unit.Command = *from.Command
		}
		for _, dropIn := range from.DropIns {
			unit.DropIns = append(unit.DropIns, entry{dropIn.Name, dropIn.Content})
		}
		w.units = append(w.units, unit)
	}
	if provision && hasContainerd(osc) {
		w.brought["run-command.service"] = true
		w.units = append(w.units, coreUnit{Name: "run-command.service", Enable: true, Command: "start"})
		w.bring("/etc/systemd/system/containerd.service.d/11-exec_config.conf", 0o644)
		w.bring("/opt/bin/run-command.sh", 0o755)
		w.names = append(w.names, "run-command.service")
	}
}

// containerd is given the configuration that it prints, on the first run alone: the extension for Ubuntu has done so since
// os-ubuntu#51.
func (w *wanted) containerd() {
	w.bring("/etc/containerd/config.toml", 0o644)
	w.calls = append(w.calls, []string{"containerd", "config", "default"})
}

// again is what a second run shall do.
func (w *wanted) again() *wanted {
	again := *w
	again.calls = slices.DeleteFunc(slices.Clone(w.calls), func(call []string) bool { return call[0] == "containerd" })
	return &again
}

// scripts says what the extensions' scripts do beside writing the spec's files and units.
func (w *wanted) scripts(osc *v1alpha1.OperatingSystemConfig, provision bool) {
	call := func(words ...string) { w.calls = append(w.calls, words) }
	start := func(name string) { call("systemctl", "enable", name); call("systemctl", "restart", name) }
	const dropIn = "/etc/systemd/system/containerd.service.d/11-exec_config.conf"
	switch kind := osc.Spec.Type; {
	case strings.HasPrefix(kind, "ubuntu"):
		call("apt-get", "update", "-qq")
		call("apt-get", "install", "--no-upgrade", "-qqy", "docker.io", "socat", "nfs-common", "logrotate", "jq", "policykit-1")
		if provision && hasContainerd(osc) {
			w.containerd()
			w.links["/etc/resolv.conf"] = "/run/systemd/resolve/resolv.conf"
		}
		call("systemctl", "daemon-reload")
		if provision {
			w.bring("/etc/cloud/cloud.cfg.d/custom-networking.cfg", 0o644)
		}
		if provision && hasContainerd(osc) {
			w.bring(dropIn, 0o644)
			start("containerd")
		} else if provision {
			w.links["/bin/docker"] = "/usr/bin/docker"
			w.links["/etc/resolv.conf"] = "/run/systemd/resolve/resolv.conf"
			call("systemctl", "restart", "docker")
		}
	case kind == "gardenlinux":
		if provision && hasContainerd(osc) {
			w.containerd()
		}
		w.bring("/etc/modules", 0o644)
		call("modprobe", "nfsd")
		call("nslookup", "node")
		call("systemctl", "daemon-reload")
		if provision && hasContainerd(osc) {
			w.bring(dropIn, 0o644)
			start("containerd")
		}
		if provision {
			start("docker")
		}
	default:
		w.bring("/etc/systemd/system/systemd-hostnamed.service.d/10-protect-system.conf", 0o644)
		call("systemctl", "daemon-reload")
		if provision {
			w.bring("/etc/docker/daemon.json", 0o644)
			w.bring("/etc/hostname", 0o644)
			w.links["/bin/docker"] = "/usr/bin/docker"
			w.links["/usr/bin/ip"] = "/bin/ip"
			call("zypper", "-q", "install", "-y", "docker", "wget", "socat", "jq", "nfs-client")
			call("systemctl", "daemon-reload")
			start("docker")
			start("cloud-config-downloader")
		}
		return
	}
	for _, unit := range osc.Spec.Units {
		if provision || unit.Name != "cloud-config-downloader.service" {
			start(unit.Name)
		}
	}
}

// diffEffect compares what a script did with what was wanted of it: files and links, their order, calls.
func diffEffect(got gardenercases.Effect, w *wanted) []string {
	nodes := map[string]gardenercases.Node{}
	for path, node := range got.Nodes {
		if w.brought[path] {
			node.Data = nil
		}
		if node.Kind != "folder" {
			nodes[path] = node
		} else if node.Mode != 0o755 {
			nodes[path] = node
		}
	}
	wantNodes := map[string]gardenercases.Node{}
	for path, node := range w.nodes {
		wantNodes[path] = node
	}
	for path, target := range w.links {
		wantNodes[path] = gardenercases.Node{Kind: "link", Link: target}
	}
	out := gardenercases.DiffNodes(nodes, wantNodes)
	out = append(out, gardenercases.DiffCalls(got.Calls, w.calls)...)
	if got.Exit != 0 {
		out = append(out, "it failed: "+got.Stderr)
	}
	last := uint64(0)
	for _, path := range w.order {
		if w.brought[path] {
			continue
		}
		if order := nodes[path].Order; order < last {
			out = append(out, "it is written too early: "+path)
		} else {
			last = order
		}
	}
	return out
}
