/*
 * Functions that the legacy cloud-configs share: reading cloudProviderSpec (spec.c), and writing
 * INI files (ini.c). Private to osm/provider/.
 */
#ifndef OSM_GEN_OSM_PROVIDER_PROVIDER_H
#define OSM_GEN_OSM_PROVIDER_PROVIDER_H

#include "osm/cloud.h"
#include "value/text.h"

/* ---- spec.c: reading cloudProviderSpec --------------------------------------------------- */

/*
 * A cloudProviderSpec that is being read. Reading goes on after a mistake, so that one run reports
 * all of them. If `failed` is set, the values read are not valid.
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
 * Decodes fields of a provider, also those that its cloud-config does not need. `group` is the
 * member that they belong to, or empty for the specification itself.
 */
void spec_decode(struct spec *spec, sv group, const struct spec_field *fields, size_t count,
                 struct osm_config_var *vars);

/* Return strings, tainted like their source, or empty if absent or wrong. */
struct value spec_string(struct spec *spec, const struct osm_config_var *var);
struct value spec_string_or_env(struct spec *spec, const struct osm_config_var *var, sv variable,
                                enum osm_need need);
/* Return "true" or "false", which is also the default. */
struct value spec_bool(struct spec *spec, const struct osm_config_var *var);
struct value spec_bool_or_env(struct spec *spec, const struct osm_config_var *var, sv variable);

/* Return fields of the types *bool and *uint, or null if absent; []string, or an empty list. */
const struct value *spec_plain_bool(struct spec *spec, sv name);
const struct value *spec_plain_uint(struct spec *spec, sv name);
struct value spec_plain_strings(struct spec *spec, sv name);

/*
 * Reports "failed to fetch cloud-config: failed to parse config: TEXT". `text` must hold no secret.
 */
void spec_refuse(struct spec *spec, struct position at, sv text, const char *help);

/* ---- ini.c ------------------------------------------------------------------------------- */

/* Adds a line: `head` ("region      = ") and the value in quotes. */
void ini_add(struct text *text, const char *head, const struct value *string);
/* The same without quotes. */
void ini_add_bare(struct text *text, const char *head, const struct value *string);
/* Adds the value in quotes. Only backslash and double quote are escaped (gcfg). */
void ini_add_quoted(struct text *text, const struct value *string);

#endif
