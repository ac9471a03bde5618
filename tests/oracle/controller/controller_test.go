package controller_test

import (
	"context"
	"encoding/base64"
	"strings"
	"testing"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
	"osm-gen.dev/tests/oracle/controller"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The harness itself, against facts about the controller that are known from
// elsewhere: if these hold, it is the real thing and it is set up right.

const kubeletPrefix = "v1.kubelet-config.machine-controller.kubermatic.io/"

const clusterObjects = `apiVersion: v1
kind: ConfigMap
metadata: {name: cluster-info, namespace: kube-public}
data:
  kubeconfig: |
    apiVersion: v1
    kind: Config
    clusters:
    - name: ""
      cluster: {server: "https://foo.bar:6443", certificate-authority-data: Zm9v}
---
apiVersion: v1
kind: Secret
metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}
stringData: {token: top-secret}
---
apiVersion: v1
kind: Secret
metadata:
  name: bootstrap-token
  namespace: kube-system
  labels: {machinedeployment.k8s.io/name: kube-system-m}
stringData: {token-id: test, token-secret: test, expiration: "2099-01-01T00:00:00Z"}
`

func render(t *testing.T, args []string, annotations map[string]string) *controller.Rendering {
	t.Helper()
	flags, err := controller.ParseFlags(append([]string{"-namespace=kube-system"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := controller.Decode("objects", []byte(clusterObjects))
	if err != nil {
		t.Fatal(err)
	}
	md := &clusterv1alpha1.MachineDeployment{}
	md.Namespace, md.Name = "kube-system", "m"
	md.Annotations = map[string]string{
		"k8c.io/operating-system-profile":            "osp-ubuntu",
		"machinedeployment.clusters.k8s.io/revision": "1",
	}
	for k, v := range annotations {
		md.Annotations[k] = v
	}
	md.Spec.Template.Spec.Versions.Kubelet = "1.33.0"
	md.Spec.Template.Spec.ProviderSpec.Value = rawExtension(`{"cloudProvider":"aws","cloudProviderSpec":{},"operatingSystem":"ubuntu"}`)
	cluster, err := controller.NewCluster(flags, append(objects, client.Object(md)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := cluster.Render(context.Background(), md)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAnnotationHashIsTheKnownOne(t *testing.T) {
	r := render(t, nil, nil)
	if got, want := r.OSC.Annotations["k8c.io/mdannotations-hash"], "240e92a138b73a540fc8f38a171c511995e6c10890b9af15f92f5a8b84136765"; got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
	r = render(t, nil, map[string]string{
		kubeletPrefix + "ContainerLogMaxSize":  "300Mi",
		kubeletPrefix + "ContainerLogMaxFiles": "30",
		kubeletPrefix + "MaxPods":              "110",
		kubeletPrefix + "SystemReserved":       "ephemeral-storage=30Gi,cpu=30m",
		kubeletPrefix + "KubeReserved":         "ephemeral-storage=30Gi,cpu=30m",
		kubeletPrefix + "EvictionHard":         "memory.available<30Mi",
	})
	if got, want := r.Bootstrap.Annotations["k8c.io/mdannotations-hash"], "db7ff021c8a496bfbf5511482e26a4a4039c99d745d9360c3d518f26f3b6ee2c"; got != want {
		t.Errorf("hash with kubelet annotations %s, want %s", got, want)
	}
}

func TestHostsFiles(t *testing.T) {
	r := render(t, []string{
		"-node-containerd-registry-mirrors=docker.io=https://harbor.example.com/v2/proxy?kubermatic=override_path%3Dtrue",
		"-node-insecure-registries=insecure.example.com",
		"-node-registry-mirrors=quay.io=httpbin.org",
	}, nil)
	want := map[string]string{
		"docker.io": "server = \"https://registry-1.docker.io\"\n\n[host.\"https://harbor.example.com/v2/proxy\"]\n" +
			"capabilities = [\"pull\", \"resolve\"]\noverride_path = true\n",
		"insecure.example.com": "server = \"insecure.example.com\"\n\n[host.\"insecure.example.com\"]\n" +
			"capabilities = [\"pull\", \"resolve\"]\nskip_verify = true\n",
		"quay.io": "server = \"quay.io\"\n\n[host.\"httpbin.org\"]\ncapabilities = [\"pull\", \"resolve\"]\n",
	}
	for dir, text := range want {
		if got := file(r, "/etc/containerd/certs.d/"+dir+"/hosts.toml"); got != text {
			t.Errorf("%s: %q, want %q", dir, got, text)
		}
	}
}

func TestFlagDefaultsReachTheNode(t *testing.T) {
	r := render(t, nil, map[string]string{kubeletPrefix + "ImageMinimumGCAge": "1h"})
	kubelet := file(r, "/etc/kubernetes/kubelet.conf")
	for _, want := range []string{"RotateKubeletServerCertificate: true", "10.10.10.10", "&Duration{Duration:1h0m0s,}"} {
		if !strings.Contains(kubelet, want) {
			t.Errorf("kubelet.conf lacks %q", want)
		}
	}
	text := string(r.Bootstrap.Data["cloud-config"])
	if !strings.HasPrefix(text, "#cloud-config\n\nssh_pwauth: false\n") {
		t.Errorf("bootstrap user-data begins %.60q", text)
	}
	for _, f := range r.OSC.Spec.BootstrapConfig.Files {
		if f.Path == "/opt/bin/bootstrap" && !strings.Contains(f.Content.Inline.Data, "NO_PROXY=.svc,.cluster.local,localhost,127.0.0.1") {
			t.Error("the default of -node-no-proxy is missing")
		}
		if !strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(f.Content.Inline.Data))) {
			t.Errorf("%s of the OSC is not in the user-data", f.Path)
		}
	}
}

func TestKubeconfigAndSecretShape(t *testing.T) {
	r := render(t, []string{"-override-bootstrap-kubelet-apiserver=https://over:1"}, nil)
	want := "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: Zm9v\n    server: https://over:1\n  name: c\n" +
		"contexts:\n- context:\n    cluster: c\n    user: c\n  name: c\ncurrent-context: c\nkind: Config\nusers:\n- name: c\n  user:\n    token: test.test\n"
	if got := string(r.Kubeconfig.Data["kubeconfig"]); got != want {
		t.Errorf("kubeconfig %q", got)
	}
	for _, s := range []any{r.Bootstrap.Immutable, r.Provisioning.Immutable} {
		if p, ok := s.(*bool); !ok || p == nil || !*p {
			t.Error("a cloud-config Secret is not immutable")
		}
	}
	if r.Kubeconfig.Immutable != nil {
		t.Error("the kubeconfig Secret is immutable")
	}
}

func file(r *controller.Rendering, path string) string {
	for _, f := range r.OSC.Spec.ProvisioningConfig.Files {
		if f.Path == path {
			return f.Content.Inline.Data
		}
	}
	return "no such file: " + path
}

func rawExtension(json string) *runtime.RawExtension {
	return &runtime.RawExtension{Raw: []byte(json)}
}
