package compare

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// Bytes compares two texts; the result says where they part, "" if nowhere.
func Bytes(got, want []byte) string {
	if bytes.Equal(got, want) {
		return ""
	}
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	line := 1 + bytes.Count(want[:at], []byte("\n"))
	msg := fmt.Sprintf("differ from byte %d (line %d) on; %d bytes, want %d\n  got  %q\n  want %q",
		at, line, len(got), len(want), around(got, at), around(want, at))
	// user-data holds most files as base64: the difference inside says more
	a, b := lineAt(got, at), lineAt(want, at)
	inA, errA := base64.StdEncoding.DecodeString(strings.TrimSpace(a))
	inB, errB := base64.StdEncoding.DecodeString(strings.TrimSpace(b))
	if errA == nil && errB == nil && len(inA) > 8 && len(inB) > 8 && !bytes.Equal(inA, inB) {
		msg += "\n  inside the base64: " + Bytes(inA, inB)
	}
	return msg
}

func around(b []byte, at int) string {
	return string(b[max(0, at-60):min(len(b), at+60)])
}

func lineAt(b []byte, at int) string {
	at = min(at, len(b))
	start := bytes.LastIndexByte(b[:at], '\n') + 1
	end := bytes.IndexByte(b[start:], '\n')
	if end < 0 {
		end = len(b) - start
	}
	return string(b[start : start+end])
}

// Values compares two JSON texts as values: order of members does not count,
// everything else does. leaf compares two strings and says what differs.
func Values(got, want []byte, leaf func(got, want string) string) []string {
	g, err := decode(got)
	if err != nil {
		return []string{err.Error()}
	}
	w, err := decode(want)
	if err != nil {
		return []string{err.Error()}
	}
	return values("", g, w, leaf)
}

