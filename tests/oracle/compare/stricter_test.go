package compare_test

import (
	"context"
	"errors"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	"osm-gen.dev/tests/oracle/compare"
	"osm-gen.dev/tests/oracle/controller"
)

// stricterCase is an input that the controller renders and osm-gen refuses on
// purpose, as known.txt says.
type stricterCase struct {
	exactCase
	change func(manifests string) string // what no encoder of JSON writes
	usage  bool                          // a flag is wrong
	says   string                        // expression: file, line and column, code, and what is wrong
}

// inObjects is a diagnostic in the one file of manifests.
func inObjects(code, text string) string {
	return `(?m)^objects\.yaml:\d+:\d+: error\[` + code + `\]: .*` + text
}

func onFlatcar(code, text string) stricterCase {
	return stricterCase{exactCase: exactCase{os: "flatcar", data: "x"}, says: inObjects(code, text)}
}

func (c stricterCase) with(old, new string) stricterCase {
	c.change = func(manifests string) string { return strings.Replace(manifests, old, new, 1) }
	return c
}

var stricterCases = map[string][]stricterCase{
	"schema of profiles": {
		stricterCase{says: inObjects("OSG4001", "equinixmetal left the controller's schema with v1.11.0")}.
			with(`{"name":"azure"}`, `{"name":"equinixmetal"}`),
		stricterCase{says: inObjects("OSG4001", "packet")}.with(`{"name":"azure"}`, `{"name":"packet"}`),
		stricterCase{says: inObjects("OSG4001", `version "1.0.0"`)}.with(`"v1.0.0"`, `"1.0.0"`),
		stricterCase{says: inObjects("OSG4001", "lacks version")}.with(`"version":"v1.0.0"`, `"unknown":1`),
		stricterCase{says: inObjects("OSG4001", "lacks osVersion")}.with(`"osVersion":"1",`, ""),
	},
	"units": {
		stricterCase{says: inObjects("OSG4004", "must not have units")}.
			with(`"provisioningConfig":{`, `"provisioningConfig":{"units":[{"name":"a.service","content":"[Unit]"}],`),
	},
	"key twice": {
		stricterCase{says: inObjects("OSG1003", "osVersion")}.with(`"osVersion":"1"`, `"osVersion":"0","osVersion":"1"`),
		stricterCase{says: inObjects("OSG1003", "kubelet")}.with(`"kubelet":`, `"kubelet":"1.0.0","kubelet":`),
	},
	"null annotation": {
		stricterCase{says: inObjects("OSG4010", "annotation x must be a string")}.with(`"annotations":{`, `"annotations":{"x":null,`),
	},
	"odd revision": {
		stricterCase{says: inObjects("OSG4029", "must be a string with a whole number")}.with(`clusters.k8s.io/revision":"1"`, `clusters.k8s.io/revision":"one"`),
		stricterCase{says: inObjects("OSG4029", "must be a string with a whole number")}.with(`clusters.k8s.io/revision":"1"`, `clusters.k8s.io/revision":"01"`),
	},
	"dangling reference": {
		{
			exactCase: legacyOpenstack(object{"region": object{"secretKeyRef": object{"namespace": "a", "name": "b", "key": "c"}}}),
			says:      inObjects("OSG2105", "Secret a/b is not among the manifests"),
		},
		{
			exactCase: exactCase{
				args:    []string{"-bootstrap-token-service-account-name=kube-system/boot"},
				objects: []any{named("ServiceAccount", "kube-system", "boot", object{"secrets": []object{{"name": "s"}}}), accountSecretWithout("s")},
			},
			says: `(?m)^--bootstrap-token-service-account-name:1:1: error\[OSG2105\]: the token of ServiceAccount kube-system/boot is not among the manifests`,
		},
	},
	"token without id": {
		stricterCase{says: inObjects("OSG2103", `has no key "token-id"`)}.with(`"token-id":"abcdef",`, ""),
	},
	"private key in a CA bundle": {
		{
			exactCase: exactCase{args: []string{"-host-ca-bundle=@ca.pem"}, side: map[string]string{"ca.pem": "@CA@" + privateKey}},
			says:      `(?m)ca\.pem:\d+:\d+: error\[OSG4021\]: hostCABundle .*private key`,
		},
		stricterCase{says: inObjects("OSG4021", "certificate-authority-data of cluster-info holds a private key")}.
			with("certificate-authority-data: Zm9v", "certificate-authority-data: LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCg=="),
	},
	"no CA": {
		stricterCase{says: inObjects("OSG4021", "the cluster's CA is missing")}.with(", certificate-authority-data: Zm9v", ""),
	},
	"mailto mirror": {
		{
			exactCase: exactCase{args: []string{"-node-containerd-registry-mirrors=quay.io=mailto:me@example.com"}},
			says:      `(?m)^--node-containerd-registry-mirrors:1:1: error\[OSG2107\]: nodeContainerdRegistryMirrors`,
			usage:     true,
		},
	},
	"path twice": {
		onFlatcar("OSG4060", "file /f is given twice").with(`"path":"/g"`, `"path":"//f/."`),
		onFlatcar("OSG4060", "file /etc/systemd/system/a.service is also that of a unit").
			with(`"files":[{`, `"units":[{"name":"a.service","content":"[Unit]"}],"files":[{"path":"/etc/systemd/system/a.service","content":{"inline":{"data":"x"}}},{`),
		onFlatcar("OSG4060", "file /etc/systemd/system/a.service.d/a.conf is also that of a unit").
			with(`"files":[{`, `"units":[{"name":"a.service","dropIns":[{"name":"a.conf","content":"[Unit]"}]}],`+
				`"files":[{"path":"/etc/systemd/system/a.service.d/a.conf","content":{"inline":{"data":"x"}}},{`),
	},
	"file below a file": {
		onFlatcar("OSG4061", "/f/g is below /f").with(`"path":"/g"`, `"path":"/f/g"`),
		onFlatcar("OSG4061", "/etc/systemd/system/a.service is below /etc/systemd").
			with(`"files":[{`, `"units":[{"name":"a.service","content":"[Unit]"}],"files":[{"path":"/etc/systemd","content":{"inline":{"data":"x"}}},{`),
	},
	"drop-in twice": {
		onFlatcar("OSG4063", "drop-in a.conf of unit a.service is given twice").
			with(`"files":[{`, `"units":[{"name":"a.service","dropIns":[{"name":"a.conf","content":""},{"name":"a.conf","content":""}]}],"files":[{`),
	},
	"number in a sealed file": {
		{
			exactCase: exactCase{config: object{"cloudProviderSpec": object{"price": 0.25, "token": "some-token-of-it"}}},
			says:      inObjects("OSG5030", "spec.cloudProvider.spec.price cannot be sealed"),
		},
	},
}

