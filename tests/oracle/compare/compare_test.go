package compare_test

import (
	"context"
	"encoding/json"
	"flag"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	"osm-gen.dev/tests/oracle/compare"
	"osm-gen.dev/tests/oracle/controller"
	"osm-gen.dev/tests/oracle/fleet"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var seed = flag.Uint64("seed", seedGiven(), "of the generated fleets")

func seedGiven() uint64 {
	given := os.Getenv("SEED")
	if given == "" {
		return 1
	}
	n, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		log.Fatalf("SEED: %v", err)
	}
	return n
}

// compareTruths renders each set with the controller and with osm-gen.
func compareTruths(t *testing.T, truths []*fleet.Set) {
	for _, truth := range truths {
		t.Run(truth.Name, func(t *testing.T) {
			want := renderAll(t, truth)
			given := truth.Given()
			redacted := generate(t, given, "")
			var sealed *compare.Run
			if !truth.Floats {
				sealed = generate(t, given, "sealed")
			}
			hidden := slices.Concat(truth.Secrets, truth.Derived)
			for _, md := range truth.MDs {
				w := want[types.NamespacedName{Namespace: md.Namespace, Name: md.Name}]
				system := truth.Systems[md]
				t.Run(md.Namespace+"/"+md.Name, func(t *testing.T) {
					if redacted != nil {
						compareSecrets(t, redacted, w)
						t.Run("osc-redacted", func(t *testing.T) { compareOSC(t, redacted, w, compare.Redacted(hidden, system.Functions)) })
						if system.Utility == "ignition" {
							t.Run("ignition", func(t *testing.T) { readIgnition(t, redacted, md, w) })
						}
					}
					if sealed != nil {
						t.Run("osc-sealed", func(t *testing.T) { compareOSC(t, sealed, w, nil) })
					}
				})
			}
			if redacted != nil {
				t.Run("nothing leaks", func(t *testing.T) { noLeak(t, redacted, truth.Secrets) })
			}
			if sealed != nil {
				t.Run("nothing leaks when sealed", func(t *testing.T) { noLeak(t, sealed, truth.Secrets) })
			}
		})
	}
}

// readIgnition lets a reader of Ignition read what the machines will, and then
// Flatcar as it boots.
func readIgnition(t *testing.T, run *compare.Run, md fleet.MD, want *controller.Rendering) {
	var passes compare.Passes
	for _, secret := range []*corev1.Secret{want.Bootstrap, want.Provisioning} {
		got, err := run.Secret(secret.Namespace, secret.Name)
		if err != nil {
			t.Fatal(err)
		}
		if err := compare.Ignition(got.Data["cloud-config"]); err != nil {
			t.Errorf("%s: %v", got.Path, err)
		}
		passed, err := compare.Flatcar(got.Data["cloud-config"])
		if err != nil {
			t.Errorf("%s: no machine boots with it: %v", got.Path, err)
		}
		passes.UnitTwice = passes.UnitTwice || passed.UnitTwice
		passes.ModeBits = passes.ModeBits || passed.ModeBits
	}
	for code, passed := range map[string]bool{"OSG4062": passes.UnitTwice, "OSG4064": passes.ModeBits} {
		warned, err := run.Reports(code, md)
		if err != nil {
			t.Fatal(err)
		}
		if warned != passed {
			t.Errorf("%s: osm-gen says %s: %v, and Flatcar passes over it: %v", md.Name, code, warned, passed)
		}
	}
}

// load gives the controller what osm-gen is given: its flags and the objects.
func load(t *testing.T, set *fleet.Set) (*controller.Flags, []client.Object) {
	t.Helper()
	dir := t.TempDir()
	args, err := set.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	flags, err := controller.ParseFlags(args)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := controller.Load(filepath.Join(dir, "repo"))
	if err != nil {
		t.Fatal(err)
	}
	return flags, objects
}

func renderAll(t *testing.T, set *fleet.Set) map[types.NamespacedName]*controller.Rendering {
	t.Helper()
	flags, objects := load(t, set)
	cluster, err := controller.NewCluster(flags, objects)
	if err != nil {
		t.Fatal(err)
	}
	out := map[types.NamespacedName]*controller.Rendering{}
	for _, o := range objects {
		md, ok := o.(*clusterv1alpha1.MachineDeployment)
		if !ok {
			continue
		}
		r, err := cluster.Render(context.Background(), md)
		if err != nil {
			t.Fatalf("the controller on %s/%s: %v", md.Namespace, md.Name, err)
		}
		out[client.ObjectKeyFromObject(md)] = r
	}
	if len(out) != len(set.MDs) {
		t.Fatalf("the controller rendered %d of %d", len(out), len(set.MDs))
	}
	return out
}

