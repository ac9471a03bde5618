package sopsfile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
	"osm-gen.dev/tests/oracle/sopsfile"
)

// The reader that judges osm-gen's files is itself judged by what the real
// sops writes, and by what sops would refuse.

const document = `apiVersion: v1
kind: Secret
metadata:
    name: x
    annotations:
        a: "0644"
immutable: true
count: 3
data:
    one: b25l
    two: |
        line
        another
    empty: ""
    newline: "\n"
    blanks: "\n\n  x\n\n"
`

func program(t *testing.T) string {
	path := os.Getenv("SOPS")
	if path == "" {
		t.Fatal("SOPS names no program: run make oracle")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("no sops: %v (run.sh installs it)", err)
	}
	return path
}

func sealedBySops(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "d.yaml")
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program(t), "encrypt", "--encrypted-regex", "^(data|stringData)$",
		"--age", sopsfile.Identity("a").Recipient().String()+","+sopsfile.Identity("b").Recipient().String(), file)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestReadsWhatSopsWrites(t *testing.T) {
	plain, err := sopsfile.Open([]byte(sealedBySops(t)), sopsfile.Identity("a"), sopsfile.Identity("b"))
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	if err := yaml.Unmarshal(plain, &got); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(document), &want); err != nil {
		t.Fatal(err)
	}
	a, _ := yaml.Marshal(got)
	b, _ := yaml.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
}

func TestRefusesTampering(t *testing.T) {
	sealed := sealedBySops(t)
	a, b := sopsfile.Identity("a"), sopsfile.Identity("b")
	for name, change := range map[string]func(string) string{
		"a clear value":       func(s string) string { return strings.Replace(s, "name: x", "name: y", 1) },
		"a clear type":        func(s string) string { return strings.Replace(s, `"0644"`, "0644", 1) },
		"an unsealed leaf":    func(s string) string { return strings.Replace(s, "empty: \"\"", "empty: clear", 1) },
		"a sealed key's name": func(s string) string { return strings.Replace(s, "one: ENC", "uno: ENC", 1) },
		"the rule":            func(s string) string { return strings.Replace(s, "^(data|stringData)$", "^(stringData)$", 1) },
		"the time":            func(s string) string { return strings.Replace(s, "lastmodified: \"2", "lastmodified: \"3", 1) },
		"a dropped leaf":      func(s string) string { return strings.Replace(s, "count: 3\n", "", 1) },
	} {
		changed := change(sealed)
		if changed == sealed {
			t.Fatalf("%s: the change found nothing to change", name)
		}
		if _, err := sopsfile.Open([]byte(changed), a, b); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := sopsfile.Open([]byte(sealed), a); err == nil {
		t.Error("a recipient too many: accepted")
	}
	if _, err := sopsfile.Open([]byte(sealed), a, sopsfile.Identity("c")); err == nil {
		t.Error("a foreign identity: accepted")
	}
}
