package admission

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	"k8c.io/operating-system-manager/pkg/admission/machinedeployment/mutation"
	"k8c.io/operating-system-manager/pkg/controllers/osc/resources"
	"sigs.k8s.io/yaml"
)

const profile = `---
apiVersion: operatingsystemmanager.k8c.io/v1alpha1
kind: OperatingSystemProfile
metadata: {name: %s, namespace: kube-system}
spec:
  osName: %s
  osVersion: "1"
  version: v1.0.0
  provisioningUtility: %s
  supportedCloudProviders: [{name: anexia}, {name: aws}]
  bootstrapConfig: {}
  provisioningConfig: {}
`

const machineDeployment = `apiVersion: cluster.k8s.io/v1alpha1
kind: MachineDeployment
metadata:
  name: workers
  namespace: kube-system
%s
spec:
  selector: {matchLabels: {pool: workers}}
  template:
    metadata: {labels: {pool: workers}}
    spec:
      versions: {kubelet: 1.35.2}
      providerSpec:
        value:
          cloudProvider: %s
          cloudProviderSpec: {}
          operatingSystem: %s
          operatingSystemSpec: %s
`

// Which profile a MachineDeployment gets when it names none: that of the
// mutating webhook, errors included.
func TestDefaultProfile(t *testing.T) {
	repo, err := NewRepo(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	profiles := fmt.Sprintf(profile, "osp-flatcar-cloud-init", "flatcar", "cloud-init") +
		fmt.Sprintf(profile, "osp-own", "ubuntu", "cloud-init")
	for _, os := range []string{"ubuntu", "flatcar", "rhel", "amzn2", "rockylinux"} {
		utility := "cloud-init"
		if os == "flatcar" {
			utility = "ignition"
		}
		profiles += fmt.Sprintf(profile, "osp-"+os, os, utility)
	}
	if err := repo.Write("profiles.yaml", profiles); err != nil {
		t.Fatal(err)
	}
	cases := 0
	for _, annotations := range []string{"", "  annotations: {k8c.io/operating-system-profile: ''}", "  annotations: {k8c.io/operating-system-profile: osp-own}", "  annotations: {a: b}"} {
		for _, provider := range []string{"aws", "anexia"} {
			for _, os := range []string{"ubuntu", "flatcar", "rhel", "amzn2", "rockylinux", "sles", "centos", "''"} {
				for _, spec := range []string{"{}", "{provisioningUtility: cloud-init}", "{provisioningUtility: ignition}", "{provisioningUtility: ''}", "{ProvisioningUtility: cloud-init}", "null"} {
					manifest := fmt.Sprintf(machineDeployment, annotations, provider, os, spec)
					checkDefault(t, repo, manifest)
					cases++
				}
			}
		}
	}
	t.Logf("%d MachineDeployments", cases)
}

func checkDefault(t *testing.T, repo *Repo, manifest string) {
	t.Helper()
	md := &clusterv1alpha1.MachineDeployment{}
	if err := yaml.Unmarshal([]byte(manifest), md); err != nil {
		t.Fatal(err)
	}
	refused := mutation.MutateMachineDeployment(md)
	want := md.Annotations[resources.MachineDeploymentOSPAnnotation]

	if err := repo.Write("workers.yaml", manifest); err != nil {
		t.Fatal(err)
	}
	if err := repo.Commit(); err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "report.json")
	status, said, err := repo.OsmGen("validate", "-q", "--report", "json="+report)
	if err != nil {
		t.Fatal(err)
	}
	if refused != nil {
		if status != 2 || !strings.Contains(said, "error[OSG4014]") {
			t.Errorf("%s\nthe webhook says: %v\nosm-gen: exit status %d, %s", manifest, refused, status, said)
		}
		return
	}
	/* A profile that does not fit is named in the message, one that fits in the report. */
	if status != 0 {
		if !strings.Contains(said, `OperatingSystemProfile "`+want+`"`) && !strings.Contains(said, `unknown operating system`) &&
			!strings.Contains(said, `operatingSystem is empty`) {
			t.Errorf("%s\nthe webhook takes %q\nosm-gen: %s", manifest, want, said)
		}
		return
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		MachineDeployments []struct {
			Profile struct{ Name string }
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.MachineDeployments) != 1 || got.MachineDeployments[0].Profile.Name != want {
		t.Errorf("%s\nthe webhook takes %q, osm-gen %v", manifest, want, got.MachineDeployments)
	}
}
