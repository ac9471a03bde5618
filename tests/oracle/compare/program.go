// Package compare runs osm-gen on a repository and looks at what it wrote, as
// its contract describes it and knowing nothing of its inside.
package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"filippo.io/age"
	"osm-gen.dev/tests/oracle/fleet"
	"osm-gen.dev/tests/oracle/sopsfile"
	"sigs.k8s.io/yaml"
)

// Program is the osm-gen under test.
func Program() (string, error) {
	path := os.Getenv("OSM_GEN")
	if path == "" {
		path = "../../../build/osm-gen"
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err != nil {
		return "", errors.New("no osm-gen: build it, or name it in OSM_GEN")
	}
	return path, nil
}

// Profiles are the profiles that osm-gen has inside, by name.
func Profiles() (map[string]string, error) {
	program, err := Program()
	if err != nil {
		return nil, err
	}
	list, err := exec.Command(program, "profiles").Output()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for line := range strings.Lines(string(list)) {
		name := strings.Fields(line)[0]
		// The others are Gardener's operating systems.
		if !strings.HasPrefix(name, "osp-") {
			continue
		}
		text, err := exec.Command(program, "profiles", "show", name).Output()
		if err != nil {
			return nil, err
		}
		out[name] = string(text)
	}
	return out, nil
}

// Run is one run of osm-gen over one set.
type Run struct {
	Dir    string // of the set: repo/ and what stands beside
	Args   []string
	Stdout string
	Stderr string
	ids    []*age.X25519Identity
}

// Identities are the recipients of every run: two, so that the data key is
// sealed more than once.
func Identities() []*age.X25519Identity {
	return []*age.X25519Identity{sopsfile.Identity("first"), sopsfile.Identity("second")}
}

// Generate commits the set into a new repository below dir and runs osm-gen
// there. oscForm is the setting `osc`, "" leaves its default.
func Generate(dir string, set *fleet.Set, oscForm string) (*Run, error) {
	program, err := Program()
	if err != nil {
		return nil, err
	}
	r := &Run{Dir: dir, ids: Identities()}
	if r.Args, err = set.Write(dir); err != nil {
		return nil, err
	}
	var recipients []string
	for _, id := range r.ids {
		recipients = append(recipients, id.Recipient().String())
	}
	settings := "apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n" +
		"  sealing: {format: sops, recipients: [" + strings.Join(recipients, ", ") + "]}\n" +
		"  delivery: {maxUnits: 0}\n  defaults:\n    unreadableUserData: warning\n"
	if oscForm != "" {
		settings += "    osc: " + oscForm + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "repo", "osm-gen.yaml"), []byte(settings), 0o644); err != nil {
		return nil, err
	}
	for _, git := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "-A"},
		{"-c", "user.name=oracle", "-c", "user.email=oracle@localhost", "commit", "-q", "-m", "inputs"},
	} {
		cmd := exec.Command("git", append([]string{"-C", filepath.Join(dir, "repo")}, git...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
			"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000")
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("git %s: %w: %s", git[0], err, out)
		}
	}

	args := []string{"--repo", filepath.Join(dir, "repo"), "--out", "out", "--report", "json=" + filepath.Join(dir, "report.json")}
	args = append(append(args, Options(r.Args)...), set.AllowEnv()...)
	cmd := exec.Command(program, args...)
	cmd.Env = append(set.Environ(), "PATH="+os.Getenv("PATH"), "HOME="+dir, "OSM_GEN_SEAL_SEED="+sopsfile.Seed("oracle"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	r.Stdout, r.Stderr = stdout.String(), stderr.String()
	if err != nil {
		return r, fmt.Errorf("osm-gen: %w\n%s", err, r.Stderr)
	}
	return r, nil
}

// Reports: osm-gen has this diagnostic on a MachineDeployment.
func (r *Run) Reports(code string, md fleet.MD) (bool, error) {
	text, err := os.ReadFile(filepath.Join(r.Dir, "report.json"))
	if err != nil {
		return false, err
	}
	var report struct {
		Diagnostics []struct{ Code, Object string }
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return false, err
	}
	for _, d := range report.Diagnostics {
		if d.Code == code && d.Object == "MachineDeployment "+md.Namespace+"/"+md.Name {
			return true, nil
		}
	}
	return false, nil
}

// Options are the controller's arguments as osm-gen takes them: with two dashes.
func Options(args []string) []string {
	var out []string
	for _, a := range args {
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") {
			a = "-" + a
		}
		out = append(out, a)
	}
	return out
}

// Out is the folder that osm-gen wrote.
func (r *Run) Out() string { return filepath.Join(r.Dir, "repo", "out") }

// Object is a Kubernetes object as it stands in the output, opened.
type Object struct {
	Path     string // below Out
	Sealed   bool
	Metadata struct {
		Name        string            `json:"name"`
		Namespace   string            `json:"namespace"`
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Type       string            `json:"type"`
	Immutable  *bool             `json:"immutable"`
	Data       map[string][]byte `json:"data"`
	StringData map[string]string `json:"stringData"`
	JSON       []byte            `json:"-"` // the whole of it
}

// Read opens one file of the output, by its path below Out.
func (r *Run) Read(path string) (*Object, error) {
	text, err := os.ReadFile(filepath.Join(r.Out(), path))
	if err != nil {
		return nil, err
	}
	o := &Object{Path: path, Sealed: sopsfile.IsSealed(text)}
	if o.Sealed {
		if text, err = sopsfile.Open(text, r.ids...); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if o.JSON, err = yaml.YAMLToJSONStrict(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := yaml.Unmarshal(text, o); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return o, nil
}

// Secret opens a Secret of the worker side.
func (r *Run) Secret(namespace, name string) (*Object, error) {
	o, err := r.Read(filepath.Join("default", "worker", namespace, "secret-"+name+".yaml"))
	if err != nil {
		return nil, err
	}
	if !o.Sealed {
		return nil, fmt.Errorf("%s is in the clear", o.Path)
	}
	for k, v := range o.StringData {
		if o.Data == nil {
			o.Data = map[string][]byte{}
		}
		o.Data[k] = []byte(v)
	}
	return o, o.named("v1", "Secret", namespace, name)
}

// OSC opens an OperatingSystemConfig of the management side.
func (r *Run) OSC(namespace, name string) (*Object, error) {
	o, err := r.Read(filepath.Join("default", "management", namespace, "operatingsystemconfig-"+name+".yaml"))
	if err != nil {
		return nil, err
	}
	return o, o.named("operatingsystemmanager.k8c.io/v1alpha1", "OperatingSystemConfig", namespace, name)
}

func (o *Object) named(apiVersion, kind, namespace, name string) error {
	if o.APIVersion != apiVersion || o.Kind != kind || o.Metadata.Namespace != namespace || o.Metadata.Name != name {
		return fmt.Errorf("%s holds %s %s %s/%s", o.Path, o.APIVersion, o.Kind, o.Metadata.Namespace, o.Metadata.Name)
	}
	return nil
}

// Seed is the sealing seed of every run.
func Seed() string { return sopsfile.Seed("oracle") }
