package gardener

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/yaml"
)

// The minor versions of src/gardener/agent/version.c.
const oldestMinor, newestMinor = 145, 150

// agentTypes are what a published version of the agent's configuration has: members of structs by their names in JSON, and constants.
type agentTypes struct {
	members   map[string]map[string]string // true: omitempty
	constants map[string]string
}

// typesOf reads the sources of a version.
func typesOf(t *testing.T, version string) *agentTypes {
	t.Helper()
	download := exec.Command("go", "mod", "download", "-json", "github.com/gardener/gardener/pkg/apis@"+version)
	download.Dir = t.TempDir()
	download.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	text, err := download.Output()
	var module struct{ Dir, Error string }
	if err != nil || json.Unmarshal(text, &module) != nil || module.Dir == "" {
		t.Fatalf("%s: %v %s", version, err, text)
	}
	path := filepath.Join(module.Dir, "config/nodeagent/v1alpha1/types.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := &agentTypes{map[string]map[string]string{}, map[string]string{}}
	ast.Inspect(file, func(node ast.Node) bool {
		switch spec := node.(type) {
		case *ast.TypeSpec:
			body, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			found.members[spec.Name.Name] = map[string]string{}
			for _, field := range body.Fields.List {
				if field.Tag == nil {
					continue
				}
				tag, _ := strconv.Unquote(field.Tag.Value)
				name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
				found.members[spec.Name.Name][name] = options
			}
		case *ast.ValueSpec:
			for i, name := range spec.Names {
				if i < len(spec.Values) {
					found.constants[name.Name] = found.constant(spec.Values[i])
				}
			}
		}
		return true
	})
	return found
}

// constant is the value of a sum of strings and constants.
func (f *agentTypes) constant(value ast.Expr) string {
	switch value := value.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(value.Value)
		return text
	case *ast.Ident:
		return f.constants[value.Name]
	case *ast.BinaryExpr:
		return f.constant(value.X) + f.constant(value.Y)
	}
	return ""
}

// For each version that osm-gen knows its configuration has the members that the version's types have, and all that they need; a CA that is a
// file is where the version reads it. The next version is a warning.
func TestAgentForms(t *testing.T) {
	for minor := oldestMinor; minor <= newestMinor+1; minor++ {
		version := fmt.Sprintf("v1.%d.0", minor)
		t.Run(version, func(t *testing.T) {
			repository, err := gardenercases.NewRepository(t.TempDir(), map[string]string{"info.yaml": clusterInfo("https://api.example.com:6443"),
				"osc.yaml": flowOSC("", "")}, append(flowSettings, "gardenerNodeAgentVersion: "+version)...)
			if err != nil {
				t.Fatal(err)
			}
			generate(t, repository)
			if warns := strings.Contains(repository.Stderr, "OSG4134"); warns != (minor > newestMinor) || warns != strings.Contains(repository.Stderr, fmt.Sprintf("is v1.%d", newestMinor)) {
				t.Errorf("warnings:\n%s", repository.Stderr)
			}
			if minor > newestMinor {
				return
			}
			checkForm(t, repository, typesOf(t, version), version)
		})
	}
}

func checkForm(t *testing.T, repository *gardenercases.Repository, published *agentTypes, version string) {
	t.Helper()
	user, err := repository.Result(&gardenercases.Case{Name: flowKey + "-init", Namespace: "shoot"})
	if err != nil || user == nil {
		t.Fatalf("no user-data: %v", err)
	}
	script := string(user.Values["cloud_config"])
	var config struct {
		APIServer   map[string]any `json:"apiServer"`
		Controllers map[string]map[string]any
	}
	if err := yaml.Unmarshal(written(t, script, published.constants["BaseDir"]+"/config-"+version+".yaml"), &config); err != nil {
		t.Fatal(err)
	}
	for name, have := range map[string]map[string]any{"APIServer": config.APIServer, "OperatingSystemConfigControllerConfig": config.Controllers["operatingSystemConfig"]} {
		known := published.members[name]
		for member := range have {
			if _, ok := known[member]; !ok {
				t.Errorf("%s has no %s: %v", name, member, known)
			}
		}
		for member, options := range known {
			if _, ok := have[member]; !ok && !strings.Contains(options, "omitempty") && !strings.Contains(options, "inline") {
				t.Errorf("%s lacks %s", name, member)
			}
		}
	}
	if path, isFile := config.APIServer["caFile"]; isFile {
		if path != published.constants["ClusterCAFilePath"] || string(written(t, script, fmt.Sprint(path))) != clusterCA || !strings.Contains(script, "'"+fmt.Sprint(path)+"' 0640 ") {
			t.Errorf("the CA: %v, %q", path, published.constants["ClusterCAFilePath"])
		}
		secret, err := repository.NodeAgent(&gardenercases.Case{Name: flowKey + "-original"})
		if err != nil || !strings.Contains(string(secret.Values["osc.yaml"]), "path: "+fmt.Sprint(path)+"\n") {
			t.Errorf("the CA is not in osc.yaml: %v", err)
		}
	}
}
