// What reads the recipes as their runners do: Tekton's and Argo's own types, validation and replacement of parameters.
//
//	recipes tekton FILE TASK NAME=VALUE...       every Task of the file is valid; the steps of one, parameters replaced, as JSON
//	recipes argo FILE TEMPLATE NAME=VALUE...     the WorkflowTemplate is valid; the script of one template, likewise
//	recipes job FILE JOB NAME=VALUE...           every object of the file is of its type; the containers of a Job, likewise
//	recipes re2 FILE                             every regular expression of a Renovate configuration is one of RE2
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// mount is a folder of the container: what it holds is named, not where it is.
type mount struct {
	Name     string `json:"name"`
	Path     string `json:"path"`
	ReadOnly bool   `json:"readOnly"`
}

// step is what a runner hands to a container.
type step struct {
	Image        string            `json:"image"`
	Command      []string          `json:"command"`
	Script       string            `json:"script"`
	WorkingDir   string            `json:"workingDir"`
	Env          map[string]string `json:"env"`
	User         int64             `json:"user"`
	ReadOnlyRoot bool              `json:"readOnlyRoot"`
	Escalation   bool              `json:"escalation"`
	Capabilities []string          `json:"capabilities"`
	Dropped      []string          `json:"dropped"`
	Mounts       []mount           `json:"mounts"`
	Results      map[string]string `json:"results"`
	Checkout     map[string]string `json:"checkout,omitempty"`
}

func main() {
	if len(os.Args) < 3 {
		fail("usage: recipes tekton|argo|job|re2 FILE [NAME] [NAME=VALUE...]")
	}
	text, err := os.ReadFile(os.Args[2])
	check(err)
	var steps []step
	switch os.Args[1] {
	case "tekton":
		steps = tektonSteps(text, os.Args[3], values(os.Args[4:]))
	case "argo":
		steps = argoSteps(text, os.Args[3], values(os.Args[4:]))
	case "job":
		steps = jobSteps(text, os.Args[3], values(os.Args[4:]))
	case "re2":
		re2(text)
		return
	default:
		fail("no such command: " + os.Args[1])
	}
	out, err := json.MarshalIndent(steps, "", "  ")
	check(err)
	fmt.Println(string(out))
}

// re2 compiles what Go's library, whose syntax is RE2's, would refuse otherwise: look-arounds and references back.
func re2(text []byte) {
	var config struct {
		CustomManagers []struct {
			ManagerFilePatterns    []string
			MatchStrings           []string
			ExtractVersionTemplate string
		}
	}
	check(json.Unmarshal(text, &config))
	n := 0
	for _, manager := range config.CustomManagers {
		patterns := append([]string{}, manager.MatchStrings...)
		for _, pattern := range manager.ManagerFilePatterns {
			patterns = append(patterns, strings.Trim(pattern, "/"))
		}
		if manager.ExtractVersionTemplate != "" {
			patterns = append(patterns, manager.ExtractVersionTemplate)
		}
		for _, pattern := range patterns {
			_, err := regexp.Compile(pattern)
			check(err)
			n++
		}
	}
	if n == 0 {
		fail("there is no regular expression")
	}
	fmt.Println(n)
}

func values(words []string) map[string]string {
	result := map[string]string{}
	for _, word := range words {
		name, value, found := strings.Cut(word, "=")
		if !found {
			fail("not NAME=VALUE: " + word)
		}
		result[name] = value
	}
	return result
}

func decimal(number int32) string {
	return fmt.Sprintf("%d", number)
}

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(text string) {
	fmt.Fprintln(os.Stderr, "recipes: "+text)
	os.Exit(1)
}