func generate(t *testing.T, set *fleet.Set, osc string) *compare.Run {
	t.Helper()
	r, err := compare.Generate(t.TempDir(), set, osc)
	if err != nil {
		t.Errorf("osc=%q: %v", osc, err)
		return nil
	}
	return r
}

func compareSecrets(t *testing.T, run *compare.Run, want *controller.Rendering) {
	for _, c := range []struct {
		what string
		key  string
		want *corev1.Secret
	}{
		{"bootstrap", "cloud-config", want.Bootstrap},
		{"provisioning", "cloud-config", want.Provisioning},
		{"kubelet-kubeconfig", "kubeconfig", want.Kubeconfig},
		{"edge-script", "fetch-bootstrap-script", want.EdgeScript},
	} {
		if c.want == nil {
			continue
		}
		t.Run(c.what, func(t *testing.T) {
			got, err := run.Secret(c.want.Namespace, c.want.Name)
			if err != nil {
				t.Fatal(err)
			}
			if d := compare.Bytes(got.Data[c.key], c.want.Data[c.key]); d != "" {
				t.Errorf("%s data.%s: %s", got.Path, c.key, d)
			}
			if len(got.Data) != len(c.want.Data) {
				t.Errorf("%s: %d keys in data, want %d", got.Path, len(got.Data), len(c.want.Data))
			}
			// the API server fills in the type that the controller leaves out
			wantType := c.want.Type
			if wantType == "" {
				wantType = corev1.SecretTypeOpaque
			}
			if got.Type != string(wantType) && !(got.Type == "" && c.want.Type == "") {
				t.Errorf("%s: type %q, want %q", got.Path, got.Type, wantType)
			}
			if a, b := isTrue(got.Immutable), isTrue(c.want.Immutable); a != b {
				t.Errorf("%s: immutable %v, want %v", got.Path, a, b)
			}
			compareMetadata(t, got, c.want.Annotations, c.want.Labels)
		})
	}
}

func isTrue(b *bool) bool { return b != nil && *b }

// compareMetadata: all that the controller sets, and beyond it only what is
// osm-gen's or an applier's own.
func compareMetadata(t *testing.T, got *compare.Object, annotations, labels map[string]string) {
	t.Helper()
	for k, v := range annotations {
		if g, ok := got.Metadata.Annotations[k]; !ok || g != v {
			t.Errorf("%s: annotation %s is %q, want %q", got.Path, k, g, v)
		}
	}
	for k, v := range got.Metadata.Annotations {
		_, ours := annotations[k]
		if !ours && !strings.HasPrefix(k, "kustomize.toolkit.fluxcd.io/") && !strings.HasPrefix(k, "osm-gen.dev/") {
			t.Errorf("%s: annotation %s=%q is not the controller's", got.Path, k, v)
		}
	}
	for k, v := range got.Metadata.Labels {
		if labels[k] != v {
			t.Errorf("%s: label %s=%q is not the controller's", got.Path, k, v)
		}
	}
}

// compareOSC: redacted compares strings where the OSC is not sealed (nil: it is).
func compareOSC(t *testing.T, run *compare.Run, want *controller.Rendering, redacted func(got, want string) string) {
	sealed := redacted == nil
	got, err := run.OSC(want.OSC.Namespace, want.OSC.Name)
	if err != nil {
		t.Fatal(err)
	}
	if got.Sealed != sealed {
		t.Fatalf("%s: sealed %v, want %v", got.Path, got.Sealed, sealed)
	}
	compareMetadata(t, got, want.OSC.Annotations, want.OSC.Labels)
	var object struct {
		Spec json.RawMessage `json:"spec"`
	}
	if err := json.Unmarshal(got.JSON, &object); err != nil {
		t.Fatal(err)
	}
	spec, err := json.Marshal(want.OSC.Spec)
	if err != nil {
		t.Fatal(err)
	}
	leaf := compare.Exact
	if !sealed {
		leaf = redacted
	}
	for i, d := range compare.Values(object.Spec, spec, leaf) {
		if i == 5 {
			t.Error("and more")
			break
		}
		t.Errorf("%s spec%s", got.Path, d)
	}
}

// noLeak looks for every secret in every byte that osm-gen wrote in the clear.
func noLeak(t *testing.T, run *compare.Run, secrets []string) {
	texts := map[string]string{"stdout": run.Stdout, "stderr": run.Stderr}
	err := filepath.WalkDir(run.Out(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		texts[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 5 {
		t.Fatal("there is hardly any output")
	}
	leaks := compare.NewLeaks(secrets)
	for where, text := range texts {
		for _, found := range leaks.Find([]byte(text)) {
			t.Errorf("%s holds %s", where, found)
		}
	}
}
