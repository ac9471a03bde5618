/*
 * yaml: texts with long ciphertexts of SOPS, which libyaml does not read. Each is compared with the
 * same text that has a mark of the same length which nothing is cut after.
 */
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

static void test_same_as_whole(void **state UNUSED)
{
	static const size_t lengths[] = {LENGTH, 2 * LENGTH, 255, 256, 257};

	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		for (size_t j = 0; j < COUNT_OF(lengths); j++) {
			ARENA_AUTO arena = arena_new(ARENA_PLAIN);
			struct buf padding = buf_in(arena);

			/* Short texts are not cut at all: make them long. */
			for (unsigned k = 0; k < 200; k++)
				buf_printf(&padding, "# a line that makes the text longer, %u\n",
				           k);
			sv cut = ARENA_CONCAT(arena, fill(arena, forms[i], "ENC", lengths[j]),
			                      buf_sv(&padding));
			sv whole = ARENA_CONCAT(arena, fill(arena, forms[i], "ENX", lengths[j]),
			                        buf_sv(&padding));
			sv got = describe(arena, cut);
			sv want = describe(arena, whole);

			if (!sv_eq(got, want))
				fail_msg("form %zu, length %zu:\n%.200s\n%.200s", i, lengths[j],
				         arena_cstr(arena, got), arena_cstr(arena, want));
		}
	}
}

UNIT_TESTS(yaml_ciphertext)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_same_as_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
