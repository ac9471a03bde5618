/*
 * completion: scripts for bash, zsh and fish from the tables of commands, options and settings.
 *
 * What a value may be is read from its placeholder: words with bars between them are all there are,
 * FILE, PATH and EXPORT are files, DIR is a folder, anything else is for people to know.
 */
#include "commands.h"
#include "option_table.h"

#include "fleet/fleet.h"

/* ---- what there is ------------------------------------------------------------------------- */

enum what { WHAT_NOTHING, WHAT_WORDS, WHAT_FILES, WHAT_FOLDERS };

struct completed {
	sv name;
	char letter;
	unsigned commands;
	const char *placeholder; /* NULL: takes no value */
	const char *help;
	bool is_alone; /* its name means something else for other commands */
};
VEC_TYPE(completed_list, struct completed);

static bool is_separator(char c)
{
	return c == ' ' || c == '|' || c == '[' || c == ']' || c == ',';
}

/* "show NAME | list": the words in lower case; "" when there are none. */
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

/* ret_words is set for WHAT_WORDS alone. */
static enum what what_of(struct arena *arena, const char *placeholder, sv *ret_words)
{
	sv text = sv_from_cstr(placeholder);

	*ret_words = SV("");
	if (sv_starts_with(text, SV("FORMAT="))) {
		*ret_words = SV("json= sarif= junit= markdown= html= github= gitlab=");
		return WHAT_WORDS;
	}
	if (sv_contains(text, SV("COMMAND"))) {
		struct buf names = buf_in(arena);

		for (int i = 0; i < COMMAND_COUNT; i++)
			buf_printf(&names, "%s%s", i ? " " : "",
			           command_info((enum command)i)->name);
		*ret_words = buf_sv(&names);
		return WHAT_WORDS;
	}
	if (sv_contains(text, SV("CODE"))) {
		struct buf codes = buf_in(arena);
		size_t count;
		const struct diag_code_info *all = diag_codes(&count);

		for (size_t i = 0; i < count; i++)
			buf_printf(&codes, "%sOSG%04u", i ? " " : "", (unsigned)all[i].code);
		*ret_words = buf_sv(&codes);
		return WHAT_WORDS;
	}
	if (sv_contains(text, SV("FILE")) || sv_contains(text, SV("PATH")) ||
	    sv_contains(text, SV("EXPORT")))
		return WHAT_FILES;
	if (sv_contains(text, SV("DIR")))
		return WHAT_FOLDERS;
	*ret_words = words_of(arena, placeholder);
	if (sv_empty(*ret_words) || sv_starts_with(text, SV("age1")))
		return WHAT_NOTHING;
	return WHAT_WORDS;
}

static struct completed_list all_options(struct arena *arena)
{
	struct completed_list all = {0};
	size_t count;
	const struct option_info *options = option_table(&count);
	size_t setting_count;
	const struct setting *const *settings = fleet_settings(arena, &setting_count);

	for (size_t i = 0; i < count; i++) {
		bool is_alone = option_find(sv_from_cstr(options[i].name)) != &options[i];

		VEC_PUSH(arena, &all,
		         (struct completed){
		             sv_from_cstr(options[i].name), options[i].letter, options[i].commands,
		             /* What may be left out is not waited for. */
		             options[i].kind == OPTION_MAYBE ? NULL : options[i].placeholder,
		             options[i].help, is_alone});
	}
	for (size_t i = 0; i < setting_count; i++)
		VEC_PUSH(arena, &all,
		         (struct completed){settings[i]->flag, 0, ON_SETTINGS,
		                            settings[i]->placeholder, settings[i]->help, false});
	return all;
}

/* "a b c" of the commands of a set. */
static sv command_names(struct arena *arena, unsigned commands)
{
	struct buf buf = buf_in(arena);

	for (int i = 0; i < COMMAND_COUNT; i++)
		if (commands & ON((unsigned)i))
			buf_printf(&buf, "%s%s", buf.len ? " " : "",
			           command_info((enum command)i)->name);
	return buf_sv(&buf);
}

