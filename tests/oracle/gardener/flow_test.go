package gardener

import (
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/gardener/gardener/pkg/api/config/nodeagent/v1alpha1/validation"
	config "github.com/gardener/gardener/pkg/apis/config/nodeagent/v1alpha1"
	"github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/yaml"
)

const (
	flowKey      = "gardener-node-agent-pool"
	agentVersion = "v1.150.0" // that of the module, whose decoder reads one form of the configuration
	configPath   = "/var/lib/gardener-node-agent/config-" + agentVersion + ".yaml"
	caPath       = "/var/lib/gardener-node-agent/cluster-ca.crt"
	clusterCA    = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
)

var (
	flowSettings  = []string{"gardenerFlow: node-agent", "gardenerKubernetesVersion: 1.33.1"}
	agentSettings = append(flowSettings, "gardenerNodeAgentVersion: "+agentVersion)
)

// clusterInfo is the ConfigMap from which osm-gen takes the API server's address and CA.
func clusterInfo(server string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cluster-info, namespace: kube-public}\ndata:\n  kubeconfig: |\n" +
		"    apiVersion: v1\n    kind: Config\n    clusters:\n    - name: c\n      cluster:\n        server: " + server + "\n" +
		"        certificate-authority-data: " + base64.StdEncoding.EncodeToString([]byte(clusterCA)) + "\n"
}

func flowOSC(units, files string) string {
	return "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: OperatingSystemConfig\n" +
		"metadata: {name: " + flowKey + "-original, namespace: shoot}\n" +
		"spec: {type: minimal, purpose: reconcile, units: [" + units + "], files: [" + files + "]}\n"
}

// commit replaces files of the repository.
func commit(t *testing.T, r *gardenercases.Repository, files map[string]string) {
	t.Helper()
	if err := r.Commit(files); err != nil {
		t.Fatal(err)
	}
}

func generate(t *testing.T, r *gardenercases.Repository) {
	t.Helper()
	if err := r.Generate(); err != nil {
		t.Fatal(err)
	}
}

// decodeConfig decodes the agent's configuration as its program does, but refuses unknown and double members.
func decodeConfig(t *testing.T, text []byte) *config.NodeAgentConfiguration {
	t.Helper()
	configs := runtime.NewScheme()
	if err := config.AddToScheme(configs); err != nil {
		t.Fatal(err)
	}
	got := &config.NodeAgentConfiguration{}
	if err := runtime.DecodeInto(serializer.NewCodecFactory(configs, serializer.EnableStrict).UniversalDecoder(), text, got); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if errs := validation.ValidateNodeAgentConfiguration(got); len(errs) > 0 {
		t.Fatalf("%v\n%s", errs, text)
	}
	return got
}

