/*
 * The help, made from the tables.
 */
#include "option_table.h"

#include "fleet/fleet.h"

enum { LEFT = 34, WIDTH = 100 };

/* "  --name TEXT" and its help, wrapped beside it. */
static void help_line(struct buf *buf, sv left, const char *text)
{
	size_t column = left.len + 2;
	sv rest = sv_from_cstr(text);

	buf_printf(buf, "  %.*s", SV_ARG(left));
	if (column + 2 > LEFT) {
		buf_add_char(buf, '\n');
		column = 0;
	}
	buf_add_repeat(buf, ' ', LEFT - column);
	column = LEFT;
	while (!sv_empty(rest)) {
		size_t space = sv_find_char(rest, ' ');
		sv word = sv_slice(rest, 0, space);

		if (column > LEFT && column + 1 + word.len > WIDTH) {
			buf_add_char(buf, '\n');
			buf_add_repeat(buf, ' ', LEFT);
			column = LEFT;
		} else if (column > LEFT) {
			buf_add_char(buf, ' ');
			column++;
		}
		buf_add(buf, word);
		column += word.len;
		rest = space == SV_NPOS ? SV("") : sv_from_offset(rest, space + 1);
	}
	buf_add_char(buf, '\n');
}

/* Adds the environment variable of an option to its help. */
static const char *with_variable(struct arena *arena, const char *help, sv name,
                                 enum command command)
{
	sv variable = command == COMMAND_COUNT ? SV("") : option_variable(arena, name, command);

	if (sv_empty(variable))
		return help;
	return arena_cstr(arena, arena_printf(arena, "%s [%.*s]", help, SV_ARG(variable)));
}

/* Returns true if the command, or every command for COMMAND_COUNT, takes the option. */
static bool takes(enum command command, const struct option_info *info)
{
	unsigned wanted = command == COMMAND_COUNT ? ON_ALL : ON((unsigned)command);

	return (info->commands & wanted) == wanted;
}

static void help_option(struct buf *buf, const struct option_info *info, const char *text)
{
	char letter[8] = "";

	if (info->letter) {
		memcpy(letter, "-x, ", 5);
		letter[1] = info->letter;
	}
	help_line(buf,
	          arena_printf(buf->arena, "%s--%s%s%s", letter, info->name,
	                       info->placeholder ? " " : "",
	                       info->placeholder ? info->placeholder : ""),
	          text);
}

/* Adds the options of a rank or better under one title. Returns how many it left out. */
static size_t help_options(struct buf *buf, enum command command, enum option_rank rank)
{
	size_t count;
	size_t left_out = 0;
	const struct option_info *options = option_table(&count);

	for (size_t i = 0; i < count; i++) {
		if (!takes(command, &options[i]))
			continue;
		if (options[i].rank > rank)
			left_out++;
		else
			help_option(buf, &options[i], options[i].help);
	}
	return left_out;
}

/* Adds all options, each group with its title, and their environment variables. */
static void help_groups(struct buf *buf, enum command command)
{
	size_t count;
	const struct option_info *options = option_table(&count);

	for (int group = 0; group < OPTION_GROUP_COUNT; group++) {
		bool has_title = false;

		for (size_t i = 0; i < count; i++) {
			const struct option_info *info = &options[i];

			if (info->group != (enum option_group)group || !takes(command, info))
				continue;
			if (!has_title)
				buf_printf(buf, "\nOptions: %s\n",
				           option_group_title((enum option_group)group));
			has_title = true;
			help_option(buf, info,
			            with_variable(buf->arena, info->help, sv_from_cstr(info->name),
			                          command));
		}
	}
}

static void help_settings(struct buf *buf, enum command command)
{
	size_t count;
	const struct setting *const *settings = fleet_settings(buf->arena, &count);

	for (size_t i = 0; i < count; i++) {
		const struct setting *s = settings[i];
		sv left =
		    arena_printf(buf->arena, "--%.*s%s%s", SV_ARG(s->flag),
		                 s->placeholder ? " " : "", s->placeholder ? s->placeholder : "");
		sv text =
		    arena_printf(buf->arena, "%s (%.*s%s%s)", s->help, SV_ARG(s->name),
		                 s->initial ? "; default " : "", s->initial ? s->initial : "");

		help_line(
		    buf, left,
		    with_variable(buf->arena, arena_cstr(buf->arena, text), s->flag, command));
	}
}

static void help_notes(struct buf *buf, const char *title, const struct option_note *notes,
                       size_t count)
{
	buf_printf(buf, "\n%s\n", title);
	for (size_t i = 0; i < count; i++)
		help_line(buf, sv_from_cstr(notes[i].name), notes[i].text);
}

