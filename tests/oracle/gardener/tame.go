package gardener

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"osm-gen.dev/tests/oracle/gardenercases"
)

// What Gardener's scripts do wrong (known.txt) they do to odd names and to text in the clear. A tame
// OperatingSystemConfig means the same and has neither: odd names are spelled in hexadecimal digits,
// and all data is in base64. The script's effect is then told in the true names.

var (
	harmless = regexp.MustCompile(`^[A-Za-z0-9_.@:-]*$`)
	spelled  = regexp.MustCompile(`tame-([0-9a-f]+)_`)
)

func tameName(name string) string {
	if harmless.MatchString(name) {
		return name
	}
	extension := path.Ext(name)
	if !harmless.MatchString(extension) {
		extension = ""
	}
	return "tame-" + hex.EncodeToString([]byte(strings.TrimSuffix(name, extension))) + "_" + extension
}

func trueName(text string) string {
	return spelled.ReplaceAllStringFunc(text, func(found string) string {
		name, _ := hex.DecodeString(spelled.FindStringSubmatch(found)[1])
		return string(name)
	})
}

func trueEffect(effect gardenercases.Effect) gardenercases.Effect {
	nodes := map[string]gardenercases.Node{}
	for name, node := range effect.Nodes {
		nodes[trueName(name)] = node
	}
	effect.Nodes = nodes
	for _, call := range effect.Calls {
		for i := range call {
			call[i] = trueName(call[i])
		}
	}
	return effect
}

// contents are the bytes that a file of an OSC shall have.
func contents(file *v1alpha1.File, secrets []corev1.Secret) ([]byte, error) {
	if inline := file.Content.Inline; inline != nil {
		if inline.Encoding == "b64" {
			return base64.StdEncoding.DecodeString(inline.Data)
		}
		return []byte(inline.Data), nil
	}
	if ref := file.Content.SecretRef; ref != nil {
		for i := range secrets {
			if secrets[i].Name == ref.Name {
				if data, ok := secrets[i].Data[ref.DataKey]; ok {
					return data, nil
				}
			}
		}
	}
	return nil, fmt.Errorf("%s: no bytes", file.Path)
}

// tame returns the tame one. With names left as they are only the data is.
func tame(osc *v1alpha1.OperatingSystemConfig, secrets []corev1.Secret, names bool) (*v1alpha1.OperatingSystemConfig, error) {
	osc = osc.DeepCopy()
	for i := range osc.Spec.Files {
		file := &osc.Spec.Files[i]
		data, err := contents(file, secrets)
		if err != nil {
			return nil, err
		}
		file.Content = v1alpha1.FileContent{Inline: &v1alpha1.FileContentInline{Encoding: "b64", Data: base64.StdEncoding.EncodeToString(data)}}
		if names {
			parts := strings.Split(file.Path, "/")
			for j := range parts {
				parts[j] = tameName(parts[j])
			}
			file.Path = strings.Join(parts, "/")
		}
	}
	for i := range osc.Spec.Units {
		if unit := &osc.Spec.Units[i]; names {
			unit.Name = tameName(unit.Name)
			for j := range unit.DropIns {
				unit.DropIns[j].Name = tameName(unit.DropIns[j].Name)
			}
		}
	}
	return osc, nil
}

// specified are the files, units and drop-ins of an OSC as they shall stand on the node.
func specified(osc *v1alpha1.OperatingSystemConfig, secrets []corev1.Secret, absent uint32) (map[string]gardenercases.Node, error) {
	nodes := map[string]gardenercases.Node{}
	for i := range osc.Spec.Files {
		file := &osc.Spec.Files[i]
		data, err := contents(file, secrets)
		if err != nil {
			return nil, err
		}
		mode := absent
		if file.Permissions != nil {
			mode = *file.Permissions
		}
		nodes[file.Path] = gardenercases.Node{Kind: "file", Mode: mode, Data: data}
	}
	for _, unit := range osc.Spec.Units {
		if unit.Content != nil {
			nodes["/etc/systemd/system/"+unit.Name] = gardenercases.Node{Kind: "file", Mode: 0o644, Data: []byte(*unit.Content)}
		}
		for _, dropIn := range unit.DropIns {
			nodes["/etc/systemd/system/"+unit.Name+".d/"+dropIn.Name] = gardenercases.Node{Kind: "file", Mode: 0o644, Data: []byte(dropIn.Content)}
		}
	}
	return nodes, nil
}

var background = context.Background()
