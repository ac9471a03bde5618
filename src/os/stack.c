/*
 * Wipes what calls that have returned left on a thread's stack.
 *
 * Libraries leave copies of secrets there. What hashes secrets wipes after libcrypto at once
 * (memory_wipe_stack); this is for the other libraries, at a thread's end.
 */
#include "os/os.h"

#include "base/memory.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

/* A thread that left so many pages untouched has used none below them. */
enum { UNTOUCHED_PAGES = 64 };

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
	/* memset, which overwrites it, needs a frame of its own. */
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
	memory_wipe_stack(here - lowest);
}
