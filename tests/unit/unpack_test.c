/* Opened objects for people: each value decoded, each file of user-data by itself. */
#include "asserts.h"

#include "codec/codec.h"
#include "unpack/unpack.h"
#include "yaml/yaml.h"

static struct value parsed(struct arena *arena, sv text)
{
	struct sink sink = sink_in(arena);
	struct yml_documents documents = {0};

	assert_int_equal(
	    yml_parse(arena, &sink, source_new(arena, SV("object"), text, false), &documents),
	    STATUS_OK);
	return documents.items[0].root;
}

static sv printed(struct arena *arena, sv text)
{
	struct value object = parsed(arena, text);
	struct unpack_parts parts = {0};
	struct buf out = buf_in(arena);

	unpack_object(arena, &object, &parts);
	unpack_print(&out, &parts);
	return buf_sv(&out);
}

/* Returns a Secret with one value, which is encoded as Secrets are. */
static sv secret_of(struct arena *arena, sv bytes)
{
	return ARENA_CONCAT(arena, SV("kind: Secret\ndata:\n  user: "),
	                    base64_encode(arena, BASE64_STD, bytes), SV("\n"));
}

static void test_values(void **state)
{
	static const struct {
		const char *user_data;
		const char *shown;
	} rows[] = {
	    {"plain", "==> user <==\nplain\n"},
	    {"tab\tbell\a\r\n", "==> user <==\ntab\tbell\\x07\\x0d\n"},
	    {"#cloud-config\nwrite_files:\n- {path: /a, encoding: b64, content: aGk=}\n- path: "
	     "/b\n  content: |\n    x\n",
	     "==> user <==\n#cloud-config\nwrite_files:\n- path: /a\n  encoding: b64\n- path: /b\n"
	     "==> user: /a <==\nhi\n==> user: /b <==\nx\n"},
	    /* A path twice, content that is no base64, and a content of another kind. */
	    {"#cloud-config\nwrite_files:\n- {path: /a, content: x}\n- {path: /a, encoding: b64, "
	     "content: '*'}\n- {path: /c, content: [1]}\n",
	     "==> user <==\n#cloud-config\nwrite_files:\n- path: /a\n- path: /a\n  encoding: "
	     "b64\n- path: /c\n  content:\n  - 1\n"
	     "==> user: /a <==\nx\n==> user: /a (2) <==\n*\n"},
	    {"#cloud-config\ncoreos:\n  units:\n  - name: a.service\n    content: |\n      "
	     "[Unit]\n    drop_ins: [{name: b.conf, content: c}]\n",
	     "==> user <==\n#cloud-config\ncoreos:\n  units:\n  - name: a.service\n    drop_ins:\n "
	     "   - name: b.conf\n"
	     "==> user: a.service <==\n[Unit]\n==> user: a.service.d/b.conf <==\nc\n"},
	    {"{\"ignition\":{\"version\":\"2.3.0\"},\"storage\":{\"files\":[{\"path\":\"/"
	     "a\",\"contents\":{\"source\":\"data:,a%0Ab%\"}}]},"
	     "\"systemd\":{\"units\":[{\"name\":\"u\",\"contents\":\"[Unit]\\n\",\"dropins\":[{"
	     "\"name\":\"d\",\"contents\":\"e\"}]}]}}",
	     "==> user <==\nignition:\n  version: 2.3.0\nstorage:\n  files:\n  - path: "
	     "/a\nsystemd:\n  units:\n  - name: u\n    dropins:\n"
	     "    - name: d\n==> user: /a <==\na\nb%\n==> user: u <==\n[Unit]\n==> user: u.d/d "
	     "<==\ne\n"},
	    {"{\"storage\":{\"files\":[{\"path\":\"/"
	     "a\",\"contents\":{\"source\":\"data:;base64,aGk=\"}},"
	     "{\"path\":\"/b\",\"contents\":{\"source\":\"https://example.org/b\"}}]}}",
	     "==> user <==\nstorage:\n  files:\n  - path: /a\n  - path: /b\n    contents:\n      "
	     "source: https://example.org/b\n"
	     "==> user: /a <==\nhi\n"},
	    /* What cannot be parsed is shown as it is. */
	    {"#cloud-config\n- [\n", "==> user <==\n#cloud-config\n- [\n"},
	    {"{\"a\":", "==> user <==\n{\"a\":\n"},
	    {"#!/bin/sh\nput /a <<<'c29tZSB0ZXh0CmFuZCBtb3JlCg=='\nrun "
	     "/usr/bin/somewhere/else/and/more\n",
	     "==> user <==\n#!/bin/sh\nput /a <<<'(base64, decoded below)'\n    | some text\n    | "
	     "and more\nrun "
	     "/usr/bin/somewhere/else/and/more\n"},
	    /* A name cannot look like another part. */
	    {"#cloud-config\nwrite_files:\n- {path: \"/a <==\\n==> /b\", content: x}\n",
	     "==> user <==\n#cloud-config\nwrite_files:\n- path: |-\n    /a <==\n    ==> /b\n==> "
	     "user: /a <==\\x0a==> /b <==\nx\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		sv text = printed(arena, secret_of(arena, sv_from_cstr(rows[i].user_data)));

		assert_true(sv_starts_with(text, SV("kind: Secret\n")));
		assert_sv(sv_from_offset(text, strlen("kind: Secret\n")), rows[i].shown);
	}
}

static void test_compressed(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf packed = buf_in(arena);
	struct buf file = buf_in(arena);

	(void)state;
	gzip_add(&file, SV("inside\n"));
	gzip_add(&packed,
	         ARENA_CONCAT(
	             arena,
	             SV("#cloud-config\nwrite_files:\n- path: /a\n  encoding: gz+b64\n  content: "),
	             base64_encode(arena, BASE64_STD, buf_sv(&file)), SV("\n")));
	assert_sv(printed(arena, secret_of(arena, buf_sv(&packed))),
	          "kind: Secret\n==> user <==\n#cloud-config\nwrite_files:\n- path: /a\n  "
	          "encoding: gz+b64\n==> user: /a <==\ninside\n");
}

/* Many small members that are large once they are expanded. */
static void test_bombs(void **state)
{
	enum { SIZE = 8 * 1024 * 1024, MEMBERS = 40 };
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf zeros = buf_in(arena);
	struct buf packed = buf_in(arena);
	struct buf object = buf_in(arena);

	(void)state;
	buf_add_repeat(&zeros, 'a', SIZE);
	gzip_add(&packed, buf_sv(&zeros));
	buf_add_cstr(&object, "kind: Secret\ndata:\n");
	for (int i = 0; i < MEMBERS; i++)
		buf_printf(&object, "  m%d: %.*s\n", i,
		           SV_ARG(base64_encode(arena, BASE64_STD, buf_sv(&packed))));
	sv text = printed(arena, buf_sv(&object));
	assert_true(text.len > SIZE);
	assert_true(text.len < (size_t)SIZE * 10);
}

static void test_others(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	(void)state;
	/* Bytes that are no text, and stringData. */
	assert_sv(
	    printed(arena, SV("kind: Secret\ndata: {a: /w==}\nstringData: {b: c}\ntype: Opaque\n")),
	    "kind: Secret\ntype: Opaque\n==> a <==\n(1 bytes that are not text, sha256 "
	    "a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89)\n==> b <==\nc\n");
	/* An OperatingSystemConfig that is sealed as a whole. */
	assert_sv(printed(arena, SV("kind: OperatingSystemConfig\nspec:\n  files:\n  - path: /a\n  "
	                            "  content: {inline: {encoding: b64, data: aGk=}}\n")),
	          "kind: OperatingSystemConfig\nspec:\n  files:\n  - path: /a\n==> /a <==\nhi\n");
	assert_sv(printed(arena, SV("- 1\n")), "- 1\n");
	assert_sv(printed(arena, SV("kind: Secret\ndata: {a: [1], b: '*'}\n")),
	          "kind: Secret\n==> a <==\n==> b <==\n*\n");
}

UNIT_TESTS(unpack)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_compressed),
	    cmocka_unit_test(test_bombs),
	    cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
