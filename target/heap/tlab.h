/* Sizing of thread-local allocation buffers as HotSpot does it: pure
 * arithmetic over values, no memory (target-memory.md section d; OpenJDK 17
 * threadLocalAllocBuffer.cpp). All in bytes, multiples of 8. */
#ifndef PITWALL_TARGET_HEAP_TLAB_H
#define PITWALL_TARGET_HEAP_TLAB_H

#include <stdbool.h>
#include <stdint.h>

/* Kept free at a buffer's end for the JIT's allocation prefetch: distance 256
 * plus (3 + 2) lines of 64, as C2 reserves it on x86 of AMD. */
#define TLAB_RESERVE_BYTES     576u
#define TLAB_MIN_BYTES_DEFAULT 2048u
#define TLAB_REFILLS_TARGET    50u

/* HotSpot's AdaptiveWeightedAverage: the first samples weigh 100/n %. */
struct average {
    double value;
    uint64_t n;
};

/* Take sample into the average with the steady weight of weight percent. */
void average_sample(struct average *avg, unsigned weight, double sample);

/* One mutator's sizing. */
struct tlab_policy {
    uint64_t min_bytes;     /* MinTLABSize */
    uint64_t desired_bytes; /* of the next buffer, before its first object */
    uint64_t waste_limit_bytes; /* a rest larger than this is kept */
    struct average fraction;    /* of eden that this mutator allocates */
    uint64_t refills;           /* since the last collection */
    uint64_t allocated_bytes;   /* ever, outside included */
    uint64_t allocated_at_gc_bytes;
};

/* A new mutator: eden / (allocating threads' average * 50). */
void tlab_start(struct tlab_policy *policy, uint64_t eden_bytes,
                double threads_avg, uint64_t min_bytes);

/* An allocation did not fit into the buffer's free bytes: true = keep the
 * buffer and allocate outside (the limit grows by 4 words). */
bool tlab_keep(struct tlab_policy *policy, uint64_t free_bytes);

/* Size of the buffer to take from eden for an object that did not fit; 0: eden
 * has no room for one, allocate outside. */
uint64_t tlab_refill_bytes(const struct tlab_policy *policy,
                           uint64_t object_bytes, uint64_t eden_free_bytes);

/* A buffer was taken. */
void tlab_refilled(struct tlab_policy *policy);

/* Before a collection, at which the buffer is retired: sample the fraction.
 * Returns whether the mutator counts as allocating. */
bool tlab_before_gc(struct tlab_policy *policy, uint64_t eden_used_bytes,
                    uint64_t eden_bytes);

/* After a collection: the new desired size. */
void tlab_after_gc(struct tlab_policy *policy, uint64_t eden_bytes);

#endif
