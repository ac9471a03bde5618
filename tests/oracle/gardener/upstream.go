// Package gardener has Gardener's own functions of today answer the same OperatingSystemConfigs as
// osm-gen. It is a module of its own: Gardener asks for other versions of Kubernetes' libraries than
// the rest of the tests, and its packages are many.
package gardener

import (
	"context"
	"fmt"
	"strings"

	coreosconfig "github.com/gardener/gardener-extension-os-coreos/pkg/controller/config/v1alpha1"
	coreos "github.com/gardener/gardener-extension-os-coreos/pkg/controller/operatingsystemconfig"
	suse "github.com/gardener/gardener-extension-os-suse-chost/pkg/controller/operatingsystemconfig"
	"github.com/gardener/gardener/extensions/pkg/controller/operatingsystemconfig"
	"github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"github.com/gardener/gardener/pkg/component/extensions/operatingsystemconfig/original/components/nodeagent"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// KubernetesVersion is what the Shoot of every namespace runs, and the setting gardenerKubernetesVersion.
const KubernetesVersion = "1.35.1"

var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	return s
}()

// stubManager gives controllers what they ask a manager for.
type stubManager struct {
	manager.Manager
	client client.Client
}

func (m *stubManager) GetClient() client.Client    { return m.client }
func (m *stubManager) GetAPIReader() client.Reader { return m.client }
func (m *stubManager) GetScheme() *runtime.Scheme  { return scheme }

// Upstream is an API server in memory with one OperatingSystemConfig, and its extension.
type Upstream struct {
	client   client.Client
	manager  *stubManager
	actuator operatingsystemconfig.Actuator
	osc      *v1alpha1.OperatingSystemConfig
}

// NewUpstream starts one. The objects are copied.
func NewUpstream(osc *v1alpha1.OperatingSystemConfig, secrets []corev1.Secret) *Upstream {
	shoot := `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","spec":{"kubernetes":{"version":"` + KubernetesVersion + `"}}}`
	osc = osc.DeepCopy()
	admit(osc)
	builder := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&v1alpha1.OperatingSystemConfig{}).WithObjects(osc,
		&v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: osc.Namespace}, Spec: v1alpha1.ClusterSpec{
			Shoot: runtime.RawExtension{Raw: []byte(shoot)}, Seed: &runtime.RawExtension{Raw: []byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Seed"}`)},
			CloudProfile: runtime.RawExtension{Raw: []byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"CloudProfile"}`)}}})
	for i := range secrets {
		builder = builder.WithObjects(secrets[i].DeepCopy())
	}
	u := &Upstream{client: builder.Build(), osc: osc}
	u.manager = &stubManager{client: u.client}
	u.actuator = u.extension(osc.Spec.Type)
	return u
}

// admit does what the webhook of Garden Linux's extension does of an object's criConfig when it is created.
func admit(osc *v1alpha1.OperatingSystemConfig) {
	if strings.Contains(osc.Spec.Type, "gardenlinux") && osc.Spec.CRIConfig != nil {
		driver := v1alpha1.CgroupDriverSystemd
		osc.Spec.CRIConfig.CgroupDriver = &driver
	}
}

func (u *Upstream) extension(name string) operatingsystemconfig.Actuator {
	switch {
	case strings.HasSuffix(name, "-chost"):
		return suse.NewActuator(u.manager)
	case name == "coreos" || strings.HasPrefix(name, "flatcar"):
		config := &coreosconfig.ExtensionConfig{NTP: &coreosconfig.NTPConfig{}}
		coreosconfig.SetDefaults_NTPConfig(config.NTP)
		return coreos.NewActuator(u.manager, coreos.Config{ExtensionConfig: config})
	}
	return &describedActuator{client: u.client}
}

// UserData is what the extension answers; a panic is an error too.
func (u *Upstream) UserData(ctx context.Context) (text []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	text, _, _, _, err = u.actuator.Reconcile(ctx, logr.Discard(), u.osc.DeepCopy())
	return text, err
}

// Reconcile runs Gardener's reconciler once, and returns the object and its result Secret, or nil.
func (u *Upstream) Reconcile(ctx context.Context) (*v1alpha1.OperatingSystemConfig, *corev1.Secret, error) {
	key := client.ObjectKeyFromObject(u.osc)
	reconciler := operatingsystemconfig.NewReconciler(u.manager, u.actuator)
	if _, err := reconciler.Reconcile(ctx, reconcile.Request{NamespacedName: key}); err != nil {
		return nil, nil, err
	}
	osc := &v1alpha1.OperatingSystemConfig{}
	if err := u.client.Get(ctx, key, osc); err != nil {
		return nil, nil, err
	}
	secret := &corev1.Secret{}
	err := u.client.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: "osc-result-" + key.Name}, secret)
	if client.IgnoreNotFound(err) != nil {
		return nil, nil, err
	} else if err != nil {
		secret = nil
	}
	return osc, secret, nil
}

// NodeAgentSecret is what gardenlet writes for gardener-node-agent, of an OSC with its status.
func (u *Upstream) NodeAgentSecret(ctx context.Context, status v1alpha1.OperatingSystemConfigStatus, name, pool string) (*corev1.Secret, error) {
	osc := u.osc.DeepCopy()
	osc.Status = status
	return nodeagent.OperatingSystemConfigSecret(ctx, u.client, osc, name, pool, true)
}
