/* os: files, folders, threads. */
#include "os/os.h"

#include "asserts.h"
#include "stack_marks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
	struct arena *arena;
	struct sink sink;
	char folder[64];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->arena = arena_new(ARENA_PLAIN);
	f->sink = sink_in(f->arena);
	strcpy(f->folder, "/tmp/os_test_XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	os_remove_tree(sv_from_cstr(f->folder));
	assert_int_equal(os_kind(sv_from_cstr(f->folder)), OS_ABSENT);
	arena_free(f->arena);
	free(f);
	return 0;
}

static sv at(struct fixture *f, const char *name)
{
	return arena_printf(f->arena, "%s/%s", f->folder, name);
}

static mode_t mode_of(struct fixture *f, const char *name)
{
	struct stat info;

	assert_int_equal(stat(arena_cstr(f->arena, at(f, name)), &info), 0);
	return info.st_mode & 0777;
}

static void writes_whole_files_with_fixed_modes(void **state)
{
	struct fixture *f = *state;
	mode_t before = umask(0077);
	sv text;

	assert_int_equal(os_make_folders(&f->sink, at(f, "a/b/c")), STATUS_OK);
	assert_int_equal(os_make_folders(&f->sink, at(f, "a/b/c/")), STATUS_OK);
	assert_int_equal(os_write_file(&f->sink, at(f, "a/b/c/one"),
	                               SV("1\0"
	                                  "2"),
	                               OS_WRITE_SYNC),
	                 STATUS_OK);
	assert_int_equal(
	    os_write_file(&f->sink, at(f, "a/b/c/one"), SV("replaced\n"), OS_WRITE_PLAIN),
	    STATUS_OK);
	assert_int_equal(os_write_file(&f->sink, at(f, "a/secret"), SV("s"), OS_WRITE_PRIVATE),
	                 STATUS_OK);
	umask(before);
	assert_int_equal(mode_of(f, "a/b"), 0755);
	assert_int_equal(mode_of(f, "a/b/c/one"), 0644);
	assert_int_equal(mode_of(f, "a/secret"), 0600);
	assert_int_equal(os_read_file(f->arena, &f->sink, at(f, "a/b/c/one"), 100, &text),
	                 STATUS_OK);
	assert_sv(text, "replaced\n");
	assert_int_equal(text.ptr[text.len], 0);
	assert_int_equal(f->sink.error_count, 0);
}

static void refuses_what_is_too_large_or_absent(void **state)
{
	struct fixture *f = *state;
	sv text = SV("untouched");

	assert_int_equal(os_write_file(&f->sink, at(f, "big"), SV("12345"), 0), STATUS_OK);
	assert_int_equal(os_read_file(f->arena, &f->sink, at(f, "big"), 4, &text), STATUS_FAILED);
	assert_int_equal(os_read_file(f->arena, &f->sink, at(f, "none"), 4, &text), STATUS_FAILED);
	assert_int_equal(os_read_file(f->arena, &f->sink, sv_from_cstr(f->folder), 4, &text),
	                 STATUS_FAILED);
	assert_int_equal(os_write_file(&f->sink, at(f, "none/x"), SV("1"), 0), STATUS_FAILED);
	assert_int_equal(os_make_folders(&f->sink, at(f, "big/x")), STATUS_FAILED);
	assert_sv(text, "untouched");
	assert_int_equal(f->sink.error_count, 5);
	assert_int_equal(f->sink.diags.items[1]->code, DIAG_IO);
	assert_contains(f->sink.diags.items[1]->text, "/none: No such file or directory");
	assert_int_equal(os_read_file(f->arena, &f->sink, at(f, "big"), 5, &text), STATUS_OK);
	assert_int_equal(os_read_file(f->arena, &f->sink, SV("/proc/self/status"), 1 << 20, &text),
	                 STATUS_OK);
	assert_true(sv_starts_with(text, SV("Name:")));
}

