package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	wfv1 "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"
	"github.com/argoproj/argo-workflows/v3/util/template"
	"github.com/argoproj/argo-workflows/v3/workflow/common"
	"github.com/argoproj/argo-workflows/v3/workflow/validate"
	corev1 "k8s.io/api/core/v1"
)

// argoSteps validates as `argo template lint` does, once as it stands and once as a workflow with the arguments that are given,
// and replaces parameters as the controller does: in the template as JSON.
func argoSteps(text []byte, name string, given map[string]string) []step {
	found, err := common.SplitWorkflowTemplateYAMLFile(text, true)
	check(err)
	if len(found) != 1 {
		fail(fmt.Sprintf("%d WorkflowTemplates", len(found)))
	}
	one := found[0]
	check(validate.ValidateWorkflowTemplate(nil, nil, &one, nil, validate.ValidateOpts{Lint: true}))

	workflow := &wfv1.Workflow{Spec: one.Spec}
	workflow.Name = "test"
	workflow.Spec.Entrypoint = name
	replacements := map[string]string{}
	for i := range workflow.Spec.Arguments.Parameters {
		parameter := &workflow.Spec.Arguments.Parameters[i]
		if value, isGiven := given[parameter.Name]; isGiven {
			parameter.Value = wfv1.AnyStringPtr(value)
			delete(given, parameter.Name)
		}
		if parameter.Value == nil {
			fail("the parameter " + parameter.Name + " has no value")
		}
		replacements["workflow.parameters."+parameter.Name] = parameter.Value.String()
	}
	for unknown := range given {
		fail("the WorkflowTemplate has no parameter " + unknown)
	}
	check(validate.ValidateWorkflow(nil, nil, workflow, nil, validate.ValidateOpts{Submit: true}))

	chosen := workflow.GetTemplateByName(name)
	if chosen == nil || chosen.Script == nil {
		fail("no script of this name: " + name)
	}
	before, err := json.Marshal(chosen)
	check(err)
	after, err := template.Replace(string(before), replacements, false)
	check(err)
	replaced := wfv1.Template{}
	check(json.Unmarshal([]byte(after), &replaced))
	if replaced.Script.Source != chosen.Script.Source {
		fail("a parameter is part of the script")
	}

	made := step{Image: replaced.Script.Image, Command: replaced.Script.Command, Script: replaced.Script.Source,
		WorkingDir: replaced.Script.WorkingDir, Env: map[string]string{}, Results: map[string]string{}}
	for _, variable := range replaced.Script.Env {
		made.Env[variable.Name] = variable.Value
	}
	for _, one := range replaced.Script.VolumeMounts {
		made.Mounts = append(made.Mounts, mount{one.Name, one.MountPath, one.ReadOnly})
	}
	for _, artifact := range replaced.Inputs.Artifacts {
		made.Mounts = append(made.Mounts, mount{artifact.Name, artifact.Path, false})
		if artifact.Git != nil {
			depth := "0" // the whole history
			if artifact.Git.Depth != nil {
				depth = fmt.Sprint(*artifact.Git.Depth)
			}
			made.Checkout = map[string]string{"repo": artifact.Git.Repo, "revision": artifact.Git.Revision,
				"depth": depth, "fetch": strings.Join(artifact.Git.Fetch, " "),
				"submodules": fmt.Sprint(!artifact.Git.DisableSubmodules)}
		}
	}
	for _, parameter := range replaced.Outputs.Parameters {
		made.Results[parameter.Name] = parameter.ValueFrom.Path
	}
	confine(&made, replaced.Script.SecurityContext)
	if pod := workflow.Spec.SecurityContext; pod != nil && made.User == 0 && pod.RunAsUser != nil {
		made.User = *pod.RunAsUser
	}
	var steps []step
	for i, container := range replaced.InitContainers {
		if !slices.Equal(container.Command, []string{"bash", "-euc"}) || !slices.Equal(container.Args, chosen.InitContainers[i].Args) {
			fail("not a script of bash, or a parameter is part of it: " + container.Name)
		}
		steps = append(steps, containerStep(container.Container, nil))
	}
	return append(steps, made)
}

// containerStep is a container whose command is a script of bash. Its variables are those given and its own.
func containerStep(container corev1.Container, given map[string]string) step {
	made := step{Image: container.Image, Command: []string{"bash", "-eu"}, Script: container.Args[0],
		WorkingDir: container.WorkingDir, Env: map[string]string{}}
	maps.Copy(made.Env, given)
	for _, variable := range container.Env {
		made.Env[variable.Name] = variable.Value
	}
	for _, one := range container.VolumeMounts {
		made.Mounts = append(made.Mounts, mount{one.Name, one.MountPath, one.ReadOnly})
	}
	made.Mounts = append(made.Mounts, mount{"results", "/results", false})
	confine(&made, container.SecurityContext)
	return made
}

// confine takes over what a container may do.
func confine(made *step, context *corev1.SecurityContext) {
	made.Escalation = true
	if context == nil {
		return
	}
	if context.RunAsUser != nil {
		made.User = *context.RunAsUser
	}
	made.ReadOnlyRoot = context.ReadOnlyRootFilesystem != nil && *context.ReadOnlyRootFilesystem
	made.Escalation = context.AllowPrivilegeEscalation == nil || *context.AllowPrivilegeEscalation
	if context.Capabilities != nil {
		for _, one := range context.Capabilities.Add {
			made.Capabilities = append(made.Capabilities, string(one))
		}
		for _, one := range context.Capabilities.Drop {
			made.Dropped = append(made.Dropped, string(one))
		}
	}
}
