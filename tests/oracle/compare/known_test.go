package compare_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	"osm-gen.dev/tests/oracle/compare"
	"osm-gen.dev/tests/oracle/controller"
	"osm-gen.dev/tests/oracle/fleet"
)

// knownCase is one of the differences listed in known.txt.
type knownCase struct {
	data    string // of the profile's one file
	args    []string
	objects func(objects []any) []any
	config  object // added to the MachineDeployment's
	version string // of the kubelet, 1.35.0 unless given
	// setEnv changes what surrounds the controller from one time to the next.
	setEnv func(t *testing.T, try int)
	// What osm-gen says when it refuses; empty: it renders the same each time,
	// and what the controller might have.
	refuses []string
	// unlike: what osm-gen renders the controller never does.
	unlike bool
	// still: only a running cluster, or another machine, shows that the controller's results differ.
	still bool
}

var knownCases = map[string]knownCase{
	"random token": {
		data: "x", unlike: true,
		objects: func(all []any) []any {
			return slices.DeleteFunc(all, func(o any) bool {
				return strings.HasPrefix(o.(object)["metadata"].(object)["name"].(string), "bootstrap-token-")
			})
		},
	},
	"several clusters": {
		data: "{{ .ServerURL }}", args: []string{"-kubernetes-ca-bundle=@ca.pem"},
		objects: func(all []any) []any {
			all[0].(object)["data"].(object)["kubeconfig"] = "apiVersion: v1\nkind: Config\nclusters:\n" +
				"- {name: a, cluster: {server: \"https://a.example.com\"}}\n- {name: b, cluster: {server: \"https://b.example.com\"}}\n"
			return all
		},
		refuses: []string{"OSG4018"},
	},
	"annotation twice": {
		data: "{{ .MaxPods }}",
		objects: func(all []any) []any {
			annotations := all[len(all)-1].(object)["metadata"].(object)["annotations"].(map[string]string)
			annotations["v1.kubelet-config.machine-controller.kubermatic.io/MaxPods"] = "110"
			annotations["v1.kubelet-config.machine-controller.kubermatic.iox/MaxPods"] = "220"
			return all
		},
		refuses: []string{"two annotations set MaxPods"},
	},
	"credentials twice": {
		data: "{{ .ContainerRuntimeConfig }}", args: []string{"-node-registry-credentials-secret=kube-system/pull"},
		objects: func(all []any) []any {
			return slices.Insert(all, 0, any(named("Secret", "kube-system", "pull", object{
				"type": "kubernetes.io/dockerconfigjson",
				"stringData": object{".dockerconfigjson": `{"auths":{` +
					`"https://gcr.io":{"username":"first-of-the-two"},"gcr.io":{"username":"second-of-the-two"}}}`},
			})))
		},
		refuses: []string{"OSG4020", "names a registry's host that another key names too"},
	},
	"which error": {
		data: "{{ .NoSuchField }}",
		objects: func(all []any) []any {
			templates := object{"one": "{{ .FirstMistake }}", "two": "{{ .SecondMistake }}"}
			all[len(all)-2].(object)["spec"].(object)["provisioningConfig"].(object)["templates"] = templates
			return all
		},
		refuses: []string{"FirstMistake"},
	},
	"keys of a map":   {data: `{{ join "," (keys (dict "a" "1" "b" "2")) }}`},
	"values of a map": {data: `{{ join "," (values (dict "a" "1" "b" "2")) }}`},
	"address": {
		data: "{{ quote .HTTPProxy }}", args: []string{"-node-http-proxy=http://proxy.example.com"}, refuses: []string{"OSG3003"},
	},
	"random function": {data: "{{ uuidv4 }}", refuses: []string{"OSG3003"}},
	"clock":           {data: `{{ now }}`, unlike: true},
	"time zone":       {data: `{{ dateInZone "15:04" now "Europe/Berlin" }}`, still: true, refuses: []string{"OSG3003", "time zone"}},
	"environment in a template": {
		data: `{{ env "ORACLE_KNOWN" }}`, refuses: []string{"OSG3003"},
		setEnv: func(t *testing.T, try int) { t.Setenv("ORACLE_KNOWN", strings.Repeat("x", try)) },
	},
	"environment in a cloud-config": {
		data: "{{ .CloudConfig }}", version: "1.28.0", refuses: []string{"OS_DOMAIN_NAME", "--allow-env"},
		config: object{"cloudProvider": "openstack", "cloudProviderSpec": object{
			"identityEndpoint": "https://i.example.com", "region": "r", "username": "u", "password": "password-of-openstack",
			"tenantName": "t", "tenantID": "t",
		}},
		setEnv: func(t *testing.T, try int) { t.Setenv("OS_DOMAIN_NAME", strings.Repeat("x", try)) },
	},
	"end points": {
		data: "{{ .ServerURL }}", args: []string{"-kubernetes-ca-bundle=@ca.pem"}, still: true, refuses: []string{"OSG4018"},
		objects: func(all []any) []any { return all[1:] },
	},
}

