/* git: the files of single folders, in a work tree and in a commit. */
#include "git/internal.h"

#include "git_fixture.h"

#include <dirent.h>
#include <limits.h>

/* "d/d/.../d/NAME", with that many folders. */
static sv below(struct fixture *f, size_t folders, const char *name)
{
	struct buf path = buf_in(f->arena);

	for (size_t i = 0; i < folders; i++)
		buf_add_cstr(&path, "d/");
	buf_add_cstr(&path, name);
	return buf_sv(&path);
}

static void look(struct fixture *f, struct git_folders *folders, sv path, enum git_disk_kind wanted)
{
	struct stat info = {0};
	struct stat same = {0};
	enum git_disk_kind kind = git_folders_look(folders, path_in(f, "t"), path, &info);

	if (kind != wanted)
		fail_msg("%.*s: %d, not %d", SV_ARG(path), kind, wanted);
	assert_in_range(folders->count, 1, GIT_FOLDERS_MAX);
	if (kind != GIT_DISK_FILE)
		return;
	sv full = ARENA_CONCAT(f->arena, path_in(f, "t/"), path);
	assert_int_equal(lstat(arena_cstr(f->arena, full), &same), 0);
	assert_int_equal(info.st_ino, same.st_ino);
}

static size_t count_descriptors(void)
{
	DIR *stream = opendir("/proc/self/fd");
	size_t count = 0;

	assert_non_null(stream);
	while (readdir(stream))
		count++;
	closedir(stream);
	return count;
}

/* In both orders: folders are left and entered again. */
static void looks_through_no_link(void **state)
{
	static const struct {
		const char *path;
		enum git_disk_kind kind;
	} cases[] = {
	    {"a/b/one", GIT_DISK_FILE},       {"a/b/two", GIT_DISK_FILE},
	    {"a/b/none", GIT_DISK_ABSENT},    {"a/b/link", GIT_DISK_ALIEN},
	    {"a/b/pipe", GIT_DISK_ALIEN},     {"a/bb/one", GIT_DISK_FILE},
	    {"a/b", GIT_DISK_ALIEN},          {"a/none/x/y", GIT_DISK_ABSENT},
	    {"a/none/z", GIT_DISK_ABSENT},    {"a/three", GIT_DISK_FILE},
	    {"a/three/x", GIT_DISK_ALIEN},    {"a/three/x/y", GIT_DISK_ALIEN},
	    {"four", GIT_DISK_FILE},          {"none", GIT_DISK_ABSENT},
	    {"out/one", GIT_DISK_ALIEN},      {"out/b/one", GIT_DISK_ALIEN},
	    {"inside/b/one", GIT_DISK_ALIEN}, {"a/away/one", GIT_DISK_ALIEN},
	    {"nowhere/x", GIT_DISK_ALIEN},    {"b/one", GIT_DISK_ABSENT},
	};
	struct fixture *f = *state;
	size_t before = count_descriptors();
	struct git_folders folders = {0};

	shell(f, "mkdir -p t/a/b t/a/bb elsewhere/b && cd t && touch a/b/one a/b/two a/bb/one "
	         "a/three four ../elsewhere/one ../elsewhere/b/one && mkfifo a/b/pipe && "
	         "ln -s one a/b/link && ln -s ../elsewhere out && ln -s a inside && "
	         "ln -s ../../elsewhere a/away && ln -s missing nowhere");
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		look(f, &folders, sv_from_cstr(cases[i].path), cases[i].kind);
	for (size_t i = COUNT_OF(cases); i-- > 0;)
		look(f, &folders, sv_from_cstr(cases[i].path), cases[i].kind);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		look(f, &folders, SV("a/b/one"), GIT_DISK_FILE);
		look(f, &folders, sv_from_cstr(cases[i].path), cases[i].kind);
	}
	git_folders_close(&folders);
	assert_int_equal(count_descriptors(), before);
	assert_int_equal(git_folders_look(&folders, path_in(f, "none"), SV("a"), &(struct stat){0}),
	                 GIT_DISK_ABSENT);
	assert_int_equal(folders.count, 0);
}

static void opens_a_bounded_number_of_folders(void **state)
{
	enum { DEEP = 3 * GIT_FOLDERS_MAX };
	struct fixture *f = *state;
	size_t before = count_descriptors();
	struct git_folders folders = {0};

	shell(f,
	      "d=t/$(printf 'd/%%.0s' $(seq %d)) && mkdir -p $d && ln -s /tmp $d/link && "
	      "p=t && for i in $(seq 0 %d); do touch $p/file; p=$p/d; done",
	      DEEP, DEEP);
	for (size_t i = 0; i <= DEEP; i++)
		look(f, &folders, below(f, i, "file"), GIT_DISK_FILE);
	for (size_t i = DEEP; i > 0; i--)
		look(f, &folders, below(f, i, "file"), GIT_DISK_FILE);
	for (size_t i = 0; i <= DEEP; i++) {
		look(f, &folders, below(f, DEEP, "file"), GIT_DISK_FILE);
		look(f, &folders, below(f, i, "none/x"), GIT_DISK_ABSENT);
		look(f, &folders, below(f, i, "file/x"), GIT_DISK_ALIEN);
	}
	look(f, &folders, below(f, DEEP, "link/x"), GIT_DISK_ALIEN);
	look(f, &folders, below(f, DEEP, "d/x"), GIT_DISK_ABSENT);
	assert_int_equal(folders.count, GIT_FOLDERS_MAX);
	assert_int_equal(count_descriptors(), before + GIT_FOLDERS_MAX);
	git_folders_close(&folders);
	assert_int_equal(count_descriptors(), before);
}

