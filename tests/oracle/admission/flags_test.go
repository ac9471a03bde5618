package admission

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	osmlog "k8c.io/operating-system-manager/pkg/log"
)

// registered are the flags that a main.go of the controller's registers, with
// the text of their defaults where it is a literal.
func registered(t *testing.T, command string) map[string]string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8c.io/operating-system-manager").Output()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(strings.TrimSpace(string(dir)), "cmd", command, "main.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 3 {
			return true
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !strings.HasSuffix(fun.Sel.Name, "Var") {
			return true
		}
		if pkg, ok := fun.X.(*ast.Ident); !ok || pkg.Name != "flag" {
			return true
		}
		name, err := strconv.Unquote(call.Args[1].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		flags[name] = ""
		switch initial := call.Args[2].(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(initial.Value); err == nil && len(call.Args) == 4 {
				flags[name] = text
			}
		case *ast.Ident:
			flags[name] = initial.Name
		}
		return true
	})
	logs := flag.NewFlagSet("", flag.ContinueOnError)
	options := osmlog.NewDefaultOptions()
	options.AddFlags(logs)
	logs.VisitAll(func(f *flag.Flag) { flags[f.Name] = "" })
	return flags
}

// Every flag of the controller is one of osm-gen's, with the same default, or
// is refused with a word about what takes its place.
func TestControllerFlags(t *testing.T) {
	repo, err := NewRepo(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.Command("sh", "-c", `"${OSM_GEN:-../../../build/osm-gen}" help --all generate`).Output()
	if err != nil {
		t.Fatal(err)
	}
	help := strings.Join(strings.Fields(string(program)), " ")

	flags := registered(t, "osm-controller")
	if len(flags) < 25 {
		t.Fatalf("only %d flags found: the controller registers them in another way now", len(flags))
	}
	accepted, refused := 0, 0
	for name, initial := range flags {
		for _, args := range [][]string{{"--" + name + "=x"}, {"--" + name, "x"}} {
			status, said, err := repo.OsmGen(append([]string{"validate"}, args...)...)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(help, " --"+name+" ") {
				accepted++
				if strings.Contains(said, "unknown option") || strings.Contains(said, "no meaning") {
					t.Errorf("%v: listed, but not taken: %s", args, said)
				}
				continue
			}
			refused++
			if status != 64 || !strings.Contains(said, "--"+name+" has no meaning without a cluster") || strings.Count(said, "help: ") != 1 {
				t.Errorf("%v: exit status %d, %s", args, status, said)
			}
		}
		if i := strings.Index(help, " --"+name+" "); i >= 0 && initial != "" && name != "namespace" {
			entry := help[i+1:]
			if end := strings.Index(entry, ")"); end >= 0 {
				entry = entry[:end]
			}
			if !strings.HasSuffix(entry, "; default "+initial) {
				t.Errorf("--%s: the controller's default is %q, the help says %q", name, initial, entry)
			}
		}
	}
	t.Logf("%d accepted, %d refused", accepted/2, refused/2)
}

// The webhook is another program: its flags are none of osm-gen's, but for those
// that the controller has too.
func TestWebhookFlags(t *testing.T) {
	repo, err := NewRepo(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	controller := registered(t, "osm-controller")
	for name := range registered(t, "webhook") {
		if _, both := controller[name]; both {
			continue
		}
		status, said, err := repo.OsmGen("validate", "--"+name+"=x")
		if err != nil {
			t.Fatal(err)
		}
		if status != 64 || !strings.Contains(said, "help: ") {
			t.Errorf("--%s: exit status %d, %s", name, status, said)
		}
	}
}
