package sealed_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	ssv1alpha1 "github.com/bitnami-labs/sealed-secrets/pkg/apis/sealedsecrets/v1alpha1"
	"github.com/bitnami-labs/sealed-secrets/pkg/kubeseal"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// What docs/security.md says that the controller does with SealedSecrets which somebody changed or made, who
// needs no key for it.

func load(t *testing.T, text []byte) *ssv1alpha1.SealedSecret {
	t.Helper()
	ss := &ssv1alpha1.SealedSecret{}
	if err := yaml.Unmarshal(text, ss); err != nil {
		t.Fatal(err)
	}
	return ss
}

func open(t *testing.T, name string, ss *ssv1alpha1.SealedSecret) *v1.Secret {
	t.Helper()
	secret, err := ss.Unseal(scheme.Codecs, privateKeys(t))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return secret
}

// Keys are not bound: two values of one SealedSecret can be swapped.
func TestControllerTakesSwappedValues(t *testing.T) {
	swapped := 0
	for path, text := range files(t, generate(t, "{format: sealed-secrets, certificate: cert.pem}")) {
		ss := load(t, text)
		want := open(t, path, ss)
		names := slices.Sorted(maps.Keys(ss.Spec.EncryptedData))
		if len(names) < 2 {
			continue
		}
		a, b := names[0], names[1]
		sealed := ss.Spec.EncryptedData
		sealed[a], sealed[b] = sealed[b], sealed[a]
		got := open(t, path, ss)
		if string(got.Data[a]) != string(want.Data[b]) || string(got.Data[b]) != string(want.Data[a]) {
			t.Errorf("%s: %s and %s are not swapped", path, a, b)
		}
		swapped++
	}
	if swapped == 0 {
		t.Error("no SealedSecret has two values")
	}
}

// A template of the SealedSecret is acted on, whoever wrote it.
func TestControllerActsOnTemplates(t *testing.T) {
	for path, text := range files(t, generate(t, "{format: sealed-secrets, certificate: cert.pem}")) {
		ss := load(t, text)
		name := slices.Sorted(maps.Keys(ss.Spec.EncryptedData))[0]
		want := string(open(t, path, ss).Data[name])
		ss.Spec.Template.Data = map[string]string{"chosen": `{{ index . "` + name + `" }}`}
		if got := string(open(t, path, ss).Data["chosen"]); got != want {
			t.Errorf("%s: the template gives %q", path, got)
		}
	}
}

// With a wide scope a value is opened in an object that somebody else makes.
func TestControllerOpensWhatTheScopeAllows(t *testing.T) {
	for scope, move := range map[string]func(*ssv1alpha1.SealedSecret){
		"namespace-wide": func(s *ssv1alpha1.SealedSecret) { s.Name = "chosen" },
		"cluster-wide":   func(s *ssv1alpha1.SealedSecret) { s.Name, s.Namespace = "chosen", "chosen" },
	} {
		for path, text := range files(t, generate(t, "{format: sealed-secrets, certificate: cert.pem, scope: "+scope+"}")) {
			ss := load(t, text)
			want := open(t, path, ss).Data
			move(ss)
			ss.Spec.Template.Name, ss.Spec.Template.Namespace = ss.Name, ss.Namespace
			sameData(t, scope+" "+path, open(t, path, ss).Data, want)
		}
	}
}

// What somebody seals to the public certificate is opened as osm-gen's is.
func TestControllerOpensWhatAnybodySeals(t *testing.T) {
	cert, err := kubeseal.ParseKey(strings.NewReader(key(t, "TEST-ONLY-sealed-secrets.crt")))
	if err != nil {
		t.Fatal(err)
	}
	chosen := &v1.Secret{Data: map[string][]byte{"cloud-config": []byte("chosen")}}
	chosen.Name, chosen.Namespace = "workers-kube-system-bootstrap-config", "cloud-init-settings"
	sealed, err := ssv1alpha1.NewSealedSecret(scheme.Codecs, cert, chosen)
	if err != nil {
		t.Fatal(err)
	}
	sameData(t, "a stranger's", open(t, "a stranger's", sealed).Data, chosen.Data)
}
