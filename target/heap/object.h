/* An object in memory, and the slots through which handles reach it. Part of
 * the inside of a heap, as state.h is. */
#ifndef PITWALL_TARGET_HEAP_OBJECT_H
#define PITWALL_TARGET_HEAP_OBJECT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEADER_BYTES     16u /* byte[]: mark, class, length */
#define OBJECT_BYTES_MAX (8ull * UINT32_MAX)

/* In front of every object that has a handle. */
struct header {
    uint32_t words; /* whole size / 8, header included */
    uint32_t slot;
    uint32_t age;
    uint32_t unused;
};

_Static_assert(sizeof(struct header) == HEADER_BYTES, "as byte[] has");

/* A handle's place. at == NULL: free or released. logged: it stands in some
 * mutator's young log (or the orphans'), so that a reused slot is not logged
 * twice and logs follow live handles, not allocations. */
struct slot {
    uint8_t *at;
    uint32_t next_free;
    bool logged;
};

/* A growing list of slot numbers. */
struct slot_list {
    uint32_t *slots;
    size_t n, cap;
};

struct slots {
    struct slot *table; /* reserved mapping, index 0 unused */
    uint32_t max, used; /* used: high-water mark */
    uint32_t free;      /* shared chain through next_free, 0 ends */
    pthread_mutex_t lock;
};

static inline struct header *header_of(uint8_t *at)
{
    return (struct header *)(void *)at;
}

static inline uint64_t object_bytes(const uint8_t *at)
{
    return (uint64_t)((const struct header *)(const void *)at)->words * 8;
}

#endif
