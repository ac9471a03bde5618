/*
 * libgit2 itself: its memory, its options and its start.
 */
#include "git/internal.h"

#include <git2/sys/alloc.h>
#include <stdlib.h>

static void *take_memory(size_t size, const char *file UNUSED, int line UNUSED)
{
	return memory_take(size);
}

static void *resize(void *ptr, size_t size, const char *file UNUSED, int line UNUSED)
{
	return memory_resize(ptr, size);
}

/* From 1.7 on libgit2 makes the rest of these three. */
#if LIBGIT2_VER_MAJOR == 1 && LIBGIT2_VER_MINOR < 7
static size_t product(size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total))
		base_out_of_memory();
	return total;
}

static void *take_zeroed(size_t count, size_t size, const char *file UNUSED, int line UNUSED)
{
	return memory_take_zeroed(count, size);
}

static void *take_array(size_t count, size_t size, const char *file UNUSED, int line UNUSED)
{
	return memory_take(product(count, size));
}

static void *resize_array(void *ptr, size_t count, size_t size, const char *file UNUSED,
                          int line UNUSED)
{
	return memory_resize(ptr, product(count, size));
}

static char *copy_bytes(const char *text, size_t len, const char *file UNUSED, int line UNUSED)
{
	char *copy = memory_take(len + 1);

	memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

static char *copy_text(const char *text, const char *file, int line)
{
	return copy_bytes(text, strlen(text), file, line);
}

static char *copy_some(const char *text, size_t most, const char *file, int line)
{
	return copy_bytes(text, strnlen(text, most), file, line);
}
#endif

static git_allocator allocator(void)
{
	git_allocator ours = {
		.gmalloc = take_memory,
		.grealloc = resize,
		.gfree = free,
#if LIBGIT2_VER_MAJOR == 1 && LIBGIT2_VER_MINOR < 7
		.gcalloc = take_zeroed,
		.gmallocarray = take_array,
		.greallocarray = resize_array,
		.gstrdup = copy_text,
		.gstrndup = copy_some,
		.gsubstrdup = copy_bytes,
#endif
	};

	return ours;
}

/*
 * When libgit2 starts it has its TLS library parse all certificate authorities of the system, for
 * connections that osm-gen never makes: what talks to a remote is git's own program (remote/). With
 * mbed TLS, which Debian's libgit2 has, that is four fifths of a run that finds nothing to do.
 * These functions come before that library's of the same name, and leave the list of authorities
 * empty, so that no connection would be trusted. They are weak, since a static program has both:
 * ci/packaging/certificates.c is for that one.
 */
struct mbedtls_x509_crt;
int mbedtls_x509_crt_parse_file(struct mbedtls_x509_crt *chain, const char *path);
int mbedtls_x509_crt_parse_path(struct mbedtls_x509_crt *chain, const char *path);

__attribute__((weak)) int mbedtls_x509_crt_parse_file(struct mbedtls_x509_crt *chain UNUSED,
                                                      const char *path UNUSED)
{
	return 0;
}

__attribute__((weak)) int mbedtls_x509_crt_parse_path(struct mbedtls_x509_crt *chain UNUSED,
                                                      const char *path UNUSED)
{
	return 0;
}

/*
 * libgit2's options are the process's. They are set before each opening, to the same values.
 *
 * Strict hash verification reads every object through a slow SHA-1 that looks for collision
 * attacks; packs and loose objects have zlib's checksum, and finding damage is git fsck's work.
 */
static void isolate(void)
{
	enum { WINDOW_BYTES = 4 << 20, WINDOWS_BYTES = 12 << 20 };
	static const git_config_level_t foreign[] = {GIT_CONFIG_LEVEL_PROGRAMDATA,
	                                             GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG,
	                                             GIT_CONFIG_LEVEL_GLOBAL};
	/* These extensions change nothing that osm-gen reads. */
	static const char *const harmless[] = {"worktreeconfig", "partialclone",
	                                       "relativeworktrees", "preciousobjects"};

	for (size_t i = 0; i < COUNT_OF(foreign); i++)
		git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, (int)foreign[i], "");
	git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, harmless, COUNT_OF(harmless));
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 0);
	git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
	/* By default it keeps gigabytes of packs mapped, which count as memory of the run. */
	git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, (size_t)WINDOW_BYTES);
	git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, (size_t)WINDOWS_BYTES);
}

void git_check_memory(void)
{
	const git_error *last = git_error_last();

	if (!last || !last->message)
		return;
	if (last->klass == GIT_ERROR_NOMEMORY ||
	    (last->klass == GIT_ERROR_ZLIB && strstr(last->message, "failed to init ")))
		base_out_of_memory();
}

bool git_library_open(void)
{
	git_allocator ours = allocator();

	/* libgit2 keeps a copy; memory of both kinds is free()'s. */
	if (git_libgit2_opts(GIT_OPT_SET_ALLOCATOR, &ours) < 0 || git_libgit2_init() < 0)
		return false;
	isolate();
	return true;
}