static void lists_trees_sorted(void **state)
{
	struct fixture *f = *state;
	struct os_entries entries;
	static const char *const names[] = {"b/z", "b.yaml", "a", "b/a/deep", ".hidden"};
	static const char *const wanted[] = {".hidden", "a", "b.yaml", "b/a/deep", "b/z", "link"};

	assert_int_equal(os_make_folders(&f->sink, at(f, "b/a")), STATUS_OK);
	assert_int_equal(os_make_folders(&f->sink, at(f, "..data")), STATUS_OK);
	assert_int_equal(os_make_folders(&f->sink, at(f, ".git")), STATUS_OK);
	assert_int_equal(os_write_file(&f->sink, at(f, "..data/key"), SV("secret"), 0), STATUS_OK);
	assert_int_equal(os_write_file(&f->sink, at(f, ".git/config"), SV("x"), 0), STATUS_OK);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		assert_int_equal(os_write_file(&f->sink, at(f, names[i]), SV("12"), 0), STATUS_OK);
	assert_int_equal(symlink("..data/key", arena_cstr(f->arena, at(f, "link"))), 0);
	assert_int_equal(symlink("nowhere", arena_cstr(f->arena, at(f, "dangling"))), 0);
	assert_int_equal(symlink("b", arena_cstr(f->arena, at(f, "loop"))), 0);
	assert_int_equal(os_list_tree(f->arena, &f->sink, sv_from_cstr(f->folder), &entries),
	                 STATUS_OK);
	assert_int_equal(entries.count, COUNT_OF(wanted));
	for (size_t i = 0; i < COUNT_OF(wanted); i++)
		assert_sv(entries.items[i].path, wanted[i]);
	assert_int_equal(entries.items[5].size_bytes, 6);
	assert_int_equal(os_list_tree(f->arena, &f->sink, at(f, "nothing"), &entries),
	                 STATUS_FAILED);
}

static void removes_files_and_folders_left_empty(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(os_make_folders(&f->sink, at(f, "out/x/y")), STATUS_OK);
	assert_int_equal(os_write_file(&f->sink, at(f, "out/x/y/1"), SV("1"), 0), STATUS_OK);
	assert_int_equal(os_write_file(&f->sink, at(f, "out/x/2"), SV("2"), 0), STATUS_OK);
	assert_int_equal(os_remove_file(&f->sink, at(f, "out"), SV("x/y/1")), STATUS_OK);
	assert_int_equal(os_kind(at(f, "out/x/y")), OS_ABSENT);
	assert_int_equal(os_kind(at(f, "out/x")), OS_FOLDER);
	assert_int_equal(os_remove_file(&f->sink, at(f, "out"), SV("x/y/1")), STATUS_OK);
	assert_int_equal(os_remove_file(&f->sink, at(f, "out"), SV("x/2")), STATUS_OK);
	assert_int_equal(os_kind(at(f, "out/x")), OS_ABSENT);
	assert_int_equal(os_kind(at(f, "out")), OS_FOLDER);
	assert_int_equal(f->sink.error_count, 0);
}

/* A limit on file size stands in for a full disk: the same path through the code. */
static void full_disk_leaves_the_old_file(void **state)
{
	struct fixture *f = *state;
	static const char big[100000];
	struct os_entries entries;
	sv text;

	assert_int_equal(os_write_file(&f->sink, at(f, "file"), SV("old"), 0), STATUS_OK);
	pid_t child = fork();
	if (child == 0) {
		struct rlimit limit = {4096, 4096};

		setrlimit(RLIMIT_FSIZE, &limit);
		os_ignore_signals();
		bool failed = os_write_file(&f->sink, at(f, "file"), sv_from(big, sizeof(big)),
		                            0) == STATUS_FAILED;
		_exit(failed && f->sink.diags.items[0]->code == DIAG_DISK_FULL &&
		              sv_contains(f->sink.diags.items[0]->help, SV("ulimit -f"))
		          ? 0
		          : 1);
	}
	int status = 0;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(os_read_file(f->arena, &f->sink, at(f, "file"), 100, &text), STATUS_OK);
	assert_sv(text, "old");
	assert_int_equal(os_list_tree(f->arena, &f->sink, sv_from_cstr(f->folder), &entries),
	                 STATUS_OK);
	assert_int_equal(entries.count, 1);
}

