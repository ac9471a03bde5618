package gardener2021

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gardener/gardener/pkg/operation/botanist/component/extensions/operatingsystemconfig/executor"
	"osm-gen.dev/tests/oracle/gardenercases"
)

const (
	steps      = 3
	reloadPath = "/var/lib/cloud-config-downloader/downloads/cloud_config"
	// Notes down each call; fails for the words in $FAIL.
	systemctl = "#!/bin/sh\necho \"$*\" >>\"$CALLS\"\n[ -z \"$FAIL\" ] || ! echo \"$*\" | grep -qwF -- \"$FAIL\"\n"
	inside    = `mount --bind "$NODE/systemd" /etc/systemd/system && mount --bind "$NODE/lib" /var/lib &&
		mount --bind "$NODE/opt" /opt && exec "$@"`
)

// part is a unit with a file that it names, and one that it does not name.
type part struct {
	unit, named, other int // versions of their contents; 0: there is none
	command            string
	enable             string
}

// osc is a step of a sequence.
type osc struct {
	parts []part
	name  string
	kind  string // of the system
}

func (o *osc) manifest() string {
	text := "---\napiVersion: extensions.gardener.cloud/v1alpha1\nkind: OperatingSystemConfig\nmetadata: {name: " + o.name +
		"-original, namespace: shoot}\nspec:\n  type: " + o.kind + "\n  purpose: reconcile\n  reloadConfigFilePath: " + reloadPath + "\n"
	units, files := "", ""
	for i, p := range o.parts {
		if p.unit == 0 {
			continue
		}
		units += fmt.Sprintf("  - name: u%d.service\n%s%s    content: |\n      [Service]\n      ExecStart=/opt/u%d --version=%d --config=/opt/named-%d\n",
			i, p.command, p.enable, i, p.unit, i)
		if p.named > 0 {
			files += fmt.Sprintf("  - {path: /opt/named-%d, permissions: 0644, content: {inline: {encoding: '', data: v%d}}}\n", i, p.named)
		}
		if p.other > 0 {
			files += fmt.Sprintf("  - {path: /opt/other-%d, permissions: 0600, content: {inline: {encoding: '', data: v%d}}}\n", i, p.other)
		}
	}
	if units != "" {
		text += "  units:\n" + units
	}
	if files != "" {
		text += "  files:\n" + files
	}
	return text
}

func (o *osc) units() []string {
	var names []string
	for i, p := range o.parts {
		if p.unit > 0 {
			names = append(names, fmt.Sprintf("u%d.service", i))
		}
	}
	return names
}

func randomPart(random *rand.Rand) part {
	commands := []string{"", "    command: start\n", "    command: start\n", "    command: restart\n", "    command: stop\n"}
	enables := []string{"", "    enable: true\n", "    enable: false\n"}
	return part{unit: random.IntN(4), named: random.IntN(3), other: random.IntN(3), command: commands[random.IntN(len(commands))],
		enable: enables[random.IntN(len(enables))]}
}

// sequence changes nothing, or a few parts, from each step to the next.
func sequence(random *rand.Rand, number int) []*osc {
	parts := make([]part, 1+random.IntN(4))
	for i := range parts {
		parts[i] = randomPart(random)
	}
	var all []*osc
	for step := range steps {
		all = append(all, &osc{slices.Clone(parts), fmt.Sprintf("cloud-config-s%d-%d", number, step), "minimal"})
		for range random.IntN(3) {
			parts[random.IntN(len(parts))] = randomPart(random)
		}
	}
	return all
}

type node struct {
	folder string
	calls  []string
	status int
}

func newNode(t *testing.T, folder string) *node {
	t.Helper()
	for _, name := range []string{"systemd", "opt", "bin", "lib/kubelet", "lib/cloud-config-downloader/credentials"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"bin/systemctl": systemctl, "lib/cloud-config-downloader/credentials/server": "https://api.example.com",
		"lib/cloud-config-downloader/credentials/ca.crt": "ca", "lib/cloud-config-downloader/download-cloud-config.sh": "downloader"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return &node{folder: folder}
}

// run keeps the units' calls in order, without reloads.
func (n *node) run(script []byte, fail string) error {
	path, calls := filepath.Join(n.folder, "script"), filepath.Join(n.folder, "calls")
	if err := os.WriteFile(path, script, 0o755); err != nil {
		return err
	}
	_ = os.Remove(calls)
	command := exec.Command("unshare", "-rm", "sh", "-c", inside, "sh", "bash", "-e", path)
	if bytes.HasPrefix(script, []byte("#!/bin/sh\n")) {
		command = exec.Command("unshare", "-rm", "sh", "-c", inside, "sh", "sh", path)
	}
	command.Env = []string{"PATH=" + n.folder + "/bin:" + os.Getenv("PATH"), "NODE=" + n.folder, "CALLS=" + calls, "FAIL=" + fail}
	_ = command.Run()
	n.status = command.ProcessState.ExitCode()
	text, _ := os.ReadFile(calls)
	n.calls = nil
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if line != "" && line != "daemon-reload" {
			n.calls = append(n.calls, line)
		}
	}
	return nil
}

