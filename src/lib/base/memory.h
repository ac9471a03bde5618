/*
 * Memory for libraries that take an allocator: like malloc and its kin, but running out of memory
 * ends the program (base_out_of_memory). So no library has to handle a null pointer, which some do
 * badly. And the wiping of the stack after libraries that leave secrets there.
 */
#ifndef OSM_GEN_BASE_MEMORY_H
#define OSM_GEN_BASE_MEMORY_H

#include <stddef.h>

/* Memory from each is released by free(). A size of 0 gives a pointer, too. */
void *memory_take(size_t size);
void *memory_take_zeroed(size_t count, size_t size);
void *memory_resize(void *ptr, size_t size);

/*
 * Overwrites size bytes of the stack below the caller's frame, where calls that have returned,
 * those of libraries among them, may have left copies of secrets. The first 100 bytes or so are
 * kept, as this call needs them itself.
 */
void memory_wipe_stack(size_t size);

#endif
