/* git: what a repository is and lacks, and files of its work tree that it does not have. */
#include "git/internal.h"

#include "git_fixture.h"
#include "git_open.h"

#include <sys/wait.h>

/* ---- repositories ------------------------------------------------------------------------ */

static void tells_what_a_repository_is(void **state)
{
	struct fixture *f = *state;

	shell(f, "git clone -q w clone && git -C clone checkout -q --detach && "
	         "git init -q -b main empty && git -C w worktree add -q ../linked");
	open_repo(f, "w");
	assert_false(git_repo_is_detached(f->repo));
	assert_false(git_repo_is_unborn(f->repo));
	assert_false(git_repo_is_linked(f->repo));
	assert_sv(git_repo_origin(f->arena, f->repo), "");
	open_repo(f, "clone");
	assert_true(git_repo_is_detached(f->repo));
	assert_false(git_repo_is_shallow(f->repo));
	assert_true(sv_eq(git_repo_origin(f->arena, f->repo), path_in(f, "w")));
	open_repo(f, "empty");
	assert_false(git_repo_is_detached(f->repo));
	assert_true(git_repo_is_unborn(f->repo));
	open_repo(f, "linked");
	assert_true(git_repo_is_linked(f->repo));
	shell(
	    f,
	    "git -C w commit -q --allow-empty -m 2; git clone -q --depth 1 file://$PWD/w shallow");
	open_repo(f, "shallow");
	assert_true(git_repo_is_shallow(f->repo));
}

/* LeakSanitizer reports what it does not free. */
static void makes_a_repository(void **state)
{
	struct fixture *f = *state;
	sv path = path_in(f, "above/new");

	assert_int_equal(git_init(f->arena, &f->sink, path), STATUS_OK);
	assert_sv(shell(f, "git -C above/new symbolic-ref HEAD"), "refs/heads/main");
	open_repo(f, "above/new");
	assert_true(git_repo_is_unborn(f->repo));
	/* There is one now, with something in it. */
	shell(f, "echo text >above/new/.git/description");
	assert_int_equal(git_init(f->arena, &f->sink, path), STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_REPOSITORY);
	assert_sv(shell(f, "cat above/new/.git/description"), "text");
}

static void names_the_library(void **state)
{
	struct fixture *f = *state;
	int number[3];

	git_libgit2_version(&number[0], &number[1], &number[2]);
	sv want = arena_printf(f->arena, "%d.%d.%d", number[0], number[1], number[2]);
	assert_true(sv_eq(git_library_version(f->arena), want));
}

/* The root of the repository that a process runs in. */
static void finds_the_repository(void **state)
{
	static const struct {
		const char *folder, *root;
	} cases[] = {
	    {"w", "."}, {"w/in/sub", "w"}, {"bare.git", "."}, {"bare.git/refs", "bare.git"},
	    {"", "."},
	};
	struct fixture *f = *state;
	char *before = getcwd(NULL, 0);

	shell(f, "git clone -q --bare w bare.git");
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_int_equal(os_change_folder(&f->sink, path_in(f, cases[i].folder)),
		                 STATUS_OK);
		sv root = git_repo_find(f->arena);

		assert_int_equal(os_change_folder(&f->sink, sv_from_cstr(before)), STATUS_OK);
		assert_sv(root, strcmp(cases[i].root, ".") == 0
		                    ? "."
		                    : arena_cstr(f->arena, path_in(f, cases[i].root)));
	}
	free(before);
}

