package gardener

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gardener/gardener/pkg/api/extensions/validation"
	"github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/yaml"
)

func TestMain(m *testing.M) {
	gardenercases.Main()
	os.Exit(m.Run())
}

// parse reads manifests as the API server would: an OSC, and Secrets.
func parse(text string) (*v1alpha1.OperatingSystemConfig, []corev1.Secret, error) {
	var osc *v1alpha1.OperatingSystemConfig
	var secrets []corev1.Secret
	for _, document := range gardenercases.Documents(text) {
		if strings.TrimSpace(document) == "" {
			continue
		}
		var kind struct{ Kind string }
		if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
			return nil, nil, err
		}
		if kind.Kind == "Secret" {
			secret := corev1.Secret{}
			if err := yaml.Unmarshal([]byte(document), &secret); err != nil {
				return nil, nil, err
			}
			for name, text := range secret.StringData {
				if secret.Data == nil {
					secret.Data = map[string][]byte{}
				}
				secret.Data[name] = []byte(text)
			}
			secret.StringData = nil
			secrets = append(secrets, secret)
			continue
		}
		osc = &v1alpha1.OperatingSystemConfig{}
		if err := yaml.Unmarshal([]byte(document), osc); err != nil {
			return nil, nil, err
		}
	}
	if osc == nil {
		return nil, nil, errors.New("no OperatingSystemConfig")
	}
	return osc, secrets, nil
}

// One commit of many random OperatingSystemConfigs: what osm-gen writes is what Gardener's own
// functions make of each.
func TestRandom(t *testing.T) {
	seed, n := gardenercases.Seed(t), gardenercases.Count(1200)
	files := map[string]string{}
	cases := make([]*gardenercases.Case, n)
	for i := range cases {
		cases[i] = gardenercases.Random(gardenercases.Current, seed, i)
		files[cases[i].File()] = cases[i].Text
	}
	repository, err := gardenercases.NewRepository(t.TempDir(), files, "gardenerNodeAgentSecrets: true",
		"gardenerMachineSecret: true", "gardenerKubernetesVersion: "+KubernetesVersion)
	if err != nil {
		t.Fatal(err)
	}
	if err := repository.Generate(); err != nil {
		gardenercases.Keep(t, repository)
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, side := range []string{"management", "worker"} {
		names, err := repository.Listed(side)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(listed, names)
	}
	pool := gardenercases.Sandboxes(t)
	gardenercases.Keep(t, repository)
	t.Run("cases", func(t *testing.T) {
		for i, c := range cases {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				k := &check{c: c, repository: repository, pool: pool, number: i, listed: listed}
				diffs, err := k.run()
				if err != nil {
					diffs = append(diffs, err.Error())
				}
				if len(diffs) > 0 {
					t.Errorf("SEED=%d, case %d: %s %s %s\n%s\n%s", seed, i, c.Type, c.Purpose, c.Name, strings.Join(diffs, "\n"), c.Text)
				}
			})
		}
	})
}

// rendered: osm-gen render prints the very bytes that the Secret has.
func rendered(t *testing.T, repository *gardenercases.Repository, c *gardenercases.Case) {
	t.Helper()
	what, key := "node-agent", "osc.yaml"
	secret, err := repository.NodeAgent(c)
	if c.IsProvision() {
		what, key = "user-data", "cloud_config"
		secret, err = repository.Result(c)
	}
	if err != nil || secret == nil {
		t.Errorf("%s: no Secret: %v", c.Name, err)
		return
	}
	text, status, err := repository.Run("render", "--operating-system-config", c.Namespace+"/"+c.Name, "--print", what, "--reveal")
	if err != nil || status != 0 || text != string(secret.Values[key]) {
		t.Errorf("%s: render --print %s: exit status %d, %v: not the Secret's bytes\n%s", c.Name, what, status, err, repository.Stderr)
	}
}

// check is the comparison of one case.
type check struct {
	c          *gardenercases.Case
	repository *gardenercases.Repository
	pool       chan *gardenercases.Sandbox
	number     int
	listed     map[string]bool

	osc     *v1alpha1.OperatingSystemConfig
	secrets []corev1.Secret
}

