/*
 * Preloaded by memory.sh: writes what the process holds in memory that it may write to, at two
 * moments.
 *
 *   MEMORY_DUMP=FILE   FILE.sealing: before the MEMORY_AT-th text is encrypted (from 1); FILE.end:
 * at its end
 *
 * Before each region stands a line "\n@@REGION locked|unlocked ADDRESSES...\n".
 *
 * The end of the seed leaves "left on the stack by a library" on the stack, as libraries leave
 * copies of what they were given.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct evp_cipher_ctx_st;
int EVP_EncryptFinal_ex(struct evp_cipher_ctx_st *context, unsigned char *out, int *len);

/* Of /proc/self/smaps, which is read as a whole first: what is dumped is to change as little as
 * possible. */
static char regions[1 << 22];

static void write_all(int fd, const char *ptr, size_t len)
{
	while (len > 0) {
		ssize_t done = write(fd, ptr, len);

		if (done <= 0)
			abort();
		ptr += done;
		len -= (size_t)done;
	}
}

static void read_regions(void)
{
	int fd = open("/proc/self/smaps", O_RDONLY);
	size_t len = 0;
	ssize_t more;

	while ((more = read(fd, regions + len, sizeof(regions) - 1 - len)) > 0)
		len += (size_t)more;
	if (fd < 0 || more < 0 || len == sizeof(regions) - 1)
		abort();
	regions[len] = '\0';
	close(fd);
}

static void dump(const char *when)
{
	char path[4200];
	char head[300] = "";
	char text[400];
	unsigned long start = 0;
	unsigned long end = 0;

	snprintf(path, sizeof(path), "%s.%s", getenv("MEMORY_DUMP"), when);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		abort();
	read_regions();
	for (char *line = strtok(regions, "\n"); line; line = strtok(NULL, "\n")) {
		char rights[8];
		unsigned long from;
		unsigned long to;

		if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3) {
			start = from;
			end = to;
			snprintf(head, sizeof(head), "%s", line);
		} else if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " rd") &&
		           strstr(line, " wr")) {
			int len = snprintf(text, sizeof(text), "\n@@REGION %s %s\n",
			                   strstr(line, " lo") ? "locked" : "unlocked", head);
			write_all(fd, text, (size_t)len);
			write_all(fd, (const char *)start, end - start);
		}
	}
	close(fd);
}

int EVP_EncryptFinal_ex(struct evp_cipher_ctx_st *context, unsigned char *out, int *len)
{
	static int calls;
	int (*next)(struct evp_cipher_ctx_st *, unsigned char *, int *) =
	    (int (*)(struct evp_cipher_ctx_st *, unsigned char *, int *))dlsym(
	        RTLD_NEXT, "EVP_EncryptFinal_ex");
	const char *at = getenv("MEMORY_AT");

	if (++calls == (at ? atoi(at) : 0))
		dump("sealing");
	return next(context, out, len);
}

static __attribute__((noinline)) void leave_mark(void)
{
	volatile char unused[32 << 10];
	char text[] = "left on the stack by a library";

	unused[0] = 0;
	__asm__ __volatile__("" : : "r"(unused), "r"(text) : "memory");
}

void sodium_free(void *ptr)
{
	void (*next)(void *) = (void (*)(void *))dlsym(RTLD_NEXT, "sodium_free");

	next(ptr);
	leave_mark();
}

__attribute__((destructor)) static void at_the_end(void)
{
	if (getenv("MEMORY_DUMP"))
		dump("end");
}
