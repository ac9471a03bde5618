package compare_test

import (
	"context"
	"testing"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	"k8c.io/operating-system-manager/pkg/admission/machinedeployment/mutation"
	"k8c.io/operating-system-manager/pkg/controllers/osc/resources"
	"osm-gen.dev/tests/oracle/compare"
	"osm-gen.dev/tests/oracle/controller"
	"osm-gen.dev/tests/oracle/fleet"
)

// The setting defaultProfiles is what an annotation would be, but for the hash
// of annotations: that is of what the controller's webhook writes.
func TestDefaultProfiles(t *testing.T) {
	files := func(data string) object {
		return object{"files": []object{{"path": "/f", "content": object{"inline": object{"data": data + "{{ .KubeVersion }}"}}}}}
	}
	for _, system := range []struct{ os, utility string }{
		{"ubuntu", "cloud-init"}, {"flatcar", "ignition"}, {"rhel", "cloud-init"}, {"rockylinux", "cloud-init"}, {"amzn2", "cloud-init"},
	} {
		t.Run(system.os, func(t *testing.T) {
			set := func(annotations map[string]string, args ...string) *fleet.Set {
				return &fleet.Set{
					Args: append([]string{"-namespace=kube-system"}, args...),
					Files: map[string]string{"objects.yaml": manifest(t, append(cluster(someKubeconfig), bootstrapToken("m"),
						profile("osp-"+system.os, system.os, system.utility, files("theirs"), files("theirs")),
						profile("osp-acme", system.os, system.utility, files("ours"), files("ours")),
						machineDeployment("m", "1.35.0", annotations, object{
							"cloudProvider": "aws", "cloudProviderSpec": object{}, "operatingSystem": system.os, "operatingSystemSpec": object{},
						}))...)},
					MDs: []fleet.MD{{Namespace: "kube-system", Name: "m"}},
				}
			}
			want := renderOne(t, set(onProfile("osp-acme")), false)
			mutated := renderOne(t, set(nil), true)
			const hash = "k8c.io/mdannotations-hash"
			if want.OSC.Annotations[hash] == "" || want.OSC.Annotations[hash] == mutated.OSC.Annotations[hash] {
				t.Fatalf("hashes %q and %q", want.OSC.Annotations[hash], mutated.OSC.Annotations[hash])
			}
			for _, annotations := range []map[string]string{want.OSC.Annotations, want.Bootstrap.Annotations, want.Provisioning.Annotations} {
				annotations[hash] = mutated.OSC.Annotations[hash]
			}
			run, err := compare.Generate(t.TempDir(), set(nil, "-default-profiles="+system.os+"=osp-acme"), "")
			if err != nil {
				t.Fatal(err)
			}
			compareSecrets(t, run, want)
			compareOSC(t, run, want, compare.Exact)
		})
	}
}

// renderOne is what the controller makes of the one MachineDeployment, as the
// webhook leaves it if it is asked.
func renderOne(t *testing.T, set *fleet.Set, mutate bool) *controller.Rendering {
	t.Helper()
	flags, objects := load(t, set)
	var md *clusterv1alpha1.MachineDeployment
	for _, o := range objects {
		if found, ok := o.(*clusterv1alpha1.MachineDeployment); ok {
			md = found
		}
	}
	if mutate {
		if err := mutation.MutateMachineDeployment(md); err != nil {
			t.Fatal(err)
		}
		if name := md.Annotations[resources.MachineDeploymentOSPAnnotation]; name == "" {
			t.Fatal("the webhook writes no annotation")
		}
	}
	cluster, err := controller.NewCluster(flags, objects)
	if err != nil {
		t.Fatal(err)
	}
	r, err := cluster.Render(context.Background(), md)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
