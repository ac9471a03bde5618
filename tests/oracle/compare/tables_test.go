package compare_test

import (
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"encoding/json"
	"errors"

	"osm-gen.dev/tests/oracle/compare"
	"osm-gen.dev/tests/oracle/fleet"
	"osm-gen.dev/tests/oracle/upstream"
)

const someKubeconfig = "apiVersion: v1\nkind: Config\nclusters:\n- name: \"\"\n  cluster: {server: \"https://foo.bar:6443\", certificate-authority-data: Zm9v}\n"

// profile is one of some operating system with these two configurations.
func profile(name, os, utility string, bootstrap, provisioning object) object {
	return object{
		"apiVersion": "operatingsystemmanager.k8c.io/v1alpha1", "kind": "OperatingSystemProfile",
		"metadata": object{"namespace": "kube-system", "name": name},
		"spec": object{
			"osName": os, "osVersion": "1", "version": "v1.0.0", "provisioningUtility": utility,
			"supportedCloudProviders": []object{{"name": "aws"}, {"name": "azure"}, {"name": "openstack"}},
			"bootstrapConfig":         bootstrap, "provisioningConfig": provisioning,
		},
	}
}

func onProfile(name string) map[string]string {
	return map[string]string{"k8c.io/operating-system-profile": name}
}

// oscFiles are the provisioning files of an OSC, by path.
func oscFiles(t *testing.T, run *compare.Run, name string) map[string]string {
	t.Helper()
	osc, err := run.OSC("kube-system", name)
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		Spec struct {
			ProvisioningConfig struct {
				Files []struct {
					Path    string
					Content struct{ Inline struct{ Data string } }
				}
			}
		}
	}
	if err := json.Unmarshal(osc.JSON, &object); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range object.Spec.ProvisioningConfig.Files {
		out[f.Path] = f.Content.Inline.Data
	}
	return out
}

const containerdConfig = "/etc/containerd/config.toml"

// containerd is a cluster whose machine holds the configuration of containerd alone.
func containerd(t *testing.T, args []string, more ...any) *fleet.Set {
	objects := append(cluster(someKubeconfig), bootstrapToken("m"),
		profile("p", "ubuntu", "cloud-init", object{}, object{"supportedContainerRuntimes": []object{{
			"name": "containerd",
			"files": []object{{
				"path": containerdConfig, "content": object{"inline": object{"data": "{{ .ContainerRuntimeConfig }}"}},
			}},
		}}}),
		machineDeployment("m", "1.35.0", onProfile("p"), object{
			"cloudProvider": "aws", "cloudProviderSpec": object{}, "operatingSystem": "ubuntu",
		}))
	return &fleet.Set{
		Args:  append([]string{"-namespace=kube-system"}, args...),
		Files: map[string]string{"objects.yaml": manifest(t, append(objects, more...)...)},
	}
}

// The files that the controller's containerd configuration is tested with.
func TestContainerdTable(t *testing.T) {
	_, rows := table(t, "pkg/containerruntime/containerd_test.go", "TestContainerd_Configs")
	for _, row := range rows {
		name := upstream.Text(row, "name")
		t.Run(name, func(t *testing.T) {
			engine := upstream.Map(row, "eng")
			var args []string
			mirrors := upstream.Map(engine, "registryMirrors")
			for _, registry := range slices.Sorted(maps.Keys(mirrors)) {
				for _, url := range upstream.Texts(mirrors, registry) {
					args = append(args, "-node-containerd-registry-mirrors="+registry+"="+url)
				}
			}
			if insecure := upstream.Texts(engine, "insecureRegistries"); insecure != nil {
				args = append(args, "-node-insecure-registries="+strings.Join(insecure, ","))
			}
			auths := object{}
			credentials := upstream.Map(engine, "registryCredentials")
			for registry := range credentials {
				auth := upstream.Map(credentials, registry)
				auths[registry] = object{"username": auth["Username"], "password": auth["Password"]}
			}
			var more []any
			if len(auths) > 0 {
				text, _ := json.Marshal(object{"auths": auths})
				args = append(args, "-node-registry-credentials-secret=kube-system/pull")
				more = append(more, named("Secret", "kube-system", "pull", object{
					"type": "kubernetes.io/dockerconfigjson", "stringData": object{".dockerconfigjson": string(text)},
				}))
			}
			run := generate(t, containerd(t, args, more...), "sealed")
			if run == nil {
				return
			}
			files := oscFiles(t, run, "m-kube-system-config")
			got := "# " + containerdConfig + "\n" + files[containerdConfig]
			delete(files, containerdConfig)
			for _, path := range slices.Sorted(maps.Keys(files)) {
				got += "---\n# " + path + "\n" + files[path]
			}
			want := upstreamFile(t, "pkg/containerruntime/testdata/TestContainerd_Configs-"+strings.ReplaceAll(name, " ", "_")+".golden")
			if d := compare.Bytes([]byte(got), []byte(want)); d != "" {
				t.Error(d)
			}
		})
	}
}

