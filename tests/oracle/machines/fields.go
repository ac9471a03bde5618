package machines

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
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

// kinds are the types that are read as a whole, with the shape of a map that may be there instead.
var kinds = map[reflect.Type]kind{
	reflect.TypeFor[providerconfig.ConfigVarString](): {"SCALAR", "", "&config_var_string"},
	reflect.TypeFor[providerconfig.ConfigVarBool]():   {"BOOL", "", "&config_var_bool"},
	reflect.TypeFor[runtime.RawExtension]():           {"ANY", "", ""},
	reflect.TypeFor[metav1.FieldsV1]():                {"ANY", "", ""},
	reflect.TypeFor[metav1.Time]():                    {"TIME", "", ""},
	reflect.TypeFor[intstr.IntOrString]():             {"INT_OR_TEXT", "", ""},
}

// kind is a type of lib/shape: SHAPE_typ, SHAPE_form or one value, and the shape of its maps.
type kind struct{ typ, form, of string }

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
	out    bytes.Buffer
	made   map[reflect.Type]string
	isOpen bool            // members that no shape has are ignored
	helped map[string]bool // the members that have been written
}

func (w *writer) kind(t reflect.Type) kind {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if kind, found := kinds[t]; found {
		return kind
	}
	switch t.Kind() {
	case reflect.String:
		return kind{"TEXT", "", ""}
	case reflect.Bool:
		return kind{"BOOL", "", ""}
	case reflect.Int32:
		return kind{"INT32", "", ""}
	case reflect.Int, reflect.Int64:
		return kind{"INT", "", ""}
	case reflect.Uint, reflect.Uint64:
		return kind{"UINT", "", ""}
	case reflect.Float64:
		return kind{"FLOAT", "", ""}
	case reflect.Map:
		if inner := w.kind(t.Elem()); inner == (kind{"TEXT", "", ""}) && t.Key().Kind() == reflect.String {
			return kind{"TEXT", "DICT", ""}
		}
	case reflect.Slice:
		if inner := w.kind(t.Elem()); inner.form == "" {
			return kind{inner.typ, "LIST", inner.of}
		}
	case reflect.Struct:
		return kind{"MAP", "", "&" + w.shape(t)}
	}
	panic(t.String())
}

// public are the shapes that other files use.
var public = map[reflect.Type]string{
	reflect.TypeFor[clusterv1alpha1.MachineDeployment](): "osm_machine_shape",
	reflect.TypeFor[metav1.ObjectMeta]():                 "osm_meta_shape",
}

type member struct {
	name string
	kind kind
}

func (w *writer) members(t reflect.Type) (members []member) {
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
			members = append(members, w.members(inner)...)
		default:
			if tag == "" {
				tag = f.Name
			}
			members = append(members, member{tag, w.kind(f.Type)})
		}
	}
	return members
}

// row has a member in C.
func (w *writer) row(shape string, m member) string {
	place := shape + "." + m.name
	text, found := help[place]
	if !found {
		panic(place + " has no help: write a line about it in help.go")
	}
	w.helped[place] = true
	isSecret := slices.Contains(secrets, place)
	if m.kind == kinds[reflect.TypeFor[providerconfig.ConfigVarString]()] && bounds[place] == "" {
		name := "VAR"
		if isSecret {
			name = "SECRET"
		}
		return fmt.Sprintf("%s(%q, %q),", name, m.name, text)
	}
	if isSecret {
		panic(place + " is a secret in the clear")
	}
	form, of, more := "ONE", "", ""
	if m.kind.form != "" {
		form = m.kind.form
	}
	if m.kind.of != "" {
		of = ", .of = " + m.kind.of
	}
	if bounds[place] != "" {
		more = ", " + bounds[place]
	}
	return fmt.Sprintf("SHAPE_ROW(%q, %s, %s, %q%s%s),", m.name, m.kind.typ, form, text, of, more)
}

