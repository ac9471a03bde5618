/* value_text_position: every byte of a decoded string leads back to the byte it was written as. */
#include "yaml/yaml.h"
#include "json/json.h"

#include "asserts.h"
#include "dice.h"

struct reading {
	struct arena *arena;
	struct value root;
	bool ok;
};

static void read_text(struct reading *r, sv text, bool is_json)
{
	struct yml_documents documents = {0};

	r->arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(r->arena);
	const struct source *source = source_new(r->arena, SV("a"), text, false);
	if (is_json) {
		r->ok = json_parse(r->arena, &sink, source, &r->root) == STATUS_OK;
		return;
	}
	r->ok = yml_parse(r->arena, &sink, source, &documents) == STATUS_OK && documents.count == 1;
	if (r->ok)
		r->root = documents.items[0].root;
}

static void end(struct reading *r)
{
	arena_free(r->arena);
}

/* Byte `offset` of the value under "k" stands at this place. */
static void assert_at(const char *text, size_t offset, const char *place)
{
	struct reading r;

	read_text(&r, sv_from_cstr(text), false);
	assert_true(r.ok);
	struct position at = value_text_position(value_path(&r.root, "k"), offset);
	assert_place(at, place);
	assert_int_equal(at.length, 1);
	end(&r);
}

static void test_literal(void **state UNUSED)
{
	assert_at("k: |\n  ab\n  cd\n", 0, "2:3");
	assert_at("k: |\n  ab\n  cd\n", 2, "2:5"); /* the line break */
	assert_at("k: |\n  ab\n  cd\n", 3, "3:3");
	assert_at("k: |\n  ab\n  cd\n", 5, "3:5");
	assert_at("k: |\n  ab\n  cd\n", 6, "3:5");  /* the end: shown at the last byte */
	assert_at("k: |\n  ab\n  cd\n", 99, "3:5"); /* behind it, too */
	assert_at("k: |\n\n\n    ab\n\n    cd\n", 2, "4:5");
	assert_at("k: |\n\n\n    ab\n\n    cd\n", 1, "3:1");
	assert_at("k: |\n\n\n    ab\n\n    cd\n", 6, "6:5");
	assert_at("k: |  # note\n  ab\n", 1, "2:4");
	assert_at("k: &a !!str |-\n  ab\n", 1, "2:4");
	assert_at("k: |\r\n  ab\r\n  cd\r\n", 2, "2:5");
	assert_at("k: |\r\n  ab\r\n  cd\r\n", 3, "3:3");
	assert_at("k: |\n      a\n        b\n      c\n", 2, "3:7");
	assert_at("k: |\n      a\n        b\n      c\n", 4, "3:9");
	/* With the indentation given, the first line may be indented itself. */
	assert_at("k: |2\n    ab\n  cd\n", 0, "2:3");
	assert_at("k: |2\n    ab\n  cd\n", 2, "2:5");
	assert_at("k: |2\n    ab\n  cd\n", 5, "3:3");
	assert_at("k: |1-\n    \n  ab\n", 0, "2:2");
	assert_at("k: |1-\n    \n  ab\n", 5, "3:3");
	assert_at("k: |+\n  a\n\n\n", 3, "4:1");
	/* Tabs belong to the text. */
	assert_at("k: |\n  a\n  \tb\n", 3, "3:4");
}

static void test_quoted(void **state UNUSED)
{
	assert_at("k: 'ab'\n", 1, "1:6");
	assert_at("k: 'a''b'\n", 1, "1:6");
	assert_at("k: 'a''b'\n", 2, "1:8");
	assert_at("k: 'a\n  b\n\n  c'\n", 1, "1:6"); /* the space is the line break */
	assert_at("k: 'a\n  b\n\n  c'\n", 2, "2:3");
	assert_at("k: 'a\n  b\n\n  c'\n", 3, "3:1");
	assert_at("k: 'a\n  b\n\n  c'\n", 4, "4:3");
	assert_at("k: \"a\\tb\"\n", 1, "1:6");
	assert_at("k: \"a\\tb\"\n", 2, "1:8");
	assert_at("k: \"\\x41\\u00e9\\U0001F600b\"\n", 0, "1:5");
	assert_at("k: \"\\x41\\u00e9\\U0001F600b\"\n", 1, "1:9");
	assert_at("k: \"\\x41\\u00e9\\U0001F600b\"\n", 2, "1:9");
	assert_at("k: \"\\x41\\u00e9\\U0001F600b\"\n", 3, "1:15");
	assert_at("k: \"\\x41\\u00e9\\U0001F600b\"\n", 6, "1:15");
	assert_at("k: \"\\x41\\u00e9\\U0001F600b\"\n", 7, "1:25");
	assert_at("k: \"\\_\\N\\L\\Px\"\n", 1, "1:5");
	assert_at("k: \"\\_\\N\\L\\Px\"\n", 10, "1:13");
	assert_at("k: \"a \\\n    b\"\n", 2, "2:5");
	assert_at("k: \"a\\\n\n    b\"\n", 1, "2:1");
	assert_at("k: \"a\\\n\n    b\"\n", 2, "3:5");
	assert_at("k: \"a\\\n   \\ b\"\n", 1, "2:4");
}