func decode(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

func values(path string, got, want any, leaf func(got, want string) string) []string {
	if path == "" {
		path = "."
	}
	differ := []string{fmt.Sprintf("%s: got %s, want %s", path, short(got), short(want))}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return differ
		}
		keys := map[string]bool{}
		for k := range w {
			keys[k] = true
		}
		for k := range g {
			keys[k] = true
		}
		var out []string
		for _, k := range sorted(keys) {
			gv, inG := g[k]
			wv, inW := w[k]
			at := strings.TrimSuffix(path, ".") + "." + k
			switch {
			case !inG:
				out = append(out, fmt.Sprintf("%s: missing, want %s", at, short(wv)))
			case !inW:
				out = append(out, fmt.Sprintf("%s: got %s, want none", at, short(gv)))
			default:
				out = append(out, values(at, gv, wv, leaf)...)
			}
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok {
			return differ
		}
		var out []string
		if len(g) != len(w) {
			out = append(out, fmt.Sprintf("%s: %d items, want %d", path, len(g), len(w)))
		}
		for i := range min(len(g), len(w)) {
			out = append(out, values(fmt.Sprintf("%s[%d]", path, i), g[i], w[i], leaf)...)
		}
		return out
	case string:
		g, ok := got.(string)
		if !ok {
			return differ
		}
		if d := leaf(g, w); d != "" {
			return []string{path + ": " + d}
		}
		return nil
	case json.Number:
		g, ok := got.(json.Number)
		if !ok {
			return differ
		}
		if g == w {
			return nil
		}
		a, errA := g.Float64()
		b, errB := w.Float64()
		if errA != nil || errB != nil || a != b {
			return differ
		}
		return nil
	}
	if got != want {
		return differ
	}
	return nil
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func short(v any) string {
	text, _ := json.Marshal(v)
	if len(text) > 120 {
		text = append(text[:117:117], "..."...)
	}
	return string(text)
}

// Exact compares strings byte by byte.
func Exact(got, want string) string { return Bytes([]byte(got), []byte(want)) }

var redaction = regexp.MustCompile(`<sealed:[^<>]*>`)

// Redacted compares a redacted string with the true one: what stands outside
// the marks must be the truth, and a mark must stand for a secret and for
// little else. whole: a text may also be hidden as a whole when it holds one.
func Redacted(secrets []string, whole bool) func(got, want string) string {
	return func(got, want string) string {
		marks := redaction.FindAllStringIndex(got, -1)
		if marks == nil {
			return Exact(got, want)
		}
		var pattern strings.Builder
		pattern.WriteString(`(?s)\A`)
		last := 0
		for _, m := range marks {
			pattern.WriteString(regexp.QuoteMeta(got[last:m[0]]) + `(.*?)`)
			last = m[1]
		}
		pattern.WriteString(regexp.QuoteMeta(got[last:]) + `\z`)
		hidden := regexp.MustCompile(pattern.String()).FindStringSubmatch(want)
		if hidden == nil {
			return "the clear part of the redacted text is not the truth: " + Exact(got, want)
		}
		for i, h := range hidden[1:] {
			if whole && strings.TrimSpace(h) == strings.TrimSpace(want) && holdsSecret(h, secrets) {
				continue
			}
			if !standsForSecret(h, secrets) {
				return fmt.Sprintf("%s hides %q, which is no secret", got[marks[i][0]:marks[i][1]], h)
			}
		}
		return ""
	}
}

func holdsSecret(text string, secrets []string) bool {
	for _, s := range secrets {
		if len(s) >= 16 && strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// standsForSecret: a secret in one of its forms, whole or as the part of it
// that a text splits off, with nothing beside but other secrets and joints.
func standsForSecret(hidden string, secrets []string) bool {
	rest := hidden
	for _, s := range secrets {
		for _, form := range forms(s) {
			if strings.Contains(form, hidden) && len(hidden) >= 4 {
				return true
			}
			rest = strings.ReplaceAll(rest, form, "")
		}
	}
	// a URL goes whole when its user part is a secret
	isURL := !strings.ContainsAny(hidden, " \t\n\"'") && strings.Contains(hidden, "://") && strings.Contains(hidden, "@")
	return rest != hidden && (len(rest) <= 8 || isURL)
}

// forms of a secret that a text may hold.
func forms(s string) []string {
	quoted, _ := json.Marshal(s)
	out := []string{s, strings.Trim(string(quoted), `"`), base64.StdEncoding.EncodeToString([]byte(s))}
	return out
}

// leakForms are the byte sequences that betray a secret: it itself, quoted for
// JSON, for URLs, and the middle of its base64 at the three alignments.
func leakForms(s string) []string {
	out := forms(s)[:2]
	for shift := range 3 {
		enc := base64.StdEncoding.EncodeToString(append(make([]byte, shift), s...))
		// the first and last groups mix with what stands around
		enc = strings.TrimRight(enc, "=")
		if shift > 0 {
			enc = enc[4:]
		}
		if len(enc) > 12 {
			out = append(out, enc[:len(enc)-4])
		}
	}
	return out
}

// Leaks finds secrets in texts, in every form that betrays them.
type Leaks struct {
	forms  map[uint64][]leak // by their first eight bytes
	begins [1 << 16]bool     // by the first two
}

type leak struct {
	form   string
	secret int
}

const leakHead = 8

// NewLeaks looks for these; no form of theirs is shorter than leakHead.
func NewLeaks(secrets []string) *Leaks {
	l := &Leaks{forms: map[uint64][]leak{}}
	for i, s := range secrets {
		for _, form := range leakForms(s) {
			if len(form) < leakHead {
				panic("a secret too short to look for")
			}
			head := binary.LittleEndian.Uint64([]byte(form[:leakHead]))
			l.forms[head] = append(l.forms[head], leak{form, i})
			l.begins[uint16(head)] = true
		}
	}
	return l
}

// Find says which secrets a text holds.
func (l *Leaks) Find(text []byte) []string {
	var out []string
	for i := 0; i+leakHead <= len(text); i++ {
		if !l.begins[binary.LittleEndian.Uint16(text[i:])] {
			continue
		}
		for _, leak := range l.forms[binary.LittleEndian.Uint64(text[i:])] {
			if bytes.HasPrefix(text[i:], []byte(leak.form)) {
				out = append(out, fmt.Sprintf("secret %d of the set as %.12q... at byte %d", leak.secret, leak.form, i))
			}
		}
	}
	return out
}
