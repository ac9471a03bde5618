package admission

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var (
	seed  = flag.Uint64("seed", 1, "of the changes")
	count = flag.Int("changes", 120, "how many")
)

const immutable = `apiVersion: operatingsystemmanager.k8c.io/v1alpha1
kind: OperatingSystemProfile
metadata: {name: osp-own, namespace: kube-system}
spec:
  osName: flatcar
  osVersion: "1"
  version: v1.2.3
  supportedCloudProviders: [{name: aws}, {name: vsphere, spec: {a: b, c: [1, 2]}}]
  bootstrapConfig:
    files:
    - path: /one
      permissions: 600
      content: {inline: {encoding: b64, data: "first"}}
    - path: /two
      content: {inline: {data: "second\nthird\n"}}
    templates: {a: x, b: w}
    units:
    - name: a.service
      enable: true
      mask: false
      content: "[Service]\n"
      dropIns: [{name: a.conf, content: "[Unit]\n"}]
    - name: b.service
  provisioningConfig:
    supportedContainerRuntimes:
    - name: containerd
      templates: {c: z}
      files:
      - path: /three
        content: {inline: {data: third}}
    modules:
      bootcmd: [x, w]
      runcmd: [z]
      yum_repos: {epel: {name: epel, enabled: "1"}}
      yum_repo_dir: /etc/yum
      rh_subscription: {username: somebody}
`

// denied returns what the webhook says to an update.
func denied(t *testing.T, before, now string) (bool, string) {
	t.Helper()
	objects := [2]map[string]any{}
	for i, text := range []string{before, now} {
		if err := yaml.Unmarshal([]byte(text), &objects[i]); err != nil {
			t.Fatal(err)
		}
	}
	message, err := Webhook(objects[0], objects[1])
	if err != nil {
		t.Fatal(err)
	}
	return message != "", message
}

// keys in an order of their own: maps have none.
func keys(v map[string]any) []string {
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// change makes one change somewhere below v, which it returns.
func change(r *rand.Rand, v any, deep int) any {
	switch v := v.(type) {
	case map[string]any:
		names := keys(v)
		kind := r.IntN(10)
		if len(names) == 0 || kind == 0 {
			v[[]string{"unknown", "spec", "permissions", "encoding", "mask", "templates", "files", "content"}[r.IntN(8)]] =
				[]any{"", "x", nil, []any{}, map[string]any{}, 644, 600, false, true}[r.IntN(9)]
			return v
		}
		name := names[r.IntN(len(names))]
		if kind == 1 && deep > 0 {
			delete(v, name)
			return v
		}
		v[name] = change(r, v[name], deep+1)
		return v
	case []any:
		if len(v) == 0 || r.IntN(6) == 0 {
			return []any{}
		}
		i := r.IntN(len(v))
		switch r.IntN(6) {
		case 0:
			return append(v[:i:i], v[i+1:]...)
		case 1:
			j := r.IntN(len(v))
			v[i], v[j] = v[j], v[i]
			return v
		}
		v[i] = change(r, v[i], deep+1)
		return v
	case string:
		return []any{v + "x", "", v, v + "\n"}[r.IntN(4)]
	case bool:
		return []any{!v, v, nil}[r.IntN(3)]
	case float64:
		return []any{v, v + 1, nil}[r.IntN(3)]
	}
	return "x"
}

// The same changes of a profile are refused, for the same reason.
func TestImmutableProfile(t *testing.T) {
	t.Logf("seed %d", *seed)
	repo, err := NewRepo(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	workers := fmt.Sprintf(machineDeployment, "  annotations: {k8c.io/operating-system-profile: osp-own}", "aws", "flatcar", "{provisioningUtility: cloud-init}")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(repo.Write("workers.yaml", workers))
	must(repo.Write("profile.yaml", immutable))
	must(repo.Commit())
	status, said, err := repo.OsmGen("generate")
	must(err)
	if status != 0 {
		t.Fatal(said)
	}
	written := filepath.Join(repo.Dir, "out/default/management/kube-system/operatingsystemprofile-osp-own.yaml")
	if files, _ := filepath.Glob(written); len(files) != 1 {
		t.Fatalf("no %s", written)
	}

	r := rand.New(rand.NewPCG(*seed, 0))
	refused, taken, broken := 0, 0, 0
	for range *count {
		object := map[string]any{}
		must(yaml.Unmarshal([]byte(immutable), &object))
		spec := object["spec"].(map[string]any)
		for range 1 + r.IntN(2) {
			object["spec"] = change(r, spec, 0)
		}
		text, err := yaml.Marshal(object)
		must(err)
		must(repo.Write("profile.yaml", string(text)))
		must(repo.Commit())
		_, said, err := repo.OsmGen("validate")
		must(err)
		/* What the schema refuses never comes before the webhook. */
		if strings.Contains(said, "error[OSG4001]") || strings.Contains(said, "error[OSG30") || strings.Contains(said, "error[OSG4004]") {
			broken++
			continue
		}
		no, message := denied(t, immutable, string(text))
		got := strings.Contains(said, "error[OSG4025]")
		if no != got || (no && !strings.Contains(message, "immutable")) {
			t.Errorf("%s\nthe webhook says: %v %s\nosm-gen: %s", text, no, message, said)
		}
		if no {
			refused++
		} else {
			taken++
		}
	}
	t.Logf("%d refused, %d taken, %d against the schema", refused, taken, broken)
	if refused < *count/10 || taken < *count/10 {
		t.Errorf("too few of one kind: %d refused, %d taken", refused, taken)
	}
}
