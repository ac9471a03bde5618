/*
 * Memory for libraries.
 */
#include "base/memory.h"

#include "base/compiler.h"

#include <stdlib.h>
#include <string.h>

static void *checked(void *ptr)
{
	if (!ptr)
		base_out_of_memory();
	return ptr;
}

void *memory_take(size_t size)
{
	return checked(malloc(size > 0 ? size : 1));
}

void *memory_take_zeroed(size_t count, size_t size)
{
	return checked(count > 0 && size > 0 ? calloc(count, size) : calloc(1, 1));
}

void *memory_resize(void *ptr, size_t size)
{
	return checked(realloc(ptr, size > 0 ? size : 1));
}

/*
 * Extends its own frame over the bytes, since valgrind reports writes below the stack pointer.
 * AddressSanitizer would keep the frame elsewhere.
 */
__attribute__((noinline, no_sanitize("address"))) void memory_wipe_stack(size_t size)
{
	void *bytes = __builtin_alloca(size + 1);

	memset(bytes, 0, size);
	__asm__ __volatile__("" : : "r"(bytes) : "memory");
}
