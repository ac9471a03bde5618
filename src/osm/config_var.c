/*
 * ConfigVarString and ConfigVarBool (docs/spec/controller.md 2.6): a value in place, or one that a
 * Secret or a ConfigMap holds, or, for some fields, a variable of the controller's environment.
 */
#include "golang/golang.h"
#include "osm/cloud.h"
#include "osm/cluster.h"
#include "value/text.h"
#include "json/json.h"

/* ---- decoding ---------------------------------------------------------------------------- */

static enum status refuse_variable(struct sink *sink, const struct value *v, sv name,
                                   const char *member, const char *wanted)
{
	struct diag *diag = diag_report(sink, DIAG_CONFIG_VAR, value_position(v),
	                                "%s%.*s must be %s", member, SV_ARG(name), wanted);

	diag_set_help(
	    sink, diag,
	    "write a value, or {value: ...}, or {secretKeyRef: {namespace: ..., name: ..., "
	    "key: ...}}, or the same as configMapKeyRef");
	return STATUS_FAILED;
}

/* Decodes an ObjectReference with a key. All of its members are strings; three of them are used. */
static enum status decode_reference(struct arena *arena, struct sink *sink,
                                    const struct value *object, sv kind, sv name,
                                    struct osm_reference *reference)
{
	static const sv members[] = {
	    SV_INIT("namespace"),  SV_INIT("name"),
	    SV_INIT("key"),        SV_INIT("kind"),
	    SV_INIT("uid"),        SV_INIT("fieldPath"),
	    SV_INIT("apiVersion"), SV_INIT("resourceVersion"),
	};
	struct go_json_matches given = go_json_matches(arena, object, kind);
	sv texts[COUNT_OF(members)];

	*reference = (struct osm_reference){0};
	VEC_EACH (match, &given) {
		const struct value *v = &(*match)->value;

		if (!value_is_null(v) && !value_is_map(v))
			return refuse_variable(sink, v, name, "a reference of ", "a map");
	}
	for (size_t i = 0; i < COUNT_OF(members); i++) {
		struct go_json_matches member = go_json_inner(arena, &given, members[i]);

		VEC_EACH (match, &member) {
			const struct value *v = &(*match)->value;

			if (!value_is_null(v) && !value_is_string(v))
				return refuse_variable(
				    sink, v, name, "each member of a reference of ", "a string");
		}
		texts[i] = value_text(go_json_last(&member));
	}
	*reference = (struct osm_reference){texts[0], texts[1], texts[2]};
	return STATUS_OK;
}

static enum status decode_value(struct arena *arena, struct sink *sink, const struct value *object,
                                enum osm_var_kind kind, struct osm_config_var *var)
{
	struct go_json_matches given = go_json_matches(arena, object, SV("value"));
	bool is_bool = kind == OSM_VAR_BOOL;

	var->value = VALUE_INVALID;
	VEC_EACH (match, &given) {
		const struct value *v = &(*match)->value;

		if (!value_is_null(v) && !value_is(v, is_bool ? KIND_BOOL : KIND_STRING))
			return refuse_variable(sink, v, var->name, "value of ",
			                       is_bool ? "true or false" : "a string");
		if (!value_is_null(v))
			var->value = *v;
		else if (is_bool) /* a pointer */
			var->value = VALUE_INVALID;
	}
	return STATUS_OK;
}

static enum status decode_object(struct arena *arena, struct sink *sink, const struct value *object,
                                 enum osm_var_kind kind, struct osm_config_var *var)
{
	enum status status = decode_value(arena, sink, object, kind, var);

	status |=
	    decode_reference(arena, sink, object, SV("secretKeyRef"), var->name, &var->secret);
	status |= decode_reference(arena, sink, object, SV("configMapKeyRef"), var->name,
	                           &var->config_map);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/*
 * COMPAT: a value that is not an object is read as if it were quoted: 5 is "5", null is "null". A
 * list fails if it contains a quote or a backslash.
 */
static enum status decode_bare_text(struct arena *arena, struct sink *sink, const struct value *v,
                                    struct osm_config_var *var)
{
	struct buf json = buf_in(arena);
	sv text;

	if (value_is_string(v)) {
		var->value = *v;
		var->value.type = &type_string;
		return STATUS_OK;
	}
	json_emit(&json, v, JSON_GO);
	if (!go_strconv_unquote(arena, ARENA_CONCAT(arena, SV("\""), buf_sv(&json), SV("\"")),
	                        &text))
		return refuse_variable(sink, v, var->name, "", "a string");
	var->value = value_string(text);
	var->value.taint = taint_whole(arena, text.len, secrecy_find(v));
	var->value.origin = v->origin;
	return STATUS_OK;
}

static enum status decode_bare_bool(struct sink *sink, const struct value *v,
                                    struct osm_config_var *var)
{
	if (!value_is_null(v) && !value_is(v, KIND_BOOL))
		return refuse_variable(sink, v, var->name, "", "true or false");
	var->value = value_is_null(v) ? VALUE_INVALID : *v;
	return STATUS_OK;
}

enum status osm_config_var_decode(struct arena *arena, struct sink *sink,
                                  const struct go_json_matches *matches, enum osm_var_kind kind,
                                  struct osm_config_var *var)
{
	enum status status = STATUS_OK;

