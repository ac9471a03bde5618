package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// toYAML writes JSON values as block YAML: strings always as JSON strings
// (which YAML reads the same), so that nothing depends on a writer's quoting.
func toYAML(v any) string {
	var b bytes.Buffer
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var plain any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&plain); err != nil {
		panic(err)
	}
	writeYAML(&b, plain, 0)
	return b.String()
}

func writeYAML(b *bytes.Buffer, v any, depth int) {
	pad := strings.Repeat("  ", depth)
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			b.WriteString(pad + scalar(k) + ":")
			writeNested(b, v[k], depth+1)
		}
	case []any:
		for _, item := range v {
			b.WriteString(pad + "-")
			writeNested(b, item, depth+1)
		}
	}
}

func writeNested(b *bytes.Buffer, v any, depth int) {
	switch c := v.(type) {
	case map[string]any:
		if len(c) > 0 {
			b.WriteString("\n")
			writeYAML(b, v, depth)
			return
		}
	case []any:
		if len(c) > 0 {
			b.WriteString("\n")
			writeYAML(b, v, depth)
			return
		}
	}
	b.WriteString(" " + scalar(v) + "\n")
}

func scalar(v any) string {
	if s, ok := v.(string); ok && plainSafe(s) {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	// YAML does not take these as they are, or means something else; JSON does
	var out strings.Builder
	for _, c := range strings.TrimSuffix(b.String(), "\n") {
		if c >= 0x7f && c < 0xa0 || c == 0xfeff || c == 0xfffe || c == 0xffff {
			fmt.Fprintf(&out, `\u%04x`, c)
		} else {
			out.WriteRune(c)
		}
	}
	return out.String()
}

// plainSafe: a word that no YAML reads as anything else.
func plainSafe(s string) bool {
	if len(s) < 3 || s[0] < 'A' || s[0] > 'z' {
		return false
	}
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "off":
		return false
	}
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '/' || c == '.') {
			return false
		}
	}
	return true
}
