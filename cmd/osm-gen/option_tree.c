/*
 * The tables of commands, options and settings as one tree of values, which help, manual pages and
 * completion are forms of (src/report/forms):
 *
 *   commands      name, summary, details, arguments, forms, examples, options, settings, isDefault,
 *                 what, words, second
 *   options       name, letter, placeholder, takesValue, help, variable, group, isRare, isSpecial,
 *                 isDefault, commands (their names), what, words
 *   settings      the same, and setting and initial: its name and its value in osm-gen.yaml
 *   groups        the titles of groups of options
 *   environment, exitStatuses
 *                 name, text
 *   command       one of `commands`, if the form is about one
 *
 * The placeholder of a value decides which values are allowed: words between bars are all of them;
 * FILE, PATH and EXPORT are files, DIR is a folder, PROFILE one of the embedded profiles,
 * NAMESPACE/NAME a MachineDeployment and CLUSTER a cluster. Completion asks `osm-gen list -o names`
 * for the names of these two. `second` has what and words of the argument after "show".
 */
#include "commands.h"
#include "option_table.h"
#include "version.h"

#include "fleet/fleet.h"
#include "tmpl/tmpl.h"

/* ---- values ------------------------------------------------------------------------------ */

/* The values that an option or argument may have. */
struct allowed {
	const char *what; /* "words", "files", "folders", "clusters", "units"; "": any */
	struct value words;
};

/* Adds the words in lower case: show and list of "show NAME | list". */
static void add_allowed_words(struct arena *arena, struct value *words, const char *text)
{
	static const char separators[] = " |[],";

	for (text += strspn(text, separators); *text; text += strspn(text, separators)) {
		size_t len = strcspn(text, separators);

		if (ascii_is_lower((uint8_t)*text))
			value_list_add(arena, words, value_string((sv){text, len}));
		text += len;
	}
}

static void add_profile_names(struct arena *arena, struct value *words)
{
	struct sink ignored = sink_in(arena);
	struct dialect_embedded_list profiles = {0};

	if (profiles_read_embedded(arena, &ignored, &profiles) != STATUS_OK)
		return;
	VEC_EACH (profile, &profiles)
		value_list_add(arena, words, value_string(profile->name));
}

static void add_codes(struct arena *arena, struct value *words)
{
	size_t count;
	const struct diag_code_info *all = diag_codes(&count);

	for (size_t i = 0; i < count; i++)
		value_list_add(arena, words, value_string(diag_code_text(arena, all[i].code)));
}

/* Returns the names of a set of commands. */
static struct value command_names(struct arena *arena, unsigned commands)
{
	struct value names = value_list_new(arena);

	for (int i = 0; i < COMMAND_COUNT; i++)
		if (commands & ON((unsigned)i))
			value_list_add(arena, &names,
			               value_cstr_if(command_info((enum command)i)->name));
	return names;
}

static struct allowed allowed_by(struct arena *arena, const char *placeholder)
{
	struct value words = value_list_new(arena);
	sv text = sv_from_cstr(placeholder ? placeholder : "");

	if (sv_contains(text, SV("NAMESPACE/NAME")))
		return (struct allowed){"units", words};
	if (sv_eq(sv_trim(text, "[]"), SV("CLUSTER")))
		return (struct allowed){"clusters", words};
	if (sv_starts_with(text, SV("FORMAT=")))
		for (int i = 0; i < REPORT_FORMAT_COUNT; i++)
			value_list_add(
			    arena, &words,
			    value_string(ARENA_CONCAT(
			        arena, option_report_format((enum report_format)i), SV("="))));
	else if (sv_contains(text, SV("COMMAND")))
		words = command_names(arena, ON_ALL);
	else if (sv_contains(text, SV("CODE")))
		add_codes(arena, &words);
	else if (sv_eq(text, SV("PROFILE")))
		add_profile_names(arena, &words);
	else if (sv_contains(text, SV("FILE")) || sv_contains(text, SV("PATH")) ||
	         sv_contains(text, SV("EXPORT")))
		return (struct allowed){"files", words};
	else if (sv_contains(text, SV("DIR")))
		return (struct allowed){"folders", words};
	else if (!sv_starts_with(text, SV("age1")))
		add_allowed_words(arena, &words, arena_cstr(arena, text));
	return (struct allowed){value_count(&words) > 0 ? "words" : "", words};
}

/* ---- options ------------------------------------------------------------------------------ */

/* Returns the variable of an option that has the same one for all of the commands. */
static struct value variable_of(struct arena *arena, sv name, unsigned commands)
{
	enum command first = 0;

	while (!(commands & ON(first)))
		first++;
	return value_string_if(option_variable(arena, name, first));
}

static struct value option_value(struct arena *arena, const struct option_info *info)
{
	/* An optional value is not completed. */
	bool takes_value = info->placeholder && info->kind != OPTION_MAYBE;
	const struct allowed allowed = allowed_by(arena, takes_value ? info->placeholder : "");
	sv name = sv_from_cstr(info->name);

	return VALUE_MAP(
	    arena, {"name", value_string(name)},
	    {"letter", value_string_if((sv){&info->letter, info->letter ? 1 : 0})},
	    {"placeholder", value_cstr_if(info->placeholder)},
	    {"takesValue", value_bool(takes_value)}, {"help", value_cstr_if(info->help)},
	    {"variable", variable_of(arena, name, info->commands)},
	    {"group", value_cstr_if(option_group_title(info->group))},
	    {"isRare", value_bool(info->rank == OPTION_RARE)},
	    /* Its name means something else for other commands. */
	    {"isSpecial", value_bool(option_find(name) != info)},
	    {"isDefault", value_bool(info->commands & ON(COMMAND_GENERATE))},
	    {"commands", command_names(arena, info->commands)},
	    {"what", value_string(sv_from_cstr(allowed.what))}, {"words", allowed.words});
}