func (c *knownCase) set(t *testing.T) *fleet.Set {
	config := object{"cloudProvider": "aws", "cloudProviderSpec": object{}, "operatingSystem": "ubuntu"}
	maps.Copy(config, c.config)
	version := c.version
	if version == "" {
		version = "1.35.0"
	}
	all := append(cluster(someKubeconfig), bootstrapToken("m"),
		profile("p", "ubuntu", "cloud-init", object{}, object{"files": []object{{
			"path": "/f", "content": object{"inline": object{"data": c.data}},
		}}}),
		machineDeployment("m", version, onProfile("p"), config))
	if c.objects != nil {
		all = c.objects(all)
	}
	ca, _ := table(t, "pkg/controllers/osc/osc_reconciler_test.go", "TestReconciler_Reconcile")
	return &fleet.Set{
		Args:  append([]string{"-namespace=kube-system"}, c.args...),
		Files: map[string]string{"objects.yaml": manifest(t, all...)},
		Side:  map[string]string{"ca.pem": constant(t, ca, "dummyCACert")},
	}
}

// theirs is what the controller makes of it this time: the file and the token,
// or the error.
func (c *knownCase) theirs(t *testing.T, set *fleet.Set) (string, error) {
	t.Helper()
	flags, objects := load(t, set)
	cluster, err := controller.NewCluster(flags, objects)
	if err != nil {
		return "", err
	}
	for _, o := range objects {
		if md, ok := o.(*clusterv1alpha1.MachineDeployment); ok {
			r, err := cluster.Render(context.Background(), md)
			if err != nil {
				return "", err
			}
			return r.OSC.Spec.ProvisioningConfig.Files[0].Content.Inline.Data + "\n" + string(r.Kubeconfig.Data["kubeconfig"]), nil
		}
	}
	t.Fatal("no MachineDeployment")
	return "", nil
}

// The controller's results do differ, and osm-gen's do not.
func TestKnown(t *testing.T) {
	listed := knownNames(t)
	for name := range knownCases {
		if !listed[name] {
			t.Errorf("%s is not listed in known.txt", name)
		}
	}
	for name := range staleCases {
		if !listed[name] {
			t.Errorf("%s is not listed in known.txt", name)
		}
	}
	for name := range listed {
		_, differs := knownCases[name]
		_, isStricter := stricterCases[name]
		_, isStale := staleCases[name]
		if !differs && !isStricter && !isStale && name != nameWithFields && name != revisionNotInGit {
			t.Errorf("%s of known.txt has no case", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(knownCases)) {
		c := knownCases[name]
		t.Run(name, func(t *testing.T) { c.run(t) })
	}
}

func (c *knownCase) run(t *testing.T) {
	set := c.set(t)
	met := map[string]bool{}
	for try := 0; try < 64 && len(met) < 2 && !c.still; try++ {
		if c.setEnv != nil {
			c.setEnv(t, try+1)
		}
		text, err := c.theirs(t, set)
		if err != nil {
			text = "error: " + err.Error()
		}
		met[text] = true
	}
	if len(met) < 2 && !c.still {
		t.Fatalf("the controller renders one thing only: %v", met)
	}
	first, err := compare.Generate(t.TempDir(), set, "sealed")
	if len(c.refuses) > 0 {
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 {
			t.Fatalf("osm-gen: %v, want exit status 2", err)
		}
		for _, word := range c.refuses {
			if !strings.Contains(first.Stderr, word) {
				t.Errorf("osm-gen does not say %q: %s", word, first.Stderr)
			}
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	second, err := compare.Generate(t.TempDir(), set, "sealed")
	if err != nil {
		t.Fatal(err)
	}
	a, b := c.ours(t, first), c.ours(t, second)
	if a != b {
		t.Errorf("osm-gen renders %q and %q", a, b)
	}
	if met[a] == c.unlike {
		t.Errorf("osm-gen renders %q, the controller one of %v", a, met)
	}
}

func (c *knownCase) ours(t *testing.T, run *compare.Run) string {
	t.Helper()
	kubeconfig, err := run.Secret("cloud-init-settings", "kube-system-m-kubelet-bootstrap-config")
	if err != nil {
		t.Fatal(err)
	}
	return oscFiles(t, run, "m-kube-system-config")["/f"] + "\n" + string(kubeconfig.Data["kubeconfig"])
}

// knownNames are those listed in known.txt, each with its reason.
func knownNames(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../known.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		name, reason, ok := strings.Cut(line, ": ")
		if !ok || !strings.Contains(reason, "; osm-gen ") {
			t.Fatalf("known.txt: no reason in %q", line)
		}
		out[name] = true
	}
	return out
}