static void names_a_full_disk_and_its_remedy(void **state)
{
	struct fixture *f = *state;

	os_report_error(&f->sink, ENOSPC, "write", SV("out/x"));
	os_report_error(&f->sink, EACCES, "write", SV("out/y"));
	assert_int_equal(f->sink.diags.items[0]->code, DIAG_DISK_FULL);
	assert_sv(f->sink.diags.items[0]->text, "cannot write out/x: No space left on device");
	assert_contains(f->sink.diags.items[0]->help, "df -h");
	assert_int_equal(f->sink.diags.items[1]->code, DIAG_IO);
	assert_int_equal(sink_exit_status(&f->sink), 3);
}

/* NAME written, with the folder "tree" as the work tree; the status. */
static enum status write_in_tree(struct fixture *f, const char *name)
{
	f->sink = sink_in(f->arena);
	enum status checked = os_check_writable(&f->sink, at(f, "tree"), at(f, name));
	enum status written = os_write_named(&f->sink, at(f, "tree"), at(f, name), SV("new"));

	assert_int_equal(checked, written);
	return written;
}

static sv read_plain(struct fixture *f, const char *name)
{
	sv text;

	assert_int_equal(os_read_file(f->arena, &f->sink, at(f, name), 100, &text), STATUS_OK);
	return text;
}

static void follows_no_link_of_a_work_tree(void **state)
{
	struct fixture *f = *state;
	static const char *const refused[] = {"tree/file-link",
	                                      "tree/folder-link/x",
	                                      "tree/dangling",
	                                      "tree/pipe",
	                                      "way/file-link",
	                                      "way/in/folder-link/x",
	                                      "tree/in/../folder-link/x",
	                                      "out/../tree/dangling"};
	static const char *const fine[] = {"tree/file",        "tree/in/new",
	                                   "tree/../out/new",  "way/in/b",
	                                   "out/link-to-file", "tree/in/.././../out/c"};
	sv text;

	assert_int_equal(os_make_folders(&f->sink, at(f, "tree/in")), STATUS_OK);
	assert_int_equal(os_make_folders(&f->sink, at(f, "out")), STATUS_OK);
	assert_int_equal(os_write_file(&f->sink, at(f, "out/kept"), SV("kept"), 0), STATUS_OK);
	assert_int_equal(os_write_file(&f->sink, at(f, "tree/file"), SV("old"), 0), STATUS_OK);
	assert_int_equal(chdir(f->folder), 0);
	assert_int_equal(symlink("../out/kept", "tree/file-link"), 0);
	assert_int_equal(symlink("../out", "tree/folder-link"), 0);
	assert_int_equal(symlink("../../out", "tree/in/folder-link"), 0);
	assert_int_equal(symlink("../out/none", "tree/dangling"), 0);
	assert_int_equal(symlink("tree", "way"), 0);
	assert_int_equal(symlink("kept", "out/link-to-file"), 0);
	assert_int_equal(mkfifo("tree/pipe", 0600), 0);
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		assert_int_equal(write_in_tree(f, refused[i]), STATUS_FAILED);
		assert_int_equal(f->sink.diags.items[0]->code, DIAG_NAMED_LINK);
		assert_int_equal(
		    os_read_named(f->arena, &f->sink, at(f, "tree"), at(f, refused[i]), 100, &text),
		    STATUS_FAILED);
	}
	assert_sv(read_plain(f, "out/kept"), "kept");
	assert_int_equal(os_kind(at(f, "out/x")), OS_ABSENT);
	assert_int_equal(os_kind(at(f, "out/none")), OS_ABSENT);
	for (size_t i = 0; i < COUNT_OF(fine); i++) {
		assert_int_equal(write_in_tree(f, fine[i]), STATUS_OK);
		assert_int_equal(
		    os_read_named(f->arena, &f->sink, at(f, "tree"), at(f, fine[i]), 100, &text),
		    STATUS_OK);
		assert_sv(text, "new");
	}
	/* The link outside leads to what is written, and stays. */
	assert_int_equal(os_kind(at(f, "out/link-to-file")), OS_LINK);
	assert_sv(read_plain(f, "out/kept"), "new");
	/* Relative to a folder in the tree, the tree named through a link. */
	assert_int_equal(chdir("tree/in"), 0);
	assert_int_equal(os_write_named(&f->sink, at(f, "way"), SV("folder-link/x"), SV("new")),
	                 STATUS_FAILED);
	assert_int_equal(os_write_named(&f->sink, at(f, "way"), SV("./b"), SV("newer")), STATUS_OK);
	assert_int_equal(chdir("/"), 0);
	assert_sv(read_plain(f, "tree/in/b"), "newer");
	assert_int_equal(write_in_tree(f, "tree/in"), STATUS_FAILED);
	assert_int_equal(write_in_tree(f, "tree/in/"), STATUS_FAILED);
	assert_int_equal(write_in_tree(f, "tree/none/x"), STATUS_FAILED);
	assert_int_equal(symlink(".", arena_cstr(f->arena, at(f, "out/a"))), 0);
	assert_int_equal(write_in_tree(f, "out/a/a/a/d"), STATUS_OK);
	assert_int_equal(symlink("round", arena_cstr(f->arena, at(f, "out/round"))), 0);
	assert_int_equal(write_in_tree(f, "out/round/x"), STATUS_FAILED);
}

