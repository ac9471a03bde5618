package adopt_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	"osm-gen.dev/tests/oracle/adopt"
	"osm-gen.dev/tests/oracle/compare"
	"osm-gen.dev/tests/oracle/controller"
	"osm-gen.dev/tests/oracle/fleet"
	"osm-gen.dev/tests/oracle/sopsfile"
)

const machines = "machines/machinedeployments.yaml"

func seed() uint64 {
	n, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	if err != nil {
		return 1
	}
	return n
}

func systems(t *testing.T) []*fleet.System {
	t.Helper()
	theirs, err := controller.DefaultOSPTexts()
	if err != nil {
		t.Fatal(err)
	}
	ours, err := compare.Profiles()
	if err != nil {
		t.Fatal(err)
	}
	var out []*fleet.System
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		s, err := fleet.ReadSystem("theirs-"+strings.TrimPrefix(name, "osp-"), theirs[name])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		s, err := fleet.ReadSystem(name, ours[name])
		if err != nil {
			t.Fatal(err)
		}
		s.Builtin = true
		out = append(out, s)
	}
	return out
}

// cluster is a live one, and a repository to take it into.
type cluster struct {
	dir  string
	set  *fleet.Set
	args []string
	env  []string
}

// osmGen runs the program in the repository; it returns stdout and stderr.
func (c *cluster) osmGen(t *testing.T, status int, args ...string) (string, string) {
	t.Helper()
	program, err := compare.Program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = filepath.Join(c.dir, "fleet")
	cmd.Env = c.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != status {
		t.Fatalf("osm-gen %s: exit status %d, want %d\n%s%s", strings.Join(args, " "), got, status, stdout.String(), stderr.String())
	}
	return stdout.String(), stderr.String()
}

func (c *cluster) git(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=oracle", "-c", "user.email=oracle@localhost", "-C", filepath.Join(c.dir, "fleet")}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v: %s", args[0], err, out)
	}
}

