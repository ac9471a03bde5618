// Package controller drives the real operating-system-manager: its reconciler,
// registered as its own program registers it, over an API server in memory.
package controller

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"
	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	"k8c.io/operating-system-manager/pkg/bootstrap"
	"k8c.io/operating-system-manager/pkg/clusterinfo"
	"k8c.io/operating-system-manager/pkg/controllers/osc"
	osmv1alpha1 "k8c.io/operating-system-manager/pkg/crd/osm/v1alpha1"
	"k8c.io/operating-system-manager/pkg/generator"
	"k8c.io/operating-system-manager/pkg/providerconfig/config"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const settingsNamespace = "cloud-init-settings"

// Cluster is one controller with its cluster: everything the repository and
// the flags say about it.
type Cluster struct {
	client     client.Client
	reconciler reconcile.Reconciler
	flags      *Flags
}

// Rendering is what the controller leaves in the cluster for one MachineDeployment.
type Rendering struct {
	OSC          *osmv1alpha1.OperatingSystemConfig
	Bootstrap    *corev1.Secret
	Provisioning *corev1.Secret
	Kubeconfig   *corev1.Secret
	EdgeScript   *corev1.Secret // nil unless the provider is edge
}

// NewCluster builds the controller over the given objects. Its embedded
// profiles stand behind those of the objects, as the profile controller would
// leave them.
func NewCluster(flags *Flags, objects []client.Object) (*Cluster, error) {
	have := map[types.NamespacedName]bool{}
	for _, o := range objects {
		if _, ok := o.(*osmv1alpha1.OperatingSystemProfile); ok {
			have[client.ObjectKeyFromObject(o)] = true
		}
	}
	all := append([]client.Object{}, objects...)
	if !flags.DisableDefaultOSPs {
		defaults, err := DefaultOSPs(flags.Namespace)
		if err != nil {
			return nil, err
		}
		for _, o := range defaults {
			if !have[client.ObjectKeyFromObject(o)] {
				all = append(all, o)
			}
		}
	}
	c := fake.NewClientBuilder().WithScheme(Scheme).WithObjects(all...).Build()

	ca := flags.KubernetesCA
	if ca == "" {
		var err error
		if ca, err = clusterCA(c); err != nil {
			return nil, err
		}
	}
	mgr := &captureManager{client: c, scheme: Scheme, recorder: record.NewFakeRecorder(1 << 16)}
	boot := bootstrap.New(c, clusterinfo.New(c, ca), flags.TokenServiceAccount, flags.OverrideAPIServer)
	config.SetConfigVarResolver(context.Background(), c, flags.Namespace)
	err := osc.Add(mgr, zap.NewNop().Sugar(), c, c, boot, ca, flags.HostCA, flags.Namespace, 1,
		flags.ClusterDNS, generator.NewDefaultCloudConfigGenerator(""), flags.ContainerRuntime,
		flags.ExternalCloudProvider, flags.InitialTaints, flags.HTTPProxy, flags.NoProxy,
		flags.Runtime, flags.Credentials, flags.FeatureGates)
	if err != nil {
		return nil, err
	}
	return &Cluster{client: c, reconciler: mgr.captured, flags: flags}, nil
}

// clusterCA is the CA in the kubeconfig a controller of this cluster would be
// given: the same one that cluster-info publishes.
func clusterCA(c client.Client) (string, error) {
	var cm corev1.ConfigMap
	key := types.NamespacedName{Namespace: "kube-public", Name: "cluster-info"}
	if err := c.Get(context.Background(), key, &cm); err != nil {
		return "", err
	}
	cfg, err := clientcmd.Load([]byte(cm.Data["kubeconfig"]))
	if err != nil {
		return "", err
	}
	if len(cfg.Clusters) != 1 {
		return "", errors.New("cluster-info: not exactly one cluster")
	}
	for _, cluster := range cfg.Clusters {
		return string(cluster.CertificateAuthorityData), nil
	}
	return "", nil
}

// Key is the name under which tokens and kubelet kubeconfigs are filed.
func Key(namespace, name string) string {
	if key := namespace + "-" + name; len(key) < 63 {
		return key
	}
	return name
}

// Render lets the controller reconcile one MachineDeployment and reads back
// what it made.
func (c *Cluster) Render(ctx context.Context, md *clusterv1alpha1.MachineDeployment) (*Rendering, error) {
	if _, err := c.reconciler.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(md)}); err != nil {
		return nil, err
	}
	base := md.Name + "-" + md.Namespace
	r := &Rendering{
		OSC: &osmv1alpha1.OperatingSystemConfig{}, Bootstrap: &corev1.Secret{},
		Provisioning: &corev1.Secret{}, Kubeconfig: &corev1.Secret{}, EdgeScript: &corev1.Secret{},
	}
	for _, want := range []struct {
		namespace, name string
		into            client.Object
	}{
		{c.flags.Namespace, base + "-config", r.OSC},
		{settingsNamespace, base + "-bootstrap-config", r.Bootstrap},
		{settingsNamespace, base + "-provisioning-config", r.Provisioning},
		{settingsNamespace, Key(md.Namespace, md.Name) + "-kubelet-bootstrap-config", r.Kubeconfig},
		{settingsNamespace, "edge-provider-script-" + base, r.EdgeScript},
	} {
		err := c.client.Get(ctx, types.NamespacedName{Namespace: want.namespace, Name: want.name}, want.into)
		if kerrors.IsNotFound(err) && want.into == client.Object(r.EdgeScript) {
			r.EdgeScript = nil
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("the controller left no %s/%s: %w", want.namespace, want.name, err)
		}
	}
	return r, nil
}
