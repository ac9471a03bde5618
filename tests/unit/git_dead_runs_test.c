/* git: what a run removes that a killed one left, and what it leaves alone. */
#include "git_locks_fixture.h"

#include <signal.h>
#include <sys/wait.h>

/* Begins a run that locks the index and a branch, and returns its name; the process that ran it is
 * killed, or waits until the file descriptor is closed. */
static pid_t other_run(struct fixture *f, bool dies, int *ret_keep, sv *ret_name)
{
	int ready[2];
	int keep[2];
	char name[64];

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(keep), 0);
	pid_t child = fork();
	if (child == 0) {
		struct git_locks *locks = open_locks(f);
		bool busy;

		put_file(f, locks, "index");
		put_file(f, locks, "ref");
		if (git_lock_take(&f->sink, locks, "index", path_in(f, "w/.git/index"), &busy) !=
		        STATUS_OK ||
		    git_lock_take(&f->sink, locks, "ref", path_in(f, "w/.git/refs/heads/other"),
		                  &busy) != STATUS_OK)
			_exit(1);
		close(keep[1]);
		if (write(ready[1], name_of(locks).ptr, name_of(locks).len) < 0 ||
		    (!dies && read(keep[0], name, 1) < 0))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	ssize_t got = read(ready[0], name, sizeof(name));
	assert_true(got > 0);
	*ret_name = arena_dup(f->arena, sv_from(name, (size_t)got));
	close(ready[0]);
	close(ready[1]);
	close(keep[0]);
	*ret_keep = keep[1];
	if (dies)
		assert_int_equal(waitpid(child, NULL, 0), child);
	return child;
}

/* Makes a repository in which a run was killed, and returns the run's name. */
static sv killed_run(struct fixture *f)
{
	int keep;
	sv run;

	open_repo(f, "w");
	other_run(f, true, &keep, &run);
	close(keep);
	return run;
}

static void removes_what_a_dead_run_left(void **state)
{
	struct fixture *f = *state;
	sv run = killed_run(f);
	sv pack = sv_from_offset(run, strlen("run-"));
	shell(f,
	      "cd w/.git/objects/pack && p=tmp_pack_osm-gen-%.*s && "
	      "touch $p $p.idx $p-1 $p-1.idx ${p}1 tmp_pack_osm-gen pack-1.pack && "
	      "touch ../../osm-gen/%.*s.more ../../osm-gen/other ../../osm-gen/%.*s7",
	      SV_ARG(pack), SV_ARG(run), SV_ARG(run));
	struct git_locks *locks = open_locks(f);
	assert_diag_count(&f->sink, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(f->sink.diags.items[i]->code, DIAG_GIT_CLEARED);
		assert_contains(f->sink.diags.items[i]->text,
		                i == 0 ? "index.lock" : "refs/heads/other.lock");
	}
	git_locks_close(locks);
	assert_sv(listed(f),
	          arena_cstr(f->arena, arena_printf(f->arena,
	                                            "objects/pack/pack-1.pack "
	                                            "objects/pack/tmp_pack_osm-gen "
	                                            "objects/pack/tmp_pack_osm-gen-%.*s1 "
	                                            "osm-gen/other ",
	                                            SV_ARG(pack))));
}

static void leaves_a_living_run_alone(void **state)
{
	struct fixture *f = *state;
	int keep;
	sv run;

	open_repo(f, "w");
	pid_t child = other_run(f, false, &keep, &run);
	shell(f, "touch w/.git/objects/pack/tmp_pack_osm-gen-%.*s",
	      SV_ARG(sv_from_offset(run, strlen("run-"))));
	sv before = listed(f);
	git_locks_close(open_locks(f));
	assert_sv(listed(f), arena_cstr(f->arena, before));
	assert_diag_count(&f->sink, 0);
	/* It ends: what it left is removed then. */
	close(keep);
	assert_int_equal(waitpid(child, NULL, 0), child);
	git_locks_close(open_locks(f));
	assert_diag_count(&f->sink, 2);
	assert_sv(listed(f), "");
}

/* Only the file that the run made is its lock, whatever has its name now. */
static void leaves_locks_of_others_alone(void **state)
{
	struct fixture *f = *state;
	sv run = killed_run(f);

	shell(f,
	      "cd w/.git && rm index.lock refs/heads/other.lock && echo theirs >index.lock && "
	      "ln -s ../../osm-gen/%.*s.ref refs/heads/other.lock",
	      SV_ARG(run));
	git_locks_close(open_locks(f));
	assert_diag_count(&f->sink, 0);
	assert_sv(shell(f, "cd w/.git && cat index.lock && test -L refs/heads/other.lock && "
	                   "find osm-gen 2>/dev/null | wc -l"),
	          "theirs\n0");
}