/* What may follow the first argument, "show": names of profiles, or nothing that is known here. */
static sv second_words(struct arena *arena, enum command command)
{
	struct sink unheard = sink_in(arena);
	struct buf names = buf_in(arena);
	struct dialect_embedded_list profiles = {0};

	if (command != COMMAND_PROFILES ||
	    profiles_read_embedded(arena, &unheard, &profiles) != STATUS_OK)
		return SV("");
	VEC_EACH (profile, &profiles)
		buf_printf(&names, "%s%.*s", names.len ? " " : "", SV_ARG(profile->name));
	return buf_sv(&names);
}

/* In single quotes of all three shells. */
static void add_quoted(struct buf *buf, sv text, const char *quote)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '\'')
			buf_add_cstr(buf, quote);
		else
			buf_add_char(buf, text.ptr[i]);
}

/* ---- bash ---------------------------------------------------------------------------------- */

static void bash_reply(struct buf *buf, enum what what, sv words)
{
	switch (what) {
	case WHAT_NOTHING:
		BUF_ADD_LIT(buf, "return");
		break;
	case WHAT_WORDS:
		buf_printf(buf, "__osm_gen_words '%.*s'", SV_ARG(words));
		break;
	case WHAT_FILES:
		BUF_ADD_LIT(buf, "__osm_gen_files -f");
		break;
	case WHAT_FOLDERS:
		BUF_ADD_LIT(buf, "__osm_gen_files -d");
		break;
	}
}

static void bash_pattern(struct buf *buf, const char *command, const struct completed *option)
{
	/* Quoted, but for the star of any command. */
	buf_printf(buf, "%s\" --%.*s\"", command, SV_ARG(option->name));
	if (option->letter)
		buf_printf(buf, " | %s\" -%c\"", command, option->letter);
}

/* A line of the case over "COMMAND OPTION". */
static void bash_value(struct buf *buf, const struct completed *option)
{
	sv words;
	enum what what = what_of(buf->arena, option->placeholder, &words);
	bool is_first = true;

	buf_add_char(buf, '\t');
	if (!option->is_alone)
		bash_pattern(buf, "*", option);
	for (int i = 0; i < COMMAND_COUNT && option->is_alone; i++) {
		if (!(option->commands & ON((unsigned)i)))
			continue;
		if (!is_first)
			BUF_ADD_LIT(buf, " | ");
		is_first = false;
		bash_pattern(buf, command_info((enum command)i)->name, option);
	}
	BUF_ADD_LIT(buf, ") ");
	bash_reply(buf, what, words);
	BUF_ADD_LIT(buf, " ;;\n");
}

static const char bash_head[] =
    "# bash completion for osm-gen; made by `osm-gen completion bash`\n"
    "__osm_gen_words() {\n"
    "\tlocal IFS=$' \\t\\n'\n"
    "\tCOMPREPLY=($(compgen -W \"$1\" -- \"$cur\"))\n"
    "\tcase ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
    "}\n"
    /* Words, and what follows "show". */
    "__osm_gen_argument() {\n"
    "\tlocal j\n"
    "\tfor ((j = i + 1; j < COMP_CWORD; j++)); do\n"
    "\t\tcase \" $1 \" in *\" ${COMP_WORDS[j]} \"*)\n"
    "\t\t\t[ \"${COMP_WORDS[j]}\" != show ] || __osm_gen_words \"$2\"\n"
    "\t\t\treturn ;;\n"
    "\t\tesac\n"
    "\tdone\n"
    "\t__osm_gen_words \"$1\"\n"
    "}\n"
    "__osm_gen_files() {\n"
    "\tlocal IFS=$'\\n'\n"
    "\tCOMPREPLY=($(compgen \"$1\" -- \"$cur\"))\n"
    "\tcompopt -o filenames 2>/dev/null\n"
    "}\n";

/* Words that "=" parts: what stands before the cursor, and the option that it is a value of. */
static const char bash_words[] =
    "_osm_gen() {\n"
    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' word i\n"
    "\tCOMPREPLY=()\n"
    "\tif [ \"$cur\" = = ]; then\n"
    "\t\tcur=''\n"
    "\telif [ \"$prev\" = = ] && [ \"$COMP_CWORD\" -gt 2 ]; then\n"
    "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "\tfi\n"
    "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
    "\t\tword=${COMP_WORDS[i]}\n"
    "\t\tcase $word in\n"
    "\t\t-*) [ \"${COMP_WORDS[i+1]-}\" != = ] || i=$((i + 2))\n"
    "\t\t\tcase $word in\n";

