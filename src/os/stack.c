/*
 * Wipes what calls that have returned left on a thread's stack.
 *
 * Libraries leave copies there: libcrypto's BLAKE2b copies each block of a message into an array on
 * the stack. A later call usually overwrites it. After the last call of a thread there is none.
 */
#include "os/os.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A thread that left so many pages untouched has used none below them. */
enum { UNTOUCHED_PAGES = 64 };

/*
 * Extends its own frame over the bytes, since valgrind reports writes below the stack pointer.
 * AddressSanitizer would keep the frame elsewhere.
 */
static __attribute__((noinline, no_sanitize("address"))) void wipe_below(size_t size)
{
	void *bytes = __builtin_alloca(size + 1);

	memset(bytes, 0, size);
	__asm__ __volatile__("" : : "r"(bytes) : "memory");
}

/* Returns the lowest address of the thread's stack, or 0 for the first thread's, which grows. */
static uintptr_t stack_end(void)
{
	pthread_attr_t attributes;
	void *lowest = NULL;
	size_t size;

	if (gettid() == getpid() || pthread_getattr_np(pthread_self(), &attributes) != 0)
		return 0;
	(void)pthread_attr_getstack(&attributes, &lowest, &size);
	(void)pthread_attr_destroy(&attributes);
	return (uintptr_t)lowest;
}

void os_wipe_stack(void)
{
	const uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	/* The frame of memset needs room, too. */
	const uintptr_t end = stack_end() + page_size;
	uintptr_t lowest = here;
	unsigned untouched = 0;

	/* mincore fails at the first page that is not mapped. */
	for (uintptr_t page = (here & ~(page_size - 1)) - page_size;
	     page >= end && untouched < UNTOUCHED_PAGES; page -= page_size) {
		unsigned char resident;

		if (mincore((void *)page, page_size, &resident) != 0)
			break;
		untouched = resident & 1 ? 0 : untouched + 1;
		if (untouched == 0)
			lowest = page;
	}
	wipe_below(here - lowest);
}