var host = regexp.MustCompile(`(?m)^\[host\."(.*)"\]$`)

// mirrorsOf are the mirrors of each registry as they reach a machine.
func mirrorsOf(t *testing.T, run *compare.Run) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for path, text := range oscFiles(t, run, "m-kube-system-config") {
		registry, ok := strings.CutPrefix(strings.TrimSuffix(path, "/hosts.toml"), "/etc/containerd/certs.d/")
		if !ok {
			continue
		}
		for _, m := range host.FindAllStringSubmatch(text, -1) {
			out[registry] = append(out[registry], m[1])
		}
	}
	return out
}

// compareMirrors: the mirrors of a table reach the machine; their order does not.
func compareMirrors(t *testing.T, args []string, want map[string]any) {
	t.Helper()
	run := generate(t, containerd(t, args), "")
	if run == nil {
		return
	}
	expected := map[string][]string{"docker.io": {"https://registry-1.docker.io"}}
	for registry := range want {
		expected[registry] = upstream.Texts(want, registry)
		sort.Strings(expected[registry])
	}
	if got := mirrorsOf(t, run); fmt.Sprint(got) != fmt.Sprint(expected) {
		t.Errorf("mirrors %v, want %v", got, expected)
	}
}

// The forms of the flags for mirrors.
func TestMirrorFlagTables(t *testing.T) {
	_, rows := table(t, "pkg/containerruntime/config_test.go", "TestContainerdRegistryMirror")
	for _, row := range rows {
		t.Run(upstream.Text(row, "desc"), func(t *testing.T) {
			compareMirrors(t, []string{"-node-registry-mirrors=" + upstream.Text(row, "flag")}, upstream.Map(row, "expectedMirrors"))
		})
	}
	_, rows = table(t, "pkg/containerruntime/flags_test.go", "TestRegistryMirrorsFlags_Set")
	for _, row := range rows {
		t.Run(upstream.Text(row, "name"), func(t *testing.T) {
			compareMirrors(t, []string{"-node-containerd-registry-mirrors=" + upstream.Text(row, "input")}, upstream.Map(row, "want"))
		})
	}
	_, rows = table(t, "pkg/containerruntime/flags_test.go", "TestRegistryMirrorsFlagsWithFlagParse")
	for _, row := range rows {
		t.Run(upstream.Text(row, "name"), func(t *testing.T) {
			args := slices.DeleteFunc(upstream.Texts(row, "args"), func(a string) bool { return strings.Contains(a, "other-flag=") })
			// what the controller leaves unread without a word, osm-gen does not; nor a list, of which it makes one URL
			isList := slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, ",") })
			if row["expectError"] == true || len(upstream.Texts(row, "expectedArgs")) > 0 || isList {
				refusesUsage(t, containerd(t, args))
				return
			}
			compareMirrors(t, args, upstream.Map(row, "expectedResult"))
		})
	}
}

func refusesUsage(t *testing.T, set *fleet.Set) {
	t.Helper()
	run, err := compare.Generate(t.TempDir(), set, "")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 64 && exit.ExitCode() != 2 {
		t.Fatalf("%v, want exit status 64 or 2", err)
	}
	if !strings.Contains(run.Stderr, "error[OSG") {
		t.Errorf("no diagnostic: %s", run.Stderr)
	}
}

// hostsFile is what the controller appends to every provisioning
// configuration; the generator's own tests go in behind that.
var hostsFile = regexp.MustCompile(
	`,\{"filesystem":"root","path":"/etc/containerd/certs\.d/docker\.io/hosts\.toml","contents":\{"source":"[^"]*","verification":\{\}\},"mode":384\}` +
		`|\n- path: '/etc/containerd/certs\.d/docker\.io/hosts\.toml'\n  permissions: '0600'\n  content: \|-\n(?:    .*\n)*`)

// soundKeys are keys that machine-controller's webhook takes, in place of what the controller's tests have.
type soundKeys struct{ given []string }

func (s *soundKeys) replace(given []string) []string {
	var out []string
	for _, key := range given {
		if strings.TrimSpace(key) == "" { // the webhook takes no empty one
			continue
		}
		at := slices.Index(s.given, strings.TrimSpace(key))
		if at < 0 {
			at = len(s.given)
			s.given = append(s.given, strings.TrimSpace(key))
		}
		out = append(out, strings.Replace(key, s.given[at], fleet.SSHKey(at), 1))
	}
	return out
}

func (s *soundKeys) restore(text string) string {
	for at, key := range s.given {
		text = strings.ReplaceAll(text, fleet.SSHKey(at), key)
	}
	return text
}

