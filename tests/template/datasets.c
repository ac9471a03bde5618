/*
 * Data sets: resources.filesData in the program's own types, and what the user-data template gets.
 */
#include "cases.h"

#include "osm/data_types.h"
#include "tmpl/tmpl.h"

#define FIELD(n, t)                                                                                \
	{                                                                                          \
		.name = SV_INIT(n), .type = (t), .exported = true                                  \
	}
#define STRUCT(variable, type_name, field_array)                                                   \
	static const struct type variable = {.kind = KIND_STRUCT,                                  \
	                                     .name = SV_INIT(type_name),                           \
	                                     .fields = (field_array),                              \
	                                     .field_count = COUNT_OF(field_array)}

/* ---- resources.filesData, of the program's own types ------------------------------------- */

static struct value meta_duration(struct arena *arena, int64_t nanoseconds)
{
	struct value inner = {.type = &type_duration};
	struct value v = {.type = &osm_type_duration};

	inner.integer = nanoseconds;
	v.fields = case_new(arena, inner);
	return case_pointer(arena, &osm_type_duration_ptr, v);
}

static struct value struct_of(struct arena *arena, const struct type *type)
{
	struct value v = {.type = type};

	v.fields = ARENA_ARRAY(arena, struct value, type->field_count);
	for (size_t i = 0; i < type->field_count; i++) {
		const struct type *field = type->fields[i].type;
		if (field->kind == KIND_STRUCT && field->fields)
			v.fields[i] = struct_of(arena, field);
		else
			v.fields[i].type = field;
	}
	return v;
}

static struct value string_of(const struct type *type, const char *text)
{
	struct value v = value_string(sv_from_cstr(text));

	v.type = type;
	return v;
}

static struct value strings(struct arena *arena, const char *const *items, size_t count)
{
	struct value list = value_list_new(arena);

	list.type = &type_string_list;
	for (size_t i = 0; i < count; i++)
		value_list_add(arena, &list, value_string(sv_from_cstr(items[i])));
	return list;
}

static struct value network(struct arena *arena)
{
	static const char *const servers[] = {"8.8.8.8", "1.1.1.1"};
	struct value v = struct_of(arena, &osm_type_network);

	v.fields[0] = value_string(SV("192.168.1.2/24"));
	v.fields[1] = value_string(SV("192.168.1.1"));
	v.fields[2].fields[0] = strings(arena, servers, COUNT_OF(servers));
	v.fields[3] = string_of(&osm_type_ip_family, "IPv4");
	return case_pointer(arena, &osm_type_network_ptr, v);
}

static void set_field(struct value *data, const char *name, struct value v)
{
	for (size_t i = 0; i < data->type->field_count; i++) {
		if (sv_eq_cstr(data->type->fields[i].name, name)) {
			data->fields[i] = v;
			return;
		}
		if (data->type->fields[i].embedded)
			set_field(&data->fields[i], name, v);
	}
}

static void set_text(struct value *data, const char *name, const char *text)
{
	set_field(data, name, value_string(sv_from_cstr(text)));
}

static struct value string_pointer(struct arena *arena, const char *text)
{
	return case_pointer(arena, &type_string_ptr, value_string(sv_from_cstr(text)));
}

static struct value int32_pointer(struct arena *arena, int64_t i)
{
	struct value v = {.type = &type_int32};

	v.integer = i;
	return case_pointer(arena, &type_int32_ptr, v);
}

static struct value map_pointer(struct arena *arena, const char *const *pairs, size_t count)
{
	struct value map = case_string_map(arena, pairs, count);

	if (!map.map)
		map.map = ARENA_NEW(arena, struct value_map);
	return case_pointer(arena, &type_string_map_ptr, map);
}

