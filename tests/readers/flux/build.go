package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// build is what kustomize makes of a folder; files outside of it are refused.
func build(folder string) (resmap.ResMap, error) {
	return krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
}

func printBuild(folder string) error {
	objects, err := build(folder)
	if err != nil {
		return err
	}
	text, err := objects.AsYaml()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}

// timeBuild prints the objects and the milliseconds of each build, and their sums.
func timeBuild(folders []string) error {
	sum, objects := time.Duration(0), 0
	for _, folder := range folders {
		begin := time.Now()
		built, err := build(folder)
		if err != nil {
			return err
		}
		spent := time.Since(begin)
		fmt.Printf("%s %d %d\n", folder, built.Size(), spent.Milliseconds())
		sum += spent
		objects += built.Size()
	}
	fmt.Printf("sum %d %d\n", objects, sum.Milliseconds())
	return nil
}

// checkDelivery builds a folder of Kustomizations, holds each against the published schema and builds
// the path that it names, below root. Prints "NAMESPACE/NAME PATH OBJECTS SEALED" of each.
func checkDelivery(crd, root, folder string) error {
	validator, err := schemaValidator(crd)
	if err != nil {
		return err
	}
	objects, err := build(folder)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, object := range objects.Resources() {
		text, err := object.AsYAML()
		if err != nil {
			return err
		}
		var loose map[string]any
		if err := yaml.Unmarshal(text, &loose); err != nil {
			return err
		}
		if errs := validator.Validate(loose); !errs.IsValid() {
			return fmt.Errorf("%s: %v", object.GetName(), errs.Errors)
		}
		var kustomization kustomizev1.Kustomization
		if err := yaml.UnmarshalStrict(text, &kustomization); err != nil {
			return fmt.Errorf("%s: %w", object.GetName(), err)
		}
		names[kustomization.Namespace+"/"+kustomization.Name] = true
		if err := checkPath(root, &kustomization); err != nil {
			return err
		}
	}
	return checkDependencies(objects, names)
}

func checkPath(root string, kustomization *kustomizev1.Kustomization) error {
	built, err := build(filepath.Join(root, kustomization.Spec.Path))
	if err != nil {
		return fmt.Errorf("%s: %w", kustomization.Name, err)
	}
	sealed := 0
	for _, object := range built.Resources() {
		fields, err := object.Map()
		if err != nil {
			return err
		}
		if _, ok := fields["sops"]; ok {
			sealed++
		}
	}
	if (sealed > 0) != (kustomization.Spec.Decryption != nil) {
		return fmt.Errorf("%s: %d sealed objects, decryption %v", kustomization.Name, sealed, kustomization.Spec.Decryption)
	}
	fmt.Printf("%s/%s %s %d %d\n", kustomization.Namespace, kustomization.Name, kustomization.Spec.Path, built.Size(), sealed)
	return nil
}

// Flux waits for ever for one that is not there.
func checkDependencies(objects resmap.ResMap, names map[string]bool) error {
	for _, object := range objects.Resources() {
		var kustomization kustomizev1.Kustomization
		text, err := object.AsYAML()
		if err != nil {
			return err
		}
		if err := yaml.UnmarshalStrict(text, &kustomization); err != nil {
			return err
		}
		for _, on := range kustomization.Spec.DependsOn {
			if !names[kustomization.Namespace+"/"+on.Name] {
				return fmt.Errorf("%s depends on %s, which is not there", kustomization.Name, on.Name)
			}
		}
	}
	return nil
}

// schemaValidator takes the schema out of a CustomResourceDefinition.
func schemaValidator(path string) (*validate.SchemaValidator, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var definition struct {
		Spec struct {
			Versions []struct {
				Name   string
				Schema struct {
					OpenAPIV3Schema spec.Schema `json:"openAPIV3Schema"`
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &definition); err != nil {
		return nil, err
	}
	for i := range definition.Spec.Versions {
		version := &definition.Spec.Versions[i]
		if version.Name == "v1" || version.Name == "v1alpha1" {
			schema := &version.Schema.OpenAPIV3Schema
			if len(schema.Properties) == 0 {
				return nil, fmt.Errorf("%s has no properties", path)
			}
			return validate.NewSchemaValidator(schema, nil, "", strfmt.Default), nil
		}
	}
	return nil, fmt.Errorf("%s has no version v1 or v1alpha1", path)
}
