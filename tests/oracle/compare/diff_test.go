package compare_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/compare"
)

// The comparison must be able to fail.

func TestBytesSaysWhere(t *testing.T) {
	if d := compare.Bytes([]byte("same"), []byte("same")); d != "" {
		t.Error(d)
	}
	d := compare.Bytes([]byte("a\nbX"), []byte("a\nbY"))
	if !strings.Contains(d, "byte 3 (line 2)") {
		t.Error(d)
	}
	inner := func(s string) []byte {
		return []byte("    " + base64.StdEncoding.EncodeToString([]byte("a script of some length "+s)))
	}
	if d := compare.Bytes(inner("one"), inner("two")); !strings.Contains(d, "inside the base64") {
		t.Error(d)
	}
	if d := compare.Bytes([]byte("a"), nil); d == "" {
		t.Error("a missing text passes")
	}
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		got, want string
		same      bool
	}{
		{`{"a":1,"b":[true,null]}`, `{"b":[true,null],"a":1}`, true},
		{`{"a":1.0}`, `{"a":1}`, true},
		{`{"a":1}`, `{"a":"1"}`, false},
		{`{"a":1}`, `{"a":true}`, false},
		{`{"a":[]}`, `{"a":{}}`, false},
		{`{"a":null}`, `{}`, false},
		{`{}`, `{"a":null}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`[1]`, `[1,2]`, false},
		{`"x"`, `"x "`, false},
	} {
		d := compare.Values([]byte(c.got), []byte(c.want), compare.Exact)
		if (len(d) == 0) != c.same {
			t.Errorf("%s against %s: %v", c.got, c.want, d)
		}
	}
}

func TestRedacted(t *testing.T) {
	secrets := []string{"s3cr3t-value-one", `quo"ted`}
	for _, c := range []struct {
		got, want string
		ok        bool
	}{
		{"token <sealed:a/b#c#0011> end", "token s3cr3t-value-one end", true},
		{"auth <sealed:x> end", "auth " + base64.StdEncoding.EncodeToString([]byte(secrets[0])) + " end", true},
		{`p = "<sealed:x>"`, `p = "quo\"ted"`, true},
		{"no mark", "no mark", true},
		{"at <sealed:x>/", "at https://user:s3cr3t-value-one@host.example.com:8443/path/", true},
		{"at <sealed:x>/", "at https://user@host.example.com:8443/path/", false},
		{"token <sealed:x> END", "token s3cr3t-value-one end", false},
		{"<sealed:x> end", "harmless text end", false},
		{"<sealed:x>", "s3cr3t-value-one and a lot of harmless text", false},
		{"<sealed:x>", "s3cr3t-value-one\nanother line", false},
	} {
		d := compare.Redacted(secrets, false)(c.got, c.want)
		if (d == "") != c.ok {
			t.Errorf("%q against %q: %q", c.got, c.want, d)
		}
	}
}

func TestLeaks(t *testing.T) {
	secrets := []string{"a-secret-of-some-length", "another \"one\" with quotes"}
	leaks := compare.NewLeaks(secrets)
	for before := range 4 {
		for i, secret := range secrets {
			plain := strings.Repeat("x", before) + secret + "tail"
			quoted, _ := json.Marshal(plain)
			for _, text := range []string{plain, string(quoted), base64.StdEncoding.EncodeToString([]byte(plain))} {
				if found := leaks.Find([]byte("some text before " + text)); len(found) == 0 {
					t.Errorf("secret %d not found behind %d bytes in %q", i, before, text)
				}
			}
		}
	}
	if found := leaks.Find([]byte("a-secret-of-some-lengt, another \"one\" with")); found != nil {
		t.Errorf("found what is not there: %q", found)
	}
}
