package fleet_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/controller"
	"osm-gen.dev/tests/oracle/fleet"
	"sigs.k8s.io/yaml"
)

func systems(t *testing.T) []*fleet.System {
	t.Helper()
	texts, err := controller.DefaultOSPTexts()
	if err != nil {
		t.Fatal(err)
	}
	var out []*fleet.System
	for _, name := range []string{"osp-amzn2", "osp-flatcar", "osp-flatcar-cloud-init", "osp-rhel", "osp-rockylinux", "osp-ubuntu"} {
		s, err := fleet.ReadSystem(name, texts[name])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func TestSameSeedSameFleets(t *testing.T) {
	all := systems(t)
	if !reflect.DeepEqual(fleet.Matrix(7, all...), fleet.Matrix(7, all...)) {
		t.Error("two fleets of one seed differ")
	}
	for i, set := range fleet.Matrix(8, all...) {
		if reflect.DeepEqual(set.Files, fleet.Matrix(7, all...)[i].Files) {
			t.Errorf("%s: the seed changes nothing", set.Name)
		}
	}
}

// No two variations of a pair say the same.
func TestVariations(t *testing.T) {
	count := map[string]map[string]bool{}
	for _, set := range fleet.Matrix(1, systems(t)...) {
		for i, doc := range strings.Split(set.Files["machines/machinedeployments.yaml"], "---\n") {
			name := set.MDs[i].Name
			pair := strings.TrimLeft(name, "l")
			if count[pair] == nil {
				count[pair] = map[string]bool{}
			}
			count[pair][strings.ReplaceAll(doc, name, pair)+fmt.Sprint(set.Args)] = true
		}
	}
	if len(count) != 34 {
		t.Errorf("%d pairs of a profile and a provider, want 34", len(count))
	}
	for pair, variations := range count {
		if len(variations) != fleet.Variations || fleet.Variations < 8 {
			t.Errorf("%s: %d variations", pair, len(variations))
		}
	}
}

type machine struct {
	Metadata struct{ Annotations map[string]string }
	Spec     struct {
		Template struct {
			Spec struct {
				Versions     struct{ Kubelet string }
				ProviderSpec struct {
					Value struct {
						CloudProvider        string
						CloudProviderSpec    map[string]any
						OverwriteCloudConfig *string
						OperatingSystem      string
						OperatingSystemSpec  map[string]any
						Network              *struct {
							CIDR     string
							IPFamily string
							DNS      struct{ Servers []string }
						}
					}
				}
			}
		}
	}
}

// What the matrix promises to meet, whatever the seed.
func TestCoverage(t *testing.T) {
	for seed := range uint64(8) {
		met := map[string]int{}
		for _, set := range fleet.Matrix(seed, systems(t)...) {
			external := slices.ContainsFunc(set.Args, func(a string) bool { return strings.HasPrefix(a, "-external-cloud-provider") })
			for _, a := range set.Args {
				name, _, _ := strings.Cut(a, "=")
				met["flag "+name]++
			}
			for _, doc := range strings.Split(set.Files["machines/machinedeployments.yaml"], "---\n") {
				var md machine
				if err := yaml.Unmarshal([]byte(doc), &md); err != nil {
					t.Fatal(err)
				}
				md.count(met, external)
			}
		}
		for _, w := range promised() {
			if met[w] == 0 {
				t.Errorf("seed %d: no case with %s", seed, w)
			}
		}
	}
}

func (md *machine) count(met map[string]int, external bool) {
	spec := md.Spec.Template.Spec
	value := spec.ProviderSpec.Value
	met[fmt.Sprintf("provider %s external %v", value.CloudProvider, external)]++
	kubelet := strings.TrimLeft(spec.Versions.Kubelet, "v0")
	minor := strings.Split(kubelet, ".")[1]
	if strings.Contains(kubelet, "-") {
		minor = "pre-release"
	}
	met["minor "+minor]++
	if len(minor) < 2 || minor < "29" || minor > "99" {
		met[fmt.Sprintf("cloud-config of %s external %v", value.CloudProvider, external)]++
	}
	if n := value.Network; n != nil {
		met["family "+n.IPFamily]++
		if n.CIDR != "" {
			met["static network"]++
		}
		if n.CIDR == "" && len(n.DNS.Servers) > 0 {
			met["own name servers"]++
		}
	} else {
		met["no network"]++
	}
	if o := value.OverwriteCloudConfig; o != nil {
		met[fmt.Sprintf("overwritten, empty %v", *o == "")]++
	}
	for k, v := range value.OperatingSystemSpec {
		met[fmt.Sprintf("%s %s=%v", value.OperatingSystem, k, v)]++
	}
	for _, form := range []string{"secretKeyRef", "configMapKeyRef", "value"} {
		if strings.Contains(fmt.Sprint(value.CloudProviderSpec), form+":") {
			met[value.CloudProvider+" "+form]++
		}
	}
	for k := range md.Metadata.Annotations {
		met["annotation "+k[strings.LastIndexByte(k, '/')+1:]]++
	}
}

func promised() []string {
	var want []string
	for _, p := range []string{
		"alibaba", "anexia", "aws", "azure", "baremetal", "digitalocean", "edge", "gce", "hetzner", "kubevirt", "nutanix",
		"openstack", "vmware-cloud-director", "vsphere",
	} {
		want = append(want, "provider "+p+" external true", "provider "+p+" external false")
	}
	for _, p := range []string{"aws", "azure", "gce", "kubevirt", "openstack", "vsphere"} {
		want = append(want, "cloud-config of "+p+" external false", p+" secretKeyRef", p+" value")
	}
	for _, f := range []string{"", "IPv4", "IPv6", "IPv4+IPv6", "IPv6+IPv4"} {
		want = append(want, "family "+f)
	}
	for _, m := range []string{"9", "12", "28", "33", "34", "35", "36", "pre-release"} {
		want = append(want, "minor "+m)
	}
	for _, a := range []string{
		"KubeReserved", "SystemReserved", "EvictionHard", "ContainerLogMaxSize", "ContainerLogMaxFiles", "MaxPods",
		"ImageGCHighThresholdPercent", "ImageGCLowThresholdPercent", "ImageMinimumGCAge", "ImageMaximumGCAge",
		"operating-system-profile-namespace", "last-applied-configuration",
	} {
		want = append(want, "annotation "+a)
	}
	for _, f := range []string{
		"namespace", "external-cloud-provider", "cluster-dns", "pause-image", "initial-taints", "node-kubelet-feature-gates",
		"node-http-proxy", "node-no-proxy", "node-insecure-registries", "node-registry-mirrors", "node-containerd-registry-mirrors",
		"node-registry-credentials-secret", "device-ownership-from-security-context", "override-bootstrap-kubelet-apiserver",
		"bootstrap-token-service-account-name", "kubernetes-ca-bundle", "host-ca-bundle",
	} {
		want = append(want, "flag -"+f)
	}
	return append(want, "static network", "own name servers", "no network", "overwritten, empty false", "overwritten, empty true",
		"ubuntu distUpgradeOnBoot=true", "rockylinux distUpgradeOnBoot=false", "flatcar disableUpdateEngine=true",
		"flatcar disableLocksmithD=false", "flatcar provisioningUtility=ignition", "flatcar distUpgradeOnBoot=true",
		"rhel rhelUseSatelliteServer=true", "rhel attachSubscription=true")
}
