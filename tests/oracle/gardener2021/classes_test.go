package gardener2021

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gardener/gardener/pkg/operation/botanist/component/extensions/operatingsystemconfig/executor"
	"osm-gen.dev/tests/oracle/gardenercases"
)

// scriptOf is what a node of contract 2021 runs for an OperatingSystemConfig.
type scriptOf func(r *gardenercases.Repository, o *osc) ([]byte, error)

// Our execution script, of gardenerFlow: downloader.
func ours(r *gardenercases.Repository, o *osc) ([]byte, error) {
	secret, err := r.NodeAgent(&gardenercases.Case{Name: o.name + "-original"})
	if err != nil || secret == nil {
		return nil, fmt.Errorf("%s: %v %w", o.name, secret, err)
	}
	return secret.Values["script"], nil
}

// The script that gardenlet makes of user-data and of what the status says. What applies user-data is left out: there is no such
// system here.
func gardeners(r *gardenercases.Repository, o *osc) ([]byte, error) {
	secret, err := r.Result(&gardenercases.Case{Name: o.name + "-original", Namespace: "shoot"})
	if err != nil || secret == nil {
		return nil, fmt.Errorf("%s: %v %w", o.name, secret, err)
	}
	return executor.Script("token", secret.Values["cloud_config"], nil, nil, "/usr/bin/true", o.units())
}

// called are the units of calls that begin so.
func (n *node) called(words string) []string {
	names := []string{}
	for _, call := range n.calls {
		if name, ok := strings.CutPrefix(call, words); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// The class IN-PLACE of `plan` names the units that running nodes restart and stop, for 300 pairs of commits: by our execution
// script, and by Gardener's executor, which knows a changed unit of no other.
func TestClasses(t *testing.T) {
	if exec.Command("unshare", "-rm", "true").Run() != nil {
		t.Skip("no mount namespaces")
	}
	t.Run("ours", func(t *testing.T) {
		compareClasses(t, ours, []string{"minimal"}, "gardenerFlow: downloader", "gardenerApplySpread: 0")
	})
	kinds := []string{"coreos", "gardenlinux", "memoryone-chost", "minimal", "suse-chost", "ubuntu"}
	t.Run("Gardener's", func(t *testing.T) { compareClasses(t, gardeners, kinds) })
	t.Run("Gardener's, cloud-config", func(t *testing.T) {
		compareClasses(t, gardeners, []string{"suse-chost", "ubuntu"}, "gardenerFormat: cloud-config")
	})
}

func compareClasses(t *testing.T, script scriptOf, kinds []string, settings ...string) {
	seed, n := gardenercases.Seed(t), gardenercases.Count(200)*3/2
	random := rand.New(rand.NewPCG(seed, 300))
	first, next, pairs := map[string]string{}, map[string]string{}, make([][]*osc, n)
	for i := range pairs {
		pairs[i] = sequence(random, i)[:2]
		pairs[i][1].name = pairs[i][0].name
		pairs[i][0].kind = kinds[i%len(kinds)]
		pairs[i][1].kind = pairs[i][0].kind
		first[pairs[i][0].name+".yaml"], next[pairs[i][0].name+".yaml"] = pairs[i][0].manifest(), pairs[i][1].manifest()
	}
	r, err := gardenercases.NewRepository(t.TempDir(), first, append([]string{`gardenerContract: "2021"`}, settings...)...)
	if err != nil {
		t.Fatal(err)
	}
	nodes, scripts := make([]*node, n), make([][]byte, n)
	generateScripts(t, r, script, pairs, 0, scripts)
	for i := range nodes {
		nodes[i] = newNode(t, filepath.Join(t.TempDir(), strconv.Itoa(i)))
		if err := nodes[i].run(scripts[i], ""); err != nil || nodes[i].status != 0 {
			t.Fatal(nodes[i].status, err)
		}
	}
	if err := r.Commit(next); err != nil {
		t.Fatal(err)
	}
	plan, err := r.Plan()
	if err != nil {
		t.Fatal(err)
	}
	generateScripts(t, r, script, pairs, 1, scripts)
	named := 0
	for i, node := range nodes {
		if err := node.run(scripts[i], ""); err != nil || node.status != 0 {
			t.Fatal(node.status, err)
		}
		unit, now := plan[pairs[i][1].name+"-original"], pairs[i][1]
		for _, c := range []struct {
			what      string
			got, want []string
		}{{"restarts", unit.Restarts, node.called("restart --no-block ")}, {"stops", unit.Stops, node.called("stop ")}} {
			slices.Sort(c.got)
			if !slices.Equal(c.got, c.want) {
				t.Errorf("SEED=%d, %s: plan names as %s %v, the node's are %v: %v\n%s\n====\n%s", seed, now.name, c.what, c.got, c.want, node.calls,
					pairs[i][0].manifest(), now.manifest())
			}
			named += len(c.want)
		}
	}
	if named < n/2 {
		t.Errorf("only %d units restart or stop in %d pairs", named, n)
	}
}

func generateScripts(t *testing.T, r *gardenercases.Repository, script scriptOf, pairs [][]*osc, step int, scripts [][]byte) {
	t.Helper()
	if err := r.Generate(); err != nil {
		t.Fatal(err)
	}
	for i, pair := range pairs {
		var err error
		if scripts[i], err = script(r, pair[step]); err != nil {
			t.Fatal(err)
		}
	}
}
