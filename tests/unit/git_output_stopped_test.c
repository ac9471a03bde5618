/* git: commits of the output that are stopped: lost races, locks, crashes, full disks. */
#include "git_output_fixture.h"

#include <sys/resource.h>

static void commit_behind_its_back(struct fixture *f)
{
	shell(f, "cd w && git update-ref refs/heads/main $(git commit-tree -p HEAD -m rival "
	         "HEAD^{tree})");
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

/* Both make the same commit, and nothing is lost. */
static void commit_the_same(struct fixture *f)
{
	shell(f, "git -C w update-ref refs/heads/main $(cat same)");
}

static void wins_against_itself(void **state)
{
	struct fixture *f = *state;

	shell(f, "cp -a w other");
	open_repo(f, "other");
	commit_example(f, "");
	shell(f, "git -C other rev-parse HEAD >same");
	open_repo(f, "w");
	assert_int_equal(finish_sabotaged(f, STEPS_UP_TO_THE_BRANCH - 1, commit_the_same),
	                 STATUS_OK);
	assert_int_equal(f->sink.error_count, 0);
	assert_sv(shell(f, "git -C w rev-parse HEAD"), arena_cstr(f->arena, shell(f, "cat same")));
	assert_clean(f, "w");
}

static void delete_behind_its_back(struct fixture *f)
{
	shell(f, "git -C w update-ref -d refs/heads/main");
}

static void redirect_behind_its_back(struct fixture *f)
{
	shell(f,
	      "cd w && git branch -f other && git symbolic-ref refs/heads/main refs/heads/other");
}

/* A branch that another git has deleted, or made a name of another one, is not moved. */
static void loses_the_branch(void **state)
{
	static void (*const strikes[])(struct fixture *) = {delete_behind_its_back,
	                                                    redirect_behind_its_back};
	struct fixture *f = *state;

	open_repo(f, "w");
	sv before = shell(f, "git -C w rev-parse HEAD");
	for (size_t i = 0; i < COUNT_OF(strikes); i++) {
		assert_int_equal(finish_sabotaged(f, STEPS_UP_TO_THE_BRANCH - 1, strikes[i]),
		                 STATUS_FAILED);
		assert_int_equal(last_code(f), DIAG_GIT_RACE);
		assert_sv(shell(f, "cd w && cat out/c1/one out/c1/two && ls out"),
		          "old1old2c1\nstrange");
		shell(f,
		      "cd w && git update-ref --no-deref -d refs/heads/main && "
		      "git update-ref refs/heads/main %.*s && git reset -q",
		      SV_ARG(before));
		assert_clean(f, "w");
	}
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
		/* git_output_begin alone repairs: branch and folder agree again. */
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

	open_repo(f, "w");
	run_in_child(f, run_and_die, 6, &status);
	assert_true(WIFSIGNALED(status));
	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	put(f, output, "c1/one", "other");
	finish(f, output);
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
	    git_output_put(&f->sink, output, 0, SV("c1/one"),
	                   &(struct git_content){.bytes = sv_from(noise, sizeof(noise))});
	if (status == STATUS_OK)
		status = git_output_put(&f->sink, output, 0, SV("c1/three"),
		                        &(struct git_content){.bytes = sv_from(noise, 60000)});
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

/* A small file system: its free space decides at which write it gets full. */
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
		struct git_output_options options = {
		    .folder = SV("out"), .workers = 1, .source = &source};
		f->sink = sink_in(f->arena);
		enum status status =
		    git_output_begin(f->arena, &f->sink, f->repo, &options, &output);
		if (status == STATUS_OK)
			status =
			    git_output_put(&f->sink, output, 0, SV("c1/one"),
			                   &(struct git_content){.bytes = sv_from(noise, 20000)});
		if (status == STATUS_OK)
			status = git_output_put(&f->sink, output, 0, SV("c2/three"),
			                        &(struct git_content){.bytes = SV("new")});
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

/* The journal of a stage may name only files below its two folders. */
static void reads_journals_of_stages_strictly(void **state)
{
	struct fixture *f = *state;
	static const struct {
		sv text;
		bool is_good;
	} cases[] = {
	    {SV_INIT("osm-gen journal 1\0note\0"), true},
	    {SV_INIT("osm-gen journal 1\0note\0put\0a\0out/a\0remove\0gone-1\0out/b\0"), true},
	    {SV_INIT("osm-gen journal 1\0\0"), true},
	    {SV_INIT(""), false},
	    {SV_INIT("osm-gen journal 2\0note\0"), false},
	    {SV_INIT("osm-gen journal 1"), false},
	    {SV_INIT("osm-gen journal 1\0note"), false},
	    {SV_INIT("osm-gen journal 1\0note\0put\0a\0"), false},
	    {SV_INIT("osm-gen journal 1\0note\0put\0a\0out/a"), false},
	    {SV_INIT("osm-gen journal 1\0note\0take\0a\0out/a\0"), false},
	    {SV_INIT("osm-gen journal 1\0note\0put\0../a\0out/a\0"), false},
	    {SV_INIT("osm-gen journal 1\0note\0put\0a\0../a\0"), false},
	    {SV_INIT("osm-gen journal 1\0note\0remove\0a\0.git/config\0"), false},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct git_stage stage = {.arena = f->arena};

		if (git_stage_parse_journal(&stage, cases[i].text) != cases[i].is_good)
			fail_msg("case %zu", i);
		if (i == 1) {
			assert_sv(stage.note, "note");
			assert_int_equal(stage.operations.count, 2);
			assert_false(stage.operations.items[0].remove);
			assert_true(stage.operations.items[1].remove);
			assert_sv(stage.operations.items[1].path, "out/b");
		}
	}
}

/* The journal of a run's locks may name only files that a run makes. */
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
	    "osm-gen run 1\nboot x\nlock run-1-2.i 7 index.lock\n",
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
	    "osm-gen run 1\nboot x\nlock run-1-2. 7 index.lock\n",
	    "osm-gen run 1\nboot x\nlock run-1-2 7 index.lock\n",
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

UNIT_TESTS(git_output_stopped)
{
	const struct CMUnitTest tests[] = {
	    CASE(loses_a_race_without_a_trace),
	    CASE(loses_a_race_in_a_bare_repository),
	    CASE(loses_the_branch),
	    CASE(wins_against_itself),
	    CASE(leaves_alone_a_work_tree_that_was_switched),
	    CASE(says_when_a_lock_is_held),
	    CASE(a_second_run_repairs_a_crash),
	    CASE(another_run_after_a_crash_starts_clean),
	    CASE(full_disk_changes_nothing),
	    CASE(really_full_disk_changes_nothing),
	    CASE(waits_for_another_run),
	    CASE(reads_journals_strictly),
	    CASE(reads_journals_of_stages_strictly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
