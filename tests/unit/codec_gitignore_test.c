/* Patterns of gitignore(5); expectations are those of git check-ignore. */
#include "codec/codec.h"

#include "asserts.h"

/* The path, or a folder above it. */
static bool is_ignored(const struct gitignore *ignore, sv path, bool is_folder)
{
	uint64_t left = UINT64_MAX;

	for (size_t i = 0; i < path.len; i++)
		if (path.ptr[i] == '/' &&
		    gitignore_excludes(ignore, sv_slice(path, 0, i), true, &left))
			return true;
	return gitignore_excludes(ignore, path, is_folder, &left);
}

static void test_patterns(void **state)
{
	(void)state;
	static const struct {
		const char *patterns;
		const char *path;
		bool is_folder;
		bool ignored;
	} cases[] = {
	    {"a", "a", false, true},
	    {"a", "x/a", false, true},
	    {"a", "a/x", false, true},
	    {"a", "ab", false, false},
	    {"/a", "x/a", false, false},
	    {"/a", "a", false, true},
	    {"a/b", "x/a/b", false, false},
	    {"a/b", "a/b/c", false, true},
	    {"a/", "a", false, false},
	    {"a/", "a", true, true},
	    {"a/", "x/a/y", false, true},
	    {"*.yaml", "x/y.yaml", false, true},
	    {"*", "x/y", false, true},
	    {"a/*", "a/b/c", false, true},
	    {"a*c", "a/c", false, false},
	    {"a?c", "a/c", false, false},
	    {"a?c", "abc", false, true},
	    {"**/a", "x/y/a", false, true},
	    {"**/a/b", "x/a/b", false, true},
	    {"a/**", "a", true, false},
	    {"a/**", "a/b", false, true},
	    {"a/**/b", "a/b", false, true},
	    {"a/**/b", "a/x/y/b", false, true},
	    {"a/**/b*d/c", "a/x/bd/y/bzd/c", false, true},
	    {"a**b", "a/b", false, false},
	    {"[ab]", "b", false, true},
	    {"[!ab]", "b", false, false},
	    {"[a-c]x", "bx", false, true},
	    {"[[:digit:]]", "7", false, true},
	    {"[]a]", "]", false, true},
	    {"[a", "[a", false, false},
	    {"x/[!a]y", "x//y", false, false},
	    {"# comment", "# comment", false, false},
	    {"\\#a", "#a", false, true},
	    {"\\!a", "!a", false, true},
	    {"a \n", "a", false, true},
	    {"a\\ ", "a ", false, true},
	    {"a\\", "a\\", false, false},
	    {"a\r\nb\r\n", "a", false, true},
	    {"\xef\xbb\xbf"
	     "a",
	     "a", false, true},
	    {"*.yaml\n!keep.yaml", "keep.yaml", false, false},
	    {"!keep.yaml\n*.yaml", "keep.yaml", false, true},
	    {"d/\n!d/keep", "d/keep", false, true},
	    {"d/*\n!d/keep", "d/keep", false, false},
	    /* Words beside wildcards, in either order. */
	    {"*.yaml\n!d/keep.yaml\nkeep.*", "d/keep.yaml", false, true},
	    {"keep.*\n!keep.yaml\n*.json", "d/keep.yaml", false, false},
	    {"x\n!x\nx", "d/x", false, true},
	    {"x/\n!x", "x", true, false},
	    {"!x\nx/", "x", true, true},
	    {"!x\nx/", "x", false, false},
	    {"/x\n!x", "x", false, false},
	    {"", "a", false, false},
	    {"/", "a", false, false},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct gitignore *ignore = gitignore_parse(arena, sv_from_cstr(cases[i].patterns));
		bool ignored = is_ignored(ignore, sv_from_cstr(cases[i].path), cases[i].is_folder);

		if (ignored != cases[i].ignored)
			fail_msg("%s against %s", cases[i].patterns, cases[i].path);
	}
}

static void work_is_counted_and_ends(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct gitignore *words = gitignore_parse(arena, SV("a\nb\nc\nd\n"));
	struct gitignore *wild = gitignore_parse(arena, SV("*\n*aaaa*aaab\n"));
	uint64_t left = 1000;

	assert_true(gitignore_excludes(words, SV("x/d"), false, &left));
	assert_int_equal(left, 1000);
	assert_true(gitignore_excludes(wild, SV("aaaaaaaa"), false, &left));
	assert_in_range(left, 900, 999);
	left = 1;
	assert_false(gitignore_excludes(wild, SV("aaaaaaaa"), false, &left));
	assert_int_equal(left, 0);
}

UNIT_TESTS(codec_gitignore)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_patterns),
	                                   cmocka_unit_test(work_is_counted_and_ends)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
