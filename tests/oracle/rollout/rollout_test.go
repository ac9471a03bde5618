// Package rollout compares the class that osm-gen gives a MachineDeployment
// with what the real machine-controller would do: whether a new MachineSet
// results.
package rollout

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/admission"

	"k8c.io/machine-controller/pkg/controller/util"
	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	"osm-gen.dev/tests/oracle/fleet"
	"sigs.k8s.io/yaml"
)

const pairs = 500

const profile = `apiVersion: operatingsystemmanager.k8c.io/v1alpha1
kind: OperatingSystemProfile
metadata: {name: osp-small, namespace: kube-system}
spec:
  osName: ubuntu
  osVersion: "24.04"
  version: v1.0.0
  provisioningUtility: cloud-init
  supportedCloudProviders: [{name: hetzner}]
  bootstrapConfig: {}
  provisioningConfig:
    files:
    - path: /etc/version
      permissions: 644
      content: {inline: {encoding: b64, data: "{{ .KubeVersion }}"}}
`

type object = map[string]any

func machineDeployment(name string) object {
	var md object
	text := fmt.Sprintf(`
apiVersion: cluster.k8s.io/v1alpha1
kind: MachineDeployment
metadata:
  name: %s
  namespace: kube-system
  annotations: {k8c.io/operating-system-profile: osp-small}
spec:
  replicas: 3
  selector: {matchLabels: {pool: %s}}
  template:
    metadata:
      labels: {pool: %s}
    spec:
      versions: {kubelet: 1.34.1}
      providerSpec:
        value:
          sshPublicKeys: []
          cloudProvider: hetzner
          cloudProviderSpec: {serverType: cx42, location: fsn1, networks: [a, b]}
          operatingSystem: ubuntu
          operatingSystemSpec: {distUpgradeOnBoot: false}
`, name, name, name)
	if err := yaml.Unmarshal([]byte(text), &md); err != nil {
		panic(err)
	}
	return md
}

// at is the map at a path, which is made when it is not there.
func at(m object, path ...string) object {
	for _, key := range path {
		next, ok := m[key].(object)
		if !ok {
			next = object{}
			m[key] = next
		}
		m = next
	}
	return m
}

func template(md object) object { return at(md, "spec", "template") }
func config(md object) object {
	return at(md, "spec", "template", "spec", "providerSpec", "value")
}

