package compare_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/compare"
	"osm-gen.dev/tests/oracle/fleet"
	"osm-gen.dev/tests/oracle/upstream"
	"sigs.k8s.io/yaml"
)

const testdata = "pkg/controllers/osc/testdata/"

func table(t *testing.T, path, function string) (*upstream.Source, []map[string]any) {
	t.Helper()
	source, err := upstream.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := source.Table(function)
	if err != nil {
		t.Fatal(err)
	}
	return source, rows
}

func constant(t *testing.T, source *upstream.Source, name string) string {
	t.Helper()
	text, err := source.Constant(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The controller's tests have half a key, which machine-controller refuses. TEST-ONLY.
const (
	halfKey  = "AAAAB3NzaC1yc2EAAAADAQABAAACAQDdOIhYmzCK5DSVLu3c"
	wholeKey = "AAAAB3NzaC1yc2EAAAADAQABAAAAgQCojvWo5Nc70HO9M5WCHdJ25ZsIc26MDNh/tSlhtS5fNgztZEQfbh3U1btbUQoH56Ny65M19r4SUnhM5AQ2d4I572UCJN7U1xrP+8PbpKlD59fWmIu2OnVwXFR4wcrl4YM+7pHUSVxtMbq2K2sApqjmk7yD+SBFFUydQvs1TBaHTw=="
)

func upstreamFile(t *testing.T, path string) string {
	t.Helper()
	text, err := upstream.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// manifest is objects in one file.
func manifest(t *testing.T, objects ...any) string {
	t.Helper()
	var docs []string
	for _, o := range objects {
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, string(text)+"\n")
	}
	return strings.Join(docs, "---\n")
}

type object = map[string]any

func named(kind, namespace, name string, more object) object {
	out := object{"apiVersion": "v1", "kind": kind, "metadata": object{"namespace": namespace, "name": name}}
	maps.Copy(out, more)
	return out
}

func machineDeployment(name, kubelet string, annotations map[string]string, config object) object {
	all := map[string]string{"machinedeployment.clusters.k8s.io/revision": "1"}
	maps.Copy(all, annotations)
	return object{
		"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
		"metadata": object{"namespace": "kube-system", "name": name, "annotations": all},
		"spec": object{"selector": object{"matchExpressions": []any{object{"key": "pool", "operator": "DoesNotExist"}}}, "template": object{"spec": object{
			"providerSpec": object{"value": config}, "versions": object{"kubelet": kubelet},
		}}},
	}
}

// cluster is what every cluster of these tests has.
func cluster(kubeconfig string) []any {
	return []any{
		named("ConfigMap", "kube-public", "cluster-info", object{"data": object{"kubeconfig": kubeconfig}}),
		named("Secret", "cloud-init-settings", "cloud-init-getter-token", object{"stringData": object{"token": "top-secret"}}),
	}
}

func bootstrapToken(md string) object {
	out := named("Secret", "kube-system", "bootstrap-token-test", object{"stringData": object{
		"token-id": "test", "token-secret": "test", "expiration": "2099-01-01T00:00:00Z",
	}})
	out["metadata"].(object)["labels"] = object{"machinedeployment.k8s.io/name": "kube-system-" + md}
	return out
}

// The files that the controller's reconciler is tested with, made by osm-gen.
func TestReconcilerFixtures(t *testing.T) {
	source, rows := table(t, "pkg/controllers/osc/osc_reconciler_test.go", "TestReconciler_Reconcile")
	for _, row := range rows {
		t.Run(upstream.Text(row, "name"), func(t *testing.T) { reconcilerFixture(t, source, row) })
	}
}

func reconcilerFixture(t *testing.T, source *upstream.Source, row map[string]any) {
	name := upstream.Text(row, "mdName")
	osp := upstream.Text(row, "ospFile")
	if osp == "" { // put together at run time
		osp = "deploy/osps/default/" + upstream.Text(row, "ospName") + ".yaml"
	} else if !strings.Contains(osp, "/") {
		osp = testdata + osp
	} else {
		osp = "deploy/" + strings.SplitN(osp, "/deploy/", 2)[1]
	}
	annotations := map[string]string{"k8c.io/operating-system-profile": upstream.Text(row, "ospName")}
	extra := upstream.Map(row, "additionalAnnotations")
	for key := range extra {
		annotations[key] = upstream.Text(extra, key)
	}
	network := object{"cidr": "", "gateway": "", "dns": object{"servers": nil}}
	switch family := upstream.Text(row, "ipFamily"); family {
	case "":
	case "IPFamilyIPv4IPv6":
		network["ipFamily"] = "IPv4+IPv6"
	case "IPFamilyIPv6IPv4":
		network["ipFamily"] = "IPv6+IPv4"
	default:
		t.Fatalf("unknown family %s", family)
	}
	config := object{
		"sshPublicKeys": []string{"ssh-rsa " + wholeKey}, "caPublicKey": "",
		"cloudProvider":       upstream.Text(row, "cloudProvider"),
		"cloudProviderSpec":   json.RawMessage(upstream.Text(upstream.Map(row, "cloudProviderSpec"), "Raw")),
		"operatingSystem":     strings.ToLower(strings.TrimPrefix(upstream.Text(row, "operatingSystem"), "OperatingSystem")),
		"operatingSystemSpec": nil, "network": network,
	}
	set := &fleet.Set{
		Args: []string{
			"-namespace=kube-system", "-cluster-dns=10.0.0.0", "-node-http-proxy=http://test-http-proxy.com",
			"-node-no-proxy=http://test-no-proxy.com", "-node-kubelet-feature-gates=GracefulNodeShutdown=true,IdentifyPodOS=false",
			"-node-insecure-registries=192.168.100.100:5000, 10.0.0.1:5000", "-kubernetes-ca-bundle=@ca.pem",
			"-pause-image=192.168.100.100:5000/kubernetes/pause:v3.1", "-node-registry-mirrors=https://registry.docker-cn.com",
		},
		Side: map[string]string{"ca.pem": constant(t, source, "dummyCACert")},
		Files: map[string]string{
			"profile.yaml": upstreamFile(t, osp),
			"objects.yaml": manifest(t, append(cluster(constant(t, source, "clusterInfoKubeconfig")), bootstrapToken(name),
				machineDeployment(name, upstream.Text(row, "kubeletVersion"), annotations, config))...),
		},
	}
	if upstream.Map(row, "config")["externalCloudProvider"] == true {
		set.Args = append(set.Args, "-external-cloud-provider")
	}
	run := generate(t, set, "sealed")
	if run == nil {
		return
	}

	want := readFixture(t, testdata+upstream.Text(row, "oscFile"))
	got, err := run.OSC("kube-system", name+"-kube-system-config")
	if err != nil {
		t.Fatal(err)
	}
	compareMetadata(t, got, want.Metadata.Annotations, nil)
	var object struct{ Spec json.RawMessage }
	if err := json.Unmarshal(got.JSON, &object); err != nil {
		t.Fatal(err)
	}
	for _, d := range compare.Values(object.Spec, withForcedGate(t, want.Spec), compare.Exact) {
		t.Errorf("%s spec%s", got.Path, d)
	}
	for _, secret := range []string{"bootstrap", "provisioning"} {
		want := readFixture(t, testdata+upstream.Text(row, secret+"SecretFile"))
		got, err := run.Secret("cloud-init-settings", name+"-kube-system-"+secret+"-config")
		if err != nil {
			t.Fatal(err)
		}
		compareMetadata(t, got, want.Metadata.Annotations, nil)
		data := want.Data["cloud-config"]
		if secret == "provisioning" {
			data = withForcedGate(t, data)
		}
		if d := compare.Bytes(got.Data["cloud-config"], data); d != "" {
			t.Errorf("%s: %s", got.Path, d)
		}
	}
}

type fixture struct {
	Metadata struct{ Annotations map[string]string }
	Spec     json.RawMessage
	Data     map[string][]byte
}

func readFixture(t *testing.T, path string) *fixture {
	t.Helper()
	out := &fixture{}
	if err := yaml.Unmarshal([]byte(upstreamFile(t, path)), out); err != nil {
		t.Fatal(err)
	}
	out.Spec = bytes.ReplaceAll(out.Spec, []byte(halfKey), []byte(wholeKey))
	for key, data := range out.Data {
		out.Data[key] = bytes.ReplaceAll(data, []byte(halfKey), []byte(wholeKey))
	}
	if len(out.Metadata.Annotations) == 0 || len(out.Spec) == 0 && len(out.Data) == 0 {
		t.Fatalf("%s holds nothing", path)
	}
	return out
}

// withForcedGate is a fixture as it were if the test went in by the flags:
// those add one feature gate to the kubelet's configuration, wherever it is:
// plain in an OSC, in base64 within cloud-init, in a data URL within Ignition.
func withForcedGate(t *testing.T, text []byte) []byte {
	t.Helper()
	const last, forced = "IdentifyPodOS: false\n", "RotateKubeletServerCertificate: true\n"
	add := func(text []byte, quote func(string) string) []byte {
		return bytes.ReplaceAll(text, []byte(quote(last)), []byte(quote(last+"  "+forced)))
	}
	out := add(text, func(s string) string { return strings.ReplaceAll(s, "\n", `\n`) })
	out = add(out, strings.NewReplacer(":", "%3A", " ", "%20", "\n", "%0A").Replace)
	lines := bytes.Split(out, []byte("\n"))
	for i, line := range lines {
		start := len(line) - len(bytes.TrimLeft(line, " "))
		plain, err := base64.StdEncoding.DecodeString(string(line[start:]))
		if err != nil || !bytes.Contains(plain, []byte(last)) {
			continue
		}
		plain = add(plain, func(s string) string { return s })
		lines[i] = append(bytes.Clone(line[:start]), base64.StdEncoding.EncodeToString(plain)...)
	}
	out = bytes.Join(lines, []byte("\n"))
	if bytes.Equal(out, text) {
		t.Fatal("no feature gates to add one to")
	}
	return out
}
