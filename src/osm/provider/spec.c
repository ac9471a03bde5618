/*
 * cloudProviderSpec as encoding/json decodes it into a provider's struct
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

/* The map that holds the fields; null: absent, or no map, which is reported. */
static const struct value *find_group(struct spec *spec, const struct value *object, sv group)
{
	const struct value *v = sv_empty(group) ? object : osm_json_member(object, group);

	if (!v || value_is_map(v))
		return v;
	refuse_type(spec, v, group, "a map");
	return NULL;
}

void spec_decode(struct spec *spec, sv group, const struct spec_field *fields, size_t count,
                 struct osm_config_var *vars)
{
	const struct value *raw = find_group(spec, spec->input->raw_spec, group);
	const struct value *tainted = raw ? find_group(spec, spec->input->spec, group) : NULL;

	for (size_t i = 0; i < count; i++) {
		const struct spec_field *field = &fields[i];

		vars[i] = (struct osm_config_var){
		    .name = field->name,
		    .at = value_position(raw ? raw : spec->input->spec),
		};
		/* To be tainted, numbers became texts: whether they may be is for the raw one. */
		if (raw && (osm_config_var_decode(spec->arena, spec->sink, raw, field->name,
		                                  field->kind, &vars[i]) != STATUS_OK ||
		            osm_config_var_decode(spec->arena, spec->sink, tainted, field->name,
		                                  field->kind, &vars[i]) != STATUS_OK))
			spec->failed = true;
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

/* The one that counts: the last. Null when it is null, or not there. */
static const struct value *last_of(struct spec *spec, sv name)
{
	struct osm_json_matches matches = osm_json_matches(spec->arena, spec->input->spec, name);

	if (matches.count == 0)
		return NULL;
	const struct value_entry *last = matches.items[matches.count - 1];
	return value_is_null(&last->value) ? NULL : &last->value;
}

const struct value *spec_plain_bool(struct spec *spec, sv name)
{
	const struct value *v = last_of(spec, name);

	if (!v || value_is(v, KIND_BOOL))
		return v;
	refuse_type(spec, v, name, "true or false");
	return NULL;
}

const struct value *spec_plain_uint(struct spec *spec, sv name)
{
	const struct value *v = last_of(spec, name);

	if (!v || value_is(v, KIND_UINT64) || (value_is(v, KIND_INT64) && v->integer >= 0))
		return v;
	refuse_type(spec, v, name, "a number from 0 on");
	return NULL;
}

struct value spec_plain_strings(struct spec *spec, sv name)
{
	const struct value *v = last_of(spec, name);
	struct value strings = value_list_new(spec->arena);

	if (v && !value_is_list(v))
		refuse_type(spec, v, name, "a list of texts");
	for (size_t i = 0; value_is_list(v) && i < value_count(v); i++) {
		const struct value *item = value_item(v, i);

		if (!value_is_string(item) && !value_is_null(item))
			refuse_type(spec, item, name, "a list of texts");
		value_list_add(spec->arena, &strings,
		               value_is_string(item) ? *item : value_string(SV("")));
	}
	return strings;
}
