/*
 * A temporary file without a name.
 */
#include "os/internal.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct os_spool {
	struct os_mutex *mutex;
	int fd;
	uint64_t size;
	bool failed;
};

/* Opens a file of mode 0600 that no name leads to. Returns a negative number without one. */
static int open_nameless(void)
{
	/* The first is on a disk; the second may be memory. */
	char names[2][32] = {"/var/tmp/osm-gen-XXXXXX", "/tmp/osm-gen-XXXXXX"};

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		int fd = mkostemp(names[i], O_CLOEXEC);

		if (fd < 0)
			continue;
		(void)unlink(names[i]);
		return fd;
	}
	return -1;
}

struct os_spool *os_spool_new(void)
{
	int fd = open_nameless();

	if (fd < 0)
		return NULL;
	struct os_spool *spool = malloc(sizeof(*spool));
	if (!spool)
		base_out_of_memory();
	*spool = (struct os_spool){.mutex = os_mutex_new(), .fd = fd};
	return spool;
}

void os_spool_free(struct os_spool *spool)
{
	if (!spool)
		return;
	close(spool->fd);
	os_mutex_free(spool->mutex);
	free(spool);
}

bool os_spool_add(struct os_spool *spool, sv text, uint64_t *ret_offset)
{
	os_mutex_lock(spool->mutex);
	spool->failed = spool->failed || !os_write_all(spool->fd, text);
	bool done = !spool->failed;
	if (done) {
		*ret_offset = spool->size;
		spool->size += text.len;
	}
	os_mutex_unlock(spool->mutex);
	return done;
}

enum status os_spool_read(struct arena *arena, struct sink *sink, const struct os_spool *spool,
                          uint64_t offset, size_t size, sv *ret_text)
{
	char *text = arena_alloc_text(arena, size);

	for (size_t done = 0; done < size;) {
		ssize_t got = pread(spool->fd, text + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			os_report_error(sink, got < 0 ? errno : EIO, "read",
			                SV("a temporary file"));
			return STATUS_FAILED;
		}
		done += (size_t)got;
	}
	*ret_text = sv_from(text, size);
	return STATUS_OK;
}