struct tally {
	atomic_size_t sum;
	atomic_uint seen[1000];
	atomic_uint highest_worker;
	struct os_mutex *mutex;
	size_t plain; /* under the mutex */
};

static void count_job(void *context, size_t index, unsigned worker)
{
	struct tally *tally = context;
	unsigned highest = atomic_load(&tally->highest_worker);

	atomic_fetch_add(&tally->sum, index);
	atomic_fetch_add(&tally->seen[index], 1);
	while (worker > highest &&
	       !atomic_compare_exchange_weak(&tally->highest_worker, &highest, worker))
		;
	os_mutex_lock(tally->mutex);
	tally->plain++;
	os_mutex_unlock(tally->mutex);
}

static void runs_each_job_once(void **state)
{
	static const unsigned workers[] = {0, 1, 2, 7, 100000};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(workers); i++) {
		struct tally *tally = calloc(1, sizeof(*tally));

		tally->mutex = os_mutex_new();
		os_parallel(1000, workers[i], count_job, tally);
		assert_int_equal(atomic_load(&tally->sum), 499500);
		assert_int_equal(tally->plain, 1000);
		for (size_t j = 0; j < 1000; j++)
			assert_int_equal(atomic_load(&tally->seen[j]), 1);
		if (workers[i] > 0)
			assert_true(atomic_load(&tally->highest_worker) < workers[i]);
		os_parallel(0, workers[i], count_job, tally);
		assert_int_equal(tally->plain, 1000);
		os_mutex_free(tally->mutex);
		free(tally);
	}
	assert_true(os_core_count() >= 1);
}

static void note_order(void *context, size_t index, unsigned worker)
{
	size_t *next = context;

	assert_int_equal(worker, 0);
	assert_int_equal(index, *next);
	*next = index + 1;
}

static void one_worker_goes_in_order(void **state)
{
	size_t next = 0;

	(void)state;
	os_parallel(50, 1, note_order, &next);
	assert_int_equal(next, 50);
}

/* ---- the stack --------------------------------------------------------------------------- */

/*
 * Leaves a marked array of 1 KiB, as many kibibytes below the caller. AddressSanitizer would keep
 * the array on a stack of its own.
 */
static __attribute__((noinline, no_sanitize("address"))) uint64_t leave_mark(unsigned depth)
{
	volatile uint64_t words[1024 / sizeof(uint64_t)];

	for (size_t i = 0; i < COUNT_OF(words); i++)
		words[i] = depth == 0 ? mark : 0;
	return depth == 0 ? words[0] : leave_mark(depth - 1) + words[1];
}

