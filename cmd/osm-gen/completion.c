/*
 * completion: scripts for bash, zsh and fish. Each is a Go template in completion/, which is filled
 * in from the tables of commands, options and settings:
 *
 *   commands  name, summary, arguments, is_default, what, words, second, options
 *   options   name, letter, takes_value, placeholder, help, what, words, is_default, is_special,
 *             commands (their names)
 *   valued    the options that take a value
 *
 * `second` has what and words of the argument after "show".
 *
 * What a value may be is read from its placeholder: words between bars are all that is possible;
 * FILE, PATH and EXPORT are files, DIR is a folder, PROFILE one of the embedded profiles,
 * NAMESPACE/NAME a MachineDeployment and CLUSTER a cluster. The scripts ask `osm-gen list -o names`
 * for the names of these two.
 */
#include "completion.h"
#include "commands.h"
#include "option_table.h"

#include "fleet/fleet.h"
#include "tmpl/tmpl.h"

/* ---- values ------------------------------------------------------------------------------ */

static bool is_separator(char c)
{
	return c == ' ' || c == '|' || c == '[' || c == ']' || c == ',';
}

/* Returns the words in lower case: "show list" for "show NAME | list". */
static sv words_of(struct arena *arena, const char *text)
{
	struct buf buf = buf_in(arena);

	while (*text) {
		size_t len = 0;

		while (text[len] && !is_separator(text[len]))
			len++;
		if (len > 0 && ascii_is_lower((uint8_t)*text)) {
			if (buf.len > 0)
				buf_add_char(&buf, ' ');
			buf_add(&buf, (sv){text, len});
		}
		text += len;
		while (is_separator(*text))
			text++;
	}
	return buf_sv(&buf);
}

/* Returns the names of the embedded profiles. */
static sv profile_names(const struct context *context)
{
	struct arena *arena = context->arena;
	struct sink ignored = sink_in(arena);
	struct buf names = buf_in(arena);
	struct dialect_embedded_list profiles = {0};

	if (profiles_read_embedded(arena, &ignored, context, &profiles) != STATUS_OK)
		return SV("");
	VEC_EACH (profile, &profiles)
		buf_printf(&names, "%s%.*s", names.len ? " " : "", SV_ARG(profile->name));
	return buf_sv(&names);
}

/*
 * Finds out from a placeholder what a value may be: "words" (which *ret_words has), "files",
 * "folders", "clusters", "units", or an empty string if only people know.
 */
static sv what_of(const struct context *context, const char *placeholder, sv *ret_words)
{
	struct arena *arena = context->arena;
	sv text = sv_from_cstr(placeholder);

	*ret_words = SV("");
	if (sv_starts_with(text, SV("FORMAT="))) {
		*ret_words = SV("json= sarif= junit= markdown= html= github= gitlab=");
		return SV("words");
	}
	if (sv_contains(text, SV("COMMAND"))) {
		struct buf names = buf_in(arena);

		for (int i = 0; i < COMMAND_COUNT; i++)
			buf_printf(&names, "%s%s", i ? " " : "",
			           command_info((enum command)i)->name);
		*ret_words = buf_sv(&names);
		return SV("words");
	}
	if (sv_contains(text, SV("CODE"))) {
		struct buf codes = buf_in(arena);
		size_t count;
		const struct diag_code_info *all = diag_codes(&count);

		for (size_t i = 0; i < count; i++)
			buf_printf(&codes, "%sOSG%04u", i ? " " : "", (unsigned)all[i].code);
		*ret_words = buf_sv(&codes);
		return SV("words");
	}
	if (sv_contains(text, SV("NAMESPACE/NAME")))
		return SV("units");
	if (sv_eq(sv_trim(text, "[]"), SV("CLUSTER")))
		return SV("clusters");
	if (sv_eq(text, SV("PROFILE"))) {
		*ret_words = profile_names(context);
		return SV("words");
	}
	if (sv_contains(text, SV("FILE")) || sv_contains(text, SV("PATH")) ||
	    sv_contains(text, SV("EXPORT")))
		return SV("files");
	if (sv_contains(text, SV("DIR")))
		return SV("folders");
	*ret_words = words_of(arena, placeholder);
	if (sv_empty(*ret_words) || sv_starts_with(text, SV("age1")))
		return SV("");
	return SV("words");
}

/* ---- data -------------------------------------------------------------------------------- */

static void set_text(struct arena *arena, struct value *map, const char *key, sv text)
{
	value_map_set(arena, map, sv_from_cstr(key), value_string(text));
}

static void set_bool(struct arena *arena, struct value *map, const char *key, bool is_set)
{
	value_map_set(arena, map, sv_from_cstr(key), value_bool(is_set));
}

static void set_what(const struct context *context, struct value *map, const char *placeholder)
{
	struct arena *arena = context->arena;
	sv words = SV("");

	set_text(arena, map, "what", placeholder ? what_of(context, placeholder, &words) : SV(""));
	set_text(arena, map, "words", words);
}

struct completed {
	sv name;
	char letter; /* or 0 */
	unsigned commands;
	const char *placeholder; /* null if it takes no value */
	const char *help;
	bool is_special; /* its name means something else for other commands */
};

