// Package cloudprovider, as far as it goes without a cloud: see tests/oracle/machines.
package cloudprovider

import (
	"context"
	"errors"

	"go.uber.org/zap"

	cloudprovidercache "k8c.io/machine-controller/pkg/cloudprovider/cache"
	"k8c.io/machine-controller/pkg/cloudprovider/provider/edge"
	cloudprovidertypes "k8c.io/machine-controller/pkg/cloudprovider/types"
	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	"k8c.io/machine-controller/sdk/cloudprovider/alibaba"
	"k8c.io/machine-controller/sdk/cloudprovider/anexia"
	"k8c.io/machine-controller/sdk/cloudprovider/aws"
	"k8c.io/machine-controller/sdk/cloudprovider/azure"
	"k8c.io/machine-controller/sdk/cloudprovider/baremetal"
	"k8c.io/machine-controller/sdk/cloudprovider/digitalocean"
	"k8c.io/machine-controller/sdk/cloudprovider/equinixmetal"
	"k8c.io/machine-controller/sdk/cloudprovider/gce"
	"k8c.io/machine-controller/sdk/cloudprovider/hetzner"
	"k8c.io/machine-controller/sdk/cloudprovider/kubevirt"
	"k8c.io/machine-controller/sdk/cloudprovider/linode"
	"k8c.io/machine-controller/sdk/cloudprovider/nutanix"
	"k8c.io/machine-controller/sdk/cloudprovider/opennebula"
	"k8c.io/machine-controller/sdk/cloudprovider/openstack"
	"k8c.io/machine-controller/sdk/cloudprovider/scaleway"
	vcd "k8c.io/machine-controller/sdk/cloudprovider/vmwareclouddirector"
	"k8c.io/machine-controller/sdk/cloudprovider/vsphere"
	"k8c.io/machine-controller/sdk/cloudprovider/vultr"
	"k8c.io/machine-controller/sdk/providerconfig"
)

var cache = cloudprovidercache.New()

// ErrProviderNotFound is what the caller compares with.
var ErrProviderNotFound = errors.New("cloudprovider not found")

type reader func(providerconfig.Config) error

func of[T any](get func(providerconfig.Config) (*T, error)) reader {
	return func(config providerconfig.Config) error {
		_, err := get(config)
		return err
	}
}

func nothing(providerconfig.Config) error { return nil }

var readers = map[providerconfig.CloudProvider]reader{
	providerconfig.CloudProviderAWS:                 of(aws.GetConfig),
	providerconfig.CloudProviderAzure:               of(azure.GetConfig),
	providerconfig.CloudProviderDigitalocean:        of(digitalocean.GetConfig),
	providerconfig.CloudProviderGoogle:              of(gce.GetConfig),
	providerconfig.CloudProviderEquinixMetal:        of(equinixmetal.GetConfig),
	providerconfig.CloudProviderPacket:              of(equinixmetal.GetConfig),
	providerconfig.CloudProviderHetzner:             of(hetzner.GetConfig),
	providerconfig.CloudProviderKubeVirt:            of(kubevirt.GetConfig),
	providerconfig.CloudProviderLinode:              of(linode.GetConfig),
	providerconfig.CloudProviderNutanix:             of(nutanix.GetConfig),
	providerconfig.CloudProviderOpenstack:           of(openstack.GetConfig),
	providerconfig.CloudProviderVsphere:             of(vsphere.GetConfig),
	providerconfig.CloudProviderVultr:               of(vultr.GetConfig),
	providerconfig.CloudProviderVMwareCloudDirector: of(vcd.GetConfig),
	providerconfig.CloudProviderFake:                nothing,
	providerconfig.CloudProviderEdge:                nothing,
	providerconfig.CloudProviderAlibaba:             of(alibaba.GetConfig),
	providerconfig.CloudProviderAnexia:              of(anexia.GetConfig),
	providerconfig.CloudProviderScaleway:            of(scaleway.GetConfig),
	providerconfig.CloudProviderBaremetal:           of(baremetal.GetConfig),
	providerconfig.CloudProviderExternal:            nothing,
	providerconfig.CloudProviderOpenNebula:          of(opennebula.GetConfig),
}

// reading is a provider that reads its specification and asks no cloud.
type reading struct {
	cloudprovidertypes.Provider
	read reader
}

func (p *reading) Validate(_ context.Context, _ *zap.SugaredLogger, spec clusterv1alpha1.MachineSpec) error {
	config, err := providerconfig.GetConfig(spec.ProviderSpec)
	if err != nil {
		return err
	}
	return p.read(*config)
}

// ForProvider has the names that the real one has.
func ForProvider(name providerconfig.CloudProvider, resolver providerconfig.ConfigVarResolver) (cloudprovidertypes.Provider, error) {
	read, found := readers[name]
	if !found {
		return nil, ErrProviderNotFound
	}
	return NewValidationCacheWrappingCloudProvider(&reading{edge.New(resolver), read}), nil
}