func (k *check) run() ([]string, error) {
	var err error
	if k.osc, k.secrets, err = parse(k.c.Text); err != nil {
		return nil, err
	}
	if errs := validation.ValidateOperatingSystemConfig(k.osc); len(errs) > 0 {
		return nil, fmt.Errorf("Gardener's validation: %v", errs)
	}
	upstream := NewUpstream(k.osc, k.secrets)
	if k.c.IsIgnition() && k.c.IsProvision() {
		tamed, err := tame(k.osc, k.secrets, false)
		if err != nil {
			return nil, err
		}
		upstream = NewUpstream(tamed, nil)
	}
	want, secret, err := upstream.Reconcile(background)
	if err != nil {
		return nil, fmt.Errorf("Gardener's reconciler: %w", err)
	}
	sinceThen(want)
	status, err := k.repository.Status(k.c)
	if err != nil {
		return nil, err
	}
	diffs := diffStatus(status, want)
	got, err := k.repository.Result(k.c)
	switch {
	case err != nil:
		return diffs, err
	case (got == nil) != (secret == nil):
		return append(diffs, fmt.Sprintf("a result Secret: %v, want %v", got != nil, secret != nil)), nil
	case got == nil:
		more, err := k.nodeAgent(upstream, status)
		return append(diffs, more...), err
	}
	diffs = append(diffs, k.resultSecret(got, secret)...)
	more, err := k.userData(got.Values["cloud_config"])
	return append(diffs, more...), err
}

// resultSecret compares all of the Secret but its user-data.
func (k *check) resultSecret(got *gardenercases.Secret, want *corev1.Secret) []string {
	var out []string
	if got.Metadata.Name != want.Name || got.Metadata.Namespace != want.Namespace || got.Type != "Opaque" {
		out = append(out, fmt.Sprintf("the Secret is %+v", got.Metadata))
	}
	if string(got.Values["userData"]) != string(got.Values["cloud_config"]) || len(got.Values) != 2 {
		out = append(out, fmt.Sprintf("the Secret's keys: %q", slices.Sorted(maps.Keys(got.Values))))
	}
	if !k.listed[k.c.Namespace+"/secret-"+want.Name+".yaml"] {
		out = append(out, "kustomization.yaml does not name the Secret")
	}
	owners := 0
	if k.osc.UID != "" {
		owners = 1
		owner := want.OwnerReferences[0]
		if len(got.Metadata.OwnerReferences) == 1 && !maps.Equal(got.Metadata.OwnerReferences[0], map[string]string{
			"apiVersion": owner.APIVersion, "kind": owner.Kind, "name": owner.Name, "uid": string(owner.UID),
			"controller": "true", "blockOwnerDeletion": "true"}) {
			out = append(out, fmt.Sprintf("the owner is %q", got.Metadata.OwnerReferences[0]))
		}
	}
	if len(got.Metadata.OwnerReferences) != owners {
		out = append(out, fmt.Sprintf("%d owners", len(got.Metadata.OwnerReferences)))
	}
	return out
}

// inTheClear: what machine-controller-manager replaces stands in the user-data once, in one spelling.
func (k *check) inTheClear(text string) []string {
	var out []string
	for _, mark := range []string{"BOOTSTRAP_TOKEN", "MACHINE_NAME"} {
		want := 0
		for i := range k.osc.Spec.Files {
			file := &k.osc.Spec.Files[i]
			if file.Content.TransmitUnencoded != nil && *file.Content.TransmitUnencoded {
				data, _ := contents(file, k.secrets)
				want += strings.Count(string(data), "<<"+mark+">>")
			}
		}
		plain, escaped := strings.Count(text, "<<"+mark+">>"), strings.Count(text, "%3C%3C"+mark+"%3E%3E")
		if plain+escaped != want || plain > 0 && escaped > 0 {
			out = append(out, fmt.Sprintf("%s stands there %d times, and %d times escaped; want %d", mark, plain, escaped, want))
		}
	}
	return out
}

func (k *check) userData(got []byte) ([]string, error) {
	diffs := k.inTheClear(string(got))
	if k.c.IsIgnition() {
		more, err := k.ignition(got)
		return append(diffs, more...), err
	}
	tamed, err := tame(k.osc, k.secrets, true)
	if err != nil {
		return nil, err
	}
	upstream, err := NewUpstream(tamed, nil).UserData(background)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(k.c.Type, "memoryone-") {
		settings, script, err := gardenercases.OpenMIME(got)
		if err != nil {
			return nil, err
		}
		wanted, wantedScript := gardenercases.CutMIME(upstream)
		if !slices.Equal(settings, wanted) {
			diffs = append(diffs, fmt.Sprintf("settings %q, want %q", settings, wanted))
		}
		got, upstream = script, wantedScript
	}
	more, err := k.scripts(got, upstream)
	return append(diffs, more...), err
}