// files are those of the configuration, with their modes.
func (n *node) files(t *testing.T) map[string]string {
	found := map[string]string{}
	for _, name := range []string{"systemd", "opt"} {
		err := filepath.WalkDir(filepath.Join(n.folder, name), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			info, _ := entry.Info()
			found[strings.TrimPrefix(path, n.folder)] = info.Mode().String() + " " + string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func (n *node) restarted() []string {
	var names []string
	for _, call := range n.calls {
		if name, ok := strings.CutPrefix(call, "restart --no-block "); ok {
			names = append(names, name)
		}
	}
	return names
}

// expected are the units that our script restarts or stops, by this second statement of its rule.
func expected(before, now *osc) (restarts, stops []string) {
	applied := before == nil || before.asApplied() != now.asApplied()
	for i, p := range now.parts {
		var was part
		if before != nil {
			was = before.parts[i]
		}
		changed := was.unit != p.unit || was.named != p.named || was.command != p.command || was.enable != p.enable
		// No command and start are one; so are no enable and true.
		if was.unit == p.unit && was.named == p.named && meaning(was) == meaning(p) {
			changed = false
		}
		if p.unit == 0 || !applied || (!changed && !strings.Contains(p.command, "restart")) {
			continue
		}
		name := fmt.Sprintf("u%d.service", i)
		if strings.Contains(p.command, "stop") {
			stops = append(stops, name)
		} else {
			restarts = append(restarts, name)
		}
	}
	return restarts, stops
}

// asApplied is the manifest without its name and without defaults.
func (o *osc) asApplied() string {
	return strings.NewReplacer(o.name, "", "    command: start\n", "", "    enable: true\n", "").Replace(o.manifest())
}

func meaning(p part) [3]bool {
	return [3]bool{strings.Contains(p.command, "stop"), strings.Contains(p.command, "restart"), strings.Contains(p.enable, "false")}
}

// Random sequences of OperatingSystemConfigs on two nodes: one runs our execution scripts, the other those of Gardener v1.24, with
// the same user-data. Both have the same files after each step. The differences are known (docs/spec/gardener.md 7.1).
func TestExecutor(t *testing.T) {
	if exec.Command("unshare", "-rm", "true").Run() != nil {
		t.Skip("no mount namespaces")
	}
	seed, n := gardenercases.Seed(t), gardenercases.Count(200)
	random := rand.New(rand.NewPCG(seed, 24))
	files, all := map[string]string{}, make([][]*osc, n)
	for i := range all {
		all[i] = sequence(random, i)
		for _, step := range all[i] {
			files[step.name+".yaml"] = step.manifest()
		}
	}
	repository, err := gardenercases.NewRepository(t.TempDir(), files, `gardenerContract: "2021"`, "gardenerFlow: downloader", "gardenerApplySpread: 0")
	if err != nil {
		t.Fatal(err)
	}
	if err := repository.Generate(); err != nil {
		t.Fatal(err)
	}
	for i, steps := range all {
		fail := ""
		if i%5 == 4 {
			fail = "u0.service"
		}
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			runSequence(t, repository, steps, fail)
		})
	}
}

func runSequence(t *testing.T, repository *gardenercases.Repository, sequence []*osc, fail string) {
	ours, theirs := newNode(t, filepath.Join(t.TempDir(), "ours")), newNode(t, filepath.Join(t.TempDir(), "theirs"))
	var before *osc
	for _, step := range sequence {
		secret, err := repository.NodeAgent(&gardenercases.Case{Name: step.name + "-original"})
		if err != nil || secret == nil {
			t.Fatal(step.name, err)
		}
		units := step.units()
		script, err := executor.Script("token", secret.Values["cloud_config"], nil, nil, "/usr/bin/env bash "+reloadPath, units)
		if err != nil {
			t.Fatal(err)
		}
		if err := ours.run(secret.Values["script"], fail); err != nil {
			t.Fatal(err)
		}
		if err := theirs.run(script, fail); err != nil {
			t.Fatal(err)
		}
		if got, want := ours.files(t), theirs.files(t); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s: files\n%v\nGardener's\n%v", step.name, got, want)
		}
		if fail != "" && slices.Contains(units, fail) {
			// Ours reports and repeats what failed; what comes after is not compared.
			if called := slices.ContainsFunc(ours.calls, func(call string) bool { return strings.HasSuffix(call, fail) }); called && ours.status != 1 {
				t.Errorf("%s: status %d although %s failed", step.name, ours.status, fail)
			}
			return
		}
		restarts, stops := expected(before, step)
		if ours.status != 0 || theirs.status != 0 {
			t.Errorf("%s: status %d, Gardener's %d", step.name, ours.status, theirs.status)
		}
		if got := ours.restarted(); !slices.Equal(got, restarts) {
			t.Errorf("%s: restarts %v, want %v", step.name, got, restarts)
		}
		for _, name := range stops {
			if !slices.Contains(ours.calls, "stop "+name) {
				t.Errorf("%s: %s was not stopped: %v", step.name, name, ours.calls)
			}
		}
		// Gardener sees a change of user-data only, not one of command or enable.
		for _, name := range ours.restarted() {
			if len(theirs.calls) > 0 && !slices.Contains(theirs.restarted(), name) {
				t.Errorf("%s: %s restarts, and not with Gardener: %v", step.name, name, theirs.calls)
			}
		}
		if got := theirs.restarted(); len(got) > 0 && !slices.Equal(got, units) {
			t.Errorf("%s: Gardener restarts %v of %v", step.name, got, units)
		}
		before = step
	}
}
