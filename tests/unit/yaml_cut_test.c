/*
 * yaml: texts with long ciphertexts of SOPS and long literals, most of which libyaml does not read.
 * Each is compared with the same text of which nothing is cut.
 */
#include "yaml/problem.h"
#include "yaml/yaml.h"
#include "json/json.h"

#include "asserts.h"

#include <string.h>

enum { LENGTH = 9000 };

/* Returns the form with `~` replaced by a ciphertext of that length with that mark. */
static sv fill(struct arena *arena, const char *form, const char *mark, size_t length)
{
	static const char letters[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct buf buf = buf_in(arena);

	for (; *form; form++) {
		if (*form != '~') {
			buf_add_char(&buf, *form);
			continue;
		}
		buf_printf(&buf, "%s[AES256_GCM,data:", mark);
		for (size_t i = 0; i < length; i++)
			buf_add_char(&buf, letters[(i * i + length) % 64]);
		BUF_ADD_LIT(&buf, "=,iv:AAAA=,tag:BBBB==,type:str]");
	}
	return buf_sv(&buf);
}

/* Adds values and places of all nodes, or all diagnostics. */
static void add_nodes(struct buf *buf, const struct value *node)
{
	struct position at = value_position(node);

	buf_printf(buf, "%zu+%zu/%d ", at.offset, at.length, (int)node->origin.style);
	if (value_is_map(node))
		for (size_t i = 0; i < value_count(node); i++) {
			const struct value_entry *entry = &node->map->entries[i];

			buf_add(buf, entry->key);
			buf_printf(buf, "@%u ", entry->key_origin.offset);
			add_nodes(buf, &entry->value);
		}
	if (value_is_list(node))
		for (size_t i = 0; i < value_count(node); i++)
			add_nodes(buf, value_item(node, i));
	if (!value_is_map(node) && !value_is_list(node))
		json_emit(buf, node, 0);
}

static sv describe(struct arena *arena, sv text)
{
	struct sink sink = sink_in(arena);
	struct yml_documents documents = {0};
	struct buf buf = buf_in(arena);
	enum status status =
	    yml_parse(arena, &sink, source_new(arena, SV("a.yaml"), text, false), &documents);

	VEC_EACH (document, &documents)
		add_nodes(&buf, &document->root);
	VEC_EACH (diag, &sink.diags)
		buf_printf(&buf, "%.*s at %zu+%zu ", SV_ARG((*diag)->text), (*diag)->at.offset,
		           (*diag)->at.length);
	assert_int_equal(status == STATUS_FAILED, sink.error_count > 0);
	/* The marks differ in one letter. */
	for (char *at = buf.ptr; (at = memmem(at, buf.len - (size_t)(at - buf.ptr), "ENX[", 4));)
		at[2] = 'C';
	return buf_sv(&buf);
}

static const char *const forms[] = {
    "data: ~\nafter: [1, 2]\n",
    "a: ~\nb: ~\nc:\n  d: ~\n  e: text\n",
    "data: \"~\"\nafter: text\n",
    "data: '~'\nafter: text\n",
    "data: |\n  first\n  ~\n  last\nafter: text\n",
    "data: >-\n  first\n  ~ ~\n\n  last\nafter: text\n",
    "data: first\n  ~\n  last\nafter: ~\n",
    "# ~\ndata: ~ # ~\nafter: text\n",
    "- ~\n- {a: text}\n---\n- ~\n...\n",
    "data: !!str ~\nafter: text\n",
    "data: &anchor ~\nafter: *anchor\n",
    "data: {a: ~}\nafter: text\n",
    "data: [~]\n",
    "~: value\nafter: text\n",
    "? ~\n: value\n",
    "data: ~\nafter: [1, 2\n",
    "data: ~\n after: text\n",
    "data: ~\ndata: ~\n",
    "data: ~\nafter: *unknown\n",
    "data: ~\nafter: caf\xC3\xA9\nlast: ~\n",
    "\xEF\xBB\xBF"
    "data: ~\nafter: text\n",
    "data: ~\x01\nafter: text\n",
    "data: ~~\nafter: text\n",
    "data: x~\nafter: text\n",
    "<<: ~\n",
    "~\n",
};

/* Returns comments: short texts are not cut at all. */
static sv padding(struct arena *arena)
{
	struct buf buf = buf_in(arena);

	for (unsigned i = 0; i < 200; i++)
		buf_printf(&buf, "# a line that makes the text longer, %u\n", i);
	return buf_sv(&buf);
}

static void assert_same(struct arena *arena, size_t form, size_t length, sv cut, sv whole)
{
	sv got = describe(arena, cut);
	sv want = describe(arena, whole);

	if (!sv_eq(got, want))
		fail_msg("form %zu, length %zu:\n%.200s\n%.200s", form, length,
		         arena_cstr(arena, got), arena_cstr(arena, want));
}

static void test_same_as_whole(void **state UNUSED)
{
	static const size_t lengths[] = {LENGTH, 2 * LENGTH, 255, 256, 257};

	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		for (size_t j = 0; j < COUNT_OF(lengths); j++) {
			ARENA_AUTO arena = arena_new(ARENA_PLAIN);
			sv cut = ARENA_CONCAT(arena, fill(arena, forms[i], "ENC", lengths[j]),
			                      padding(arena));
			sv whole = ARENA_CONCAT(arena, fill(arena, forms[i], "ENX", lengths[j]),
			                        padding(arena));

			assert_same(arena, i, lengths[j], cut, whole);
		}
	}
}

