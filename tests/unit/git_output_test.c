/* git: the output folder, its commit, lost races, full disks and crashes. */
#include "git/output.h"
#include "git_fixture.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const struct git_commit_text text = {
    .author_name = SV_INIT("osm-gen"),
    .author_email = SV_INIT("osm-gen@localhost"),
    .message = SV_INIT("osm-gen: test\n\nbody\n"),
};

static struct git_output *begin(struct fixture *f, enum git_output_mode mode, const char *folder,
                                const char *branch, const struct git_source *source)
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

static void put(struct fixture *f, struct git_output *output, const char *path, const char *bytes)
{
	assert_int_equal(
	    git_output_put(&f->sink, output, 1, sv_from_cstr(path), sv_from_cstr(bytes)),
	    STATUS_OK);
}

/* One changed, one removed, two new, one as it was; out/strange is not mentioned. */
static void put_example(struct fixture *f, struct git_output *output)
{
	put(f, output, "c1/one", "new1");
	put(f, output, "c2/deep/er/three", "new3");
	put(f, output, "c1/sub/four", "");
	git_output_remove(output, 0, SV("c1/two"));
	git_output_remove(output, 0, SV("c1/never"));
}

#define EXAMPLE_TREE "out/c1/one out/c1/sub/four out/c2/deep/er/three out/strange"

static void assert_clean(struct fixture *f, const char *where)
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

static struct git_output_result commit_example(struct fixture *f, const char *branch)
{
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", branch, &source);
	struct git_output_result result;

	put_example(f, output);
	assert_int_equal(git_output_finish(&f->sink, output, &text, &result), STATUS_OK);
	git_output_free(output);
	return result;
}

static void commits_in_the_work_tree(void **state)
{
	struct fixture *f = *state;
	sv before = shell(f, "git -C w rev-parse HEAD");

	open_repo(f, "w");
	struct git_output_result result = commit_example(f, "");
	assert_true(result.committed && result.changed);
	assert_int_equal(result.added_count, 2);
	assert_int_equal(result.changed_count, 1);
	assert_int_equal(result.removed_count, 1);
	assert_true(
	    sv_eq(git_id_hex(f->arena, result.commit), shell(f, "git -C w rev-parse main")));
	assert_true(sv_eq(before, shell(f, "git -C w rev-parse main~")));
	assert_clean(f, "w");
	assert_sv(shell(f, "cd w && echo $(git ls-tree -r --name-only HEAD out)"), EXAMPLE_TREE);
	assert_sv(shell(f, "cd w && cat out/c1/one out/c2/deep/er/three"), "new1new3");
	assert_sv(shell(f, "stat -c %%a w/out/c1/one w/out/c2/deep"), "644\n755");
	/* Everything outside the folder is the same tree entry. */
	assert_sv(shell(f, "git -C w diff --stat HEAD~ HEAD -- . ':!out'"), "");
	assert_sv(shell(f, "cd w && git ls-tree HEAD link tool | cut -c1-6"), "120000\n100755");
	assert_sv(shell(f, "git -C w log -1 --format='%%an <%%ae> %%ad %%cd|%%cn|%%B' --date=raw"),
	          "osm-gen <osm-gen@localhost> 1700000000 +0100 1700000000 "
	          "+0100|osm-gen|osm-gen: test\n\nbody");
	assert_sv(shell(f, "git -C w reflog -1 --format='%%gd %%gs %%gn'"),
	          "HEAD@{0} commit: osm-gen: test osm-gen");
	shell(f, "cd w && git verify-pack .git/objects/pack/*.idx && git gc -q && git fsck --full "
	         "--strict");
}

static void gives_the_same_commit_everywhere(void **state)
{
	struct fixture *f = *state;
	static const char *const shapes[] = {"w", "bare.git", "shallow", "linked", "detached"};
	sv id = {0};

	shell(f, "git -C w commit -q --allow-empty -m second");
	shell(f, "git clone -q --bare w bare.git && git clone -q --depth 1 file://$PWD/w shallow");
	shell(f, "git clone -q w detached && git -C detached checkout -q --detach");
	shell(f, "git -C w worktree add -q ../linked -b other");
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		open_repo(f, shapes[i]);
		struct git_output_result result = commit_example(f, "");

		assert_true(result.committed);
		sv here = shell(f, "git -C %s rev-parse HEAD", shapes[i]);
		if (i == 0)
			id = here;
		assert_true(sv_eq(here, id));
		if (strcmp(shapes[i], "bare.git") != 0)
			assert_clean(f, shapes[i]);
		shell(f, "git -C %s fsck --full --strict", shapes[i]);
	}
	assert_sv(shell(f, "git -C detached symbolic-ref -q HEAD || echo detached"), "detached");
	assert_sv(shell(f, "git -C linked symbolic-ref HEAD"), "refs/heads/other");
	shell(f, "git -C detached rev-parse main && test $(git -C detached rev-parse main) != %.*s",
	      SV_ARG(id));
	/* The remote takes what a shallow clone made. */
	shell(f, "git -C shallow push -q origin HEAD:refs/heads/pushed");
	assert_true(sv_eq(shell(f, "git -C w rev-parse pushed"), id));
}

