package controller

import (
	"context"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	osmv1alpha1 "k8c.io/operating-system-manager/pkg/crd/osm/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Objects are all that the cluster holds of the kinds that matter, the
// controller's own among them, each with its kind.
func (c *Cluster) Objects(ctx context.Context) ([]client.Object, error) {
	var out []client.Object
	for _, list := range []client.ObjectList{
		&osmv1alpha1.OperatingSystemProfileList{}, &osmv1alpha1.OperatingSystemConfigList{},
		&clusterv1alpha1.MachineDeploymentList{}, &corev1.SecretList{}, &corev1.ConfigMapList{},
		&corev1.ServiceAccountList{},
	} {
		if err := c.client.List(ctx, list); err != nil {
			return nil, err
		}
		items, err := meta.ExtractList(list)
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			o := item.(client.Object)
			gvk, err := apiutil.GVKForObject(o, Scheme)
			if err != nil {
				return nil, err
			}
			o.GetObjectKind().SetGroupVersionKind(gvk)
			out = append(out, o)
		}
	}
	return out, nil
}

// Update writes objects that the cluster has in another form. The controller's own stay.
func (c *Cluster) Update(ctx context.Context, objects []client.Object) error {
	for _, o := range objects {
		live := o.DeepCopyObject().(client.Object)
		if err := c.client.Get(ctx, client.ObjectKeyFromObject(o), live); err != nil {
			return err
		}
		changed := o.DeepCopyObject().(client.Object)
		changed.SetResourceVersion(live.GetResourceVersion())
		if err := c.client.Update(ctx, changed); err != nil {
			return err
		}
	}
	return nil
}
