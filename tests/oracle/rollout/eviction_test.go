package rollout

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// docs/howto/review.md says how long machine-controller waits for budgets of Pods.
func TestEvictionWaits(t *testing.T) {
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8c.io/machine-controller").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(strings.TrimSpace(string(folder)), "cmd/machine-controller/main.go"): `"skip-eviction-after", 2*time.Hour`,
		"../../../docs/howto/review.md": "two hours by default (`-skip-eviction-after`)",
	} {
		found, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(found), text) {
			t.Errorf("%s does not say %s: %v", path, text, err)
		}
	}
}
