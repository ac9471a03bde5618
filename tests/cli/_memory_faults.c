/*
 * Preloaded by _memory_faults.py: has one allocation between the beginning of main and its end
 * fail. Malloc and its kin count, which libraries and C++ use, too, and anonymous mappings.
 *
 *   FAULT_AT=N         the Nth allocation (from 1) fails, once
 *   FAULT_LIST=FILE    each allocation in turn whose number is among these (ascending, a line
 * each): at such a one the process forks, it fails in the child, and the parent goes on
 *   FAULT_LOG=FILE     a line for each child, "N exit|signal NUMBER OUT ERR", with FNV-1a digests
 * of what it printed; and "total N", "written N": how many allocations there were, and at which one
 * the program had first changed a file FAULT_ERR=FOLDER   gets what a child wrote to stderr, by its
 * digest FAULT_TRACE=FILE   gets where FAULT_AT's allocation was called from
 *
 * A child ends with status 99 instead of changing a file, and after a minute by SIGALRM. The
 * program must run in one thread.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

enum { SLOTS = 32, LINE = 4096, SECONDS = 60, CHANGED = 99 };

struct slot {
	pid_t child; /* 0: free */
	unsigned long number;
	int out;
	int err;
};

static bool counts;      /* main runs */
static bool is_child;    /* an allocation has failed here */
static bool has_written; /* a file was changed */
static unsigned long calls;
static unsigned long at;    /* FAULT_AT */
static unsigned long *list; /* FAULT_LIST, and what follows is 0 */
static struct slot slots[SLOTS];
static int log_fd = -1;
static const char *trace_file;
static const char *err_folder;

static void say(const char *format, ...)
{
	char line[LINE];
	va_list args;

	va_start(args, format);
	int len = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (log_fd >= 0)
		(void)!syscall(SYS_write, log_fd, line, (size_t)len);
}

static uint64_t digest(int fd, const char *folder)
{
	uint64_t sum = 0xcbf29ce484222325u;
	unsigned char bytes[LINE];
	char name[LINE];
	ssize_t len;
	off_t from = 0;

	while ((len = pread(fd, bytes, sizeof(bytes), from)) > 0) {
		for (ssize_t i = 0; i < len; i++)
			sum = (sum ^ bytes[i]) * 0x100000001b3u;
		from += len;
	}
	snprintf(name, sizeof(name), "%s/%016lx", folder ? folder : "", (unsigned long)sum);
	if (!folder || access(name, F_OK) == 0)
		return sum;
	int copy = (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_EXCL, 0644);
	for (from = 0; copy >= 0 && (len = pread(fd, bytes, sizeof(bytes), from)) > 0; from += len)
		(void)!syscall(SYS_write, copy, bytes, (size_t)len);
	if (copy >= 0)
		close(copy);
	return sum;
}

/* Waits for the child of the slot, whose result goes into the log. */
static void reap(struct slot *slot)
{
	int status = 0;

	if (slot->child == 0 || waitpid(slot->child, &status, 0) < 0)
		return;
	say("%lu %s %d %016lx %016lx\n", slot->number, WIFEXITED(status) ? "exit" : "signal",
	    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
	    (unsigned long)digest(slot->out, NULL), (unsigned long)digest(slot->err, err_folder));
	close(slot->out);
	close(slot->err);
	slot->child = 0;
}

/* Forks; true in the child. */
static bool forks(void)
{
	struct slot *slot = &slots[*list % SLOTS];

	reap(slot);
	*slot = (struct slot){.number = *list,
	                      .out = memfd_create("out", MFD_CLOEXEC),
	                      .err = memfd_create("err", MFD_CLOEXEC)};
	/* A busy machine may refuse a process for a while. */
	while ((slot->child = fork()) < 0)
		usleep(10000);
	if (slot->child != 0)
		return false;
	dup2(slot->out, STDOUT_FILENO);
	dup2(slot->err, STDERR_FILENO);
	alarm(SECONDS);
	is_child = true;
	return true;
}

static void trace(void)
{
	void *frames[64];

	if (!trace_file)
		return;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, trace_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd >= 0)
		backtrace_symbols_fd(frames, backtrace(frames, 64), fd);
	if (fd >= 0)
		close(fd);
}

/* True: this allocation is to fail. */
static bool fails(void)
{
	bool result = false;

	if (!counts || is_child)
		return false;
	calls++;
	counts = false;
	if (list && *list == calls) {
		/* Behind the first change of a file two processes would be in each other's way. */
		result = !has_written && forks();
		list++;
	} else if (at == calls) {
		trace();
		result = true;
	}
	counts = true;
	if (result)
		errno = ENOMEM;
	return result;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *ptr, size_t size)
{
	return fails() ? NULL : __libc_realloc(ptr, size);
}