static void second_run_changes_nothing(void **state)
{
	struct fixture *f = *state;

	open_repo(f, "w");
	struct git_output_result first = commit_example(f, "");
	shell(f, "find w/.git/objects w/out -type f | sort | xargs ls -l --time-style=full-iso "
	         ">before.txt");
	struct git_output_result second = commit_example(f, "");
	assert_false(second.committed || second.changed);
	assert_true(git_id_equal(first.commit, second.commit));
	shell(f, "find w/.git/objects w/out -type f | sort | xargs ls -l --time-style=full-iso | "
	         "diff before.txt -");
	assert_clean(f, "w");
}

static void commits_on_another_branch(void **state)
{
	struct fixture *f = *state;

	open_repo(f, "w");
	struct git_output_result result = commit_example(f, "generated");
	assert_true(result.committed);
	assert_true(
	    sv_eq(shell(f, "git -C w rev-parse generated~"), shell(f, "git -C w rev-parse main")));
	assert_clean(f, "w");
	assert_sv(shell(f, "cat w/out/c1/one"), "old1");
	/* The next one goes on from the branch's tip, and keeps what is there. */
	shell(f, "cd w && printf 'a: 2\\n' >in/a.yaml && git commit -qam second");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "generated", &source);
	put(f, output, "c1/one", "newer");
	assert_int_equal(git_output_finish(&f->sink, output, &text, &result), STATUS_OK);
	git_output_free(output);
	assert_sv(shell(f, "git -C w rev-list --count generated"), "3");
	assert_sv(shell(f, "git -C w show generated:out/c2/deep/er/three "
	                   "generated:out/c1/one generated:in/a.yaml"),
	          "new3newera: 1");
	/* One checked out elsewhere, or of a bad name, is refused. */
	shell(f, "git -C w worktree add -q ../linked generated");
	struct git_output_options options = {GIT_OUTPUT_COMMIT, SV("out"), SV("generated"), 1,
	                                     &source};
	assert_int_equal(git_output_begin(f->arena, &f->sink, f->repo, &options, &output),
	                 STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_BRANCH);
	options.branch = SV("a..b");
	assert_int_equal(git_output_begin(f->arena, &f->sink, f->repo, &options, &output),
	                 STATUS_FAILED);
	assert_int_equal(f->sink.error_count, 2);
	options =
	    (struct git_output_options){GIT_OUTPUT_COMMIT, SV("out/../.."), SV(""), 1, &source};
	assert_int_equal(git_output_begin(f->arena, &f->sink, f->repo, &options, &output),
	                 STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_PATH);
}

static void compares_and_tells_changes(void **state)
{
	struct fixture *f = *state;
	struct git_changes changes;
	sv bytes;

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMPARE, "./out/", "", &source);
	assert_int_equal(git_output_previous(output)->count, 3);
	assert_null(git_output_find(output, SV("c1/none")));
	assert_int_equal(git_output_read(f->arena, &f->sink, output,
	                                 git_output_find(output, SV("c1/two")), 10, &bytes),
	                 STATUS_OK);
	assert_sv(bytes, "old2");
	put_example(f, output);
	put(f, output, "strange", "keep");
	git_output_changes(f->arena, output, &changes);
	assert_int_equal(changes.count, 4);
	assert_sv(changes.items[0].path, "c1/one");
	assert_int_equal(changes.items[0].kind, GIT_CHANGED);
	assert_true(git_id_equal(changes.items[0].old_id, git_id_of_blob(SV("old1"))));
	assert_true(git_id_equal(changes.items[0].new_id, git_id_of_blob(SV("new1"))));
	assert_int_equal(changes.items[1].kind, GIT_ADDED);
	assert_int_equal(changes.items[2].kind, GIT_REMOVED);
	assert_int_equal(changes.items[3].size_bytes, 4);
	git_output_free(output);
	assert_clean(f, "w");
	assert_sv(shell(f, "ls w/.git/objects/pack"), "");
}

