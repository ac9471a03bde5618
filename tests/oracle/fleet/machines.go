package fleet

import (
	"fmt"
	"slices"
	"strings"
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
	{"NobodyKnowsThis", []string{"x"}},
}

var (
	releases = []string{"1.33.4", "v1.34.1", "1.35.0", "1.36.2", "1.34", "v01.35", "1.33.1+vendor.2"}
	// What counts as older than 1.29: a release candidate is older than every release.
	oldVersions = []string{
		"1.28.9", "v1.27", "1.36.0-rc.1+k3s1", "1.33.0-alpha.0", "1.12.0", "1.11.5", "1.10.5", "1.10.6", "1.9.11", "1.9.9", "1.8.0", "0.9.0",
	}
	families = []string{"", "IPv4", "IPv6", "IPv4+IPv6", "IPv6+IPv4"}
	// Providers with a legacy cloud-config.
	cloudConfigs = []string{"aws", "azure", "gce", "kubevirt", "openstack", "vsphere"}
)

// version is some kubelet's. Without an external cloud provider all that is
// older than 1.29 asks for a cloud-config; that is what the legacy sets are for.
func (m *maker) version(provider string) string {
	switch {
	case m.legacy:
		return pick(m, oldVersions...)
	case m.external || !slices.Contains(cloudConfigs, provider):
		return pick(m, append(slices.Clone(oldVersions[:4]), releases...)...)
	}
	return pick(m, releases...)
}

func (m *maker) annotations(s *System) map[string]string {
	out := map[string]string{
		"k8c.io/operating-system-profile":            s.Profile,
		"machinedeployment.clusters.k8s.io/revision": fmt.Sprint(1 + m.IntN(12)),
	}
	if m.chance(4) {
		out["k8c.io/operating-system-profile-namespace"] = m.profileNS
	}
	if m.chance(4) { // text that the annotation hash has to escape
		out["kubectl.kubernetes.io/last-applied-configuration"] = "{\"a\":\"<b> & \\\\ 'c'\"}\n"
		out["example.com/note"] = "tab\there, line\u2028separator, gr\u00fc\u00dfe \U0001F680, del\u007f"
	}
	all := m.chance(6)
	if m.chance(2) {
		for _, a := range kubeletAnnotations {
			if all || m.chance(2) {
				out[kubeletPrefix+a.suffix] = pick(m, a.values...)
			}
		}
	}
	return out
}

// network is some network of a provider config; nil: absent. Addresses of
// one's own are for Flatcar alone.
func (m *maker) network(s *System) map[string]any {
	out := map[string]any{}
	if f := pick(m, families...); f != "" || m.chance(4) {
		out["ipFamily"] = f
	}
	if s.OS == "flatcar" {
		switch m.IntN(4) {
		case 0:
			out["cidr"] = "192.168.81.4/24"
			out["gateway"] = "192.168.81.1"
			out["dns"] = map[string]any{"servers": []string{"8.8.8.8", "fd00::53"}}
		case 1:
			out["dns"] = map[string]any{"servers": []string{"10.0.0.53"}}
		case 2:
			out["cidr"] = "fd00:1::4/64"
			out["gateway"] = ""
			out["dns"] = nil
		}
	} else if m.chance(4) {
		out["cidr"], out["gateway"], out["dns"] = "", "", map[string]any{"servers": nil}
	}
	if len(out) == 0 && m.chance(2) {
		return nil
	}
	return out
}

func (m *maker) sshKeys() any {
	a := "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxlZnQtYW5kLXJpZ2h0LWFuZC1taWRkbGUtcGFydDAx one@example.com"
	b := "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQCojvWo5Nc70HO9M5WCHdJ25ZsIc26MDNh/tSlhtS5fNgztZEQfbh3U1btbUQoH56Ny65M19r4SUnhM5AQ2d4I572UCJN7U1xrP+8PbpKlD59fWmIu2OnVwXFR4wcrl4YM+7pHUSVxtMbq2K2sApqjmk7yD+SBFFUydQvs1TBaHTw== two@example.com"
	switch m.IntN(5) {
	case 0:
		return []string{a}
	case 1:
		return []string{a, b, a + "\n", b}
	case 2:
		return []string{}
	case 3:
		return nil
	}
	return []string{" " + b + "\t", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxlZnQtYW5kLXJpZ2h0LWFuZC1taWRkbGUtcGFydDAx it's # quoted: here"}
}

// machineName is one of the ordinary, or as long as a token's key just may be.
func (m *maker) machineName(namespace, name string) string {
	if !m.chance(8) {
		return name
	}
	pad := 61 + m.IntN(4) - len(namespace) - 1 - len(name)
	return strings.Repeat("l", max(0, pad)) + name
}

// machineDeployment adds one for a system and a provider of it.
func (m *maker) machineDeployment(s *System, provider string) {
	namespace := "kube-system"
	if m.chance(6) {
		namespace = "team-a"
	}
	short := strings.NewReplacer("vmware-cloud-director", "vcd", "cloud-init", "ci").Replace(provider + "-" + s.Profile)
	name := m.machineName(namespace, short)
	config := map[string]any{
		"cloudProvider":     provider,
		"cloudProviderSpec": m.providerSpec(provider),
		"operatingSystem":   s.OS,
		"sshPublicKeys":     m.sshKeys(),
	}
	if network := m.network(s); network != nil {
		config["network"] = network
	}
	if spec := s.spec(m); spec != nil {
		config["operatingSystemSpec"] = spec
	}
	if m.chance(8) {
		text := "[global]\nname = \"overwritten <&>\"\npassword = " + m.secret("") + "\n"
		config["overwriteCloudConfig"] = m.isSecret(text) // cloud credentials are what it is for
	} else if m.chance(12) {
		config["overwriteCloudConfig"] = pick(m, any(""), nil)
	}
	if m.chance(4) {
		config["caPublicKey"] = ""
	}
	m.mds = append(m.mds, toYAML(map[string]any{
		"apiVersion": "cluster.k8s.io/v1alpha1",
		"kind":       "MachineDeployment",
		"metadata":   map[string]any{"name": name, "namespace": namespace, "annotations": m.annotations(s)},
		"spec": map[string]any{
			"replicas": 1,
			"selector": map[string]any{"matchLabels": map[string]any{"workerset": short}},
			"template": map[string]any{
				"metadata": map[string]any{"labels": map[string]any{"workerset": short}},
				"spec": map[string]any{
					"providerSpec": map[string]any{"value": config},
					"versions":     map[string]any{"kubelet": m.version(provider)},
				},
			},
		},
	}))
	md := MD{namespace, name}
	m.set.MDs = append(m.set.MDs, md)
	m.set.Systems[md] = s
	if m.useTokens {
		m.addToken(namespace, name)
	}
}
