/* osm-gen.yaml with another output contract: one number changes, or a line comes, and no byte else.
 */
#include "asserts.h"

#include "fleet/fleet.h"

#define HEAD "apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\n"

static void test_edits(void **state)
{
	static const struct {
		const char *before;
		const char *after;
	} rows[] = {
	    /* the number that is there */
	    {HEAD "spec:\n  contract: 1 # ours\n  defaults: {}\n",
	     HEAD "spec:\n  contract: 7 # ours\n  defaults: {}\n"},
	    {HEAD "spec: {contract: 1, defaults: {pauseImage: p}} # c\n",
	     HEAD "spec: {contract: 7, defaults: {pauseImage: p}} # c\n"},
	    {"# top\r\n" HEAD "spec:\r\n  contract:   12\r\n",
	     "# top\r\n" HEAD "spec:\r\n  contract:   7\r\n"},
	    /* a line behind spec, with its children's indentation */
	    {"# top\n" HEAD "spec: # all\n    # about\n    defaults: {pauseImage: p}\n",
	     "# top\n" HEAD
	     "spec: # all\n    contract: 7\n    # about\n    defaults: {pauseImage: p}\n"},
	    {HEAD "spec:\r\n  defaults: {}\r\n",
	     HEAD "spec:\r\n  contract: 7\r\n  defaults: {}\r\n"},
	    {HEAD "spec:\n\n\n  commit: {author: \"N <m@example.com>\"}",
	     HEAD "spec:\n  contract: 7\n\n\n  commit: {author: \"N <m@example.com>\"}"},
	    /* in braces */
	    {HEAD "spec: {defaults: {}}\n", HEAD "spec: {contract: 7, defaults: {}}\n"},
	    {HEAD "spec: {}\n", HEAD "spec: {contract: 7}\n"},
	    {"{\"apiVersion\": \"osm-gen.dev/v1alpha1\", \"kind\": \"Fleet\", \"spec\": "
	     "{\"limits\": {}}}",
	     "{\"apiVersion\": \"osm-gen.dev/v1alpha1\", \"kind\": \"Fleet\", \"spec\": "
	     "{\"contract\": 7, \"limits\": {}}}"},
	    {"{\n  \"apiVersion\": \"osm-gen.dev/v1alpha1\",\n  \"kind\": \"Fleet\",\n  \"spec\": "
	     "{\n"
	     "    \"limits\": {}\n  }\n}\n",
	     "{\n  \"apiVersion\": \"osm-gen.dev/v1alpha1\",\n  \"kind\": \"Fleet\",\n  \"spec\": "
	     "{\n"
	     "    \"contract\": 7,\n    \"limits\": {}\n  }\n}\n"},
	    {HEAD "spec: {\r\n  limits: {} }\r\n",
	     HEAD "spec: {\r\n  contract: 7,\r\n  limits: {} }\r\n"},
	    /* a spec without anything, none at all */
	    {HEAD "spec:\n", HEAD "spec:\n  contract: 7\n"},
	    {HEAD "spec:", HEAD "spec:\n  contract: 7\n"},
	    {HEAD, HEAD "spec:\n  contract: 7\n"},
	    {HEAD "spec: null # later\n", HEAD "spec: {contract: 7} # later\n"},
	    {HEAD "spec:\n  contract:\n  defaults: {}\n",
	     HEAD "spec:\n  contract: 7\n  defaults: {}\n"},
	    {"{apiVersion: osm-gen.dev/v1alpha1, kind: Fleet}",
	     "{spec: {contract: 7}, apiVersion: osm-gen.dev/v1alpha1, kind: Fleet}"},
	    {HEAD "metadata: {name: all}\n", HEAD "spec:\n  contract: 7\nmetadata: {name: all}\n"},
	    /* no Fleet */
	    {"", HEAD "spec:\n  contract: 7\n"},
	    {"# nothing yet", "# nothing yet\n---\n" HEAD "spec:\n  contract: 7\n"},
	    {"apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {name: a}\n",
	     "apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {name: a}\n---\n" HEAD
	     "spec:\n  contract: 7\n"},
	    /* among other documents */
	    {"apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {name: a}\nspec: "
	     "{}\n---\n" HEAD "spec:\n  contract: 1\n---\nkind: Other\nspec: {contract: 1}\n",
	     "apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {name: a}\nspec: "
	     "{}\n---\n" HEAD "spec:\n  contract: 7\n---\nkind: Other\nspec: {contract: 1}\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		sv text;

		if (!fleet_raise_contract(arena, sv_from_cstr(rows[i].before), 7, &text))
			fail_msg("refused: %s", rows[i].before);
		assert_sv(text, rows[i].after);
		int64_t named = 0;
		assert_true(fleet_named_contract(arena, text, &named));
		assert_int_equal(named, 7);
	}
}

/* What cannot be changed by itself is refused. */
static void test_refused(void **state)
{
	static const char *const texts[] = {
	    HEAD "spec: [",                 /* not YAML */
	    HEAD "spec: text\n",            /* another type */
	    HEAD "spec:\n- defaults: {}\n", /* and another */
	    HEAD "spec: [{defaults: {}}]\n",
	    HEAD "spec: &s\n  contract: &c 1\n  defaults: {pauseImage: *c}\n", /* used elsewhere */
	    HEAD "metadata: &m {name: a}\nspec: *m\n", /* stands elsewhere */
	    HEAD "---\n" HEAD,                         /* two of them */
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		sv text = SV("untouched");

		if (fleet_raise_contract(arena, sv_from_cstr(texts[i]), 7, &text))
			fail_msg("took %s as %.*s", texts[i], SV_ARG(text));
		assert_sv(text, "untouched");
	}
}

static void test_named(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	int64_t named = -1;

	(void)state;
	assert_true(fleet_named_contract(arena, SV(HEAD), &named));
	assert_int_equal(named, 0);
	assert_true(fleet_named_contract(arena, SV(""), &named));
	assert_int_equal(named, 0);
	assert_true(fleet_named_contract(arena, SV(HEAD "spec: {contract: 9}\n"), &named));
	assert_int_equal(named, 9);
	assert_false(fleet_named_contract(arena, SV(HEAD "spec: {contract: '9'}\n"), &named));
	assert_false(fleet_named_contract(arena, SV("a: ["), &named));
}

UNIT_TESTS(fleet_raise)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_edits),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