static void refuses_bad_paths(void **state)
{
	struct fixture *f = *state;
	static const char *const bad[] = {"",          "/a",          "a/",       "a//b", "../x",
	                                  "a/../../x", ".git/config", "a/.GIT/x", "a\nb", "./a"};

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_int_equal(git_output_put(&f->sink, output, 0, sv_from_cstr(bad[i]), SV("x")),
		                 STATUS_FAILED);
	assert_int_equal(f->sink.error_count, COUNT_OF(bad));
	assert_int_equal(last_code(f), DIAG_GIT_PATH);
	git_output_free(output);
	assert_clean(f, "w");
}

/* ---- other people's work ----------------------------------------------------------------- */

static void brings_the_work_tree_back_in_step(void **state)
{
	struct fixture *f = *state;
	struct git_output_result result;

	shell(f, "rm w/out/c1/one && git -C w rm -q --cached out/c1/two");
	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	put(f, output, "c1/one", "old1");
	put(f, output, "c1/two", "old2");
	assert_int_equal(git_output_finish(&f->sink, output, &text, &result), STATUS_OK);
	git_output_free(output);
	assert_false(result.committed);
	assert_true(result.changed);
	assert_clean(f, "w");
}

static void finish_fails(struct fixture *f, enum diag_code code)
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

static void keeps_uncommitted_work(void **state)
{
	struct fixture *f = *state;
	struct git_output_result result;
	struct git_commit_text overwrite = text;

	shell(f, "cd w && printf mine >out/c1/one && mkdir -p out/c2/deep/er && printf mine "
	         ">out/c2/deep/er/three");
	open_repo(f, "w");
	finish_fails(f, DIAG_GIT_IN_THE_WAY);
	assert_int_equal(f->sink.error_count, 2);
	assert_sv(shell(f, "cat w/out/c1/one w/out/c2/deep/er/three"), "minemine");
	struct git_source source = find(f, "HEAD");
	/* A tracked file may be overwritten with a warning, an untracked one never. */
	shell(f, "rm w/out/c2/deep/er/three");
	overwrite.overwrite_modified = true;
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	put_example(f, output);
	assert_int_equal(git_output_finish(&f->sink, output, &overwrite, &result), STATUS_OK);
	assert_int_equal(last_code(f), DIAG_GIT_OVERWRITTEN);
	git_output_free(output);
	assert_clean(f, "w");
}

static void keeps_staged_work(void **state)
{
	struct fixture *f = *state;

	shell(f,
	      "cd w && printf staged >out/c1/one && git add out/c1/one && printf old1 >out/c1/one");
	open_repo(f, "w");
	finish_fails(f, DIAG_GIT_IN_THE_WAY);
	/* Other staged changes are neither committed nor lost. */
	shell(f, "cd w && git checkout -q HEAD -- out && printf 'a: 3\\n' >in/a.yaml && git add "
	         "in/a.yaml && touch untracked");
	commit_example(f, "");
	assert_sv(shell(f, "git -C w status --porcelain"), "M  in/a.yaml\n?? untracked");
	assert_sv(shell(f, "git -C w show HEAD:in/a.yaml"), "a: 1");
}

static void follows_no_link_out_of_the_folder(void **state)
{
	struct fixture *f = *state;

	shell(f, "mkdir outside && ln -s ../../outside w/out/c2");
	open_repo(f, "w");
	finish_fails(f, DIAG_GIT_IN_THE_WAY);
	assert_sv(shell(f, "ls outside"), "");
	shell(f, "rm w/out/c2 && mkdir -p w/out/c1/sub/four");
	finish_fails(f, DIAG_GIT_IN_THE_WAY);
}

static void refuses_filtered_paths_and_warns_of_ignored_ones(void **state)
{
	struct fixture *f = *state;

	shell(f, "printf 'out/**/three filter=lfs\\n' >w/.gitattributes");
	open_repo(f, "w");
	finish_fails(f, DIAG_GIT_FILTERED);
	shell(f, "rm w/.gitattributes && printf 'out/\\n' >w/.gitignore && git -C w add .gitignore "
	         "&& git -C w commit -qm i");
	open_repo(f, "w");
	commit_example(f, "");
	assert_int_equal(last_code(f), DIAG_GIT_IGNORED);
	assert_clean(f, "w");
}