// The texts that the controller's user-data generators are tested with.
func TestGeneratorTable(t *testing.T) {
	_, rows := table(t, "pkg/generator/generator_test.go", "TestDefaultCloudConfigGenerator_Generate")
	objects := cluster(someKubeconfig)
	keys := &soundKeys{}
	for i, row := range rows {
		spec := upstream.Map(upstream.Map(row, "osc"), "Spec")
		given := upstream.Map(spec, "ProvisioningConfig")
		os, utility := upstream.Text(spec, "OSName"), "cloud-init"
		switch os {
		case "flatcar":
			utility = "ignition"
		case "rhel": // its subscription comes in before the generator, and is no matter of it
			os = "rockylinux"
		}
		provider := upstream.Text(upstream.Map(spec, "CloudProvider"), "Name")
		if provider == "" {
			provider = "aws"
		}
		boot, prov := object{}, generatorConfig(given)
		if upstream.Text(row, "secretType") != "" {
			boot, prov = prov, boot
		}
		name := fmt.Sprintf("m%02d", i)
		config := object{
			"cloudProvider": provider, "cloudProviderSpec": object{}, "operatingSystem": os,
			"sshPublicKeys": keys.replace(upstream.Texts(given, "UserSSHKeys")), "operatingSystemSpec": object{"distUpgradeOnBoot": false},
		}
		if given := upstream.Text(upstream.Map(row, "operatingSystemSpec"), "Raw"); given != "" {
			config["operatingSystemSpec"] = json.RawMessage(given)
		}
		objects = append(objects, profile("p-"+name, os, utility, boot, prov),
			machineDeployment(name, "1.31.0", onProfile("p-"+name), config))
	}
	run := generate(t, &fleet.Set{
		Args: []string{"-namespace=kube-system", "-external-cloud-provider"}, Files: map[string]string{"objects.yaml": manifest(t, objects...)},
	}, "")
	if run == nil {
		return
	}
	for i, row := range rows {
		t.Run(fmt.Sprintf("%d %s", i+1, upstream.Text(row, "name")), func(t *testing.T) {
			kind := "provisioning"
			if upstream.Text(row, "secretType") != "" {
				kind = "bootstrap"
			}
			got, err := run.Secret("cloud-init-settings", fmt.Sprintf("m%02d-kube-system-%s-config", i, kind))
			if err != nil {
				t.Fatal(err)
			}
			text := keys.restore(string(got.Data["cloud-config"]))
			if kind == "provisioning" {
				if len(hostsFile.FindAllString(text, -1)) != 1 {
					t.Fatalf("not one hosts.toml: %s", text)
				}
				text = hostsFile.ReplaceAllString(text, "")
			}
			if d := compare.Bytes([]byte(text), []byte(upstream.Text(row, "expectedCloudConfig"))); d != "" {
				t.Error(d)
			}
		})
	}
}

func generatorConfig(given map[string]any) object {
	var files []object
	list, _ := given["Files"].([]any)
	for _, f := range list {
		f := f.(map[string]any)
		inline := upstream.Map(upstream.Map(f, "Content"), "Inline")
		files = append(files, object{
			"path": f["Path"], "permissions": f["Permissions"], "content": object{"inline": object{"data": inline["Data"]}},
		})
	}
	out := object{"files": files}
	if modules := upstream.Map(given, "CloudInitModules"); modules != nil {
		m := object{}
		for key, name := range map[string]string{
			"BootCMD": "bootcmd", "RHSubscription": "rh_subscription", "RunCMD": "runcmd", "YumRepos": "yum_repos", "YumRepoDir": "yum_repo_dir",
		} {
			if v, ok := modules[key]; ok {
				m[name] = v
			}
		}
		out["modules"] = m
	}
	return out
}

// Which SSH keys reach a machine.
func TestKeyTable(t *testing.T) {
	_, rows := table(t, "pkg/generator/generator_test.go", "TestDeduplicateSSHKeys")
	objects := append(cluster(someKubeconfig), profile("p", "ubuntu", "cloud-init", object{}, object{}))
	keys := &soundKeys{}
	for i, row := range rows {
		objects = append(objects, machineDeployment(fmt.Sprintf("m%d", i), "1.35.0", onProfile("p"), object{
			"cloudProvider": "aws", "cloudProviderSpec": object{}, "operatingSystem": "ubuntu", "sshPublicKeys": keys.replace(upstream.Texts(row, "input")),
		}))
	}
	run := generate(t, &fleet.Set{Args: []string{"-namespace=kube-system"}, Files: map[string]string{"objects.yaml": manifest(t, objects...)}}, "")
	if run == nil {
		return
	}
	for i, row := range rows {
		t.Run(upstream.Text(row, "name"), func(t *testing.T) {
			got, err := run.Secret("cloud-init-settings", fmt.Sprintf("m%d-kube-system-bootstrap-config", i))
			if err != nil {
				t.Fatal(err)
			}
			want := "#cloud-config\n\nssh_pwauth: false\n\nssh_authorized_keys:\n"
			for _, key := range upstream.Texts(row, "expected") {
				want += "- '" + key + "'\n"
			}
			if d := compare.Bytes([]byte(keys.restore(string(got.Data["cloud-config"]))), []byte(want+"write_files:")); d != "" {
				t.Error(d)
			}
		})
	}
}
