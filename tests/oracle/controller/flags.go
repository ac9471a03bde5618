package controller

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"

	"k8c.io/operating-system-manager/pkg/containerruntime"
	"k8s.io/apimachinery/pkg/types"
)

// Flags is the controller's command line after its defaults and parsers. The
// controller's main package cannot be imported, so the table of flags, their
// defaults and their parsing are written down here; the parsers that are
// exported (container runtime, mirrors) are the controller's own.
type Flags struct {
	Namespace             string
	ContainerRuntime      string
	ExternalCloudProvider bool
	ClusterDNS            []net.IP
	InitialTaints         string
	DisableDefaultOSPs    bool
	FeatureGates          map[string]bool
	HTTPProxy             string
	NoProxy               string
	Credentials           string
	OverrideAPIServer     string
	TokenServiceAccount   *types.NamespacedName
	KubernetesCA          string // text of the bundle; "" when the flag is not given
	HostCA                string
	Runtime               containerruntime.Config
}

// ParseFlags reads controller arguments as the controller would.
func ParseFlags(args []string) (*Flags, error) {
	var (
		f                              Flags
		dns, gates, sa, kubeCA, hostCA string
		opts                           containerruntime.Opts
	)
	mirrors := containerruntime.RegistryMirrorsFlags{}
	fs := flag.NewFlagSet("osm-controller", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&f.Namespace, "namespace", "", "")
	fs.StringVar(&f.ContainerRuntime, "container-runtime", "containerd", "")
	fs.BoolVar(&f.ExternalCloudProvider, "external-cloud-provider", false, "")
	fs.StringVar(&dns, "cluster-dns", "10.10.10.10", "")
	fs.StringVar(&opts.PauseImage, "pause-image", "", "")
	fs.StringVar(&f.InitialTaints, "initial-taints", "", "")
	fs.BoolVar(&f.DisableDefaultOSPs, "disable-default-osps", false, "")
	fs.StringVar(&gates, "node-kubelet-feature-gates", "RotateKubeletServerCertificate=true", "")
	fs.StringVar(&f.HTTPProxy, "node-http-proxy", "", "")
	fs.StringVar(&f.NoProxy, "node-no-proxy", ".svc,.cluster.local,localhost,127.0.0.1", "")
	fs.StringVar(&opts.InsecureRegistries, "node-insecure-registries", "", "")
	fs.StringVar(&opts.RegistryMirrors, "node-registry-mirrors", "", "")
	fs.BoolVar(&opts.DeviceOwnershipFromSecurityContext, "device-ownership-from-security-context", false, "")
	fs.Var(mirrors, "node-containerd-registry-mirrors", "")
	fs.StringVar(&f.Credentials, "node-registry-credentials-secret", "", "")
	fs.StringVar(&f.OverrideAPIServer, "override-bootstrap-kubelet-apiserver", "", "")
	fs.StringVar(&sa, "bootstrap-token-service-account-name", "", "")
	fs.StringVar(&kubeCA, "kubernetes-ca-bundle", "", "")
	fs.StringVar(&hostCA, "host-ca-bundle", "", "")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if f.Namespace == "" {
		return nil, errors.New("-namespace is required")
	}

	for _, item := range strings.Split(dns, ",") {
		ip := net.ParseIP(strings.TrimSpace(item))
		if ip == nil {
			return nil, fmt.Errorf("cluster DNS: not an address: %q", item)
		}
		f.ClusterDNS = append(f.ClusterDNS, ip)
	}
	var err error
	if f.FeatureGates, err = parseFeatureGates(gates); err != nil {
		return nil, err
	}
	if sa != "" {
		ns, name, ok := strings.Cut(sa, "/")
		if !ok || strings.Contains(name, "/") {
			return nil, fmt.Errorf("service account: not namespace/name: %q", sa)
		}
		f.TokenServiceAccount = &types.NamespacedName{Namespace: ns, Name: name}
	}
	if f.KubernetesCA, err = readBundle(kubeCA); err != nil {
		return nil, err
	}
	if f.HostCA, err = readBundle(hostCA); err != nil {
		return nil, err
	}

	opts.ContainerRuntime = f.ContainerRuntime
	opts.ContainerdRegistryMirrors = mirrors
	opts.RegistryCredentialsSecret = f.Credentials
	f.Runtime, err = containerruntime.BuildConfig(opts)
	return &f, err
}

// parseFeatureGates: comma list of name=bool, with the one gate the controller forces.
func parseFeatureGates(s string) (map[string]bool, error) {
	const forced = "RotateKubeletServerCertificate"
	gates := map[string]bool{}
	for _, item := range strings.Split(s, ",") {
		parts := strings.Split(item, "=")
		if len(parts) != 2 {
			return nil, fmt.Errorf("feature gates: not name=bool: %q", item)
		}
		on, err := strconv.ParseBool(parts[1])
		if err != nil {
			return nil, fmt.Errorf("feature gates: %w", err)
		}
		gates[parts[0]] = on
	}
	if _, given := gates[forced]; !given {
		gates[forced] = true
	}
	return gates, nil
}

func readBundle(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	return string(text), err
}
