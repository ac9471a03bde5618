package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// jobSteps reads a file of Kubernetes objects by their types, members that these lack being errors, and returns the containers of
// one Job as the kubelet would start them. The ConfigMap's values are those given, and each has to be.
func jobSteps(text []byte, name string, given map[string]string) []step {
	var found *batchv1.Job
	configs := map[string]corev1.ConfigMap{}
	claims := map[string]bool{}
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		check(err)
		var kind metav1.TypeMeta
		check(yaml.Unmarshal(document, &kind))
		switch kind.Kind {
		case "ConfigMap":
			one := corev1.ConfigMap{}
			check(yaml.UnmarshalStrict(document, &one))
			configs[one.Name] = one
		case "PersistentVolumeClaim":
			one := corev1.PersistentVolumeClaim{}
			check(yaml.UnmarshalStrict(document, &one))
			claims[one.Name] = true
		case "Job":
			one := batchv1.Job{}
			check(yaml.UnmarshalStrict(document, &one))
			if one.Name == name {
				found = &one
			}
		default:
			fail("unexpected kind: " + kind.Kind)
		}
	}
	if found == nil {
		fail("no such Job: " + name)
	}
	pod := found.Spec.Template.Spec
	for _, volume := range pod.Volumes {
		if claim := volume.PersistentVolumeClaim; claim != nil && !claims[claim.ClaimName] {
			fail("no such claim: " + claim.ClaimName)
		}
	}
	var steps []step
	for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
		if !slices.Equal(container.Command, []string{"bash", "-euc"}) || len(container.Args) != 1 {
			fail("not a script of bash: " + container.Name)
		}
		variables := map[string]string{}
		for _, from := range container.EnvFrom {
			for key, value := range configs[from.ConfigMapRef.Name].Data {
				variables[key] = value
			}
		}
		for key, value := range given {
			if _, isThere := variables[key]; !isThere && key != "JOB_COMPLETION_INDEX" {
				fail("the ConfigMap has no " + key)
			}
			variables[key] = value
		}
		steps = append(steps, containerStep(container, variables))
	}
	if shards := steps[len(steps)-1].Env["SHARDS"]; found.Spec.CompletionMode != nil && *found.Spec.CompletionMode == batchv1.IndexedCompletion {
		if found.Spec.Completions == nil || shards != decimal(*found.Spec.Completions) {
			fail("SHARDS is not the number of completions")
		}
	} else if found.Spec.Suspend == nil || !*found.Spec.Suspend {
		fail("the Job does not wait for the shards")
	}
	return steps
}
