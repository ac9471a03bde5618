// Package upstream reads what the controller tests itself with: the files of
// its module, and the tables in its test sources, as values.
package upstream

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

const module = "k8c.io/operating-system-manager"

// Dir is where the module's sources are.
var Dir = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return "", fmt.Errorf("no sources of %s: %w", module, err)
	}
	return strings.TrimSpace(string(out)), nil
})

// ReadFile reads a file of the module.
func ReadFile(path string) ([]byte, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, path))
}

// Source is one Go source of the module.
type Source struct {
	path string
	file *ast.File
}

// Parse reads one Go source of the module.
func Parse(path string) (*Source, error) {
	text, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	return &Source{path, file}, err
}

// constants are those of the source that a name stands for.
func (s *Source) constants() map[string]any {
	out := map[string]any{}
	for _, d := range s.file.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if ok && len(v.Names) == 1 && len(v.Values) == 1 {
				out[v.Names[0].Name] = literal(v.Values[0], out)
			}
		}
	}
	return out
}

// Constant is the text of a constant or variable of the source.
func (s *Source) Constant(name string) (string, error) {
	text, ok := s.constants()[name].(string)
	if !ok {
		return "", fmt.Errorf("%s has no constant %s", s.path, name)
	}
	return text, nil
}

// Table is the table that a test function goes through: the first list of
// structs in it. Structs and maps become maps, lists become lists, texts,
// numbers and truth values themselves; anything else is nil.
func (s *Source) Table(function string) ([]map[string]any, error) {
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != function {
			continue
		}
		locals := s.constants()
		var rows []any
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && len(a.Rhs) == 1 {
				value := literal(a.Rhs[0], locals)
				if name, ok := a.Lhs[0].(*ast.Ident); ok {
					locals[name.Name] = value
				}
				if list, ok := value.([]any); ok && rows == nil {
					rows = list
				}
			}
			return rows == nil
		})
		var out []map[string]any
		for _, r := range rows {
			row, ok := r.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%s: %s: a row that is no struct", s.path, function)
			}
			out = append(out, row)
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("%s: %s has no table", s.path, function)
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s has no function %s", s.path, function)
}

func literal(e ast.Expr, locals map[string]any) any {
	switch e := e.(type) {
	case *ast.BasicLit:
		switch e.Kind {
		case token.STRING:
			text, _ := strconv.Unquote(e.Value)
			return text
		case token.INT:
			n, _ := strconv.Atoi(e.Value)
			return n
		}
	case *ast.Ident:
		switch e.Name {
		case "true":
			return true
		case "false":
			return false
		}
		return locals[e.Name]
	case *ast.BinaryExpr:
		a, okA := literal(e.X, locals).(string)
		b, okB := literal(e.Y, locals).(string)
		if e.Op == token.ADD && okA && okB {
			return a + b
		}
	case *ast.UnaryExpr:
		return literal(e.X, locals)
	case *ast.SelectorExpr: // a constant of another package: its name
		return e.Sel.Name
	case *ast.CallExpr: // a conversion
		if list, ok := e.Fun.(*ast.ArrayType); ok && list.Len == nil && len(e.Args) == 1 {
			return literal(e.Args[0], locals)
		}
	case *ast.CompositeLit:
		return composite(e, locals)
	}
	return nil
}

func composite(e *ast.CompositeLit, locals map[string]any) any {
	_, isList := e.Type.(*ast.ArrayType)
	if e.Type == nil && len(e.Elts) > 0 { // the type is written further out
		_, isPair := e.Elts[0].(*ast.KeyValueExpr)
		isList = !isPair
	}
	if isList {
		list := []any{}
		for _, item := range e.Elts {
			list = append(list, literal(item, locals))
		}
		return list
	}
	out := map[string]any{}
	for _, item := range e.Elts {
		pair, ok := item.(*ast.KeyValueExpr)
		if !ok {
			return nil
		}
		key, ok := literal(pair.Key, nil).(string)
		if name, isName := pair.Key.(*ast.Ident); isName {
			key, ok = name.Name, true
		}
		if ok {
			out[key] = literal(pair.Value, locals)
		}
	}
	return out
}

// Text is a text within a row, "" where there is none.
func Text(row map[string]any, key string) string {
	text, _ := row[key].(string)
	return text
}

// Texts is a list of texts within a row.
func Texts(row map[string]any, key string) []string {
	var out []string
	list, _ := row[key].([]any)
	for _, item := range list {
		text, _ := item.(string)
		out = append(out, text)
	}
	return out
}

// Map is a map or struct within a row.
func Map(row map[string]any, key string) map[string]any {
	m, _ := row[key].(map[string]any)
	return m
}
