/*
 * What the tests of all modules assert of texts and of diagnostics. A failed assert names the line
 * of the test and prints what was there. What the tests of one module share is in their fixture.
 */
#ifndef OSM_GEN_TESTS_UNIT_ASSERTS_H
#define OSM_GEN_TESTS_UNIT_ASSERTS_H

#include "diag/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/*
 * Begins the function that runs the tests of a file and returns how many failed: UNIT_TESTS(yaml)
 * in yaml_test.c. main.c calls it by that name.
 */
#define UNIT_TESTS(name)                                                                           \
	int unit_##name(void);                                                                     \
	int unit_##name(void)

/* ---- texts: (sv got, const char *want) --------------------------------------------------- */

/* Byte for byte. */
#define assert_sv(got, want) assert_sv_at((got), (want), __FILE__, __LINE__)
static inline void assert_sv_at(sv got, const char *want, const char *file, int line)
{
	if (sv_eq_cstr(got, want))
		return;
	print_error("got  \"%.*s\"\nwant \"%s\"\n", SV_ARG(got), want);
	_fail(file, line);
}

#define assert_contains(got, part) assert_contains_at((got), (part), true, __FILE__, __LINE__)
#define assert_lacks(got, part)    assert_contains_at((got), (part), false, __FILE__, __LINE__)
static inline void assert_contains_at(sv got, const char *part, bool wanted, const char *file,
                                      int line)
{
	if (sv_contains(got, sv_from_cstr(part)) == wanted)
		return;
	print_error("got \"%.*s\"\nwhich %s \"%s\"\n", SV_ARG(got), wanted ? "lacks" : "contains",
	            part);
	_fail(file, line);
}

/* ---- positions and diagnostics ----------------------------------------------------------- */

/* "3:5", the line and the column; "0:0" for none. */
#define assert_place(at, want) assert_place_at((at), (want), __FILE__, __LINE__)
static inline void assert_place_at(struct position at, const char *want, const char *file, int line)
{
	struct line_column place = position_line_column(at);
	char got[48];

	snprintf(got, sizeof(got), "%zu:%zu", place.line, place.column);
	assert_sv_at(sv_from_cstr(got), want, file, line);
}

/* "path:3:5 OSG1234", without what is not known of the place. */
static inline void buf_add_diag(struct buf *buf, const struct diag *diag)
{
	struct line_column place = position_line_column(diag->at);

	if (diag->at.source)
		buf_add(buf, diag->at.source->path);
	if (place.line > 0)
		buf_printf(buf, ":%zu:%zu", place.line, place.column);
	buf_printf(buf, "%sOSG%04u", diag->at.source ? " " : "", (unsigned)diag->code);
}

static inline void print_diags(const struct sink *sink)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);

	VEC_EACH (diag, &sink->diags) {
		struct buf buf = buf_in(scratch);

		buf_add_diag(&buf, *diag);
		print_error("%.*s: %.*s\n", SV_ARG(buf_sv(&buf)), SV_ARG((*diag)->text));
	}
}

/* So many were reported. */
#define assert_diag_count(sink, want) assert_diag_count_at((sink), (want), __FILE__, __LINE__)
static inline void assert_diag_count_at(const struct sink *sink, size_t want, const char *file,
                                        int line)
{
	if (sink->diags.count == want)
		return;
	print_diags(sink);
	print_error("%zu diagnostics, want %zu\n", sink->diags.count, want);
	_fail(file, line);
}

/* Exactly these, in order, a line each as buf_add_diag has it. */
#define assert_diags(sink, want) assert_diags_at((sink), (want), __FILE__, __LINE__)
static inline void assert_diags_at(const struct sink *sink, const char *want, const char *file,
                                   int line)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(scratch);

	VEC_EACH (diag, &sink->diags) {
		buf_add_diag(&buf, *diag);
		buf_add_char(&buf, '\n');
	}
	if (!sv_eq_cstr(buf_sv(&buf), want))
		print_diags(sink);
	assert_sv_at(buf_sv(&buf), want, file, line);
}

/* The code and the text; and it says what to do. */
#define assert_diag(diag, code, text) assert_diag_at((diag), (code), (text), __FILE__, __LINE__)
static inline void assert_diag_at(const struct diag *diag, enum diag_code code, const char *text,
                                  const char *file, int line)
{
	assert_sv_at(diag->text, text, file, line);
	_assert_int_equal(diag->code, code, file, line);
	if (diag->help.len > 0 || diag->notes.count > 0)
		return;
	print_error("neither help nor a note\n");
	_fail(file, line);
}

/* Exactly one, with this code, at this place ("3:5"), with this text. */
#define assert_one_diag(sink, code, place, text)                                                   \
	assert_one_diag_at((sink), (code), (place), (text), __FILE__, __LINE__)
static inline void assert_one_diag_at(const struct sink *sink, enum diag_code code,
                                      const char *place, const char *text, const char *file,
                                      int line)
{
	assert_diag_count_at(sink, 1, file, line);
	assert_diag_at(sink->diags.items[0], code, text, file, line);
	assert_place_at(sink->diags.items[0]->at, place, file, line);
}

#endif