static void bash(struct buf *buf, const struct completed_list *options)
{
	buf_add_cstr(buf, bash_head);
	buf_add_cstr(buf, bash_words);
	BUF_ADD_LIT(buf, "\t\t\t");
	size_t count = 0;
	VEC_EACH (option, options) {
		if (!option->placeholder)
			continue;
		buf_printf(buf, "%s--%.*s", count++ ? " | " : "", SV_ARG(option->name));
		if (option->letter)
			buf_printf(buf, " | -%c", option->letter);
	}
	BUF_ADD_LIT(buf, ")\n\t\t\t\t[ \"${COMP_WORDS[i-1]}\" = = ] || i=$((i + 1)) ;;\n"
	                 "\t\t\tesac ;;\n"
	                 "\t\t=) ;;\n"
	                 "\t\t*) command=$word && break ;;\n"
	                 "\t\tesac\n\tdone\n"
	                 "\tcase \"$command $prev\" in\n");
	/* What is of some commands alone comes first. */
	for (int alone = 1; alone >= 0; alone--) {
		VEC_EACH (option, options)
			if (option->placeholder && option->is_alone == alone)
				bash_value(buf, option);
	}
	BUF_ADD_LIT(buf, "\t*) __osm_gen_command ;;\n\tesac\n}\n__osm_gen_command() {\n"
	                 "\tcase $cur in\n\t-*) case $command in\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		buf_printf(buf, "\t\t%s%s) __osm_gen_words '", i == COMMAND_GENERATE ? "'' | " : "",
		           command_info((enum command)i)->name);
		VEC_EACH (option, options)
			if (option->commands & ON((unsigned)i))
				buf_printf(buf, " --%.*s", SV_ARG(option->name));
		BUF_ADD_LIT(buf, "' ;;\n");
	}
	buf_printf(buf, "\t\tesac ;;\n\t*) case $command in\n\t\t'') __osm_gen_words '%.*s' ;;\n",
	           SV_ARG(command_names(buf->arena, ON_ALL)));
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command_info *info = command_info((enum command)i);
		sv words;
		enum what what = what_of(buf->arena, info->arguments, &words);

		if (what == WHAT_NOTHING)
			continue;
		buf_printf(buf, "\t\t%s) ", info->name);
		if (what == WHAT_WORDS)
			buf_printf(buf, "__osm_gen_argument '%.*s' '%.*s'", SV_ARG(words),
			           SV_ARG(second_words(buf->arena, (enum command)i)));
		else
			bash_reply(buf, what, words);
		BUF_ADD_LIT(buf, " ;;\n");
	}
	BUF_ADD_LIT(buf, "\t\tesac ;;\n\tesac\n}\ncomplete -F _osm_gen osm-gen\n");
}

/* ---- zsh ----------------------------------------------------------------------------------- */

static void zsh_action(struct buf *buf, enum what what, sv words)
{
	switch (what) {
	case WHAT_NOTHING:
		buf_add_char(buf, ' ');
		break;
	case WHAT_WORDS:
		buf_printf(buf, "(%.*s)", SV_ARG(words));
		break;
	case WHAT_FILES:
		BUF_ADD_LIT(buf, "_files");
		break;
	case WHAT_FOLDERS:
		BUF_ADD_LIT(buf, "_files -/");
		break;
	}
}

/* Of a text in brackets or between colons. */
static void zsh_text(struct buf *buf, const char *text)
{
	for (; *text; text++) {
		if (strchr("[]:\\", *text))
			buf_add_char(buf, '\\');
		if (*text == '\'')
			BUF_ADD_LIT(buf, "'\\''");
		else
			buf_add_char(buf, *text);
	}
}

