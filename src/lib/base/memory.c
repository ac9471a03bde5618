/*
 * Memory for libraries.
 */
#include "base/memory.h"

#include "base/compiler.h"

#include <stdlib.h>

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