/* Adds the command with its arguments, or the first form of these if all do not fit beside it. */
static void help_command(struct buf *buf, const struct command_info *info)
{
	sv name = arena_printf(buf->arena, "%s%s%s", info->name, info->arguments[0] ? " " : "",
	                       info->arguments);

	if (name.len + 2 >= LEFT)
		name = sv_slice(name, 0, sv_find(name, SV(" | ")));
	help_line(buf, name, info->summary);
}

static void help_overview(struct buf *buf)
{
	size_t count;

	BUF_ADD_LIT(
	    buf,
	    "osm-gen: machine bootstrap data for Kubernetes worker nodes, rendered, sealed and\n"
	    "committed from a git repository.\n\n"
	    "  osm-gen COMMAND [OPTION...]\n\nCommands\n");
	for (int i = 0; i < COMMAND_COUNT; i++)
		help_command(buf, command_info((enum command)i));
	BUF_ADD_LIT(buf,
	            "\n`osm-gen help COMMAND` has its usual options and examples, with --all every "
	            "option.\n`osm-gen init DIR` is where to start.\n");
	BUF_ADD_LIT(buf, "\nOptions of every command\n");
	(void)help_options(buf, COMMAND_COUNT, OPTION_RARE);
	const struct option_note *notes = option_environment_notes(&count);
	help_notes(buf, "Environment", notes, count);
	notes = option_exit_statuses(&count);
	BUF_ADD_LIT(buf, "\nExit status\n");
	for (size_t i = 0; i < count; i++)
		buf_printf(buf, "  %s %s\n", notes[i].name, notes[i].text);
}

void options_help_short(struct buf *buf)
{
	static const enum command first[] = {COMMAND_INIT, COMMAND_VALIDATE, COMMAND_PLAN,
	                                     COMMAND_GENERATE, COMMAND_DOCTOR};

	BUF_ADD_LIT(buf, "osm-gen: machine bootstrap data for Kubernetes worker nodes, rendered, "
	                 "sealed and\ncommitted from a git repository.\n\n"
	                 "  osm-gen COMMAND [OPTION...]\n\n");
	for (size_t i = 0; i < COUNT_OF(first); i++)
		help_command(buf, command_info(first[i]));
	BUF_ADD_LIT(buf, "\n`osm-gen help` lists all commands, `osm-gen help COMMAND` has the "
	                 "options of one.\n");
}

/* The options that fit into the short help of a command, if it has no others. */
enum { FEW_OPTIONS = 10 };

/* Adds the usual options, or all if there are few, and where to find the others. */
static void help_usual(struct buf *buf, enum command command)
{
	struct buf rare = buf_in(buf->arena);
	size_t count;
	size_t setting_count = 0;
	size_t more = 0;
	size_t all = 0;
	const struct option_info *options = option_table(&count);

	for (size_t i = 0; i < count; i++)
		all += takes(command, &options[i]);
	if (ON_SETTINGS & ON((unsigned)command))
		(void)fleet_settings(buf->arena, &setting_count);
	BUF_ADD_LIT(buf, "\nOptions\n");
	more = help_options(buf, command, all <= FEW_OPTIONS ? OPTION_RARE : OPTION_USUAL);
	if (more > 0)
		buf_printf(&rare, "%zu more option%s", more, more == 1 ? "" : "s");
	if (setting_count > 0)
		buf_printf(&rare, "%s%zu settings", rare.len > 0 ? " and " : "", setting_count);
	if (rare.len > 0)
		buf_printf(buf, "\n%.*s: osm-gen help --all %s\n", SV_ARG(buf_sv(&rare)),
		           options_command_name(command));
}

void options_help(struct buf *buf, enum command command, bool all)
{
	if (command == COMMAND_COUNT) {
		help_overview(buf);
		return;
	}
	const struct command_info *info = command_info(command);
	const struct option_texts forms = command_forms(buf->arena, command);
	VEC_EACH (form, &forms)
		buf_printf(buf, "osm-gen %s%s%.*s [OPTION...]\n", info->name,
		           sv_empty(*form) ? "" : " ", SV_ARG(*form));
	buf_printf(buf, "\n%c%s.\n%s", ascii_upper(info->summary[0]), info->summary + 1,
	           info->details);
	size_t count;
	const struct option_note *examples = command_examples(command, &count);
	help_notes(buf, "Examples", examples, count);
	if (!all) {
		help_usual(buf, command);
		return;
	}
	help_groups(buf, command);
	if (ON_SETTINGS & ON((unsigned)command)) {
		BUF_ADD_LIT(
		    buf,
		    "\nSettings, which override osm-gen.yaml (its names are in parentheses)\n");
		help_settings(buf, command);
	}
}