static void wipes_the_stack_at_any_depth(void **state)
{
	static const unsigned depths[] = {1, 3, 30, 300};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(depths); i++) {
		leave_mark(depths[i]);
		assert_true(count_marks() > 100);
		leave_mark(depths[i]);
		os_wipe_stack();
		assert_int_equal(count_marks(), 0);
	}
}

struct marks {
	atomic_uint running;
	atomic_size_t seen[2];
	bool leave;
};

/* Both workers are here at once, so that each has one of the two jobs. */
static void mark_or_count(void *context, size_t index UNUSED, unsigned worker)
{
	struct marks *marks = context;

	atomic_fetch_add(&marks->running, 1);
	while (atomic_load(&marks->running) < 2)
		;
	if (marks->leave)
		leave_mark(3);
	else
		atomic_store(&marks->seen[worker], count_marks());
}

/* The C library gives the stack of a thread that ended to the next one. */
static void wipes_the_stacks_of_workers(void **state)
{
	struct marks left = {.leave = true};
	struct marks later = {0};

	(void)state;
	os_parallel(2, 2, mark_or_count, &left);
	os_parallel(2, 2, mark_or_count, &later);
	assert_int_equal(atomic_load(&left.running), 2);
	assert_int_equal(atomic_load(&later.running), 2);
	assert_true(atomic_load(&later.seen[0]) > 100);
	assert_int_equal(atomic_load(&later.seen[1]), 0);
}

static void reads_the_clock(void **state)
{
	(void)state;
	uint64_t before = os_monotonic_ns();
	assert_true(os_monotonic_ns() >= before && before > 0);
	assert_true(os_terminal_width(0) > 0);
}

/* ---- other programs ---------------------------------------------------------------------- */

static struct os_ended run_shell(struct fixture *f, sv script, sv input)
{
	static const sv environment[] = {SV_INIT("ONE=1"), SV_INIT("PATH=/usr/bin:/bin")};
	const sv arguments[] = {SV("-c"), script};
	const struct os_program program = {
	    .path = SV("/bin/sh"),
	    .arguments = arguments,
	    .argument_count = COUNT_OF(arguments),
	    .environment = environment,
	    .environment_count = COUNT_OF(environment),
	    .folder = sv_from_cstr(f->folder),
	    .input = input,
	};
	struct os_ended ended = {.status = -1};

	os_ignore_signals();
	assert_int_equal(os_run_program(f->arena, &f->sink, &program, &ended), STATUS_OK);
	return ended;
}

static void programs_get_what_they_are_given(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(setenv("OS_TEST_SECRET", "hidden", 1), 0);
	struct os_ended ended = run_shell(f,
	                                  SV("pwd; env | grep -c -e ONE=1; env | grep -c hidden; "
	                                     "echo complaint >&2; exit 7"),
	                                  SV(""));
	assert_int_equal(ended.status, 7);
	assert_sv(ended.out, arena_cstr(f->arena, arena_printf(f->arena, "%s\n1\n0\n", f->folder)));
	assert_sv(ended.err, "complaint\n");
	assert_int_equal(run_shell(f, SV("kill -KILL $$"), SV("")).status, 128 + SIGKILL);
}

/* More than pipes hold, in both directions; of errors the end is kept. */
static void programs_talk_at_length(void **state)
{
	struct fixture *f = *state;
	struct buf text = buf_in(f->arena);

	buf_add_repeat(&text, 'a', 1 << 20);
	BUF_ADD_LIT(&text, "end");
	struct os_ended ended = run_shell(f, SV("tee /dev/stderr"), buf_sv(&text));
	assert_int_equal(ended.status, 0);
	assert_true(sv_eq(ended.out, buf_sv(&text)));
	assert_int_equal(ended.err.len, 64 * 1024);
	assert_true(sv_ends_with(ended.err, SV("aend")));
	/* One that reads nothing ends all the same. */
	assert_int_equal(run_shell(f, SV("exec <&-; true"), buf_sv(&text)).status, 0);
}

