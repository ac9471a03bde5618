package sealed_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const recipient = "age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk"

const noRecipients = "apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec: {}\n"

// decrypt has the real sops open a file, with the variables given alone.
func decrypt(t *testing.T, text []byte, env ...string) []byte {
	t.Helper()
	return runSops(t, text, "sealed.yaml", []string{"--output-type", "json"}, env)
}

// decryptBytes does so with a file of no known ending, as Flux takes it.
func decryptBytes(t *testing.T, text []byte, env ...string) []byte {
	t.Helper()
	return runSops(t, text, "osc.sealed", nil, env)
}

func runSops(t *testing.T, text []byte, name string, args, env []string) []byte {
	t.Helper()
	sops := os.Getenv("SOPS")
	if sops == "" {
		t.Fatal("SOPS names no program: run make oracle")
	}
	sops, err := filepath.Abs(sops)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(sops, append(append([]string{"decrypt"}, args...), file)...)
	cmd.Env = append([]string{"HOME=" + t.TempDir()}, env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("sops: %v: %s", err, stderr.String())
	}
	return out
}

// The rules of a repository's .sops.yaml, as sops itself reads what they gave;
// an SSH key in place of an age identity.
func TestSopsReadsWhatItsConfigAsksFor(t *testing.T) {
	identity := "SOPS_AGE_KEY=" + strings.TrimSpace(key(t, "TEST-ONLY-identity.txt"))
	ssh, err := filepath.Abs(root + "/tests/keys/TEST-ONLY-ssh-ed25519.key")
	if err != nil {
		t.Fatal(err)
	}
	private := filepath.Join(t.TempDir(), "id")
	text, err := os.ReadFile(ssh)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(private, text, 0o600); err != nil {
		t.Fatal(err)
	}
	age := "  age: '" + recipient + "," + strings.TrimSpace(key(t, "TEST-ONLY-ssh-ed25519.pub")) + "'\n"
	truth := files(t, generate(t, "{recipients: ["+recipient+"]}"))
	for name, rule := range map[string]string{
		"encrypted_regex":    "  encrypted_regex: ^(data|stringData)$\n",
		"unencrypted_regex":  "  unencrypted_regex: ^(apiVersion|kind|metadata|type|immutable)$\n",
		"mac_only_encrypted": "  encrypted_regex: ^(data|stringData)$\n  mac_only_encrypted: true\n",
		"no rule":            "",
	} {
		t.Run(name, func(t *testing.T) {
			config := "creation_rules:\n- path_regex: ^nothing\n  pgp: A\n- path_regex: ^out/.*\\.yaml$\n" + age + rule
			sealed := files(t, generateWith(t, map[string]string{"osm-gen.yaml": noRecipients, ".sops.yaml": config}))
			for path, text := range sealed {
				want := unseal(t, truth[path])
				for _, env := range []string{identity, "SOPS_AGE_SSH_PRIVATE_KEY_FILE=" + private} {
					secret := &v1.Secret{}
					if err := yaml.UnmarshalStrict(decrypt(t, text, env), secret); err != nil {
						t.Fatal(err)
					}
					if secret.Data == nil {
						secret.Data = map[string][]byte{}
					}
					for k, v := range secret.StringData {
						secret.Data[k] = []byte(v)
					}
					sameData(t, path, secret.Data, want.Data)
				}
				if key := strings.Fields(rule + " none:")[0]; rule != "" && !bytes.Contains(text, []byte("\n    "+key+" ")) {
					t.Errorf("%s: no %s", path, key)
				}
			}
		})
	}
}

// Lengths that are rounded: every sealed value has one of a multiple, and what
// Kubernetes decodes is the same bytes.
func TestRoundedLengths(t *testing.T) {
	identity := "SOPS_AGE_KEY=" + strings.TrimSpace(key(t, "TEST-ONLY-identity.txt"))
	truth := files(t, generate(t, "{recipients: ["+recipient+"]}"))
	for path, text := range files(t, generate(t, "{roundLengths: 96, recipients: ["+recipient+"]}")) {
		secret := &v1.Secret{}
		if err := yaml.UnmarshalStrict(decrypt(t, text, identity), secret); err != nil {
			t.Fatal(err)
		}
		if len(secret.StringData) != 0 {
			t.Errorf("%s: stringData, whose length cannot be rounded", path)
		}
		sameData(t, path, secret.Data, unseal(t, truth[path]).Data)
		sameData(t, path, unseal(t, text).Data, unseal(t, truth[path]).Data)
		found := 0
		for _, m := range regexp.MustCompile(`(?m)^    [^ :]+: ENC\[AES256_GCM,data:([^,]*),`).FindAllSubmatch(text, -1) {
			if bytes.HasPrefix(m[0], []byte("    mac:")) {
				continue
			}
			found++
			sealed, err := base64.StdEncoding.DecodeString(string(m[1]))
			if err != nil || len(sealed) == 0 || len(sealed)%96 != 0 {
				t.Errorf("%s: a sealed value of %d bytes: %v", path, len(sealed), err)
			}
		}
		if found != len(secret.Data) {
			t.Errorf("%s: %d sealed values, want %d", path, found, len(secret.Data))
		}
	}
}
