package compare_test

import (
	"context"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	osmv1alpha1 "k8c.io/operating-system-manager/pkg/crd/osm/v1alpha1"
	"osm-gen.dev/tests/oracle/compare"
	"osm-gen.dev/tests/oracle/controller"
	"osm-gen.dev/tests/oracle/fleet"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var randomCount = flag.Int("random", 1000, "random OperatingSystemConfigs")

// nameWithFields is the one entry of known.txt that random cases meet.
const nameWithFields = "name with fields"

// isKnown: osm-gen refuses on purpose what the controller happens to take.
func isKnown(profile string) bool {
	return strings.Contains(profile, `"a.service\n    mask: true"`)
}

func documents(set *fleet.Set, name string) []string {
	return strings.Split(set.Files[name], "---\n")
}

// TestRandom: whatever a schema lets through, both user-data generators. What
// the controller renders osm-gen renders alike; what the controller refuses
// osm-gen refuses, each with a diagnostic of its own.
func TestRandom(t *testing.T) {
	t.Logf("seed %d, %d configurations", *seed, *randomCount)
	all := fleet.Random(*seed, *randomCount)
	want, wrong := renderEach(t, all)
	if len(wrong) < *randomCount/20 || len(want) < *randomCount/4 {
		t.Fatalf("%d rendered, %d refused: not a mixture worth comparing", len(want), len(wrong))
	}
	t.Logf("the controller renders %d and refuses %d", len(want), len(wrong))
	refused := refusals(t, all)
	if !knownNames(t)[nameWithFields] {
		t.Errorf("known.txt does not list %q", nameWithFields)
	}
	good := map[fleet.MD]bool{}
	stopped := 0
	machines, profiles := documents(all, "machines.yaml"), documents(all, "profiles.yaml")
	for i, md := range all.MDs {
		message, isWrong := wrong[md]
		codes, isRefused := refused[md.Namespace+"/"+md.Name]
		switch {
		case isWrong && !isRefused:
			t.Errorf("%s: osm-gen renders what the controller refuses: %s\n%s%s", md.Name, message,
				machines[i], profiles[i])
		case !isWrong && stopsAtBoot(t, want[md]) && (!isRefused || !isFlatcars(codes)):
			t.Errorf("%s: no machine boots with it, and osm-gen says %s\n%s%s", md.Name, codes, machines[i], profiles[i])
		case !isWrong && stopsAtBoot(t, want[md]):
			stopped++
		case !isWrong && isRefused && !isKnown(profiles[i]):
			t.Errorf("%s: osm-gen refuses what the controller renders: %s\n%s%s", md.Name, codes,
				machines[i], profiles[i])
		case !isWrong && !isRefused:
			good[md] = true
		}
	}
	t.Logf("Flatcar would not boot with %d", stopped)
	if stopped < *randomCount/200 {
		t.Errorf("only %d that Flatcar does not boot with", stopped)
	}
	if t.Failed() {
		return
	}
	gone := map[fleet.MD]bool{}
	for _, md := range all.MDs {
		if !good[md] {
			gone[md] = true
		}
	}
	set := all.Without(gone)
	run := generate(t, set, "")
	if run == nil {
		return
	}
	for _, md := range set.MDs {
		t.Run(md.Name, func(t *testing.T) {
			compareSecrets(t, run, want[md])
			compareOSC(t, run, want[md], compare.Redacted(all.Secrets, false))
			if want[md].OSC.Spec.ProvisioningUtility == "ignition" {
				readIgnition(t, run, md, want[md])
			}
		})
	}
	noLeak(t, run, all.Secrets)
}

// isFlatcars: osm-gen refuses it for what Flatcar stops at, and for nothing else.
func isFlatcars(codes []string) bool {
	return !slices.ContainsFunc(codes, func(said string) bool {
		return !strings.HasPrefix(said, "OSG4060 ") && !strings.HasPrefix(said, "OSG4061 ") && !strings.HasPrefix(said, "OSG4063 ")
	})
}

// stopsAtBoot: what the controller made is a Flatcar's that does not boot with it.
func stopsAtBoot(t *testing.T, want *controller.Rendering) bool {
	t.Helper()
	if want.OSC.Spec.ProvisioningUtility != "ignition" {
		return false
	}
	for _, text := range [][]byte{want.Bootstrap.Data["cloud-config"], want.Provisioning.Data["cloud-config"]} {
		if _, err := compare.Flatcar(text); err != nil {
			return true
		}
		below, err := compare.BelowFile(text)
		if err != nil {
			t.Fatal(err)
		}
		if below {
			return true
		}
	}
	return false
}

// renderEach is the controller's word on every MachineDeployment.
func renderEach(t *testing.T, set *fleet.Set) (map[fleet.MD]*controller.Rendering, map[fleet.MD]string) {
	t.Helper()
	flags, objects := load(t, set)
	var others, own []client.Object
	for _, o := range objects {
		switch o.(type) {
		case *clusterv1alpha1.MachineDeployment, *osmv1alpha1.OperatingSystemProfile:
			own = append(own, o)
		default:
			others = append(others, o)
		}
	}
	// the API server in memory gets slow with many objects: a new one for every few
	byName := map[string][]client.Object{}
	for _, o := range own {
		name := strings.TrimPrefix(o.GetName(), "osp-")
		byName[name] = append(byName[name], o)
	}
	good, wrong := map[fleet.MD]*controller.Rendering{}, map[fleet.MD]string{}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(byName)), 50) {
		given := slices.Clone(others)
		for _, name := range some {
			given = append(given, byName[name]...)
		}
		cluster, err := controller.NewCluster(flags, given)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range given {
			md, ok := o.(*clusterv1alpha1.MachineDeployment)
			if !ok {
				continue
			}
			r, err := cluster.Render(context.Background(), md)
			if err != nil {
				wrong[fleet.MD{Namespace: md.Namespace, Name: md.Name}] = err.Error()
			} else {
				good[fleet.MD{Namespace: md.Namespace, Name: md.Name}] = r
			}
		}
	}
	return good, wrong
}

