package gardenercases

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
)

// What has confused shells, YAML and data URIs before.
var pieces = []string{
	"EOF", "EOF\n", "\nEOF\n", "OSC_TEXT", "\nOSC_TEXT\nOSC_TEXT_2\n", "$HOME", "${PATH}", "$(id)", "`id`", "$$", "\\", "\\n",
	"\\\n", "'", "''", "\"", "'\\''", "\r\n", "\r", "\n", "\n\n", "\t", " ", "  ", "+", "%", "%20", "%41", "&", "<", ">", "<<EOF",
	"<<'EOF'\n", "#", "#cloud-config\n", "# ", ": ", "- ", "---\n", "...\n", "{{ .Type }}", "{{", "}}", "{%", "\\u003c", "ä", "ß€", "漢字", "🙂",
	"\u00a0", "\u2028", "\ufeff", "=", "==", "!", "!!binary |", "*", "&a ", "|", ">-", "true", "null", "0644", "1e3", "@", "~", ";",
	"--==BOUNDARY==", "--==BOUNDARY==--\n", "data:,", "text", "line\n", "key=value\n", "[Service]\n", "\x01", "\x1b[0m",
}

func pick[T any](random *rand.Rand, items ...T) T { return items[random.IntN(len(items))] }

func chance(random *rand.Rand, percent int) bool { return random.IntN(100) < percent }

// anyText is a text of up to a few hundred characters, never empty.
func anyText(random *rand.Rand) string {
	if chance(random, 3) {
		return strings.Repeat(pick(random, "0123456789abcdef\n", "ä", "x", "long line "), 1+random.IntN(400))
	}
	var out strings.Builder
	for range 1 + random.IntN(12) {
		out.WriteString(pick(random, pieces...))
	}
	return out.String()
}

// noYAML is what gardenlet cannot write into osc.yaml (known.txt of tests/oracle/gardener).
const noYAML = "\x7f\u0085"

// anyBytes may be of no character set.
func anyBytes(random *rand.Rand) []byte {
	if chance(random, 60) {
		return []byte(anyText(random))
	}
	out := make([]byte, random.IntN(200))
	for i := range out {
		out[i] = byte(random.Uint32())
	}
	return out
}

// anyBase64 may be broken into lines.
func anyBase64(random *rand.Rand, data []byte) string {
	text := base64.StdEncoding.EncodeToString(data)
	if len(text) < 8 || !chance(random, 15) {
		return text
	}
	at := 1 + random.IntN(len(text)-1)
	return text[:at] + pick(random, "\n", "\r\n") + text[at:] + pick(random, "", "\n")
}

// systemdText is a unit's content that systemd's syntax allows, with what shells and YAML care about.
func systemdText(random *rand.Rand) string {
	var out strings.Builder
	for _, section := range []string{"Unit", "Service", "Install"}[random.IntN(2):] {
		out.WriteString("[" + section + "]\n")
		for range random.IntN(4) {
			value := strings.Map(func(r rune) rune {
				if r < ' ' || r == '\\' || r == '\x7f' || r == '\u0085' || r == '\u2028' || r == '\ufeff' {
					return 'x'
				}
				return r
			}, anyText(random))
			out.WriteString(pick(random, "Description", "Environment", "ExecStart", "WantedBy") + "=" +
				strings.TrimSpace(value[:min(len(value), 200)]) + "\n")
		}
	}
	text := strings.ToValidUTF8(out.String(), "")
	return pick(random, text, text, strings.TrimSuffix(text, "\n"))
}

// component is a name in a path: shells, YAML and URIs see to its characters.
func component(random *rand.Rand) string {
	if chance(random, 70) {
		return pick(random, "etc", "opt", "srv", "lib", "conf.d", "kubelet", "a-b_c", "x.y")
	}
	return pick(random, "a b", "it's", `say "x"`, "$HOME", "${x}", "`id`", `back\slash`, "ä", "漢字", "-n", "--", "EOF", "*", "?", "[a]", "~",
		"#x", "%20", "a+b", "a&b", "a;b", "a|b", "<x>", "!x", "{{ x }}", "@x", "new\nline", "tab\tx", " lead", "trail ", "=x", "x'y\"z$`\\")
}
