package machines

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const root = "../../.."

// withoutSpace lets the two differ in how lines and strings are broken.
func withoutSpace(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "\\\n", " ")), "")
	return strings.ReplaceAll(text, `""`, "")
}

// The program's tables of types are the SDK's. TABLES=write writes them.
func TestTables(t *testing.T) {
	for file, want := range tables() {
		if os.Getenv("TABLES") == "write" {
			if err := os.WriteFile(filepath.Join(root, file), []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if withoutSpace(string(text)) != withoutSpace(want) {
			t.Errorf("%s is not what the SDK has; it would be\n%s", file, want)
		}
	}
}

func environment(name string, otherwise int64) int64 {
	if value, err := strconv.ParseInt(os.Getenv(name), 10, 64); err == nil {
		return value
	}
	return otherwise
}

// What osm-gen refuses for reasons that are not the webhook's: operating-system-manager and its
// profiles do (a profile for another system or cloud, static networks, types in operatingSystemSpec),
// and Ignition's YAML has no place for every comment of a key.
var others = map[string]bool{"OSG4003": true, "OSG4006": true, "OSG4007": true, "OSG4008": true, "OSG4013": true,
	"OSG4015": true, "OSG7005": true}

// An unknown member of cloudProviderSpec (OSG4052) is a warning, as only this version's members are known.
var errorLine = regexp.MustCompile(`(?m)^(\S+\.yaml):\d+:\d+: (error|warning)\[(OSG\d+)\]: (.*)$`)

type refusal struct{ code, text string }

// refusals are osm-gen's errors by file, of all manifests at once.
func refusals(t *testing.T, manifests map[string][]byte) map[string][]refusal {
	program, err := filepath.Abs(root + "/build/osm-gen")
	if given := os.Getenv("OSM_GEN"); given != "" {
		program = given
	}
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	files := map[string][]byte{"osm-gen.yaml": []byte(`apiVersion: osm-gen.dev/v1alpha1
kind: Fleet
spec:
  defaults: {externalCloudProvider: true}
  sealing: {format: sops, recipients: [age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk]}
`)}
	info, err := os.ReadFile(root + "/tests/golden/base/clusters/prod/cluster-info.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files["cluster-info.yaml"] = info
	for name, text := range manifests {
		files[name] = text
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, arguments := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "machines"}} {
		if out, err := exec.Command("git", append([]string{"-C", folder}, arguments...)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", err, out)
		}
	}
	command := exec.Command(program, "validate", "-v")
	command.Dir = folder
	var stderr bytes.Buffer
	command.Stderr = &stderr
	_ = command.Run()
	if code := command.ProcessState.ExitCode(); code != 0 && code != 2 {
		t.Fatalf("exit status %d: %s", code, stderr.String())
	}
	found := map[string][]refusal{}
	for _, match := range errorLine.FindAllStringSubmatch(stderr.String(), -1) {
		if match[2] == "error" || match[3] == "OSG4052" {
			found[match[1]] = append(found[match[1]], refusal{match[3], match[4]})
		}
	}
	return found
}

// bases are machine-controller's own examples, each fit for a profile.
func bases(t *testing.T, cluster *Cluster, keys []string) (sound []map[string]any) {
	paths, err := filepath.Glob(root + "/build/oracle/machine-controller/examples/*-machinedeployment.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal("no examples: run tests/oracle/run.sh", err)
	}
	manifests := map[string][]byte{}
	objects := map[string]map[string]any{}
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range strings.Split(string(text), "\n---") {
			var object map[string]any
			if yaml.Unmarshal([]byte(document), &object) != nil || object["kind"] != "MachineDeployment" {
				continue
			}
			config(object)["sshPublicKeys"] = []any{keys[i%len(keys)]}
			object["metadata"] = map[string]any{"name": fmt.Sprintf("base%d", i), "namespace": "kube-system",
				"labels": map[string]any{"zone": "a"}}
			file := filepath.Base(path)
			manifests[file] = must(yaml.Marshal(object))
			objects[file] = object
		}
	}
	found := refusals(t, manifests)
	var files []string
	for file := range manifests {
		files = append(files, file)
	}
	sort.Strings(files)
	for _, file := range files {
		real := cluster.Refuses(manifests[file])
		if real != nil {
			t.Logf("%s as published: %v", file, real)
		}
		if (real != nil) != isRefused(found[file]) {
			t.Errorf("%s: %v, and %v", file, real, found[file])
		}
		if real == nil && len(found[file]) == 0 {
			sound = append(sound, objects[file])
		}
	}
	return sound
}

func isRefused(found []refusal, changes ...string) bool {
	system := strings.Contains(strings.Join(changes, " "), "operatingSystemSpec")
	for _, f := range found {
		if !others[f.code] && !(system && f.code == "OSG4010") {
			return true
		}
	}
	return false
}

// MACHINES manifests (1,000), each with up to two places changed: osm-gen has an error exactly where the
// API server or the webhook has one.
func TestRefused(t *testing.T) {
	count, seed := environment("MACHINES", 1000), environment("SEED", 1)
	random := rand.New(rand.NewSource(seed))
	cluster, err := NewCluster()
	if err != nil {
		t.Fatal(err)
	}
	keys := Keys(random)
	sound := bases(t, cluster, keys)
	if len(sound) < 8 {
		t.Fatalf("%d examples are sound", len(sound))
	}
	manifests := map[string][]byte{}
	changes := map[string][]string{}
	for i := range count {
		object, what := Mutate(random, sound[random.Intn(len(sound))], keys)
		file := fmt.Sprintf("m%05d.yaml", i)
		if metadata, ok := object["metadata"].(map[string]any); ok {
			metadata["name"] = fmt.Sprintf("m%05d", i)
		}
		manifests[file] = must(yaml.Marshal(object))
		changes[file] = what
	}
	found := refusals(t, manifests)
	refused := 0
	for i := range count {
		file := fmt.Sprintf("m%05d.yaml", i)
		real := cluster.Refuses(manifests[file])
		if real != nil {
			refused++
		}
		if real != nil && len(found[file]) == 0 {
			t.Errorf("%s, seed %d: osm-gen takes %q; refused by the real one: %v", file, seed, changes[file], real)
		}
		if real == nil && isRefused(found[file], changes[file]...) {
			t.Errorf("%s, seed %d: osm-gen refuses %q: %v", file, seed, changes[file], found[file])
		}
	}
	t.Logf("seed %d: %d manifests of %d examples, %d of them refused", seed, count, len(sound), refused)
}
