package gardener

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/yaml"
)

// What the releases of today's extensions answered, those that are published as no module among
// them: the same effect, the same data, or a mistake that osm-gen names.
func TestSamples(t *testing.T) {
	pool := gardenercases.Sandboxes(t)
	for name, s := range gardenercases.Samples(t, gardenercases.Current, "expected-current") {
		t.Run(name, func(t *testing.T) {
			repository, err := gardenercases.NewRepository(t.TempDir(), map[string]string{s.Case.File(): s.Case.Text}, "gardenerNodeAgentSecrets: true")
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(name, "badb64") || strings.Contains(name, "missing") {
				_, status, err := repository.Run("--out", "out")
				if err != nil || status != 2 || repository.HasOutput() || len(gardenercases.ErrorsOf(repository.Stderr)) == 0 {
					t.Errorf("exit status %d: %v\n%s", status, err, repository.Stderr)
				}
				return
			}
			if err := repository.Generate(); err != nil {
				t.Fatal(err)
			}
			diffs, err := diffSample(repository, s, pool)
			if err != nil || len(diffs) > 0 {
				t.Errorf("%v\n%s", err, strings.Join(diffs, "\n"))
			}
		})
	}
}

func diffSample(repository *gardenercases.Repository, s *gardenercases.Sample, pool chan *gardenercases.Sandbox) ([]string, error) {
	text, err := repository.Status(s.Case)
	if err != nil {
		return nil, err
	}
	var got, want v1alpha1.OperatingSystemConfig
	if err := yaml.Unmarshal(text, &got); err != nil {
		return nil, err
	}
	if err := yaml.Unmarshal(s.Answers["status"], &want.Status); err != nil {
		return nil, err
	}
	var diffs []string
	a, b := statusData(got.Status), statusData(want.Status)
	for _, data := range []map[string]any{a, b} {
		// The samples' inputs have no generation; what was asked had one.
		delete(data, "observedGeneration")
		delete(data, "lastOperation")
	}
	if !reflect.DeepEqual(a, b) {
		x, _ := yaml.Marshal(a)
		y, _ := yaml.Marshal(b)
		diffs = append(diffs, fmt.Sprintf("the status is\n%s\nwant\n%s", x, y))
	}
	answer := s.Answers["cloud_config"]
	secret, err := repository.Result(s.Case)
	if err != nil || answer == nil || secret == nil {
		if (answer == nil) != (secret == nil) {
			diffs = append(diffs, "a result Secret on one side alone")
		}
		return diffs, err
	}
	more, err := diffUserData(s, secret.Values["cloud_config"], pool)
	return append(diffs, more...), err
}

// plainURL is a data URL in which os-coreos writes + for a space (known.txt).
var plainURL = regexp.MustCompile(`"data:,[^"]*"`)

func diffUserData(s *gardenercases.Sample, got []byte, pool chan *gardenercases.Sandbox) ([]string, error) {
	answer := s.Answers["cloud_config"]
	if s.Case.IsIgnition() {
		brought := map[string]bool{"/opt/bin/containerd-setup.sh": true, "containerd-setup.service": true, "containerd.service": true}
		spaces := plainURL.ReplaceAllFunc(answer, func(url []byte) []byte { return bytes.ReplaceAll(url, []byte("+"), []byte("%20")) })
		want, err := parseIgnition(spaces, brought)
		if err != nil {
			return nil, err
		}
		ours, err := parseIgnition(got, brought)
		if err != nil {
			return nil, err
		}
		return diffIgnition(ours, want), nil
	}
	if strings.HasPrefix(string(answer), "#cloud-config-archive") {
		var parts []struct{ Content string }
		if err := yaml.Unmarshal(answer, &parts); err != nil {
			return nil, err
		}
		answer = []byte(parts[0].Content)
	}
	if strings.HasPrefix(s.Case.Type, "memoryone-") {
		var err error
		if _, got, err = gardenercases.OpenMIME(got); err != nil {
			return nil, err
		}
		_, rest, _ := strings.Cut(string(answer), "x-shellscript\n")
		rest, _, _ = strings.Cut(rest, "\n--==BOUNDARY==")
		answer = []byte(strings.TrimLeft(rest, "\n"))
	}
	osc, secrets, err := parse(s.Case.Text)
	if err != nil {
		return nil, err
	}
	specified, err := specified(osc, secrets, 0o644)
	if err != nil {
		return nil, err
	}
	sandbox := <-pool
	defer func() { pool <- sandbox }()
	ours, err := sandbox.Apply(gardenercases.Script{Text: got, Times: 2})
	if err != nil {
		return nil, err
	}
	theirs, err := sandbox.Apply(gardenercases.Script{Text: answer, Times: 2})
	if err != nil {
		return nil, err
	}
	var diffs []string
	for i := range ours {
		// Of the spec's files the spec says the bytes: Gardener's script adds a line break to those in the clear.
		for path, node := range specified {
			theirs[i].Nodes[path] = node
		}
		diffs = append(diffs, gardenercases.DiffEffects(ours[i], theirs[i])...)
	}
	return diffs, nil
}