static void honours_sparse_checkouts(void **state)
{
	struct fixture *f = *state;

	shell(f, "git -C w sparse-checkout set --no-cone /in/");
	assert_sv(shell(f, "ls w"), "in");
	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	struct git_output_result result;
	put(f, output, "c1/one", "new1");
	assert_int_equal(git_output_finish(&f->sink, output, &text, &result), STATUS_OK);
	git_output_free(output);
	assert_clean(f, "w");
	assert_sv(shell(f, "ls w && git -C w show HEAD:out/c1/one"), "in\nnew1");
}

/* ---- races, full disks, crashes ---------------------------------------------------------- */

/* What happens at which step of git_output_finish. */
struct saboteur {
	struct fixture *f;
	unsigned steps_left;
	void (*strike)(struct fixture *f);
};

static void count_down(void *context)
{
	struct saboteur *saboteur = context;

	if (saboteur->steps_left-- == 0)
		saboteur->strike(saboteur->f);
}

static void commit_behind_its_back(struct fixture *f)
{
	shell(f, "cd w && git update-ref refs/heads/main $(git commit-tree -p HEAD -m rival "
	         "HEAD^{tree})");
}

static void die(struct fixture *f)
{
	(void)f;
	kill(getpid(), SIGKILL);
}

static enum status finish_sabotaged(struct fixture *f, unsigned steps,
                                    void (*strike)(struct fixture *))
{
	struct saboteur saboteur = {f, steps, strike};
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	struct git_output_result result;

	put_example(f, output);
	output->before_step = count_down;
	output->step_context = &saboteur;
	enum status status = git_output_finish(&f->sink, output, &text, &result);
	git_output_free(output);
	return status;
}

/* Steps: before the first file, before each of the four, after them, before and after the branch.
 */
enum { STEPS_UP_TO_THE_BRANCH = 7, STEPS = 8 };

static void loses_a_race_without_a_trace(void **state)
{
	struct fixture *f = *state;

	open_repo(f, "w");
	for (unsigned step = 0; step < STEPS_UP_TO_THE_BRANCH; step++) {
		size_t errors = f->sink.error_count;

		f->sink.diags.count = 0;
		assert_int_equal(finish_sabotaged(f, step, commit_behind_its_back), STATUS_FAILED);
		assert_int_equal(f->sink.error_count, errors + 1);
		assert_int_equal(last_code(f), DIAG_GIT_RACE);
		assert_sv(shell(f, "git -C w log -1 --format=%%s"), "rival");
		assert_clean(f, "w");
		assert_sv(shell(f, "cd w && cat out/c1/one out/c1/two && ls out"),
		          "old1old2c1\nstrange");
	}
	open_repo(f, "w");
	assert_true(commit_example(f, "").committed);
	assert_clean(f, "w");
}

static void loses_a_race_in_a_bare_repository(void **state)
{
	struct fixture *f = *state;
	struct git_output_result result;

	shell(f, "git clone -q --bare w bare.git");
	open_repo(f, "bare.git");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "new", &source);
	put_example(f, output);
	shell(f, "git -C bare.git branch new");
	assert_int_equal(git_output_finish(&f->sink, output, &text, &result), STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_RACE);
	git_output_free(output);
	assert_true(sv_eq(shell(f, "git -C bare.git rev-parse new"), source.hex));
}

static void leaves_alone_a_work_tree_that_was_switched(void **state)
{
	struct fixture *f = *state;
	struct git_output_result result;

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	put_example(f, output);
	shell(f, "git -C w switch -q -c other");
	assert_int_equal(git_output_finish(&f->sink, output, &text, &result), STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_RACE);
	git_output_free(output);
	assert_clean(f, "w");
	assert_sv(shell(f, "git -C w log --all --format=%%s"), "first");
}

static void says_when_a_lock_is_held(void **state)
{
	struct fixture *f = *state;

	open_repo(f, "w");
	shell(f, "touch w/.git/refs/heads/main.lock");
	finish_fails(f, DIAG_GIT_WRITE);
	shell(f, "rm w/.git/refs/heads/main.lock && touch w/.git/index.lock");
	finish_fails(f, DIAG_GIT_INDEX);
	shell(f, "rm w/.git/index.lock");
	assert_clean(f, "w");
}

static void run_in_child(struct fixture *f, void (*run)(struct fixture *, unsigned),
                         unsigned argument, int *ret_status)
{
	pid_t child = fork();

	if (child == 0) {
		run(f, argument);
		_exit(0);
	}
	assert_int_equal(waitpid(child, ret_status, 0), child);
}