// written is a file that a script of user-data writes.
func written(t *testing.T, script, path string) []byte {
	t.Helper()
	found := regexp.MustCompile("osc_put '" + regexp.QuoteMeta(path) + "' [0-7]+ base64 -d <<<'(.*)'").FindStringSubmatch(script)
	if found == nil {
		t.Fatalf("user-data does not write %s:\n%s", path, script)
	}
	text, err := base64.StdEncoding.DecodeString(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The agent's own decoder and validation accept the configuration, and its own reconciler applies what osm-gen wrote: a first
// Secret, a second one with a changed and a new file, and a third one without a unit and its file. It stays as it is on the node.
func TestAgentFlow(t *testing.T) {
	a := "{name: a.service, content: one, filePaths: [/etc/a]}"
	b := "{name: b.service, content: b, filePaths: [/etc/b]}"
	file := func(path, text string) string {
		return "{path: " + path + ", permissions: 0640, content: {inline: {encoding: '', data: " + text + "}}}"
	}
	r, err := gardenercases.NewRepository(t.TempDir(), map[string]string{"info.yaml": clusterInfo("https://api.example.com:6443"),
		"osc.yaml": flowOSC(a+", "+b, file("/etc/a", "one")+", "+file("/etc/b", "one"))}, agentSettings...)
	if err != nil {
		t.Fatal(err)
	}
	generate(t, r)
	c := &gardenercases.Case{Name: flowKey + "-original", Namespace: "shoot"}
	secret := applied(t, r, c)

	user, err := r.Result(&gardenercases.Case{Name: flowKey + "-init", Namespace: "shoot"})
	if err != nil || user == nil {
		t.Fatalf("no user-data: %v", err)
	}
	script := string(user.Values["cloud_config"])
	text := written(t, script, configPath)
	got := decodeConfig(t, text)
	if got.APIServer.Server != "https://api.example.com:6443" || got.APIServer.CAFile != caPath || string(written(t, script, caPath)) != clusterCA ||
		got.Controllers.OperatingSystemConfig.SecretName != secret.Name || got.Controllers.OperatingSystemConfig.KubernetesVersion.String() != "1.33.1" {
		t.Errorf("%+v", got)
	}

	node := NewNode("node-a", secret)
	// It restarts itself, since its own unit is new, and then goes on.
	apply := func(secret *corev1.Secret) map[string]int {
		t.Helper()
		node.dbus.Actions = nil
		if err := node.client.Update(background, secret); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := node.Reconcile(secret); err != nil {
				t.Fatal(err)
			}
		}
		actions := node.actions()
		delete(actions, "daemon-reload")
		return actions
	}
	want := map[string]int{"enable a.service": 1, "restart a.service": 1, "enable b.service": 1, "restart b.service": 1,
		"enable gardener-node-agent.service": 1, "restart containerd.service": 1}
	if have := apply(secret); !maps.Equal(have, want) {
		t.Errorf("first: %v", have)
	}
	if on, err := node.fs.ReadFile(configPath); err != nil || string(on) != string(text) {
		t.Errorf("the configuration on the node: %v\n%s", err, on)
	}
	if on, err := node.fs.ReadFile("/var/lib/gardener-node-agent/install.sh"); err != nil || string(on) != string(written(t, script, "/var/lib/gardener-node-agent/install.sh")) {
		t.Errorf("the script on the node: %v\n%s", err, on)
	}
	if on, err := node.fs.ReadFile("/etc/systemd/system/gardener-node-agent.service"); err != nil ||
		string(on) != string(written(t, script, "/etc/systemd/system/gardener-node-agent.service")) {
		t.Errorf("the unit on the node: %v\n%s", err, on)
	}

	commit(t, r, map[string]string{"osc.yaml": flowOSC(a+", "+b, file("/etc/a", "two")+", "+file("/etc/b", "one")+", "+file("/etc/c", "c"))})
	generate(t, r)
	if have := apply(applied(t, r, c)); !maps.Equal(have, map[string]int{"enable a.service": 1, "restart a.service": 1}) {
		t.Errorf("second: %v", have)
	}
	if on, err := node.fs.ReadFile("/etc/a"); err != nil || string(on) != "two" {
		t.Errorf("%q %v", on, err)
	}

	commit(t, r, map[string]string{"osc.yaml": flowOSC(a, file("/etc/a", "two")+", "+file("/etc/c", "c"))})
	generate(t, r)
	if have := apply(applied(t, r, c)); !maps.Equal(have, map[string]int{"disable b.service": 1, "stop b.service": 1}) {
		t.Errorf("removal: %v", have)
	}
	for _, path := range []string{"/etc/b", "/etc/systemd/system/b.service"} {
		if on, _ := node.fs.Exists(path); on {
			t.Errorf("%s is still there", path)
		}
	}
	if on, _ := node.fs.Exists(configPath); !on {
		t.Error("the configuration is gone")
	}
}

// An OperatingSystemConfig of Gardener's has the agent's unit and configuration itself: new nodes get that configuration.
func TestAgentFlowOfDumped(t *testing.T) {
	given := "apiVersion: nodeagent.config.gardener.cloud/v1alpha1\nkind: NodeAgentConfiguration\n"
	dumped := flowOSC("{name: gardener-node-agent.service, content: x}",
		fmt.Sprintf("{path: %s, content: {inline: {encoding: b64, data: %s}}}", configPath, base64.StdEncoding.EncodeToString([]byte(given))))
	r, err := gardenercases.NewRepository(t.TempDir(), map[string]string{"info.yaml": clusterInfo("https://api.example.com"), "osc.yaml": dumped}, agentSettings...)
	if err != nil {
		t.Fatal(err)
	}
	generate(t, r)
	user, err := r.Result(&gardenercases.Case{Name: flowKey + "-init", Namespace: "shoot"})
	if err != nil || user == nil {
		t.Fatalf("no user-data: %v", err)
	}
	if text := written(t, string(user.Values["cloud_config"]), configPath); string(text) != given {
		t.Errorf("%s", text)
	}
	var osc v1alpha1.OperatingSystemConfig
	if err := yaml.Unmarshal(applied(t, r, &gardenercases.Case{Name: flowKey + "-original"}).Data["osc.yaml"], &osc); err != nil {
		t.Fatal(err)
	}
	if len(osc.Spec.Files) != 1 || len(osc.Spec.Units) != 1 || *osc.Spec.Units[0].Content != "x" {
		t.Errorf("osc.yaml was extended: %+v", osc.Spec)
	}
	commit(t, r, map[string]string{"osc.yaml": strings.ReplaceAll(dumped, agentVersion, "v1.140.0")})
	if _, status, err := r.Run("--out", "out"); err != nil || status != 2 || !strings.Contains(r.Stderr, "OSG4183") {
		t.Errorf("a configuration of another version: %d %v\n%s", status, err, r.Stderr)
	}
}
