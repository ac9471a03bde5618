/*
 * Reports libyaml's errors in plain words, at the place that has to be mended.
 */
#include "yaml/problem.h"

/* Which of the library's two positions is the one to look at. */
enum place { AT_PROBLEM, AT_CONTEXT };

struct complaint {
	const char *problem; /* libyaml's message */
	const char *context; /* libyaml's description of what it was doing, or null for any */
	enum place place;
	const char *text;
	const char *note; /* about the other position, or null */
	const char *help;
};

#define HELP_COLUMN "keys of one mapping start in the same column; indent with spaces"

static const struct complaint complaints[] = {
    {"could not find expected ':'", NULL, AT_CONTEXT, "expected `:` after this key", NULL,
     "write `key: value`; indent the lines of a longer text deeper than its key"},
    {"mapping values are not allowed in this context", NULL, AT_PROBLEM,
     "a `:` is not allowed here", NULL,
     "put a value that holds `: ` in quotes, or correct the indentation of this line"},
    {"mapping keys are not allowed in this context", NULL, AT_PROBLEM, "a key is not allowed here",
     NULL, HELP_COLUMN},
    {"block sequence entries are not allowed in this context", NULL, AT_PROBLEM,
     "a list item is not allowed here", NULL,
     "start the list on the line below its key; quote a value that starts with `- `"},
    {"found a tab character that violates indentation", NULL, AT_PROBLEM,
     "a tab is not allowed in the indentation", NULL, "indent with spaces"},
    {"found a tab character where an indentation space is expected", NULL, AT_PROBLEM,
     "a tab is not allowed in the indentation of a block", NULL, "indent with spaces"},
    {"did not find expected key", NULL, AT_PROBLEM, "this does not fit the mapping around it",
     "the mapping starts here", HELP_COLUMN},
    {"did not find expected '-' indicator", NULL, AT_PROBLEM,
     "this does not fit the list around it", "the list starts here",
     "the items of one list start in the same column, each with `- `"},
    {"did not find expected ',' or ']'", NULL, AT_PROBLEM, "expected `,` or `]`",
     "the list starts here", "close the list with `]`"},
    {"did not find expected ',' or '}'", NULL, AT_PROBLEM, "expected `,` or `}`",
     "the mapping starts here", "close the mapping with `}`"},
    {"did not find expected node content", NULL, AT_PROBLEM, "a value is missing here", NULL,
     "add the value, or quotes around one that starts with `,`, `]` or `}`"},
    {"found unexpected end of stream", "while scanning a quoted scalar", AT_CONTEXT,
     "this quote is never closed", NULL, "add the closing quote"},
    {"found unexpected document indicator", NULL, AT_CONTEXT,
     "this quote is not closed before the document ends", "the document ends here",
     "add the closing quote"},
    {"found unknown escape character", NULL, AT_PROBLEM, "unknown escape in a double-quoted text",
     "the text starts here", "write \\\\ for a backslash, or use single quotes"},
    {"did not find expected hexdecimal number", NULL, AT_PROBLEM,
     "expected hexadecimal digits after the escape", "the text starts here",
     "\\x takes two digits, \\u four, \\U eight"},
    {"found invalid Unicode character escape code", NULL, AT_PROBLEM,
     "the escape names no character", "the text starts here",
     "write characters above U+FFFF as \\U and eight digits"},
    {"found an indentation indicator equal to 0", NULL, AT_PROBLEM,
     "the indentation of a block must be 1 to 9", NULL, "remove the number"},
    {"did not find expected comment or line break", "while scanning a block scalar", AT_PROBLEM,
     "text on the line of the block's `|` or `>`", NULL,
     "start the text on the next line, or quote a value that starts with | or >"},
    {"did not find expected alphabetic or numeric character", "while scanning an alias", AT_CONTEXT,
     "`*` starts an alias, and no name follows", NULL, "put a value that starts with * in quotes"},
    {"did not find expected alphabetic or numeric character", "while scanning an anchor",
     AT_CONTEXT, "`&` starts an anchor, and no name follows", NULL,
     "put a value that starts with & in quotes"},
    {"found undefined tag handle", NULL, AT_PROBLEM, "unknown tag handle", NULL,
     "put a value that starts with ! in quotes"},
    {"did not find expected <document start>", NULL, AT_PROBLEM,
     "this does not belong to the document above it", NULL,
     "correct the indentation, or start a new document with `---`"},
    {"found unexpected ':'", NULL, AT_PROBLEM, "a `:` is not allowed here", NULL,
     "put the text in quotes"},
    {"found incompatible YAML document", NULL, AT_PROBLEM, "unknown version of YAML", NULL,
     "remove the %YAML line"},
};

