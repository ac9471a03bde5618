package admission

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sent is the text as machine-controller hands it to AWS: the machine's name
// put in, lines of white space emptied, compressed as Go does by default.
func sent(t *testing.T, text, machine string) int {
	t.Helper()
	text = strings.ReplaceAll(text, "<MACHINE_NAME>", machine)
	text = strings.ReplaceAll(text, "%3CMACHINE_NAME%3E", machine)
	text = regexp.MustCompile(`(?m)^[ \t]+$`).ReplaceAllString(text, "")
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

// What is counted for AWS is what AWS will get, or a little more: never less.
func TestCompressedSize(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 1))
	words := strings.Fields("set -euo pipefail curl --fail systemctl restart kubelet.service export PATH=/opt/bin:$PATH if [ -f /etc/x ]; then echo done fi mkdir -p")
	for i := range 8 {
		repo, err := NewRepo(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		var script strings.Builder
		for script.Len() < 2000<<i/2 {
			fmt.Fprintf(&script, "            %s %x <MACHINE_NAME>\n            \t\n", words[r.IntN(len(words))], r.Uint64()>>r.IntN(64))
		}
		encoding := []string{"", "encoding: b64"}[i%2]
		osp := strings.Replace(fmt.Sprintf(profile, "osp-own", "ubuntu", "cloud-init"), "bootstrapConfig: {}",
			"bootstrapConfig:\n    files:\n    - path: /x\n      content:\n        inline:\n          "+encoding+"\n          data: |\n"+script.String(), 1)
		md := fmt.Sprintf(machineDeployment, "  annotations: {k8c.io/operating-system-profile: osp-own}", "aws", "ubuntu", "{}")
		for path, text := range map[string]string{"osp.yaml": osp, "md.yaml": md} {
			if err := repo.Write(path, text); err != nil {
				t.Fatal(err)
			}
		}
		if err := repo.Commit(); err != nil {
			t.Fatal(err)
		}
		if status, said, err := repo.OsmGen("generate", "--user-data-limits", "aws=10000000"); err != nil || status != 0 {
			t.Fatal(status, said, err)
		}
		text, err := os.ReadFile(filepath.Join(repo.Dir, "out/default/index.json"))
		if err != nil {
			t.Fatal(err)
		}
		var index struct {
			Files []struct {
				Path     string
				UserData struct{ Bytes, Budget int }
			}
		}
		if err := json.Unmarshal(text, &index); err != nil {
			t.Fatal(err)
		}
		counted := 0
		for _, file := range index.Files {
			if strings.HasSuffix(file.Path, "secret-workers-kube-system-bootstrap-config.yaml") {
				counted = file.UserData.Bytes
			}
		}
		userData, err := repo.Stdout("render", "--machine-deployment", "kube-system/workers", "--print", "bootstrap", "--reveal", "--user-data-limits", "aws=10000000")
		if err != nil {
			t.Fatal(err)
		}
		for _, machine := range []string{"workers-7c9d8b6f5-x2v4k", "w-" + strings.Repeat("a1b2c3d4-", 6) + "x2v4k"} {
			real := sent(t, userData, machine)
			if counted < real || counted > real+real/8+64 {
				t.Errorf("%d bytes of text: %d are counted, AWS gets %d", len(userData), counted, real)
			}
		}
	}
}