func (w *writer) shape(t reflect.Type) string {
	if made, found := w.made[t]; found {
		return made
	}
	parts := strings.Split(t.PkgPath(), "/")
	folder := parts[len(parts)-1]
	name, title := snake(t.Name()), t.Name()
	if !strings.HasPrefix(folder, "v1") && folder != "providerconfig" {
		name, title = folder+"_"+name, folder+"."+title
		if t.Name() == "RawConfig" || t.Name() == "CloudProviderSpec" {
			name, title = folder, folder
		}
	}
	list, storage, open := name+"_members", "static ", ""
	if public, found := public[t]; found {
		name, storage = public, ""
	}
	if w.isOpen {
		open = "OPEN_"
	}
	w.made[t] = name
	members := w.members(t)
	if len(members) == 0 {
		panic(name)
	}
	fmt.Fprintf(&w.out, "static const struct shape_member %s[] = {\n", list)
	for _, m := range members {
		fmt.Fprintf(&w.out, "    %s\n", w.row(title, m))
	}
	fmt.Fprintf(&w.out, "};\n%sconst struct shape %s = %sSHAPE(%q, %s);\n\n", storage, name, open, title, list)
	return name
}

const head = `/*
 * %s, with their types.
 * Made by tests/oracle/machines from machine-controller's SDK v1.66.0 and its help.go.
 */
#include "osm/admission/admission.h"

/* clang-format off */

/* Nothing complains of members that a type does not have. */
#define OPEN_SHAPE(text, list) {.name = (text), .members = (list), .count = COUNT_OF(list), .is_open = true}

`

// machineTable is src/osm/admission/fields.c.
func (w *writer) machineTable() string {
	fmt.Fprintf(&w.out, head, "The fields of a MachineDeployment")
	w.isOpen = true
	w.shape(reflect.TypeFor[clusterv1alpha1.MachineDeployment]())
	return strings.TrimSuffix(w.out.String(), "\n")
}

// cloudTable is src/osm/provider/fields.c.
func (w *writer) cloudTable() string {
	fmt.Fprintf(&w.out, head, "The fields of each cloud's cloudProviderSpec")
	w.out.WriteString(`/* A ConfigVarString. */
#define VAR(key, words)    SHAPE_ROW(key, SCALAR, ONE, words, .of = &config_var_string)
#define SECRET(key, words) SHAPE_ROW(key, SCALAR, ONE, words, .of = &config_var_string, .flags = SHAPE_SECRET)

`)
	w.isOpen = true // ConfigVarString reads itself, and is not strict
	w.shape(reflect.TypeFor[providerconfig.ConfigVarString]())
	w.shape(reflect.TypeFor[providerconfig.ConfigVarBool]())
	w.isOpen = false
	names := map[string]string{}
	for _, cloud := range clouds {
		names[cloud.name] = w.shape(reflect.TypeOf(cloud.value))
	}
	w.out.WriteString("static const struct cloud {\n\tsv name;\n\tconst struct shape *shape;\n} clouds[] = {\n")
	for _, cloud := range clouds {
		fmt.Fprintf(&w.out, "    {SV_INIT(%q), &%s},\n", cloud.name, names[cloud.name])
	}
	w.out.WriteString(`};

const struct shape *osm_cloud_shape(sv cloud_provider)
{
	for (size_t i = 0; i < COUNT_OF(clouds); i++)
		if (sv_eq(cloud_provider, clouds[i].name))
			return clouds[i].shape;
	return NULL;
}
`)
	return w.out.String()
}

// tables are the files of the program, by path. It panics if help.go is about members that there are not.
func tables() map[string]string {
	machines := &writer{made: map[reflect.Type]string{}, helped: map[string]bool{}}
	clouds := &writer{made: map[reflect.Type]string{}, helped: machines.helped}
	made := map[string]string{
		"src/osm/admission/fields.c": machines.machineTable(),
		"src/osm/provider/fields.c":  clouds.cloudTable(),
	}
	for _, places := range [][]string{slices.Collect(maps.Keys(help)), slices.Collect(maps.Keys(bounds)), secrets} {
		for _, place := range places {
			if !machines.helped[place] {
				panic(place + " is no member: correct help.go")
			}
		}
	}
	return made
}
