package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	fluxkustomize "github.com/fluxcd/pkg/kustomize"
	"github.com/fluxcd/pkg/ssa/normalize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/resource"
)

// sent prints what the controller's server-side apply sends to the API server for a folder, one object a line. Its
// Kustomization has postBuild variables of the given names: their values would show wherever they are replaced.
func sent(identity, folder, names string) error {
	built, err := objectsOf(identity, folder)
	if err != nil {
		return err
	}
	variables := map[string]any{}
	for _, name := range strings.Split(names, ",") {
		variables[name] = "REPLACED-BY-FLUX"
	}
	kustomization := unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"postBuild": map[string]any{"substitute": variables}},
	}}
	for _, object := range built {
		if err := send(kustomization, object); err != nil {
			return err
		}
	}
	return nil
}

func send(kustomization unstructured.Unstructured, object *resource.Resource) error {
	replaced, err := fluxkustomize.SubstituteVariables(context.Background(), nil, kustomization, object,
		fluxkustomize.SubstituteWithDryRun(true))
	if err != nil {
		return fmt.Errorf("substituting: %w", err)
	}
	if replaced != nil {
		object = replaced
	}
	fields, err := object.Map()
	if err != nil {
		return err
	}
	normal := &unstructured.Unstructured{Object: fields}
	if err := normalize.Unstructured(normal); err != nil {
		return fmt.Errorf("normalizing: %w", err)
	}
	line, err := json.Marshal(normal.Object)
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	return nil
}
