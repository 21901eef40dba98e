/* Cost of one 64-byte allocation with its handle, and of a young collection by
 * live bytes: `alloc NS_PER_ALLOCATION`-style figures for receive.py.
 *
 *   alloc_ns=...      a 48-byte array (64 bytes with its header), 1,000 held
 *   pause_ns_mb=...   of live bytes, young collections of a 256m heap
 *   pause_ns_mb_1g=.. the same live bytes in a 1g heap: flat in heap size */
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "target/heap/heap.h"

#define HELD 1000

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

/* Best of rounds: the least disturbed one. */
static double alloc_ns(void)
{
    enum { ROUNDS = 8, N = 4000000 };
    struct heap *heap = open_heap(256u << 20);
    struct mutator *m = heap_attach(heap, "worker");
    static heap_ref held[HELD];
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = clock_thread_cpu_ns();
        for (int i = 0; i < N; i++) {
            heap_release(m, held[i % HELD]);
            held[i % HELD] = heap_alloc(m, 48);
        }
        double ns = (double)(clock_thread_cpu_ns() - begin) / N;
        best = ns < best ? ns : best;
    }
    for (int i = 0; i < HELD; i++)
        heap_release(m, held[i]);
    heap_detach(m);
    heap_free(heap);
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
    (void)printf("alloc_ns=%.2f pause_ns_mb=%.0f pause_ns_mb_1g=%.0f\n",
                 alloc_ns(), pause_ns_mb(256u << 20), pause_ns_mb(1u << 30));
    return 0;
}
