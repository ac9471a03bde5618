// Package resources holds the data that profiles' templates see, in types of the same shape and with
// the same names as the controller's, which does not export them: texts and errors name types.
package resources

import (
	"net"
	"time"

	"k8c.io/machine-controller/sdk/providerconfig"
	osmv1alpha1 "k8c.io/operating-system-manager/pkg/crd/osm/v1alpha1"
	"k8c.io/operating-system-manager/pkg/providerconfig/amzn2"
	"k8c.io/operating-system-manager/pkg/providerconfig/flatcar"
	"k8c.io/operating-system-manager/pkg/providerconfig/rhel"
	"k8c.io/operating-system-manager/pkg/providerconfig/rockylinux"
	"k8c.io/operating-system-manager/pkg/providerconfig/ubuntu"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type filesData struct {
	KubeVersion                string
	KubeletConfiguration       string
	KubeletSystemdUnit         string
	BootstrapKubeconfig        string
	InTreeCCMAvailable         bool
	CNIVersion                 string
	ClusterDNSIPs              []net.IP
	KubernetesCACert           string
	HostCACert                 string
	ServerAddress              string
	CloudConfig                string
	ContainerRuntime           string
	CloudProviderName          osmv1alpha1.CloudProvider
	NetworkConfig              *providerconfig.NetworkConfig
	ExternalCloudProvider      bool
	InitialTaints              string
	HTTPProxy                  *string
	NoProxy                    *string
	ContainerRuntimeConfig     string
	ContainerRuntimeAuthConfig string
	KubeletFeatureGates        map[string]bool
	RHSubscription             map[string]string
	NetworkIPFamily            string
	PauseImage                 string

	kubeletConfig
	operatingSystemConfig
	bootstrapConfig
}

type operatingSystemConfig struct {
	AmazonLinuxConfig amzn2.Config
	FlatcarConfig     flatcar.Config
	RhelConfig        rhel.Config
	UbuntuConfig      ubuntu.Config
	RockyLinuxConfig  rockylinux.Config
}

type kubeletConfig struct {
	KubeReserved                *map[string]string
	SystemReserved              *map[string]string
	EvictionHard                *map[string]string
	MaxPods                     *int32
	ContainerLogMaxSize         *string
	ContainerLogMaxFiles        *string
	ImageGCHighThresholdPercent *int32
	ImageGCLowThresholdPercent  *int32
	ImageMinimumGCAge           *metav1.Duration
	ImageMaximumGCAge           *metav1.Duration
}

type bootstrapConfig struct {
	Token                         string
	ServerURL                     string
	SecretName                    string
	BootstrapKubeconfigSecretName string
}

func at[T any](v T) *T { return &v }

// Minimal is the data set osp-min: most is empty, pointers are nil.
func Minimal() any { return minimal() }

func minimal() *filesData {
	return &filesData{
		KubeVersion:       "v1.33.4",
		CloudProviderName: "aws",
		ContainerRuntime:  "containerd",
		ClusterDNSIPs:     []net.IP{net.ParseIP("10.96.0.10")},
		KubernetesCACert:  "CA\nCERT",
	}
}

// Full is the data set osp-full.
func Full() any {
	d := minimal()
	d.ClusterDNSIPs = append(d.ClusterDNSIPs, net.ParseIP("fd00::a"))
	d.KubeletFeatureGates = map[string]bool{"Alpha": false, "Zeta": true}
	d.NetworkConfig = &providerconfig.NetworkConfig{
		CIDR: "192.168.1.2/24", Gateway: "192.168.1.1", IPFamily: "IPv4",
		DNS: providerconfig.DNSConfig{Servers: []string{"8.8.8.8", "1.1.1.1"}},
	}
	d.NetworkIPFamily = "IPv4"
	d.HTTPProxy = at("http://proxy:3128")
	d.NoProxy = at("10.0.0.0/8,.local")
	d.ContainerRuntimeConfig = "version = 3\n\n[metrics]\naddress = \"127.0.0.1:1338\"\n\n[plugins]\n" +
		"[plugins.\"io.containerd.cri.v1.images\"]\nmax_concurrent_downloads = 3\n"
	d.KubeReserved = &map[string]string{"cpu": "200m", "memory": "200Mi"}
	d.SystemReserved = &map[string]string{}
	d.MaxPods = at(int32(0))
	d.ImageGCHighThresholdPercent = at(int32(85))
	d.ImageMinimumGCAge = &metav1.Duration{Duration: 90 * time.Second}
	d.InTreeCCMAvailable = true
	d.ExternalCloudProvider = true
	d.HostCACert = "HOSTCA"
	d.InitialTaints = "a=b:NoSchedule"
	d.PauseImage = "registry.k8s.io/pause:3.10"
	d.ContainerLogMaxSize = at("50Mi")
	d.ContainerLogMaxFiles = at("3")
	d.Token = "tok"
	d.ServerURL = "https://1.2.3.4:6443"
	d.SecretName = "md-kube-system-provisioning-config"
	d.BootstrapKubeconfigSecretName = "md-bootstrap"
	d.FlatcarConfig = flatcar.Config{DisableAutoUpdate: true, ProvisioningUtility: flatcar.Ignition}
	return d
}
