/*
 * Memory for libraries that take an allocator: like malloc and its kin, but running out of memory
 * ends the program (base_out_of_memory). So no library has to handle a null pointer, which some do
 * badly.
 */
#ifndef OSM_GEN_BASE_MEMORY_H
#define OSM_GEN_BASE_MEMORY_H

#include <stddef.h>

/* Memory from each is released by free(). A size of 0 gives a pointer, too. */
void *memory_take(size_t size);
void *memory_take_zeroed(size_t count, size_t size);
void *memory_resize(void *ptr, size_t size);

#endif
