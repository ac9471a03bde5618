package compare_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
	"osm-gen.dev/tests/oracle/compare"
	"osm-gen.dev/tests/oracle/fleet"
	"osm-gen.dev/tests/oracle/sopsfile"
	sigsyaml "sigs.k8s.io/yaml"
)

// Every sealed file of a run, read by the real sops with each recipient's key
// alone. sops verifies the MAC and fails on a wrong one.
func TestSopsReadsEverySealedFile(t *testing.T) {
	sops := sopsProgram(t)
	for _, set := range fleet.Matrix(*seed, ubuntu(t)) {
		if set.Name != "mirrors" && set.Name != "credentials-plain" {
			continue
		}
		t.Run(set.Name, func(t *testing.T) {
			run := generate(t, set.Given(), "sealed")
			if run == nil {
				return
			}
			files := sealedFiles(t, run)
			if len(files) < 3*len(set.MDs) {
				t.Fatalf("%d sealed files for %d MachineDeployments", len(files), len(set.MDs))
			}
			for _, file := range files {
				rel, _ := filepath.Rel(run.Out(), file)
				t.Run(rel, func(t *testing.T) { sopsReads(t, sops, file) })
			}
		})
	}
}

func sopsProgram(t *testing.T) string {
	t.Helper()
	sops := os.Getenv("SOPS")
	if sops == "" {
		t.Fatal("SOPS names no program: run make oracle")
	}
	sops, err := filepath.Abs(sops)
	if err != nil {
		t.Fatal(err)
	}
	return sops
}

// A credential in {value: TEXT} has every key "value" of its OSC sealed,
// whatever stands there.
func TestSopsReadsOtherTypes(t *testing.T) {
	objects := append(cluster(someKubeconfig), bootstrapToken("m"),
		profile("p", "ubuntu", "cloud-init", object{}, object{}),
		machineDeployment("m", "1.35.0", onProfile("p"), object{
			"cloudProvider": "openstack", "operatingSystem": "ubuntu", "cloudProviderSpec": object{
				"password": object{"value": "the-password"}, "trustDevicePath": object{"value": true}, "configDrive": object{"value": false},
				"more": object{"value": -25}, "instanceReadyCheckTimeout": object{"value": nil},
				"others": object{"value": []any{"True", true, 0, ""}},
			},
		}))
	run := generate(t, &fleet.Set{Args: []string{"-namespace=kube-system"}, Files: map[string]string{"objects.yaml": manifest(t, objects...)}}, "sealed")
	if run == nil {
		return
	}
	file := filepath.Join(run.Out(), "default/management/kube-system/operatingsystemconfig-m-kube-system-config.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"str", "bool", "int"} {
		if !bytes.Contains(text, []byte(",type:"+kind+"]")) {
			t.Errorf("nothing is sealed as %s", kind)
		}
	}
	sopsReads(t, sopsProgram(t), file)
}

// Keys of a specification are anybody's: of several lines, too long for a simple
// key, such that YAML takes them for something else. sops reads them all, and so
// does osm-gen itself.
func TestSopsReadsOddKeys(t *testing.T) {
	keys := []string{
		"a\nb", "a\nb\n", "\na", "\n", "a\n\n  b", "a\r\nb", "a\n\tb", " a\nb ", "- a\n- b", "a: b\nc: d", "# a\nb", "\u0085a\u2028\nb",
		"true", "~", "5", "? a", "", " ", "a:b", "\"\n'", "tab\tinside\n", "\u00e9\n\U0001F600",
		strings.Repeat("l", 990), strings.Repeat("l", 1100), strings.Repeat("l\n", 600),
	}
	spec, hidden := object{}, object{"value": "the-password"}
	for i, key := range keys {
		spec[key] = object{"inner": i, key: "text"}
		hidden[key] = "hidden-" + strconv.Itoa(i)
	}
	spec["password"] = hidden
	// one is a credential by its name, and as an expression it would be the other too
	spec["secret.+"], spec["secretname"] = "hidden-as-well", "not-hidden"
	objects := append(cluster(someKubeconfig), bootstrapToken("m"), profile("p", "ubuntu", "cloud-init", object{}, object{}))
	md := machineDeployment("m", "1.35.0", onProfile("p"), object{"cloudProvider": "openstack", "operatingSystem": "ubuntu", "cloudProviderSpec": spec})
	// YAML has a limit for keys that JSON has not
	files := map[string]string{"objects.yaml": manifest(t, objects...), "md.json": manifest(t, md)}
	run := generate(t, &fleet.Set{Args: []string{"-namespace=kube-system"}, Files: files}, "sealed")
	if run == nil {
		return
	}
	file := filepath.Join(run.Out(), "default/management/kube-system/operatingsystemconfig-m-kube-system-config.yaml")
	sopsReads(t, sopsProgram(t), file)
	program, err := compare.Program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "unseal", file)
	cmd.Env = []string{"SOPS_AGE_KEY=" + compare.Identities()[0].String(), "HOME=" + t.TempDir()}
	clear, err := cmd.Output()
	if err != nil {
		t.Fatalf("unseal: %v", err)
	}
	got, err := sigsyaml.YAMLToJSONStrict(clear)
	if err != nil {
		t.Fatal(err)
	}
	var unsealed struct {
		Spec struct {
			CloudProvider struct{ Spec json.RawMessage }
		}
	}
	if err := json.Unmarshal(got, &unsealed); err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range compare.Values(unsealed.Spec.CloudProvider.Spec, want, compare.Exact) {
		t.Error(d)
	}
}

func sealedFiles(t *testing.T, run *compare.Run) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(run.Out(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if sopsfile.IsSealed(text) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func sopsReads(t *testing.T, sops, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := sopsfile.Open(text, compare.Identities()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range compare.Identities() {
		cmd := exec.Command(sops, "decrypt", "--input-type", "yaml", "--output-type", "json", file)
		cmd.Env = []string{"SOPS_AGE_KEY=" + id.String(), "HOME=" + t.TempDir()}
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("sops: %v: %s", err, stderr.String())
		}
		// as JSON: the YAML that sops prints loses a text of one line break
		for _, d := range compare.Values(out, want, compare.Exact) {
			t.Error(d)
		}
	}
}

// The age program of the distribution opens the data key of every sealed file.
func TestAgeReadsEveryDataKey(t *testing.T) {
	age, err := exec.LookPath("age")
	if err != nil {
		t.Skip("age is not installed")
	}
	set := fleet.Matrix(*seed, ubuntu(t))[1]
	run := generate(t, set.Given(), "")
	if run == nil {
		return
	}
	identity := filepath.Join(t.TempDir(), "identity")
	if err := os.WriteFile(identity, []byte(compare.Identities()[0].String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := sealedFiles(t, run)
	if len(files) < 3*len(set.MDs) {
		t.Fatalf("%d sealed files for %d MachineDeployments", len(files), len(set.MDs))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Sops struct {
				Age []struct{ Enc, Recipient string }
			}
		}
		if err := yaml.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		opened := 0
		for _, entry := range doc.Sops.Age {
			if entry.Recipient != compare.Identities()[0].Recipient().String() {
				continue
			}
			cmd := exec.Command(age, "-d", "-i", identity)
			cmd.Stdin = strings.NewReader(entry.Enc)
			key, err := cmd.Output()
			if err != nil || len(key) != 32 {
				t.Errorf("%s: age: %v, %d bytes", file, err, len(key))
			}
			opened++
		}
		if opened != 1 {
			t.Errorf("%s: %d entries for one recipient", file, opened)
		}
	}
}
