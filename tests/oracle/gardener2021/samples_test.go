package gardener2021

import (
	"slices"
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/yaml"
)

// The inputs that the extensions of 2021 were asked: command and units are what they answered, and the
// rest what Gardener's functions give an extension.
func TestSamples(t *testing.T) {
	pool := gardenercases.Sandboxes(t)
	for name, s := range gardenercases.Samples(t, gardenercases.Era2021, "expected-2021") {
		t.Run(name, func(t *testing.T) {
			repository, err := gardenercases.NewRepository(t.TempDir(), map[string]string{s.Case.File(): s.Case.Text}, `gardenerContract: "2021"`)
			if err != nil {
				t.Fatal(err)
			}
			if s.Answers["error"] != nil || s.Answers["panic"] != nil {
				_, status, err := repository.Run("--out", "out")
				if err != nil || status != 2 || repository.HasOutput() || refuses(s.Case.Text) == nil {
					t.Errorf("exit status %d: %v\n%s", status, err, repository.Stderr)
				}
				return
			}
			if err := repository.Generate(); err != nil {
				t.Fatal(err)
			}
			diffs, err := check(repository, s.Case, pool)
			if err != nil || len(diffs) > 0 {
				t.Errorf("%v\n%s", err, strings.Join(diffs, "\n"))
			}
			type status struct {
				Command string
				Units   []string
			}
			var got struct{ Status status }
			var want status
			text, err := repository.Status(s.Case)
			if err == nil {
				err = yaml.Unmarshal(text, &got)
			}
			if err == nil {
				err = yaml.Unmarshal(s.Answers["status"], &want)
			}
			if err != nil || got.Status.Command != want.Command || !slices.Equal(got.Status.Units, want.Units) {
				t.Errorf("%v: %+v, want %+v", err, got.Status, want)
			}
			if isCoreOS(s.Case.Type) {
				theirs, err := openCloudConfig(s.Answers["cloud_config"])
				if err != nil {
					t.Fatal(err)
				}
				osc, secrets, err := parse(s.Case.Text)
				if err != nil {
					t.Fatal(err)
				}
				answer, err := Ask(osc, secrets)
				if err != nil {
					t.Fatal(err)
				}
				// What is described in wanted.go is what the extension answered.
				if diff, err := diffCloudConfig(theirs, wantedOf(osc, answer)); err != nil || diff != nil {
					if !strings.Contains(name, "10-permissions") { // "0" is no mode to coreos-cloudinit
						t.Errorf("the extension's: %v %s", err, strings.Join(diff, "\n"))
					}
				}
			}
		})
	}
}
