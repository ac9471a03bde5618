package gardener2021

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gardener/gardener/extensions/pkg/controller/operatingsystemconfig"
	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/yaml"
)

func TestMain(m *testing.M) {
	gardenercases.Main()
	os.Exit(m.Run())
}

// One commit of many random OperatingSystemConfigs of the contract "2021": each file, unit and
// drop-in that Gardener gave an extension is in osm-gen's user-data, in that order; so are the
// extension's own, and the status is Gardener's.
func TestRandom(t *testing.T) {
	seed, n := gardenercases.Seed(t), gardenercases.Count(1200)/2
	files := map[string]string{}
	cases := make([]*gardenercases.Case, n)
	for i := range cases {
		cases[i] = gardenercases.Random(gardenercases.Era2021, seed, i)
		files[cases[i].File()] = cases[i].Text
	}
	repository, err := gardenercases.NewRepository(t.TempDir(), files, `gardenerContract: "2021"`)
	if err != nil {
		t.Fatal(err)
	}
	if err := repository.Generate(); err != nil {
		gardenercases.Keep(t, repository)
		t.Fatal(err)
	}
	gardenercases.Keep(t, repository)
	pool := gardenercases.Sandboxes(t)
	t.Run("cases", func(t *testing.T) {
		for i, c := range cases {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				diffs, err := check(repository, c, pool)
				if err != nil {
					diffs = append(diffs, err.Error())
				}
				if len(diffs) > 0 {
					t.Errorf("SEED=%d, case %d: %s %s %s\n%s\n%s", seed, i, c.Type, c.Purpose, c.Name, strings.Join(diffs, "\n"), c.Text)
				}
			})
		}
	})
}

func check(repository *gardenercases.Repository, c *gardenercases.Case, pool chan *gardenercases.Sandbox) ([]string, error) {
	if err := refuses(c.Text); err != nil {
		return nil, fmt.Errorf("Gardener refuses it: %w", err)
	}
	osc, secrets, err := parse(c.Text)
	if err != nil {
		return nil, err
	}
	answer, err := Ask(osc, secrets)
	if err != nil {
		return nil, err
	}
	w := wantedOf(osc, answer)
	secret, err := repository.Result(c)
	if err != nil || secret == nil {
		return nil, fmt.Errorf("no result Secret: %v", err)
	}
	meta := operatingsystemconfig.SecretObjectMetaForConfig(osc)
	var diffs []string
	if secret.Metadata.Name != meta.Name || secret.Metadata.Namespace != meta.Namespace {
		diffs = append(diffs, fmt.Sprintf("the Secret is %+v", secret.Metadata))
	}
	status, err := repository.Status(c)
	if err != nil {
		return nil, err
	}
	diffs = append(diffs, diffStatus(status, secret, c, answer, w)...)
	text := secret.Values["cloud_config"]
	if isCoreOS(c.Type) {
		got, err := openCloudConfig(text)
		if err != nil {
			return diffs, err
		}
		more, err := diffCloudConfig(got, w)
		return append(diffs, more...), err
	}
	if c.Type == "memoryone-chost" && c.IsProvision() {
		if _, text, err = gardenercases.OpenMIME(text); err != nil {
			return diffs, err
		}
	}
	sandbox := <-pool
	defer func() { pool <- sandbox }()
	effects, err := sandbox.Apply(gardenercases.Script{Text: text, Times: 2})
	if err != nil {
		return diffs, err
	}
	for i, effect := range effects {
		for _, diff := range diffEffect(effect, w) {
			diffs = append(diffs, fmt.Sprintf("time %d: %s", i+1, diff))
		}
		w = w.again()
	}
	return diffs, nil
}

var plainPath = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)

// diffStatus compares status.command and units, and the Secret's annotations, which say them too.
func diffStatus(text []byte, secret *gardenercases.Secret, c *gardenercases.Case, answer *Answer, w *wanted) []string {
	var object struct {
		Status struct {
			Command     *string
			Units       []string
			CloudConfig struct{ SecretRef map[string]string }
		}
	}
	if err := yaml.Unmarshal(text, &object); err != nil {
		return []string{err.Error()}
	}
	var out []string
	got := object.Status
	if !slices.Equal(got.Units, w.names) || secret.Metadata.Annotations["osm-gen.dev/units"] != strings.Join(w.names, ",") {
		out = append(out, fmt.Sprintf("units %q and %q, want %q", got.Units, secret.Metadata.Annotations["osm-gen.dev/units"], w.names))
	}
	if !maps.Equal(got.CloudConfig.SecretRef, map[string]string{"name": secret.Metadata.Name, "namespace": secret.Metadata.Namespace}) {
		out = append(out, fmt.Sprintf("cloudConfig is %v", got.CloudConfig))
	}
	told, want := "none", "none"
	if got.Command != nil {
		told = *got.Command
	}
	if path := answer.Given.Path; path != nil {
		want = *answer.Command
		if !plainPath.MatchString(*path) {
			// Gardener's has the path as it is, which a shell takes apart.
			told, want = words(told), words(fmt.Sprintf(commands[c.Type], "'"+strings.ReplaceAll(*path, "'", `'\''`)+"'"))
		}
	}
	annotation, given := secret.Metadata.Annotations["osm-gen.dev/command"]
	if told != want || given != (got.Command != nil) || given && annotation != *got.Command {
		out = append(out, fmt.Sprintf("command %q and %q, want %q", told, annotation, want))
	}
	return out
}

// words are those that a shell makes of a command.
func words(command string) string {
	out, err := exec.Command("bash", "-c", `eval "set -- $1"; printf '%s\n' "$#" "$@"`, "words", command).CombinedOutput()
	text, _ := json.Marshal(string(out))
	return fmt.Sprint(string(text), err)
}
