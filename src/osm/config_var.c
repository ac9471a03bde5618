/*
 * ConfigVarString: a text in place, or one that a Secret or a ConfigMap holds (osm.md 1.6).
 */
#include "osm/internal.h"

/* {namespace, name, key}, all given: false otherwise. */
static bool read_reference(const struct value *var, sv kind, sv ret_parts[3])
{
	const struct value *reference = osm_json_member(var, kind);
	static const sv members[] = {SV_INIT("namespace"), SV_INIT("name"), SV_INIT("key")};

	for (size_t i = 0; i < COUNT_OF(members); i++) {
		ret_parts[i] = value_text(osm_json_member(reference, members[i]));
		if (sv_empty(ret_parts[i]))
			return false;
	}
	return true;
}

static enum status read_object(struct arena *arena, struct sink *sink,
                               const struct osm_cluster *cluster, const struct value *var, sv name,
                               struct value *ret_string)
{
	const struct value *text = osm_json_member(var, SV("value"));
	sv parts[3];

	if (read_reference(var, SV("secretKeyRef"), parts))
		return osm_lookup_value(arena, sink, cluster->objects,
		                        cluster->secrets_may_be_absent, SV("Secret"), parts[0],
		                        parts[1], parts[2], value_position(var), ret_string);
	if (read_reference(var, SV("configMapKeyRef"), parts))
		return osm_lookup_value(arena, sink, cluster->objects, false, SV("ConfigMap"),
		                        parts[0], parts[1], parts[2], value_position(var),
		                        ret_string);
	if (value_is_null(text)) {
		*ret_string = value_string(SV(""));
		return STATUS_OK;
	}
	if (!value_is_string(text)) {
		diag_report(sink, DIAG_CONFIG_VAR, value_position(text),
		            "value of %.*s must be a text", SV_ARG(name));
		return STATUS_FAILED;
	}
	*ret_string = *text;
	return STATUS_OK;
}

enum status osm_config_var_string(struct arena *arena, struct sink *sink,
                                  const struct osm_cluster *cluster, const struct value *spec,
                                  sv name, struct value *ret_string)
{
	const struct value *var = NULL;
	const struct value *member = osm_json_member(spec, name);

	/* COMPAT: null is no absence here: the decoder sees its four letters. */
	if (!member)
		member = value_map_get(spec, name);
	var = member;
	if (!var) {
		*ret_string = value_string(SV(""));
		return STATUS_OK;
	}
	if (value_is_map(var))
		return read_object(arena, sink, cluster, var, name, ret_string);
	if (value_is_string(var)) {
		*ret_string = *var;
		return STATUS_OK;
	}
	/* Any other JSON is taken as the text it is written as. */
	struct buf json = buf_in(arena);
	json_emit(&json, var, JSON_GO);
	*ret_string = value_string(buf_sv(&json));
	ret_string->taint = taint_whole(arena, json.len, value_secret(var));
	ret_string->origin = var->origin;
	return STATUS_OK;
}