/* A name or a path that no system call takes is of nobody's file. */
static void looks_at_no_path_that_is_too_long(void **state)
{
	struct fixture *f = *state;
	struct git_folders folders = {0};
	char *name = arena_alloc_text(f->arena, NAME_MAX + 2);

	memset(name, 'n', NAME_MAX + 1);
	name[NAME_MAX + 1] = '\0';
	shell(f, "mkdir t");
	look(f, &folders, sv_from_cstr(name), GIT_DISK_ALIEN);
	look(f, &folders, ARENA_CONCAT(f->arena, sv_from_cstr(name), SV("/x")), GIT_DISK_ALIEN);
	look(f, &folders, sv_from_cstr(name + 1), GIT_DISK_ABSENT);
	look(f, &folders, below(f, PATH_MAX / 2 - 1, "x"), GIT_DISK_ALIEN);
	git_folders_close(&folders);
}

static void lists_one_folder_of_a_commit(void **state)
{
	static const struct {
		const char *folder;
		const char *files;
	} cases[] = {
	    {"out", " out/c1/one out/c1/two out/strange"},
	    {"out/c1", " out/c1/one out/c1/two"},
	    {"in/sub", " in/sub/b.yaml"},
	    {"in/su", ""},
	    {"o", ""},
	    {"out/c1/one", ""},
	    {"link", ""},
	    {"/out", ""},
	    {"out/c1/", ""},
	};
	struct fixture *f = *state;

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct git_files files = {0};
		struct buf names = buf_in(f->arena);

		assert_int_equal(git_list_folder(f->arena, &f->sink, f->repo, &source,
		                                 sv_from_cstr(cases[i].folder), &files),
		                 STATUS_OK);
		VEC_EACH (file, &files) {
			buf_printf(&names, " %.*s", SV_ARG(file->path));
			assert_ptr_equal(git_files_find(&files, file->path), file);
		}
		assert_sv(buf_sv(&names), cases[i].files);
		assert_null(git_files_find(&files, SV("out/c1/three")));
		assert_null(git_files_find(&files, SV("zoo")));
	}
	/* A folder that cannot be read is not an empty one. */
	shell(f, "cd w && o=$(git rev-parse HEAD:out) && "
	         "rm .git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)");
	open_repo(f, "w");
	struct git_files files;
	assert_int_equal(git_list_folder(f->arena, &f->sink, f->repo, &source, SV("in"), &files),
	                 STATUS_OK);
	assert_int_equal(files.count, 2);
	assert_int_equal(
	    git_list_folder(f->arena, &f->sink, f->repo, &source, SV("out/c1"), &files),
	    STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_OBJECT);
}

static sv dirty(struct fixture *f, const struct git_files *files)
{
	struct buf names = buf_in(f->arena);
	struct git_files found;

	assert_int_equal(git_list_dirty(f->arena, &f->sink, f->repo, files, &found), STATUS_OK);
	VEC_EACH (file, &found)
		buf_printf(&names, " %.*s", SV_ARG(file->path));
	return buf_sv(&names);
}

/* Files that a link leads to are not those of the commit, whatever is in them. */
static void compares_files_of_the_commit_in_any_order(void **state)
{
	struct fixture *f = *state;
	struct git_files files;
	struct git_files reversed = {0};

	shell(f, "cd w && git rm -q --cached link && git commit -q -m unlinked");
	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	assert_int_equal(git_list(f->arena, &f->sink, f->repo, &source, SV(""), &files), STATUS_OK);
	assert_int_equal(files.count, 6);
	for (size_t i = files.count; i-- > 0;)
		VEC_PUSH(f->arena, &reversed, files.items[i]);
	assert_sv(dirty(f, &files), "");
	assert_sv(dirty(f, &reversed), "");
	shell(f, "cd w && mv in ../elsewhere && ln -s ../elsewhere in && rm -r out/c1 && "
	         "mv out/strange strange && mkdir out/strange");
	assert_sv(dirty(f, &files), " in/a.yaml in/sub/b.yaml out/c1/one out/c1/two out/strange");
	assert_sv(dirty(f, &reversed),
	          " out/strange out/c1/two out/c1/one in/sub/b.yaml in/a.yaml");
	/* An entry with a conflict is none. */
	shell(f, "cd w && rm -r in out/strange && git reset -q --hard && "
	         "o=$(git rev-parse HEAD:in/a.yaml) && git rm -q --cached in/a.yaml && "
	         "printf '100644 %%s %%s\tin/a.yaml\n' $o 1 $o 2 $o 3 | "
	         "git update-index --index-info");
	open_repo(f, "w");
	assert_sv(dirty(f, &files), " in/a.yaml");
	assert_sv(dirty(f, &reversed), " in/a.yaml");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(git_folders)
{
	const struct CMUnitTest tests[] = {
	    CASE(looks_through_no_link),
	    CASE(opens_a_bounded_number_of_folders),
	    CASE(looks_at_no_path_that_is_too_long),
	    CASE(lists_one_folder_of_a_commit),
	    CASE(compares_files_of_the_commit_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
