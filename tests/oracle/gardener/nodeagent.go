package gardener

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	containerd "github.com/containerd/containerd/v2/client"
	config "github.com/gardener/gardener/pkg/apis/config/nodeagent/v1alpha1"
	"github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	agent "github.com/gardener/gardener/pkg/nodeagent/controller/operatingsystemconfig"
	"github.com/gardener/gardener/pkg/nodeagent/dbus/fake"
	"github.com/spf13/afero"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/controller-runtime/pkg/client"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Node is a node with gardener-node-agent's own reconciler, a file system in memory, and a systemd
// that notes what it is told.
type Node struct {
	reconciler *agent.Reconciler
	client     client.Client
	fs         afero.Afero
	dbus       *fake.DBus
	images     map[string]uint32 // paths of files from images, with their modes
}

// images stands for containerd: what comes out of an image is noted.
func (n *Node) CopyFromImage(_ context.Context, image, path, destination string, mode os.FileMode) error {
	n.images[destination] = uint32(mode)
	return n.fs.WriteFile(destination, []byte("image "+image+" "+path), mode)
}

// Version is containerd's.
func (n *Node) Version(context.Context) (containerd.Version, error) {
	return containerd.Version{Version: "2.2.0"}, nil
}

func init() {
	agent.Exec = func(context.Context, string, ...string) ([]byte, error) { return []byte("version = 3\n"), nil }
}

// NewNode starts a node of a name that has a Secret.
func NewNode(name string, secret *corev1.Secret) *Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}}
	n := &Node{fs: afero.Afero{Fs: afero.NewMemMapFs()}, dbus: fake.New(), images: map[string]uint32{},
		client: clientfake.NewClientBuilder().WithScheme(scheme).WithObjects(node, secret).Build()}
	n.reconciler = &agent.Reconciler{APIReader: n.client, Client: n.client, LeaseClient: n.client, Clock: clock.RealClock{}, FS: n.fs, DBus: n.dbus,
		Config:   config.OperatingSystemConfigControllerConfig{SyncPeriod: &metav1.Duration{}, KubernetesVersion: semver.MustParse(KubernetesVersion)},
		Recorder: events.NewFakeRecorder(100), Extractor: n, ContainerdClient: n, CancelContext: func() {}, HostName: name, NodeName: name}
	_ = n.fs.MkdirAll(config.TempDir, 0o755)
	_ = n.fs.WriteFile("/etc/os-release", []byte("VERSION_ID=1.0.0\nGARDENLINUX_VERSION=1.0.0\nPRETTY_NAME=System 1.0.0\n"), 0o644)
	return n
}

// Reconcile has the node read its Secret once.
func (n *Node) Reconcile(secret *corev1.Secret) error {
	_, err := n.reconciler.Reconcile(background, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(secret)})
	return err
}

// nodes are the files that stand on the node.
func (n *Node) nodes() (map[string]gardenercases.Node, error) {
	out := map[string]gardenercases.Node{}
	err := n.fs.Walk("/", func(path string, info fs.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := n.fs.ReadFile(path)
		out[path] = gardenercases.Node{Kind: "file", Mode: uint32(info.Mode()), Data: data}
		return err
	})
	return out, err
}

// actions are what systemd was told: how often each.
func (n *Node) actions() map[string]int {
	names := map[fake.Action]string{fake.ActionEnable: "enable", fake.ActionDisable: "disable", fake.ActionRestart: "restart",
		fake.ActionStop: "stop", fake.ActionStart: "start", fake.ActionDaemonReload: "daemon-reload"}
	out := map[string]int{}
	for _, action := range n.dbus.Actions {
		if name := names[action.Action]; name != "" {
			out[strings.TrimSpace(name+" "+strings.Join(action.UnitNames, " "))]++
		}
	}
	return out
}

// wantedOn is what an OSC with its status asks of a node of a name: files, and what systemd is told.
func wantedOn(osc *v1alpha1.OperatingSystemConfig, secrets []corev1.Secret, host string) (map[string]gardenercases.Node, map[string]int, error) {
	nodes, actions := map[string]gardenercases.Node{}, map[string]int{"daemon-reload": 1}
	for _, file := range slices.Concat(osc.Spec.Files, osc.Status.ExtensionFiles) {
		if file.HostName != nil && *file.HostName != host {
			continue
		}
		node := gardenercases.Node{Kind: "file", Mode: 0o600}
		if file.Permissions != nil {
			// Go has other bits for the special ones, so the agent sets none of them.
			node.Mode = *file.Permissions & 0o777
		}
		if image := file.Content.ImageRef; image != nil {
			node.Data = []byte("image " + image.Image + " " + image.FilePathInImage)
		} else {
			var err error
			if node.Data, err = contents(&file, secrets); err != nil {
				return nil, nil, err
			}
		}
		nodes[file.Path] = node
	}
	enable, stop := map[string]bool{}, map[string]bool{}
	if osc.Spec.CRIConfig != nil && osc.Spec.CRIConfig.Containerd != nil {
		enable["containerd.service"] = true // the agent has a drop-in for it
	}
	for _, unit := range slices.Concat(osc.Spec.Units, osc.Status.ExtensionUnits) {
		if unit.Content != nil {
			nodes["/etc/systemd/system/"+unit.Name] = gardenercases.Node{Kind: "file", Mode: 0o600, Data: []byte(*unit.Content)}
		}
		for _, dropIn := range unit.DropIns {
			nodes["/etc/systemd/system/"+unit.Name+".d/"+dropIn.Name] = gardenercases.Node{Kind: "file", Mode: 0o600, Data: []byte(dropIn.Content)}
		}
		if _, seen := enable[unit.Name]; !seen {
			enable[unit.Name] = true
		}
		if unit.Enable != nil {
			enable[unit.Name] = *unit.Enable
		}
		if unit.Command != nil {
			stop[unit.Name] = *unit.Command == v1alpha1.CommandStop
		}
	}
	for name := range maps.Keys(enable) {
		actions[map[bool]string{true: "enable ", false: "disable "}[enable[name]]+name] = 1
		actions[map[bool]string{true: "stop ", false: "restart "}[stop[name] || !enable[name]]+name] = 1
	}
	// containerd's configuration is written too, and is read by a restart.
	if _, given := enable["containerd.service"]; !given {
		actions["restart containerd.service"] = 1
	}
	return nodes, actions, nil
}

// diffNode compares a node with what was wanted of it. The agent's own files, and containerd's, are
// its own matter.
func diffNode(n *Node, nodes map[string]gardenercases.Node, actions map[string]int) ([]string, error) {
	got, err := n.nodes()
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(got, func(path string, _ gardenercases.Node) bool {
		_, wanted := nodes[path]
		return !wanted && (strings.HasPrefix(path, "/var/lib/gardener-node-agent/") || strings.HasPrefix(path, "/etc/containerd/") || path == "/etc/os-release" ||
			path == "/etc/systemd/system/containerd.service.d/30-env_config.conf")
	})
	out := gardenercases.DiffNodes(got, nodes)
	if told := n.actions(); !maps.Equal(told, actions) {
		out = append(out, fmt.Sprintf("systemd was told %v\nwant %v", told, actions))
	}
	return out, nil
}
