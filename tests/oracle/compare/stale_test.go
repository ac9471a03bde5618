package compare_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	"osm-gen.dev/tests/oracle/compare"
	"osm-gen.dev/tests/oracle/controller"
)

// staleCase is an input that the controller does not look at again once it has
// rendered a MachineDeployment, as known.txt says. osm-gen renders what the
// commit holds: what a new controller makes of it.
type staleCase struct {
	data     string // of the profile's one file
	old, new string // in the manifests
}

var staleCases = map[string]staleCase{
	"profile edited under its version": {data: "echo before", old: "echo before", new: "echo after"},
	"getter token changed":             {data: "{{ .Token }}", old: "top-secret", new: "another-token"},
	"API address changed":              {data: "{{ .ServerURL }}", old: "https://", new: "https://new-"},
}

func (c staleCase) known() *knownCase { return &knownCase{data: c.data} }

func TestStale(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(staleCases)) {
		t.Run(name, func(t *testing.T) { staleCases[name].run(t) })
	}
}

func (c staleCase) run(t *testing.T) {
	ctx := context.Background()
	set := c.known().set(t)
	flags, objects := load(t, set)
	cluster, err := controller.NewCluster(flags, objects)
	if err != nil {
		t.Fatal(err)
	}
	before := rendered(t, cluster, objects[len(objects)-1].(*clusterv1alpha1.MachineDeployment))

	text := set.Files["objects.yaml"]
	set.Files["objects.yaml"] = strings.ReplaceAll(text, c.old, c.new)
	if set.Files["objects.yaml"] == text {
		t.Fatal("nothing to change")
	}
	_, changed := load(t, set)
	md := changed[len(changed)-1].(*clusterv1alpha1.MachineDeployment)
	if err := cluster.Update(ctx, changed); err != nil {
		t.Fatal(err)
	}
	if after := rendered(t, cluster, md); after != before {
		t.Errorf("the controller renders %q after the change, %q before", after, before)
	}

	flags, changed = load(t, set)
	fresh, err := controller.NewCluster(flags, changed)
	if err != nil {
		t.Fatal(err)
	}
	want := rendered(t, fresh, md)
	if want == before {
		t.Fatalf("the change changes nothing: %q", want)
	}
	run, err := compare.Generate(t.TempDir(), set, "sealed")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.known().ours(t, run); got != want {
		t.Errorf("osm-gen renders %q, a new controller %q", got, want)
	}
}

// rendered is the profile's file and the kubelet's kubeconfig.
func rendered(t *testing.T, cluster *controller.Cluster, md *clusterv1alpha1.MachineDeployment) string {
	t.Helper()
	r, err := cluster.Render(context.Background(), md)
	if err != nil {
		t.Fatal(err)
	}
	return r.OSC.Spec.ProvisioningConfig.Files[0].Content.Inline.Data + "\n" + string(r.Kubeconfig.Data["kubeconfig"])
}

const revisionNotInGit = "revision not in git"

// The controller copies the MachineDeployment's revision, which machine-controller
// counts in the live object; osm-gen counts itself where git does not hold it.
func TestRevisionNotInGit(t *testing.T) {
	const key = "k8c.io/machine-deployment-revision"
	set := (&knownCase{data: "x", objects: func(all []any) []any {
		annotations := all[len(all)-1].(object)["metadata"].(object)["annotations"].(map[string]string)
		delete(annotations, "machinedeployment.clusters.k8s.io/revision")
		return all
	}}).set(t)
	flags, objects := load(t, set)
	cluster, err := controller.NewCluster(flags, objects)
	if err != nil {
		t.Fatal(err)
	}
	r, err := cluster.Render(context.Background(), objects[len(objects)-1].(*clusterv1alpha1.MachineDeployment))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Bootstrap.Annotations[key]; got != "" {
		t.Errorf("the controller writes revision %q", got)
	}
	run, err := compare.Generate(t.TempDir(), set, "sealed")
	if err != nil {
		t.Fatal(err)
	}
	secret, err := run.Secret("cloud-init-settings", "m-kube-system-bootstrap-config")
	if err != nil {
		t.Fatal(err)
	}
	if got := secret.Metadata.Annotations[key]; got != "1" {
		t.Errorf("osm-gen writes revision %q", got)
	}
}