// What people, kubectl and other programs do to a manifest. The number makes
// values that differ.
var changes = map[string]func(md object, n int){
	// the template
	"kubelet": func(md object, n int) {
		at(template(md), "spec", "versions")["kubelet"] = fmt.Sprintf("1.34.%d", 2+n%3)
	},
	"label":           func(md object, n int) { at(template(md), "metadata", "labels")["zone"] = strconv.Itoa(n % 3) },
	"empty label":     func(md object, n int) { at(template(md), "metadata", "labels")["empty"] = "" },
	"annotation":      func(md object, n int) { at(template(md), "metadata", "annotations")["note"] = strconv.Itoa(n % 3) },
	"node label":      func(md object, n int) { at(template(md), "spec", "metadata", "labels")["node"] = strconv.Itoa(n % 3) },
	"node annotation": func(md object, n int) { at(template(md), "spec", "metadata", "annotations")["node"] = "" },
	"taint": func(md object, n int) {
		template(md)["spec"].(object)["taints"] = []any{object{"key": "k", "effect": "NoSchedule"}}
	},
	"taint, value": func(md object, n int) {
		template(md)["spec"].(object)["taints"] = []any{object{"key": "k", "effect": "NoSchedule", "value": strconv.Itoa(n % 2)}}
	},
	"taint, no value": func(md object, n int) {
		template(md)["spec"].(object)["taints"] = []any{object{"key": "k", "effect": "NoSchedule", "value": "", "timeAdded": nil}}
	},
	"server": func(md object, n int) {
		at(config(md), "cloudProviderSpec")["serverType"] = fmt.Sprintf("cx%d", 22+n%3)
	},
	"order of a list": func(md object, n int) { at(config(md), "cloudProviderSpec")["networks"] = []any{"b", "a"} },
	"ssh key":         func(md object, n int) { config(md)["sshPublicKeys"] = []any{fleet.SSHKey(n % 2)} },
	"a number":        func(md object, n int) { at(config(md), "cloudProviderSpec")["volume"] = n % 3 },
	"a number's form": func(md object, n int) { at(config(md), "cloudProviderSpec")["volume"] = float64(n%3) * 1.0 },
	"machine name":    func(md object, n int) { at(template(md), "metadata")["generateName"] = "m-" },
	"finalizers":      func(md object, n int) { at(template(md), "metadata")["finalizers"] = []any{"a/b"} },
	"another hash": func(md object, n int) {
		at(template(md), "metadata", "labels")["machine-template-hash"] = strconv.Itoa(n)
	},
	"control plane": func(md object, n int) { at(template(md), "spec", "versions")["controlPlane"] = "1.34.0" },
	"provider id":   func(md object, n int) { template(md)["spec"].(object)["providerID"] = "" },
	// what looks like one
	"creation":         func(md object, n int) { at(template(md), "metadata")["creationTimestamp"] = nil },
	"node creation":    func(md object, n int) { at(template(md), "spec", "metadata")["creationTimestamp"] = nil },
	"no annotations":   func(md object, n int) { at(template(md), "metadata")["annotations"] = object{} },
	"null annotations": func(md object, n int) { at(template(md), "metadata")["annotations"] = nil },
	"no taints":        func(md object, n int) { template(md)["spec"].(object)["taints"] = []any{} },
	"null taints":      func(md object, n int) { template(md)["spec"].(object)["taints"] = nil },
	"no node metadata": func(md object, n int) { at(template(md), "spec")["metadata"] = object{} },
	"no finalizers":    func(md object, n int) { at(template(md), "metadata")["finalizers"] = []any{} },
	"no name":          func(md object, n int) { at(template(md), "metadata")["name"] = "" },
	"no generation":    func(md object, n int) { at(template(md), "metadata")["generation"] = 0 },
	"no control plane": func(md object, n int) { at(template(md), "spec", "versions")["controlPlane"] = "" },
	"null provider id": func(md object, n int) { template(md)["spec"].(object)["providerID"] = nil },
	"null source":      func(md object, n int) { template(md)["spec"].(object)["configSource"] = nil },
	"null value from":  func(md object, n int) { at(template(md), "spec", "providerSpec")["valueFrom"] = nil },
	"unknown":          func(md object, n int) { template(md)["spec"].(object)["nobodyKnows"] = n },
	"unknown meta":     func(md object, n int) { at(template(md), "metadata")["nobodyKnows"] = object{"a": n} },
	// beside the template
	"replicas":    func(md object, n int) { at(md, "spec")["replicas"] = n % 7 },
	"no replicas": func(md object, n int) { delete(at(md, "spec"), "replicas") },
	"paused":      func(md object, n int) { at(md, "spec")["paused"] = n%2 == 0 },
	"ready":       func(md object, n int) { at(md, "spec")["minReadySeconds"] = n % 60 },
	"history":     func(md object, n int) { at(md, "spec")["revisionHistoryLimit"] = n % 5 },
	"strategy": func(md object, n int) {
		at(md, "spec")["strategy"] = object{"type": "RollingUpdate", "rollingUpdate": object{"maxSurge": 1 + n%2, "maxUnavailable": 0}}
	},
	"metadata":      func(md object, n int) { at(md, "metadata", "labels")["team"] = strconv.Itoa(n) },
	"md annotation": func(md object, n int) { at(md, "metadata", "annotations")["note"] = strconv.Itoa(n) },
	"status":        func(md object, n int) { md["status"] = object{"replicas": n} },
}

// As the controller reads it from the API server.
func decode(t *testing.T, text []byte) *clusterv1alpha1.MachineDeployment {
	t.Helper()
	var md clusterv1alpha1.MachineDeployment
	if err := yaml.Unmarshal(text, &md); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	clusterv1alpha1.PopulateDefaultsMachineDeployment(&md)
	return &md
}

