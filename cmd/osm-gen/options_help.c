/*
 * The help, made from the tables.
 */
#include "option_table.h"

#include "fleet/fleet.h"

/* "  --name TEXT" and its help, wrapped beside it. */
static void help_line(struct buf *buf, sv left, const char *text)
{
	enum { LEFT = 34, WIDTH = 100 };
	size_t column = left.len + 2;
	sv rest = sv_from_cstr(text);

	buf_printf(buf, "  %.*s", SV_ARG(left));
	if (column >= LEFT) {
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

/* With COMMAND_COUNT: the options that all commands have. */
static void help_options(struct buf *buf, enum command command)
{
	unsigned wanted = command == COMMAND_COUNT ? ON_ALL : ON((unsigned)command);
	size_t count;
	const struct option_info *options = option_table(&count);

	for (size_t i = 0; i < count; i++) {
		const struct option_info *info = &options[i];
		char letter[8] = "";

		if ((info->commands & wanted) != wanted)
			continue;
		if (info->letter) {
			memcpy(letter, "-x, ", 5);
			letter[1] = info->letter;
		}
		help_line(buf,
		          arena_printf(buf->arena, "%s--%s%s%s", letter, info->name,
		                       info->placeholder ? " " : "",
		                       info->placeholder ? info->placeholder : ""),
		          with_variable(buf->arena, info->help, sv_from_cstr(info->name), command));
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

static void help_overview(struct buf *buf)
{
	size_t count;

	BUF_ADD_LIT(
	    buf,
	    "osm-gen: machine bootstrap data for Kubernetes worker nodes, rendered, sealed and\n"
	    "committed from a git repository.\n\n"
	    "  osm-gen [COMMAND] [OPTION...]\n\nCommands\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command_info *info = command_info((enum command)i);

		help_line(buf,
		          arena_printf(buf->arena, "%s%s%s", info->name,
		                       info->arguments[0] ? " " : "", info->arguments),
		          info->summary);
	}
	BUF_ADD_LIT(buf,
	            "\n`osm-gen help COMMAND` has its options, the settings that it takes, and "
	            "examples.\n`osm-gen init DIR` is where to start.\n");
	BUF_ADD_LIT(buf, "\nOptions of every command\n");
	help_options(buf, COMMAND_COUNT);
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
	for (size_t i = 0; i < COUNT_OF(first); i++) {
		const struct command_info *info = command_info(first[i]);

		help_line(buf,
		          arena_printf(buf->arena, "%s%s%s", info->name,
		                       info->arguments[0] ? " " : "", info->arguments),
		          info->summary);
	}
	BUF_ADD_LIT(buf, "\n`osm-gen help` lists all commands, `osm-gen help COMMAND` has the "
	                 "options of one.\n");
}

void options_help(struct buf *buf, enum command command)
{
	if (command == COMMAND_COUNT) {
		help_overview(buf);
		return;
	}
	const struct command_info *info = command_info(command);
	buf_printf(buf, "osm-gen %s%s%s [OPTION...]: %s\n\n%s", info->name,
	           info->arguments[0] ? " " : "", info->arguments, info->summary, info->details);
	size_t count;
	const struct option_note *examples = command_examples(command, &count);
	help_notes(buf, "Examples", examples, count);
	BUF_ADD_LIT(buf, "\nOptions\n");
	help_options(buf, command);
	if (ON_SETTINGS & ON((unsigned)command)) {
		BUF_ADD_LIT(
		    buf,
		    "\nSettings, which override osm-gen.yaml (its names are in parentheses)\n");
		help_settings(buf, command);
	}
}