static void zsh_option(struct buf *buf, const struct completed *option, sv spelling)
{
	sv words = SV("");

	buf_printf(buf, "\t\t'*%.*s%s[", SV_ARG(spelling),
	           !option->placeholder     ? ""
	           : spelling.ptr[1] == '-' ? "="
	                                    : "+");
	zsh_text(buf, option->help);
	buf_add_char(buf, ']');
	if (option->placeholder) {
		enum what what = what_of(buf->arena, option->placeholder, &words);

		buf_add_char(buf, ':');
		zsh_text(buf, option->placeholder);
		buf_add_char(buf, ':');
		zsh_action(buf, what, words);
	}
	BUF_ADD_LIT(buf, "'\n");
}

static void zsh_options(struct buf *buf, const struct completed_list *options, enum command command)
{
	VEC_EACH (option, options) {
		if (!(option->commands & ON((unsigned)command)))
			continue;
		zsh_option(buf, option, ARENA_CONCAT(buf->arena, SV("--"), option->name));
		if (option->letter)
			zsh_option(buf, option, arena_printf(buf->arena, "-%c", option->letter));
	}
}

static void zsh(struct buf *buf, const struct completed_list *options)
{
	BUF_ADD_LIT(buf, "#compdef osm-gen\n# made by `osm-gen completion zsh`\n"
	                 "_osm-gen() {\n"
	                 "\tlocal curcontext=$curcontext state line\n"
	                 "\tlocal -a commands options\n"
	                 "\ttypeset -A opt_args\n\tcommands=(\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command_info *info = command_info((enum command)i);

		buf_printf(buf, "\t\t'%s:", info->name);
		add_quoted(buf, sv_from_cstr(info->summary), "'\\''");
		BUF_ADD_LIT(buf, "'\n");
	}
	BUF_ADD_LIT(buf, "\t)\n\toptions=(\n");
	zsh_options(buf, options, COMMAND_GENERATE);
	BUF_ADD_LIT(buf, "\t)\n\t_arguments -C $options '1:command:->command' "
	                 "'*::argument:->argument' && return 0\n"
	                 "\tcase $state in\n"
	                 "\tcommand) _describe command commands && return 0 ;;\n"
	                 "\targument) ;;\n\t*) return 1 ;;\n\tesac\n"
	                 "\toptions=()\n\tcase $words[1] in\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command_info *info = command_info((enum command)i);
		sv words;
		enum what what = what_of(buf->arena, info->arguments, &words);

		buf_printf(buf, "\t%s) options=(\n", info->name);
		zsh_options(buf, options, (enum command)i);
		if (*info->arguments) {
			buf_printf(buf, "\t\t'%s:", what == WHAT_WORDS ? "1" : "*");
			zsh_text(buf, info->arguments);
			BUF_ADD_LIT(buf, ":");
			zsh_action(buf, what, words);
			BUF_ADD_LIT(buf, "'\n");
		}
		words = second_words(buf->arena, (enum command)i);
		if (!sv_empty(words))
			buf_printf(buf, "\t\t'2:NAME:(%.*s)'\n", SV_ARG(words));
		BUF_ADD_LIT(buf, "\t) ;;\n");
	}
	BUF_ADD_LIT(buf, "\t*) return 1 ;;\n\tesac\n\t_arguments $options\n}\n"
	                 "if [ \"$funcstack[1]\" = _osm-gen ]; then\n"
	                 "\t_osm-gen \"$@\"\nelse\n\tcompdef _osm-gen osm-gen\nfi\n");
}

/* ---- fish ---------------------------------------------------------------------------------- */

static const char fish_head[] = "# fish completion for osm-gen; made by `osm-gen completion fish`\n"
                                "complete -c osm-gen -f\n"
                                "function __osm_gen_command\n"
                                "\tset -l skip 0\n"
                                "\tfor word in (commandline -opc)[2..-1]\n"
                                "\t\tif test $skip = 1\n"
                                "\t\t\tset skip 0\n"
                                "\t\t\tcontinue\n"
                                "\t\tend\n"
                                "\t\tswitch $word\n";

static void fish_value(struct buf *buf, enum what what, sv words)
{
	switch (what) {
	case WHAT_NOTHING:
		break;
	case WHAT_WORDS:
		buf_printf(buf, " -a '%.*s'", SV_ARG(words));
		break;
	case WHAT_FILES:
		BUF_ADD_LIT(buf, " -F");
		break;
	case WHAT_FOLDERS:
		BUF_ADD_LIT(buf, " -a '(__fish_complete_directories)'");
		break;
	}
}

