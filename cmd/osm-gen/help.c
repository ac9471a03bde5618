/*
 * help, man, completion: forms of the tree of commands and options (option_tree.c).
 */
#include "commands.h"
#include "option_table.h"

/* ---- help ---------------------------------------------------------------------------------- */

static void add_help(struct buf *buf, enum command command, const char *shown)
{
	struct value root = option_tree(buf->arena, command);

	value_map_set(buf->arena, &root, SV("shown"), value_string(sv_from_cstr(shown)));
	report_form(buf, "help", REPORT_PLAIN, &root);
}

void options_help(struct buf *buf, enum command command, bool all)
{
	add_help(buf, command, all ? "all" : "usual");
}

void options_help_short(struct buf *buf)
{
	add_help(buf, COMMAND_COUNT, "first");
}

/* Finds the command that an argument names. Leaves COMMAND_COUNT without arguments. */
static enum status named_command(struct context *context, enum command *ret_command)
{
	const struct options *options = context->options;

	if (options->arguments.count == 0)
		return STATUS_OK;
	sv name = options->arguments.items[0];
	*ret_command = options_command_find(name);
	if (*ret_command != COMMAND_COUNT)
		return STATUS_OK;
	options_command_help(context->sink,
	                     diag_report(context->sink, DIAG_USAGE, NOWHERE,
	                                 "unknown command \"%.*s\"", SV_ARG(name)),
	                     name);
	return STATUS_FAILED;
}

int command_help(struct context *context)
{
	const struct options *options = context->options;
	struct buf buf = buf_in(context->arena);
	enum command command =
	    options->help && options->has_command ? options->command : COMMAND_COUNT;

	if (named_command(context, &command) != STATUS_OK)
		return 64;
	options_help(&buf, command, options->all);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}

/* ---- manual pages and completion ----------------------------------------------------------- */

int command_man(struct context *context)
{
	struct buf buf = buf_in(context->arena);
	enum command command = COMMAND_COUNT;

	if (named_command(context, &command) != STATUS_OK)
		return 64;
	struct value root = option_tree(context->arena, command);
	report_form(&buf, "man", REPORT_ROFF, &root);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}

int command_completion(struct context *context)
{
	static const sv shells[] = {SV_INIT("bash"), SV_INIT("zsh"), SV_INIT("fish")};
	sv shell = context->options->arguments.items[0];
	struct buf buf = buf_in(context->arena);

	if (!sv_is_among(shell, shells, COUNT_OF(shells))) {
		struct diag *diag = diag_report(
		    context->sink, DIAG_USAGE, NOWHERE,
		    "osm-gen has no completion script for the shell \"%.*s\"", SV_ARG(shell));
		diag_set_help(context->sink, diag, "the shells are bash, zsh and fish");
		return 64;
	}
	struct value root = option_tree(context->arena, COMMAND_COUNT);
	report_form(&buf, arena_cstr(context->arena, shell), REPORT_PLAIN, &root);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}
