// Package adopt makes up live clusters: what a real controller left in one, as
// kubectl prints it, and what osm-gen makes of that.
package adopt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// Form is one of kubectl's: -o yaml or -o json.
type Form string

const (
	YAML Form = "yaml"
	JSON Form = "json"
)

// Export prints objects as kubectl get does: a List, with all that the API
// server keeps beside what people wrote.
func Export(form Form, objects []client.Object, more ...map[string]any) ([]byte, error) {
	items := []any{}
	for i, o := range objects {
		text, err := json.Marshal(o)
		if err != nil {
			return nil, err
		}
		var item map[string]any
		if err := json.Unmarshal(text, &item); err != nil {
			return nil, err
		}
		gvk := o.GetObjectKind().GroupVersionKind()
		item["apiVersion"], item["kind"] = gvk.GroupVersion().String(), gvk.Kind
		if gvk.Kind == "" {
			return nil, fmt.Errorf("%s has no kind", o.GetName())
		}
		items = append(items, served(item, i))
	}
	for i, item := range more {
		items = append(items, served(item, len(objects)+i))
	}
	list := map[string]any{
		"apiVersion": "v1", "kind": "List", "items": items,
		"metadata": map[string]any{"resourceVersion": ""},
	}
	if form == JSON {
		text, err := json.MarshalIndent(list, "", "    ")
		return append(text, '\n'), err
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	// kubectl's YAML writer refuses this character
	return yaml.JSONToYAML(bytes.ReplaceAll(text, []byte("\u007f"), nil))
}

// served adds what a live object has.
func served(item map[string]any, number int) map[string]any {
	meta := item["metadata"].(map[string]any)
	meta["uid"] = fmt.Sprintf("00000000-0000-4000-8000-%012d", number)
	meta["resourceVersion"] = fmt.Sprint(100000 + number)
	meta["generation"] = 2
	meta["creationTimestamp"] = "2025-06-01T10:00:00Z"
	meta["managedFields"] = []any{map[string]any{
		"apiVersion": item["apiVersion"], "fieldsType": "FieldsV1", "manager": "kubectl",
		"operation": "Update", "time": "2025-06-01T10:00:00Z",
		"fieldsV1": map[string]any{"f:metadata": map[string]any{"f:annotations": map[string]any{".": map[string]any{}}}},
	}}
	if item["kind"] == "MachineDeployment" {
		item["status"] = map[string]any{"observedGeneration": 2, "replicas": 1, "updatedReplicas": 1}
	}
	return item
}

// Deployment is the controller's own, with its arguments.
func Deployment(args []string) map[string]any {
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "operating-system-manager", "namespace": "kube-system"},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{
			map[string]any{
				"name": "operating-system-manager", "image": "quay.io/kubermatic/operating-system-manager:v1.8.0",
				"command": []any{"/usr/local/bin/osm-controller"}, "args": args,
			},
		}}}},
	}
}

// LeftToCI are the arguments that adopt leaves out and says so: files of the
// controller's container, and what holds a password. CI gives them.
func LeftToCI(args []string) []string {
	hidden := map[string]bool{}
	for _, a := range args {
		flag, value, _ := strings.Cut(a, "=")
		hidden[flag] = hidden[flag] || strings.HasSuffix(flag, "-ca-bundle") || strings.Contains(value, "@")
	}
	var out []string
	for _, a := range args {
		if flag, _, _ := strings.Cut(a, "="); hidden[flag] {
			out = append(out, "-"+a)
		}
	}
	return out
}

// clear takes out of a MachineDeployment what no Secret can hold: adopt
// refuses those, and osm-gen's tests of that are elsewhere.
func clear(item map[string]any) {
	config := item
	for _, key := range []string{"spec", "template", "spec", "providerSpec", "value"} {
		next, ok := config[key].(map[string]any)
		if !ok {
			return
		}
		config = next
	}
	delete(config, "overwriteCloudConfig")
	if spec, ok := config["operatingSystemSpec"].(map[string]any); ok {
		for key := range spec {
			if slices.Contains([]string{"rhelsubscriptionmanagerpassword", "rhsmofflinetoken", "rhelactivationkey"}, strings.ToLower(key)) {
				delete(spec, key)
			}
		}
	}
}

// WithoutClear is a file of MachineDeployments with that taken out.
func WithoutClear(text string) (string, error) {
	var out []string
	for _, document := range strings.Split(text, "---\n") {
		var item map[string]any
		if err := yaml.Unmarshal([]byte(document), &item); err != nil {
			return "", err
		}
		clear(item)
		// JSON is YAML, and its strings hold every character
		cleared, err := json.Marshal(item)
		if err != nil {
			return "", err
		}
		out = append(out, strings.ReplaceAll(string(cleared), "\u007f", `\u007f`)+"\n")
	}
	return strings.Join(out, "---\n"), nil
}
