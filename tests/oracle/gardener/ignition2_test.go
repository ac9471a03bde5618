package gardener

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/coreos/ignition/config/v2_3"
	"github.com/coreos/ignition/config/v2_3/types"
	"github.com/vincent-petithory/dataurl"
	"osm-gen.dev/tests/oracle/gardenercases"
)

// parseIgnition2 has the reader of Ignition 0.35 read a configuration of version 2.3.0.
func parseIgnition2(text []byte) (*ignitionData, error) {
	config, report, err := v2_3.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, report.String())
	}
	// The reader takes older versions, too.
	var own struct{ Ignition struct{ Version string } }
	if err := json.Unmarshal(text, &own); err != nil || own.Ignition.Version != "2.3.0" {
		return nil, fmt.Errorf("version %q", own.Ignition.Version)
	}
	for _, entry := range report.Entries {
		// The reader does not know its own member, whose type is embedded.
		if entry.Message != "Config has unrecognized key: tls" && !strings.Contains(entry.Message, "no install section") {
			return nil, fmt.Errorf("the reader has a remark: %s", entry.String())
		}
	}
	d := &ignitionData{Nodes: map[string]gardenercases.Node{}, Units: map[string]string{}}
	for _, file := range config.Storage.Files {
		url, err := dataurl.DecodeString(file.Contents.Source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Path, err)
		}
		if file.Filesystem != "root" || file.Overwrite == nil || !*file.Overwrite || file.Append || file.Mode == nil {
			return nil, fmt.Errorf("%s: not a file that replaces another one: %+v", file.Path, file)
		}
		d.Nodes[file.Path] = gardenercases.Node{Kind: "file", Mode: uint32(*file.Mode), Data: url.Data}
		d.Order = append(d.Order, file.Path)
	}
	for _, link := range config.Storage.Links {
		if link.Filesystem != "root" || link.Overwrite == nil || !*link.Overwrite || link.Hard {
			return nil, fmt.Errorf("%s: not a link that replaces a file: %+v", link.Path, link)
		}
		d.Nodes[link.Path] = gardenercases.Node{Kind: "link", Link: link.Target}
		d.Order = append(d.Order, link.Path)
	}
	for _, unit := range config.Systemd.Units {
		d.Units[unit.Name] = unitData2(unit)
		d.Order = append(d.Order, unit.Name)
	}
	rest := config
	rest.Storage.Files, rest.Storage.Links, rest.Systemd = nil, nil, types.Systemd{}
	if empty, _, _ := v2_3.Parse([]byte(`{"ignition":{"version":"2.3.0"}}`)); !sameJSON(rest, empty) {
		return nil, fmt.Errorf("more than files, links and units: %+v", rest)
	}
	return d, nil
}

// unitData2 is a unit as unitData has it.
func unitData2(unit types.Unit) string {
	text := func(s string) string {
		if s == "" {
			return "nothing"
		}
		return strconv.Quote(s)
	}
	out := "contents " + text(unit.Contents)
	if unit.Enabled != nil {
		out += fmt.Sprintf(", enabled %v", *unit.Enabled)
	}
	if unit.Mask {
		out += ", masked"
	}
	for _, dropIn := range unit.Dropins {
		out += fmt.Sprintf(", %q %s", dropIn.Name, text(dropIn.Contents))
	}
	return out
}

// The reader must see what is wrong.
func TestIgnition2Differs(t *testing.T) {
	const file = `{"filesystem":"root","overwrite":true,"path":"/a","contents":{"source":"data:,a"},"mode":420}`
	for _, text := range []string{
		`{"ignition":{"version":"3.3.0"}}`,
		`{"ignition":{"version":"2.2.0"}}`,
		`{"ignition":{"version":"2.3.0"},"storage":{"files":[` + strings.Replace(file, `"filesystem":"root",`, ``, 1) + `]}}`,
		`{"ignition":{"version":"2.3.0"},"storage":{"files":[` + strings.Replace(file, `"overwrite":true,`, ``, 1) + `]}}`,
		`{"ignition":{"version":"2.3.0"},"storage":{"files":[` + strings.Replace(file, `/a`, `a`, 1) + `]}}`,
		`{"ignition":{"version":"2.3.0"},"passwd":{"users":[{"name":"a"}]}}`,
		`{"ignition":{"version":"2.3.0"},"systemd":{"units":[{"name":"a.service","contents":"[Unit] x\n"}]}}`,
	} {
		if _, err := parseIgnition2([]byte(text)); err == nil {
			t.Errorf("no error: %s", text)
		}
	}
	if _, err := parseIgnition2([]byte(`{"ignition":{"version":"2.3.0"},"storage":{"files":[` + file + `]}}`)); err != nil {
		t.Error(err)
	}
}

// Version 2.3.0 of random OperatingSystemConfigs has on a machine what version 3.3.0 has.
func TestIgnition2(t *testing.T) {
	seed, n := gardenercases.Seed(t), gardenercases.Count(1200)
	files := map[string]string{}
	var cases []*gardenercases.Case
	for i := range n {
		c := gardenercases.Random(gardenercases.Current, seed, i)
		if c.IsProvision() && c.IsIgnition() {
			cases = append(cases, c)
			files[c.File()] = c.Text
		}
	}
	if len(cases) < n/30 {
		t.Fatalf("%d of %d cases are for Ignition", len(cases), n)
	}
	results := map[string][2]*ignitionData{}
	for i, version := range []string{"2.3.0", "3.3.0"} {
		repository, err := gardenercases.NewRepository(t.TempDir(), files, "ignition: "+version)
		if err != nil {
			t.Fatal(err)
		}
		if err := repository.Generate(); err != nil {
			gardenercases.Keep(t, repository)
			t.Fatal(err)
		}
		for _, c := range cases {
			secret, err := repository.Result(c)
			if err != nil || secret == nil {
				t.Fatalf("%s: no Secret: %v", c.Name, err)
			}
			parse := parseIgnition2
			if version == "3.3.0" {
				parse = func(text []byte) (*ignitionData, error) { return parseIgnition(text, nil) }
			}
			data, err := parse(secret.Values["cloud_config"])
			if err != nil {
				t.Errorf("SEED=%d: %s: %s: %v\n%s", seed, c.Name, version, err, c.Text)
				continue
			}
			both := results[c.Name]
			both[i] = data
			results[c.Name] = both
		}
	}
	for name, both := range results {
		if both[0] == nil || both[1] == nil {
			continue
		}
		if diffs := diffIgnition(both[0], both[1]); len(diffs) > 0 {
			t.Errorf("SEED=%d: %s:\n%s", seed, name, strings.Join(diffs, "\n"))
		}
	}
	t.Logf("%d configurations", len(results))
}
