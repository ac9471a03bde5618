package gardenercases

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
	"gopkg.in/yaml.v3"
)

const (
	root = "../../.."
	// The source commit's time, and what it is in the status.
	commitDate = "1767323045 +0000"
	// CommitTime is the source commit's time as a status has it.
	CommitTime = "2026-01-02T03:04:05Z"
)

// Program is the osm-gen under test.
func Program() (string, error) {
	path := os.Getenv("OSM_GEN")
	if path == "" {
		path = root + "/build/osm-gen"
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

// keyLine is the last line of a file in tests/keys.
func keyLine(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "tests/keys", name))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1], err
}

// Repository is a Git repository of OperatingSystemConfigs, committed.
type Repository struct {
	Dir      string
	seed     string
	Identity *age.X25519Identity
	Stderr   string // of the last run
}

// NewRepository writes files and settings, lines of the Fleet's spec.defaults, and commits them.
func NewRepository(dir string, files map[string]string, settings ...string) (*Repository, error) {
	r := &Repository{Dir: dir}
	identity, err := keyLine("TEST-ONLY-identity.txt")
	if err != nil {
		return nil, err
	}
	if r.seed, err = keyLine("TEST-ONLY-seed.txt"); err != nil {
		return nil, err
	}
	if r.Identity, err = age.ParseX25519Identity(identity); err != nil {
		return nil, err
	}
	fleet := "apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  sealing: {format: sops, recipients: [" +
		r.Identity.Recipient().String() + "]}\n  delivery: {maxUnits: 0}\n  defaults:\n"
	for _, line := range settings {
		fleet += "    " + line + "\n"
	}
	all := map[string]string{"osm-gen.yaml": fleet}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	if err := r.git("init", "-q", "-b", "main"); err != nil {
		return nil, err
	}
	return r, r.commit()
}

func (r *Repository) git(args ...string) error {
	cmd := exec.Command("git", append([]string{"-C", r.Dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_DATE="+commitDate, "GIT_COMMITTER_DATE="+commitDate)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}

func (r *Repository) commit() error {
	if err := r.git("add", "-A"); err != nil {
		return err
	}
	return r.git("-c", "user.name=oracle", "-c", "user.email=oracle@localhost", "commit", "-q", "-m", "inputs")
}

// Commit replaces files, and commits them.
func (r *Repository) Commit(files map[string]string) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(r.Dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return r.commit()
}

// Planned is what `osm-gen plan` says of a unit.
type Planned struct {
	Name, Class     string
	Restarts, Stops []string
}

// Plan runs `osm-gen plan`, by the names of units.
func (r *Repository) Plan() (map[string]Planned, error) {
	text, status, err := r.Run("plan", "--out", "out", "-o", "json")
	if err == nil && status > 1 {
		err = fmt.Errorf("plan: exit status %d\n%.4000s", status, r.Stderr)
	}
	var plan struct{ Units []Planned }
	if err == nil {
		err = json.Unmarshal([]byte(text), &plan)
	}
	all := map[string]Planned{}
	for _, unit := range plan.Units {
		all[unit.Name] = unit
		if err == nil && unit.Class != "IN-PLACE" && len(unit.Restarts)+len(unit.Stops) > 0 {
			err = fmt.Errorf("%s: class %s, but units restart", unit.Name, unit.Class)
		}
	}
	return all, err
}

// Run calls osm-gen in the repository and returns what it printed, and its exit status.
func (r *Repository) Run(args ...string) (string, int, error) {
	program, err := Program()
	if err != nil {
		return "", 0, err
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = r.Dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.Dir, "LC_ALL=C", "OSM_GEN_SEAL_SEED=" + r.seed,
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null"}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	r.Stderr = stderr.String()
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() >= 0 {
		return stdout.String(), failed.ExitCode(), nil
	}
	return stdout.String(), 0, err
}

// Generate has the repository rendered and committed.
func (r *Repository) Generate() error {
	_, status, err := r.Run("--out", "out")
	if err == nil && status != 0 {
		err = fmt.Errorf("osm-gen: exit status %d\n%.8000s", status, r.Stderr)
	}
	return err
}

// HasOutput: an output folder, or a commit beside the inputs'.
func (r *Repository) HasOutput() bool {
	_, err := os.Lstat(filepath.Join(r.Dir, "out"))
	count, _ := exec.Command("git", "-C", r.Dir, "rev-list", "--count", "--all").Output()
	return err == nil || strings.TrimSpace(string(count)) != "1"
}

// Result opens the result Secret of a case; nil: there is none.
func (r *Repository) Result(c *Case) (*Secret, error) {
	return r.open("management/" + c.Namespace + "/secret-osc-result-" + c.Name + ".yaml")
}

// NodeAgent opens the Secret for gardener-node-agent of a case; nil: there is none.
func (r *Repository) NodeAgent(c *Case) (*Secret, error) {
	return r.open("worker/kube-system/secret-" + strings.TrimSuffix(c.Name, "-original") + ".yaml")
}

func (r *Repository) open(path string) (*Secret, error) {
	text, err := os.ReadFile(filepath.Join(r.Dir, "out/default", path))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	secret, err := OpenSecret(text, r.Identity)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return secret, nil
}

// Status is the text of the status file of a case.
func (r *Repository) Status(c *Case) ([]byte, error) {
	return os.ReadFile(filepath.Join(r.Dir, "out/default/status", c.Namespace, "operatingsystemconfig-"+c.Name+".yaml"))
}

// Listed are the files that a side's kustomization names.
func (r *Repository) Listed(side string) (map[string]bool, error) {
	text, err := os.ReadFile(filepath.Join(r.Dir, "out/default", side, "kustomization.yaml"))
	if err != nil {
		return nil, err
	}
	var k struct {
		Resources []string `yaml:"resources"`
	}
	if err := yaml.Unmarshal(text, &k); err != nil {
		return nil, err
	}
	listed := map[string]bool{}
	for _, name := range k.Resources {
		listed[name] = true
	}
	return listed, nil
}
