package compare_test

import (
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/compare"
)

// The reader of Ignition 2 takes each of these, and a Flatcar machine stops at it.
func TestFlatcarStops(t *testing.T) {
	const good = `{"ignition":{"config":{},"security":{"tls":{}},"timeouts":{},"version":"2.3.0"},"networkd":{},` +
		`"passwd":{"users":[{"name":"core","sshAuthorizedKeys":["ssh-rsa AAAA"]}]},` +
		`"storage":{"files":[{"filesystem":"root","path":"/etc/a","contents":{"source":"data:,a","verification":{}},"mode":420},` +
		`{"filesystem":"root","path":"/etc//b","contents":{"source":"data:,b","verification":{}},"mode":420}]},` +
		`"systemd":{"units":[{"contents":"[Install]\nWantedBy=a.target\n","enabled":true,"name":"a.service"},` +
		`{"dropins":[{"name":"a.conf","contents":"[Unit]\n"},{"name":"b.conf"}],"enabled":false,"name":"b.service"}]}}`
	if err := compare.Ignition([]byte(good)); err != nil {
		t.Fatal(err)
	}
	if passes, err := compare.Flatcar([]byte(good)); err != nil || passes != (compare.Passes{}) {
		t.Fatal(passes, err)
	}
	special := strings.Replace(good, `"mode":420`, `"mode":2541`, 1)
	if passes, err := compare.Flatcar([]byte(special)); err != nil || passes != (compare.Passes{ModeBits: true}) {
		t.Error(passes, err)
	}
	for name, c := range map[string]struct{ old, new, says string }{
		"file twice":           {`/etc//b`, `/etc/a`, "conflicting inodes"},
		"file twice, unclean":  {`/etc//b`, `/etc/x/..//./a`, "conflicting inodes"},
		"drop-in twice":        {`b.conf`, `a.conf`, "duplicate dropin"},
		"file of a unit":       {`/etc//b`, `/etc/systemd/system/a.service`, "conflicts"},
		"file of a drop-in":    {`/etc//b`, `/etc/systemd/system/b.service.d/a.conf`, "conflicts"},
		"file below a link":    {`"storage":{`, `"storage":{"links":[{"filesystem":"root","path":"/etc","target":"/x"}],`, "uses link"},
		"deprecated word":      {`"enabled":false`, `"enable":false,"enabled":false`, ""},
		"networkd in new form": {`"networkd":{}`, `"networkd":{"units":[{"name":"a.network","contents":"[Match]\n"}]}`, ""},
	} {
		broken := []byte(strings.Replace(good, c.old, c.new, 1))
		if string(broken) == good {
			t.Fatalf("%s: nothing changed", name)
		}
		_, err := compare.Flatcar(broken)
		if (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		if err := compare.Ignition(broken); err != nil && c.says != "" {
			t.Errorf("%s: the reader of Ignition 2 refuses it too: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		unit string
		good bool
	}{
		"unit twice":                 {`{"enabled":true,"name":"a.service","dropins":[{"name":"a.conf"}]}`, true},
		"unit twice, a drop-in too":  {`{"name":"a.service","dropins":[{"name":"a.conf"},{"name":"a.conf"}]}`, false},
		"unit twice, drop-in shared": {`{"name":"b.service","dropins":[{"name":"a.conf"}]}`, true},
	} {
		passes, err := compare.Flatcar([]byte(strings.Replace(good, `"units":[`, `"units":[`+c.unit+",", 1)))
		if passes.UnitTwice != c.good || (err == nil) != c.good {
			t.Errorf("%s: %v %v", name, passes, err)
		}
	}
}
