package controller

import (
	"context"
	"fmt"
	"sync"
	"time"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	mcbootstrap "k8c.io/machine-controller/sdk/bootstrap"
	"k8c.io/operating-system-manager/pkg/bootstrap"
	"k8c.io/operating-system-manager/pkg/clusterinfo"
	"k8c.io/operating-system-manager/pkg/controllers/osc/resources"
	osmv1alpha1 "k8c.io/operating-system-manager/pkg/crd/osm/v1alpha1"
	"k8c.io/operating-system-manager/pkg/generator"
	"k8s.io/apimachinery/pkg/types"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// Loop is the controller's renderer without the controller: everything is
// looked up beforehand, so that rendering alone can be timed.
type Loop struct{ jobs []loopJob }

type loopJob struct {
	md         *clusterv1alpha1.MachineDeployment
	osp        *osmv1alpha1.OperatingSystemProfile
	flags      *Flags
	kubeconfig *clientcmdapi.Config
	ca, token  string
}

// Add takes the MachineDeployments of one cluster.
func (l *Loop) Add(flags *Flags, objects []client.Object) error {
	c := fake.NewClientBuilder().WithScheme(Scheme).WithObjects(objects...).Build()
	ctx := context.Background()
	ca, err := clusterCA(c)
	if err != nil {
		return err
	}
	token, err := bootstrap.ExtractAPIServerToken(ctx, c)
	if err != nil {
		return err
	}
	info, err := clusterinfo.New(c, ca).GetKubeconfig(ctx)
	if err != nil {
		return err
	}
	for _, o := range objects {
		md, ok := o.(*clusterv1alpha1.MachineDeployment)
		if !ok {
			continue
		}
		osp := &osmv1alpha1.OperatingSystemProfile{}
		name := types.NamespacedName{Namespace: flags.Namespace, Name: md.Annotations[resources.MachineDeploymentOSPAnnotation]}
		if err := c.Get(ctx, name, osp); err != nil {
			return err
		}
		l.jobs = append(l.jobs, loopJob{md, osp, flags, joinConfig(info), ca, token})
	}
	return nil
}

// joinConfig is a kubelet's kubeconfig with some token.
func joinConfig(info *clientcmdapi.Config) *clientcmdapi.Config {
	out := clientcmdapi.NewConfig()
	for _, cluster := range info.Clusters {
		out.Clusters["c"] = cluster
	}
	out.AuthInfos["c"] = &clientcmdapi.AuthInfo{Token: "abcdef.0123456789abcdef"}
	out.Contexts["c"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "c"}
	out.CurrentContext = "c"
	return out
}

// Len is the number of MachineDeployments.
func (l *Loop) Len() int { return len(l.jobs) }

// Run renders every OSC and both user-data of each, on so many goroutines.
func (l *Loop) Run(goroutines int) (time.Duration, int, error) {
	start := time.Now()
	errs := make([]error, goroutines)
	bytes := make([]int, goroutines)
	var wait sync.WaitGroup
	for g := range goroutines {
		wait.Go(func() {
			for i := g; i < len(l.jobs) && errs[g] == nil; i += goroutines {
				var n int
				n, errs[g] = l.jobs[i].render()
				bytes[g] += n
			}
		})
	}
	wait.Wait()
	took, total := time.Since(start), 0
	for g := range goroutines {
		if errs[g] != nil {
			return 0, 0, errs[g]
		}
		total += bytes[g]
	}
	return took, total, nil
}

func (j *loopJob) render() (int, error) {
	f := j.flags
	base := j.md.Name + "-" + j.md.Namespace
	osc, err := resources.GenerateOperatingSystemConfig(j.md, j.osp, j.kubeconfig,
		Key(j.md.Namespace, j.md.Name)+"-kubelet-bootstrap-config", j.token, base+"-config", f.Namespace,
		j.ca, f.HostCA, f.ClusterDNS, f.ContainerRuntime, f.ExternalCloudProvider, f.InitialTaints,
		f.HTTPProxy, f.NoProxy, f.Runtime, f.FeatureGates)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", base, err)
	}
	gen := generator.NewDefaultCloudConfigGenerator("")
	total := 0
	for _, part := range []struct {
		config *osmv1alpha1.OSCConfig
		secret mcbootstrap.CloudConfigSecret
	}{
		{&osc.Spec.ProvisioningConfig, resources.ProvisioningCloudConfig},
		{&osc.Spec.BootstrapConfig, mcbootstrap.BootstrapCloudConfig},
	} {
		text, err := gen.Generate(part.config, j.osp.Spec.ProvisioningUtility, osc.Spec.OSName,
			osc.Spec.CloudProvider.Name, *j.md, part.secret)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", base, err)
		}
		total += len(text)
	}
	return total, nil
}
