/* Cost of one 64-byte allocation with its handle, of its release, and of a
 * young collection by live bytes, beside what the machine asks for the same
 * bytes.
 *
 *   alloc_ns=...      a 48-byte array (64 bytes with its header): collections
 *                     included, the release not
 *   alloc_limit_ns=.. 64 bytes of zeroes, streamed through an eden as large
 *                     and prefetched alike: no handle, no header, no count
 *   release_ns=...    of such an object's handle
 *   pause_ns_mb=...   of live bytes, young collections of a 256m heap
 *   pause_ns_mb_1g=.. the same live bytes in a 1g heap: flat in heap size */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/clock.h"
#include "target/heap/heap.h"

/* Handles held at once: two clock reads (45 ns) are nothing to a batch. */
#define BATCH          1000
#define BATCHES        1200 /* an eden, and so one collection */
#define ROUNDS         32
#define HEAP_BYTES     (256u << 20)
#define EDEN_BYTES     71630848u /* of such a heap */
#define OBJECT_BYTES   64u
#define PREFETCH_BYTES 1024u /* as heap.c */

static struct heap *open_heap(uint64_t bytes)
{
    struct heap *heap = NULL;
    struct why why = {0};
    struct heap_config config = {.heap_bytes = bytes};
    if (heap_new(&heap, &config, &why)) {
        (void)fprintf(stderr, "alloc: %s\n", why.text);
        exit(1);
    }
    return heap;
}

static void lower(double *best, uint64_t sum_ns)
{
    double ns = (double)sum_ns / BATCH / BATCHES;
    *best = *best == 0 || ns < *best ? ns : *best;
}

/* Best of rounds: the least disturbed one. */
static void handles(double *alloc_ns, double *release_ns)
{
    struct heap *heap = open_heap(HEAP_BYTES);
    struct mutator *m = heap_attach(heap, "worker");
    static heap_ref held[BATCH];
    *alloc_ns = *release_ns = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t allocating_ns = 0, releasing_ns = 0;
        for (int batch = 0; batch < BATCHES; batch++) {
            uint64_t begin_ns = clock_mono_ns();
            for (int i = 0; i < BATCH; i++)
                held[i] = heap_alloc(m, OBJECT_BYTES - 16);
            uint64_t middle_ns = clock_mono_ns();
            for (int i = 0; i < BATCH; i++)
                heap_release(m, held[i]);
            allocating_ns += middle_ns - begin_ns;
            releasing_ns += clock_mono_ns() - middle_ns;
        }
        lower(alloc_ns, allocating_ns);
        lower(release_ns, releasing_ns);
    }
    heap_detach(m);
    heap_free(heap);
}

/* The machine's part: the same bytes, zeroed one object after the other. */
static double limit_ns(void)
{
    double best = 0;
    size_t size = EDEN_BYTES + PREFETCH_BYTES, at = 0;
    char *eden = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (eden == MAP_FAILED)
        exit(1);
    (void)madvise(eden, size, MADV_HUGEPAGE);
    memset(eden, 1, size);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin_ns = clock_mono_ns();
        for (int i = 0; i < BATCH * BATCHES; i++) {
            __builtin_prefetch(eden + at + PREFETCH_BYTES, 1);
            memset(eden + at, 0, OBJECT_BYTES);
            __asm__ volatile("" : : "r"(eden + at) : "memory");
            at = at + OBJECT_BYTES < EDEN_BYTES ? at + OBJECT_BYTES : 0;
        }
        lower(&best, clock_mono_ns() - begin_ns);
    }
    (void)munmap(eden, size);
    return best;
}

/* 4 MB live in 64 KiB arrays, replaced in turn so that they stay young. */
static double pause_ns_mb(uint64_t heap_bytes)
{
    enum { LIVE = 64 };
    struct heap *heap = open_heap(heap_bytes);
    struct mutator *m = heap_attach(heap, "worker");
    heap_ref live[LIVE] = {0};
    struct heap_stats s = {0};
    heap_stats_reset(heap);
    for (int i = 0; s.young_count < 20; i++) {
        heap_release(m, live[i % LIVE]);
        live[i % LIVE] = heap_alloc(m, 65536);
        if (i % 256 == 0)
            heap_stats(heap, NULL, &s);
    }
    for (int i = 0; i < LIVE; i++)
        heap_release(m, live[i]);
    heap_detach(m);
    heap_free(heap);
    return (double)s.young_pause_ns / (double)s.young_count /
           (LIVE * 65552 / 1e6);
}

int main(void)
{
    double alloc_ns, release_ns;
    handles(&alloc_ns, &release_ns);
    (void)printf("alloc_ns=%.2f alloc_limit_ns=%.2f release_ns=%.2f "
                 "pause_ns_mb=%.0f pause_ns_mb_1g=%.0f\n",
                 alloc_ns, limit_ns(), release_ns, pause_ns_mb(HEAP_BYTES),
                 pause_ns_mb(1u << 30));
    return 0;
}
