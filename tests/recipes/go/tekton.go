package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	v1 "github.com/tektoncd/pipeline/pkg/apis/pipeline/v1"
	"github.com/tektoncd/pipeline/pkg/container"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Where Tekton's controller has results written.
const resultDir = "/tekton/results"

// tektonSteps validates as the admission webhook does, and replaces as the reconciler does before it makes a pod.
func tektonSteps(text []byte, name string, given map[string]string) []step {
	var found *v1.Task
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		check(err)
		task := &v1.Task{}
		check(yaml.UnmarshalStrict(document, task))
		ctx := context.Background()
		task.SetDefaults(ctx)
		if err := task.Validate(ctx); err != nil {
			fail(fmt.Sprintf("%s: %s", task.Name, err.Error()))
		}
		if task.Name == name {
			found = task
		}
	}
	if found == nil {
		fail("no such Task: " + name)
	}
	replacements := map[string]string{}
	for _, param := range found.Spec.Params {
		value, isGiven := given[param.Name]
		if !isGiven {
			if param.Default == nil {
				fail("the parameter " + param.Name + " has no default")
			}
			value = param.Default.StringVal
		}
		for _, pattern := range []string{"params.%s", "params[%q]", "params['%s']"} {
			replacements[fmt.Sprintf(pattern, param.Name)] = value
		}
		delete(given, param.Name)
	}
	for unknown := range given {
		fail("the Task has no parameter " + unknown)
	}
	var mounts []mount
	for _, workspace := range found.Spec.Workspaces {
		path := workspace.GetMountPath()
		replacements["workspaces."+workspace.Name+".path"] = path
		mounts = append(mounts, mount{workspace.Name, path, workspace.ReadOnly})
	}
	results := map[string]string{}
	for _, result := range found.Spec.Results {
		path := resultDir + "/" + result.Name
		replacements["results."+result.Name+".path"] = path
		results[result.Name] = path
	}
	mounts = append(mounts, mount{"results", resultDir, false})

	var steps []step
	for i := range found.Spec.Steps {
		one := found.Spec.Steps[i]
		container.ApplyStepReplacements(&one, replacements, map[string][]string{})
		made := step{Image: one.Image, Command: one.Command, Script: one.Script, WorkingDir: one.WorkingDir,
			Env: map[string]string{}, Mounts: slices.Clone(mounts), Results: results}
		for _, volume := range one.VolumeMounts {
			made.Mounts = append(made.Mounts, mount{volume.Name, volume.MountPath, volume.ReadOnly})
		}
		for _, variable := range one.Env {
			made.Env[variable.Name] = variable.Value
		}
		confine(&made, one.SecurityContext)
		steps = append(steps, made)
	}
	return steps
}
