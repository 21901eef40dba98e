/* The target's managed heap: everything that a Netty-based ingest server would
 * allocate comes from here (contracts.md, "The managed heap").
 *
 * Objects hold bytes, never references. A handle is the only root: an object
 * lives until its handle is released. Small garbage has no handle and is dead
 * at once. A pointer to an object dies at its mutator's next heap_alloc,
 * heap_garbage, heap_poll or heap_native_enter, since a collection may move it.
 *
 * A mutator is a thread that allocates, made explicit: nothing here is
 * thread-local, so that a replay drives several from one thread. A mutator is
 * managed (it holds pointers; a collection waits for its next poll) or native
 * (it waits or runs foreign code, and holds none). */
#ifndef PITWALL_TARGET_HEAP_HEAP_H
#define PITWALL_TARGET_HEAP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "target/heap/stats.h"

struct heap;
struct mutator;
struct heap_sink; /* target/heap/event.h */

/* A handle; 0 is none. */
typedef uint32_t heap_ref;

#define HEAP_MUTATORS_MAX    256u
#define HEAP_BYTES_MIN       (2u << 20)
#define HEAP_YOUNG_BYTES_MIN (640u << 10) /* a survivor is at least 64 KiB */

struct heap_config {
    uint64_t heap_bytes;     /* the hard budget, >= HEAP_BYTES_MIN */
    uint64_t young_bytes;    /* 0: heap / 3 */
    uint64_t tlab_min_bytes; /* 0: 2048 */
    bool stress; /* collect at every allocation and poison the old place */
    uint64_t refuse_at; /* allocation refused for a test, from 1; 0: none */
    bool pretouch_all;  /* touch old too, not young alone */
    const struct heap_sink *sink; /* events for logs, or NULL; borrowed */
};

/* Make a heap. ERR_RANGE: a size below HEAP_BYTES_MIN or young >= heap;
 * ERR_NOMEM: the machine refuses the mapping. Owns: heap_free (no mutator may
 * be attached any more; NULL is fine). */
CHECKED enum err heap_new(struct heap **out, const struct heap_config *config,
                          struct why *why);
void heap_free(struct heap *heap);

/* Attach the calling thread's mutator, in managed state; name (borrowed for
 * ever, a literal) groups statistics: "worker", "bulk". NULL: too many or no
 * memory. Detach releases no handles. */
struct mutator *heap_attach(struct heap *heap, const char *name);
void heap_detach(struct mutator *mutator);

/* Allocate an array of n zeroed bytes (16 bytes of header are added, as
 * byte[n] has). Returns 0 when the heap cannot hold it even after a full
 * collection: out of memory, the caller unwinds. May collect: every pointer of
 * this mutator dies. Thread: the mutator's own, managed. */
heap_ref heap_alloc(struct mutator *mutator, size_t n);

/* Allocate n bytes (header included) that are dead at once. False: out of
 * memory. May collect. */
bool heap_garbage(struct mutator *mutator, size_t n);

/* The object's bytes; see above for how long. ref is not 0. */
void *heap_ptr(const struct mutator *mutator, heap_ref ref);

/* The object is dead from now on; 0 is ignored. Any managed mutator may release
 * any handle, once. Frees nothing until the next collection. */
void heap_release(struct mutator *mutator, heap_ref ref);

/* Managed -> native before waiting (epoll_wait, conditions, files, SQLite), and
 * back. Nested calls are a fault. heap_poll: let a waiting collection run; once
 * per loop turn, per 8 KiB component, per document. */
void heap_native_enter(struct mutator *mutator);
void heap_native_leave(struct mutator *mutator);
void heap_poll(struct mutator *mutator);

#endif