static const struct complaint *find_complaint(const yaml_parser_t *parser)
{
	for (size_t i = 0; i < COUNT_OF(complaints); i++) {
		const struct complaint *c = &complaints[i];

		if (strcmp(c->problem, parser->problem) == 0 &&
		    (!c->context || (parser->context && strcmp(c->context, parser->context) == 0)))
			return c;
	}
	return NULL;
}

bool yml_line_has_action(struct position at)
{
	return sv_contains(position_line(at), SV("{{"));
}

/* "found character that cannot start any token": which one, is the point. */
static void report_start(struct sink *sink, struct position at)
{
	sv rest = sv_from_offset(at.source->text, at.offset);
	char c = rest.len > 0 ? rest.ptr[0] : 0;
	struct diag *diag;

	if (c == '\t') {
		diag = diag_report(sink, DIAG_YAML_SYNTAX, at,
		                   "a tab is not allowed in the indentation");
		diag_set_help(sink, diag, "indent with spaces");
		return;
	}
	if (c > ' ' && c < 0x7F)
		diag = diag_report(sink, DIAG_YAML_SYNTAX, at, "a value cannot start with `%c`", c);
	else
		diag = diag_report(sink, DIAG_YAML_SYNTAX, at, "no value can start here");
	diag_set_help(sink, diag, "put the value in quotes");
}

static void report_other(struct sink *sink, struct position at, const yaml_parser_t *parser)
{
	const char *problem = parser->problem ? parser->problem : "unknown mistake";
	struct diag *diag = parser->context
	                        ? diag_report(sink, DIAG_YAML_SYNTAX, at, "not YAML: %s %s",
	                                      parser->context, problem)
	                        : diag_report(sink, DIAG_YAML_SYNTAX, at, "not YAML: %s", problem);

	diag_set_help(sink, diag, "correct the text here or shortly before");
}

static struct position one_byte_at(const struct yml_text *text, yaml_mark_t mark)
{
	struct position at = {text->source, yml_text_offset(text, mark.index), 1};

	if (at.offset >= text->source->text.len)
		at.length = 0;
	return at;
}

void yml_report_problem(struct sink *sink, const struct yml_text *text, const yaml_parser_t *parser)
{
	struct position problem = one_byte_at(text, parser->problem_mark);
	struct position context = one_byte_at(text, parser->context_mark);
	const struct complaint *c = parser->problem ? find_complaint(parser) : NULL;

	if (diag_report_conflict(sink, c && c->place == AT_CONTEXT ? context : problem))
		return;
	if (!c) {
		if (parser->problem &&
		    strcmp(parser->problem, "found character that cannot start any token") == 0)
			report_start(sink, problem);
		else
			report_other(sink, problem, parser);
		return;
	}
	bool swap = c->place == AT_CONTEXT;
	struct position at = swap ? context : problem;
	struct diag *diag = diag_report(sink, DIAG_YAML_SYNTAX, at, "%s", c->text);
	if (c->note && parser->context)
		diag_add_note(sink, diag, swap ? problem : context, "%s", c->note);
	diag_set_help(sink, diag, "%s", yml_line_has_action(at) ? YML_HELP_ACTION : c->help);
}
