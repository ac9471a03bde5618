package admission

import (
	"math/rand/v2"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// holdsNull: what becomes of a null depends on how it is sent.
func holdsNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		for _, item := range v {
			if holdsNull(item) {
				return true
			}
		}
	case []any:
		for _, item := range v {
			if holdsNull(item) {
				return true
			}
		}
	}
	return false
}

// disturb makes one change that a schema may mind.
func disturb(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 && r.IntN(4) > 0 {
			names := keys(v)
			name := names[r.IntN(len(names))]
			if r.IntN(5) == 0 {
				delete(v, name)
				return v
			}
			v[name] = disturb(r, v[name])
			return v
		}
	case []any:
		if len(v) > 0 && r.IntN(5) > 0 {
			i := r.IntN(len(v))
			v[i] = disturb(r, v[i])
			return v
		}
	}
	return []any{
		"", "x", "v1.2.3-rc.1", "1.2.3", "xv1.2.3", "v1.2", "v01.2.3", "v1.2.3 ", "ubuntu", "Ubuntu", "aws", "equinixmetal", "vultr", "vmware-cloud-director",
		"docker", "containerd", "ignition", "cloud-init", 0, 1, 644, -1, 1 << 31, 1 << 40, 1.5, 2.0, true, false, []any{}, []any{"x"}, map[string]any{}, map[string]any{"name": "x"},
	}[r.IntN(32)]
}

// What the schema of the controller's CRD refuses is refused, and nothing else.
func TestProfileSchema(t *testing.T) {
	t.Logf("seed %d", *seed)
	validator, err := ProfileSchema()
	if err != nil {
		t.Fatal(err)
	}
	repo, err := NewRepo(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(*seed, 2))
	refused, taken := 0, 0
	for range *count {
		object := map[string]any{}
		must(yaml.Unmarshal([]byte(immutable), &object))
		for range 1 + r.IntN(2) {
			object["spec"] = disturb(r, object["spec"])
		}
		if holdsNull(object) {
			continue
		}
		text, err := yaml.Marshal(object)
		must(err)
		seen := map[string]any{}
		must(yaml.Unmarshal(text, &seen))
		if spec, ok := seen["spec"].(map[string]any); ok {
			defaults(spec)
		}
		again, err := yaml.Marshal(seen)
		must(err)
		seen = map[string]any{}
		must(yaml.Unmarshal(again, &seen))
		problems := validator.Validate(seen).Errors

		must(repo.Write("profile.yaml", string(text)))
		must(repo.Commit())
		_, said, err := repo.OsmGen("validate")
		must(err)
		/* The schema lets a file without content through, and the controller crashes on it. */
		if strings.Contains(said, "the profile lacks inline here") {
			continue
		}
		got := strings.Contains(said, "error[OSG4001]")
		if got != (len(problems) > 0) {
			t.Errorf("%s\nthe schema says: %v\nosm-gen: %s", text, problems, said)
		}
		if got {
			refused++
		} else {
			taken++
		}
	}
	t.Logf("%d refused, %d taken", refused, taken)
	if refused < *count/10 || taken < *count/20 {
		t.Errorf("too few of one kind: %d refused, %d taken", refused, taken)
	}
}