/* What brings the objects that a partial clone lacks. */
static void helps_in_a_partial_clone(void **state)
{
	static const struct {
		const char *name, *prepare, *help;
	} cases[] = {
	    {"p", "git clone -q w p", "git checkout does for HEAD"},
	    {"s", "git clone -q w s && git -C s sparse-checkout set in/sub",
	     "git sparse-checkout disable does"},
	    {"p.git", "git clone -q --bare w p.git", "git fetch --refetch --no-filter does"},
	};
	struct fixture *f = *state;

	const char *hex = arena_cstr(f->arena, shell(f, "git -C w rev-parse HEAD:in/a.yaml"));
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct git_files files;
		sv bytes;

		shell(f, "%s", cases[i].prepare);
		shell(
		    f,
		    "cd %s && git config core.repositoryFormatVersion 1 && "
		    "git config extensions.partialClone origin && cd $(git rev-parse --git-dir) && "
		    "rm -f objects/%.2s/*",
		    cases[i].name, hex);
		open_repo(f, cases[i].name);
		assert_true(git_repo_is_partial(f->repo));
		struct git_source source = find(f, "HEAD");
		assert_int_equal(git_list(f->arena, &f->sink, f->repo, &source, (sv){0}, &files),
		                 STATUS_OK);
		f->sink = sink_in(f->arena);
		if (git_read(f->arena, &f->sink, f->repo, &files.items[0], 100, &bytes) !=
		    STATUS_FAILED)
			fail_msg("%s: %.*s", cases[i].help, SV_ARG(files.items[0].path));
		assert_int_equal(last_code(f), DIAG_GIT_PARTIAL);
		assert_contains(f->sink.diags.items[0]->help, cases[i].help);
	}
}

/* All that a partial clone lacks, in one message; in other clones it is damage. */
static void lists_what_a_partial_clone_lacks(void **state)
{
	static const char *const clones[] = {"whole", "partial"};
	struct fixture *f = *state;
	struct git_files files;

	shell(f, "git clone -q w whole && git clone -q w partial && "
	         "git -C partial config core.repositoryFormatVersion 1 && "
	         "git -C partial config extensions.partialClone origin");
	const char *hex = arena_cstr(f->arena, shell(f, "git -C w rev-parse HEAD:in/a.yaml"));
	for (size_t i = 0; i < COUNT_OF(clones); i++) {
		open_repo(f, clones[i]);
		struct git_source source = find(f, "HEAD");

		assert_int_equal(git_list(f->arena, &f->sink, f->repo, &source, (sv){0}, &files),
		                 STATUS_OK);
		assert_int_equal(git_check_files(&f->sink, f->repo, SV(""), &files), STATUS_OK);
		shell(f, "rm -f %s/.git/objects/%.2s/*", clones[i], hex);
		open_repo(f, clones[i]);
		assert_diag_count(&f->sink, 0);
		assert_int_equal(git_check_files(&f->sink, f->repo, SV("x"), &files),
		                 i == 0 ? STATUS_OK : STATUS_FAILED);
	}
	assert_diag_count(&f->sink, 1);
	assert_int_equal(last_code(f), DIAG_GIT_PARTIAL);
	assert_contains(f->sink.diags.items[0]->text,
	                "lacks 1 of the 7 files that osm-gen reads, the first is x/in/a.yaml");
	assert_contains(f->sink.diags.items[0]->help, "git checkout does for HEAD");
}

/* ---- files that nobody added ------------------------------------------------------------- */

static sv untracked(struct fixture *f, const char *skip)
{
	struct git_source source = find(f, "HEAD");
	struct buf names = buf_in(f->arena);
	struct git_files known;
	struct git_files files;

	assert_int_equal(git_list(f->arena, &f->sink, f->repo, &source, (sv){0}, &known),
	                 STATUS_OK);
	git_list_untracked(f->arena, f->repo, &known, sv_from_cstr(skip), &files);
	VEC_EACH (file, &files) {
		assert_true(file->on_disk);
		buf_printf(&names, "%s%.*s", file == files.items ? "" : " ", SV_ARG(file->path));
	}
	return buf_sv(&names);
}