static void run_and_die(struct fixture *f, unsigned step)
{
	(void)finish_sabotaged(f, step, die);
}

static void a_second_run_repairs_a_crash(void **state)
{
	struct fixture *f = *state;

	for (unsigned step = 0; step < STEPS; step++) {
		int status = 0;

		shell(f, "rm -rf again && cp -a w again");
		open_repo(f, "again");
		run_in_child(f, run_and_die, step, &status);
		assert_true(WIFSIGNALED(status));
		bool moved =
		    sv_eq(shell(f, "git -C again log -1 --format=%%s"), SV("osm-gen: test"));
		assert_int_equal(moved, step + 1 == STEPS);
		/* Only beginning repairs: the branch and the folder agree again. */
		open_repo(f, "again");
		struct git_source source = find(f, "HEAD");
		struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
		if (step > 1)
			assert_int_equal(last_code(f), DIAG_GIT_REPAIRED);
		git_output_free(output);
		assert_clean(f, "again");
		f->sink.diags.count = 0;
		assert_int_equal(commit_example(f, "").committed, !moved);
		assert_clean(f, "again");
		assert_sv(shell(f, "cd again && echo $(git ls-tree -r --name-only HEAD out)"),
		          EXAMPLE_TREE);
	}
}

/* As a_second_run_repairs_a_crash, but the inputs have changed in between. */
static void another_run_after_a_crash_starts_clean(void **state)
{
	struct fixture *f = *state;
	int status = 0;
	struct git_output_result result;

	open_repo(f, "w");
	run_in_child(f, run_and_die, 6, &status);
	assert_true(WIFSIGNALED(status));
	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	put(f, output, "c1/one", "other");
	assert_int_equal(git_output_finish(&f->sink, output, &text, &result), STATUS_OK);
	git_output_free(output);
	assert_clean(f, "w");
	assert_sv(shell(f, "cd w && cat out/c1/one out/c1/two && ls out"), "otherold2c1\nstrange");
}

/* 64 KiB that do not compress below the limit. */
static char noise[65536];

static void make_noise(void)
{
	uint32_t seed = 1;

	for (size_t i = 0; i < sizeof(noise); i++) {
		seed = seed * 1664525 + 1013904223;
		noise[i] = (char)(seed >> 24);
	}
}

static void run_on_a_full_disk(struct fixture *f, unsigned limit_bytes)
{
	struct rlimit limit = {limit_bytes, limit_bytes};
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	struct git_output_result result;

	make_noise();
	os_ignore_signals();
	setrlimit(RLIMIT_FSIZE, &limit);
	enum status status =
	    git_output_put(&f->sink, output, 0, SV("c1/one"), sv_from(noise, sizeof(noise)));
	if (status == STATUS_OK)
		status = git_output_put(&f->sink, output, 0, SV("c1/three"), sv_from(noise, 60000));
	if (status == STATUS_OK)
		status = git_output_finish(&f->sink, output, &text, &result);
	git_output_free(output);
	bool is_reported = false;
	VEC_EACH (diag, &f->sink.diags)
		is_reported |= (*diag)->code == DIAG_DISK_FULL || (*diag)->code == DIAG_GIT_INDEX ||
		               (*diag)->code == DIAG_GIT_WRITE;
	_exit(status == STATUS_FAILED && is_reported && sink_exit_status(&f->sink) == 3 ? 3
	      : status == STATUS_OK                                                     ? 0
	                                                                                : 1);
}

static void full_disk_changes_nothing(void **state)
{
	struct fixture *f = *state;
	static const unsigned limits[] = {16, 100, 300, 1000, 2000, 66000, 100000, 126000};
	unsigned failures = 0;

	for (size_t i = 0; i < COUNT_OF(limits); i++) {
		int status = 0;

		shell(f, "rm -rf again && cp -a w again");
		open_repo(f, "again");
		sv before = shell(f, "git -C again rev-parse HEAD");
		run_in_child(f, run_on_a_full_disk, limits[i], &status);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) == 0)
			continue;
		assert_int_equal(WEXITSTATUS(status), 3);
		failures++;
		assert_true(sv_eq(shell(f, "git -C again rev-parse HEAD"), before));
		assert_clean(f, "again");
		assert_sv(shell(f, "cd again && cat out/c1/one && ls out/c1"), "old1one\ntwo");
	}
	assert_true(failures >= 6);
}