static struct value setting_words(struct arena *arena, const char *words)
{
	struct value list = value_list_new(arena);
	struct sv_splitter it = sv_split(sv_from_cstr(words), '|');
	sv word;

	while (sv_split_next(&it, &word))
		value_list_add(arena, &list, value_string(word));
	return list;
}

static struct value setting_value(struct arena *arena, const struct setting *s)
{
	const struct allowed allowed =
	    s->words ? (struct allowed){"words", setting_words(arena, s->words)}
	             : allowed_by(arena, setting_placeholder(s));

	return VALUE_MAP(
	    arena, {"name", value_string(s->flag)}, {"setting", value_string(s->name)},
	    {"initial", value_cstr_if(s->initial)},
	    {"placeholder", value_cstr_if(setting_placeholder(s))},
	    {"takesValue", value_bool(s->kind != SETTING_BOOL)}, {"help", value_cstr_if(s->help)},
	    {"variable", variable_of(arena, s->flag, ON_SETTINGS)},
	    {"isSpecial", value_bool(false)},
	    {"isDefault", value_bool(ON_SETTINGS & ON(COMMAND_GENERATE))},
	    {"commands", command_names(arena, ON_SETTINGS)},
	    {"what", value_string(sv_from_cstr(allowed.what))}, {"words", allowed.words});
}

static struct value all_options(struct arena *arena)
{
	struct value list = value_list_new(arena);
	size_t count;
	const struct option_info *options = option_table(&count);

	for (size_t i = 0; i < count; i++)
		value_list_add(arena, &list, option_value(arena, &options[i]));
	return list;
}

static struct value all_settings(struct arena *arena)
{
	struct value list = value_list_new(arena);
	size_t count;
	const struct setting *const *settings = fleet_settings(arena, &count);

	for (size_t i = 0; i < count; i++)
		value_list_add(arena, &list, setting_value(arena, settings[i]));
	return list;
}

/* ---- commands ----------------------------------------------------------------------------- */

static struct value notes_value(struct arena *arena, const struct option_note *notes, size_t count)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < count; i++)
		value_list_add(arena, &list,
		               VALUE_MAP(arena, {"name", value_cstr_if(notes[i].name)},
		                         {"text", value_cstr_if(notes[i].text)}));
	return list;
}

static struct value command_value(struct arena *arena, enum command command,
                                  const struct value *options, const struct value *settings)
{
	const struct command_info *info = command_info(command);
	const struct allowed allowed = allowed_by(arena, info->arguments);
	const struct allowed second = allowed_by(arena, info->shown);
	const struct option_texts forms = command_forms(arena, command);
	struct value own_options = value_list_new(arena);
	size_t count;
	const struct option_info *table = option_table(&count);

	for (size_t i = 0; i < count; i++)
		if (table[i].commands & ON((unsigned)command))
			value_list_add(arena, &own_options, *value_item(options, i));
	const struct option_note *examples = command_examples(command, &count);
	return VALUE_MAP(
	    arena, {"name", value_cstr_if(info->name)}, {"summary", value_cstr_if(info->summary)},
	    {"details", value_cstr_if(info->details)},
	    {"arguments", value_string(sv_from_cstr(info->arguments))},
	    {"forms", value_strings(arena, forms.items, forms.count)},
	    {"examples", notes_value(arena, examples, count)}, {"options", own_options},
	    {"settings", ON_SETTINGS & ON((unsigned)command) ? *settings : value_list_new(arena)},
	    {"isDefault", value_bool(command == COMMAND_GENERATE)},
	    {"what", value_string(sv_from_cstr(allowed.what))}, {"words", allowed.words},
	    {"second", VALUE_MAP(arena, {"what", value_string(sv_from_cstr(second.what))},
	                         {"words", second.words})});
}

struct value option_tree(struct arena *arena, enum command command)
{
	struct value options = all_options(arena);
	struct value settings = all_settings(arena);
	struct value commands = value_list_new(arena);
	struct value groups = value_list_new(arena);
	size_t variable_count;
	size_t status_count;
	const struct option_note *variables = option_environment_notes(&variable_count);
	const struct option_note *statuses = option_exit_statuses(&status_count);

	for (int i = 0; i < COMMAND_COUNT; i++)
		value_list_add(arena, &commands,
		               command_value(arena, (enum command)i, &options, &settings));
	for (int i = 0; i < OPTION_GROUP_COUNT; i++)
		value_list_add(arena, &groups,
		               value_cstr_if(option_group_title((enum option_group)i)));
	return VALUE_MAP(
	    arena, {"version", tmpl_word(SV(OSM_GEN_VERSION))},
	    {"versionDate", tmpl_word(SV(OSM_GEN_VERSION_DATE))}, {"commands", commands},
	    {"options", options}, {"settings", settings}, {"groups", groups},
	    {"environment", notes_value(arena, variables, variable_count)},
	    {"exitStatuses", notes_value(arena, statuses, status_count)},
	    {"command",
	     command == COMMAND_COUNT ? VALUE_INVALID : *value_item(&commands, (size_t)command)});
}
