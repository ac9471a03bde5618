package gardenercases

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Seed is the one that SEED names.
func Seed(t *testing.T) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	if err != nil {
		n = 1
	}
	t.Logf("seed %d", n)
	return n
}

// Count is how many random cases there shall be.
func Count(fallback int) int {
	if n, err := strconv.Atoi(os.Getenv("GARDENER_CASES")); err == nil {
		return n
	}
	return fallback
}

// Sandboxes are as many as there are processors.
func Sandboxes(t *testing.T) chan *Sandbox {
	t.Helper()
	n := runtime.GOMAXPROCS(0)
	pool := make(chan *Sandbox, n)
	for range n {
		s, err := NewSandbox()
		if err != nil {
			t.Fatal(err)
		}
		pool <- s
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return pool
}

// Documents are cut where a line of three dashes begins the next.
func Documents(text string) []string {
	out := []string{""}
	for line := range strings.Lines(text) {
		if line == "---\n" {
			out = append(out, "")
		} else {
			out[len(out)-1] += line
		}
	}
	return out
}

// MachineBefore is what stands on a machine before the script runs.
func MachineBefore(number int) Script {
	s := Script{Times: 2, Before: map[string]Node{}}
	file := func(text string) Node { return Node{Mode: 0o600, Data: []byte(text)} }
	switch number % 4 {
	case 1:
		s.Before["/etc/containerd/config.toml"] = file("# See containerd-config.toml(5) for documentation.\n")
		s.Before["/etc/hostname"] = file("name\n")
		s.Failing = []string{"nslookup"}
	case 2:
		s.Before["/etc/containerd/config.toml"] = file("version = 3\n")
		s.Before["/etc/modules"] = file("loop\nnfsd\n")
		s.Before["/etc/systemd/journald.conf.d/10-use-persistent-log-storage.conf"] = file("[Journal]\n")
		s.Failing = []string{"systemctl"}
	case 3:
		s.Conflicts = true
		s.Before["/usr/lib/systemd/system/containerd.service"] = Node{Mode: 0o644, Data: []byte("[Unit]\nConflicts=shutdown.target docker.service\n[Service]\nExecStart=/x\n")}
	}
	return s
}

// Keep copies a repository to where it can be looked at after the test.
func Keep(t *testing.T, r *Repository) {
	if dir := os.Getenv("GARDENER_KEEP"); dir != "" {
		_ = os.CopyFS(filepath.Join(dir, filepath.Base(r.Dir)), os.DirFS(r.Dir))
	}
}

// Known are the names of known.txt.
func Known(t *testing.T) map[string]bool {
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

var place = regexp.MustCompile(`(?m)^(osc/[^:]*\.yaml):(\d+):(\d+): error\[`)

// ErrorsOf are the lines of each file that osm-gen calls wrong.
func ErrorsOf(stderr string) map[string][]int {
	found := map[string][]int{}
	for _, m := range place.FindAllStringSubmatch(stderr, -1) {
		line, _ := strconv.Atoi(m[2])
		found[m[1]] = append(found[m[1]], line)
	}
	return found
}

// SaysSo: an error on the line of what is wrong; of a map, on its key's line or on its first one;
// of a block of text, in its first line.
func SaysSo(c *Case, lines []int) bool {
	if len(lines) == 0 || len(c.Lines) == 0 {
		return len(lines) > 0
	}
	marked := c.Lines[0]
	isBlock := regexp.MustCompile(`\|[-+]?$`).MatchString(strings.Split(c.Text, "\n")[marked-1])
	return slices.ContainsFunc(lines, func(line int) bool {
		return line == marked || line == marked-1 || isBlock && line == marked+1
	})
}

// AllWrong are cases of every mistake that a contract has, each a few times.
func AllWrong(t *testing.T, contract string, seed uint64, times int) []*Case {
	t.Helper()
	var out []*Case
	for i := range Wrongs {
		wrong := &Wrongs[i]
		if wrong.Contract != "" && wrong.Contract != contract {
			continue
		}
		for n := range times {
			c, err := Wronged(wrong, contract, seed, 100000+i*times+n)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, c)
		}
	}
	return out
}

// Sample is a case of the conformance folder that stands beside the repository, where it is there:
// an input, and what the extension of a type answered to it.
type Sample struct {
	Case    *Case
	Answers map[string][]byte // cloud_config and status, or error
}

var (
	sampleType      = regexp.MustCompile(`__TYPE__`)
	sampleName      = regexp.MustCompile(`(?m)^  name: (.*)\n  namespace: (.*)$`)
	samplePurpose   = regexp.MustCompile(`(?m)^  purpose: (.*)$`)
	sampleDocuments = regexp.MustCompile(`^(---\n)?`)
)

// Samples are those of a folder of answers, such as expected-current; the test is skipped without them.
func Samples(t *testing.T, contract, answers string) map[string]*Sample {
	t.Helper()
	folder := filepath.Join(root, "../shared/conformance/gardener")
	found, err := filepath.Glob(filepath.Join(folder, answers, "*", "*"))
	if err != nil || len(found) == 0 {
		t.Skip("there are no samples beside the repository")
	}
	samples := map[string]*Sample{}
	for _, dir := range found {
		name, kind := filepath.Base(filepath.Dir(dir)), filepath.Base(dir)
		input, err := os.ReadFile(filepath.Join(folder, "cases", name, "input.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		text := sampleDocuments.ReplaceAllString(sampleType.ReplaceAllString(string(input), kind), "---\n")
		names, purpose := sampleName.FindStringSubmatch(text), samplePurpose.FindStringSubmatch(text)
		s := &Sample{Case: &Case{Name: names[1], Namespace: names[2], Type: kind, Purpose: purpose[1], Contract: contract, Text: text},
			Answers: map[string][]byte{}}
		for _, file := range []string{"cloud_config", "status", "error", "panic"} {
			if answer, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
				s.Answers[file] = answer
			}
		}
		samples[name+"/"+kind] = s
	}
	return samples
}
