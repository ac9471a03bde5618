package gardenercases

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

// A difference of each kind is seen.
func TestEffectsDiffer(t *testing.T) {
	effect := func() Effect {
		return Effect{Nodes: map[string]Node{"/a": {Kind: "file", Mode: 0o644, Data: []byte("x")}, "/l": {Kind: "link", Link: "/a"}},
			Calls: [][]string{{"systemctl", "enable", "a"}, {"systemctl", "restart", "a"}}}
	}
	if got := DiffEffects(effect(), effect()); got != nil {
		t.Fatalf("the same differs: %q", got)
	}
	for name, plant := range map[string]func(*Effect){
		"a byte":      func(e *Effect) { e.Nodes["/a"] = Node{Kind: "file", Mode: 0o644, Data: []byte("y")} },
		"a mode":      func(e *Effect) { e.Nodes["/a"] = Node{Kind: "file", Mode: 0o600, Data: []byte("x")} },
		"a link":      func(e *Effect) { e.Nodes["/l"] = Node{Kind: "link", Link: "/b"} },
		"a kind":      func(e *Effect) { e.Nodes["/l"] = Node{Kind: "folder", Link: "/a"} },
		"missing":     func(e *Effect) { delete(e.Nodes, "/a") },
		"too much":    func(e *Effect) { e.Nodes["/b"] = Node{Kind: "file"} },
		"a call":      func(e *Effect) { e.Calls[0][2] = "b" },
		"an argument": func(e *Effect) { e.Calls[1] = append(e.Calls[1], "") },
		"the order":   func(e *Effect) { slices.Reverse(e.Calls) },
		"calls":       func(e *Effect) { e.Calls = e.Calls[:1] },
		"the end":     func(e *Effect) { e.Exit = 1 },
	} {
		planted := effect()
		plant(&planted)
		if DiffEffects(planted, effect()) == nil || DiffEffects(effect(), planted) == nil {
			t.Errorf("%s: not seen", name)
		}
	}
}

// The sandbox sees files, modes, links and calls, and forgets them before the next script.
func TestSandbox(t *testing.T) {
	s, err := NewSandbox()
	if err != nil {
		t.Skip(err)
	}
	defer s.Close()
	want := []Effect{{
		Nodes: map[string]Node{"/etc/x": {Kind: "folder", Mode: 0o755}, "/etc/x/a b": {Kind: "file", Mode: 0o4755, Data: []byte("\x00\xff\n")},
			"/usr/sbin/ctr": {Kind: "link", Link: "/nowhere"}, "/etc/was": {Kind: "file", Mode: 0o600, Data: []byte("old\nnew\n")}},
		Calls: [][]string{{"systemctl", "restart", "it's\na b", ""}, {"apt-get", "update"}},
	}}
	script := Script{Before: map[string]Node{"/etc/was": {Mode: 0o600, Data: []byte("old\n")}}, Failing: []string{"apt-get"}, Text: []byte(`
mkdir -p /etc/x; printf '\0\377\n' >'/etc/x/a b'; chmod 4755 '/etc/x/a b'; ln -sf /nowhere /usr/sbin/ctr
cat <<EOF >>/etc/was
new
EOF
systemctl restart "it's
a b" ''
apt-get update || exit 0
exit 9`)}
	for range 2 {
		got, err := s.Apply(script)
		if err != nil {
			t.Fatal(err)
		}
		if diff := DiffEffects(got[0], want[0]); diff != nil {
			t.Errorf("%s\n%s", strings.Join(diff, "\n"), got[0].Stderr)
		}
	}
	got, err := s.Apply(Script{Text: []byte("echo $$ >/a; cat /etc/was; exit 3"), Times: 2})
	if err != nil || len(got) != 2 || got[1].Exit != 3 || len(got[1].Nodes) != 1 || got[1].Stderr == "" {
		t.Errorf("%+v: %v", got, err)
	}
}
