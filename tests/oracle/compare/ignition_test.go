package compare_test

import (
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/compare"
)

// The reader refuses what is no Ignition: without that its word is worth nothing.
func TestIgnitionReaderRefuses(t *testing.T) {
	const good = `{"ignition":{"config":{},"security":{"tls":{}},"timeouts":{},"version":"2.3.0"},"networkd":{},` +
		`"passwd":{"users":[{"name":"core","sshAuthorizedKeys":["ssh-rsa AAAA"]}]},` +
		`"storage":{"files":[{"filesystem":"root","path":"/etc/a","contents":{"source":"data:,a","verification":{}},"mode":420}]},` +
		`"systemd":{"units":[{"contents":"[Install]\nWantedBy=a.target\n","enabled":true,"name":"a.service"}]}}`
	if err := compare.Ignition([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"no JSON":             {`"networkd":{},`, `"networkd":{},,`},
		"cut off":             {`"enabled":true,"name":"a.service"}]}}`, ``},
		"other version":       {`2.3.0`, `3.3.0`},
		"unknown version":     {`2.3.0`, `2.9.0`},
		"older version":       {`2.3.0`, `2.2.0`},
		"newer version":       {`2.3.0`, `2.4.0`},
		"relative path":       {`/etc/a`, `etc/a`},
		"no file system":      {`"filesystem":"root",`, ``},
		"mode out of range":   {`420`, `70000`},
		"mode as text":        {`420`, `"0644"`},
		"source not a URL":    {`data:,a`, `d\u0001ata:,a`},
		"unknown scheme":      {`data:,a`, `gopher:a`},
		"bad data URL":        {`data:,a`, `data:;base64,%%%`},
		"file list of texts":  {`"files":[{`, `"files":["x",{`},
		"unit of no kind":     {`a.service`, `a.conf`},
		"unit text":           {`[Install]\n`, `[Install\n`},
		"enabled in vain":     {`[Install]\nWantedBy=a.target\n`, `[Unit]\nA=b\n`},
		"user key not a list": {`["ssh-rsa AAAA"]`, `"ssh-rsa AAAA"`},
		"unknown member":      {`"networkd":{}`, `"networked":{}`},
		"cloud-config":        {good, "#cloud-config\n"},
		"empty":               {good, ""},
	} {
		broken := strings.Replace(good, change[0], change[1], 1)
		if broken == good {
			t.Fatalf("%s: nothing broken", name)
		}
		if compare.Ignition([]byte(broken)) == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
