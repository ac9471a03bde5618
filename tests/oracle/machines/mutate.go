package machines

import (
	"fmt"
	"math/rand"
	"reflect"
	"sort"
	"strconv"
	"strings"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	"k8c.io/machine-controller/sdk/providerconfig"
)

// values are what a field may be given instead.
var values = []any{
	nil, true, false, 0, 1, 3, -1, 3.5, 150, 1e10, 1 << 40, 1e300, "", "3", "-3", "x", "yes", "true", "x%", "25%", "101%", "%5%", "-5%",
	"RollingUpdate", "OnDelete", "NoSchedule", "NoScedule", "In", "NotIn", "Exists", "DoesNotExist", "a b", "a/b/c", "-a", "example.com/a",
	"Example.com/a", "2026-01-31T12:00:00Z", "2026-01-31", "ubuntu", "aws", "hetzner", "openstack", "v1", "1.34.1", "1.34.0-rc.1", "1.34",
	strings.Repeat("a", 64), []any{}, map[string]any{}, []any{"a"}, []any{1}, []any{nil}, []any{true, []any{}}, []any{map[string]any{}},
	map[string]any{"a": "b"}, map[string]any{"a": 1}, map[string]any{"a": nil}, map[string]any{"value": "x"}, map[string]any{"value": 5},
	map[string]any{"value": true}, map[string]any{"secretKeyRef": map[string]any{"name": 5}},
	map[string]any{"secretKeyRef": map[string]any{"namespace": "kube-system", "name": "a", "key": "b", "more": 1}},
	[]any{map[string]any{"key": "a", "operator": "In", "values": []any{"b"}}},
	[]any{map[string]any{"key": "zone", "operator": "NotIn", "values": []any{"b"}}},
	[]any{map[string]any{"key": "zone", "operator": "DoesNotExist"}},
	[]any{map[string]any{"key": "zone", "operator": "DoesNotExist", "values": []any{"b"}}},
	[]any{map[string]any{"key": "a", "value": "b", "effect": "NoExecute"}},
	[]any{map[string]any{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "b", "controller": true}},
	[]any{map[string]any{"apiVersion": "a/b/c", "kind": "Pod", "name": "a", "uid": "b"}},
}

// Names of the object and what the API server makes itself decide other things.
var fixed = map[string]bool{"apiVersion": true, "kind": true, "metadata.name": true, "metadata.namespace": true,
	"metadata": true, "metadata.deletionTimestamp": true, "metadata.managedFields": true,
	// Another system or cloud asks for another profile.
	"spec.template.spec.providerSpec.value.operatingSystem": true}

// typedPaths are those of a type's fields, as encoding/json has them.
func typedPaths(t reflect.Type, prefix string, depth int, out *[]string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || depth == 0 {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "-" || !f.IsExported() {
			continue
		}
		if f.Anonymous && tag == "" {
			typedPaths(f.Type, prefix, depth, out)
			continue
		}
		if tag == "" {
			tag = f.Name
		}
		path := strings.TrimPrefix(prefix+"."+tag, ".")
		*out = append(*out, path)
		typedPaths(f.Type, path, depth-1, out)
	}
}

var machinePaths, configPaths = func() (machine, config []string) {
	typedPaths(reflect.TypeFor[clusterv1alpha1.MachineDeployment](), "", 6, &machine)
	typedPaths(reflect.TypeFor[providerconfig.Config](), "spec.template.spec.providerSpec.value", 3, &config)
	return machine, config
}()

func cloudPaths(cloud string) (paths []string) {
	for _, c := range clouds {
		if c.name == cloud {
			typedPaths(reflect.TypeOf(c.value), "spec.template.spec.providerSpec.value.cloudProviderSpec", 4, &paths)
		}
	}
	return paths
}

// pathsOf are those of what is there; items have numbers.
func pathsOf(node any, prefix string, out *[]string) {
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			if strings.Contains(key, ".") {
				continue
			}
			path := strings.TrimPrefix(prefix+"."+key, ".")
			*out = append(*out, path)
			pathsOf(value, path, out)
		}
	case []any:
		for i, value := range node {
			path := fmt.Sprintf("%s.%d", prefix, i)
			*out = append(*out, path)
			pathsOf(value, path, out)
		}
	}
}

// edit sets or removes what is at a path; false where that leads through a scalar.
func edit(node any, path []string, change func(parent map[string]any, list []any, at int, key string)) bool {
	switch inner := node.(type) {
	case map[string]any:
		if len(path) == 1 {
			change(inner, nil, 0, path[0])
			return true
		}
		if inner[path[0]] == nil {
			inner[path[0]] = map[string]any{}
		}
		return edit(inner[path[0]], path[1:], change)
	case []any:
		at, err := strconv.Atoi(path[0])
		if err != nil || at >= len(inner) {
			// A field of an item's type.
			if len(inner) == 0 {
				return false
			}
			return edit(inner[0], path, change)
		}
		if len(path) == 1 {
			change(nil, inner, at, "")
			return true
		}
		return edit(inner[at], path[1:], change)
	}
	return false
}

func clone(node any) any {
	switch node := node.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range node {
			out[key] = clone(value)
		}
		return out
	case []any:
		out := make([]any, len(node))
		for i, value := range node {
			out[i] = clone(value)
		}
		return out
	}
	return node
}

// Mutate changes one to three places; it says which.
func Mutate(random *rand.Rand, base map[string]any, keys []string) (object map[string]any, what []string) {
	object = clone(base).(map[string]any)
	cloud := cloudOf(object)
	for range 1 + random.Intn(3)/2 {
		var paths []string
		switch random.Intn(8) {
		case 0, 1:
			paths = machinePaths
		case 2:
			paths = configPaths
		case 3:
			paths = cloudPaths(cloud)
		case 4:
			line := keys[random.Intn(len(keys))]
			line = around[random.Intn(len(around))](random, line)
			config(object)["sshPublicKeys"] = []any{line}
			what = append(what, fmt.Sprintf("key %q", line))
			continue
		default:
			pathsOf(object, "", &paths)
			sort.Strings(paths)
		}
		if len(paths) == 0 {
			continue
		}
		path := paths[random.Intn(len(paths))]
		if fixed[path] || strings.HasPrefix(path, "metadata.managedFields") || strings.HasPrefix(path, "metadata.annotations") {
			continue
		}
		value := clone(values[random.Intn(len(values))])
		action := random.Intn(6)
		edit(object, strings.Split(path, "."), func(parent map[string]any, list []any, at int, key string) {
			switch {
			case list != nil:
				list[at] = value
			case action == 0:
				delete(parent, key)
			case action == 1 && parent[key] != nil:
				parent[key+"x"] = parent[key]
				delete(parent, key)
			default:
				parent[key] = value
			}
		})
		what = append(what, fmt.Sprintf("%s: %v (%d)", path, value, action))
	}
	return object, what
}

func config(object map[string]any) map[string]any {
	node := any(object)
	for _, key := range []string{"spec", "template", "spec", "providerSpec", "value"} {
		inner, _ := node.(map[string]any)
		node = inner[key]
	}
	if value, ok := node.(map[string]any); ok {
		return value
	}
	return map[string]any{}
}

func cloudOf(object map[string]any) string {
	name, _ := config(object)["cloudProvider"].(string)
	return name
}
