/* The native memory of the index: what SQLite allocates and what bulks hold
 * while they are committed, counted to the byte and held under a limit. SQLite
 * knows one allocator per process, so this is the process's. */
#ifndef PITWALL_TARGET_NATIVE_H
#define PITWALL_TARGET_NATIVE_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

/* Make SQLite allocate here, once, before anything else of it is used; limit 0:
 * none. Later calls only set the limit. ERR_STATE: SQLite is in use already;
 * ERR_NOMEM. */
CHECKED enum err native_open(uint64_t limit_bytes, struct why *why);

/* Allocate, grow, free, as malloc does; NULL: the limit, or no memory. Thread:
 * any. */
void *native_alloc(size_t n);
void *native_grow(void *p, size_t n);
void native_free(void *p);

/* In use now, and at most so far. */
uint64_t native_used_bytes(void);
uint64_t native_max_bytes(void);

/* Let the limit be exceeded while what was half-done is undone, and again
 * not. Calls nest. */
void native_lift(void);
void native_lower(void);

/* Tests: fail the allocation after the next n ones, once; -1: none. */
void native_fail_after(int64_t n);

#endif