void *reallocarray(void *ptr, size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total) || fails())
		return NULL;
	return __libc_realloc(ptr, total);
}

void *memalign(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	void *ptr = fails() ? NULL : __libc_memalign(alignment, size);

	if (ptr)
		*ret = ptr;
	return ptr ? 0 : ENOMEM;
}

static void *map(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	if ((flags & MAP_ANONYMOUS) && fails())
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	return map(address, size, protection, flags, fd, offset);
}

void *mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset)
{
	return map(address, size, protection, flags, fd, offset);
}

/* ---- the first change of a file ----------------------------------------------------------------
 */

/* Called before a file is changed. */
static void changes(void)
{
	if (!counts && !is_child)
		return;
	if (is_child && list)
		_exit(CHANGED);
	if (!has_written)
		say("written %lu\n", calls);
	has_written = true;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define CHANGE(name, parameters, arguments)                                                        \
	int name parameters                                                                        \
	{                                                                                          \
		changes();                                                                         \
		return REAL(name) arguments;                                                       \
	}
CHANGE(rename, (const char *a, const char *b), (a, b))
CHANGE(renameat, (int d, const char *a, int e, const char *b), (d, a, e, b))
CHANGE(link, (const char *a, const char *b), (a, b))
CHANGE(linkat, (int d, const char *a, int e, const char *b, int f), (d, a, e, b, f))
CHANGE(symlink, (const char *a, const char *b), (a, b))
CHANGE(symlinkat, (const char *a, int d, const char *b), (a, d, b))
CHANGE(unlink, (const char *a), (a))
CHANGE(unlinkat, (int d, const char *a, int f), (d, a, f))
CHANGE(mkdir, (const char *a, mode_t m), (a, m))
CHANGE(mkdirat, (int d, const char *a, mode_t m), (d, a, m))
CHANGE(rmdir, (const char *a), (a))
CHANGE(truncate, (const char *a, off_t s), (a, s))
CHANGE(ftruncate, (int d, off_t s), (d, s))
CHANGE(mkostemp, (char *a, int f), (a, f))
CHANGE(mkstemp, (char *a), (a))

/* Opening counts where it is for writing. */
#define OPEN(name, declared, passed)                                                               \
	int name(declared const char *path, int flags, ...)                                        \
	{                                                                                          \
		va_list args;                                                                      \
                                                                                                   \
		va_start(args, flags);                                                             \
		mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;            \
		va_end(args);                                                                      \
		if ((flags & O_ACCMODE) != O_RDONLY && strncmp(path, "/dev/", 5) != 0)             \
			changes();                                                                 \
		return REAL(name)(passed path, flags, mode);                                       \
	}
#define COMMA ,
OPEN(open, , )
OPEN(open64, , )
OPEN(openat, int folder COMMA, folder COMMA)
OPEN(openat64, int folder COMMA, folder COMMA)

/* ---- main, and what stands around it ------------------------------------------------------------
 */

typedef int main_type(int argc, char **argv, char **environment);
static main_type *program_main;

/* The numbers of FAULT_LIST. */
static void read_list(const char *file)
{
	FILE *in = fopen(file, "r");
	size_t count = 0;
	size_t room = 1u << 22;

	list = __libc_calloc(room + 1, sizeof(*list));
	while (in && list && count < room && fscanf(in, "%lu", &list[count]) == 1)
		count++;
	if (!in || !list)
		abort();
	fclose(in);
}

static int counted_main(int argc, char **argv, char **environment)
{
	const char *number = getenv("FAULT_AT");
	const char *log = getenv("FAULT_LOG");
	void *frame;

	trace_file = getenv("FAULT_TRACE");
	err_folder = getenv("FAULT_ERR");
	at = number ? strtoul(number, NULL, 10) : 0;
	if (getenv("FAULT_LIST"))
		read_list(getenv("FAULT_LIST"));
	if (log)
		log_fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	/* Programs that this one runs have their memory. */
	unsetenv("LD_PRELOAD");
	(void)backtrace(&frame, 1); /* loads what it needs now */
	counts = true;
	int status = program_main(argc, argv, environment);
	counts = false;
	if (is_child)
		return status;
	for (size_t i = 0; i < SLOTS; i++)
		reap(&slots[i]);
	say("total %lu\n", calls);
	return status;
}

typedef int start_type(main_type *main, int argc, char **argv, void (*init)(void),
                       void (*fini)(void), void (*loader)(void), void *stack);

int __libc_start_main(main_type *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader)(void), void *stack)
{
	start_type *start = (start_type *)dlsym(RTLD_NEXT, "__libc_start_main");

	program_main = main;
	return start(counted_main, argc, argv, init, fini, loader, stack);
}
