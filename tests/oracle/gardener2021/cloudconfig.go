package gardener2021

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/yaml"
)

// cloudConfig is CoreOS' cloud-config, with the keys that coreos-cloudinit knows.
type cloudConfig struct {
	CoreOS struct {
		Update map[string]string `json:"update"`
		Units  []coreUnit        `json:"units"`
	} `json:"coreos"`
	WriteFiles []coreFile `json:"write_files"`
}

type coreUnit struct {
	Name    string  `json:"name"`
	Mask    bool    `json:"mask"`
	Enable  bool    `json:"enable"`
	Runtime bool    `json:"runtime"`
	Content string  `json:"content"`
	Command string  `json:"command"`
	DropIns []entry `json:"drop_ins"`
}

type entry struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

type coreFile struct {
	Encoding    string `json:"encoding"`
	Content     string `json:"content"`
	Owner       string `json:"owner"`
	Path        string `json:"path"`
	Permissions string `json:"permissions"`
}

// openCloudConfig reads one strictly.
func openCloudConfig(text []byte) (*cloudConfig, error) {
	if !strings.HasPrefix(string(text), "#cloud-config\n") {
		return nil, errors.New("no #cloud-config")
	}
	c := &cloudConfig{}
	return c, yaml.UnmarshalStrict(text, c)
}

func (f *coreFile) node() (gardenercases.Node, error) {
	mode, err := strconv.ParseUint(f.Permissions, 8, 32)
	if err != nil {
		return gardenercases.Node{}, fmt.Errorf("permissions of %q: %w", f.Path, err)
	}
	if len(f.Permissions) < 3 || len(f.Permissions) > 5 {
		return gardenercases.Node{}, fmt.Errorf("permissions %q of %q, which coreos-cloudinit does not take", f.Permissions, f.Path)
	}
	node := gardenercases.Node{Kind: "file", Mode: uint32(mode), Data: []byte(f.Content)}
	switch f.Encoding {
	case "":
	case "b64", "base64":
		node.Data, err = base64.StdEncoding.DecodeString(f.Content)
	default:
		err = fmt.Errorf("encoding %q of %q", f.Encoding, f.Path)
	}
	return node, err
}

// diffCloudConfig compares a cloud-config with what Gardener gave the generator.
func diffCloudConfig(got *cloudConfig, want *wanted) ([]string, error) {
	var out []string
	if got.CoreOS.Update["reboot_strategy"] != "off" || len(got.CoreOS.Update) != 1 {
		out = append(out, fmt.Sprintf("update is %v", got.CoreOS.Update))
	}
	nodes := map[string]gardenercases.Node{}
	var order []string
	for i := range got.WriteFiles {
		file := &got.WriteFiles[i]
		node, err := file.node()
		if err != nil {
			return out, err
		}
		if _, brought := want.brought[file.Path]; brought {
			node.Data = nil
		}
		nodes[file.Path] = node
		order = append(order, file.Path)
	}
	out = append(out, gardenercases.DiffNodes(nodes, want.nodes)...)
	var units []string
	for _, unit := range got.CoreOS.Units {
		units = append(units, unit.text(want.brought[unit.Name]))
	}
	var wantUnits []string
	for _, unit := range want.units {
		wantUnits = append(wantUnits, unit.text(want.brought[unit.Name]))
	}
	if !slices.Equal(units, wantUnits) {
		out = append(out, fmt.Sprintf("units\n%s\nwant\n%s", strings.Join(units, "\n"), strings.Join(wantUnits, "\n")))
	}
	if !slices.Equal(order, want.order) {
		out = append(out, fmt.Sprintf("order %q\nwant  %q", order, want.order))
	}
	return out, nil
}

func (u coreUnit) text(brought bool) string {
	if brought {
		u.Content = ""
	}
	return fmt.Sprintf("%q", fmt.Sprintf("%+v", u))
}
