/*
 * A scratch folder with a git repository in it, made by the git program, for the tests of git/.
 */
#ifndef OSM_GEN_TESTS_GIT_FIXTURE_H
#define OSM_GEN_TESTS_GIT_FIXTURE_H

#include "git/git.h"
#include "os/os.h"

#include "asserts.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
	struct arena *arena;
	struct sink sink;
	char folder[64];
	struct git_repo *repo;
};

/* Runs a shell command in the scratch folder; %s arguments as printf's. */
static inline int shell_status(struct fixture *f, const char *format, va_list args)
    PRINTF_LIKE(2, 0);
static inline int shell_status(struct fixture *f, const char *format, va_list args)
{
	sv command = arena_vprintf(f->arena, format, args);
	sv whole = ARENA_CONCAT(f->arena, SV("cd "), sv_from_cstr(f->folder), SV(" && { "), command,
	                        SV("; } >out.txt 2>&1"));

	return system(arena_cstr(f->arena, whole)); /* NOLINT(cert-env33-c): a test's own shell */
}

static inline int try_shell(struct fixture *f, const char *format, ...) PRINTF_LIKE(2, 3);
static inline int try_shell(struct fixture *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int status = shell_status(f, format, args);
	va_end(args);
	return status;
}

/* What the command printed, without the last line break; fails the test when it failed. */
static inline sv shell(struct fixture *f, const char *format, ...) PRINTF_LIKE(2, 3);
static inline sv shell(struct fixture *f, const char *format, ...)
{
	va_list args;
	sv text;

	va_start(args, format);
	int status = shell_status(f, format, args);
	va_end(args);
	assert_int_equal(os_read_file(f->arena, &f->sink,
	                              arena_printf(f->arena, "%s/out.txt", f->folder), 64 << 20,
	                              &text),
	                 STATUS_OK);
	if (status != 0)
		fail_msg("'%s' failed: %.*s", format, SV_ARG(text));
	return sv_trim_right(text, "\n");
}

static inline sv path_in(struct fixture *f, const char *name)
{
	return arena_printf(f->arena, "%s/%s", f->folder, name);
}

/* The code of the last diagnostic. */
static inline int last_code(const struct fixture *f)
{
	size_t count = f->sink.diags.count;

	return count > 0 ? (int)f->sink.diags.items[count - 1]->code : 0;
}

static inline int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->arena = arena_new(ARENA_PLAIN);
	f->sink = sink_in(f->arena);
	strcpy(f->folder, "/tmp/git_test_XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	/* git's own words and dates must not depend on who runs the test. */
	setenv("HOME", f->folder, 1);
	setenv("XDG_CONFIG_HOME", f->folder, 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	setenv("GIT_AUTHOR_NAME", "Test", 1);
	setenv("GIT_AUTHOR_EMAIL", "test@example.com", 1);
	setenv("GIT_COMMITTER_NAME", "Test", 1);
	setenv("GIT_COMMITTER_EMAIL", "test@example.com", 1);
	setenv("GIT_AUTHOR_DATE", "1700000000 +0100", 1);
	setenv("GIT_COMMITTER_DATE", "1700000000 +0100", 1);
	setenv("LC_ALL", "C", 1);
	shell(f,
	      "git init -q -b main w && cd w && mkdir -p in/sub out/c1 && "
	      "printf 'a: 1\\n' >in/a.yaml && printf 'b: 2\\n' >in/sub/b.yaml && "
	      "printf old1 >out/c1/one && printf old2 >out/c1/two && printf keep >out/strange && "
	      "printf '#!/bin/sh\\n' >tool && chmod +x tool && ln -s tool link && "
	      "git add -A && git commit -q -m first");
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	git_repo_close(f->repo);
	if (os_kind(path_in(f, "small")) != OS_ABSENT)
		try_shell(f, "umount small"); /* a test that failed in its own file system */
	os_remove_tree(sv_from_cstr(f->folder));
	arena_free(f->arena);
	free(f);
	return 0;
}

static inline void open_repo(struct fixture *f, const char *name)
{
	git_repo_close(f->repo);
	f->repo = NULL;
	assert_int_equal(git_repo_open(f->arena, &f->sink, path_in(f, name), &f->repo), STATUS_OK);
}

static inline struct git_source find(struct fixture *f, const char *rev)
{
	struct git_source source;

	assert_int_equal(git_source_find(f->arena, &f->sink, f->repo, sv_from_cstr(rev), &source),
	                 STATUS_OK);
	return source;
}

#endif
