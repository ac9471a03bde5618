// Package gardener2021 has Gardener's own functions of 2021 (v1.24.0) answer the same
// OperatingSystemConfigs as osm-gen with the contract "2021". It is a module of its own, with the
// libraries of that year.
package gardener2021

import (
	"context"
	"fmt"
	"text/template"

	"github.com/gardener/gardener/extensions/pkg/controller/operatingsystemconfig/oscommon/actuator"
	"github.com/gardener/gardener/extensions/pkg/controller/operatingsystemconfig/oscommon/generator"
	oscommon "github.com/gardener/gardener/extensions/pkg/controller/operatingsystemconfig/oscommon/template"
	"github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"github.com/gardener/gardener/pkg/apis/extensions/validation"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"
)

// commands are how the extensions have user-data applied again.
var commands = map[string]string{
	"ubuntu": "/usr/bin/env bash %s", "ubuntu-pro": "/usr/bin/env bash %s", "gardenlinux": "/usr/bin/env bash %s",
	"suse-chost": "/bin/bash %s", "suse-jeos": "/bin/bash %s", "memoryone-chost": "/bin/bash %s",
	"coreos": "/usr/bin/coreos-cloudinit --from-file=%s", "flatcar": "/usr/bin/coreos-cloudinit --from-file=%s",
}

// recorder is a generator that keeps what it is given.
type recorder struct {
	generator.Generator
	given *generator.OperatingSystemConfig
}

func (r *recorder) Generate(config *generator.OperatingSystemConfig) ([]byte, *string, error) {
	r.given = config
	return r.Generator.Generate(config)
}

// Answer is what the extensions are given, and what stands in the status.
type Answer struct {
	Given   *generator.OperatingSystemConfig
	Command *string
	Units   []string
}

// Ask calls Gardener's functions; a panic is an error.
func Ask(osc *v1alpha1.OperatingSystemConfig, secrets []corev1.Secret) (answer *Answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	builder := fake.NewClientBuilder().WithScheme(scheme)
	for i := range secrets {
		builder = builder.WithObjects(secrets[i].DeepCopy())
	}
	r := &recorder{Generator: oscommon.NewCloudInitGenerator(template.Must(oscommon.NewTemplate("empty").Parse("")),
		"/etc/systemd/system", commands[osc.Spec.Type], nil)}
	_, command, err := actuator.CloudConfigFromOperatingSystemConfig(context.Background(), builder.Build(), osc, r)
	if err != nil {
		return nil, err
	}
	return &Answer{r.given, command, actuator.OperatingSystemConfigUnitNames(osc)}, nil
}

// refuses is what Gardener's functions say to a manifest, from reading it to generating. That its
// validation wants every inline content to have an encoding is left out: Gardener's own manifests
// have some without, and no controller asked it.
func refuses(text string) error {
	osc, secrets, err := parse(text)
	if err != nil {
		return err
	}
	judged := osc.DeepCopy()
	for i := range judged.Spec.Files {
		if inline := judged.Spec.Files[i].Content.Inline; inline != nil && inline.Encoding == "" {
			inline.Encoding = "b64"
		}
	}
	if errs := validation.ValidateOperatingSystemConfig(judged); len(errs) > 0 {
		return errs.ToAggregate()
	}
	_, err = Ask(osc, secrets)
	return err
}

// parse reads manifests as the API server would: an OSC, and Secrets.
func parse(text string) (*v1alpha1.OperatingSystemConfig, []corev1.Secret, error) {
	osc := &v1alpha1.OperatingSystemConfig{}
	var secrets []corev1.Secret
	for i, document := range gardenercases.Documents(text)[1:] {
		if i == 0 {
			if err := yaml.Unmarshal([]byte(document), osc); err != nil {
				return nil, nil, err
			}
			continue
		}
		secret := corev1.Secret{}
		if err := yaml.Unmarshal([]byte(document), &secret); err != nil {
			return nil, nil, err
		}
		for name, text := range secret.StringData {
			if secret.Data == nil {
				secret.Data = map[string][]byte{}
			}
			secret.Data[name] = []byte(text)
		}
		secret.StringData = nil
		secrets = append(secrets, secret)
	}
	return osc, secrets, nil
}
