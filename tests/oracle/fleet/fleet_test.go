package fleet_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/fleet"
	"sigs.k8s.io/yaml"
)

func TestSameSeedSameFleets(t *testing.T) {
	if !reflect.DeepEqual(fleet.Make(7, "", "osp-ubuntu"), fleet.Make(7, "", "osp-ubuntu")) {
		t.Error("two fleets of one seed differ")
	}
	if reflect.DeepEqual(fleet.Make(7, "", "osp-ubuntu"), fleet.Make(8, "", "osp-ubuntu")) {
		t.Error("the seed changes nothing")
	}
}

// What the fleets promise to meet, whatever the seed.
func TestCoverage(t *testing.T) {
	met := map[string]bool{}
	total := 0
	for _, set := range fleet.Make(3, "", "osp-ubuntu") {
		external := slices.ContainsFunc(set.Args, func(a string) bool { return strings.HasPrefix(a, "-external-cloud-provider") })
		for _, a := range set.Args {
			name, _, _ := strings.Cut(a, "=")
			met["flag "+name] = true
		}
		total += len(set.MDs)
		for _, doc := range strings.Split(set.Files["machines/machinedeployments.yaml"], "---\n") {
			var md struct {
				Metadata struct{ Annotations map[string]string }
				Spec     struct {
					Template struct {
						Spec struct {
							Versions     struct{ Kubelet string }
							ProviderSpec struct {
								Value struct {
									CloudProvider string
									Network       struct{ IPFamily string }
								}
							}
						}
					}
				}
			}
			if err := yaml.Unmarshal([]byte(doc), &md); err != nil {
				t.Fatal(err)
			}
			spec := md.Spec.Template.Spec
			met[fmt.Sprintf("provider %s external %v", spec.ProviderSpec.Value.CloudProvider, external)] = true
			met["family "+spec.ProviderSpec.Value.Network.IPFamily] = true
			met["minor "+strings.Split(strings.TrimPrefix(spec.Versions.Kubelet, "v"), ".")[1]] = true
			for k := range md.Metadata.Annotations {
				met["annotation "+k[strings.LastIndexByte(k, '/')+1:]] = true
			}
		}
	}
	if total < 40 {
		t.Errorf("only %d MachineDeployments", total)
	}
	var want []string
	for _, p := range fleet.Providers {
		want = append(want, "provider "+p+" external true")
	}
	for _, p := range fleet.InTree {
		want = append(want, "provider "+p+" external false")
	}
	for _, f := range []string{"", "IPv4", "IPv6", "IPv4+IPv6", "IPv6+IPv4"} {
		want = append(want, "family "+f)
	}
	for _, m := range []string{"33", "34", "35", "36"} {
		want = append(want, "minor "+m)
	}
	for _, a := range []string{
		"KubeReserved", "SystemReserved", "EvictionHard", "ContainerLogMaxSize", "ContainerLogMaxFiles", "MaxPods",
		"ImageGCHighThresholdPercent", "ImageGCLowThresholdPercent", "ImageMinimumGCAge", "ImageMaximumGCAge",
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
	for _, w := range want {
		if !met[w] {
			t.Errorf("no case with %s", w)
		}
	}
}
