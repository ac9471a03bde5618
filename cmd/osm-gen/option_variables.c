/*
 * Options as environment variables: their names, their values, misspelt ones.
 */
#include "commands.h"
#include "option_table.h"

#include "fleet/fleet.h"

#include <unistd.h>

#define PREFIX "OSM_GEN_"

/* Options that have no variable, or whose variable follows a rule of its own. */
static const struct {
	const char *option;
	unsigned commands;
} exempt[] = {
    /* Help is asked for on the command line. CI systems use OSM_GEN_VERSION for the version that
       they install. */
    {"help", ON_ALL},
    {"all", ON_ALL},
    {"version", ON_ALL},
    /* OSM_GEN_SEAL_SEED comes before OSM_GEN_SEAL_SEED_FILE (read_seed in given_keys.c). */
    {"seal-seed-file", ON_ALL},
    /* For keygen --output is the file of a key; OSM_GEN_OUTPUT is a format. */
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

bool option_is_of_repository(sv name)
{
	static const char *const names[] = {"repo",     "out",    "rev",
	                                    "worktree", "branch", "manifests"};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (sv_eq_cstr(name, names[i]))
			return true;
	return false;
}

bool option_is_among(struct option_names names, sv name)
{
	return sv_is_among(name, names.items, names.count);
}

/* For an option that may be given many times, each line of its variable is one value. */
static void collect(struct arena *arena, enum command command, sv name, bool is_repeated,
                    struct option_words *words)
{
	struct option_word word = {.variable = option_variable(arena, name, command)};
	sv line;

	if (sv_empty(word.variable))
		return;
	sv text = environment(arena_cstr(arena, word.variable));
	if (!text.ptr)
		return;
	if (!is_repeated) {
		word.text = ARENA_CONCAT(arena, name, SV("="), text);
		VEC_PUSH(arena, words, word);
		return;
	}
	struct sv_splitter lines = sv_split(text, '\n');
	while (sv_split_next(&lines, &line)) {
		line = sv_trim_space(line);
		word.text = ARENA_CONCAT(arena, name, SV("="), line);
		if (!sv_empty(line))
			VEC_PUSH(arena, words, word);
	}
}

void option_variables_collect(struct arena *arena, const struct options *options,
                              struct option_names given, struct option_words *words)
{
	enum command command = options->command;
	size_t count;
	const struct option_info *table = option_table(&count);
	size_t setting_count;
	const struct setting *const *settings = fleet_settings(arena, &setting_count);

	for (size_t i = 0; i < count; i++) {
		enum option_kind kind = table[i].kind;
		sv name = sv_from_cstr(table[i].name);

		if (!(table[i].commands & ON(command)) || option_is_among(given, name) ||
		    (options_read_stdin(options) && option_is_of_repository(name)))
			continue;
		collect(arena, command, name,
		        kind == OPTION_TEXTS || kind == OPTION_REPORT || kind == OPTION_VARIABLES,
		        words);
	}
	for (size_t i = 0; i < setting_count && (ON_SETTINGS & ON(command)); i++)
		if (!option_is_among(given, settings[i]->flag))
			collect(arena, command, settings[i]->flag,
			        settings[i]->kind == SETTING_REPEAT, words);
}

/* Compares names without their common prefix, which would make all of them look alike. */
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