	VEC_EACH (match, matches) {
		const struct value *v = &(*match)->value;

		var->at = value_position(v);
		if (value_is_map(v))
			status |= decode_object(arena, sink, v, kind, var);
		else if (kind == OSM_VAR_BOOL)
			status |= decode_bare_bool(sink, v, var);
		else
			status |= decode_bare_text(arena, sink, v, var);
	}
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* ---- looking up -------------------------------------------------------------------------- */

static bool is_complete(const struct osm_reference *reference)
{
	return !sv_empty(reference->namespace) && !sv_empty(reference->name) &&
	       !sv_empty(reference->key);
}

/* Returns true if the value comes from a Secret or ConfigMap. */
static bool is_reference(const struct osm_config_var *var)
{
	return is_complete(&var->secret) || is_complete(&var->config_map);
}

static enum status look_up(struct arena *arena, struct sink *sink,
                           const struct osm_cluster *cluster, const struct osm_config_var *var,
                           struct value *ret_string)
{
	bool secret = is_complete(&var->secret);
	const struct osm_reference *reference = secret ? &var->secret : &var->config_map;

	const struct osm_lookup lookup = {secret, reference->namespace, reference->name,
	                                  reference->key, var->at};

	if (osm_lookup_value(arena, sink, cluster, &lookup, ret_string) != STATUS_OK)
		return STATUS_FAILED;
	/* Taint credentials even if they come from a ConfigMap. */
	if (secrecy_names_credential(var->name) || osm_provider_hides(var->name))
		*ret_string = secrecy_taint_string(
		    arena, *ret_string,
		    kube_secret_name(arena, reference->namespace, reference->name, reference->key));
	else
		*ret_string = secrecy_taint_userinfo(arena, *ret_string, var->name);
	return STATUS_OK;
}

enum status osm_config_var_string(struct arena *arena, struct sink *sink,
                                  const struct osm_cluster *cluster,
                                  const struct osm_config_var *var, struct value *ret_string)
{
	if (is_reference(var))
		return look_up(arena, sink, cluster, var, ret_string);
	*ret_string = value_is_string(&var->value) ? var->value : value_string(SV(""));
	return STATUS_OK;
}

/* Parses a string like strconv.ParseBool. Returns "true" or "false", as secret as the string. */
static enum status parse_bool(struct arena *arena, struct sink *sink, const struct value *text,
                              sv name, struct position at, struct value *ret_bool)
{
	const struct secret *secret = secrecy_find(text);
	bool parsed;
	sv error;

	if (!go_strconv_parse_bool(arena, text->string, &parsed, &error)) {
		/* Go's message would show the string. */
		struct diag *diag =
		    secret
		        ? diag_report(sink, DIAG_CONFIG_VAR, at,
		                      "the value of %.*s is neither true nor false", SV_ARG(name))
		        : diag_report(sink, DIAG_CONFIG_VAR, at, "%.*s: %.*s", SV_ARG(name),
		                      SV_ARG(error));

		diag_set_help(sink, diag, "write true or false");
		return STATUS_FAILED;
	}
	*ret_bool = value_string(parsed ? SV("true") : SV("false"));
	ret_bool->taint = taint_whole(arena, ret_bool->string.len, secret);
	return STATUS_OK;
}

enum status osm_config_var_bool(struct arena *arena, struct sink *sink,
                                const struct osm_cluster *cluster, const struct osm_config_var *var,
                                struct value *ret_bool)
{
	struct value text;