// The same manifest in some other form: YAML, JSON, keys in another order.
func encode(t *testing.T, random *rand.Rand, md object) []byte {
	t.Helper()
	if random.Intn(2) == 0 {
		text, err := yaml.Marshal(md)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var text strings.Builder
	write(&text, random, md)
	return []byte(text.String())
}

func write(text *strings.Builder, random *rand.Rand, value any) {
	switch v := value.(type) {
	case object:
		keys := slices.Sorted(maps.Keys(v))
		random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		text.WriteString("{")
		for i, key := range keys {
			if i > 0 {
				text.WriteString(", ")
			}
			fmt.Fprintf(text, "%q: ", key)
			write(text, random, v[key])
		}
		text.WriteString("}")
	case []any:
		text.WriteString("[")
		for i, item := range v {
			if i > 0 {
				text.WriteString(", ")
			}
			write(text, random, item)
		}
		text.WriteString("]")
	case float64:
		if v == float64(int(v)) && random.Intn(2) == 0 {
			fmt.Fprintf(text, "%.1f", v)
			return
		}
		fmt.Fprintf(text, "%v", v)
	default:
		raw, _ := json.Marshal(v)
		text.Write(raw)
	}
}

func change(random *rand.Rand, md object) []string {
	names := slices.Sorted(maps.Keys(changes))
	var made []string
	for range random.Intn(4) {
		name := names[random.Intn(len(names))]
		changes[name](md, random.Intn(100))
		made = append(made, name)
	}
	return made
}

func seed() int64 {
	n, err := strconv.ParseInt(os.Getenv("SEED"), 10, 64)
	if err != nil {
		return 1
	}
	return n
}

func TestRollOut(t *testing.T) {
	random := rand.New(rand.NewSource(seed()))
	repo, err := admission.NewRepo(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := repo.Write("profile.yaml", profile); err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(changes))
	before := make([]*clusterv1alpha1.MachineDeployment, pairs)
	objects := make([]object, pairs)
	made := make([][]string, pairs)
	file := func(i int) string { return fmt.Sprintf("md-%d.yaml", i) }
	for i := range pairs {
		objects[i] = machineDeployment(fmt.Sprintf("md-%d", i))
		if i >= 2*len(names) {
			made[i] = append(change(random, objects[i]), "then")
		} else if i >= len(names) {
			/* Each kind of change is taken back once. */
			changes[names[i-len(names)]](objects[i], i)
		}
		text := encode(t, random, objects[i])
		before[i] = decode(t, text)
		if err := repo.Write(file(i), string(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := repo.Commit(); err != nil {
		t.Fatal(err)
	}
	if status, said, err := repo.OsmGen("generate", "-q"); err != nil || status != 0 {
		t.Fatal(err, said)
	}
	want := make([]bool, pairs)
	for i := range pairs {
		switch {
		case i < len(names):
			changes[names[i]](objects[i], i)
			made[i] = []string{names[i]}
		case i < 2*len(names):
			objects[i] = machineDeployment(fmt.Sprintf("md-%d", i))
			made[i] = []string{"not", names[i-len(names)]}
		default:
			made[i] = append(made[i], change(random, objects[i])...)
		}
		text := encode(t, random, objects[i])
		after := decode(t, text)
		/* The MachineSet that the controller made of the one before. */
		set := &clusterv1alpha1.MachineSet{}
		before[i].Spec.Template.DeepCopyInto(&set.Spec.Template)
		want[i] = util.FindNewMachineSet(after, []*clusterv1alpha1.MachineSet{set}) == nil
		if err := repo.Write(file(i), string(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := repo.Commit(); err != nil {
		t.Fatal(err)
	}
	printed, err := repo.Stdout("plan", "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	var plan struct {
		Units []struct{ Name, Class string }
	}
	if err := json.Unmarshal([]byte(printed), &plan); err != nil {
		t.Fatal(err)
	}
	if len(plan.Units) != pairs {
		t.Fatalf("%d units, want %d", len(plan.Units), pairs)
	}
	rolls := 0
	for _, unit := range plan.Units {
		i, err := strconv.Atoi(strings.TrimPrefix(unit.Name, "md-"))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(unit.Name, func(t *testing.T) {
			if got := unit.Class == "ROLL"; got != want[i] {
				t.Errorf("class %s after %v: a new MachineSet: %v", unit.Class, made[i], want[i])
			}
		})
		if want[i] {
			rolls++
		}
	}
	t.Logf("%d pairs, %d roll", pairs, rolls)
	if rolls < pairs/4 || rolls > pairs*3/4 {
		t.Errorf("%d of %d pairs roll: the changes prove little", rolls, pairs)
	}
}
