/* git: the locks of a run, the journal by which the next run removes them, and what it leaves
 * alone. */
#include "git_locks_fixture.h"
#include "system_calls.h"

#include <errno.h>
#include <fcntl.h>

/* ---- calls that fail --------------------------------------------------------------------- */

/* Errors that these calls give, 0 for none. */
static int link_error;
static int sync_error;
/* Results of the next calls of write, the last one first. */
enum { ALL = 0 };
static int write_errors[4];
static size_t write_error_count;

static int wanted_error(const char *call)
{
	if (strcmp(call, "link") == 0)
		return link_error;
	if (strcmp(call, "fsync") == 0)
		return sync_error;
	return strcmp(call, "write") == 0 && write_error_count > 0
	           ? write_errors[--write_error_count]
	           : 0;
}

static int all_calls_work(void **state)
{
	link_error = 0;
	sync_error = 0;
	write_error_count = 0;
	return tear_down(state);
}

/* ---- taking ------------------------------------------------------------------------------ */

static void takes_and_commits_a_lock(void **state)
{
	struct fixture *f = *state;
	sv target = path_in(f, "w/.git/refs/heads/other");
	sv lock = path_in(f, "w/.git/refs/heads/other.lock");
	bool busy = true;

	open_repo(f, "w");
	struct git_locks *locks = open_locks(f);
	sv run = name_of(locks);
	assert_sv(git_locks_pack(locks),
	          arena_cstr(f->arena, ARENA_CONCAT(f->arena, SV("tmp_pack_osm-gen-"),
	                                            sv_from_offset(run, strlen("run-")))));
	sv head = ARENA_CONCAT(f->arena, SV("osm-gen run 1\nboot "), boot_id(f), SV("\npack "),
	                       git_locks_pack(locks), SV("\n"));
	assert_sv(text_of(f, journal_of(f, locks)), arena_cstr(f->arena, head));
	put_file(f, locks, "ref");
	assert_int_equal(git_lock_take(&f->sink, locks, "ref", target, &busy), STATUS_OK);
	assert_false(busy);
	assert_int_equal(inode_of(f, lock), inode_of(f, git_locks_file(locks, "ref")));
	assert_int_equal(os_kind(target), OS_ABSENT);
	sv line = arena_printf(f->arena, "%.*slock %.*s.ref %lu refs/heads/other.lock\n",
	                       SV_ARG(head), SV_ARG(run), (unsigned long)inode_of(f, lock));
	assert_sv(text_of(f, journal_of(f, locks)), arena_cstr(f->arena, line));
	assert_true(git_lock_commit(locks, "ref", target));
	assert_sv(text_of(f, target), "new\n");
	assert_int_equal(os_kind(lock), OS_ABSENT);
	assert_int_equal(os_kind(git_locks_file(locks, "ref")), OS_ABSENT);
	git_locks_close(locks);
	assert_int_equal(os_kind(path_in(f, "w/.git/osm-gen")), OS_ABSENT);
	assert_diag_count(&f->sink, 0);
}

static void releases_a_lock(void **state)
{
	struct fixture *f = *state;
	sv target = path_in(f, "w/.git/index");
	sv before;
	bool busy;

	open_repo(f, "w");
	before = text_of(f, target);
	struct git_locks *locks = open_locks(f);
	put_file(f, locks, "index");
	assert_int_equal(git_lock_take(&f->sink, locks, "index", target, &busy), STATUS_OK);
	git_lock_release(locks, "index", target);
	assert_int_equal(os_kind(path_in(f, "w/.git/index.lock")), OS_ABSENT);
	assert_int_equal(os_kind(git_locks_file(locks, "index")), OS_ABSENT);
	assert_true(sv_eq(text_of(f, target), before));
	/* A lock that is gone cannot be committed: the target stays. */
	assert_false(git_lock_commit(locks, "index", target));
	assert_true(sv_eq(text_of(f, target), before));
	git_locks_close(locks);
}

static void another_gits_lock_is_busy(void **state)
{
	struct fixture *f = *state;
	sv target = path_in(f, "w/.git/index");
	bool busy = false;

	open_repo(f, "w");
	struct git_locks *locks = open_locks(f);
	put_file(f, locks, "index");
	shell(f, "echo theirs >w/.git/index.lock");
	assert_int_equal(git_lock_take(&f->sink, locks, "index", target, &busy), STATUS_FAILED);
	assert_true(busy);
	assert_diag_count(&f->sink, 0);
	assert_sv(shell(f, "cat w/.git/index.lock"), "theirs");
	git_locks_close(locks);
	assert_sv(shell(f, "cat w/.git/index.lock"), "theirs");
}

