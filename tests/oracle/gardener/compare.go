package gardener

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	ignition "github.com/coreos/ignition/v2/config/v3_3"
	"github.com/coreos/ignition/v2/config/v3_3/types"
	"github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"github.com/vincent-petithory/dataurl"
	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/yaml"
)

// essence is what a text that operating systems bring along means: whose words it is in is left out.
// Of a script only that it is one.
func essence(text string) string {
	if strings.HasPrefix(text, "#!") {
		return "a script"
	}
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' && !strings.HasPrefix(line, "Description=") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// ---- status ------------------------------------------------------------------------------------

// diffStatus compares status as data: without times and descriptions, and texts by their essence.
func diffStatus(got []byte, want *v1alpha1.OperatingSystemConfig) []string {
	var object struct {
		APIVersion string
		Kind       string
		Metadata   map[string]string
		Status     v1alpha1.OperatingSystemConfigStatus
	}
	if err := yaml.UnmarshalStrict(got, &object); err != nil {
		return []string{err.Error()}
	}
	var out []string
	if object.APIVersion != "extensions.gardener.cloud/v1alpha1" || object.Kind != "OperatingSystemConfig" ||
		!maps.Equal(object.Metadata, map[string]string{"name": want.Name, "namespace": want.Namespace}) {
		out = append(out, fmt.Sprintf("the status is of %s %s %v", object.APIVersion, object.Kind, object.Metadata))
	}
	if last := object.Status.LastOperation; last == nil || last.Description == "" ||
		last.LastUpdateTime.UTC().Format("2006-01-02T15:04:05Z") != gardenercases.CommitTime {
		out = append(out, fmt.Sprintf("lastOperation is %+v", last))
	}
	a, b := statusData(object.Status), statusData(want.Status)
	if !reflect.DeepEqual(a, b) {
		x, _ := yaml.Marshal(a)
		y, _ := yaml.Marshal(b)
		out = append(out, fmt.Sprintf("the status is\n%s\nwant\n%s", x, y))
	}
	return out
}

func statusData(status v1alpha1.OperatingSystemConfigStatus) map[string]any {
	status = *status.DeepCopy()
	if status.LastOperation != nil {
		status.LastOperation.Description = ""
		status.LastOperation.LastUpdateTime.Reset()
	}
	for i := range status.ExtensionFiles {
		if inline := status.ExtensionFiles[i].Content.Inline; inline != nil {
			if data, err := base64.StdEncoding.DecodeString(inline.Data); err == nil && inline.Encoding == "b64" {
				inline.Data, inline.Encoding = string(data), ""
			}
			inline.Data = essence(inline.Data)
		}
	}
	for i := range status.ExtensionUnits {
		unit := &status.ExtensionUnits[i]
		if unit.Content != nil {
			*unit.Content = essence(*unit.Content)
		}
		for j := range unit.DropIns {
			unit.DropIns[j].Content = essence(unit.DropIns[j].Content)
		}
	}
	text, _ := json.Marshal(status)
	var data map[string]any
	_ = json.Unmarshal(text, &data)
	// A reader in strict mode leaves a null of a member that is not given.
	if data["state"] == nil {
		delete(data, "state")
	}
	return data
}

// ---- Ignition ----------------------------------------------------------------------------------

type ignitionData struct {
	Nodes map[string]gardenercases.Node
	Units map[string]string
	Order []string
}

// parseIgnition has Ignition's own parser read a config. What the operating system brings (brought)
// is taken by its essence.
func parseIgnition(text []byte, brought map[string]bool) (*ignitionData, error) {
	config, report, err := ignition.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, report)
	}
	d := &ignitionData{Nodes: map[string]gardenercases.Node{}, Units: map[string]string{}}
	for _, file := range config.Storage.Files {
		node := gardenercases.Node{Kind: "file", Mode: 0o644}
		if file.Mode != nil {
			node.Mode = uint32(*file.Mode)
		}
		url, err := dataurl.DecodeString(*file.Contents.Source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Path, err)
		}
		node.Data = url.Data
		if brought[file.Path] {
			node.Data = []byte(essence(string(url.Data)))
		}
		if len(file.Append) > 0 || file.Contents.Compression != nil && *file.Contents.Compression != "" {
			return nil, fmt.Errorf("%s: appended to, or compressed", file.Path)
		}
		d.Nodes[file.Path] = node
		d.Order = append(d.Order, file.Path)
	}
	for _, link := range config.Storage.Links {
		d.Nodes[link.Path] = gardenercases.Node{Kind: "link", Link: *link.Target}
		if link.Overwrite == nil || !*link.Overwrite {
			return nil, fmt.Errorf("%s: a link that is not written over what is there", link.Path)
		}
		d.Order = append(d.Order, link.Path)
	}
	for _, unit := range config.Systemd.Units {
		d.Units[unit.Name] = unitData(unit, brought[unit.Name])
		d.Order = append(d.Order, unit.Name)
	}
	rest := config
	rest.Storage, rest.Systemd = types.Storage{}, types.Systemd{}
	rest.Storage.Directories, rest.Storage.Disks = config.Storage.Directories, config.Storage.Disks
	if empty, _, _ := ignition.Parse([]byte(`{"ignition":{"version":"3.3.0"}}`)); !sameJSON(rest, empty) {
		return nil, fmt.Errorf("more than files, links and units: %+v", rest)
	}
	return d, nil
}

func sameJSON(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

func unitData(unit types.Unit, brought bool) string {
	text := func(s *string) string {
		switch {
		case s == nil:
			return "nothing"
		case brought:
			return fmt.Sprintf("%q", essence(*s))
		}
		return fmt.Sprintf("%q", *s)
	}
	out := "contents " + text(unit.Contents)
	if unit.Enabled != nil {
		out += fmt.Sprintf(", enabled %v", *unit.Enabled)
	}
	if unit.Mask != nil && *unit.Mask {
		out += ", masked"
	}
	for _, dropIn := range unit.Dropins {
		out += fmt.Sprintf(", %q %s", dropIn.Name, text(dropIn.Contents))
	}
	return out
}

func diffIgnition(got, want *ignitionData) []string {
	out := gardenercases.DiffNodes(got.Nodes, want.Nodes)
	names := maps.Clone(got.Units)
	maps.Copy(names, want.Units)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if got.Units[name] != want.Units[name] {
			out = append(out, fmt.Sprintf("unit %q is %s\nwant %s", name, got.Units[name], want.Units[name]))
		}
	}
	if len(out) == 0 && !slices.Equal(got.Order, want.Order) {
		out = append(out, fmt.Sprintf("order %q\nwant  %q", got.Order, want.Order))
	}
	return out
}

// ---- osc.yaml ----------------------------------------------------------------------------------

// diffLines says where two texts part.
func diffLines(what string, got, want []byte) []string {
	if bytes.Equal(got, want) {
		return nil
	}
	a, b := strings.SplitAfter(string(got), "\n"), strings.SplitAfter(string(want), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return []string{fmt.Sprintf("%s: line %d is %q, want %q", what, i+1, a[i], b[i])}
		}
	}
	return []string{fmt.Sprintf("%s: %d lines, want %d", what, len(a), len(b))}
}
