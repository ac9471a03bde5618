package gardener

import (
	"fmt"
	"testing"

	"github.com/gardener/gardener/pkg/api/extensions/validation"
	"osm-gen.dev/tests/oracle/gardenercases"
)

// realError is what Gardener's own functions say to a manifest, from reading it to what a node gets.
func realError(text string) error {
	osc, secrets, err := parse(text)
	if err != nil {
		return err
	}
	if errs := validation.ValidateOperatingSystemConfig(osc); len(errs) > 0 {
		return errs.ToAggregate()
	}
	upstream := NewUpstream(osc, secrets)
	if _, err := upstream.UserData(background); err != nil {
		return err
	}
	if osc.Spec.Purpose == "reconcile" {
		_, err = upstream.NodeAgentSecret(background, osc.Status, "key", "pool")
	}
	return err
}

// All mistakes of one commit are said at once, each on its own line, with right ones between them of
// which nothing is said; nothing is written. Gardener's functions refuse the same, but for known.txt.
func TestWrong(t *testing.T) {
	known, seed := gardenercases.Known(t), gardenercases.Seed(t)
	cases := gardenercases.AllWrong(t, gardenercases.Current, seed, 4)
	files := map[string]string{}
	for _, c := range cases {
		files[c.File()] = c.Text
	}
	var right []*gardenercases.Case
	for i := range 100 {
		c := gardenercases.Random(gardenercases.Current, seed, 200000+i)
		right = append(right, c)
		files[c.File()] = c.Text
	}
	repository, err := gardenercases.NewRepository(t.TempDir(), files, "gardenerNodeAgentSecrets: true")
	if err != nil {
		t.Fatal(err)
	}
	_, status, err := repository.Run("-v", "--out", "out")
	if err != nil || status != 2 || repository.HasOutput() {
		t.Errorf("exit status %d, output %v: %v", status, repository.HasOutput(), err)
	}
	found := gardenercases.ErrorsOf(repository.Stderr)
	passes := map[string]bool{}
	refused := map[string]error{}
	for _, c := range cases {
		if !gardenercases.SaysSo(c, found[c.File()]) {
			t.Errorf("%s: %s: errors on lines %v, want %v\n%s", c.Mistake, c.Type, found[c.File()], c.Lines, c.Text)
		}
		if err := realError(c.Text); err == nil {
			passes[c.Mistake] = true
		} else {
			refused[c.Mistake] = err
		}
	}
	for _, c := range right {
		if found[c.File()] != nil {
			t.Errorf("%s: errors on lines %v of what is right\n%s", c.Name, found[c.File()], c.Text)
		}
	}
	for name := range passes {
		if !known[name] {
			t.Errorf("%s: Gardener's functions take it", name)
		}
	}
	for name, err := range refused {
		if known[name] && !passes[name] && name != "unknown type" {
			t.Errorf("%s: is in known.txt, but Gardener's functions always refuse it: %v", name, err)
		}
	}
}

// A mistake alone is enough.
func TestWrongAlone(t *testing.T) {
	for _, c := range gardenercases.AllWrong(t, gardenercases.Current, gardenercases.Seed(t), 1) {
		t.Run(c.Mistake, func(t *testing.T) {
			t.Parallel()
			repository, err := gardenercases.NewRepository(t.TempDir(), map[string]string{c.File(): c.Text})
			if err != nil {
				t.Fatal(err)
			}
			_, status, err := repository.Run("-v", "--out", "out")
			if err != nil || status != 2 || repository.HasOutput() || !gardenercases.SaysSo(c, gardenercases.ErrorsOf(repository.Stderr)[c.File()]) {
				t.Errorf("%s: exit status %d, output %v: %v, want lines %v\n%s\n%s", c.Type, status, repository.HasOutput(), err, c.Lines, repository.Stderr, c.Text)
			}
		})
	}
}

// Every line of known.txt has its case.
func TestKnownHasCases(t *testing.T) {
	names := map[string]bool{}
	for name := range knownCases {
		names[name] = true
	}
	for i := range gardenercases.Wrongs {
		names[gardenercases.Wrongs[i].Name] = true
	}
	for name := range gardenercases.Known(t) {
		if !names[name] {
			t.Errorf("known.txt: no case %q", name)
		}
	}
	for name := range knownCases {
		if !gardenercases.Known(t)[name] {
			t.Error(fmt.Errorf("%q is not in known.txt", name))
		}
	}
}
