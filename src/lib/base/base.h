/*
 * base: what C lacks and everything above needs.
 *
 *   sv.h      strings as pointer and length
 *   ascii.h   its letters and digits
 *   arena.h   memory by lifetime
 *   memory.h  memory for libraries
 *   buf.h     a growing string, and growing arrays
 *   map.h     string to pointer, in insertion order
 *   set.h     strings, each once
 *   utf8.h    runes, as Go reads them
 *   sort.h    the one stable sort
 *
 * base knows nothing of the program, makes no system call but for memory, and has no state.
 */
#ifndef OSM_GEN_BASE_BASE_H
#define OSM_GEN_BASE_BASE_H

#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/set.h"
#include "base/sort.h"
#include "base/sv.h"
#include "base/utf8.h"

#endif
