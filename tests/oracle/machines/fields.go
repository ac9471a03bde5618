package machines

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var clouds = []struct {
	name  string
	value any
}{
	{"alibaba", alibaba.RawConfig{}},
	{"anexia", anexia.RawConfig{}},
	{"aws", aws.RawConfig{}},
	{"azure", azure.RawConfig{}},
	{"baremetal", baremetal.RawConfig{}},
	{"digitalocean", digitalocean.RawConfig{}},
	{"equinixmetal", equinixmetal.RawConfig{}},
	{"gce", gce.CloudProviderSpec{}},
	{"hetzner", hetzner.RawConfig{}},
	{"kubevirt", kubevirt.RawConfig{}},
	{"linode", linode.RawConfig{}},
	{"nutanix", nutanix.RawConfig{}},
	{"opennebula", opennebula.RawConfig{}},
	{"openstack", openstack.RawConfig{}},
	{"scaleway", scaleway.RawConfig{}},
	{"vmware-cloud-director", vcd.RawConfig{}},
	{"vsphere", vsphere.RawConfig{}},
	{"vultr", vultr.RawConfig{}},
}

// kinds are the types that are read as a whole.
var kinds = map[reflect.Type]string{
	reflect.TypeFor[providerconfig.ConfigVarString](): "VAR_STRING",
	reflect.TypeFor[providerconfig.ConfigVarBool]():   "VAR_BOOL",
	reflect.TypeFor[runtime.RawExtension]():           "RAW",
	reflect.TypeFor[metav1.FieldsV1]():                "RAW",
	reflect.TypeFor[metav1.Time]():                    "TIME",
	reflect.TypeFor[intstr.IntOrString]():             "INT_OR_STRING",
}

// snake has a_b for AB.
func snake(name string) string {
	var out strings.Builder
	for i, c := range name {
		if c >= 'A' && c <= 'Z' && i > 0 && (name[i-1] < 'A' || name[i-1] > 'Z') {
			out.WriteByte('_')
		}
		out.WriteRune(c)
	}
	return strings.ToLower(out.String())
}

type writer struct {
	out  bytes.Buffer
	made map[reflect.Type]string
}

func (w *writer) kind(t reflect.Type) (kind, shape string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if kind, found := kinds[t]; found {
		return kind, "NULL"
	}
	switch t.Kind() {
	case reflect.String:
		return "STRING", "NULL"
	case reflect.Bool:
		return "BOOL", "NULL"
	case reflect.Int32:
		return "INT32", "NULL"
	case reflect.Int, reflect.Int64:
		return "INT64", "NULL"
	case reflect.Uint, reflect.Uint64:
		return "UINT64", "NULL"
	case reflect.Float64:
		return "FLOAT", "NULL"
	case reflect.Map:
		if inner, _ := w.kind(t.Elem()); inner == "STRING" && t.Key().Kind() == reflect.String {
			return "STRING_MAP", "NULL"
		}
	case reflect.Slice:
		switch inner, shape := w.kind(t.Elem()); inner {
		case "STRING", "VAR_STRING", "STRUCT":
			return inner + "_LIST", shape
		}
	case reflect.Struct:
		return "STRUCT", "&" + w.shape(t)
	}
	panic(t.String())
}

type member struct{ name, kind, shape string }

func (w *writer) fields(t reflect.Type) (fields []member) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case tag == "-" || !f.IsExported():
		case f.Anonymous && tag == "" && inner.Kind() == reflect.Struct:
			fields = append(fields, w.fields(inner)...)
		default:
			if tag == "" {
				tag = f.Name
			}
			kind, shape := w.kind(f.Type)
			fields = append(fields, member{tag, kind, shape})
		}
	}
	return fields
}

func (w *writer) shape(t reflect.Type) string {
	if made, found := w.made[t]; found {
		return made
	}
	parts := strings.Split(t.PkgPath(), "/")
	name := snake(t.Name())
	if folder := parts[len(parts)-1]; !strings.HasPrefix(folder, "v1") && folder != "providerconfig" {
		name = folder + "_" + name
	}
	w.made[t] = name
	fields := w.fields(t)
	if len(fields) == 0 {
		panic(name)
	}
	fmt.Fprintf(&w.out, "static const struct osm_field %s_fields[] = {\n", name)
	for _, f := range fields {
		fmt.Fprintf(&w.out, "\t{SV_INIT(%q), OSM_FIELD_%s, %s},\n", f.name, f.kind, f.shape)
	}
	fmt.Fprintf(&w.out, "};\n")
	fmt.Fprintf(&w.out, "static const struct osm_shape %s = SHAPE(%s_fields);\n\n", name, name)
	return name
}

const head = `/*
 * %s, with their types.
 * Made by tests/oracle/machines from machine-controller's SDK v1.66.0.
 */
#include "osm/admission/admission.h"

#define SHAPE(list) {.fields = (list), .count = COUNT_OF(list)}

`

// machineTable is src/osm/admission/fields.c.
func machineTable() string {
	w := &writer{made: map[reflect.Type]string{}}
	fmt.Fprintf(&w.out, head, "The fields of a MachineDeployment")
	w.shape(reflect.TypeFor[clusterv1alpha1.MachineDeployment]())
	w.shape(reflect.TypeFor[providerconfig.ConfigVarString]())
	w.shape(reflect.TypeFor[providerconfig.ConfigVarBool]())
	w.out.WriteString(`const struct osm_shape *const osm_machine_shape = &machine_deployment;
const struct osm_shape *const osm_meta_shape = &object_meta;
const struct osm_shape *const osm_var_string_shape = &config_var_string;
const struct osm_shape *const osm_var_bool_shape = &config_var_bool;
`)
	return w.out.String()
}

// cloudTable is src/osm/provider/fields.c.
func cloudTable() string {
	w := &writer{made: map[reflect.Type]string{}}
	fmt.Fprintf(&w.out, head, "The fields of each cloud's cloudProviderSpec")
	names := map[string]string{}
	for _, cloud := range clouds {
		names[cloud.name] = w.shape(reflect.TypeOf(cloud.value))
	}
	w.out.WriteString("static const struct cloud {\n\tsv name;\n\tconst struct osm_shape *shape;\n} clouds[] = {\n")
	for _, cloud := range clouds {
		fmt.Fprintf(&w.out, "\t{SV_INIT(%q), &%s},\n", cloud.name, names[cloud.name])
	}
	w.out.WriteString(`};

const struct osm_shape *osm_cloud_shape(sv cloud_provider)
{
	for (size_t i = 0; i < COUNT_OF(clouds); i++)
		if (sv_eq(cloud_provider, clouds[i].name))
			return clouds[i].shape;
	return NULL;
}
`)
	return w.out.String()
}