static void lists_files_that_nobody_added(void **state)
{
	struct fixture *f = *state;

	shell(f, "cd w && printf '*.tmp\\nignored/\\n!kept.tmp\\n' >.gitignore && "
	         "mkdir -p ignored new/deep out/new && "
	         "touch ignored/x a.tmp kept.tmp new/b new/deep/a in/c in/sub/d out/e out/new/f && "
	         "touch staged && git add staged && printf changed >in/a.yaml && "
	         "git init -q foreign && touch foreign/x && ln -s new/b other && mkfifo pipe");
	open_repo(f, "w");
	assert_sv(untracked(f, "out"), ".gitignore in/c in/sub/d kept.tmp new/b new/deep/a staged");
	assert_sv(untracked(f, "new"), ".gitignore in/c in/sub/d kept.tmp out/e out/new/f staged");
	/* A folder that is ignored hides its files although others of it are committed. */
	shell(f, "cd w && mkdir -p ignored/deep/er && touch ignored/deep/er/known ignored/.gitx && "
	         "git add -f ignored/deep/er/known && git commit -q -m known && "
	         "printf '!*\n' >ignored/deep/.gitignore && "
	         "touch ignored/deep/er/new ignored/deep/new && git init -q in/foreign && "
	         "touch in/foreign/.a in/foreign/x");
	assert_sv(untracked(f, "out"), ".gitignore in/c in/sub/d kept.tmp new/b new/deep/a");
	/* Folders that are deeper than any manifest are not looked at. */
	shell(f, "cd w && d=new/$(printf 'd/%%.0s' $(seq 62)) && mkdir -p $d/e && touch $d/x && "
	         "touch $d/e/y");
	sv found = untracked(f, "out");
	assert_contains(found, "/d/x");
	assert_lacks(found, "/e/y");
	shell(f, "git clone -q --bare w bare.git");
	open_repo(f, "bare.git");
	assert_sv(untracked(f, "out"), "");
}

/* ---- files that git add would take ------------------------------------------------------- */

static void tells_what_git_would_add(void **state)
{
	static const struct {
		const char *path;
		bool would;
	} cases[] = {
	    {"w/key", true},          {"w/in/key", true},    {"w/a.tmp", false},
	    {"w/ignored/key", false}, {"w/.git/key", false}, {"w/.gitkey", true},
	    {"bare.git/key", false},  {"key", false},        {"broken/key", true},
	};
	struct fixture *f = *state;

	shell(f, "cd w && printf '*.tmp\\nignored/\\n' >.gitignore && mkdir ignored && cd .. && "
	         "git clone -q --bare w bare.git && git init -q broken && echo '[core' "
	         ">broken/.git/config");
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		sv path = path_in(f, cases[i].path);
		sv folder = sv_slice(path, 0, sv_rfind_char(path, '/'));
		sv root = {0};

		if (git_would_add(f->arena, folder, path, &root) != cases[i].would)
			fail_msg("%s", cases[i].path);
		if (cases[i].would)
			assert_sv(root,
			          arena_cstr(f->arena,
			                     path_in(f, cases[i].path[0] == 'w' ? "w" : "broken")));
	}
}

/* ---- libgit2 ----------------------------------------------------------------------------- */

/* Where libgit2 lacks memory the program ends: it does not handle that everywhere. */
static void ends_where_libgit2_lacks_memory(void **state UNUSED)
{
	static const struct {
		int class;
		const char *message;
		int status;
	} cases[] = {
	    {GIT_ERROR_NOMEMORY, "out of memory", 3},
	    {GIT_ERROR_ZLIB, "failed to init deflate stream", 3},
	    {GIT_ERROR_ZLIB, "damaged", 0},
	    {GIT_ERROR_OS, "failed to init something", 0},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		int status = 0;
		pid_t child = fork();

		if (child == 0) {
			close(STDERR_FILENO);
			git_error_set_str(cases[i].class, cases[i].message);
			git_check_memory();
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), cases[i].status);
	}
	git_error_clear();
	git_check_memory();
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(git_repo)
{
	const struct CMUnitTest tests[] = {
	    CASE(tells_what_a_repository_is),
	    CASE(finds_the_repository),
	    CASE(makes_a_repository),
	    CASE(names_the_library),
	    CASE(helps_in_a_partial_clone),
	    CASE(lists_what_a_partial_clone_lacks),
	    CASE(lists_files_that_nobody_added),
	    CASE(tells_what_git_would_add),
	    CASE(ends_where_libgit2_lacks_memory),
	};

	return cmocka_run_group_tests(tests, git_open, git_close);
}