/* The journal names the inode: a file that has come to its place is not the run's. */
static void leaves_another_inode_alone(void **state)
{
	struct fixture *f = *state;
	sv run = killed_run(f);

	shell(f,
	      "cd w/.git && cp osm-gen/%.*s.index osm-gen/x && mv osm-gen/x osm-gen/%.*s.index && "
	      "rm index.lock && ln osm-gen/%.*s.index index.lock",
	      SV_ARG(run), SV_ARG(run), SV_ARG(run));
	git_locks_close(open_locks(f));
	assert_diag_count(&f->sink, 1);
	assert_sv(listed(f), "index.lock ");
}

/* A link in the way of a lock could lead out of the git directory. */
static void follows_no_link_to_a_lock(void **state)
{
	struct fixture *f = *state;

	(void)killed_run(f);
	shell(f, "cd w/.git && mv refs/heads ../../moved && ln -s ../../../moved refs/heads");
	git_locks_close(open_locks(f));
	assert_diag_count(&f->sink, 1);
	assert_sv(shell(f, "ls moved"), "main\nother.lock");
}

/* On file systems whose flock another host does not see, a process tells that the run lives. */
static void asks_for_the_process(void **state)
{
	struct fixture *f = *state;

	open_repo(f, "w");
	/* As the process of this test is named, and how a journal of it would begin. */
	struct git_locks *locks = open_locks(f);
	sv run = name_of(locks);
	sv pid = shell(f, "echo %.*s | cut -d- -f2", SV_ARG(run));
	sv start = shell(f, "echo %.*s | cut -d- -f3", SV_ARG(run));
	git_locks_close(locks);
	assert_sv(pid, arena_cstr(f->arena, arena_printf(f->arena, "%ld", (long)getpid())));
	assert_true(
	    sv_eq(start, shell(f, "sed 's/.*) //' /proc/%.*s/stat | cut -d' ' -f20", SV_ARG(pid))));
	const struct {
		sv pid;
		sv start;
		sv boot;
		bool lives;
	} runs[] = {
	    {pid, start, boot_id(f), true},
	    {pid, start, SV("another"), false},
	    {pid, SV("1"), boot_id(f), false},
	    {SV("4194305"), start, boot_id(f), false}, /* above the most that Linux gives */
	};

	for (size_t i = 0; i < COUNT_OF(runs); i++) {
		sv name = arena_printf(f->arena, "run-%.*s-%.*s", SV_ARG(runs[i].pid),
		                       SV_ARG(runs[i].start));

		shell(f,
		      "mkdir -p w/.git/osm-gen && cd w/.git/osm-gen && "
		      "printf 'osm-gen run 1\\nboot %.*s\\n' >%.*s && touch %.*s.index",
		      SV_ARG(runs[i].boot), SV_ARG(name), SV_ARG(name));
		git_locks_close(open_locks(f));
		sv left = listed(f);
		if (runs[i].lives)
			assert_sv(left, arena_cstr(f->arena,
			                           arena_printf(f->arena,
			                                        "osm-gen/%.*s osm-gen/%.*s.index ",
			                                        SV_ARG(name), SV_ARG(name))));
		else
			assert_sv(left, "");
		shell(f, "rm -rf w/.git/osm-gen");
	}
	assert_diag_count(&f->sink, 0);
}

static void keeps_a_journal_that_it_cannot_read(void **state)
{
	struct fixture *f = *state;

	open_repo(f, "w");
	shell(f, "mkdir w/.git/osm-gen && cd w/.git/osm-gen && echo other >run-1-1 && "
	         "touch run-1-1.index && mkdir run-2-2 && mkfifo run-3-3 && ln -s run-1-1 run-4-4");
	git_locks_close(open_locks(f));
	assert_diag_count(&f->sink, 1);
	assert_int_equal(last_code(f), DIAG_GIT_JOURNAL);
	assert_contains(f->sink.diags.items[0]->text, "run-1-1");
	assert_sv(shell(f, "ls w/.git/osm-gen"),
	          "run-1-1\nrun-1-1.index\nrun-2-2\nrun-3-3\nrun-4-4");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(git_dead_runs)
{
	const struct CMUnitTest tests[] = {
	    CASE(removes_what_a_dead_run_left),        CASE(leaves_a_living_run_alone),
	    CASE(leaves_locks_of_others_alone),        CASE(leaves_another_inode_alone),
	    CASE(follows_no_link_to_a_lock),           CASE(asks_for_the_process),
	    CASE(keeps_a_journal_that_it_cannot_read),
	};

	return cmocka_run_group_tests(tests, git_open, git_close);
}
