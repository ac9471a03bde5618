package gardener

import (
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/yaml"
)

// applied are the Secrets of a commit for gardener-node-agent, as Flux would apply them.
func applied(t *testing.T, repository *gardenercases.Repository, c *gardenercases.Case) *corev1.Secret {
	t.Helper()
	opened, err := repository.NodeAgent(c)
	if err != nil || opened == nil {
		t.Fatalf("no Secret: %v", err)
	}
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: opened.Metadata.Name, Namespace: opened.Metadata.Namespace,
		Annotations: opened.Metadata.Annotations, Labels: opened.Metadata.Labels}, Data: opened.Values}
}

// gardener-node-agent's own reconciler makes of our Secret what the OperatingSystemConfig says: files
// with their modes, of its own host alone, drop-ins, units and what systemd is told. The same Secret
// again does nothing.
func TestNodeAgent(t *testing.T) {
	seed, n := gardenercases.Seed(t), gardenercases.Count(1200)/6
	files := map[string]string{}
	var cases []*gardenercases.Case
	for i := 0; len(cases) < n; i++ {
		if c := gardenercases.Random(gardenercases.Current, seed, 300000+i); !c.IsProvision() {
			cases = append(cases, c)
			files[c.File()] = c.Text
		}
	}
	repository, err := gardenercases.NewRepository(t.TempDir(), files, "gardenerNodeAgentSecrets: true")
	if err != nil {
		t.Fatal(err)
	}
	if err := repository.Generate(); err != nil {
		t.Fatal(err)
	}
	t.Run("cases", func(t *testing.T) {
		for i, c := range cases {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				host := []string{"node-a", "node-b.example", "other"}[i%3]
				osc, secrets, err := parse(c.Text)
				if err != nil {
					t.Fatal(err)
				}
				text, err := repository.Status(c)
				if err != nil {
					t.Fatal(err)
				}
				var status v1alpha1.OperatingSystemConfig
				if err := yaml.Unmarshal(text, &status); err != nil {
					t.Fatal(err)
				}
				osc.Status = status.Status
				secret := applied(t, repository, c)
				node := NewNode(host, secret)
				if err := node.Reconcile(secret); err != nil {
					t.Fatalf("SEED=%d, %s: %v\n%s", seed, c.Name, err, c.Text)
				}
				nodes, actions, err := wantedOn(osc, secrets, host)
				if err != nil {
					t.Fatal(err)
				}
				diffs, err := diffNode(node, nodes, actions)
				if err != nil || len(diffs) > 0 {
					t.Errorf("SEED=%d, %s %s on %s: %v\n%s\n%s", seed, c.Type, c.Name, host, err, strings.Join(diffs, "\n"), c.Text)
				}
				before, err := node.nodes()
				if err != nil {
					t.Fatal(err)
				}
				node.dbus.Actions = nil
				if err := node.Reconcile(secret); err != nil {
					t.Fatal(err)
				}
				after, err := node.nodes()
				if diff := gardenercases.DiffNodes(after, before); err != nil || diff != nil || len(node.dbus.Actions) > 0 {
					t.Errorf("%s, the same Secret again: %v %q %v", c.Name, err, diff, node.dbus.Actions)
				}
			})
		}
	})
}

// What the comparison of a node must see.
func TestNodeDiffers(t *testing.T) {
	osc, _, err := parse("---\nspec: {files: [{path: /a, permissions: 0640, content: {inline: {encoding: '', data: x}}}],\n" +
		" units: [{name: a.service, content: x, dropIns: [{name: b.conf, content: y}], enable: false}]}\n")
	if err != nil {
		t.Fatal(err)
	}
	real := NewUpstream(osc, nil)
	secret, err := real.NodeAgentSecret(background, osc.Status, "key", "pool")
	if err != nil {
		t.Fatal(err)
	}
	node := NewNode("n", secret)
	if err := node.Reconcile(secret); err != nil {
		t.Fatal(err)
	}
	nodes, actions, err := wantedOn(osc, nil, "n")
	if err != nil {
		t.Fatal(err)
	}
	if diffs, err := diffNode(node, nodes, actions); err != nil || diffs != nil {
		t.Fatalf("%v %q", err, diffs)
	}
	for name, plant := range map[string]func(map[string]gardenercases.Node, map[string]int){
		"bytes": func(n map[string]gardenercases.Node, _ map[string]int) {
			n["/a"] = gardenercases.Node{Kind: "file", Mode: 0o640}
		},
		"a mode": func(n map[string]gardenercases.Node, _ map[string]int) {
			n["/a"] = gardenercases.Node{Kind: "file", Mode: 0o600, Data: []byte("x")}
		},
		"a file": func(n map[string]gardenercases.Node, _ map[string]int) {
			delete(n, "/etc/systemd/system/a.service.d/b.conf")
		},
		"a word": func(_ map[string]gardenercases.Node, a map[string]int) {
			delete(a, "disable a.service")
			a["enable a.service"] = 1
		},
		"one more": func(_ map[string]gardenercases.Node, a map[string]int) { a["restart a.service"] = 1 },
	} {
		n, a := maps.Clone(nodes), maps.Clone(actions)
		plant(n, a)
		if diffs, _ := diffNode(node, n, a); diffs == nil {
			t.Errorf("%s: not seen", name)
		}
	}
}
