package gardener

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/controller"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/yaml"
)

const machineManifests = `apiVersion: extensions.gardener.cloud/v1alpha1
kind: OperatingSystemConfig
metadata: {name: pool-original, namespace: shoot}
spec:
  type: TYPE
  purpose: reconcile
  criConfig: {name: containerd}
  reloadConfigFilePath: /var/lib/cloud-config-downloader/downloads/cloud_config
  files:
  - {path: /opt/a, content: {inline: {encoding: "", data: CONTENT}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: cluster-info, namespace: kube-public}
data:
  kubeconfig: |
    {"apiVersion": "v1", "kind": "Config", "clusters": [{"name": "", "cluster":
      {"server": "https://api.example.com", "certificate-authority-data": "Y2VydGlmaWNhdGU="}}]}
---
apiVersion: machine.sapcloud.io/v1alpha1
kind: MachineClass
metadata:
  name: pool
  namespace: shoot
  annotations: {osm-gen.dev/operating-system-config: pool-downloader}
provider: OpenStack
providerSpec: {imageName: IMAGE, tags: {a: b}}
nodeTemplate: {capacity: {cpu: "2", memory: 8Gi}, instanceType: large, region: eu, zone: eu-1}
credentialsSecretRef: {name: cloud, namespace: shoot}
---
apiVersion: machine.sapcloud.io/v1alpha1
kind: MachineDeployment
metadata: {name: pool, namespace: shoot, labels: {name: pool}}
spec:
  replicas: REPLICAS
  minReadySeconds: 500
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  selector: {matchLabels: {name: pool}}
  template:
    metadata: {labels: {name: pool}}
    spec:
      class: {kind: MachineClass, name: pool}
      nodeTemplate: {metadata: {labels: {a: b}}, spec: {taints: [{effect: NoSchedule, key: a, value: b}]}}
`

// machines is what osm-gen writes for machine-controller-manager.
type machines struct {
	class      v1alpha1.MachineClass
	deployment v1alpha1.MachineDeployment
	files      map[string][]byte
}

func generateMachines(t *testing.T, values map[string]string, settings ...string) machines {
	t.Helper()
	text := machineManifests
	for name, value := range map[string]string{"TYPE": "ubuntu", "CONTENT": "one", "IMAGE": "image-1", "REPLICAS": "2"} {
		if given, ok := values[name]; ok {
			value = given
		}
		text = strings.ReplaceAll(text, name, value)
	}
	settings = append([]string{`gardenerContract: "2021"`, "gardenerFlow: downloader"}, settings...)
	repository, err := gardenercases.NewRepository(t.TempDir(), map[string]string{"pool.yaml": text}, settings...)
	if err != nil {
		t.Fatal(err)
	}
	if err := repository.Generate(); err != nil {
		t.Fatal(err, repository.Stderr)
	}
	m := machines{files: map[string][]byte{}}
	folder := filepath.Join(repository.Dir, "out/default/management/shoot")
	paths, err := filepath.Glob(filepath.Join(folder, "machine*.yaml"))
	if err != nil || len(paths) != 2 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		if m.files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(filepath.Base(path), "machineclass-") {
			err = yaml.UnmarshalStrict(m.files[filepath.Base(path)], &m.class)
		} else {
			err = yaml.UnmarshalStrict(m.files[filepath.Base(path)], &m.deployment)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	return m
}

// definitionOf is the schema of a CustomResourceDefinition of machine-controller-manager's module.
func definitionOf(t *testing.T, plural string) validation.SchemaValidator {
	t.Helper()
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gardener/machine-controller-manager").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(module)), "kubernetes/crds/machine.sapcloud.io_"+plural+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &definition); err != nil {
		t.Fatal(err)
	}
	var schema apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
		definition.Spec.Versions[0].Schema.OpenAPIV3Schema, &schema, nil); err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(&schema)
	if err != nil {
		t.Fatal(err)
	}
	return validator
}

// The API server takes both objects, and machine-controller-manager's types have each of their members.
func TestMachineObjectsFitTheDefinitions(t *testing.T) {
	m := generateMachines(t, nil)
	for name, text := range m.files {
		var object map[string]any
		if err := yaml.Unmarshal(text, &object); err != nil {
			t.Fatal(err)
		}
		plural := strings.Split(name, "-")[0] + map[bool]string{true: "es", false: "s"}[strings.HasPrefix(name, "machineclass-")]
		if errs := validation.ValidateCustomResource(nil, object, definitionOf(t, plural)); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs.ToAggregate())
		}
	}
	if m.class.SecretRef.Name != m.class.Name || m.class.CredentialsSecretRef.Name != "cloud" {
		t.Errorf("Secrets of the class: %v, %v", m.class.SecretRef, m.class.CredentialsSecretRef)
	}
	if class := m.deployment.Spec.Template.Spec.Class; class.Name != m.class.Name || class.Kind != "MachineClass" {
		t.Errorf("class of the MachineDeployment: %v", class)
	}
	var spec map[string]any
	if err := json.Unmarshal(m.class.ProviderSpec.Raw, &spec); err != nil || spec["imageName"] != "image-1" {
		t.Errorf("providerSpec: %v %v", spec, err)
	}
}

// machine-controller-manager keeps the MachineSet that it has, or makes another one and replaces all machines.
func TestMachinesRollWhenTheyShould(t *testing.T) {
	before := generateMachines(t, nil)
	set := &v1alpha1.MachineSet{Spec: v1alpha1.MachineSetSpec{Template: before.deployment.Spec.Template}}
	for _, c := range []struct {
		name     string
		values   map[string]string
		settings []string
		rolls    bool
	}{
		{"nothing", nil, nil, false},
		{"a file that running nodes apply", map[string]string{"CONTENT": "two"}, nil, false},
		{"more machines", map[string]string{"REPLICAS": "3"}, nil, false},
		{"another token", nil, []string{"tokenRotation: another"}, false},
		{"another spread", nil, []string{"gardenerApplySpread: 7"}, false},
		{"another image", map[string]string{"IMAGE": "image-2"}, nil, true},
		{"another system", map[string]string{"TYPE": "gardenlinux"}, nil, true},
	} {
		after := generateMachines(t, c.values, c.settings...)
		found := controller.FindNewMachineSet(&after.deployment, []*v1alpha1.MachineSet{set})
		if rolls := found == nil; rolls != c.rolls {
			t.Errorf("%s: machines are replaced: %v, want %v", c.name, rolls, c.rolls)
		}
		if (after.class.Name != before.class.Name) != c.rolls {
			t.Errorf("%s: class %s, before %s", c.name, after.class.Name, before.class.Name)
		}
	}
}