/* What it leaves running keeps its pipes, and nobody waits for it. */
static void programs_may_leave_others_running(void **state)
{
	struct fixture *f = *state;
	sv fifo = arena_printf(f->arena, "%s/fifo", f->folder);

	assert_int_equal(mkfifo(arena_cstr(f->arena, fifo), 0600), 0);
	struct os_ended ended = run_shell(f, SV("read -r word <fifo & echo done"), SV(""));
	assert_sv(ended.out, "done\n");
	int fd = open(arena_cstr(f->arena, fifo), O_WRONLY);
	assert_true(fd >= 0);
	close(fd);
}

static void programs_are_found_where_they_are_trusted(void **state)
{
	struct fixture *f = *state;
	sv own = arena_printf(f->arena, "%s/bin", f->folder);
	sv path = ARENA_CONCAT(f->arena, own, SV("::bin:/usr/bin:./x:/bin"));
	sv found;

	assert_int_equal(os_make_folders(&f->sink, own), STATUS_OK);
	assert_int_equal(
	    symlink("/bin/sh", arena_cstr(f->arena, ARENA_CONCAT(f->arena, own, SV("/sh")))), 0);
	assert_sv(os_trusted_path(f->arena, path, sv_from_cstr(f->folder)), "/usr/bin:/bin");
	assert_true(os_find_program(f->arena, path, SV("sh"), sv_from_cstr(f->folder), &found));
	assert_sv(found, "/usr/bin/sh");
	assert_true(os_find_program(f->arena, path, SV("sh"), SV(""), &found));
	assert_true(sv_starts_with(found, own));
	assert_false(os_find_program(f->arena, path, SV("no-such-program"), SV(""), &found));
	const struct os_program program = {.path = SV("/nowhere/program"), .folder = SV("/")};
	struct os_ended ended;
	assert_int_equal(os_run_program(f->arena, &f->sink, &program, &ended), STATUS_FAILED);
	assert_int_equal(f->sink.diags.items[0]->code, DIAG_IO);
}

static struct os_ended run_bounded(struct fixture *f, sv script, const struct os_bounds *bounds)
{
	const sv arguments[] = {SV("-c"), script};
	const struct os_program program = {
	    .path = SV("/bin/sh"),
	    .arguments = arguments,
	    .argument_count = COUNT_OF(arguments),
	    .folder = sv_from_cstr(f->folder),
	    .bounds = bounds,
	};
	struct os_ended ended = {.status = -1};

	os_ignore_signals();
	assert_int_equal(os_run_program(f->arena, &f->sink, &program, &ended), STATUS_OK);
	return ended;
}

static void programs_are_held_to_their_bounds(void **state)
{
	struct fixture *f = *state;
	const struct os_bounds wide = {20000, (size_t)1 << 30, 1000};
	const struct os_bounds brief = {100, (size_t)1 << 30, 1000};

	struct os_ended ended = run_bounded(f, SV("pwd; ulimit -v; (echo x >file); ls"), &wide);
	assert_int_equal(ended.exceeded, OS_WITHIN_BOUNDS);
	/* The shell cannot write the file, which is made and stays empty. */
	assert_sv(ended.out,
	          arena_cstr(f->arena, arena_printf(f->arena, "%s\n1048576\nfile\n", f->folder)));
	ended = run_bounded(f, SV("while :; do echo aaaaaaaaaaaaaaaaaaaa; done"), &wide);
	assert_int_equal(ended.exceeded, OS_EXCEEDED_OUTPUT);
	assert_int_equal(ended.status, 128 + SIGKILL);
	/* Whatever it started ends, too: the pipe would stay open otherwise. */
	ended = run_bounded(f, SV("sleep 60 & sleep 60"), &brief);
	assert_int_equal(ended.exceeded, OS_EXCEEDED_TIME);
	const struct os_program program = {
	    .path = SV("/nowhere/program"), .folder = SV("/"), .bounds = &wide};
	assert_int_equal(os_run_program(f->arena, &f->sink, &program, &ended), STATUS_FAILED);
	assert_int_equal(f->sink.diags.items[0]->code, DIAG_IO);
}