/* A small file system of its own: what is left free decides where the disk gets full. */
static void really_full_disk_changes_nothing(void **state)
{
	struct fixture *f = *state;
	unsigned failures = 0;

	make_noise();
	if (try_shell(f, "mkdir small && mount -t tmpfs -o size=2m,mode=755 none small") != 0)
		skip(); /* needs root, and the right to mount */
	for (unsigned free_kib = 0; free_kib < 128; free_kib += 4) {
		struct git_output_result result;

		shell(f, "rm -rf small/w && rm -f small/fill && cp -a w small/w");
		shell(f,
		      "dd if=/dev/zero of=small/fill bs=1k "
		      "count=$(($(df -k --output=avail small | tail -1) - %u)) 2>/dev/null",
		      free_kib);
		sv before = shell(f, "git -C small/w rev-parse HEAD");
		open_repo(f, "small/w");
		struct git_source source = find(f, "HEAD");
		struct git_output *output = NULL;
		struct git_output_options options = {GIT_OUTPUT_COMMIT, SV("out"), SV(""), 1,
		                                     &source};
		f->sink = sink_in(f->arena);
		enum status status =
		    git_output_begin(f->arena, &f->sink, f->repo, &options, &output);
		if (status == STATUS_OK)
			status = git_output_put(&f->sink, output, 0, SV("c1/one"),
			                        sv_from(noise, 20000));
		if (status == STATUS_OK)
			status = git_output_put(&f->sink, output, 0, SV("c2/three"), SV("new"));
		if (status == STATUS_OK)
			status = git_output_finish(&f->sink, output, &text, &result);
		git_output_free(output);
		shell(f, "rm small/fill");
		assert_clean(f, "small/w");
		if (status == STATUS_OK)
			continue;
		failures++;
		assert_int_equal(sink_exit_status(&f->sink), 3);
		assert_true(sv_eq(shell(f, "git -C small/w rev-parse HEAD"), before));
		assert_sv(shell(f, "cd small/w && cat out/c1/one && ls out"), "old1c1\nstrange");
	}
	git_repo_close(f->repo);
	f->repo = NULL;
	shell(f, "umount small");
	assert_in_range(failures, 5, 31);
}

static void waits_for_another_run(void **state)
{
	struct fixture *f = *state;
	sv root = path_in(f, "w");
	sv folder = path_in(f, "hidden");
	struct git_stage *first;
	struct git_stage *second;

	assert_int_equal(git_stage_open(f->arena, &f->sink, root, root, folder, 0, &first),
	                 STATUS_OK);
	assert_int_equal(git_stage_open(f->arena, &f->sink, root, root, folder, 50, &second),
	                 STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_BUSY);
	assert_int_equal(os_kind(folder), OS_FOLDER);
	git_stage_close(first);
	assert_int_equal(git_stage_open(f->arena, &f->sink, root, root, folder, 0, &second),
	                 STATUS_OK);
	git_stage_close(second);
	assert_int_equal(os_kind(folder), OS_ABSENT);
}

/* ---- many files, many workers ------------------------------------------------------------ */

struct many {
	struct fixture *f;
	struct git_output *output;
	struct sink sinks[4];
	struct arena *arenas[4];
};

static void put_one(void *context, size_t index, unsigned worker)
{
	struct many *many = context;
	struct arena *arena = many->arenas[worker];
	struct buf bytes = buf_in(arena);

	/* Every third content is another's: an object must stand in the pack once. */
	size_t content = index % 3 == 0 ? index / 9 : index;
	for (size_t i = 0; i < 40; i++)
		buf_printf(&bytes, "%zu %zu%s", content, i * content, i % 2 ? "\n" : " ");
	if (index % 2)
		buf_add_repeat(&bytes, 'A', 3000);
	/* Files c1.x and c1-x beside folder c1: git sorts a folder as if its name ended in '/'. */
	char path[64];
	switch (index % 4) {
	case 0:
		snprintf(path, sizeof(path), "c%zu/f%zu", index % 17, index);
		break;
	case 1:
		snprintf(path, sizeof(path), "c%zu.x%zu", index % 17, index);
		break;
	case 2:
		snprintf(path, sizeof(path), "c%zu-x%zu", index % 17, index);
		break;
	default:
		snprintf(path, sizeof(path), "c%zu/d%zu/x", index % 17, index);
	}
	assert_int_equal(git_output_put(&many->sinks[worker], many->output, worker,
	                                sv_from_cstr(path), buf_sv(&bytes)),
	                 STATUS_OK);
}

