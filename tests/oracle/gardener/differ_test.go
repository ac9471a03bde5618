package gardener

import (
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/gardenercases"
)

// A difference of each kind is seen: in status, Ignition, MIME and osc.yaml. Those of scripts and nodes
// are in gardenercases and in nodeagent_test.go.
func TestStatusDiffers(t *testing.T) {
	osc, _, err := parse("---\nmetadata: {name: n, namespace: ns, generation: 3}\nspec: {type: flatcar, purpose: reconcile}\n")
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := NewUpstream(osc, nil).Reconcile(background)
	if err != nil {
		t.Fatal(err)
	}
	status := "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: OperatingSystemConfig\nmetadata: {name: n, namespace: ns}\nstatus:\n" +
		"  observedGeneration: 3\n  lastOperation: {description: x, lastUpdateTime: '" + gardenercases.CommitTime + "', progress: 100, state: Succeeded, type: Create}\n"
	want.Status.ExtensionFiles, want.Status.ExtensionUnits = want.Status.ExtensionFiles[:1], want.Status.ExtensionUnits[:1]
	want.Status.ExtensionUnits[0].DropIns = nil // os-coreos has some from v1.33 on
	status += "  extensionFiles: [{path: /etc/modprobe.d/sctp.conf, permissions: 0644, content: {inline: {encoding: '', data: install sctp /bin/true}}}]\n" +
		"  extensionUnits: [{name: update-engine.service, command: stop, enable: false}]\n"
	if diff := diffStatus([]byte(status), want); diff != nil {
		t.Fatalf("the same differs: %s", strings.Join(diff, "\n"))
	}
	for what, with := range map[string]string{
		"name: n,": "name: m,", "namespace: ns": "namespace: default", "observedGeneration: 3": "observedGeneration: 4", "progress: 100": "progress: 50",
		"Succeeded": "Error", "Create": "Reconcile", "description: x": "description: ''", gardenercases.CommitTime: "2026-01-02T03:04:06Z",
		"0644": "0600", "sctp.conf": "sctp", "install sctp": "install", "command: stop": "command: start", "enable: false": "enable: true",
		"  observedGeneration": "  phase: x\n  observedGeneration",
	} {
		if !strings.Contains(status, what) || diffStatus([]byte(strings.Replace(status, what, with, 1)), want) == nil {
			t.Errorf("%s: not seen", with)
		}
	}
}

func TestIgnitionDiffers(t *testing.T) {
	const text = `{"ignition":{"version":"3.3.0"},"storage":{"files":[{"path":"/a","mode":416,"contents":{"source":"data:,a%20b"}},{"path":"/b","contents":{"source":"data:,"}}],` +
		`"links":[{"path":"/l","target":"/dev/null","overwrite":true}]},"systemd":{"units":[{"name":"a.service","enabled":true,"contents":"[Service]\n","dropins":[{"name":"x.conf","contents":"[Unit]\n"}]}]}}`
	want, err := parseIgnition([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := parseIgnition([]byte(strings.Replace(text, "data:,a%20b", "data:;base64,YSBi", 1)), nil); err != nil || diffIgnition(again, want) != nil {
		t.Fatalf("the same differs: %v", err)
	}
	for what, with := range map[string]string{
		"a%20b": "a+b", "416": "420", `"/b"`: `"/c"`, `"/dev/null"`: `"/dev/zero"`, `"enabled":true`: `"enabled":false`, `"contents":"[Service]\n"`: `"contents":"[Service]"`,
		"x.conf": "y.conf", `[Unit]\n`: `[Unit]`, `"overwrite":true`: `"overwrite":false`, `{"version"`: `{"timeouts":{"httpTotal":1},"version"`, "a.service": "b.service",
		`{"path":"/a","mode":416,"contents":{"source":"data:,a%20b"}},{"path":"/b","contents":{"source":"data:,"}}`: `{"path":"/b","contents":{"source":"data:,"}},{"path":"/a","mode":416,"contents":{"source":"data:,a%20b"}}`,
		`3.3.0`: `3.4.0`,
	} {
		if !strings.Contains(text, what) {
			t.Errorf("no %s", what)
		}
		if got, err := parseIgnition([]byte(strings.Replace(text, what, with, 1)), nil); err == nil && diffIgnition(got, want) == nil {
			t.Errorf("%s: not seen", with)
		}
	}
}

func TestMIMEDiffers(t *testing.T) {
	const text = "Content-Type: multipart/mixed; boundary=\"x\"\nMIME-Version: 1.0\n\n--x\nContent-Type: text/x-vsmp; section=vsmp\n\nb=2\na=1\n\n" +
		"--x\nContent-Type: text/x-shellscript\nContent-Transfer-Encoding: quoted-printable\n\necho =C3=A4=3D\n\n--x--\n"
	settings, script, err := gardenercases.OpenMIME([]byte(text))
	if err != nil || strings.Join(settings, " ") != "a=1 b=2" || string(script) != "echo ä=\n" {
		t.Fatalf("%q %q %v", settings, script, err)
	}
	for what, with := range map[string]string{
		"1.0\n\n--x": "1.0\n--x", "--x--": "--x", "vsmp\n\n": "vsmp\n", "mixed": "alternative", "text/x-shellscript": "text/plain", "=C3": "=ZZ", "quoted-printable": "base64",
		"--x--\n": "--x\nContent-Type: text/plain\n\n\n--x--\n", "Content-Transfer-Encoding: quoted-printable\n\necho =C3": "\necho \xc3",
	} {
		changed := strings.Replace(text, what, with, 1)
		if settings, script, err := gardenercases.OpenMIME([]byte(changed)); changed == text ||
			err == nil && strings.Join(settings, " ") == "a=1 b=2" && string(script) == "echo ä=\n" {
			t.Errorf("%s: not seen", with)
		}
	}
}

func TestLinesDiffer(t *testing.T) {
	if diffLines("x", []byte("a\nb\n"), []byte("a\nb\n")) != nil {
		t.Error("the same differs")
	}
	for _, text := range []string{"a\nb", "a\nc\n", "a\nb\nc\n", "a\n", ""} {
		if diffLines("x", []byte(text), []byte("a\nb\n")) == nil {
			t.Errorf("%q: not seen", text)
		}
	}
}