// scripts applies both, twice, and compares what they did, and ours with the OperatingSystemConfig.
func (k *check) scripts(got, upstream []byte) ([]string, error) {
	sandbox := <-k.pool
	defer func() { k.pool <- sandbox }()
	script := gardenercases.MachineBefore(k.number)
	script.Text = got
	ours, err := sandbox.Apply(script)
	if err != nil {
		return nil, err
	}
	script.Text = upstream
	theirs, err := sandbox.Apply(script)
	if err != nil {
		return nil, err
	}
	want, err := specified(k.osc, k.secrets, 0o644)
	if err != nil {
		return nil, err
	}
	var diffs []string
	for i := range ours {
		for _, diff := range gardenercases.DiffEffects(ours[i], trueEffect(theirs[i])) {
			diffs = append(diffs, fmt.Sprintf("time %d: %s", i+1, diff))
		}
		for path, node := range want {
			if diff := gardenercases.DiffNodes(map[string]gardenercases.Node{path: ours[i].Nodes[path]}, map[string]gardenercases.Node{path: node}); diff != nil {
				diffs = append(diffs, "of the spec: "+diff[0])
			}
		}
	}
	if len(diffs) > 0 {
		diffs = append(diffs, "stderr: "+ours[0].Stderr, "Gardener's: "+theirs[0].Stderr)
	}
	return diffs, nil
}

// ignition compares both as data.
func (k *check) ignition(got []byte) ([]string, error) {
	tamed, err := tame(k.osc, k.secrets, false)
	if err != nil {
		return nil, err
	}
	upstream, err := NewUpstream(tamed, nil).UserData(background)
	if err != nil {
		return nil, err
	}
	brought := map[string]bool{"/opt/bin/containerd-setup.sh": true, "containerd-setup.service": true, "containerd.service": true}
	want, err := parseIgnition(upstream, brought)
	if err != nil {
		return nil, fmt.Errorf("Gardener's: %w", err)
	}
	ours, err := parseIgnition(got, brought)
	if err != nil {
		return nil, err
	}
	return diffIgnition(ours, want), nil
}

// nodeAgent compares the Secret for gardener-node-agent.
func (k *check) nodeAgent(upstream *Upstream, status []byte) ([]string, error) {
	secret, err := k.repository.NodeAgent(k.c)
	if err != nil {
		return nil, err
	} else if secret == nil {
		return []string{"no Secret for gardener-node-agent"}, nil
	}
	// Texts of the operating system are osm-gen's own, so gardenlet is given osm-gen's status.
	var object v1alpha1.OperatingSystemConfig
	if err := yaml.Unmarshal(status, &object); err != nil {
		return nil, err
	}
	want, err := upstream.NodeAgentSecret(background, object.Status, strings.TrimSuffix(k.c.Name, "-original"), pool(k.osc))
	if err != nil {
		return nil, err
	}
	diffs := diffLines("osc.yaml", secret.Values["osc.yaml"], want.Data["osc.yaml"])
	for name, text := range want.Annotations {
		if secret.Metadata.Annotations[name] != text {
			diffs = append(diffs, fmt.Sprintf("annotation %s is %q, want %q", name, secret.Metadata.Annotations[name], text))
		}
	}
	if !maps.Equal(secret.Metadata.Labels, want.Labels) || secret.Metadata.Name != want.Name || secret.Metadata.Namespace != want.Namespace {
		diffs = append(diffs, fmt.Sprintf("the Secret is %+v, want %+v", secret.Metadata, want.ObjectMeta))
	}
	if !k.listed["kube-system/secret-"+want.Name+".yaml"] {
		diffs = append(diffs, "kustomization.yaml does not name the Secret")
	}
	return diffs, nil
}

// pool is the worker pool's name: the label's, or what Gardener made the OSC's name of.
func pool(osc *v1alpha1.OperatingSystemConfig) string {
	if label := osc.Labels["worker.gardener.cloud/pool"]; label != "" {
		return label
	}
	name := strings.TrimSuffix(osc.Name, "-original")
	for _, prefix := range []string{"gardener-node-agent-", "cloud-config-"} {
		if rest, found := strings.CutPrefix(name, prefix); found {
			return rest[:strings.LastIndexByte(rest, '-')]
		}
	}
	return name
}
