/*
 * man: manual pages from the tables of commands, options and settings. Macros of man(7), which
 * mandoc and groff share.
 */
#include "commands.h"
#include "option_table.h"
#include "version.h"

#include "fleet/fleet.h"

#include <string.h>

/* ---- text -------------------------------------------------------------------------------- */

/*
 * Adds a string literally: no character starts a macro, and hyphens can be copied. A word that is
 * longer than a line of a narrow terminal has places where it may break.
 */
static void add_text(struct buf *buf, const char *text)
{
	enum { LONG_WORD = 50 };
	bool at_start = true, is_long = strcspn(text, " \n") > LONG_WORD;

	for (; *text; text++) {
		if (at_start && (*text == '.' || *text == '\''))
			BUF_ADD_LIT(buf, "\\&");
		if (*text == ' ' || *text == '\n')
			is_long = strcspn(text + 1, " \n") > LONG_WORD;
		at_start = *text == '\n';
		if (*text == '\\')
			BUF_ADD_LIT(buf, "\\e");
		else if (*text == '-')
			BUF_ADD_LIT(buf, "\\-");
		else
			buf_add_char(buf, *text);
		if (is_long && (*text == '/' || *text == '|'))
			BUF_ADD_LIT(buf, "\\:");
	}
}

/* Adds a string without line breaks, wrapped. */
static void add_paragraph(struct buf *buf, sv text)
{
	enum { WIDTH = 60 };
	struct buf lines = buf_in(buf->arena);
	struct sv_splitter it = sv_split(text, ' ');
	size_t column = 0;
	sv word;

	while (sv_split_next(&it, &word)) {
		bool fits = column + 1 + word.len <= WIDTH;

		if (column > 0)
			buf_add_char(&lines, fits ? ' ' : '\n');
		column = fits && column > 0 ? column + 1 + word.len : word.len;
		buf_add(&lines, word);
	}
	buf_add_char(&lines, '\n');
	add_text(buf, arena_cstr(buf->arena, buf_sv(&lines)));
}

static void add_section(struct buf *buf, const char *name)
{
	buf_printf(buf, ".SH %s\n", name);
}

/* Begins a tagged paragraph. Each part of the tag may be an empty string. */
static void begin_item(struct buf *buf, const char *bold, const char *italic)
{
	BUF_ADD_LIT(buf, ".TP\n\\fB");
	add_text(buf, bold);
	BUF_ADD_LIT(buf, "\\fR");
	if (*italic) {
		BUF_ADD_LIT(buf, " \\fI");
		add_text(buf, italic);
		BUF_ADD_LIT(buf, "\\fR");
	}
	buf_add_char(buf, '\n');
}

/* ---- parts ------------------------------------------------------------------------------- */

static void add_header(struct buf *buf, const char *command, const char *summary)
{
	sv name = command ? arena_printf(buf->arena, "osm-gen-%s", command) : SV("osm-gen");

	BUF_ADD_LIT(buf, ".\\\" Made by `osm-gen man`.\n.TH ");
	for (size_t i = 0; i < name.len; i++)
		buf_add_char(buf, name.ptr[i] >= 'a' && name.ptr[i] <= 'z'
		                      ? (char)(name.ptr[i] - 'a' + 'A')
		                      : name.ptr[i]);
	BUF_ADD_LIT(buf, " 1 " OSM_GEN_VERSION_DATE " \"osm-gen " OSM_GEN_VERSION "\"\n");
	/* Commands are in the paragraphs' own words: no hyphenation, no justified lines. */
	BUF_ADD_LIT(buf, ".nh\n.ad l\n");
	/* groff 1.23 takes the adjustment from this string after each heading and tag. */
	BUF_ADD_LIT(buf, ".ds AD l\n");
	add_section(buf, "NAME");
	add_text(buf, arena_cstr(buf->arena, name));
	BUF_ADD_LIT(buf, " \\- ");
	add_text(buf, summary);
	buf_add_char(buf, '\n');
}

static void add_help(struct buf *buf, sv help, sv name, enum command command)
{
	sv variable = option_variable(buf->arena, name, command);

	if (!sv_empty(variable))
		help = ARENA_CONCAT(buf->arena, help, SV(" ["), variable, SV("]"));
	add_paragraph(buf, help);
}

static void add_option(struct buf *buf, const struct option_info *info, enum command command)
{
	sv tag = info->letter ? arena_printf(buf->arena, "-%c, --%s", info->letter, info->name)
	                      : arena_printf(buf->arena, "--%s", info->name);

	begin_item(buf, arena_cstr(buf->arena, tag), info->placeholder ? info->placeholder : "");
	add_help(buf, sv_from_cstr(info->help), sv_from_cstr(info->name), command);
}

/* With COMMAND_COUNT: the options of all commands. */
static void add_options(struct buf *buf, enum command command)
{
	unsigned mask = command == COMMAND_COUNT ? ON_ALL : ON((unsigned)command);
	size_t count;
	const struct option_info *options = option_table(&count);

	add_section(buf, "OPTIONS");
	for (int group = 0; group < OPTION_GROUP_COUNT; group++) {
		const char *title = option_group_title((enum option_group)group);
		bool has_title = false;

		for (size_t i = 0; i < count; i++) {
			const struct option_info *info = &options[i];

			if (info->group != (enum option_group)group || !(info->commands & mask))
				continue;
			if (!has_title)
				buf_printf(buf, ".SS %c%s\n", ascii_upper(*title), title + 1);
			has_title = true;
			add_option(buf, info, command);
		}
	}
}

