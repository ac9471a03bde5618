package main

import (
	"bytes"
	"testing"
)

// A seed that is printed must give the same cases again.
func TestSeedDecides(t *testing.T) {
	differ := 0
	for n := uint64(0); n < 500; n++ {
		first, again := generate(7, n).line(), generate(7, n).line()
		if !bytes.Equal(first, again) {
			t.Fatalf("case %d: %s is not %s", n, first, again)
		}
		if other := generate(8, n); !bytes.Equal(first[10:], other.line()[10:]) {
			differ++
		}
	}
	if differ < 450 {
		t.Errorf("another seed gave %d other cases of 500", differ)
	}
}

// Most of what is written must run: a search among syntax errors finds little.
func TestCasesRun(t *testing.T) {
	results := map[string]int{}
	for n := uint64(0); n < 400; n++ {
		result, err := run(generate(9, n))
		if err != nil {
			t.Fatalf("case %d: %v", n, err)
		}
		results[result.Key]++
	}
	for key, least := range map[string]int{"out": 80, "exec_error": 80, "parse_error": 5} {
		if results[key] < least {
			t.Errorf("%d cases end in %s, of 400", results[key], key)
		}
	}
}

func TestKnownDifferencesAreReadable(t *testing.T) {
	f := fuzzer{knownFile: "../../template/known.txt"}
	if err := f.readKnown(); err != nil {
		t.Fatal(err)
	}
	for _, class := range f.known {
		if class.pattern.MatchString("{{ .KubeVersion }}\ngo out v1.33.4\nours out v1.33.5\n") {
			t.Errorf("%q hides any difference", class.pattern)
		}
	}
}

// The shrinker keeps what the difference needs and drops the rest.
func TestSmaller(t *testing.T) {
	c := &oneCase{Template: `a{{ printf "%d" 1 }}b`}
	sizes := map[int]bool{}
	for _, d := range smaller(c, 2) {
		if len(d.Template) >= len(c.Template) {
			t.Errorf("%q is not smaller", d.Template)
		}
		sizes[len(d.Template)] = true
	}
	if len(sizes) < 3 {
		t.Errorf("only %d sizes", len(sizes))
	}
}
