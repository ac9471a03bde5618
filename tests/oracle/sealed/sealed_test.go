// Package sealed has the sealed-secrets controller's own functions open what
// osm-gen sealed for it. It is a module of its own: the controller asks for
// other versions of Kubernetes' libraries than the rest of the tests.
package sealed_test

import (
	"bytes"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	ssv1alpha1 "github.com/bitnami-labs/sealed-secrets/pkg/apis/sealedsecrets/v1alpha1"
	"github.com/bitnami-labs/sealed-secrets/pkg/kubeseal"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

const root = "../../.."

func init() {
	if err := ssv1alpha1.AddToScheme(scheme.Scheme); err != nil {
		panic(err)
	}
}

func program(t *testing.T) string {
	t.Helper()
	path := os.Getenv("OSM_GEN")
	if path == "" {
		path = root + "/build/osm-gen"
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// lines of a file in tests/keys that are no comments
func key(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "tests/keys", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// generate runs osm-gen on the sample repository of the golden cases, sealed as
// the settings say, and returns its output folder.
func generate(t *testing.T, sealing string) string {
	t.Helper()
	return generateWith(t, map[string]string{
		"cert.pem":     key(t, "TEST-ONLY-sealed-secrets.crt"),
		"osm-gen.yaml": "apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  sealing: " + sealing + "\n",
	})
}

// generateWith does so with files added or replaced.
func generateWith(t *testing.T, added map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(root+"/tests/golden/base")); err != nil {
		t.Fatal(err)
	}
	for name, text := range added {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"git", "init", "-q", "-b", "main"},
		{"git", "add", "-A"},
		{"git", "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "-m", "inputs"},
		{program(t), "-q"},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
			"GIT_AUTHOR_DATE=1767323045 +0000", "GIT_COMMITTER_DATE=1767323045 +0000",
			"OSM_GEN_SEAL_SEED="+strings.TrimSpace(key(t, "TEST-ONLY-seed.txt")))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	return filepath.Join(dir, "out")
}

// files are the Secrets of an output folder, by their path below it.
func files(t *testing.T, out string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), "secret-") {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(out, path)
		found[rel] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 4 {
		t.Fatalf("%d Secrets", len(found))
	}
	return found
}

// unseal has osm-gen open a file: with age's identity, or a controller's key.
func unseal(t *testing.T, text []byte, args ...string) *v1.Secret {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sealed.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program(t), append(append([]string{"unseal"}, args...), file)...)
	cmd.Env = []string{"SOPS_AGE_KEY=" + strings.TrimSpace(key(t, "TEST-ONLY-identity.txt"))}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("unseal: %v", err)
	}
	secret := &v1.Secret{}
	if err := yaml.UnmarshalStrict(out, secret); err != nil {
		t.Fatal(err)
	}
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	for k, v := range secret.StringData {
		secret.Data[k] = []byte(v)
	}
	return secret
}

func privateKeys(t *testing.T) map[string]*rsa.PrivateKey {
	t.Helper()
	block, _ := pem.Decode([]byte(key(t, "TEST-ONLY-sealed-secrets.key")))
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*rsa.PrivateKey{"0": parsed.(*rsa.PrivateKey)}
}

func sameData(t *testing.T, name string, got, want map[string][]byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d keys, want %d", name, len(got), len(want))
	}
	for k := range want {
		if !bytes.Equal(got[k], want[k]) {
			t.Errorf("%s: %s differs", name, k)
		}
	}
}