struct lists {
	const struct context *context;
	struct arena *arena;
	struct value options;
	struct value valued;
	struct value of_command[COMMAND_COUNT];
};

static void add_option(struct lists *lists, const struct completed *option)
{
	struct arena *arena = lists->arena;
	struct value map = value_map_new(arena);
	struct value commands = value_list_new(arena);

	for (int i = 0; i < COMMAND_COUNT; i++)
		if (option->commands & ON((unsigned)i))
			value_list_add(
			    arena, &commands,
			    value_string(sv_from_cstr(command_info((enum command)i)->name)));
	set_text(arena, &map, "name", option->name);
	set_text(arena, &map, "letter",
	         option->letter ? arena_printf(arena, "%c", option->letter) : SV(""));
	set_text(arena, &map, "help", sv_from_cstr(option->help));
	set_text(arena, &map, "placeholder",
	         option->placeholder ? sv_from_cstr(option->placeholder) : SV(""));
	set_bool(arena, &map, "takes_value", option->placeholder != NULL);
	set_bool(arena, &map, "is_default", option->commands & ON(COMMAND_GENERATE));
	set_bool(arena, &map, "is_special", option->is_special);
	set_what(lists->context, &map, option->placeholder);
	value_map_set(arena, &map, SV("commands"), commands);
	value_list_add(arena, &lists->options, map);
	if (option->placeholder)
		value_list_add(arena, &lists->valued, map);
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (option->commands & ON((unsigned)i))
			value_list_add(arena, &lists->of_command[i], map);
}

static void add_options(struct lists *lists)
{
	size_t count;
	const struct option_info *options = option_table(&count);
	size_t setting_count;
	const struct setting *const *settings = fleet_settings(lists->arena, &setting_count);

	for (size_t i = 0; i < count; i++)
		add_option(
		    lists,
		    &(struct completed){
		        .name = sv_from_cstr(options[i].name),
		        .letter = options[i].letter,
		        .commands = options[i].commands,
		        /* An optional value is not completed. */
		        .placeholder =
		            options[i].kind == OPTION_MAYBE ? NULL : options[i].placeholder,
		        .help = options[i].help,
		        .is_special = option_find(sv_from_cstr(options[i].name)) != &options[i],
		    });
	for (size_t i = 0; i < setting_count; i++)
		add_option(lists, &(struct completed){
		                      .name = settings[i]->flag,
		                      .commands = ON_SETTINGS,
		                      .placeholder = settings[i]->placeholder,
		                      .help = settings[i]->help,
		                  });
}

static struct value data_of(const struct context *context)
{
	struct arena *arena = context->arena;
	struct value data = value_map_new(arena);
	struct value commands = value_list_new(arena);
	struct lists lists = {
	    .context = context,
	    .arena = arena,
	    .options = value_list_new(arena),
	    .valued = value_list_new(arena),
	};

	for (int i = 0; i < COMMAND_COUNT; i++)
		lists.of_command[i] = value_list_new(arena);
	add_options(&lists);
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command_info *info = command_info((enum command)i);
		struct value map = value_map_new(arena);

		set_text(arena, &map, "name", sv_from_cstr(info->name));
		set_text(arena, &map, "summary", sv_from_cstr(info->summary));
		set_text(arena, &map, "arguments", sv_from_cstr(info->arguments));
		struct value second = value_map_new(arena);
		set_what(context, &second, info->shown);
		value_map_set(arena, &map, SV("second"), second);
		set_bool(arena, &map, "is_default", i == COMMAND_GENERATE);
		set_what(context, &map, info->arguments);
		value_map_set(arena, &map, SV("options"), lists.of_command[i]);
		value_list_add(arena, &commands, map);
	}
	value_map_set(arena, &data, SV("commands"), commands);
	value_map_set(arena, &data, SV("options"), lists.options);
	value_map_set(arena, &data, SV("valued"), lists.valued);
	return data;
}

/* ------------------------------------------------------------------------------------------ */

static const struct completion_template *find_template(struct arena *arena, sv shell)
{
	sv name = ARENA_CONCAT(arena, SV("/"), shell, SV(".tmpl"));

	for (size_t i = 0; i < completion_template_count; i++)
		if (sv_ends_with(sv_from_cstr(completion_templates[i].path), name))
			return &completion_templates[i];
	return NULL;
}

int command_completion(struct context *context)
{
	struct arena *arena = context->arena;
	sv shell = context->options->arguments.items[0];
	const struct completion_template *file = find_template(arena, shell);
	struct text script = text_in(arena);
	struct tmpl_set *set;

	if (!file) {
		struct diag *diag =
		    diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                "there is no completion for the shell \"%.*s\"", SV_ARG(shell));
		diag_set_help(context->sink, diag, "the shells are bash, zsh and fish");
		return 64;
	}
	const struct value source = value_string((sv){file->text, file->len});
	const struct value data = data_of(context);
	if (tmpl_parse(arena, context->sink, &tmpl_funcs_profile,
	               &(struct tmpl_source){shell, &source}, &set, NULL) != STATUS_OK ||
	    tmpl_execute(arena, context->sink, set, &data, NULL, &script, NULL) != STATUS_OK)
		return 3;
	return print_out(context, text_sv(&script)) == STATUS_OK ? 0 : 3;
}
