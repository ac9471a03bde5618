// reader makes of ApplicationSets what Argo CD's controller makes of them, with its own generator and
// templates.
//
//	reader CRDS FILE...    the folder of Argo CD's CustomResourceDefinitions, and ApplicationSets
//
// Each, and each Application, is held against the published schema. Of each Application it prints
// "NAMESPACE/NAME STEP PATH SERVER CLUSTER FINALIZERS", where "-" is none.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argoproj/argo-cd/v3/applicationset/controllers/template"
	"github.com/argoproj/argo-cd/v3/applicationset/generators"
	"github.com/argoproj/argo-cd/v3/applicationset/utils"
	argov1alpha1 "github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/sirupsen/logrus"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"
)

func main() {
	log.SetFlags(0)
	logrus.SetOutput(io.Discard)
	if len(os.Args) < 3 {
		log.Fatal("usage: reader CRDS FILE...")
	}
	for _, path := range os.Args[2:] {
		if err := check(os.Args[1], path); err != nil {
			log.Fatalf("%s: %v", path, err)
		}
	}
}

func check(crds, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := fits(filepath.Join(crds, "applicationset-crd.yaml"), text); err != nil {
		return err
	}
	var set argov1alpha1.ApplicationSet
	if err := yaml.UnmarshalStrict(text, &set); err != nil {
		return err
	}
	all := map[string]generators.Generator{"List": generators.NewListGenerator()}
	applications, _, err := template.GenerateApplications(logrus.NewEntry(logrus.StandardLogger()), set, all, &utils.Render{}, nil)
	if err != nil {
		return err
	}
	for i := range applications {
		if err := show(crds, &set, &applications[i]); err != nil {
			return fmt.Errorf("%s: %w", applications[i].Name, err)
		}
	}
	return nil
}

func show(crds string, set *argov1alpha1.ApplicationSet, application *argov1alpha1.Application) error {
	application.APIVersion, application.Kind = "argoproj.io/v1alpha1", "Application"
	text, err := json.Marshal(application)
	if err != nil {
		return err
	}
	if err := fits(filepath.Join(crds, "application-crd.yaml"), text); err != nil {
		return err
	}
	fmt.Println(application.Namespace+"/"+application.Name, step(set, application), application.Spec.Source.Path,
		or(application.Spec.Destination.Server), or(application.Spec.Destination.Name), or(strings.Join(application.Finalizers, ",")))
	return nil
}

func or(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// step is the number of the only step that takes the Application: Argo CD syncs none that no step takes.
func step(set *argov1alpha1.ApplicationSet, application *argov1alpha1.Application) string {
	var taken []string
	for i, step := range set.Spec.Strategy.RollingSync.Steps {
		for _, expression := range step.MatchExpressions {
			if expression.Operator == "In" && slices.Contains(expression.Values, application.Labels[expression.Key]) {
				taken = append(taken, fmt.Sprint(i))
			}
		}
	}
	return or(strings.Join(taken, ","))
}

// fits holds an object against a CustomResourceDefinition's schema.
func fits(crd string, text []byte) error {
	schema, err := os.ReadFile(crd)
	if err != nil {
		return err
	}
	var definition struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema spec.Schema `json:"openAPIV3Schema"`
				}
			}
		}
	}
	if err := yaml.Unmarshal(schema, &definition); err != nil {
		return err
	}
	if len(definition.Spec.Versions) != 1 || len(definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties) == 0 {
		return fmt.Errorf("%s is not as it was", crd)
	}
	var loose map[string]any
	if err := yaml.Unmarshal(text, &loose); err != nil {
		return err
	}
	validator := validate.NewSchemaValidator(&definition.Spec.Versions[0].Schema.OpenAPIV3Schema, nil, "", strfmt.Default)
	if result := validator.Validate(loose); !result.IsValid() {
		return fmt.Errorf("%v", result.Errors)
	}
	return nil
}