// What the controller, kubeseal --recovery-unseal and osm-gen unseal open of
// each SealedSecret is what the same Secret holds when it is sealed with sops.
func TestControllerOpensEverySecret(t *testing.T) {
	identity := strings.TrimSpace(key(t, "TEST-ONLY-identity.txt"))
	recipient := "age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk"
	if identity == "" {
		t.Fatal("no identity")
	}
	truth := files(t, generate(t, "{format: sops, recipients: ["+recipient+"]}"))
	keyFile, err := filepath.Abs(root + "/tests/keys/TEST-ONLY-sealed-secrets.key")
	if err != nil {
		t.Fatal(err)
	}
	for _, scope := range []string{"strict", "namespace-wide", "cluster-wide"} {
		t.Run(scope, func(t *testing.T) {
			sealed := files(t, generate(t, "{format: sealed-secrets, certificate: cert.pem, scope: "+scope+"}"))
			if len(sealed) != len(truth) {
				t.Fatalf("%d Secrets, want %d", len(sealed), len(truth))
			}
			for path, text := range sealed {
				want := unseal(t, truth[path])
				ss := &ssv1alpha1.SealedSecret{}
				if err := yaml.UnmarshalStrict(text, ss); err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				if got := ss.Scope(); got.String() != scope {
					t.Errorf("%s: scope %s", path, got.String())
				}
				secret, err := ss.Unseal(scheme.Codecs, privateKeys(t))
				if err != nil {
					t.Fatalf("%s: the controller: %v", path, err)
				}
				sameData(t, path, secret.Data, want.Data)
				if secret.Name != want.Name || secret.Namespace != want.Namespace || secret.Type != want.Type {
					t.Errorf("%s: %s/%s of type %q", path, secret.Namespace, secret.Name, secret.Type)
				}
				for k, v := range want.Annotations {
					if !strings.HasPrefix(k, "kustomize.toolkit.fluxcd.io/") && secret.Annotations[k] != v {
						t.Errorf("%s: annotation %s is %q", path, k, secret.Annotations[k])
					}
				}
				if secret.Immutable != nil && *secret.Immutable {
					t.Errorf("%s: immutable, so that the controller could not change it", path)
				}
				var out bytes.Buffer
				if err := kubeseal.UnsealSealedSecret(&out, bytes.NewReader(text), []string{keyFile}, "json", scheme.Codecs); err != nil {
					t.Fatalf("%s: kubeseal: %v", path, err)
				}
				recovered := &v1.Secret{}
				if err := json.Unmarshal(out.Bytes(), recovered); err != nil {
					t.Fatal(err)
				}
				sameData(t, path, recovered.Data, want.Data)
				sameData(t, path, unseal(t, text, "--key", keyFile).Data, want.Data)
			}
		})
	}
}

// Under another name, in another namespace, with the scope taken away: refused.
func TestControllerRefusesMovedSecrets(t *testing.T) {
	moves := map[string]map[string]func(*ssv1alpha1.SealedSecret){
		"strict": {
			"name":      func(s *ssv1alpha1.SealedSecret) { s.Name = "other" },
			"namespace": func(s *ssv1alpha1.SealedSecret) { s.Namespace = "other" },
		},
		"namespace-wide": {
			"namespace": func(s *ssv1alpha1.SealedSecret) { s.Namespace = "other" },
			"scope":     func(s *ssv1alpha1.SealedSecret) { s.Annotations = nil },
		},
		"cluster-wide": {
			"scope": func(s *ssv1alpha1.SealedSecret) { s.Annotations = nil },
		},
	}
	for scope, changes := range moves {
		for path, text := range files(t, generate(t, "{format: sealed-secrets, certificate: cert.pem, scope: "+scope+"}")) {
			for name, change := range changes {
				ss := &ssv1alpha1.SealedSecret{}
				if err := yaml.Unmarshal(text, ss); err != nil {
					t.Fatal(err)
				}
				change(ss)
				if _, err := ss.Unseal(scheme.Codecs, privateKeys(t)); err == nil {
					t.Errorf("%s, %s: opened with another %s", scope, path, name)
				}
			}
		}
	}
}

// What kubeseal seals, osm-gen opens.
func TestOpensWhatKubesealSeals(t *testing.T) {
	cert, err := kubeseal.ParseKey(strings.NewReader(key(t, "TEST-ONLY-sealed-secrets.crt")))
	if err != nil {
		t.Fatal(err)
	}
	want := &v1.Secret{Data: map[string][]byte{"text": []byte("a\nb\n"), "bytes": {0, 1, 255}, "empty": {}}}
	want.Name, want.Namespace, want.Type = "n", "ns", v1.SecretTypeOpaque
	sealed, err := ssv1alpha1.NewSealedSecret(scheme.Codecs, cert, want)
	if err != nil {
		t.Fatal(err)
	}
	sealed.APIVersion, sealed.Kind = "bitnami.com/v1alpha1", "SealedSecret"
	text, err := yaml.Marshal(sealed)
	if err != nil {
		t.Fatal(err)
	}
	keyFile, err := filepath.Abs(root + "/tests/keys/TEST-ONLY-sealed-secrets.key")
	if err != nil {
		t.Fatal(err)
	}
	sameData(t, "kubeseal's", unseal(t, text, "--key", keyFile).Data, want.Data)
}
