package compare_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/admission"
	"osm-gen.dev/tests/oracle/compare"
	"osm-gen.dev/tests/oracle/fleet"
	"sigs.k8s.io/yaml"
)

var (
	derivedVersion = regexp.MustCompile(`^v.*[+.](x[0-9a-f]{8})$`)
	derivedFile    = regexp.MustCompile(`^operatingsystemprofile-(.*-x[0-9a-f]{8})\.yaml$`)
)

// derived reads what osm-gen made of a set's extensions: the profile of each
// MachineDeployment by name, and the text of each, with the content of the
// Secret in place of its mark.
func derived(t *testing.T, set *fleet.Set, run *compare.Run, content string) (map[fleet.MD]string, map[string]string) {
	t.Helper()
	names, texts := map[fleet.MD]string{}, map[string]string{}
	files, err := filepath.Glob(filepath.Join(run.Out(), "default", "management", "*", "operatingsystemprofile-*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		name := derivedFile.FindStringSubmatch(filepath.Base(path))
		if name == nil {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		object := map[string]any{}
		if err := yaml.Unmarshal(text, &object); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		object["spec"] = unmarked(object["spec"], content)
		texts[name[1]] = fleet.Manifest(object)
	}
	for _, md := range set.MDs {
		osc, err := run.Read(filepath.Join("default", "management", settingOf(set, "-namespace="),
			"operatingsystemconfig-"+md.Name+"-"+md.Namespace+"-config.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		base := set.Systems[md].Profile
		names[md] = base
		if m := derivedVersion.FindStringSubmatch(osc.Metadata.Annotations["k8c.io/osp-version"]); m != nil {
			names[md] = base + "-" + m[1]
			if texts[names[md]] == "" {
				t.Errorf("%s is of %s, which is not in the output", md.Name, names[md])
			}
		}
	}
	return names, texts
}

func settingOf(set *fleet.Set, option string) string {
	for _, a := range set.Args {
		if value, ok := strings.CutPrefix(a, option); ok {
			return value
		}
	}
	return ""
}

// unmarked: the controller executes templates in what osm-gen takes literally.
func unmarked(v any, content string) any {
	switch v := v.(type) {
	case string:
		if content != "" && v == fleet.SecretMark {
			return strings.ReplaceAll(content, "{{", "{{ `{{` }}")
		}
	case []any:
		for i := range v {
			v[i] = unmarked(v[i], content)
		}
	case map[string]any:
		for name := range v {
			v[name] = unmarked(v[name], content)
		}
	}
	return v
}

// admit asks the API server's schema and the controller's webhook about the
// derived profiles, and the webhook about each as an update of another: a
// version is that of one content alone.
func admit(t *testing.T, texts map[string]string) {
	t.Helper()
	schema, err := admission.ProfileSchema()
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) map[string]any {
		object := map[string]any{}
		if err := yaml.Unmarshal([]byte(texts[name]), &object); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return object
	}
	var other map[string]any
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if problems := schema.Validate(read(name)).Errors; len(problems) > 0 {
			t.Errorf("%s: the schema says %v", name, problems)
		}
		for _, before := range []map[string]any{nil, other} {
			if message, err := admission.Webhook(before, read(name)); err != nil || message != "" {
				t.Errorf("%s: the webhook says %s %v", name, message, err)
			}
		}
		other = read(name)
	}
}

// extended makes of a set with extensions one whose MachineDeployments name
// the profiles that osm-gen derives from them.
func extended(t *testing.T, set *fleet.Set, machines, content string) *fleet.Set {
	t.Helper()
	run := generate(t, set.Given(), "")
	if run == nil {
		t.FailNow()
	}
	names, texts := derived(t, set, run, content)
	out, err := set.Derive(machines, names, texts)
	if err != nil {
		t.Fatal(err)
	}
	admit(t, texts)
	count := 0
	for md, name := range names {
		if name != set.Systems[md].Profile {
			count++
		}
	}
	t.Logf("%s: %d of %d MachineDeployments have one of %d derived profiles", set.Name, count, len(names), len(texts))
	if count == 0 || len(texts) == 0 {
		t.Errorf("%s: nothing was extended", set.Name)
	}
	return out
}

// The profile that extensions make is an ordinary one: given to the controller
// it renders what osm-gen renders, every system for every provider, and files
// out of a Secret as if their content stood in the profile. Of the matrix's
// sets every other one, which of them the seed says.
func TestExtensions(t *testing.T) {
	ours := ourSystems(t)
	var hooked []string
	for _, s := range ours {
		hooked = append(hooked, s.Profile)
	}
	for i, set := range fleet.Matrix(*seed, slices.Concat(theirSystems(t), ours)...) {
		if uint64(i)%2 != *seed%2 {
			continue
		}
		const machines = "machines/machinedeployments.yaml"
		content, err := fleet.Extend(*seed, uint64(200+i), set, machines, hooked)
		if err != nil {
			t.Fatal(err)
		}
		set.Name = fmt.Sprintf("extended-%s", set.Name)
		t.Run(set.Name, func(t *testing.T) {
			compareTruths(t, []*fleet.Set{extended(t, set, machines, content)})
		})
	}
}

// The same with odd texts, names and modules, in profiles as odd as those of
// TestRandom: whatever osm-gen renders of it, the controller renders alike.
func TestExtensionsOfRandomProfiles(t *testing.T) {
	const machines = "machines.yaml"
	all := fleet.Random(*seed+1, *randomCount/4)
	if _, err := fleet.Extend(*seed, 300, all, machines, nil); err != nil {
		t.Fatal(err)
	}
	all.Name = "extended"
	profiles := documents(all, "profiles.yaml")
	for i, md := range all.MDs {
		all.Systems[md] = &fleet.System{Profile: "osp-" + md.Name}
		if strings.Contains(profiles[i], "provisioningUtility: ignition") {
			all.Systems[md].Utility = "ignition"
		}
	}
	// A password that stands in a profile is hidden in the output: what the
	// controller would make of that profile is another one.
	gone := map[fleet.MD]bool{}
	for i, md := range all.MDs {
		gone[md] = strings.Contains(profiles[i], "rh_subscription")
	}
	set := all.Without(gone)
	set.Floats = true // nor can sealed documents hold all of these texts
	// A mistake of several MachineDeployments is reported for the first of them.
	for range 4 {
		if _, err := compare.Generate(t.TempDir(), set, ""); err == nil {
			break
		}
		gone := map[fleet.MD]bool{}
		refused := refusals(t, set)
		for _, md := range set.MDs {
			gone[md] = refused[md.Namespace+"/"+md.Name] != nil
		}
		set = set.Without(gone)
	}
	t.Logf("osm-gen renders %d of %d", len(set.MDs), len(all.MDs))
	if len(set.MDs) < len(all.MDs)/4 {
		t.Fatal("not a mixture worth comparing")
	}
	compareTruths(t, []*fleet.Set{extended(t, set, machines, "")})
}
