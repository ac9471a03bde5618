package compare_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/compare"
	"osm-gen.dev/tests/oracle/controller"
	"osm-gen.dev/tests/oracle/fleet"
)

// The controller's own default profiles, given to both sides as manifests, and
// the project's profiles, which osm-gen has inside and the controller is
// given: every provider of each, under every set of flags.
func TestMatrix(t *testing.T) {
	theirs, ours := theirSystems(t), ourSystems(t)
	pairs := 0
	for _, s := range slices.Concat(theirs, ours) {
		pairs += len(s.Providers)
	}
	t.Logf("seed %d: %d profiles of the controller and %d of osm-gen, %d pairs of a profile and a provider, %d variations of each",
		*seed, len(theirs), len(ours), pairs, fleet.Variations)
	compareTruths(t, fleet.Matrix(*seed, slices.Concat(theirs, ours)...))
}

func theirSystems(t *testing.T) []*fleet.System {
	t.Helper()
	texts, err := controller.DefaultOSPTexts()
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) != 6 {
		t.Fatalf("the controller has %d default profiles, not six", len(texts))
	}
	var out []*fleet.System
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		s, err := fleet.ReadSystem("theirs-"+strings.TrimPrefix(name, "osp-"), texts[name])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func ourSystems(t *testing.T) []*fleet.System {
	t.Helper()
	texts, err := compare.Profiles()
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) != 7 {
		t.Fatalf("osm-gen has %d profiles, not seven", len(texts))
	}
	var out []*fleet.System
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		s, err := fleet.ReadSystem(name, texts[name])
		if err != nil {
			t.Fatal(err)
		}
		s.Builtin = true
		// for a containerd of 1.x the project's profiles rewrite the
		// configuration, credentials and all
		s.Functions = true
		out = append(out, s)
	}
	return out
}

// ubuntu is the project's profile that most tests need no other than.
func ubuntu(t *testing.T) *fleet.System {
	t.Helper()
	for _, s := range ourSystems(t) {
		if s.OS == "ubuntu" {
			return s
		}
	}
	t.Fatal("no profile for Ubuntu")
	return nil
}
