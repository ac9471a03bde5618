package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// An engine is one of the two programs: a line in, a line out, for as long as it lives.
type engine struct {
	name    string
	args    []string
	command *exec.Cmd
	in      io.WriteCloser
	lines   chan string
}

func (e *engine) start() error {
	e.command = exec.Command(e.name, e.args...)
	e.command.Env = append(os.Environ(), "TZ=UTC", "GOTRACEBACK=none", "GOMEMLIMIT=1GiB")
	in, err := e.command.StdinPipe()
	if err != nil {
		return err
	}
	out, err := e.command.StdoutPipe()
	if err != nil {
		return err
	}
	e.in, e.lines = in, make(chan string, 1024)
	go func(lines chan string) {
		scanner := bufio.NewScanner(out)
		scanner.Buffer(make([]byte, 1<<20), 1<<28)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
		close(lines)
	}(e.lines)
	return e.command.Start()
}

func (e *engine) stop() {
	_ = e.in.Close()
	_ = e.command.Process.Kill()
	for range e.lines { //nolint:revive // until it is closed
	}
	_ = e.command.Wait()
	e.command = nil
}

const patience = 10 * time.Second

// ask gives the answer to each line. A program that dies or says nothing is started again behind
// the line that it died of.
func (e *engine) ask(lines [][]byte) ([]outcome, error) {
	var answers []outcome
	for len(answers) < len(lines) {
		if e.command == nil {
			if err := e.start(); err != nil {
				return nil, err
			}
		}
		rest := lines[len(answers):]
		go func(in io.Writer) {
			for _, line := range rest {
				if _, err := in.Write(line); err != nil {
					return
				}
			}
		}(e.in)
		for range rest {
			what := outcome{"died", ""}
			select {
			case line, ok := <-e.lines:
				if ok {
					what = readAnswer(line)
				}
			case <-time.After(patience):
				what = outcome{"no answer", ""}
			}
			answers = append(answers, what)
			if what.Key == "died" || what.Key == "no answer" {
				e.stop()
				break
			}
		}
	}
	return answers, nil
}

func readAnswer(line string) outcome {
	var answer map[string]string
	if err := json.Unmarshal([]byte(line), &answer); err != nil {
		return outcome{"not JSON", line}
	}
	for key, text := range answer {
		if key != "id" {
			return outcome{key, text}
		}
	}
	return outcome{"nothing", line}
}

// A known difference: what the case and the two answers look like, and why they differ.
type knownClass struct {
	pattern *regexp.Regexp
	reason  string
	count   int
}

type fuzzer struct {
	program, knownFile string
	seed, first        uint64
	show               int

	theirs, ours engine
	known        []*knownClass
	equal        int
	refused      int
	goDied       int
	varying      int
	failed       int
	seen         map[string]bool
}

func (f *fuzzer) readKnown() error {
	if f.knownFile == "" {
		return nil
	}
	text, err := os.ReadFile(f.knownFile)
	if err != nil {
		return err
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		pattern, reason, ok := strings.Cut(line, "\t")
		if !ok {
			return fmt.Errorf("%s:%d: no tab", f.knownFile, i+1)
		}
		compiled, err := regexp.Compile("(?s)" + pattern)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", f.knownFile, i+1, err)
		}
		f.known = append(f.known, &knownClass{pattern: compiled, reason: strings.TrimSpace(reason)})
	}
	return nil
}

type verdict int

const (
	same verdict = iota
	apartRefused
	apartDied
	different
)

// A refusal is no difference: a function that is not pure, the address of a pointer, data that would
// be other data for the next template.
func isRefusal(what outcome) bool {
	return what.Key == "refused" && (strings.Contains(what.Text, "and is refused") ||
		strings.Contains(what.Text, "is a pointer of type") ||
		strings.Contains(what.Text, "would change the data"))
}

func judge(theirs, ours outcome) verdict {
	switch {
	case theirs == ours:
		return same
	case isRefusal(ours):
		return apartRefused
	case theirs.Key == "died" || theirs.Key == "no answer":
		return apartDied
	}
	return different
}

