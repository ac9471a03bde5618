// Package admission holds osm-gen's validation against the controller's
// webhooks and its command line.
package admission

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"osm-gen.dev/tests/oracle/compare"
)

// Repo is a repository of one cluster, with what every MachineDeployment needs.
type Repo struct{ Dir string }

const settings = `apiVersion: osm-gen.dev/v1alpha1
kind: Fleet
spec:
  sealing: {format: sops, recipients: [%s]}
  defaults: {externalCloudProvider: true}
`

const clusterInfo = `apiVersion: v1
kind: ConfigMap
metadata: {name: cluster-info, namespace: kube-public}
data:
  kubeconfig: |
    apiVersion: v1
    kind: Config
    clusters:
    - name: ""
      cluster: {certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJNQT09Ci0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K, server: "https://api.example:6443"}
`

// NewRepo makes one in dir.
func NewRepo(dir string) (*Repo, error) {
	r := &Repo{dir}
	recipient := compare.Identities()[0].Recipient().String()
	if err := r.Write("osm-gen.yaml", fmt.Sprintf(settings, recipient)); err != nil {
		return nil, err
	}
	if err := r.Write("cluster-info.yaml", clusterInfo); err != nil {
		return nil, err
	}
	return r, r.git("init", "-q", "-b", "main")
}

// Write writes a file.
func (r *Repo) Write(path, text string) error {
	return os.WriteFile(filepath.Join(r.Dir, path), []byte(text), 0o644)
}

// Commit commits everything.
func (r *Repo) Commit() error {
	if err := r.git("add", "-A"); err != nil {
		return err
	}
	return r.git("-c", "user.name=oracle", "-c", "user.email=oracle@localhost", "commit", "-q", "--allow-empty", "-m", "inputs")
}

func (r *Repo) git(args ...string) error {
	cmd := exec.Command("git", append([]string{"-C", r.Dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %v: %w: %s", args, err, out)
	}
	return nil
}

// OsmGen runs osm-gen in the folder, with the seed of the tests: its exit
// status and what it says.
func (r *Repo) OsmGen(args ...string) (int, string, error) {
	status, _, said, err := r.run(args)
	return status, said, err
}

// Stdout is what osm-gen prints; it must succeed.
func (r *Repo) Stdout(args ...string) (string, error) {
	status, printed, said, err := r.run(args)
	if err == nil && status != 0 {
		err = errors.New(said)
	}
	return printed, err
}

func (r *Repo) run(args []string) (status int, printed, said string, err error) {
	program, err := compare.Program()
	if err != nil {
		return 0, "", "", err
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = r.Dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.Dir, "OSM_GEN_SEAL_SEED=" + compare.Seed()}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), stdout.String(), stderr.String(), nil
	}
	return 0, stdout.String(), stderr.String(), err
}