static void says_why_there_is_no_lock(void **state)
{
	struct fixture *f = *state;
	bool busy = true;

	open_repo(f, "w");
	struct git_locks *locks = open_locks(f);
	/* Without the file that is to be the lock, and without the folder where it would be. */
	assert_int_equal(git_lock_take(&f->sink, locks, "index", path_in(f, "w/.git/index"), &busy),
	                 STATUS_FAILED);
	assert_false(busy);
	assert_diag_count(&f->sink, 1);
	assert_int_equal(os_kind(path_in(f, "w/.git/index.lock")), OS_ABSENT);
	put_file(f, locks, "ref");
	assert_int_equal(
	    git_lock_take(&f->sink, locks, "ref", path_in(f, "w/.git/refs/heads/a/b"), &busy),
	    STATUS_FAILED);
	assert_false(busy);
	assert_diag_count(&f->sink, 2);
	assert_contains(f->sink.diags.items[1]->text, "refs/heads/a/b");
	git_locks_close(locks);
}

/* ---- file systems without hard links ----------------------------------------------------- */

static void copies_where_there_are_no_links(void **state)
{
	struct fixture *f = *state;
	static const int errors[] = {EPERM, EOPNOTSUPP, EXDEV, EMLINK, ENOSYS};
	sv target = path_in(f, "w/.git/refs/heads/other");
	sv lock = path_in(f, "w/.git/refs/heads/other.lock");
	bool busy = true;

	open_repo(f, "w");
	struct git_locks *locks = open_locks(f);
	for (size_t i = 0; i < COUNT_OF(errors); i++) {
		link_error = errors[i];
		put_file(f, locks, "ref");
		assert_int_equal(git_lock_take(&f->sink, locks, "ref", target, &busy), STATUS_OK);
		assert_false(busy);
		assert_sv(text_of(f, lock), "new\n");
		assert_int_not_equal(inode_of(f, lock), inode_of(f, git_locks_file(locks, "ref")));
		assert_true(git_lock_commit(locks, "ref", target));
		assert_sv(text_of(f, target), "new\n");
		assert_int_equal(os_kind(lock), OS_ABSENT);
		shell(f, "rm w/.git/refs/heads/other");
	}
	assert_diag_count(&f->sink, 0);
	/* The lock of another git stays. */
	shell(f, "echo theirs >w/.git/refs/heads/other.lock");
	put_file(f, locks, "ref");
	assert_int_equal(git_lock_take(&f->sink, locks, "ref", target, &busy), STATUS_FAILED);
	assert_true(busy);
	assert_diag_count(&f->sink, 0);
	assert_sv(text_of(f, lock), "theirs\n");
	git_locks_close(locks);
}

static void leaves_no_half_of_a_copy(void **state)
{
	struct fixture *f = *state;
	sv target = path_in(f, "w/.git/refs/heads/other");
	sv lock = path_in(f, "w/.git/refs/heads/other.lock");
	bool busy = true;

	open_repo(f, "w");
	struct git_locks *locks = open_locks(f);
	put_file(f, locks, "ref");
	link_error = EPERM;
	/* The journal's line is written, then nothing or a byte of the copy. */
	for (size_t i = 0; i < 2; i++) {
		f->sink = sink_in(f->arena);
		write_errors[0] = ENOSPC;
		write_errors[1] = i == 0 ? ALL : ONE_BYTE;
		write_errors[2] = ALL;
		write_error_count = 2 + i;
		assert_int_equal(git_lock_take(&f->sink, locks, "ref", target, &busy),
		                 STATUS_FAILED);
		assert_int_equal(write_error_count, 0);
		assert_false(busy);
		assert_diag_count(&f->sink, 1);
		assert_int_equal(last_code(f), DIAG_DISK_FULL);
		assert_int_equal(os_kind(lock), OS_ABSENT);
	}
	/* What link reports of a damaged disk is no reason to copy. */
	link_error = EIO;
	assert_int_equal(git_lock_take(&f->sink, locks, "ref", target, &busy), STATUS_FAILED);
	assert_false(busy);
	assert_int_equal(last_code(f), DIAG_IO);
	assert_int_equal(os_kind(lock), OS_ABSENT);
	git_locks_close(locks);
}

/* ---- the journal ------------------------------------------------------------------------- */