static void private_folders_are_private(void **state)
{
	struct fixture *f = *state;
	struct stat info;
	sv one;
	sv other;

	assert_int_equal(os_make_private_folder(f->arena, &f->sink, sv_from_cstr(f->folder), &one),
	                 STATUS_OK);
	assert_int_equal(
	    os_make_private_folder(f->arena, &f->sink, sv_from_cstr(f->folder), &other), STATUS_OK);
	assert_false(sv_eq(one, other));
	assert_int_equal(stat(arena_cstr(f->arena, one), &info), 0);
	assert_int_equal(info.st_mode & 07777, 0700);
	assert_int_equal(os_make_private_folder(f->arena, &f->sink, SV("/nowhere"), &one),
	                 STATUS_FAILED);
}

/* A file without a name: strings are read back, in any order, and nothing is left in /var/tmp. */
static void keeps_strings_in_a_spool(void **state)
{
	struct fixture *f = *state;
	struct os_spool *spool = os_spool_new();
	uint64_t first;
	uint64_t empty;
	uint64_t last;
	sv text;

	assert_non_null(spool);
	assert_true(os_spool_add(spool, SV("first"), &first));
	assert_true(os_spool_add(spool, SV(""), &empty));
	assert_true(os_spool_add(spool, SV("and last"), &last));
	assert_int_equal(os_spool_read(f->arena, &f->sink, spool, last, 8, &text), STATUS_OK);
	assert_sv(text, "and last");
	assert_int_equal(os_spool_read(f->arena, &f->sink, spool, first, 5, &text), STATUS_OK);
	assert_sv(text, "first");
	assert_int_equal(os_spool_read(f->arena, &f->sink, spool, empty, 0, &text), STATUS_OK);
	assert_int_equal(text.len, 0);
	assert_int_equal(f->sink.error_count, 0);
	/* More than was written. */
	assert_int_equal(os_spool_read(f->arena, &f->sink, spool, last, 9, &text), STATUS_FAILED);
	assert_int_equal(f->sink.error_count, 1);
	os_spool_free(spool);
}

/* A full disk: the string is not taken, and none after it, so that the caller keeps them. */
static void full_disk_takes_no_string(void **state)
{
	struct rlimit before;
	uint64_t offset;

	(void)state;
	struct os_spool *spool = os_spool_new();
	assert_non_null(spool);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){4, before.rlim_max});
	bool taken = os_spool_add(spool, SV("too long"), &offset);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_false(taken);
	assert_false(os_spool_add(spool, SV("a"), &offset));
	os_spool_free(spool);
}

UNIT_TESTS(os)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(programs_get_what_they_are_given, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(programs_are_held_to_their_bounds, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(private_folders_are_private, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(programs_talk_at_length, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(programs_may_leave_others_running, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(programs_are_found_where_they_are_trusted, set_up,
	                                    tear_down),
	    cmocka_unit_test_setup_teardown(writes_whole_files_with_fixed_modes, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(refuses_what_is_too_large_or_absent, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(lists_trees_sorted, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(removes_files_and_folders_left_empty, set_up,
	                                    tear_down),
	    cmocka_unit_test_setup_teardown(full_disk_leaves_the_old_file, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(names_a_full_disk_and_its_remedy, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(follows_no_link_of_a_work_tree, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(runs_each_job_once, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(one_worker_goes_in_order, set_up, tear_down),
	    cmocka_unit_test(wipes_the_stack_at_any_depth),
	    cmocka_unit_test(wipes_the_stacks_of_workers),
	    cmocka_unit_test(reads_the_clock),
	    cmocka_unit_test_setup_teardown(keeps_strings_in_a_spool, set_up, tear_down),
	    cmocka_unit_test(full_disk_takes_no_string),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
