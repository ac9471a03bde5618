/*
 * What the legacy cloud-configs share: fields of cloudProviderSpec (spec.c), and the text of INI
 * files (ini.c). Private to osm/provider/.
 */
#ifndef OSM_GEN_OSM_PROVIDER_PROVIDER_H
#define OSM_GEN_OSM_PROVIDER_PROVIDER_H

#include "osm/internal.h"

/* ---- spec.c: reading cloudProviderSpec --------------------------------------------------- */

/*
 * One specification being read. Mistakes are reported and remembered, and reading goes on, so that
 * one run reports all of them; nothing read is good unless spec_ok.
 */
struct spec {
	struct arena *arena;
	struct sink *sink;
	const struct osm_cloud_config_input *input;
	bool failed;
};

static inline struct spec spec_of(struct arena *arena, struct sink *sink,
                                  const struct osm_cloud_config_input *input)
{
	return (struct spec){.arena = arena, .sink = sink, .input = input};
}

struct spec_field {
	sv name;
	enum osm_var_kind kind;
};
/*
 * All fields of a provider, those too that its cloud-config does not need: they must decode. group:
 * the member that they stand in; empty: in the specification itself.
 */
void spec_decode(struct spec *spec, sv group, const struct spec_field *fields, size_t count,
                 struct osm_config_var *vars);

/* Strings, tainted as their source; empty when absent or wrong. */
struct value spec_string(struct spec *spec, const struct osm_config_var *var);
struct value spec_string_or_env(struct spec *spec, const struct osm_config_var *var, sv variable,
                                enum osm_need need);
/* "true" or "false"; absent is false. */
struct value spec_bool(struct spec *spec, const struct osm_config_var *var);
struct value spec_bool_or_env(struct spec *spec, const struct osm_config_var *var, sv variable);

/* Fields of other types. *bool, *uint: null when absent. []string: an empty list. */
const struct value *spec_plain_bool(struct spec *spec, sv name);
const struct value *spec_plain_uint(struct spec *spec, sv name);
struct value spec_plain_strings(struct spec *spec, sv name);

/* Reports "failed to fetch cloud-config: failed to parse config: TEXT". No secrets in it. */
void spec_refuse(struct spec *spec, struct position at, sv text, const char *help);

/* ---- ini.c ------------------------------------------------------------------------------- */

/* head, the value in quotes, LF. head: "region      = ". */
void ini_add(struct text *text, const char *head, const struct value *string);
/* The same without quotes. */
void ini_add_bare(struct text *text, const char *head, const struct value *string);
/* The value in quotes: backslash and double quote escaped, nothing else (gcfg). */
void ini_add_quoted(struct text *text, const struct value *string);

#endif
