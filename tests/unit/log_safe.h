/*
 * What must not stand in a text that goes into the log of a CI system or into a comment, whatever
 * the inputs are called: for the tests of reports, and for the harness that searches for such
 * names.
 */
#ifndef OSM_GEN_TESTS_LOG_SAFE_H
#define OSM_GEN_TESTS_LOG_SAFE_H

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

static inline void log_unsafe(const char *why, sv text)
{
	fprintf(stderr, "%s: %.*s\n", why, SV_ARG(text));
	abort();
}

static inline bool log_is_hidden(uint32_t rune)
{
	return (rune < 0x20 && rune != '\n') || (rune >= 0x7F && rune < 0xA0) ||
	       (rune >= 0x200B && rune <= 0x200F) || (rune >= 0x2028 && rune <= 0x202E) ||
	       (rune >= 0x2060 && rune <= 0x206F) || rune == 0xFEFF;
}

/* As GitHub's runner reads a line: behind white space, "::" begins a command. */
static inline void assert_no_command_line(sv line)
{
	while (line.len > 0) {
		size_t width;
		uint32_t rune = utf8_decode(line, &width);

		if (rune != ' ' && rune != 0xA0 && rune != 0x3000 && rune != 0x1680 &&
		    !(rune >= 0x2000 && rune <= 0x200A) && rune != 0x202F && rune != 0x205F)
			break;
		line = sv_from_offset(line, width);
	}
	if (sv_starts_with(line, SV("::")))
		log_unsafe("a line that begins with ::", line);
}

/* tabs: they may stand in it. */
static inline void assert_log_safe(sv text, bool tabs)
{
	static const char *const commands[] = {"##[", "##vso[", "##teamcity["};
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	for (size_t i = 0; i < COUNT_OF(commands); i++)
		if (sv_contains(text, sv_from_cstr(commands[i])))
			log_unsafe(commands[i], text);
	while (sv_split_next(&lines, &line))
		assert_no_command_line(line);
	for (sv rest = text; rest.len > 0;) {
		size_t width;
		uint32_t rune = utf8_decode(rest, &width);

		if ((log_is_hidden(rune) && !(tabs && rune == '\t')) ||
		    (rune == UTF8_REPLACEMENT && width == 1))
			log_unsafe("hidden characters", text);
		rest = sv_from_offset(rest, width);
	}
}

/* The line without its code spans (CommonMark 6.1), and each of them closed. */
static inline sv without_code(struct arena *arena, sv line)
{
	struct buf buf = buf_in(arena);

	for (size_t at = 0; at < line.len; at++) {
		size_t run = 0;
		size_t end;

		while (at + run < line.len && line.ptr[at + run] == '`')
			run++;
		if (run == 0) {
			buf_add_char(&buf, line.ptr[at]);
			continue;
		}
		for (end = at + run; end < line.len;) {
			size_t other = 0;

			while (end + other < line.len && line.ptr[end + other] == '`')
				other++;
			end += other > 0 ? other : 1;
			if (other == run)
				break;
		}
		if (line.ptr[end - 1] != '`')
			log_unsafe("a code span that is open", line);
		at = end - 1;
	}
	return buf_sv(&buf);
}

static inline sv without(struct arena *arena, sv text, sv what)
{
	struct buf buf = buf_in(arena);

	for (size_t at = 0; at < text.len;) {
		bool here = sv_starts_with(sv_from_offset(text, at), what);

		if (!here)
			buf_add_char(&buf, text.ptr[at]);
		at += here ? what.len : 1;
	}
	return buf_sv(&buf);
}

static inline sv log_without_ticks(sv line)
{
	size_t at = 0;

	while (at < line.len && line.ptr[at] == '`')
		at++;
	return sv_from_offset(line, at);
}

/* Outside of code nothing mentions, links, or opens a tag that is not ours. */
static inline void assert_markdown_safe(struct arena *arena, sv text)
{
	static const char *const ours[] = {
	    "<!-- osm-gen -->", "<br>",  "<details>", "</details>", "<summary>",
	    "</summary>",       "#### ", "### ",      "**"};
	struct sv_splitter lines = sv_split(text, '\n');
	sv fence = {0};
	sv line;

	assert_log_safe(text, false);
	while (sv_split_next(&lines, &line)) {
		/* Between fences nothing is read. */
		sv ticks = sv_slice(line, 0, line.len - log_without_ticks(line).len);

		if (!sv_empty(fence) && !sv_eq(line, fence)) {
			if (ticks.len > fence.len)
				log_unsafe("a fence that ends early", text);
			continue;
		}
		if (!sv_empty(fence) ||
		    (ticks.len >= 3 && sv_eq(sv_from_offset(line, ticks.len), SV("diff")))) {
			fence = sv_empty(fence) ? ticks : SV("");
			continue;
		}
		sv rest = without_code(arena, line);

		for (size_t i = 0; i < COUNT_OF(ours); i++)
			rest = without(arena, rest, sv_from_cstr(ours[i]));
		for (size_t i = 0; i < rest.len; i++)
			if (strchr("@#<>!$~^[]&*_\\", rest.ptr[i]))
				log_unsafe("Markdown outside of code", rest);
		if (sv_contains(rest, SV("GH-")) || sv_contains(rest, SV("//")))
			log_unsafe("a reference outside of code", rest);
	}
}

#endif
