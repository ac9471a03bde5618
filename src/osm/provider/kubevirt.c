/*
 * The legacy cloud-config of KubeVirt: YAML as yaml.v3 writes it (docs/spec/cloud-config.md 3.4).
 */
#include "osm/provider/provider.h"

#include "codec/codec.h"
#include "yaml/yaml.h"

#define GLOBAL_HEAD     "global:\n"
#define KUBECONFIG_HEAD GLOBAL_HEAD "    kubeconfig: "

/* Taints the decoded string as a secret of its own, which the encoded one does not contain. */
static struct value decoded(struct arena *arena, const struct value *encoded, sv text)
{
	const struct secret *secret = secrecy_find(encoded);
	struct value string = value_string(text);

	return secret ? secrecy_taint_string(arena, string, secret->name) : string;
}

/* Decodes a kubeconfig that cloudProviderSpec itself holds, which must be base64. */
static struct value kubeconfig_in_place(struct spec *spec, const struct osm_config_var *var)
{
	size_t error_at;
	sv text;

	if (base64_decode(spec->arena, BASE64_STD, var->value.string, &text, &error_at))
		return decoded(spec->arena, &var->value, text);
	spec_refuse(spec, var->at,
	            arena_printf(spec->arena,
	                         "failed to decode base64 encoded kubeconfig. Expected value is a "
	                         "base64 encoded Kubeconfig in JSON or YAML format: illegal base64 "
	                         "data at input byte %zu",
	                         error_at),
	            "encode it with `base64 -w0`, or move it to a Secret and name that with "
	            "secretKeyRef");
	return value_string(SV(""));
}

/* Finds the kubeconfig. From a Secret or the environment, it may be base64. */
static struct value find_kubeconfig(struct spec *spec, const struct osm_config_var *var)
{
	size_t error_at;
	sv text;

	/* COMPAT: a value in cloudProviderSpec wins even over a reference. */
	if (!sv_empty(value_text(&var->value)))
		return kubeconfig_in_place(spec, var);
	struct value string = spec_string_or_env(spec, var, SV("KUBEVIRT_KUBECONFIG"), OSM_NEEDED);
	if (base64_decode(spec->arena, BASE64_STD, string.string, &text, &error_at))
		return decoded(spec->arena, &string, text);
	return string;
}

/* Returns the namespace of the infrastructure's machines: the controller's own. */
static struct value find_namespace(const struct spec *spec)
{
	const struct value *given = osm_environment_text(spec->input->cluster, SV("POD_NAMESPACE"));

	return given && !sv_empty(given->string) ? *given : value_string(SV("kube-system"));
}

static sv emit(struct arena *arena, const struct value *global)
{
	struct value root = value_map_new(arena);
	struct buf buf = buf_in(arena);
	sv unused;

	value_map_set(arena, &root, SV("global"), *global);
	if (!yml_emit_v3(&buf, &root, &unused))
		BUG("strings that YAML cannot hold");
	return buf_sv(&buf);
}

enum status osm_cloud_config_kubevirt(struct arena *arena, struct sink *sink,
                                      const struct osm_cloud_config_input *input,
                                      struct value *ret_text)
{
	static const struct spec_field field = {SV_INIT("kubeconfig"), OSM_VAR_STRING};
	struct spec spec = spec_of(arena, sink, input);
	struct osm_config_var var;
	struct value global = value_map_new(arena);
	struct text text = text_in(arena);

	spec_decode(&spec, SV("auth"), &field, 1, &var);
	if (spec.failed)
		return STATUS_FAILED;
	struct value kubeconfig = find_kubeconfig(&spec, &var);
	struct value namespace = find_namespace(&spec);
	if (spec.failed)
		return STATUS_FAILED;
	value_map_set(arena, &global, SV("namespace"), namespace);
	sv tail = sv_from_offset(emit(arena, &global), SV(GLOBAL_HEAD).len);
	value_map_set(arena, &global, SV("kubeconfig"), kubeconfig);
	sv whole = emit(arena, &global);
	/* The emitter sorts keys, so the kubeconfig is between head and tail. */
	BUG_ON(!sv_starts_with(whole, SV(KUBECONFIG_HEAD)) || !sv_ends_with(whole, tail));
	TEXT_ADD_LIT(&text, KUBECONFIG_HEAD);
	text_add_secret(&text, sv_slice(whole, SV(KUBECONFIG_HEAD).len, whole.len - tail.len),
	                secrecy_find(&kubeconfig));
	text_add(&text, tail);
	*ret_text = text_value(arena, &text);
	return STATUS_OK;
}