static void add_settings(struct buf *buf, enum command command)
{
	size_t count;
	const struct setting *const *settings = fleet_settings(buf->arena, &count);

	add_section(buf, "SETTINGS");
	BUF_ADD_LIT(buf, "They override \\fIosm\\-gen.yaml\\fR, whose names are in parentheses.\n");
	for (size_t i = 0; i < count; i++) {
		const struct setting *s = settings[i];
		sv help =
		    arena_printf(buf->arena, "%s (%.*s%s%s)", s->help, SV_ARG(s->name),
		                 s->initial ? "; default " : "", s->initial ? s->initial : "");

		begin_item(buf, arena_cstr(buf->arena, ARENA_CONCAT(buf->arena, SV("--"), s->flag)),
		           s->placeholder ? s->placeholder : "");
		add_help(buf, help, s->flag, command);
	}
}

static void add_notes(struct buf *buf, const char *title, const struct option_note *notes,
                      size_t count)
{
	add_section(buf, title);
	for (size_t i = 0; i < count; i++) {
		begin_item(buf, notes[i].name, "");
		add_paragraph(buf, sv_from_cstr(notes[i].text));
	}
}

static void add_common_end(struct buf *buf)
{
	size_t count;
	const struct option_note *notes = option_environment_notes(&count);

	add_notes(buf, "ENVIRONMENT", notes, count);
	notes = option_exit_statuses(&count);
	add_notes(buf, "EXIT STATUS", notes, count);
}

/* ---- pages ------------------------------------------------------------------------------- */

static void add_overview(struct buf *buf)
{
	add_header(buf, NULL, "machine bootstrap data for Kubernetes nodes, sealed and committed");
	add_section(buf, "SYNOPSIS");
	BUF_ADD_LIT(buf, "\\fBosm\\-gen\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n");
	add_section(buf, "DESCRIPTION");
	add_paragraph(buf, SV("Reads OperatingSystemProfiles and MachineDeployments from a commit, "
	                      "renders each MachineDeployment's bootstrap data as the "
	                      "operating-system-manager does, seals what is secret with SOPS and "
	                      "age, and commits the output tree, for Flux or another applier. "
	                      "Options without a command generate."));
	add_section(buf, "COMMANDS");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command_info *info = command_info((enum command)i);

		begin_item(buf, info->name, info->arguments);
		add_paragraph(buf, sv_from_cstr(info->summary));
	}
	add_options(buf, COMMAND_COUNT);
	add_settings(buf, COMMAND_COUNT);
	add_common_end(buf);
	add_section(buf, "FILES");
	begin_item(buf, "osm-gen.yaml", "");
	add_text(buf, "settings: a Fleet at the repository's root, a Cluster in each cluster's "
	              "folder\n");
	begin_item(buf, ".osm-gen-ignore", "");
	add_text(buf, "files that are not inputs, in gitignore's syntax\n");
	add_section(buf, "SEE ALSO");
	for (int i = 0; i < COMMAND_COUNT; i++)
		buf_printf(buf, ".BR osm\\-gen\\-%s (1)%s\n", command_info((enum command)i)->name,
		           i + 1 < COMMAND_COUNT ? "," : "");
}

static void add_command(struct buf *buf, enum command command)
{
	const struct command_info *info = command_info(command);

	add_header(buf, info->name, info->summary);
	add_section(buf, "SYNOPSIS");
	const struct option_texts forms = command_forms(buf->arena, command);
	VEC_EACH (form, &forms) {
		buf_printf(buf, "%s\\fBosm\\-gen %s\\fR", form == forms.items ? "" : ".br\n",
		           info->name);
		if (!sv_empty(*form)) {
			BUF_ADD_LIT(buf, " \\fI");
			add_text(buf, arena_cstr(buf->arena, *form));
			BUF_ADD_LIT(buf, "\\fR");
		}
		BUF_ADD_LIT(buf, " [\\fIOPTION\\fR...]\n");
	}
	add_section(buf, "DESCRIPTION");
	add_text(buf, info->details);
	add_options(buf, command);
	if (ON_SETTINGS & ON((unsigned)command))
		add_settings(buf, command);
	add_common_end(buf);
	size_t count;
	const struct option_note *examples = command_examples(command, &count);
	add_notes(buf, "EXAMPLES", examples, count);
	add_section(buf, "SEE ALSO");
	BUF_ADD_LIT(buf, ".BR osm\\-gen (1)\n");
}

int command_man(struct context *context)
{
	const struct options *options = context->options;
	struct buf buf = buf_in(context->arena);

	if (options->arguments.count == 0) {
		add_overview(&buf);
	} else {
		sv name = options->arguments.items[0];
		enum command command = options_command_find(name);

		if (command == COMMAND_COUNT) {
			struct diag *diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
			                                "unknown command \"%.*s\"", SV_ARG(name));
			options_command_help(context->sink, diag, name);
			return 64;
		}
		add_command(&buf, command);
	}
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}