static void set_minimal(struct arena *arena, struct value *data)
{
	struct value ips = value_list_new(arena);

	value_list_add(arena, &ips, case_ip(arena, "10.96.0.10"));
	ips.type = &osm_type_ips;
	set_text(data, "KubeVersion", "v1.33.4");
	set_field(data, "CloudProviderName", string_of(&osm_type_provider_name, "aws"));
	set_text(data, "ContainerRuntime", "containerd");
	set_field(data, "ClusterDNSIPs", ips);
	set_text(data, "KubernetesCACert", "CA\nCERT");
}

static void set_full(struct arena *arena, struct value *data)
{
	static const char *const reserved[] = {"cpu", "200m", "memory", "200Mi"};
	struct value ips = value_list_new(arena);
	struct value gates = value_map_new(arena);

	value_list_add(arena, &ips, case_ip(arena, "10.96.0.10"));
	value_list_add(arena, &ips, case_ip(arena, "fd00::a"));
	ips.type = &osm_type_ips;
	gates.type = &type_bool_map;
	value_map_set(arena, &gates, SV("Alpha"), value_bool(false));
	value_map_set(arena, &gates, SV("Zeta"), value_bool(true));
	set_field(data, "ClusterDNSIPs", ips);
	set_field(data, "KubeletFeatureGates", gates);
	set_field(data, "NetworkConfig", network(arena));
	set_text(data, "NetworkIPFamily", "IPv4");
	set_field(data, "HTTPProxy", string_pointer(arena, "http://proxy:3128"));
	set_field(data, "NoProxy", string_pointer(arena, "10.0.0.0/8,.local"));
	set_text(data, "ContainerRuntimeConfig",
	         "version = 3\n\n[metrics]\naddress = \"127.0.0.1:1338\"\n\n[plugins]\n"
	         "[plugins.\"io.containerd.cri.v1.images\"]\nmax_concurrent_downloads = 3\n");
	set_field(data, "KubeReserved", map_pointer(arena, reserved, 2));
	set_field(data, "SystemReserved", map_pointer(arena, NULL, 0));
	set_field(data, "MaxPods", int32_pointer(arena, 0));
	set_field(data, "ImageGCHighThresholdPercent", int32_pointer(arena, 85));
	set_field(data, "ImageMinimumGCAge", meta_duration(arena, 90000000000));
	set_field(data, "InTreeCCMAvailable", value_bool(true));
	set_field(data, "ExternalCloudProvider", value_bool(true));
	set_text(data, "HostCACert", "HOSTCA");
	set_text(data, "InitialTaints", "a=b:NoSchedule");
	set_text(data, "PauseImage", "registry.k8s.io/pause:3.10");
	set_field(data, "ContainerLogMaxSize", string_pointer(arena, "50Mi"));
	set_field(data, "ContainerLogMaxFiles", string_pointer(arena, "3"));
	set_text(data, "Token", "tok");
	set_text(data, "ServerURL", "https://1.2.3.4:6443");
	set_text(data, "SecretName", "md-kube-system-provisioning-config");
	set_text(data, "BootstrapKubeconfigSecretName", "md-bootstrap");
	struct value flatcar = struct_of(arena, &osm_type_flatcar);
	flatcar.fields[0] = value_bool(true);
	flatcar.fields[3] = string_of(flatcar.fields[3].type, "ignition");
	set_field(data, "FlatcarConfig", flatcar);
}

/* ---- the user-data template's data ------------------------------------------------------- */

static const struct type_field file_fields[] = {
    FIELD("Path", &type_string),
    FIELD("Permissions", &type_string_ptr),
    FIELD("Encoding", &type_string_ptr),
    FIELD("Content", &type_string),
};
STRUCT(type_file, "main.File", file_fields);
static const struct type type_file_list = {
    .kind = KIND_SLICE, .name = SV_INIT("[]main.File"), .elem = &type_file};
static const struct type type_bool_ptr = {
    .kind = KIND_POINTER, .name = SV_INIT("*bool"), .elem = &type_bool};
