package compare_test

import (
	"os"
	"path/filepath"
	"testing"

	"osm-gen.dev/tests/oracle/controller"
	"osm-gen.dev/tests/oracle/fleet"
)

// Every operating system: the controller's own default profiles, given to both
// sides as manifests. (Ubuntu's are TestControllersProfile.)
func TestControllersSystems(t *testing.T) {
	texts, err := controller.DefaultOSPTexts()
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) != 6 {
		t.Fatalf("the controller has %d default profiles, not six", len(texts))
	}
	for name, text := range texts {
		compareSystem(t, name, text, true)
	}
}

// The project's profiles as they are embedded in osm-gen, given to the
// controller as manifests.
func TestEmbeddedSystems(t *testing.T) {
	paths, err := filepath.Glob("../../../profiles/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal("no profiles", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		compareSystem(t, filepath.Base(path), string(text), false)
	}
}

func compareSystem(t *testing.T, name, text string, asManifest bool) {
	t.Helper()
	system, err := fleet.ReadSystem(name, text)
	if err != nil {
		t.Fatal(err)
	}
	if system.OS == "ubuntu" {
		return
	}
	// Amazon Linux 2 has an older containerd: the project's profile rewrites
	// the configuration, credentials and all
	system.Functions = system.OS == "amzn2" && !asManifest
	t.Run(system.Profile, func(t *testing.T) {
		truths := fleet.MakeSystem(*seed, system, true)
		given := truths
		if !asManifest {
			given = fleet.MakeSystem(*seed, system, false)
		}
		compareTruths(t, truths, given)
	})
}
