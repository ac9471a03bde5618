// reader opens sealed files as Flux's kustomize-controller does, with its own decryptor, and builds
// folders as it does.
//
//	reader flux IDENTITY FILE          prints the decrypted object
//	reader apply IDENTITY FOLDER       what a Kustomization of the folder would apply, as a list in JSON; decrypts patches in place
//	reader sent IDENTITY FOLDER NAME,...   what its server-side apply sends, with postBuild variables of these names
//	reader artifact LAYOUT FOLDER      checks an OCI image layout, pushes and pulls it, and extracts it into the folder
//	reader same FILE FILE              whether two YAML or JSON files are one object
//	reader build FOLDER                prints what kustomize makes of a folder
//	reader time FOLDER...              how long that takes
//	reader delivery CRD ROOT FOLDER    checks Flux's Kustomizations in a folder, and builds their paths
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"reflect"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/kustomize-controller/internal/decryptor"
	"github.com/fluxcd/pkg/apis/meta"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resource"
	kustypes "sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

func main() {
	log.SetFlags(0)
	arguments := map[string]int{"flux": 2, "apply": 2, "sent": 3, "artifact": 2, "same": 2, "build": 1, "time": 1, "delivery": 3}
	if len(os.Args) < 2 || len(os.Args)-2 < arguments[os.Args[1]] {
		log.Fatal("usage: reader flux|apply|sent|artifact|same|build|time|delivery ARGUMENTS")
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func run(command string, arguments []string) error {
	switch command {
	case "flux":
		text, err := open(arguments[0], arguments[1])
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(text)
		return err
	case "apply":
		text, err := apply(arguments[0], arguments[1])
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(text)
		return err
	case "sent":
		return sent(arguments[0], arguments[1], arguments[2])
	case "artifact":
		return artifact(arguments[0], arguments[1])
	case "same":
		return same(arguments[0], arguments[1])
	case "build":
		return printBuild(arguments[0])
	case "time":
		return timeBuild(arguments)
	case "delivery":
		return checkDelivery(arguments[0], arguments[1], arguments[2])
	}
	return fmt.Errorf("no command %q", command)
}

// opener is the controller's decryptor for a Kustomization below root, with the identity as its Secret.
func opener(identity, root string) (*decryptor.Decryptor, func(), error) {
	key, err := os.ReadFile(identity)
	if err != nil {
		return nil, nil, err
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "flux-system", Name: "sops-age"},
		Data:       map[string][]byte{"identity.agekey": key},
	}
	kustomization := &kustomizev1.Kustomization{
		ObjectMeta: metav1.ObjectMeta{Namespace: "flux-system", Name: "fleet"},
		Spec: kustomizev1.KustomizationSpec{Decryption: &kustomizev1.Decryption{
			Provider: decryptor.DecryptionProviderSOPS, SecretRef: &meta.LocalObjectReference{Name: "sops-age"},
		}},
	}
	d, end, err := decryptor.New(fake.NewClientBuilder().WithObjects(secret).Build(), kustomization, decryptor.WithRoot(root))
	if err != nil {
		return nil, nil, err
	}
	if err := d.ImportKeys(context.Background()); err != nil {
		end()
		return nil, nil, err
	}
	return d, end, nil
}

func open(identity, file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	d, end, err := opener(identity, "")
	if err != nil {
		return nil, err
	}
	defer end()
	resource, err := provider.NewDefaultDepProvider().GetResourceFactory().FromBytes(text)
	if err != nil {
		return nil, err
	}
	opened, err := d.DecryptResource(resource)
	if err != nil {
		return nil, err
	}
	if opened == nil {
		return nil, fmt.Errorf("%s: Flux takes this for a file that is not sealed", file)
	}
	return opened.AsYAML()
}

// objectsOf takes the steps of the controller's: patches are decrypted as files, then kustomize runs, then each object
// that it made is decrypted.
func objectsOf(identity, folder string) ([]*resource.Resource, error) {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, err
	}
	d, end, err := opener(identity, folder)
	if err != nil {
		return nil, err
	}
	defer end()
	if err := d.DecryptSources(folder); err != nil {
		return nil, fmt.Errorf("decrypting sources: %w", err)
	}
	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = kustypes.LoadRestrictionsNone
	objects, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, fmt.Errorf("building: %w", err)
	}
	built := objects.Resources()
	for i, object := range built {
		opened, err := d.DecryptResource(object)
		if err != nil {
			return nil, fmt.Errorf("decrypting: %w", err)
		}
		if opened != nil {
			built[i] = opened
		}
	}
	return built, nil
}

func apply(identity, folder string) ([]byte, error) {
	built, err := objectsOf(identity, folder)
	if err != nil {
		return nil, err
	}
	list := []map[string]any{}
	for _, object := range built {
		fields, err := object.Map()
		if err != nil {
			return nil, err
		}
		list = append(list, fields)
	}
	return json.Marshal(list)
}

// same compares what the API server would get: a Secret's values by their bytes.
func same(left, right string) error {
	a, err := load(left)
	if err != nil {
		return err
	}
	b, err := load(right)
	if err != nil {
		return err
	}
	if reflect.DeepEqual(a, b) {
		return nil
	}
	for key, value := range a {
		if !reflect.DeepEqual(value, b[key]) {
			return fmt.Errorf("%s and %s differ below %q", left, right, key)
		}
	}
	return fmt.Errorf("%s lacks a key of %s", left, right)
}

func load(path string) (map[string]any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	object := map[string]any{}
	if err := yaml.Unmarshal(text, &object); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(object) == 0 || bytes.Contains(text, []byte("ENC[AES256_GCM")) {
		return nil, fmt.Errorf("%s is empty or still sealed", path)
	}
	if data, ok := object["data"].(map[string]any); ok {
		for key, value := range data {
			plain, err := base64.StdEncoding.DecodeString(fmt.Sprint(value))
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, key, err)
			}
			data[key] = string(plain)
		}
	}
	return object, nil
}