static void test_plain_and_folded(void **state UNUSED)
{
	assert_at("k: abc\n", 2, "1:6");
	assert_at("k: a\n  b  c\n\n\n  d\n", 1, "1:5");
	assert_at("k: a\n  b  c\n\n\n  d\n", 2, "2:3");
	assert_at("k: a\n  b  c\n\n\n  d\n", 5, "2:6");
	assert_at("k: a\n  b  c\n\n\n  d\n", 8, "5:3");
	assert_at("k: >\n  a\n  b\n\n  c\n    d\n  e\n", 1, "2:4");
	assert_at("k: >\n  a\n  b\n\n  c\n    d\n  e\n", 2, "3:3");
	assert_at("k: >\n  a\n  b\n\n  c\n    d\n  e\n", 3, "4:1");
	assert_at("k: >\n  a\n  b\n\n  c\n    d\n  e\n", 4, "5:3");
	assert_at("k: >\n  a\n  b\n\n  c\n    d\n  e\n", 8, "6:5");
	assert_at("k: >\n  a\n  b\n\n  c\n    d\n  e\n", 10, "7:3");
}

static void test_json(void **state UNUSED)
{
	struct reading r;
	sv text = SV("{\"k\": \"a\\ud83d\\ude00\\/\\ud800b\"}");

	read_text(&r, text, true);
	assert_true(r.ok);
	const struct value *k = value_path(&r.root, "k");
	static const size_t want[] = {7, 8, 8, 8, 8, 20, 22, 22, 22, 28};
	for (size_t i = 0; i < COUNT_OF(want); i++)
		assert_int_equal(value_text_position(k, i).offset, want[i]);
	end(&r);
}

static void test_without_source(void **state UNUSED)
{
	struct value made = value_string(SV("abc"));

	assert_null(value_text_position(&made, 1).source);
	assert_null(value_position(NULL).source);
	assert_int_equal(position_line_column(value_text_position(&made, 1)).line, 0);
}

/* Of each part what it says of itself; of what is nobody's the place of the whole. */
static void test_joined(void **state UNUSED)
{
	struct reading r;
	struct value clear = value_string(SV("="));

	read_text(&r, SV("k: {b: \"x\\ty\", c: 12}\na: |\n  one\n  two\n"), false);
	assert_true(r.ok);
	const struct value *block = value_path(&r.root, "a");
	const struct origin_part parts[] = {
	    {0, NULL},   {2, value_path(&r.root, "k.b")},
	    {5, &clear}, {6, value_path(&r.root, "k.c")},
	    {8, block},
	};
	struct value v = value_joined(r.arena, SV("# x\ty=12one\ntwo\n"), parts, COUNT_OF(parts),
	                              value_path(&r.root, "k")->origin);
	static const char *const want[] = {"1:4", "1:4",  "1:9", "1:10", "1:12",
	                                   NULL,  "1:19", NULL,  "3:3",  "3:4"};
	for (size_t i = 0; i < COUNT_OF(want); i++)
		if (want[i])
			assert_place(value_text_position(&v, i), want[i]);
	assert_null(value_text_position(&v, 5).source);
	assert_place(value_position(&v), "1:4");
	assert_place(value_text_position(&v, 12), "4:3");
	assert_place(value_text_position(&v, 99), "4:6");
	size_t offset = 12;
	assert_ptr_equal(value_part_at(&v, &offset), block);
	assert_int_equal(offset, 4);
	offset = 1;
	assert_null(value_part_at(&v, &offset));
	assert_ptr_equal(value_part_at(block, &offset), block);
	struct value none = value_joined(r.arena, SV("abc"), parts, 1, clear.origin);
	assert_null(value_text_position(&none, 1).source);
	end(&r);
}

/* ---- generated texts --------------------------------------------------------------------- */

