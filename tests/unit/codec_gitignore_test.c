/* Patterns of gitignore(5); expectations are those of git check-ignore. */
#include "codec/codec.h"

#include "asserts.h"

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
	    {"", "a", false, false},
	    {"/", "a", false, false},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct gitignore *ignore = gitignore_parse(arena, sv_from_cstr(cases[i].patterns));
		bool ignored =
		    gitignore_is_ignored(ignore, sv_from_cstr(cases[i].path), cases[i].is_folder);

		if (ignored != cases[i].ignored)
			fail_msg("%s against %s", cases[i].patterns, cases[i].path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_patterns)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