func (f *fuzzer) ask(cases []*oneCase) (theirs, ours []outcome, err error) {
	lines := make([][]byte, len(cases))
	for i, c := range cases {
		lines[i] = c.line()
	}
	done := make(chan error, 1)
	go func() {
		var err error
		ours, err = f.ours.ask(lines)
		done <- err
	}()
	theirs, err = f.theirs.ask(lines)
	return theirs, ours, errors.Join(err, <-done)
}

func (f *fuzzer) isKnown(c *oneCase, theirs, ours outcome) bool {
	all := fmt.Sprintf("%s\ngo %s %s\nours %s %s\n", c.text(), theirs.Key, theirs.Text, ours.Key, ours.Text)
	for _, class := range f.known {
		if class.pattern.MatchString(all) {
			class.count++
			return true
		}
	}
	return false
}

// varies reports whether Go gives our answer, too, when it is asked more often: it walks maps in no order.
func (f *fuzzer) varies(c *oneCase, ours outcome) (bool, error) {
	lines := make([][]byte, 64)
	for i := range lines {
		lines[i] = c.line()
	}
	answers, err := f.theirs.ask(lines)
	return slices.Contains(answers, ours), err
}

func (c *oneCase) text() string {
	out := c.Template
	for _, a := range c.After {
		out += "\n" + a.Name + ": " + a.Text
	}
	return out
}

func (f *fuzzer) report(c *oneCase, theirs, ours outcome) error {
	f.failed++
	if len(f.seen) >= f.show {
		return nil
	}
	least, theirs, ours, err := f.shrink(c, theirs, ours)
	if err != nil {
		return err
	}
	if f.isKnown(least, theirs, ours) {
		f.failed--
		return nil
	}
	line := string(least.line())
	class := classOf(theirs, ours)
	if f.seen[class] {
		return nil
	}
	f.seen[class] = true
	fmt.Printf("DIFFERENT %s  go: %s %q\n  ours: %s %q\n", line, theirs.Key, theirs.Text, ours.Key, ours.Text)
	return nil
}

var particular = regexp.MustCompile("^template: .*? at <.*?>:|^template: .*?:[0-9]+:|[0-9]+|`.*?`|\".*?\"|<.*? Value>")

// classOf is what a difference has in common with others of its cause, roughly.
func classOf(theirs, ours outcome) string {
	short := func(s string) string {
		s = particular.ReplaceAllString(s, "")
		return s[:min(len(s), 60)]
	}
	return theirs.Key + short(theirs.Text) + ours.Key + short(ours.Text)
}

func (f *fuzzer) batch(cases []*oneCase) error {
	theirs, ours, err := f.ask(cases)
	if err != nil {
		return err
	}
	for i, c := range cases {
		switch judge(theirs[i], ours[i]) {
		case same:
			f.equal++
		case apartRefused:
			f.refused++
		case apartDied:
			f.goDied++
			fmt.Printf("note: Go %s: %s", theirs[i].Key, c.line())
		case different:
			if f.isKnown(c, theirs[i], ours[i]) {
				continue
			}
			varies, err := f.varies(c, ours[i])
			if err != nil {
				return err
			}
			if varies {
				f.varying++
				continue
			}
			if err := f.report(c, theirs[i], ours[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *fuzzer) run(seconds int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := f.readKnown(); err != nil {
		return err
	}
	if f.seed == 0 {
		f.seed = uint64(time.Now().Unix())
	}
	f.seen = map[string]bool{}
	f.theirs = engine{name: self}
	f.ours = engine{name: f.program}
	fmt.Printf("seed %d\n", f.seed)
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	for n := f.first; time.Now().Before(end); {
		cases := make([]*oneCase, 0, 200)
		for len(cases) < cap(cases) {
			cases = append(cases, generate(f.seed, n))
			n++
		}
		if err := f.batch(cases); err != nil {
			return err
		}
	}
	f.theirs.stop()
	f.ours.stop()
	for _, class := range f.known {
		if class.count > 0 {
			fmt.Printf("known: %d: %s\n", class.count, class.reason)
		}
	}
	fmt.Printf("refused: %d; Go itself died or hung: %d; Go gives several answers: %d\n", f.refused, f.goDied, f.varying)
	fmt.Printf("%d passed, %d failed\n", f.equal, f.failed)
	if f.failed > 0 {
		return fmt.Errorf("differences; again with -seed %d", f.seed)
	}
	return nil
}