static void add_line(struct dice *dice, struct buf *buf, enum origin_style style)
{
	static const char *const words[] = {"a", "bc",   "\xC3\xA9", "\xE2\x82\xAC",
	                                    "-", "x  y", "{{ .Z }}"};

	buf_add_cstr(buf, words[roll(dice, 4)]);
	for (unsigned i = roll(dice, 4); i > 0; i--) {
		buf_add_char(buf, ' ');
		buf_add_cstr(buf, words[roll(dice, COUNT_OF(words) - (style == ORIGIN_PLAIN))]);
		if (style == ORIGIN_SINGLE_QUOTED && roll(dice, 3) == 0)
			BUF_ADD_LIT(buf, "''");
		if (style == ORIGIN_DOUBLE_QUOTED && roll(dice, 3) == 0)
			buf_add_cstr(buf, (const char *const[]){"\\n", "\\u00e9", "\\\"",
			                                        "\\x07"}[roll(dice, 4)]);
	}
}

/* A document {k: scalar} in the style, of a few lines, some empty, some indented more. */
static void add_document(struct dice *dice, struct buf *buf, enum origin_style style)
{
	static const char *const opening[] = {"", "", "'", "\"", "|", ">"};
	static const char *const closing[] = {"", "", "'", "\"", "", ""};
	const char *line_break = roll(dice, 4) ? "\n" : "\r\n";
	bool is_block = style == ORIGIN_LITERAL || style == ORIGIN_FOLDED;
	unsigned indent = 1 + roll(dice, 4);
	bool says_indent = is_block && roll(dice, 3) == 0;

	buf_add_cstr(buf, roll(dice, 2) ? "\xC3\xBC: 1\nk: " : "k: ");
	buf_add_cstr(buf, opening[style]);
	if (says_indent)
		buf_printf(buf, "%u", indent);
	if (is_block)
		buf_add_cstr(buf, (const char *const[]){"", "-", "+"}[roll(dice, 3)]);
	for (unsigned i = 0, lines = 1 + roll(dice, 5); i < lines; i++) {
		if (i > 0 || is_block) {
			buf_add_cstr(buf, line_break);
			for (unsigned k = roll(dice, 6); k > 3; k--)
				buf_add_cstr(buf, line_break);
			buf_add_repeat(buf, ' ', indent);
			if (is_block && (i > 0 || says_indent))
				buf_add_repeat(buf, ' ', roll(dice, 4) ? 0 : roll(dice, 4));
		}
		add_line(dice, buf, style);
		if (style != ORIGIN_EXACT && style != ORIGIN_PLAIN && roll(dice, 5) == 0)
			BUF_ADD_LIT(buf, "  ");
		if (style == ORIGIN_EXACT)
			break;
	}
	buf_add_cstr(buf, closing[style]);
	buf_add_cstr(buf, line_break);
	if (roll(dice, 3) == 0)
		BUF_ADD_LIT(buf, "\nz: 1\n");
}

/* Each byte is the one at its position, but for escapes, and breaks that became a space. */
static void check_positions(const struct value *v, sv text)
{
	sv decoded = value_text(v);
	size_t before = 0;

	for (size_t i = 0; i < decoded.len; i++) {
		struct position at = value_text_position(v, i);

		assert_true(at.offset >= v->origin.offset);
		assert_true(at.offset < (size_t)v->origin.offset + v->origin.length);
		char there = text.ptr[at.offset];
		bool is_break = there == '\n' || there == '\r';
		bool is_escape = there == '\\' && v->origin.style == ORIGIN_DOUBLE_QUOTED;
		assert_true(there == decoded.ptr[i] || is_escape ||
		            (is_break && (decoded.ptr[i] == '\n' || decoded.ptr[i] == ' ')));
		assert_true(i == 0 || at.offset > before || (is_escape && at.offset == before));
		before = at.offset;
	}
}

static void test_generated(void **state UNUSED)
{
	struct dice dice = {7};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	size_t read[ORIGIN_FOLDED + 1] = {0};
	struct reading r;

	for (unsigned i = 0; i < 6000; i++) {
		struct buf text = buf_in(arena);

		add_document(&dice, &text, (enum origin_style)(i % (ORIGIN_FOLDED + 1)));
		read_text(&r, buf_sv(&text), false);
		if (r.ok && value_is_string(value_path(&r.root, "k"))) {
			const struct value *k = value_path(&r.root, "k");

			check_positions(k, buf_sv(&text));
			read[k->origin.style]++;
		}
		end(&r);
		arena_reset(arena);
	}
	/* The generator makes YAML, mostly, in all styles. */
	for (size_t i = 0; i < COUNT_OF(read); i++)
		assert_true(read[i] > 300);
}

UNIT_TESTS(position)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_literal),          cmocka_unit_test(test_quoted),
	    cmocka_unit_test(test_plain_and_folded), cmocka_unit_test(test_json),
	    cmocka_unit_test(test_without_source),   cmocka_unit_test(test_joined),
	    cmocka_unit_test(test_generated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