static const struct type_field drop_in_fields[] = {
    FIELD("Name", &type_string),
    FIELD("Content", &type_string),
};
STRUCT(type_drop_in, "main.DropIn", drop_in_fields);
static const struct type type_drop_in_list = {
    .kind = KIND_SLICE, .name = SV_INIT("[]main.DropIn"), .elem = &type_drop_in};
static const struct type_field unit_fields[] = {
    FIELD("Name", &type_string),          FIELD("Enable", &type_bool_ptr),
    FIELD("Mask", &type_bool_ptr),        FIELD("Content", &type_string_ptr),
    FIELD("DropIns", &type_drop_in_list),
};
STRUCT(type_unit, "main.Unit", unit_fields);
static const struct type type_unit_list = {
    .kind = KIND_SLICE, .name = SV_INIT("[]main.Unit"), .elem = &type_unit};
static const struct type_field generator_fields[] = {
    FIELD("Files", &type_file_list),
    FIELD("Units", &type_unit_list),
    FIELD("UserSSHKeys", &type_string_list),
};
STRUCT(type_generator, "main.genData", generator_fields);

static struct value file_of(struct arena *arena, const char *path, const char *permissions,
                            const char *encoding, const char *content)
{
	struct value v = struct_of(arena, &type_file);

	v.fields[0] = value_string(sv_from_cstr(path));
	if (permissions)
		v.fields[1] = string_pointer(arena, permissions);
	if (encoding)
		v.fields[2] = string_pointer(arena, encoding);
	v.fields[3] = value_string(sv_from_cstr(content));
	return v;
}

static struct value unit_of(struct arena *arena)
{
	struct value v = struct_of(arena, &type_unit);
	struct value drop_in = struct_of(arena, &type_drop_in);
	struct value drop_ins = value_list_new(arena);

	drop_in.fields[0] = value_string(SV("10.conf"));
	drop_in.fields[1] = value_string(SV("c\nd"));
	value_list_add(arena, &drop_ins, drop_in);
	drop_ins.type = &type_drop_in_list;
	v.fields[0] = value_string(SV("u.service"));
	v.fields[1] = case_pointer(arena, &type_bool_ptr, value_bool(true));
	v.fields[3] = string_pointer(arena, "[Unit]\nA=b");
	v.fields[4] = drop_ins;
	return v;
}

static struct value generator(struct arena *arena)
{
	static const char *const keys[] = {"ssh-rsa AAA x", "ssh-ed25519 BBB y"};
	struct value v = struct_of(arena, &type_generator);
	struct value files = value_list_new(arena);
	struct value units = value_list_new(arena);

	value_list_add(arena, &files, file_of(arena, "/a/b.service", "0755", "b64", "x\ny\n"));
	value_list_add(arena, &files, file_of(arena, "/c", NULL, NULL, "z"));
	files.type = &type_file_list;
	value_list_add(arena, &units, unit_of(arena));
	struct value masked = struct_of(arena, &type_unit);
	masked.fields[0] = value_string(SV("v.service"));
	masked.fields[2] = case_pointer(arena, &type_bool_ptr, value_bool(true));
	value_list_add(arena, &units, masked);
	units.type = &type_unit_list;
	v.fields[0] = files;
	v.fields[1] = units;
	v.fields[2] = strings(arena, keys, COUNT_OF(keys));
	return v;
}

const struct value *case_dataset(struct arena *arena, const char *name)
{
	struct value data = struct_of(arena, &osm_type_files_data);

	if (strcmp(name, "generator") == 0)
		return case_new(arena, generator(arena));
	if (strcmp(name, "osp-full") != 0 && strcmp(name, "osp-min") != 0)
		return NULL;
	set_minimal(arena, &data);
	if (strcmp(name, "osp-full") == 0)
		set_full(arena, &data);
	return case_new(arena, case_pointer(arena, &osm_type_files_data_ptr, data));
}
