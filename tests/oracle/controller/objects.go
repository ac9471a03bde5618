package controller

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	osps "k8c.io/operating-system-manager/deploy/osps"
	osmv1alpha1 "k8c.io/operating-system-manager/pkg/crd/osm/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// Scheme knows every kind that the controller reads or writes.
var Scheme = newScheme()

func newScheme() *runtime.Scheme {
	s := clientgoscheme.Scheme
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, osmv1alpha1.AddToScheme, clusterv1alpha1.AddToScheme,
	} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	return s
}

// UbuntuOSP is the text of the controller's own default profile, as published.
func UbuntuOSP() ([]byte, error) { return osps.FS.ReadFile("default/osp-ubuntu.yaml") }

// DefaultOSPTexts are the controller's default profiles as published, by name.
func DefaultOSPTexts() (map[string]string, error) {
	out := map[string]string{}
	entries, err := osps.FS.ReadDir("default")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := osps.FS.ReadFile("default/" + e.Name())
		if err != nil {
			return nil, err
		}
		out[strings.TrimSuffix(e.Name(), ".yaml")] = string(text)
	}
	return out, nil
}

// DefaultOSPs are the controller's embedded profiles in the namespace where it
// would put them.
func DefaultOSPs(namespace string) ([]client.Object, error) {
	var out []client.Object
	err := fs.WalkDir(osps.FS, "default", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := osps.FS.ReadFile(path)
		if err != nil {
			return err
		}
		objects, err := Decode(path, text)
		if err != nil {
			return err
		}
		for _, o := range objects {
			o.SetName(strings.TrimSuffix(filepath.Base(path), ".yaml"))
			o.SetNamespace(namespace)
		}
		out = append(out, objects...)
		return nil
	})
	return out, err
}

// Load decodes every manifest below dir whose kind the controller knows.
func Load(dir string) ([]client.Object, error) {
	var out []client.Object
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(path); ext != ".yaml" && ext != ".yml" && ext != ".json" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		objects, err := Decode(path, text)
		out = append(out, objects...)
		return err
	})
	return out, err
}

// Decode reads one file of manifests, applying what the API server would: the
// conversion to JSON, stringData of Secrets, and the defaults of the CRDs.
func Decode(path string, text []byte) ([]client.Object, error) {
	var out []client.Object
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		o, err := decodeOne(doc)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if o != nil {
			out = append(out, o)
		}
	}
}

func decodeOne(doc []byte) (client.Object, error) {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := yaml.Unmarshal(doc, &head); err != nil {
		return nil, err
	}
	switch head.Kind {
	case "MachineDeployment":
		return decodeInto(doc, &clusterv1alpha1.MachineDeployment{})
	case "OperatingSystemProfile":
		return decodeInto(doc, &osmv1alpha1.OperatingSystemProfile{})
	case "ConfigMap":
		return decodeInto(doc, &corev1.ConfigMap{})
	case "ServiceAccount":
		return decodeInto(doc, &corev1.ServiceAccount{})
	case "Secret":
		return decodeInto(doc, &corev1.Secret{})
	}
	return nil, nil
}

func decodeInto[T client.Object](doc []byte, o T) (client.Object, error) {
	if err := yaml.Unmarshal(doc, o); err != nil {
		return nil, err
	}
	switch o := any(o).(type) {
	case *osmv1alpha1.OperatingSystemProfile:
		defaultOSP(o)
	case *corev1.Secret:
		for k, v := range o.StringData {
			if o.Data == nil {
				o.Data = map[string][]byte{}
			}
			o.Data[k] = []byte(v)
		}
		o.StringData = nil
	}
	return o, nil
}

// defaultOSP applies the two defaults that the CRD declares. (A file's mode is
// defaulted where it is absent; an explicit 0 cannot be distinguished here and
// renders the same.)
func defaultOSP(osp *osmv1alpha1.OperatingSystemProfile) {
	if osp.Spec.ProvisioningUtility == "" {
		osp.Spec.ProvisioningUtility = osmv1alpha1.ProvisioningUtilityCloudInit
	}
	for _, c := range []*osmv1alpha1.OSPConfig{&osp.Spec.BootstrapConfig, &osp.Spec.ProvisioningConfig} {
		defaultModes(c.Files)
		for i := range c.SupportedContainerRuntimes {
			defaultModes(c.SupportedContainerRuntimes[i].Files)
		}
	}
}

func defaultModes(files []osmv1alpha1.File) {
	for i := range files {
		if files[i].Permissions == 0 {
			files[i].Permissions = 644
		}
	}
}