static void fish_line(struct buf *buf, sv commands, sv arguments)
{
	buf_printf(buf, "complete -c osm-gen -n '__osm_gen_is %.*s'%.*s", SV_ARG(commands),
	           SV_ARG(arguments));
}

static void fish_first_and_second(struct buf *buf, enum command command, sv words)
{
	const char *name = command_info(command)->name;
	sv second = second_words(buf->arena, command);

	fish_line(buf,
	          arena_printf(buf->arena, "%s; and not __osm_gen_has %.*s", name, SV_ARG(words)),
	          arena_printf(buf->arena, " -a '%.*s'\n", SV_ARG(words)));
	if (!sv_empty(second))
		fish_line(buf, arena_printf(buf->arena, "%s; and __osm_gen_has show", name),
		          arena_printf(buf->arena, " -a '%.*s'\n", SV_ARG(second)));
}

static void fish(struct buf *buf, const struct completed_list *options)
{
	buf_add_cstr(buf, fish_head);
	BUF_ADD_LIT(buf, "\t\t\tcase");
	VEC_EACH (option, options) {
		if (!option->placeholder)
			continue;
		buf_printf(buf, " --%.*s", SV_ARG(option->name));
		if (option->letter)
			buf_printf(buf, " -%c", option->letter);
	}
	BUF_ADD_LIT(buf, "\n\t\t\t\tset skip 1\n\t\t\tcase '-*'\n\t\t\tcase '*'\n"
	                 "\t\t\t\techo $word\n\t\t\t\treturn\n\t\tend\n\tend\n"
	                 "\techo none\nend\n"
	                 "function __osm_gen_is\n\tcontains -- (__osm_gen_command) $argv\nend\n"
	                 "function __osm_gen_has\n\tfor word in (commandline -opc)[3..-1]\n"
	                 "\t\tif contains -- $word $argv\n\t\t\treturn 0\n\t\tend\n\tend\n"
	                 "\treturn 1\nend\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command_info *info = command_info((enum command)i);
		sv words;
		enum what what = what_of(buf->arena, info->arguments, &words);

		fish_line(buf, SV("none"), arena_printf(buf->arena, " -a %s -d '", info->name));
		add_quoted(buf, sv_from_cstr(info->summary), "\\'");
		BUF_ADD_LIT(buf, "'\n");
		if (what == WHAT_NOTHING)
			continue;
		if (what == WHAT_WORDS) {
			fish_first_and_second(buf, (enum command)i, words);
			continue;
		}
		fish_line(buf, sv_from_cstr(info->name), SV(""));
		fish_value(buf, what, words);
		buf_add_char(buf, '\n');
	}
	VEC_EACH (option, options) {
		sv commands = command_names(buf->arena, option->commands);
		sv words;

		if (option->commands & ON(COMMAND_GENERATE))
			commands = ARENA_CONCAT(buf->arena, SV("none "), commands);
		fish_line(buf, commands, ARENA_CONCAT(buf->arena, SV(" -l "), option->name));
		if (option->letter)
			buf_printf(buf, " -s %c", option->letter);
		if (option->placeholder) {
			enum what what = what_of(buf->arena, option->placeholder, &words);

			BUF_ADD_LIT(buf, " -r");
			fish_value(buf, what, words);
		}
		BUF_ADD_LIT(buf, " -d '");
		add_quoted(buf, sv_from_cstr(option->help), "\\'");
		BUF_ADD_LIT(buf, "'\n");
	}
}

/* -------------------------------------------------------------------------------------------- */

int command_completion(struct context *context)
{
	struct buf buf = buf_in(context->arena);
	const struct completed_list options = all_options(context->arena);
	sv shell = context->options->arguments.items[0];

	if (sv_eq(shell, SV("bash"))) {
		bash(&buf, &options);
	} else if (sv_eq(shell, SV("zsh"))) {
		zsh(&buf, &options);
	} else if (sv_eq(shell, SV("fish"))) {
		fish(&buf, &options);
	} else {
		struct diag *diag =
		    diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                "there is no completion for \"%.*s\"", SV_ARG(shell));
		diag_set_help(context->sink, diag, "the shells are bash, zsh and fish");
		return 64;
	}
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}
