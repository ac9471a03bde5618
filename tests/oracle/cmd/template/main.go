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
	"strings"
	"text/template"

	"github.com/BurntSushi/toml"
	"github.com/Masterminds/sprig/v3"
	"gopkg.in/yaml.v3"
)

type named struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type oneCase struct {
	ID       string          `json:"id"`
	Template string          `json:"template"`
	Data     json.RawMessage `json:"data"`
	Dataset  string          `json:"dataset"`
	Name     string          `json:"name"`
	After    []named         `json:"after"`
	OSP      bool            `json:"osp"`
	Funcs    string          `json:"funcs"`
	Option   string          `json:"option"`
}

// The eight functions that the controller has besides sprig's.
func extras() template.FuncMap {
	text := func(out []byte, err error) string {
		if err != nil {
			return ""
		}
		return string(out)
	}
	into := func(decode func([]byte, any) error) func(string) map[string]any {
		return func(s string) map[string]any {
			m := map[string]any{}
			if err := decode([]byte(s), &m); err != nil {
				m["Error"] = err.Error()
			}
			return m
		}
	}
	list := func(decode func([]byte, any) error) func(string) []any {
		return func(s string) []any {
			l := []any{}
			if err := decode([]byte(s), &l); err != nil {
				l = []any{err.Error()}
			}
			return l
		}
	}
	return template.FuncMap{
		"toJson":        func(v any) string { return text(json.Marshal(v)) },
		"toYaml":        func(v any) string { return strings.TrimSuffix(text(yaml.Marshal(v)), "\n") },
		"fromJson":      into(json.Unmarshal),
		"fromYaml":      into(yaml.Unmarshal),
		"fromToml":      into(toml.Unmarshal),
		"fromJsonArray": list(json.Unmarshal),
		"fromYamlArray": list(yaml.Unmarshal),
		"toToml": func(v any) string {
			var out bytes.Buffer
			if err := toml.NewEncoder(&out).Encode(v); err != nil {
				return err.Error()
			}
			return out.String()
		},
	}
}

func functions(set string) template.FuncMap {
	if set == "none" {
		return template.FuncMap{}
	}
	funcs := template.FuncMap(sprig.TxtFuncMap())
	for name, f := range extras() {
		funcs[name] = f
	}
	return funcs
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

// The controller's two passes.
func renderProfile(c *oneCase, data any) outcome {
	funcs := functions(c.Funcs)
	after := append([]named(nil), c.After...)
	sort.Slice(after, func(i, j int) bool { return after[i].Name < after[j].Name })
	var wrapped []string
	for _, a := range after {
		t, err := template.New(a.Name).Funcs(funcs).Parse(a.Text)
		if err != nil {
			return outcome{"parse_error", err.Error()}
		}
		result := render(c, t, data)
		if result.Key != "out" {
			return result
		}
		wrapped = append(wrapped,
			"\n{{- define \""+a.Name+"\" }}\n"+result.Text+"\n{{- end }}")
	}
	t, err := template.New(c.Name).Funcs(funcs).Parse(c.Template)
	if err != nil {
		return outcome{"parse_error", err.Error()}
	}
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

func main() {
	fill := flag.Bool("fill", false, "copy the cases and add the results")
	flag.Parse()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	for in.Scan() {
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		var c oneCase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			fmt.Fprintln(os.Stderr, "template:", err)
			os.Exit(1)
		}
		result, err := run(&c)
		if err == nil {
			err = emit(w, in.Bytes(), &c, result, *fill)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "template: %s: %v\n", c.ID, err)
			os.Exit(1)
		}
	}
}
