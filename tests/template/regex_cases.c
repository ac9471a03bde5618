/*
 * Regular expressions against Go's: lines "P HEX O" or "P HEX E MESSAGE" give a pattern, lines
 * "T HEX [INDEXES]" a text and where Go's match and its groups begin and end.
 *
 * A difference counts unless it is one that RE2 documents: texts that are no UTF-8, and \B inside a
 * rune of several bytes.
 */
#include "regex_cases.h"

#include "tmpl/funcs/regex.h"

#include "codec/codec.h"

#include <stdio.h>
#include <stdlib.h>

struct pattern_case {
	struct arena *arena;
	sv text;
	struct regex_pattern *re;
};

static bool check_pattern(struct pattern_case *c, sv line, struct regex_counts *counts)
{
	sv hex;
	sv expected;
	sv error;
	bool too_large;

	arena_reset(c->arena);
	if (c->re)
		regex_free(c->re);
	c->re = NULL;
	(void)sv_cut(line, SV(" "), &hex, &expected);
	if (!hex_decode(c->arena, hex, &c->text))
		return false;
	c->re = regex_compile_go(c->arena, c->text, &error, &too_large);
	bool accepted = sv_eq(expected, SV("O"));
	counts->patterns++;
	if (accepted != (c->re != NULL)) {
		counts->different++;
		printf("%.*s: Go %s it\n", SV_ARG(c->text), accepted ? "takes" : "refuses");
		return true;
	}
	if (accepted || sv_eq(sv_from_offset(expected, 2), error))
		return true;
	counts->other_words++;
	printf("%.*s: want %.*s\n  have %.*s\n", SV_ARG(c->text),
	       SV_ARG(sv_from_offset(expected, 2)), SV_ARG(error));
	return true;
}

static sv spans_text(struct arena *arena, const struct regex_span *spans, size_t count,
                     bool matched)
{
	struct buf buf = buf_in(arena);

	buf_add_char(&buf, '[');
	for (size_t i = 0; matched && i < count; i++)
		buf_printf(&buf, "%s%td %td", i > 0 ? " " : "", spans[i].start, spans[i].end);
	buf_add_char(&buf, ']');
	return buf_sv(&buf);
}

static bool check_text(struct pattern_case *c, sv line, struct regex_counts *counts)
{
	sv hex;
	sv expected;
	sv text;

	if (!c->re)
		return true;
	(void)sv_cut(line, SV(" "), &hex, &expected);
	if (!hex_decode(c->arena, hex, &text))
		return false;
	size_t count = regex_group_count(c->re) + 1;
	struct regex_span *spans = ARENA_ARRAY(c->arena, struct regex_span, count);
	bool matched = regex_match(c->re, text.ptr, text.len, 0, spans, count);
	sv have = spans_text(c->arena, spans, count, matched);
	counts->texts++;
	if (sv_eq(have, expected))
		return true;
	if (!utf8_valid(text) || sv_contains(c->text, SV("\\B"))) {
		counts->documented++;
		return true;
	}
	counts->different++;
	printf("%.*s on %.*s: want %.*s have %.*s\n", SV_ARG(c->text), SV_ARG(text),
	       SV_ARG(expected), SV_ARG(have));
	return true;
}

bool regex_cases_run(struct regex_counts *counts)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct pattern_case c = {.arena = arena};
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	bool ok = true;

	*counts = (struct regex_counts){0};
	while (ok && (len = getline(&line, &cap, stdin)) > 0) {
		sv text = sv_trim_right(sv_from(line, (size_t)len), "\n");
		if (sv_starts_with(text, SV("P ")))
			ok = check_pattern(&c, sv_from_offset(text, 2), counts);
		else if (sv_starts_with(text, SV("T ")))
			ok = check_text(&c, sv_from_offset(text, 2), counts);
	}
	free(line);
	if (c.re)
		regex_free(c.re);
	return ok;
}