static void many_workers_make_one_pack(void **state)
{
	struct fixture *f = *state;
	struct git_output_result result;
	struct many many = {.f = f};
	struct git_output_options options = {
	    .mode = GIT_OUTPUT_COMMIT, .folder = SV("generated/tree"), .workers = 4};

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	options.source = &source;
	assert_int_equal(git_output_begin(f->arena, &f->sink, f->repo, &options, &many.output),
	                 STATUS_OK);
	for (size_t i = 0; i < 4; i++) {
		many.arenas[i] = arena_new(ARENA_PLAIN);
		many.sinks[i] = sink_in(many.arenas[i]);
	}
	os_parallel(2000, 4, put_one, &many);
	assert_int_equal(git_output_finish(&f->sink, many.output, &text, &result), STATUS_OK);
	git_output_free(many.output);
	for (size_t i = 0; i < 4; i++)
		arena_free(many.arenas[i]);
	assert_int_equal(result.added_count, 2000);
	assert_clean(f, "w");
	assert_sv(shell(f, "ls w/.git/objects/pack | wc -l"), "2");
	assert_sv(shell(f, "git -C w ls-files generated | wc -l"), "2000");
	shell(f, "cd w/.git/objects/pack && cat *.idx | git show-index | cut -d' ' -f2 >ids && "
	         "test -s ids && test $(sort -u ids | wc -l) = $(wc -l <ids) && rm ids");
	/* git itself, adding the same files, gets the same tree. */
	sv tree = shell(f, "git -C w rev-parse HEAD^{tree}");
	shell(f, "cd w && rm .git/index && git add -A");
	assert_true(sv_eq(shell(f, "git -C w write-tree"), tree));
}

/* ---- plain folders
 * -------------------------------------------------------------------------------- */

static void writes_a_plain_folder(void **state)
{
	struct fixture *f = *state;
	struct git_output_result result;
	struct git_changes changes;
	const char *folder = arena_cstr(f->arena, path_in(f, "export/deep"));

	struct git_output *output = begin(f, GIT_OUTPUT_FOLDER, folder, "", NULL);
	put_example(f, output);
	git_output_free(output);
	assert_int_equal(os_kind(sv_from_cstr(folder)), OS_ABSENT);
	output = begin(f, GIT_OUTPUT_FOLDER, folder, "", NULL);
	put_example(f, output);
	put(f, output, "c1/two", "2");
	assert_int_equal(git_output_finish(&f->sink, output, NULL, &result), STATUS_OK);
	git_output_free(output);
	assert_int_equal(result.added_count, 4);
	shell(f, "find export -type f | sort | xargs ls -l --time-style=full-iso >before.txt && "
	         "test $(wc -l <before.txt) = 4");
	output = begin(f, GIT_OUTPUT_FOLDER, folder, "", NULL);
	put(f, output, "c1/one", "new1");
	put(f, output, "c1/two", "2");
	assert_int_equal(git_output_finish(&f->sink, output, NULL, &result), STATUS_OK);
	git_output_free(output);
	assert_false(result.changed || result.committed);
	shell(f,
	      "find export -type f | sort | xargs ls -l --time-style=full-iso | diff before.txt -");
	output = begin(f, GIT_OUTPUT_FOLDER, folder, "", NULL);
	put(f, output, "c1/one", "newer");
	git_output_remove(output, 0, SV("c2/deep/er/three"));
	git_output_changes(f->arena, output, &changes);
	assert_int_equal(changes.count, 2);
	assert_true(git_id_equal(changes.items[0].old_id, git_id_of_blob(SV("new1"))));
	assert_int_equal(git_output_finish(&f->sink, output, NULL, &result), STATUS_OK);
	git_output_free(output);
	assert_sv(shell(f, "cd export/deep && find . | sort | xargs && cat c1/one"),
	          ". ./c1 ./c1/one ./c1/sub ./c1/sub/four ./c1/two\nnewer");
}

static void run_folder_and_die(struct fixture *f, unsigned step)
{
	struct saboteur saboteur = {f, step, die};
	struct git_output *output =
	    begin(f, GIT_OUTPUT_FOLDER, arena_cstr(f->arena, path_in(f, "export")), "", NULL);
	struct git_output_result result;

	put(f, output, "a", "new");
	put(f, output, "b", "new");
	put(f, output, "c/d", "new");
	git_output_remove(output, 0, SV("e"));
	output->before_step = count_down;
	output->step_context = &saboteur;
	enum status status = git_output_finish(&f->sink, output, NULL, &result);
	git_output_free(output);
	_exit(status == STATUS_OK ? 0 : 1);
}

