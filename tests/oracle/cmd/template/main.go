// Command template is the truth for template cases: the same lines in, the same lines out as
// build/template-cases, rendered by Go's text/template with sprig and the controller's functions.
//
// With -fill it copies each case and adds what Go makes of it: how tests/template/*.jsonl are made.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"sort"
	"text/template"

	"k8c.io/operating-system-manager/pkg/util/funcmap"
)

type named struct {
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
}

type oneCase struct {
	ID       string          `json:"id"`
	Template string          `json:"template"`
	Data     json.RawMessage `json:"data,omitempty"`
	Dataset  string          `json:"dataset,omitempty"`
	Name     string          `json:"name,omitempty"`
	After    []named         `json:"after,omitempty"`
	OSP      bool            `json:"osp,omitempty"`
	Funcs    string          `json:"funcs,omitempty"`
	Option   string          `json:"option,omitempty"`
}

func functions(set string) template.FuncMap {
	if set == "none" {
		return template.FuncMap{}
	}
	return funcmap.ExtraTxtFuncMap()
}

type outcome struct {
	Key, Text string
}

func render(c *oneCase, t *template.Template, data any) outcome {
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return outcome{"exec_error", err.Error()}
	}
	return outcome{"out", out.String()}
}

// The controller's two passes. It parses and runs its templates one by one, in a map's order; here
// all are parsed first, as osm-gen does, so that of several mistakes both report the same one.
func renderProfile(c *oneCase, data any) outcome {
	funcs := functions(c.Funcs)
	after := append([]named(nil), c.After...)
	sort.SliceStable(after, func(i, j int) bool { return after[i].Name < after[j].Name })
	parsed := make([]*template.Template, 0, len(after)+1)
	for _, source := range append(after, named{c.Name, c.Template}) {
		t, err := template.New(source.Name).Funcs(funcs).Parse(source.Text)
		if err != nil {
			return outcome{"parse_error", err.Error()}
		}
		parsed = append(parsed, t)
	}
	var wrapped []string
	for i, a := range after {
		result := render(c, parsed[i], data)
		if result.Key != "out" {
			return result
		}
		wrapped = append(wrapped,
			"\n{{- define \""+a.Name+"\" }}\n"+result.Text+"\n{{- end }}")
	}
	t, err := parsed[len(after)], error(nil)
	for _, text := range wrapped {
		if t, err = t.Parse(text); err != nil {
			return outcome{"parse_error", err.Error()}
		}
	}
	return render(c, t, data)
}

func run(c *oneCase) (result outcome, err error) {
	if c.Name == "" {
		c.Name = "t"
	}
	data, err := caseData(c)
	if err != nil {
		return outcome{}, err
	}
	if c.OSP {
		return renderProfile(c, data), nil
	}
	t := template.New(c.Name).Funcs(functions(c.Funcs))
	if c.Option != "" {
		t = t.Option(c.Option)
	}
	texts := []string{c.Template}
	for _, a := range c.After {
		texts = append(texts, a.Text)
	}
	for _, text := range texts {
		if t, err = t.Parse(text); err != nil {
			return outcome{"parse_error", err.Error()}, nil
		}
	}
	return render(c, t, data), nil
}

func emit(w io.Writer, line []byte, c *oneCase, result outcome, fill bool) error {
	out := map[string]any{"id": c.ID}
	if fill {
		if err := json.Unmarshal(line, &out); err != nil {
			return err
		}
		for _, key := range []string{"out", "parse_error", "exec_error"} {
			delete(out, key)
		}
	}
	out[result.Key] = result.Text
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(out)
}

var fuzzdata = flag.String("fuzzdata", "fuzzdata.json", "the file that \"@fuzzdata\" stands for")

// serve answers each line as soon as it is read.
func serve(fill bool) error {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	for in.Scan() {
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		var c oneCase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			return err
		}
		result, err := run(&c)
		if err == nil {
			err = emit(os.Stdout, in.Bytes(), &c, result, fill)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
	}
	return in.Err()
}

func main() {
	var f fuzzer
	fill := flag.Bool("fill", false, "copy the cases and add the results")
	seconds := flag.Int("fuzz", 0, "compare with -program for this many `seconds`")
	flag.StringVar(&f.program, "program", "template-cases", "the program to compare with")
	flag.StringVar(&f.knownFile, "known", "", "file of the differences that are meant to be")
	flag.Uint64Var(&f.seed, "seed", 0, "seed of the cases; 0: the time of day")
	flag.Uint64Var(&f.first, "first", 0, "number of the first case")
	flag.IntVar(&f.show, "show", 20, "differences to show")
	flag.Parse()
	var err error
	if *seconds > 0 {
		err = f.run(*seconds)
	} else {
		err = serve(*fill)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "template:", err)
		os.Exit(1)
	}
}
