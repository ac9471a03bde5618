/*
 * An output folder for the tests of git/output.h: an example that is put and committed, and a way
 * to strike at a step of git_output_finish.
 */
#ifndef OSM_GEN_TESTS_GIT_OUTPUT_FIXTURE_H
#define OSM_GEN_TESTS_GIT_OUTPUT_FIXTURE_H

#include "git/output.h"

#include "git_fixture.h"

#include <signal.h>
#include <sys/wait.h>

static const struct git_commit_text text = {
    .author_name = SV_INIT("osm-gen"),
    .author_email = SV_INIT("osm-gen@localhost"),
    .message = SV_INIT("osm-gen: test\n\nbody\n"),
};

static inline struct git_output *begin(struct fixture *f, enum git_output_mode mode,
                                       const char *folder, const char *branch,
                                       const struct git_source *source)
{
	struct git_output *output = NULL;
	struct git_output_options options = {
	    .mode = mode,
	    .folder = sv_from_cstr(folder),
	    .branch = sv_from_cstr(branch),
	    .workers = 2,
	    .source = source,
	};

	assert_int_equal(git_output_begin(f->arena, &f->sink, f->repo, &options, &output),
	                 STATUS_OK);
	return output;
}

static inline void put(struct fixture *f, struct git_output *output, const char *path,
                       const char *bytes)
{
	const struct git_content content = {.bytes = sv_from_cstr(bytes)};

	assert_int_equal(git_output_put(&f->sink, output, 1, sv_from_cstr(path), &content),
	                 STATUS_OK);
}

/* Changes one file, removes one, adds two; c1/never does not exist, out/strange is left alone. */
static inline void put_example(struct fixture *f, struct git_output *output)
{
	put(f, output, "c1/one", "new1");
	put(f, output, "c2/deep/er/three", "new3");
	put(f, output, "c1/sub/four", "");
	git_output_remove(output, 0, SV("c1/two"));
	git_output_remove(output, 0, SV("c1/never"));
}

#define EXAMPLE_TREE "out/c1/one out/c1/sub/four out/c2/deep/er/three out/strange"

static inline void assert_clean(struct fixture *f, const char *where)
{
	sv status = shell(f, "git -C %s status --porcelain --untracked-files=all", where);

	if (status.len > 0)
		fail_msg("git status in %s: %.*s", where, SV_ARG(status));
	shell(f, "git -C %s fsck --full --strict --no-dangling", where);
	sv rubbish = shell(f,
	                   "find $(git -C %s rev-parse --absolute-git-dir) $(git -C %s rev-parse "
	                   "--path-format=absolute --git-common-dir) -name '*tmp*' -o -name "
	                   "'*.lock' -o -name '*stage*'",
	                   where, where);
	if (rubbish.len > 0)
		fail_msg("left behind: %.*s", SV_ARG(rubbish));
}

/* Finishes and frees the output, which must succeed. */
static inline struct git_output_result finish(struct fixture *f, struct git_output *output)
{
	struct git_output_result result;

	assert_int_equal(git_output_finish(&f->sink, output, &text, &result), STATUS_OK);
	git_output_free(output);
	return result;
}

static inline struct git_output_result commit_example(struct fixture *f, const char *branch)
{
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", branch, &source);

	put_example(f, output);
	return finish(f, output);
}

/* Calls `strike` before one of the steps of git_output_finish. */
struct saboteur {
	struct fixture *f;
	unsigned steps_left;
	void (*strike)(struct fixture *f);
};

static inline void count_down(void *context)
{
	struct saboteur *saboteur = context;

	if (saboteur->steps_left-- == 0)
		saboteur->strike(saboteur->f);
}

static inline void die(struct fixture *f)
{
	(void)f;
	kill(getpid(), SIGKILL);
}

static inline void run_in_child(struct fixture *f, void (*run)(struct fixture *, unsigned),
                                unsigned argument, int *ret_status)
{
	pid_t child = fork();

	if (child == 0) {
		run(f, argument);
		_exit(0);
	}
	assert_int_equal(waitpid(child, ret_status, 0), child);
}

/* Finishes the example, which fails with `code` and changes nothing. */
static inline void finish_fails(struct fixture *f, enum diag_code code)
{
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	struct git_output_result result = {0};
	sv before =
	    shell(f, "cd w && git rev-parse HEAD && git status --porcelain && find out | sort");

	put_example(f, output);
	assert_int_equal(git_output_finish(&f->sink, output, &text, &result), STATUS_FAILED);
	assert_int_equal(last_code(f), code);
	git_output_free(output);
	assert_true(sv_eq(
	    shell(f, "cd w && git rev-parse HEAD && git status --porcelain && find out | sort"),
	    before));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
