package sealed_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

func fleetWith(t *testing.T, osc string) string {
	t.Helper()
	return generateWith(t, map[string]string{"osm-gen.yaml": "apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n" +
		"  defaults: {osc: " + osc + "}\n  sealing: {recipients: [" + recipient + "]}\n"})
}

// build is what Flux does with a side: decrypt the files that patches name, in
// place, then build. prepare may change the folder in between.
func build(t *testing.T, side string, prepare func(path string, text []byte) []byte) (map[string]any, error) {
	t.Helper()
	memory := filesys.MakeFsInMemory()
	err := filepath.WalkDir(side, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(side, path)
		return memory.WriteFile(filepath.Join("/side", rel), prepare(rel, text))
	})
	if err != nil {
		t.Fatal(err)
	}
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(memory, "/side")
	if err != nil {
		return nil, err
	}
	for _, r := range resources.Resources() {
		if r.GetKind() == "OperatingSystemConfig" {
			return r.Map()
		}
	}
	t.Fatal("no OperatingSystemConfig was built")
	return nil, nil
}

// The redacted OperatingSystemConfig with its patch is, byte for byte in every
// text, the one that `osc: sealed` seals; without the key nothing is built.
func TestPatchGivesTheTrueOSC(t *testing.T) {
	identity := "SOPS_AGE_KEY=" + strings.TrimSpace(key(t, "TEST-ONLY-identity.txt"))
	side := filepath.Join(fleetWith(t, "patch"), "prod/management")
	sealedSide := filepath.Join(fleetWith(t, "sealed"), "prod/management")
	decryptPatch := func(path string, text []byte) []byte {
		if !strings.HasSuffix(path, ".sealed") {
			return text
		}
		return decryptBytes(t, text, identity)
	}

	got, err := build(t, side, decryptPatch)
	if err != nil {
		t.Fatal(err)
	}
	want, err := build(t, sealedSide, func(path string, text []byte) []byte {
		if !strings.Contains(path, "operatingsystemconfig-") {
			return text
		}
		plain, err := yaml.JSONToYAML(decrypt(t, text, identity))
		if err != nil {
			t.Fatal(err)
		}
		return plain
	})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got["spec"], want["spec"]) {
		a, _ := json.Marshal(got["spec"])
		b, _ := json.Marshal(want["spec"])
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
	if text, _ := json.Marshal(got); strings.Contains(string(text), "<sealed:") {
		t.Error("a mark is left")
	}

	if _, err := build(t, side, func(_ string, text []byte) []byte { return text }); err == nil {
		t.Error("a patch that is not decrypted: built")
	}
	edited := func(path string, text []byte) []byte {
		if strings.Contains(path, "operatingsystemconfig-") && strings.HasSuffix(path, ".yaml") {
			return []byte(strings.Replace(string(text), "set -euo pipefail", "set -eu", 1))
		}
		return decryptPatch(path, text)
	}
	if _, err := build(t, side, edited); err == nil {
		t.Error("a redacted text that somebody edited: built")
	}
}
