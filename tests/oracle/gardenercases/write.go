// Package gardenercases makes random OperatingSystemConfigs of Gardener, has osm-gen render a
// repository of them, opens what it wrote, and applies scripts in a sandbox. It knows nothing of
// Gardener's own packages, so that the tests against its version of today and those against the
// one of 2021 share it.
package gardenercases

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode"
)

// Map is a mapping of YAML whose keys stay in order. Values are Map, List, string, bool, int,
// Mode and Mark.
type Map []Entry

// Entry is a key with its value.
type Entry struct {
	Key   string
	Value any
}

// List is a sequence of YAML.
type List []any

// Mode is a file's mode, which has several spellings.
type Mode uint32

// Mark is a value whose line is asked for later.
type Mark struct{ Value any }

// Set replaces a key's value, or adds the key.
func (m Map) Set(key string, value any) Map {
	for i := range m {
		if m[i].Key == key {
			m[i].Value = value
			return m
		}
	}
	return append(m, Entry{key, value})
}

// Get finds a key's value; nil: none.
func (m Map) Get(key string) any {
	for _, e := range m {
		if e.Key == key {
			return e.Value
		}
	}
	return nil
}

// Without is the map without a key.
func (m Map) Without(key string) Map {
	var out Map
	for _, e := range m {
		if e.Key != key {
			out = append(out, e)
		}
	}
	return out
}

type writer struct {
	random *rand.Rand
	out    strings.Builder
	line   int
	marks  []int
}

// WriteYAML writes a document in one of the many ways that YAML has. marks are the lines, from 1,
// that the values of Mark begin on.
func WriteYAML(random *rand.Rand, document Map) (text string, marks []int) {
	w := &writer{random: random, line: 1}
	w.add("---\n")
	w.mapping(document, 0)
	return w.out.String(), w.marks
}

func (w *writer) add(text string) {
	w.out.WriteString(text)
	w.line += strings.Count(text, "\n")
}

func (w *writer) mapping(m Map, indent int) {
	for i, e := range m {
		if i > 0 {
			w.add(strings.Repeat(" ", indent))
		}
		w.add(scalar(w.random, e.Key, true) + ":")
		w.value(e.Value, indent)
	}
}

// value writes what stands behind "key:" or "-", up to the end of its last line.
func (w *writer) value(value any, indent int) {
	switch v := value.(type) {
	case Mark:
		line := w.line
		if m, ok := v.Value.(Map); ok && len(m) > 0 {
			line++
		} else if l, ok := v.Value.(List); ok && len(l) > 0 {
			line++
		}
		w.marks = append(w.marks, line)
		w.value(v.Value, indent)
	case Map:
		if len(v) == 0 {
			w.add(" {}\n")
			return
		}
		w.add("\n" + strings.Repeat(" ", indent+2))
		w.mapping(v, indent+2)
	case List:
		if len(v) == 0 {
			w.add(" []\n")
			return
		}
		w.add("\n")
		for _, item := range v {
			w.item(item, indent)
		}
	case string:
		w.text(v, indent)
	case Mode:
		w.add(" " + w.mode(v) + "\n")
	case bool, int:
		w.add(fmt.Sprintf(" %v\n", v))
	case nil:
		w.add(" null\n")
	default:
		panic(fmt.Sprintf("no YAML of %T", value))
	}
}

func (w *writer) item(item any, indent int) {
	w.add(strings.Repeat(" ", indent) + "-")
	if mark, ok := item.(Mark); ok {
		w.marks = append(w.marks, w.line)
		item = mark.Value
	}
	if m, ok := item.(Map); ok && len(m) > 0 {
		w.add(" ")
		w.mapping(m, indent+2)
		return
	}
	w.value(item, indent)
}

func (w *writer) mode(m Mode) string {
	switch w.random.IntN(6) {
	case 0:
		return fmt.Sprintf("%d", uint32(m))
	case 1:
		return fmt.Sprintf("0o%o", uint32(m))
	}
	return fmt.Sprintf("0%o", uint32(m))
}

// text writes a string as a block where it can be one, often enough.
func (w *writer) text(text string, indent int) {
	if !isBlock(text) || w.random.IntN(4) == 0 || !strings.Contains(text, "\n") && w.random.IntN(8) > 0 {
		w.add(" " + scalar(w.random, text, false) + "\n")
		return
	}
	body := strings.TrimRight(text, "\n")
	ends := len(text) - len(body)
	chomp := map[int]string{0: "-", 1: ""}[min(ends, 2)]
	if ends > 1 {
		chomp = "+"
	}
	w.add(" |" + chomp + "\n")
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			w.add(strings.Repeat(" ", indent+2) + line)
		}
		w.add("\n")
	}
	for range ends - 1 {
		w.add("\n")
	}
}

// isBlock: printable lines, the first of which shows the indentation.
func isBlock(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	if strings.TrimSpace(text) == "" || strings.TrimLeft(first, " \t") != first || first == "" {
		return false
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && strings.Trim(line, " \t") == "" {
			return false
		}
	}
	return isPrintable(text, "\n\t")
}

func isPrintable(text, more string) bool {
	for _, r := range text {
		if !strings.ContainsRune(more, r) && (!unicode.IsPrint(r) || r == '\ufeff' || r == '\ufffd') {
			return false
		}
	}
	return true
}

var (
	plain    = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./-]*$`)
	reserved = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null)$`)
)

// scalar is a string on one line.
func scalar(random *rand.Rand, text string, isKey bool) string {
	if plain.MatchString(text) && !reserved.MatchString(text) && (isKey || random.IntN(5) > 0) {
		return text
	}
	if isPrintable(text, "") && random.IntN(2) == 0 {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteString(`\` + string(r))
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\t':
			out.WriteString(`\t`)
		case r < 0x80 && unicode.IsPrint(r):
			out.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&out, `\x%02x`, r)
		case isPrintable(string(r), "") && random.IntN(3) > 0:
			out.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			fmt.Fprintf(&out, `\U%08x`, r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
