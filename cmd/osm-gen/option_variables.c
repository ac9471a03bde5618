/*
 * Options as environment variables: their names, and who misspelt one.
 */
#include "option_table.h"

#include "fleet/fleet.h"

#include <unistd.h>

#define PREFIX "OSM_GEN_"

/* Those that no variable stands for, or of which a rule of its own says when it counts. */
static const struct {
	const char *option;
	unsigned commands;
} exempt[] = {
    /* What CI calls OSM_GEN_VERSION is the version that it installs. */
    {"help", ON_ALL},
    {"version", ON_ALL},
    /* OSM_GEN_SEAL_SEED comes before OSM_GEN_SEAL_SEED_FILE (read_seed in given_keys.c). */
    {"seal-seed-file", ON_ALL},
    /* A file of a key there, a format elsewhere: OSM_GEN_OUTPUT is the format. */
    {"output", ON(COMMAND_KEYGEN)},
};

/* "cluster-dns" as "CLUSTER_DNS" */
static sv capitals(struct arena *arena, sv name)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < name.len; i++)
		buf_add_char(&buf, name.ptr[i] == '-' ? '_' : ascii_upper(name.ptr[i]));
	return buf_sv(&buf);
}

sv option_variable(struct arena *arena, sv name, enum command command)
{
	for (size_t i = 0; i < COUNT_OF(exempt); i++)
		if (sv_eq_cstr(name, exempt[i].option) && (exempt[i].commands & ON(command)))
			return SV("");
	return ARENA_CONCAT(arena, SV(PREFIX), capitals(arena, name));
}

/* Names without the prefix that all have, as it would make them look alike. */
void option_variables_check(struct arena *arena, struct sink *sink)
{
	size_t count;
	const struct option_info *options = option_table(&count);
	size_t setting_count;
	const struct setting *const *settings = fleet_settings(arena, &setting_count);
	VEC(sv) known = {0};

	VEC_PUSH(arena, &known, SV("SEAL_SEED"));
	for (size_t i = 0; i < count; i++)
		VEC_PUSH(arena, &known, capitals(arena, sv_from_cstr(options[i].name)));
	for (size_t i = 0; i < setting_count; i++)
		VEC_PUSH(arena, &known, capitals(arena, settings[i]->flag));
	for (char **at = environ; *at; at++) {
		sv name;
		sv value;

		if (!sv_cut(sv_from_cstr(*at), SV("="), &name, &value) ||
		    !sv_starts_with(name, SV(PREFIX)) || sv_empty(value))
			continue;
		name = sv_from_offset(name, strlen(PREFIX));
		sv nearest = diag_nearest(name, known.items, known.count);
		if (sv_empty(nearest) || sv_eq(nearest, name))
			continue;
		struct diag *diag = diag_report(
		    sink, DIAG_USAGE_VARIABLE, NOWHERE,
		    "no option reads the environment variable " PREFIX "%.*s", SV_ARG(name));
		diag_set_help(sink, diag, "did you mean " PREFIX "%.*s?", SV_ARG(nearest));
	}
}
