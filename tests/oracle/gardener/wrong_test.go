package gardener

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gardener/gardener/pkg/api/extensions/validation"
	"osm-gen.dev/tests/oracle/gardenercases"
)

// known are the names of known.txt.
func known(t *testing.T) map[string]bool {
	t.Helper()
	f, err := os.Open("known.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	names := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if line := lines.Text(); line != "" && line[0] != '#' {
			name, why, found := strings.Cut(line, ": ")
			if !found || !strings.Contains(why, "osm-gen") || names[name] {
				t.Errorf("known.txt: %q", line)
			}
			names[name] = true
		}
	}
	return names
}

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

var place = regexp.MustCompile(`(?m)^(osc/[^:]*\.yaml):(\d+):(\d+): error\[`)

// errorsOf are the lines of each file that osm-gen calls wrong.
func errorsOf(stderr string) map[string][]int {
	found := map[string][]int{}
	for _, m := range place.FindAllStringSubmatch(stderr, -1) {
		line, _ := strconv.Atoi(m[2])
		found[m[1]] = append(found[m[1]], line)
	}
	return found
}

// saysSo: an error on the line of what is wrong; of a map, on its key's line or on its first one.
func saysSo(c *gardenercases.Case, lines []int) bool {
	if len(lines) == 0 || len(c.Lines) == 0 {
		return len(lines) > 0
	}
	return slices.ContainsFunc(lines, func(line int) bool { return line == c.Lines[0] || line == c.Lines[0]-1 })
}

func wrongs(t *testing.T, seed uint64, times int) []*gardenercases.Case {
	t.Helper()
	var out []*gardenercases.Case
	for i := range gardenercases.Wrongs {
		wrong := &gardenercases.Wrongs[i]
		if wrong.Contract != "" && wrong.Contract != gardenercases.Current {
			continue
		}
		for n := range times {
			c, err := gardenercases.Wronged(wrong, gardenercases.Current, seed, 100000+i*times+n)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, c)
		}
	}
	return out
}

// All mistakes of one commit are said at once, each on its own line, with right ones between them of
// which nothing is said; nothing is written. Gardener's functions refuse the same, but for known.txt.
func TestWrong(t *testing.T) {
	known, seed := known(t), seed(t)
	cases := wrongs(t, seed, 4)
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
	found := errorsOf(repository.Stderr)
	passes := map[string]bool{}
	refused := map[string]error{}
	for _, c := range cases {
		if !saysSo(c, found[c.File()]) {
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
	for _, c := range wrongs(t, seed(t), 1) {
		t.Run(c.Mistake, func(t *testing.T) {
			t.Parallel()
			repository, err := gardenercases.NewRepository(t.TempDir(), map[string]string{c.File(): c.Text})
			if err != nil {
				t.Fatal(err)
			}
			_, status, err := repository.Run("-v", "--out", "out")
			if err != nil || status != 2 || repository.HasOutput() || !saysSo(c, errorsOf(repository.Stderr)[c.File()]) {
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
	for name := range known(t) {
		if !names[name] {
			t.Errorf("known.txt: no case %q", name)
		}
	}
	for name := range knownCases {
		if !known(t)[name] {
			t.Error(fmt.Errorf("%q is not in known.txt", name))
		}
	}
}
