package gardener2021

import (
	"testing"

	"osm-gen.dev/tests/oracle/gardenercases"
)

// All mistakes of one commit are said, and Gardener's functions refuse the same, but for known.txt.
func TestWrong(t *testing.T) {
	known := gardenercases.Known(t)
	cases := gardenercases.AllWrong(t, gardenercases.Era2021, gardenercases.Seed(t), 4)
	files := map[string]string{}
	for _, c := range cases {
		files[c.File()] = c.Text
	}
	repository, err := gardenercases.NewRepository(t.TempDir(), files, `gardenerContract: "2021"`)
	if err != nil {
		t.Fatal(err)
	}
	_, status, err := repository.Run("-v", "--out", "out")
	if err != nil || status != 2 || repository.HasOutput() {
		t.Errorf("exit status %d, output %v: %v", status, repository.HasOutput(), err)
	}
	found := gardenercases.ErrorsOf(repository.Stderr)
	passes, refused, named := map[string]bool{}, map[string]error{}, map[string]bool{}
	for _, c := range cases {
		named[c.Mistake] = true
		if !gardenercases.SaysSo(c, found[c.File()]) {
			t.Errorf("%s: %s: errors on lines %v, want %v\n%s", c.Mistake, c.Type, found[c.File()], c.Lines, c.Text)
		}
		if err := refuses(c.Text); err == nil {
			passes[c.Mistake] = true
		} else {
			refused[c.Mistake] = err
		}
	}
	for name := range named {
		switch {
		case passes[name] && !known[name]:
			t.Errorf("%s: Gardener's functions take it", name)
		case known[name] && !passes[name]:
			t.Errorf("%s: is in known.txt, but Gardener's functions refuse it: %v", name, refused[name])
		}
	}
	for name := range known {
		if !named[name] {
			t.Errorf("known.txt: no case %q", name)
		}
	}
}