	if (!is_reference(var)) {
		*ret_bool = !value_is(&var->value, KIND_BOOL) ? VALUE_INVALID
		            : var->value.boolean              ? value_string(SV("true"))
		                                              : value_string(SV("false"));
		ret_bool->taint =
		    taint_whole(arena, ret_bool->string.len, taint_secret(var->value.taint));
		return STATUS_OK;
	}
	if (look_up(arena, sink, cluster, var, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (osm_is_absent_secret(cluster, &text)) {
		*ret_bool = VALUE_INVALID;
		return STATUS_OK;
	}
	return parse_bool(arena, sink, &text, var->name, var->at, ret_bool);
}

/* ---- environment ------------------------------------------------------------------------- */

/*
 * If a reference leads nowhere, the controller silently uses the variable. osm-gen warns of that.
 * Without a variable it is an error, since the controller's cluster may have the object that the
 * repository lacks.
 */
static void warn_of_fallback(struct sink *sink, const struct sink *problems,
                             const struct osm_config_var *var, sv variable)
{
	struct diag *diag =
	    diag_report(sink, DIAG_ENVIRONMENT_INSTEAD, var->at,
	                "%.*s cannot be read, so the environment variable %.*s is used instead",
	                SV_ARG(var->name), SV_ARG(variable));

	VEC_EACH (problem, &problems->diags)
		diag_add_note(sink, diag, (*problem)->at, "%.*s", SV_ARG((*problem)->text));
	diag_set_help(sink, diag, "correct the reference, or remove it");
}

static enum status report_silent(struct sink *sink, const struct osm_cluster *cluster,
                                 const struct osm_config_var *var, sv variable)
{
	bool allowed = value_map_find(cluster->environment, variable);
	struct diag *diag = diag_report(sink, DIAG_ENVIRONMENT, var->at,
	                                "%.*s is missing: the controller takes it from its "
	                                "environment variable %.*s, which is "
	                                "%s",
	                                SV_ARG(var->name), SV_ARG(variable),
	                                allowed ? "not set here" : "not allowed here");

	if (allowed)
		diag_set_help(sink, diag,
		              "set %.*s, or the variable that --allow-env binds it to (even to an "
		              "empty value), or give %.*s, a secret as {secretKeyRef: {namespace: "
		              "..., name: ..., key: ...}}",
		              SV_ARG(variable), SV_ARG(var->name));
	else /* With several clusters the sink has the cluster's name. */
		diag_set_help(sink, diag,
		              "give %.*s, a secret as {secretKeyRef: {namespace: ..., name: ..., "
		              "key: ...}}, or set %.*s and give --allow-env %.*s%s%.*s",
		              SV_ARG(var->name), SV_ARG(variable), SV_ARG(sink->cluster),
		              sv_empty(sink->cluster) ? "" : ":", SV_ARG(variable));
	return STATUS_FAILED;
}

/* Reports the problems of a look-up when no variable replaces the value. */
static enum status give_up(struct sink *sink, const struct sink *problems)
{
	sink_merge(sink, problems);
	return STATUS_FAILED;
}

static struct sink problems_of(struct arena *arena, const struct sink *sink)
{
	struct sink problems = sink_in(arena);

	problems.object = sink->object;
	problems.cluster = sink->cluster;
	return problems;
}

enum status osm_config_var_string_or_env(struct arena *arena, struct sink *sink,
                                         const struct osm_cluster *cluster,
                                         const struct osm_config_var *var, sv variable,
                                         enum osm_need need, struct value *ret_string)
{
	const struct value *spoken = osm_environment_text(cluster, variable);
	struct sink problems = problems_of(arena, sink);
	struct value string = value_string(SV(""));
	enum status status = osm_config_var_string(arena, &problems, cluster, var, &string);

	if (status == STATUS_OK && !sv_empty(string.string)) {
		sink_merge(sink, &problems);
		*ret_string = string;
		return STATUS_OK;
	}
	if (spoken) {
		if (status != STATUS_OK)
			warn_of_fallback(sink, &problems, var, variable);
		*ret_string = *spoken;
		return STATUS_OK;
	}
	if (status != STATUS_OK)
		return give_up(sink, &problems);
	if (need == OSM_OPTIONAL) {
		*ret_string = value_string(SV(""));
		return STATUS_OK;
	}
	/* `validate` does not read the environment. */
	if (cluster->secrets_may_be_absent && value_map_find(cluster->environment, variable)) {
		*ret_string =
		    secrecy_absent(arena, ARENA_CONCAT(arena, SV("env:"), variable),
		                   (struct secret_owner){SECRET_OWNER_VARIABLE, .name = variable});
		return STATUS_OK;
	}
	return report_silent(sink, cluster, var, variable);
}

enum status osm_config_var_bool_or_env(struct arena *arena, struct sink *sink,
                                       const struct osm_cluster *cluster,
                                       const struct osm_config_var *var, sv variable,
                                       struct value *ret_bool)
{
	const struct value *spoken = osm_environment_text(cluster, variable);
	struct sink problems = problems_of(arena, sink);
	enum status status = osm_config_var_bool(arena, &problems, cluster, var, ret_bool);

	if (status == STATUS_OK && ret_bool->type) {
		sink_merge(sink, &problems);
		return STATUS_OK;
	}
	if (!spoken)
		return status == STATUS_OK ? STATUS_OK : give_up(sink, &problems);
	if (status != STATUS_OK)
		warn_of_fallback(sink, &problems, var, variable);
	return parse_bool(arena, sink, spoken, variable, var->at, ret_bool);
}
