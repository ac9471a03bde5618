/*
 * git: a call of the system fails while the output is committed, one after the other. The branch
 * has its old commit or the new one, work tree and index fit, nothing is left, and the next run
 * makes the same commit. tests/cli/write_faults.sh tries more faults, in whole runs.
 */
#include "git_open.h"
#include "git_output_fixture.h"
#include "system_calls.h"

#include <errno.h>

/* ---- calls that fail --------------------------------------------------------------------- */

static bool is_armed;
static size_t calls;   /* since it was armed */
static size_t failing; /* the number of the call that fails, from 1 */
static int failing_with;
static const char *failed_call; /* null if none has failed */

/* Counts a call, and makes one of them fail. */
static int nth_call_fails(const char *call)
{
	if (!is_armed || ++calls != failing)
		return 0;
	failed_call = call;
	return failing_with;
}

/* ---- the runs ---------------------------------------------------------------------------- */

/* Commits the example in the repository "again", with the call of that number failing. */
static enum status run(struct fixture *f, size_t number, int error)
{
	struct git_output *output = NULL;
	struct git_output_result result;

	open_repo(f, "again");
	struct git_source source = find(f, "HEAD");
	const struct git_output_options options = {
	    .folder = SV("out"), .workers = 2, .source = &source};
	f->sink = sink_in(f->arena);
	calls = 0;
	failing = number;
	failing_with = error;
	failed_call = NULL;
	is_armed = true;
	enum status status = git_output_begin(f->arena, &f->sink, f->repo, &options, &output);
	if (status == STATUS_OK) {
		static const char *const paths[] = {"c1/one", "c2/deep/er/three", "c1/sub/four"};

		for (size_t i = 0; i < COUNT_OF(paths) && status == STATUS_OK; i++)
			status = git_output_put(&f->sink, output, 1, sv_from_cstr(paths[i]),
			                        &(struct git_content){.bytes = SV("new")});
		git_output_remove(output, 0, SV("c1/two"));
	}
	if (status == STATUS_OK)
		status = git_output_finish(&f->sink, output, &text, &result);
	git_output_free(output);
	is_armed = false;
	return status;
}

/* The branch, and what is not as it was committed or is left of a run. */
static sv look(struct fixture *f)
{
	return shell(f,
	             "cd again && git rev-parse refs/heads/main && "
	             "if [ -d .git ]; then git status --porcelain -uall; fi && "
	             "find . -name '*tmp*' -o -name '*.lock' -o -name '*stage*' -o -name osm-gen "
	             "-o -name 'run-*'");
}

static void fail_at(struct fixture *f, size_t number, sv what)
{
	print_diags(&f->sink);
	fail_msg("call %zu, %s: %.*s", number, failed_call, SV_ARG(what));
}

static void fails_everywhere(struct fixture *f, const char *clone, int error)
{
	sv before = shell(f, "git -C w rev-parse HEAD");

	shell(f, "rm -rf again from && git clone -q %s w from && cp -a from again", clone);
	assert_int_equal(run(f, 0, 0), STATUS_OK);
	sv after = look(f);
	size_t count = calls;
	size_t failures = 0;
	size_t standing = 0;

	assert_true(count > 20);
	assert_int_equal(after.len, before.len);
	for (size_t number = 1; number <= count; number++) {
		shell(f, "rm -rf again && cp -a from again");
		enum status status = run(f, number, error);
		sv found = look(f);
		bool moved = sv_eq(found, after);

		if (!moved && !sv_eq(found, before))
			fail_at(f, number, found);
		if (status == STATUS_OK && !moved)
			fail_at(f, number, SV("a success that is none"));
		/* After the branch has moved the commit stands, whatever the disk may lack. */
		bool stands = f->sink.error_count > 0 && last_code(f) == DIAG_GIT_STANDS;
		if (stands ? !moved : (status == STATUS_OK) != (f->sink.error_count == 0))
			fail_at(f, number, SV("no message, or a wrong one"));
		standing += stands;
		failures += status != STATUS_OK;
		if (run(f, 0, 0) != STATUS_OK || !sv_eq(look(f), after))
			fail_at(f, number, SV("the next run"));
	}
	assert_true(failures > 15);
	assert_true(standing > 0);
	shell(f, "git -C again fsck --strict");
}

static void in_a_work_tree(void **state)
{
	fails_everywhere(*state, "", EIO);
}

static void in_a_bare_repository(void **state)
{
	fails_everywhere(*state, "--bare", ENOSPC);
}

UNIT_TESTS(git_faults)
{
	call_error = nth_call_fails;

	const struct CMUnitTest tests[] = {
	    CASE(in_a_work_tree),
	    CASE(in_a_bare_repository),
	};

	return cmocka_run_group_tests(tests, git_open, git_close);
}
