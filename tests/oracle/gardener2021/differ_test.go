package gardener2021

import (
	"slices"
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/gardenercases"
)

const sample = `---
apiVersion: extensions.gardener.cloud/v1alpha1
kind: OperatingSystemConfig
metadata: {name: node, namespace: ns}
spec:
  type: %TYPE%
  purpose: provision
  reloadConfigFilePath: /p
  criConfig: {name: containerd}
  files:
  - {path: /d/a, permissions: 0640, content: {inline: {encoding: b64, data: AAE=}}}
  - {path: /d/b, content: {inline: {encoding: "", data: x}, transmitUnencoded: true}}
  units:
  - {name: a.service, enable: true, command: start, content: "[Service]\n", dropIns: [{name: b.conf, content: yy}, {name: c.conf, content: zz}]}
`

// samples are a generated one of a type, and what was wanted.
func samples(t *testing.T, kind string) (*gardenercases.Case, *gardenercases.Repository, *Answer, *wanted) {
	t.Helper()
	c := &gardenercases.Case{Name: "node", Namespace: "ns", Type: kind, Purpose: "provision", Contract: gardenercases.Era2021,
		Text: strings.ReplaceAll(sample, "%TYPE%", kind)}
	repository, err := gardenercases.NewRepository(t.TempDir(), map[string]string{c.File(): c.Text}, `gardenerContract: "2021"`)
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
	answer, err := Ask(osc, secrets)
	if err != nil {
		t.Fatal(err)
	}
	return c, repository, answer, wantedOf(osc, answer)
}

// A difference of each kind is seen.
func TestDifferences(t *testing.T) {
	changes := map[string]func(*wanted){
		"bytes":     func(w *wanted) { w.nodes["/d/a"] = gardenercases.Node{Kind: "file", Mode: 0o640, Data: []byte{0, 2}} },
		"a mode":    func(w *wanted) { w.nodes["/d/b"] = gardenercases.Node{Kind: "file", Mode: 0o600, Data: []byte("x")} },
		"one less":  func(w *wanted) { delete(w.nodes, "/d/b") },
		"one more":  func(w *wanted) { w.file("/d/c", 0o644, nil) },
		"the order": func(w *wanted) { slices.Reverse(w.order) },
	}
	t.Run("ubuntu", func(t *testing.T) {
		c, repository, _, w := samples(t, "ubuntu")
		secret, err := repository.Result(c)
		if err != nil {
			t.Fatal(err)
		}
		pool := gardenercases.Sandboxes(t)
		sandbox := <-pool
		defer func() { pool <- sandbox }()
		effects, err := sandbox.Apply(gardenercases.Script{Text: secret.Values["cloud_config"]})
		if err != nil {
			t.Fatal(err)
		}
		if diff := diffEffect(effects[0], w); diff != nil {
			t.Fatalf("the same differs: %q", diff)
		}
		changes["a call"] = func(w *wanted) { w.calls = w.calls[1:] }
		changes["a link"] = func(w *wanted) { w.links["/l"] = "/x" }
		for name, change := range changes {
			_, _, _, w := samples(t, "ubuntu")
			change(w)
			if diffEffect(effects[0], w) == nil {
				t.Errorf("%s: not seen", name)
			}
		}
		delete(changes, "a call")
		delete(changes, "a link")
	})
	t.Run("coreos", func(t *testing.T) {
		c, repository, answer, w := samples(t, "coreos")
		secret, err := repository.Result(c)
		if err != nil {
			t.Fatal(err)
		}
		got, err := openCloudConfig(secret.Values["cloud_config"])
		if err != nil {
			t.Fatal(err)
		}
		if diff, err := diffCloudConfig(got, w); err != nil || diff != nil {
			t.Fatalf("the same differs: %v %q", err, diff)
		}
		changes["a unit"] = func(w *wanted) { w.units[2].Enable = false }
		changes["a command"] = func(w *wanted) { w.units[2].Command = "stop" }
		changes["a drop-in"] = func(w *wanted) { w.units[2].DropIns[1].Content = "Z" }
		changes["units' order"] = func(w *wanted) { slices.Reverse(w.units) }
		for name, change := range changes {
			_, _, _, w := samples(t, "coreos")
			change(w)
			if diff, err := diffCloudConfig(got, w); err == nil && diff == nil {
				t.Errorf("%s: not seen", name)
			}
		}
		status, err := repository.Status(c)
		if err != nil {
			t.Fatal(err)
		}
		if diff := diffStatus(status, secret, c, answer, w); diff != nil {
			t.Fatalf("the same status differs: %q", diff)
		}
		for what, with := range map[string]string{"--from-file=/p": "--from-file=/q", "- a.service": "- b.service", "name: osc-result-node": "name: osc-result-m"} {
			if diffStatus([]byte(strings.Replace(string(status), what, with, 1)), secret, c, answer, w) == nil {
				t.Errorf("%s: not seen", with)
			}
		}
	})
}