// repository makes a fleet's, with recipients and nothing else.
func (c *cluster) repository(t *testing.T) {
	t.Helper()
	id := sopsfile.Identity("first")
	identity := filepath.Join(c.dir, "identity.txt")
	settings := "apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  sealing:\n    recipients: [" + id.Recipient().String() + "]\n" +
		"  defaults: {unreadableUserData: warning}\n"
	for path, text := range map[string]string{filepath.Join(c.dir, "fleet", "osm-gen.yaml"): settings, identity: id.String() + "\n"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.git(t, "init", "-q", "-b", "main")
	c.env = append(c.set.Environ(), "PATH="+os.Getenv("PATH"), "HOME="+c.dir,
		"OSM_GEN_SEAL_SEED="+compare.Seed(), "SOPS_AGE_KEY_FILE="+identity)
}

// export lets the controller do its work and prints what is there then.
func (c *cluster) export(t *testing.T, form adopt.Form) string {
	t.Helper()
	var err error
	if c.args, err = c.set.Write(c.dir); err != nil {
		t.Fatal(err)
	}
	flags, err := controller.ParseFlags(c.args)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := controller.Load(filepath.Join(c.dir, "repo"))
	if err != nil {
		t.Fatal(err)
	}
	live, err := controller.NewCluster(flags, objects)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if md, ok := o.(*clusterv1alpha1.MachineDeployment); ok {
			if _, err := live.Render(context.Background(), md); err != nil {
				t.Fatalf("the controller on %s/%s: %v", md.Namespace, md.Name, err)
			}
		}
	}
	all, err := live.Objects(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	text, err := adopt.Export(form, all, adopt.Deployment(c.args))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(c.dir, "live."+string(form))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// noLeak looks for every secret in all that stands in the repository.
func (c *cluster) noLeak(t *testing.T) {
	t.Helper()
	leaks := compare.NewLeaks(c.set.Secrets)
	files := 0
	err := filepath.WalkDir(filepath.Join(c.dir, "fleet"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(path)
		for _, found := range leaks.Find(text) {
			t.Errorf("%s holds %s", path, found)
		}
		files++
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Fatalf("the repository holds %d files only", files)
	}
}

// opens: what adopt encrypted is what sops encrypts: the reader of the tests
// opens all of it, and the real program, where it is there, one of each cluster.
func (c *cluster) opens(t *testing.T) {
	t.Helper()
	sealed, err := filepath.Glob(filepath.Join(c.dir, "fleet", "clusters", "live", "*", "secret-*.yaml"))
	if err != nil || len(sealed) == 0 {
		t.Fatalf("no Secret was encrypted: %v", err)
	}
	for _, path := range sealed {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sopsfile.Open(text, sopsfile.Identity("first")); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	sops := os.Getenv("SOPS")
	if sops == "" {
		return
	}
	cmd := exec.Command(sops, "-d", sealed[0])
	cmd.Env = c.env
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("Secret")) {
		t.Errorf("sops -d %s: %v: %s", sealed[0], err, out)
	}
}

// A live cluster of every provider and operating system, under every set of
// flags: taken over, rendered, compared, it is equal; and no secret stands in
// the repository in the clear.
func TestAdopt(t *testing.T) {
	for i, set := range fleet.Matrix(seed(), systems(t)...) {
		form := []adopt.Form{adopt.YAML, adopt.JSON}[i%2]
		t.Run(set.Name+"-"+string(form), func(t *testing.T) {
			var err error
			if set.Files[machines], err = adopt.WithoutClear(set.Files[machines]); err != nil {
				t.Fatal(err)
			}
			c := &cluster{dir: t.TempDir(), set: set}
			c.repository(t)
			live := c.export(t, form)
			t.Parallel() // the controller's resolver is one for the process
			options := slices.Concat(adopt.LeftToCI(c.args), set.AllowEnv(), []string{"--revisions", "clusters/revisions"})

			c.osmGen(t, 0, "adopt", live, "--cluster", "live", "--into", "clusters/live")
			c.git(t, "add", "-A")
			c.git(t, "commit", "-q", "-m", "adopt")
			text, _ := c.osmGen(t, 0, slices.Concat([]string{"compare", "--live", live, "-o", "json"}, options)...)
			check(t, text, len(set.MDs))
			c.osmGen(t, 0, slices.Concat([]string{"generate"}, options)...)
			c.osmGen(t, 0, slices.Concat([]string{"compare", "--live", live, "--cluster", "live"}, options)...)
			c.noLeak(t)
			c.opens(t)
		})
	}
}

// check: every MachineDeployment and all of its objects were looked at, and
// are equal, if not but for what differs by nature.
func check(t *testing.T, text string, count int) {
	t.Helper()
	var result struct {
		Equal              bool
		Objects            []struct{ Result, Kind, Name string }
		MachineDeployments []struct{ Name, Template, Revision, LiveRevision string }
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, o := range result.Objects {
		if o.Result == "equal" || o.Result == "equalBut" {
			compared++
		}
	}
	if !result.Equal || len(result.MachineDeployments) != count || compared < 4*count {
		t.Errorf("equal %v, %d MachineDeployments of %d, %d objects compared", result.Equal, len(result.MachineDeployments), count, compared)
	}
	for _, md := range result.MachineDeployments {
		if md.Revision != md.LiveRevision {
			t.Errorf("%s has revision %s, live %s", md.Name, md.Revision, md.LiveRevision)
		}
	}
}

// What differs is found: one byte of a Secret, an object that lacks, one that
// is one too many.
func TestCompareFinds(t *testing.T) {
	set := fleet.Matrix(seed(), systems(t)[:1]...)[0]
	var err error
	if set.Files[machines], err = adopt.WithoutClear(set.Files[machines]); err != nil {
		t.Fatal(err)
	}
	c := &cluster{dir: t.TempDir(), set: set}
	c.repository(t)
	live := c.export(t, adopt.JSON)
	options := slices.Concat(adopt.LeftToCI(c.args), set.AllowEnv(), []string{"--revisions", "clusters/revisions"})
	c.osmGen(t, 0, "adopt", live, "--cluster", "live", "--into", "clusters/live")
	c.git(t, "add", "-A")
	c.git(t, "commit", "-q", "-m", "adopt")

	text, err := os.ReadFile(live)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(items []any) []any{
		"a byte of user-data": func(items []any) []any {
			o := find(items, "Secret", "-bootstrap-config")
			data := o["data"].(map[string]any)
			bytes := []byte(data["cloud-config"].(string))
			bytes[len(bytes)/2] ^= 1
			data["cloud-config"] = string(bytes)
			return items
		},
		"a Secret that lacks": func(items []any) []any {
			o := find(items, "Secret", "-provisioning-config")
			return slices.DeleteFunc(items, func(i any) bool {
				return i.(map[string]any)["metadata"].(map[string]any)["name"] == o["metadata"].(map[string]any)["name"]
			})
		},
		"a MachineDeployment of later": func(items []any) []any {
			text, _ := json.Marshal(find(items, "MachineDeployment", ""))
			var more map[string]any
			_ = json.Unmarshal(text, &more)
			more["metadata"].(map[string]any)["name"] = "later"
			return append(items, more)
		},
		"a revision": func(items []any) []any {
			o := find(items, "OperatingSystemConfig", "")
			o["metadata"].(map[string]any)["annotations"].(map[string]any)["k8c.io/machine-deployment-revision"] = "99"
			return items
		},
	} {
		t.Run(name, func(t *testing.T) {
			var list map[string]any
			if err := json.Unmarshal(text, &list); err != nil {
				t.Fatal(err)
			}
			list["items"] = change(list["items"].([]any))
			changed, err := json.Marshal(list)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "changed.json")
			if err := os.WriteFile(path, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			out, errors := c.osmGen(t, 1, slices.Concat([]string{"compare", "--live", path}, options)...)
			leaks := compare.NewLeaks(set.Secrets)
			for _, found := range leaks.Find([]byte(out + errors)) {
				t.Errorf("what is printed holds %s", found)
			}
		})
	}
}

func find(items []any, kind, suffix string) map[string]any {
	for _, i := range items {
		o := i.(map[string]any)
		name := o["metadata"].(map[string]any)["name"].(string)
		if o["kind"] == kind && strings.HasSuffix(name, suffix) && !strings.HasSuffix(name, "-kubelet-bootstrap-config") {
			return o
		}
	}
	return nil
}
