/*
 * Reads cloudProviderSpec as encoding/json decodes it into a provider's struct
 * (docs/spec/controller.md 2.8).
 */
#include "osm/provider/provider.h"

void spec_refuse(struct spec *spec, struct position at, sv text, const char *help)
{
	struct diag *diag =
	    diag_report(spec->sink, DIAG_CLOUD_CONFIG, at,
	                "failed to fetch cloud-config: failed to parse config: %.*s", SV_ARG(text));

	diag_set_help(spec->sink, diag, "%s", help);
	spec->failed = true;
}

static void refuse_type(struct spec *spec, const struct value *v, sv name, const char *wanted)
{
	spec_refuse(spec, value_position(v),
	            arena_printf(spec->arena,
	                         "failed to unmarshal CloudProviderSpec: %.*s must be %s",
	                         SV_ARG(name), wanted),
	            "correct its type");
}

/* ---- fields that may be references ------------------------------------------------------- */

/* Returns all values given for a field of the specification, or of its member `group`. */
static struct go_json_matches find_field(struct spec *spec, const struct value *object, sv group,
                                         sv name)
{
	if (sv_empty(group))
		return go_json_matches(spec->arena, object, name);
	struct go_json_matches groups = go_json_matches(spec->arena, object, group);
	return go_json_inner(spec->arena, &groups, name);
}

/* Checks that all values given for the group are maps or null. Returns the last one's position. */
static struct position check_group(struct spec *spec, sv group)
{
	struct go_json_matches groups = go_json_matches(spec->arena, spec->input->raw_spec, group);
	const struct value *last = go_json_last(&groups);

	VEC_EACH (match, &groups) {
		const struct value *v = &(*match)->value;

		if (!value_is_null(v) && !value_is_map(v))
			refuse_type(spec, v, group, "a map");
	}
	return value_position(last ? last : spec->input->raw_spec);
}

void spec_decode(struct spec *spec, sv group, const struct spec_field *fields, size_t count,
                 struct osm_config_var *vars)
{
	struct position at = value_position(spec->input->raw_spec);

	if (!sv_empty(group))
		at = check_group(spec, group);
	for (size_t i = 0; i < count; i++) {
		const struct spec_field *field = &fields[i];
		struct go_json_matches raw =
		    find_field(spec, spec->input->raw_spec, group, field->name);
		struct go_json_matches tainted =
		    find_field(spec, spec->input->spec, group, field->name);
		struct osm_config_var untainted = {.name = field->name, .at = at};

		vars[i] = untainted;
		/* Tainting turned numbers into strings: check the types of the raw values. */
		if (osm_config_var_decode(spec->arena, spec->sink, &raw, field->kind, &untainted) !=
		        STATUS_OK ||
		    osm_config_var_decode(spec->arena, spec->sink, &tainted, field->kind,
		                          &vars[i]) != STATUS_OK) {
			vars[i] = (struct osm_config_var){.name = field->name, .at = at};
			spec->failed = true;
		}
	}
}

/* ---- values ------------------------------------------------------------------------------ */

static struct value string_or_empty(struct spec *spec, enum status status, struct value string)
{
	if (status == STATUS_OK)
		return string;
	spec->failed = true;
	return value_string(SV(""));
}

static struct value bool_or_false(struct spec *spec, enum status status, struct value text)
{
	if (status != STATUS_OK)
		spec->failed = true;
	return status == STATUS_OK && text.type ? text : value_string(SV("false"));
}

struct value spec_string(struct spec *spec, const struct osm_config_var *var)
{
	struct value string = VALUE_INVALID;
	enum status status =
	    osm_config_var_string(spec->arena, spec->sink, spec->input->cluster, var, &string);

	return string_or_empty(spec, status, string);
}

struct value spec_string_or_env(struct spec *spec, const struct osm_config_var *var, sv variable,
                                enum osm_need need)
{
	struct value string = VALUE_INVALID;
	enum status status = osm_config_var_string_or_env(
	    spec->arena, spec->sink, spec->input->cluster, var, variable, need, &string);

	return string_or_empty(spec, status, string);
}

struct value spec_bool(struct spec *spec, const struct osm_config_var *var)
{
	struct value text = VALUE_INVALID;
	enum status status =
	    osm_config_var_bool(spec->arena, spec->sink, spec->input->cluster, var, &text);

	return bool_or_false(spec, status, text);
}

struct value spec_bool_or_env(struct spec *spec, const struct osm_config_var *var, sv variable)
{
	struct value text = VALUE_INVALID;
	enum status status = osm_config_var_bool_or_env(spec->arena, spec->sink,
	                                                spec->input->cluster, var, variable, &text);

	return bool_or_false(spec, status, text);
}

/* ---- fields of other types --------------------------------------------------------------- */

static bool is_uint(const struct value *v)
{
	return value_is(v, KIND_UINT64) || (value_is(v, KIND_INT64) && v->integer >= 0);
}

static bool is_bool(const struct value *v)
{
	return value_is(v, KIND_BOOL);
}

/* Reads a pointer. The last value wins, and null resets it. All values must have the right type. */
static const struct value *plain_value(struct spec *spec, sv name,
                                       bool (*is_right)(const struct value *), const char *wanted)
{
	struct go_json_matches matches = go_json_matches(spec->arena, spec->input->spec, name);
	const struct value *last = NULL;

	VEC_EACH (match, &matches) {
		const struct value *v = &(*match)->value;

		last = value_is_null(v) ? NULL : v;
		if (last && !is_right(last))
			refuse_type(spec, last, name, wanted);
	}
	return last && is_right(last) ? last : NULL;
}

const struct value *spec_plain_bool(struct spec *spec, sv name)
{
	return plain_value(spec, name, is_bool, "true or false");
}

const struct value *spec_plain_uint(struct spec *spec, sv name)
{
	return plain_value(spec, name, is_uint, "a number from 0 on");
}

struct value spec_plain_strings(struct spec *spec, sv name)
{
	struct go_json_matches matches = go_json_matches(spec->arena, spec->input->spec, name);

	VEC_EACH (match, &matches) {
		const struct value *v = &(*match)->value;

		if (!value_is_null(v) && !value_is_list(v))
			refuse_type(spec, v, name, "a list of strings");
		for (size_t i = 0; value_is_list(v) && i < value_count(v); i++) {
			const struct value *item = value_item(v, i);

			if (!value_is_string(item) && !value_is_null(item))
				refuse_type(spec, item, name, "a list of strings");
		}
	}
	return go_json_strings(spec->arena, &matches);
}
