package gardener

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/yaml"
)

// schemaOfStatus is what Gardener's CustomResourceDefinition, as its module has it, says of status.
func schemaOfStatus(t *testing.T) validation.SchemaValidator {
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gardener/gardener").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(module)), "pkg/component/extensions/crds/assets",
		"crd-extensions.gardener.cloud_operatingsystemconfigs.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &definition); err != nil {
		t.Fatal(err)
	}
	var schema apiextensions.JSONSchemaProps
	status := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"]
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&status, &schema, nil); err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(&schema)
	if err != nil {
		t.Fatal(err)
	}
	return validator
}

// The status that osm-gen writes is one that the API server takes: a lastOperation without one of its
// members, for example, it refuses.
func TestStatusFitsTheDefinition(t *testing.T) {
	schema := schemaOfStatus(t)
	files := map[string]string{}
	var cases []*gardenercases.Case
	for i := range 60 {
		c := gardenercases.Random(gardenercases.Current, gardenercases.Seed(t), i)
		files[c.File()] = c.Text
		cases = append(cases, c)
	}
	repository, err := gardenercases.NewRepository(t.TempDir(), files)
	if err != nil {
		t.Fatal(err)
	}
	if err := repository.Generate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		text, err := repository.Status(c)
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := yaml.Unmarshal(text, &object); err != nil {
			t.Fatal(err)
		}
		status := object["status"].(map[string]any)
		if errs := validation.ValidateCustomResource(nil, status, schema); len(errs) > 0 {
			t.Errorf("%s: %v", c.Name, errs.ToAggregate())
		}
		delete(status["lastOperation"].(map[string]any), "lastUpdateTime")
		if errs := validation.ValidateCustomResource(nil, status, schema); len(errs) == 0 {
			t.Errorf("%s: a lastOperation without its time passes", c.Name)
		}
	}
}
