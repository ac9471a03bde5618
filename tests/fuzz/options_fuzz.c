/*
 * The command line, a word a line: it is understood, or each mistake is reported; and the help of
 * its command can be printed.
 */
#include "../../cmd/osm-gen/options.h"

#include "report/report.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS_MAX = 64 };

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_options(const struct options *options)
{
	check(options->command < COMMAND_COUNT);
	check(value_is_map(&options->settings));
	VEC_EACH (report, &options->print.reports)
		check(report->format < REPORT_FORMAT_COUNT && !sv_empty(report->path));
	check(options_command_find(sv_from_cstr(options_command_name(options->command))) ==
	      options->command);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct options options;
	struct buf shown = buf_in(arena);
	struct buf help = buf_in(arena);
	struct report_style style = {0};
	struct sv_splitter lines = sv_split(sv_from((const char *)data, size), '\n');
	char *words[WORDS_MAX + 1] = {"osm-gen"};
	int count = 1;
	sv line;

	/* A word ends at its first NUL, as in argv. */
	while (count < WORDS_MAX && sv_split_next(&lines, &line))
		words[count++] = arena_cstr(arena, sv_slice(line, 0, sv_find_char(line, '\0')));
	enum status status = options_parse(arena, &sink, count, words, &options);
	check((status == STATUS_OK) == (sink.error_count == 0));
	report_diags_text(&shown, &sink, &style);
	check(utf8_valid(buf_sv(&shown)));
	check_options(&options);
	options_help(&help, options.command, options.all);
	check(help.len > 0);
	return 0;
}