static void a_stopped_export_is_taken_back(void **state)
{
	struct fixture *f = *state;

	for (unsigned step = 0; step < 4; step++) {
		int status = 0;

		shell(
		    f,
		    "rm -rf export && mkdir export && cd export && printf old >a && printf old >e");
		run_in_child(f, run_folder_and_die, step, &status);
		assert_true(WIFSIGNALED(status));
		struct git_output *output = begin(
		    f, GIT_OUTPUT_FOLDER, arena_cstr(f->arena, path_in(f, "export")), "", NULL);
		assert_int_equal(git_output_previous(output)->count, 2);
		git_output_free(output);
		assert_sv(shell(f, "cd export && find . -mindepth 1 | sort | xargs && cat a e"),
		          "./a ./e\noldold");
	}
}

/* The journal of a run's locks: what it may name. */
static void reads_journals_strictly(void **state)
{
	struct fixture *f = *state;
	static const char *const good[] = {
	    "",
	    "osm-gen run",
	    "osm-gen run 1\n",
	    ("osm-gen run 1\nboot x\npack tmp_pack_osm-gen-1-2\nlock run-1-2.index 7 "
	     "index.lock\nloc"),
	    "osm-gen run 1\nboot x\nlock run-1-2.ref 7 refs/heads/a/b.lock\n",
	    "osm-gen run 1\nboot x\nlock run-1-2.ref 7 worktrees/w/HEAD.lock\n",
	};
	static const char *const bad[] = {
	    "osm-gen run 2\n",
	    "osm-gen run 1\nbooty\n",
	    "osm-gen run 1\nboot x\npack tmp_pack_other\n",
	    "osm-gen run 1\nboot x\npack tmp_pack_osm-gen-1-3\n",
	    "osm-gen run 1\nboot x\npack ../tmp_pack_osm-gen-1-2\n",
	    "osm-gen run 1\nboot x\nlock run-1-3.index 7 index.lock\n",
	    "osm-gen run 1\nboot x\nlock run-1-2./../x 7 index.lock\n",
	    "osm-gen run 1\nboot x\nlock run-1-2.index 0 index.lock\n",
	    "osm-gen run 1\nboot x\nlock run-1-2.index 7 index\n",
	    "osm-gen run 1\nboot x\nlock run-1-2.index 7 config.lock\n",
	    "osm-gen run 1\nboot x\nlock run-1-2.index 7 ../index.lock\n",
	    "osm-gen run 1\nboot x\nlock run-1-2.index 7 /index.lock\n",
	    "osm-gen run 1\nboot x\nlock run-1-2.index 7 refs/heads/../../x.lock\n",
	    "osm-gen run 1\nboot x\nunlink x\n",
	};
	struct git_run_records records;
	sv boot;

	for (size_t i = 0; i < COUNT_OF(good); i++)
		assert_true(
		    git_run_parse(f->arena, SV("run-1-2"), sv_from_cstr(good[i]), &boot, &records));
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(
		    git_run_parse(f->arena, SV("run-1-2"), sv_from_cstr(bad[i]), &boot, &records));
	assert_false(git_run_parse(f->arena, SV("run-1"), SV("osm-gen run 1\n"), &boot, &records));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CASE(commits_in_the_work_tree),
	    CASE(gives_the_same_commit_everywhere),
	    CASE(second_run_changes_nothing),
	    CASE(commits_on_another_branch),
	    CASE(compares_and_tells_changes),
	    CASE(refuses_bad_paths),
	    CASE(brings_the_work_tree_back_in_step),
	    CASE(keeps_uncommitted_work),
	    CASE(keeps_staged_work),
	    CASE(follows_no_link_out_of_the_folder),
	    CASE(refuses_filtered_paths_and_warns_of_ignored_ones),
	    CASE(honours_sparse_checkouts),
	    CASE(loses_a_race_without_a_trace),
	    CASE(loses_a_race_in_a_bare_repository),
	    CASE(leaves_alone_a_work_tree_that_was_switched),
	    CASE(says_when_a_lock_is_held),
	    CASE(a_second_run_repairs_a_crash),
	    CASE(another_run_after_a_crash_starts_clean),
	    CASE(full_disk_changes_nothing),
	    CASE(really_full_disk_changes_nothing),
	    CASE(waits_for_another_run),
	    CASE(many_workers_make_one_pack),
	    CASE(writes_a_plain_folder),
	    CASE(a_stopped_export_is_taken_back),
	    CASE(reads_journals_strictly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
