package gardener

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// hostsOf are the hosts that files name, and another.
func hostsOf(osc *v1alpha1.OperatingSystemConfig) []string {
	names := map[string]bool{"other": true}
	for _, file := range osc.Spec.Files {
		if file.HostName != nil {
			names[*file.HostName] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// change makes one or two small changes to what nodes get.
func change(random *rand.Rand, osc *v1alpha1.OperatingSystemConfig) {
	spec := &osc.Spec
	for range 1 + random.IntN(2) {
		file, unit := random.IntN(len(spec.Files)+1), random.IntN(len(spec.Units)+1)
		switch random.IntN(11) {
		case 0:
			spec.Files = append(spec.Files, v1alpha1.File{Path: fmt.Sprintf("/etc/new-%d", random.IntN(1000)),
				Content: v1alpha1.FileContent{Inline: &v1alpha1.FileContentInline{Data: "new"}}})
		case 1:
			name := fmt.Sprintf("new-%d.service", random.IntN(1000))
			spec.Units = append(spec.Units, v1alpha1.Unit{Name: name, Content: new("[Service]\nExecStart=/bin/true\n")})
		case 2:
			if spec.CRIConfig != nil && spec.CRIConfig.Containerd != nil {
				spec.CRIConfig.Containerd.SandboxImage += "x"
			}
		case 3, 4, 5:
			if file == len(spec.Files) {
				continue
			}
			if inline := spec.Files[file].Content.Inline; inline != nil && inline.Encoding == "" {
				inline.Data += "changed"
			} else {
				spec.Files[file].Permissions = new(uint32(0o600 + uint32(random.IntN(64))))
			}
		default:
			if unit == len(spec.Units) {
				continue
			}
			changeUnit(random, osc, unit)
		}
	}
}

func changeUnit(random *rand.Rand, osc *v1alpha1.OperatingSystemConfig, number int) {
	spec, unit := &osc.Spec, &osc.Spec.Units[number]
	switch random.IntN(6) {
	case 0:
		spec.Units = slices.Delete(spec.Units, number, number+1)
	case 1:
		if unit.Content == nil {
			unit.Content = new("")
		}
		unit.Content = new(*unit.Content + "# changed\n")
	case 2:
		unit.DropIns = append(unit.DropIns, v1alpha1.DropIn{Name: fmt.Sprintf("new-%d.conf", random.IntN(1000)), Content: "[Unit]\n"})
	case 3:
		if len(unit.DropIns) > 0 {
			unit.DropIns = unit.DropIns[1:]
		}
	case 4:
		unit.Enable = new(random.IntN(2) == 0)
	case 5:
		unit.Command = new([]v1alpha1.UnitCommand{v1alpha1.CommandStart, v1alpha1.CommandStop, v1alpha1.CommandRestart}[random.IntN(3)])
	}
}

// changed is the manifest of a case after a change, with the Secrets that it had.
func changed(t *testing.T, random *rand.Rand, c *gardenercases.Case) string {
	t.Helper()
	osc, secrets, err := parse(c.Text)
	if err != nil {
		t.Fatal(err)
	}
	change(random, osc)
	osc.Status = v1alpha1.OperatingSystemConfigStatus{}
	text, err := yaml.Marshal(osc)
	if err != nil {
		t.Fatal(err)
	}
	out := strings.Replace(string(text), "status: {}\n", "", 1)
	for _, secret := range secrets {
		text, err := yaml.Marshal(secret)
		if err != nil {
			t.Fatal(err)
		}
		out += "---\n" + string(text)
	}
	return out
}

// planned are the units that `osm-gen plan` names as restarted and stopped, for each OperatingSystemConfig.
func planned(t *testing.T, r *gardenercases.Repository) map[string][2][]string {
	t.Helper()
	plan, err := r.Plan()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][2][]string{}
	for _, unit := range plan {
		out[unit.Name] = [2][]string{unit.Restarts, unit.Stops}
	}
	return out
}

// done are the units that the real agent restarts and stops on any of the hosts when the second Secret follows the first.
func done(t *testing.T, hosts []string, first, second *corev1.Secret) [2][]string {
	t.Helper()
	restarts, stops := map[string]bool{}, map[string]bool{}
	for _, host := range hosts {
		node := NewNode(host, first.DeepCopy())
		if err := node.Reconcile(first); err != nil {
			t.Fatal(err)
		}
		node.dbus.Actions = nil
		now := &corev1.Secret{}
		if err := node.client.Get(background, client.ObjectKeyFromObject(first), now); err != nil {
			t.Fatal(err)
		}
		now.Data, now.Annotations = second.Data, second.Annotations
		if err := node.client.Update(background, now); err != nil {
			t.Fatal(err)
		}
		if err := node.Reconcile(second); err != nil {
			t.Fatal(err)
		}
		for action := range node.actions() {
			verb, unit, _ := strings.Cut(action, " ")
			switch verb {
			case "restart", "start":
				restarts[unit] = true
			case "stop":
				stops[unit] = true
			}
		}
	}
	return [2][]string{slices.Sorted(maps.Keys(restarts)), slices.Sorted(maps.Keys(stops))}
}

// The class IN-PLACE of `plan` names the units that the real agent restarts and stops on running nodes, for 300 pairs of
// commits. A secret that could be guessed has no fingerprint: units with one may be named although they stay as they are.
func TestClasses(t *testing.T) {
	seed, n := gardenercases.Seed(t), gardenercases.Count(1200)/4
	files, next := map[string]string{}, map[string]string{}
	var cases []*gardenercases.Case
	for i := 0; len(cases) < n; i++ {
		c := gardenercases.Random(gardenercases.Current, seed, 500000+i)
		osc, _, err := parse(c.Text)
		if err != nil {
			t.Fatal(err)
		}
		// In-place updates of the system wait for a node that machine-controller-manager has prepared.
		if c.IsProvision() || osc.Spec.InPlaceUpdates != nil {
			continue
		}
		cases = append(cases, c)
		files[c.File()] = c.Text
		next[c.File()] = changed(t, rand.New(rand.NewPCG(seed, uint64(i))), c)
	}
	r, err := gardenercases.NewRepository(t.TempDir(), files, "gardenerNodeAgentSecrets: true")
	if err != nil {
		t.Fatal(err)
	}
	generate(t, r)
	before := map[string]*corev1.Secret{}
	for _, c := range cases {
		before[c.Name] = applied(t, r, c)
	}
	commit(t, r, next)
	plan := planned(t, r)
	generate(t, r)
	named := 0
	for _, c := range cases {
		osc, _, err := parse(next[c.File()])
		if err != nil {
			t.Fatal(err)
		}
		real, got := done(t, hostsOf(osc), before[c.Name], applied(t, r, c)), plan[c.Name]
		secret := ofSecrets(osc)
		for _, name := range slices.Concat(real[0], real[1]) {
			delete(secret, name)
		}
		for i, what := range []string{"restarts", "stops"} {
			if slices.Equal(without(got[i], secret), real[i]) {
				continue
			}
			t.Errorf("SEED=%d, %s: plan names as %s %v, the agent's are %v\n%s\n====\n%s", seed, c.Name, what, got[i], real[i], files[c.File()], next[c.File()])
		}
		named += len(real[0]) + len(real[1])
	}
	if named < n/2 {
		t.Errorf("only %d units restart or stop in %d pairs", named, n)
	}
}

// ofSecrets are the units that depend on a file with the bytes of a Secret.
func ofSecrets(osc *v1alpha1.OperatingSystemConfig) map[string]bool {
	secret, out := map[string]bool{}, map[string]bool{}
	for _, file := range osc.Spec.Files {
		secret[file.Path] = secret[file.Path] || file.Content.SecretRef != nil
	}
	for _, unit := range osc.Spec.Units {
		for _, path := range unit.FilePaths {
			out[unit.Name] = out[unit.Name] || secret[path]
		}
	}
	return out
}

// without are the names in order, but not the given ones.
func without(names []string, given map[string]bool) []string {
	out := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return given[name] })
	slices.Sort(out)
	return out
}
