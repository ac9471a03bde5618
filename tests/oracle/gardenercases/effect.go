package gardenercases

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Node is a file, a folder or a link that a script left.
type Node struct {
	Kind string // file, folder, link
	Mode uint32
	Data []byte
	Link string
	// Later files have greater numbers; no difference of effects.
	Order uint64
}

// Effect is what a script did: what is new or different below /, and the programs it called.
type Effect struct {
	Nodes  map[string]Node
	Calls  [][]string
	Exit   int
	Stderr string
}

func (n Node) String() string {
	switch n.Kind {
	case "link":
		return "a link to " + n.Link
	case "file":
		data := n.Data
		if len(data) > 400 {
			data = data[:400]
		}
		return fmt.Sprintf("a file of mode %04o with %d bytes %q", n.Mode, len(n.Data), data)
	}
	return fmt.Sprintf("a %s of mode %04o", n.Kind, n.Mode)
}

// DiffEffects says how two effects differ; nothing: they do not.
func DiffEffects(got, want Effect) []string {
	out := DiffNodes(got.Nodes, want.Nodes)
	out = append(out, DiffCalls(got.Calls, want.Calls)...)
	if got.Exit != want.Exit {
		out = append(out, fmt.Sprintf("exit status %d, want %d", got.Exit, want.Exit))
	}
	return out
}

// DiffNodes compares what stands on the node.
func DiffNodes(got, want map[string]Node) []string {
	var out []string
	paths := maps.Clone(got)
	maps.Copy(paths, want)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		a, inGot := got[path]
		b, inWant := want[path]
		switch {
		case !inGot:
			out = append(out, fmt.Sprintf("%q is missing: %v", path, b))
		case !inWant:
			out = append(out, fmt.Sprintf("%q is too much: %v", path, a))
		case a.Kind != b.Kind || a.Mode != b.Mode || a.Link != b.Link || !bytes.Equal(a.Data, b.Data):
			out = append(out, fmt.Sprintf("%q is %v, want %v", path, a, b))
		}
	}
	return out
}

// DiffCalls compares calls in their order.
func DiffCalls(got, want [][]string) []string {
	if slices.EqualFunc(got, want, slices.Equal) {
		return nil
	}
	return []string{"calls:\n" + joinCalls(got) + "want:\n" + joinCalls(want)}
}

func joinCalls(calls [][]string) string {
	var out strings.Builder
	for _, call := range calls {
		fmt.Fprintf(&out, "  %q\n", call)
	}
	return out.String()
}