/* Without a line in the journal a killed run would leave a lock that no run removes. */
static void takes_no_lock_without_a_journal(void **state)
{
	struct fixture *f = *state;
	sv target = path_in(f, "w/.git/refs/heads/other");
	bool busy = true;

	open_repo(f, "w");
	struct git_locks *locks = open_locks(f);
	sv head = text_of(f, journal_of(f, locks));
	put_file(f, locks, "ref");
	for (size_t i = 0; i < 3; i++) {
		/* At once, after a byte, and when the line is to reach the disk. */
		f->sink = sink_in(f->arena);
		write_error_count = i < 2 ? i + 1 : 0;
		write_errors[0] = ENOSPC;
		write_errors[1] = ONE_BYTE;
		sync_error = i == 2 ? EIO : 0;
		assert_int_equal(git_lock_take(&f->sink, locks, "ref", target, &busy),
		                 STATUS_FAILED);
		sync_error = 0;
		assert_false(busy);
		assert_int_equal(write_error_count, 0);
		assert_diag_count(&f->sink, 1);
		assert_int_equal(last_code(f), i < 2 ? (int)DIAG_DISK_FULL : (int)DIAG_IO);
		assert_int_equal(os_kind(path_in(f, "w/.git/refs/heads/other.lock")), OS_ABSENT);
		/* Whatever this run writes next begins a line. */
		assert_sv(text_of(f, journal_of(f, locks)), arena_cstr(f->arena, head));
	}
	git_locks_close(locks);
}

static void writes_the_journal_on(void **state)
{
	struct fixture *f = *state;
	sv target = path_in(f, "w/.git/refs/heads/other");
	struct git_run_records records;
	sv boot;
	bool busy;

	open_repo(f, "w");
	struct git_locks *locks = open_locks(f);
	put_file(f, locks, "ref");
	/* A signal, one byte, a signal. */
	write_errors[0] = EINTR;
	write_errors[1] = ONE_BYTE;
	write_errors[2] = EINTR;
	write_error_count = 3;
	assert_int_equal(git_lock_take(&f->sink, locks, "ref", target, &busy), STATUS_OK);
	assert_int_equal(write_error_count, 0);
	assert_true(git_run_parse(f->arena, name_of(locks), text_of(f, journal_of(f, locks)), &boot,
	                          &records));
	assert_true(sv_eq(boot, boot_id(f)));
	assert_int_equal(records.count, 2);
	assert_true(records.items[0].is_pack);
	assert_true(sv_eq(records.items[0].name, git_locks_pack(locks)));
	assert_false(records.items[1].is_pack);
	assert_sv(records.items[1].path, "refs/heads/other.lock");
	assert_int_equal(records.items[1].inode, inode_of(f, git_locks_file(locks, "ref")));
	git_lock_release(locks, "ref", target);
	git_locks_close(locks);
}

static void no_run_begins_without_a_journal(void **state)
{
	struct fixture *f = *state;
	struct git_locks *locks = NULL;

	open_repo(f, "w");
	write_errors[0] = ENOSPC;
	write_error_count = 1;
	assert_int_equal(git_locks_open(f->arena, &f->sink, f->repo, &locks), STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_DISK_FULL);
	sync_error = EIO;
	assert_int_equal(git_locks_open(f->arena, &f->sink, f->repo, &locks), STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_IO);
	sync_error = 0;
	assert_sv(listed(f), "");
	shell(f,
	      "rm -rf w/.git/osm-gen && mkdir elsewhere && ln -s ../../elsewhere w/.git/osm-gen");
	assert_int_equal(git_locks_open(f->arena, &f->sink, f->repo, &locks), STATUS_FAILED);
	assert_diag_count(&f->sink, 3);
	assert_null(locks);
	assert_sv(shell(f, "ls elsewhere"), "");
}

/* Two runs of one process, as two at the same tick: each has its own journal. */
static void finds_another_name(void **state)
{
	struct fixture *f = *state;

	open_repo(f, "w");
	struct git_locks *one = open_locks(f);
	struct git_locks *two = open_locks(f);
	assert_false(sv_eq(name_of(one), name_of(two)));
	assert_int_equal(os_kind(journal_of(f, one)), OS_FILE);
	assert_int_equal(os_kind(journal_of(f, two)), OS_FILE);
	git_locks_close(one);
	assert_int_equal(os_kind(journal_of(f, two)), OS_FILE);
	git_locks_close(two);
	assert_int_equal(os_kind(path_in(f, "w/.git/osm-gen")), OS_ABSENT);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, all_calls_work)

UNIT_TESTS(git_locks)
{
	call_error = wanted_error;

	const struct CMUnitTest tests[] = {
	    CASE(takes_and_commits_a_lock),        CASE(releases_a_lock),
	    CASE(another_gits_lock_is_busy),       CASE(says_why_there_is_no_lock),
	    CASE(copies_where_there_are_no_links), CASE(leaves_no_half_of_a_copy),
	    CASE(takes_no_lock_without_a_journal), CASE(writes_the_journal_on),
	    CASE(no_run_begins_without_a_journal), CASE(finds_another_name),
	};

	return cmocka_run_group_tests(tests, git_open, git_close);
}
