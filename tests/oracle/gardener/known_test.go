package gardener

import (
	"fmt"
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/gardenercases"
)

// knownCases are the specs of known.txt's first part, of a type that shows them; told are words of
// Gardener's error, or empty where it has none and writes something else.
var knownCases = map[string]struct{ kind, purpose, spec, told string }{
	"text in the clear": {"suse-chost", "provision", `
  files:
  - {path: /wrong/a, content: {inline: {encoding: "", data: "$HOME \\x\\\\ $(echo no)"}, transmitUnencoded: true}}
  - {path: /wrong/b, content: {inline: {encoding: "", data: "a\nEOF\ntouch /wrong/c\n"}, transmitUnencoded: true}}
`, ""},
	"odd names": {"suse-chost", "provision", `
  files:
  - {path: '/wrong/$HOME/a"b', content: {inline: {encoding: "", data: x}}}
  units:
  - {name: "it's.service", content: x}
`, ""},
	"spaces in Ignition":          {"flatcar", "provision", `{files: [{path: /wrong, content: {inline: {encoding: "", data: "a b+c"}}}]}`, ""},
	"lines of base64 in Ignition": {"flatcar", "provision", `{files: [{path: /wrong, content: {inline: {encoding: b64, data: "eHh4\neHh4\n"}}}]}`, "unable to parse url"},
	"DEL in osc.yaml":             {"suse-chost", "reconcile", `{units: [{name: wrong.service, content: "a\x7fb"}]}`, "control characters"},
	"NEL in osc.yaml":             {"suse-chost", "reconcile", `{units: [{name: wrong.service, content: "a\x85b"}]}`, ""},
}

func knownCase(name string) *gardenercases.Case {
	k := knownCases[name]
	spec := k.spec
	if strings.HasPrefix(spec, "{") {
		spec = ", " + strings.TrimPrefix(spec, "{")
		spec = "spec: {type: " + k.kind + ", purpose: " + k.purpose + spec + "\n"
	} else {
		spec = "spec:\n  type: " + k.kind + "\n  purpose: " + k.purpose + spec
	}
	return &gardenercases.Case{Name: "known", Namespace: "default", Type: k.kind, Purpose: k.purpose, Contract: gardenercases.Current,
		Text: "---\napiVersion: extensions.gardener.cloud/v1alpha1\nkind: OperatingSystemConfig\n" +
			"metadata: {name: known, namespace: default}\n" + spec}
}

// What Gardener's functions make of known.txt's cases is not what the manifest says; what osm-gen
// makes of it is.
func TestKnown(t *testing.T) {
	sandboxes := gardenercases.Sandboxes(t)
	for name, k := range knownCases {
		t.Run(name, func(t *testing.T) {
			c := knownCase(name)
			repository, err := gardenercases.NewRepository(t.TempDir(), map[string]string{c.File(): c.Text},
				"gardenerNodeAgentSecrets: true", "gardenerMachineSecret: true", "gardenerKubernetesVersion: "+KubernetesVersion)
			if err != nil {
				t.Fatal(err)
			}
			if err := repository.Generate(); err != nil {
				t.Fatal(err)
			}
			osc, secrets, err := parse(c.Text)
			if err != nil {
				t.Fatal(err)
			}
			real := NewUpstream(osc, secrets)
			if c.Purpose == "reconcile" {
				secret, err := repository.NodeAgent(c)
				if err != nil || secret == nil {
					t.Fatal(secret, err)
				}
				ours, _, err := parse(string(secret.Values["osc.yaml"]))
				if err != nil || *ours.Spec.Units[0].Content != *osc.Spec.Units[0].Content {
					t.Errorf("osm-gen's osc.yaml: %v\n%s", err, secret.Values["osc.yaml"])
				}
				theirs, err := real.NodeAgentSecret(background, osc.Status, "known", "known")
				switch {
				case k.told != "":
					if err == nil || !strings.Contains(err.Error(), k.told) {
						t.Errorf("Gardener's is not as known.txt says: %v", err)
					}
				case err != nil:
					t.Error(err)
				default:
					if again, _, err := parse(string(theirs.Data["osc.yaml"])); err != nil || *again.Spec.Units[0].Content == *osc.Spec.Units[0].Content {
						t.Errorf("Gardener's is right: %v", err)
					}
				}
				return
			}
			text, err := real.UserData(background)
			got, errOurs := repository.Result(c)
			if errOurs != nil || got == nil {
				t.Fatal("no result: ", errOurs)
			}
			if told := fmt.Sprint(err); (k.told == "") != (err == nil) || !strings.Contains(told, k.told) {
				t.Errorf("Gardener's is not as known.txt says: %v", err)
			}
			said := err
			k := &check{c: c, osc: osc, secrets: secrets, repository: repository, pool: sandboxes}
			if diffs, err := k.userData(got.Values["cloud_config"]); err != nil || diffs != nil {
				t.Errorf("osm-gen's: %v %q", err, diffs)
			}
			if said == nil && k.wrongly(t, text) == nil {
				t.Error("Gardener's is right")
			}
		})
	}
}

// wrongly is how Gardener's user-data differs from the manifest.
func (k *check) wrongly(t *testing.T, text []byte) []string {
	if k.c.IsIgnition() {
		data, err := parseIgnition(text, nil)
		if err != nil {
			return []string{err.Error()}
		}
		want, err := specified(k.osc, k.secrets, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		for path := range data.Nodes {
			if _, ok := want[path]; !ok {
				delete(data.Nodes, path)
			}
		}
		return gardenercases.DiffNodes(data.Nodes, want)
	}
	sandbox := <-k.pool
	defer func() { k.pool <- sandbox }()
	effects, err := sandbox.Apply(gardenercases.Script{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	want, err := specified(k.osc, k.secrets, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]gardenercases.Node{}
	for path := range want {
		got[path] = effects[0].Nodes[path]
	}
	return gardenercases.DiffNodes(got, want)
}