const privateKey = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n"

func legacyOpenstack(more object) exactCase {
	spec := object{
		"identityEndpoint": "https://i.example.com", "username": "u", "password": "password-of-openstack", "domainName": "d", "tenantName": "t",
		"tenantID": "t",
	}
	maps.Copy(spec, more)
	return exactCase{version: "1.28.0", config: object{"cloudProvider": "openstack", "cloudProviderSpec": spec}}
}

func accountSecretWithout(name string) object {
	return named("Secret", "kube-system", name, object{"type": "kubernetes.io/service-account-token"})
}

func TestStricter(t *testing.T) {
	listed := knownNames(t)
	for _, name := range slices.Sorted(maps.Keys(stricterCases)) {
		if !listed[name] {
			t.Errorf("%s is not listed in known.txt", name)
		}
		t.Run(name, func(t *testing.T) {
			for _, c := range stricterCases[name] {
				c.run(t)
			}
		})
	}
}

func (c stricterCase) run(t *testing.T) {
	set := c.set(t)
	for name, text := range set.Side {
		set.Side[name] = strings.Replace(text, "@CA@", someCA(t)+"\n", 1)
	}
	if c.change != nil {
		changed := c.change(set.Files["objects.yaml"])
		if changed == set.Files["objects.yaml"] {
			t.Fatalf("nothing to change for %s", c.says)
		}
		set.Files["objects.yaml"] = changed
	}
	flags, objects := load(t, set)
	cluster, err := controller.NewCluster(flags, objects)
	if err != nil {
		t.Fatal(err)
	}
	md := objects[len(objects)-1].(*clusterv1alpha1.MachineDeployment)
	if _, err := cluster.Render(context.Background(), md); err != nil {
		t.Fatalf("the controller refuses it too: %v", err)
	}
	run, err := compare.Generate(t.TempDir(), set, "sealed")
	var exit *exec.ExitError
	status := 2
	if c.usage {
		status = 64
	}
	if !errors.As(err, &exit) || exit.ExitCode() != status {
		t.Fatalf("osm-gen: %v, want exit status %d and %s", err, status, c.says)
	}
	if !regexp.MustCompile(c.says).MatchString(run.Stderr) {
		t.Errorf("osm-gen does not say %s: %s", c.says, run.Stderr)
	}
}
