package admission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"go.uber.org/zap"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	ctrladmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"

	"k8c.io/operating-system-manager/pkg/admission/operatingsystemprofile/validation"
	osmv1alpha1 "k8c.io/operating-system-manager/pkg/crd/osm/v1alpha1"
)

// ProfileSchema is that of the controller's CustomResourceDefinition, in the
// validator that the API server has.
func ProfileSchema() (*validate.SchemaValidator, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8c.io/operating-system-manager").Output()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "deploy/crd/operatingsystemmanager.k8c.io_operatingsystemprofiles.yaml"))
	if err != nil {
		return nil, err
	}
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct{ OpenAPIV3Schema *spec.Schema }
			}
		}
	}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return nil, err
	}
	if len(crd.Spec.Versions) == 0 || crd.Spec.Versions[0].Schema.OpenAPIV3Schema == nil {
		return nil, errors.New("the CustomResourceDefinition of profiles has no schema")
	}
	return validate.NewSchemaValidator(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, nil, "", strfmt.Default), nil
}

// Webhook asks the controller's webhook about a profile: about its creation,
// or, where before is given, its update. It returns what the webhook minds.
func Webhook(before, now map[string]any) (string, error) {
	request := admissionv1.AdmissionRequest{Operation: admissionv1.Create}
	for _, side := range []struct {
		object map[string]any
		into   *runtime.RawExtension
	}{{before, &request.OldObject}, {now, &request.Object}} {
		if side.object == nil {
			continue
		}
		spec, ok := side.object["spec"].(map[string]any)
		if !ok {
			return "", errors.New("a profile without a spec")
		}
		defaults(spec)
		raw, err := json.Marshal(side.object)
		if err != nil {
			return "", err
		}
		side.into.Raw = raw
	}
	if before != nil {
		request.Operation = admissionv1.Update
	}
	scheme := runtime.NewScheme()
	if err := osmv1alpha1.AddToScheme(scheme); err != nil {
		return "", err
	}
	handler := validation.NewAdmissionHandler(zap.NewNop().Sugar(), scheme)
	response := handler.Handle(context.Background(), ctrladmission.Request{AdmissionRequest: request})
	if response.Allowed {
		return "", nil
	}
	if response.Result == nil || response.Result.Message == "" {
		return "", fmt.Errorf("the webhook denies without a word: %v", response)
	}
	return response.Result.Message, nil
}

// defaults are what the API server fills in before the webhook sees a spec.
func defaults(spec map[string]any) {
	if _, ok := spec["provisioningUtility"]; !ok {
		spec["provisioningUtility"] = "cloud-init"
	}
	files := func(v any) {
		list, _ := v.([]any)
		for _, item := range list {
			if file, ok := item.(map[string]any); ok && file["permissions"] == nil {
				file["permissions"] = 644
			}
		}
	}
	for _, name := range []string{"bootstrapConfig", "provisioningConfig"} {
		config, _ := spec[name].(map[string]any)
		files(config["files"])
		runtimes, _ := config["supportedContainerRuntimes"].([]any)
		for _, r := range runtimes {
			if r, ok := r.(map[string]any); ok {
				files(r["files"])
			}
		}
	}
}