// refusals runs osm-gen over the whole set and returns the codes of its errors
// by "namespace/name".
func refusals(t *testing.T, set *fleet.Set) map[string][]string {
	t.Helper()
	program, err := compare.Program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args, err := set.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(dir, "report.json")
	command := []string{"--repo", filepath.Join(dir, "repo"), "--worktree", "--no-commit", "--out", filepath.Join(dir, "out"), "--report", "json=" + report}
	command = append(append(command, compare.Options(args)...), set.AllowEnv()...)
	recipients := []string{}
	for _, id := range compare.Identities() {
		recipients = append(recipients, id.Recipient().String())
	}
	settings := "apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  sealing: {format: sops, recipients: [" + strings.Join(recipients, ", ") + "]}\n" +
		"  defaults: {unreadableUserData: warning}\n"
	if err := os.WriteFile(filepath.Join(dir, "repo", "osm-gen.yaml"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q", filepath.Join(dir, "repo")).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	cmd := exec.Command(program, command...)
	cmd.Env = append(set.Environ(), "PATH="+os.Getenv("PATH"), "HOME="+dir, "OSM_GEN_SEAL_SEED="+compare.Seed())
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 2 {
		t.Fatalf("osm-gen: %v, want exit status 2\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("osm-gen wrote something though it failed")
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Diagnostics []struct {
			Code, Severity, Object, Message, Path, Help string
			Line                                        int
		}
	}
	if err := json.Unmarshal(text, &parsed); err != nil {
		t.Fatal(err)
	}
	refused := map[string][]string{}
	met := map[string]int{}
	for _, d := range parsed.Diagnostics {
		if d.Severity != "error" {
			continue
		}
		name, ok := strings.CutPrefix(d.Object, "MachineDeployment ")
		if !ok || d.Line == 0 || d.Help == "" {
			t.Errorf("%s %s:%d (%s): %s: no object, place or help", d.Code, d.Path, d.Line, d.Object, d.Message)
		}
		refused[name] = append(refused[name], d.Code+" "+d.Message)
		met[d.Code]++
	}
	for _, code := range slices.Sorted(maps.Keys(met)) {
		t.Logf("%s: %d", code, met[code])
	}
	return refused
}