/* ---- literals ------------------------------------------------------------------------------ */

/* Returns the form with `~` replaced by lines of a script, indented by what is before it. */
static sv fill_lines(struct arena *arena, const char *form, unsigned lines)
{
	struct buf buf = buf_in(arena);
	size_t start = 0;

	for (; *form; form++) {
		if (*form == '\n')
			start = buf.len + 1;
		if (*form != '~') {
			buf_add_char(&buf, *form);
			continue;
		}
		int indent = (int)(buf.len - start);
		buf_printf(&buf, "line 0");
		for (unsigned i = 1; i < lines; i++) {
			const char *texts[] = {"echo: |", "- # no comment", "",   "    deeper",
			                       "\ttab",   "a: 'b'",         "  ", "}"};
			buf_printf(&buf, "\n%*s%s %u", i % 8 == 2 ? 0 : indent, "", texts[i % 8],
			           i);
			if (i % 8 == 2 || i % 8 == 6)
				buf.len -= i < 10 ? 2 : i < 100 ? 3 : i < 1000 ? 4 : 5;
		}
		buf_printf(&buf, "\n%*slast line", indent, "");
	}
	return buf_sv(&buf);
}

static const char *const literal_forms[] = {
    "a: |\n  ~\nafter: [1, 2]\n",
    "a: |-\n    ~\nafter: text\n",
    "a: |+\n  ~\n\n\nafter: text\n",
    "a: |\n  ~",
    "a: |-\n  ~",
    "a: |+\n  ~\n\n",
    "a: |\n\n   \n  ~\n\nafter: text\n",
    "a: |\n \n  ~\n \nafter: text\n",
    "a: |2\n    ~\nafter: text\n",
    "a: | # why\n  ~\nafter: text\n",
    "a: >\n  ~\nafter: text\n",
    "a: >-\n  b: |\n   ~\nafter: text\n",
    "a: |\n  b: |\n    ~\n  c: d\nafter: text\n",
    "a:\n- b: |\n    ~\n  c: |\n      ~\n- d: |-\n    ~\n",
    "- |\n  ~\n- - |\n   ~\n",
    "--- |\n  ~\n---\na: |\n ~\n...\n",
    "a: &anchor |\n  ~\nb: *anchor\n",
    "a: !!str |\n  ~\nb: !!binary |\n  ~\n",
    "? |\n  ~\n: text\n",
    "# a: |\n#   ~\nafter: text\n",
    "# a: |\n  ~\nafter: text\n",
    "a: \"b: |\n  ~\"\nafter: text\n",
    "a: 'b |\n  ~'\nafter: text\n",
    "a: b |\n  ~\nafter: text\n",
    "a: b |\n  # c\nd: |\n  ~\n",
    "a:\n  b: |\n  ~\nafter: text\n",
    "a: |\n~\nafter: text\n",
    "a: |\n  ~\n after: text\n",
    "a: |\n  ~\nafter: [1\n",
    "a: |\n  ~\na: |\n  ~\n",
    "a: |\n\t~\nafter: text\n",
    "a: {b: |\n  ~\n}\n",
    "a: |\n  ~\n# b: |\n#  ~\n# last |\n  ~",
    "a: |\r\n  ~\r\nafter: text\r\n",
    "a: |\n  x\r  y\n  ~\nafter: text\n",
    "|\n ~\n",
};

/* A letter that is not ASCII keeps a text from being cut. */
static void test_literals_same_as_whole(void **state UNUSED)
{
	static const unsigned lengths[] = {1000, 2000, 20, 17, 400};

	for (size_t i = 0; i < COUNT_OF(literal_forms); i++) {
		for (size_t j = 0; j < COUNT_OF(lengths); j++) {
			ARENA_AUTO arena = arena_new(ARENA_PLAIN);
			sv text = ARENA_CONCAT(arena, padding(arena),
			                       fill_lines(arena, literal_forms[i], lengths[j]));

			assert_same(arena, i, lengths[j], ARENA_CONCAT(arena, SV("# e\n"), text),
			            ARENA_CONCAT(arena, SV("#\xC3\xA9\n"), text));
		}
	}
}

/* What is cut is most of a text, or it would not be worth it. */
static void test_cuts_most(void **state UNUSED)
{
	for (size_t i = 0; i < 3; i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct sink sink = sink_in(arena);
		sv written = fill_lines(arena, literal_forms[i], 1000);
		struct yml_text text;

		assert_int_equal(yml_text_open(arena, &sink,
		                               source_new(arena, SV("a.yaml"), written, false),
		                               &text),
		                 STATUS_OK);
		assert_true(yml_text_cut(arena, &text));
		assert_true(text.read.len < 100);
	}
}

UNIT_TESTS(yaml_cut)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_same_as_whole),
	    cmocka_unit_test(test_literals_same_as_whole),
	    cmocka_unit_test(test_cuts_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
