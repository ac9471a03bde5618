/*
 * The locks of a run, for the tests of git/locks.h, in the repository w of git_fixture.h.
 */
#ifndef OSM_GEN_TESTS_GIT_LOCKS_FIXTURE_H
#define OSM_GEN_TESTS_GIT_LOCKS_FIXTURE_H

#include "git/locks.h"

#include "git_fixture.h"
#include "git_open.h"

static inline struct git_locks *open_locks(struct fixture *f)
{
	struct git_locks *locks = NULL;

	assert_int_equal(git_locks_open(f->arena, &f->sink, f->repo, &locks), STATUS_OK);
	return locks;
}

static inline void put_file(struct fixture *f, const struct git_locks *locks, const char *what)
{
	assert_int_equal(
	    os_write_new(&f->sink, git_locks_file(locks, what), SV("new\n"), OS_WRITE_PLAIN),
	    STATUS_OK);
}

static inline sv text_of(struct fixture *f, sv path)
{
	sv text;

	assert_int_equal(os_read_file(f->arena, &f->sink, path, 1 << 20, &text), STATUS_OK);
	return text;
}

static inline ino_t inode_of(struct fixture *f, sv path)
{
	struct stat info;

	assert_int_equal(lstat(arena_cstr(f->arena, path), &info), 0);
	return info.st_ino;
}

/* "run-PID-START", of the run that has these locks. */
static inline sv name_of(const struct git_locks *locks)
{
	sv name = sv_after_last(git_locks_file(locks, "x"), '/');

	return sv_slice(name, 0, name.len - strlen(".x"));
}

static inline sv journal_of(struct fixture *f, const struct git_locks *locks)
{
	return arena_printf(f->arena, "%s/w/.git/osm-gen/%.*s", f->folder, SV_ARG(name_of(locks)));
}

static inline sv boot_id(struct fixture *f)
{
	return shell(f, "cat /proc/sys/kernel/random/boot_id");
}

static inline sv listed(struct fixture *f)
{
	return shell(f, "cd w/.git && find osm-gen index.lock refs objects/pack -type f 2>&1 | "
	                "grep -v 'refs/heads/main$\\|No such file' | sort | tr '\\n' ' '");
}

#endif
