#include <stdlib.h>

#include "common/rand.h"
#include "target/heap/event.h"
#include "target/heap/heap.h"
#include "tests/lib/check.h"

static struct heap *make(uint64_t bytes, bool stress,
                         const struct heap_sink *sink)
{
    struct heap *heap = NULL;
    struct why why = {0};
    struct heap_config config = {
        .heap_bytes = bytes, .stress = stress, .sink = sink};
    check_ok(heap_new(&heap, &config, &why), why);
    return heap;
}

static struct heap_stats stats_of(struct heap *heap)
{
    struct heap_stats s;
    heap_stats(heap, NULL, &s);
    return s;
}

static void heap_alloc_gives_zeroed_bytes(void **state)
{
    (void)state;
    struct heap *heap = make(4u << 20, false, NULL);
    struct mutator *m = heap_attach(heap, "worker");
    static const uint8_t zeros[60000];
    for (int round = 0; round < 60; round++) {
        heap_ref ref = heap_alloc(m, 60000);
        assert_true(ref);
        assert_memory_equal(heap_ptr(m, ref), zeros, 60000);
        memset(heap_ptr(m, ref), 0xff, 60000);
        heap_release(m, ref);
    }
    assert_true(stats_of(heap).young_count > 1);
    assert_int_equal(stats_of(heap).old_count, 0);
    assert_int_equal(stats_of(heap).live_bytes, 0);
    heap_detach(m);
    heap_free(heap);
}

/* Every size around those that are zeroed without a call (128 with the
 * header), in an eden that is dirty after its first collection; the neighbour
 * in front must not be touched. */
static void heap_alloc_zeroes_every_small_size(void **state)
{
    (void)state;
    struct heap *heap = make(2u << 20, false, NULL);
    struct mutator *m = heap_attach(heap, "worker");
    static const uint8_t zeros[200];
    uint8_t ones[200];
    memset(ones, 0xff, sizeof ones);
    for (int round = 0; round < 60; round++)
        for (size_t n = 0; n < 200; n++) {
            heap_ref front = heap_alloc(m, sizeof ones);
            memset(heap_ptr(m, front), 0xff, sizeof ones);
            heap_ref ref = heap_alloc(m, n);
            assert_memory_equal(heap_ptr(m, ref), zeros, n);
            memset(heap_ptr(m, ref), 0xff, n);
            assert_true(heap_garbage(m, n));
            assert_memory_equal(heap_ptr(m, ref), ones, n);
            assert_memory_equal(heap_ptr(m, front), ones, sizeof ones);
            heap_release(m, ref);
            heap_release(m, front);
        }
    assert_true(stats_of(heap).young_count > 5);
    heap_detach(m);
    heap_free(heap);
}

/* byte[n] takes al(16 + n): 65,536 -> 65,552, 1 -> 24. */
static void heap_alloc_counts_the_header(void **state)
{
    (void)state;
    struct heap *heap = make(64u << 20, false, NULL);
    struct mutator *m = heap_attach(heap, "worker");
    heap_ref a = heap_alloc(m, 65536), b = heap_alloc(m, 1);
    assert_int_equal(stats_of(heap).alloc_bytes, 65552 + 24);
    assert_int_equal(stats_of(heap).live_bytes, 65552 + 24);
    heap_release(m, a);
    heap_release(m, b);
    assert_true(heap_garbage(m, 118)); /* no header is added: 120 */
    assert_int_equal(stats_of(heap).alloc_bytes, 65552 + 24 + 120);
    heap_detach(m);
    heap_free(heap);
}

/* A survivor that lives is copied, ages and is promoted in the end; its bytes
 * stay. 16 MiB: eden 4,456,448. */
static void heap_objects_keep_their_bytes_through_collections(void **state)
{
    (void)state;
    struct heap *heap = make(16u << 20, false, NULL);
    struct mutator *m = heap_attach(heap, "worker");
    heap_ref keep = heap_alloc(m, 1000);
    memset(heap_ptr(m, keep), 0x5a, 1000);
    void *first = heap_ptr(m, keep);
    for (int i = 0; i < 900; i++)
        assert_true(heap_garbage(m, 100000));
    struct heap_stats s = stats_of(heap);
    assert_true(s.young_count >= 18); /* 90 MB / 4.46 MB = 20 */
    assert_int_equal(s.promoted_bytes, 1016);
    assert_ptr_not_equal(heap_ptr(m, keep), first);
    const uint8_t *p = heap_ptr(m, keep);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(p[i], 0x5a);
    heap_release(m, keep);
    heap_detach(m);
    heap_free(heap);
}

/* The budget is hard: live bytes never pass it, the refusal is counted with its
 * size, and releasing makes room again. */
static void heap_alloc_refuses_when_everything_lives(void **state)
{
    (void)state;
    struct heap *heap = make(8u << 20, false, NULL);
    struct mutator *m = heap_attach(heap, "worker");
    heap_ref refs[200];
    size_t n = 0;
    while (n < 200 && (refs[n] = heap_alloc(m, 100000)))
        n++;
    /* Each survivor space holds fewer; at least old and eden get filled. */
    assert_true(n >= 70 && n <= 83); /* 83 * 100,016 = 8,301,328 */
    assert_int_equal(stats_of(heap).oom_count, 1);
    assert_int_equal(stats_of(heap).oom_bytes, 100016);
    assert_true(stats_of(heap).live_bytes <= 8u << 20);
    for (size_t i = 0; i < n; i++)
        heap_release(m, refs[i]);
    heap_ref again = heap_alloc(m, 100000);
    assert_true(again);
    heap_release(m, again);
    heap_detach(m);
    heap_free(heap);
}

static void heap_alloc_refuses_what_is_larger_than_the_heap(void **state)
{
    (void)state;
    struct heap *heap = make(8u << 20, false, NULL);
    struct mutator *m = heap_attach(heap, "worker");
    assert_int_equal(heap_alloc(m, 9u << 20), 0);
    heap_ref large = heap_alloc(m, 4u << 20); /* above eden: old at once */
    assert_true(large);
    assert_int_equal(stats_of(heap).young_count, 0);
    assert_int_equal(stats_of(heap).outside_max_bytes, (4u << 20) + 16);
    heap_release(m, large);
    heap_detach(m);
    heap_free(heap);
}

struct seen {
    unsigned young, old, declined, failed;
    uint64_t tlabs, outside, small_outside;
};

static void on_gc(void *ctx, const struct heap_gc *gc)
{
    struct seen *seen = ctx;
    if (gc->kind == HEAP_GC_OLD)
        seen->old++;
    else
        seen->young++;
    seen->declined += gc->declined;
    seen->failed += gc->promotion_failed;
}

static void on_allocation(void *ctx, const struct heap_allocation *a)
{
    struct seen *seen = ctx;
    if (a->tlab_bytes)
        seen->tlabs++;
    else
        seen->outside++;
    if (!a->tlab_bytes && a->object_bytes < 128)
        seen->small_outside++;
}

/* With more alive than old holds, full collections leave the rest in eden and
 * the heap in the failed state: small objects that find eden full are served
 * from the from-space and old, one by one outside the buffers, until the next
 * full collection: the pathology of the published small-heap rows. */
static void heap_without_headroom_floods_small_objects_outside(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct heap_sink sink = {&seen, on_gc, on_allocation};
    struct heap *heap = make(32u << 20, false, &sink);
    struct mutator *m = heap_attach(heap, "bulk");
    /* old is 22,413,312 of 33,554,432, eden 8,912,896: 240 * 100,016 = 24.0 MB
     * live leave 7.3 MB of eden to buffers, and a survivor of 1,114,112 bytes
     * to 17,408 objects of 64. */
    heap_ref live[240];
    for (size_t i = 0; i < 240; i++)
        assert_true(live[i] = heap_alloc(m, 100000));
    for (int i = 0; i < 400000; i++)
        assert_true(heap_garbage(m, 64));
    struct seen before = seen;
    for (int i = 0; i < 400000; i++)
        assert_true(heap_garbage(m, 64));
    assert_true(before.declined + before.failed > 0);
    assert_int_equal(seen.young, before.young);
    assert_true(seen.old - before.old >= 2);
    assert_true(seen.small_outside - before.small_outside >=
                (seen.old - before.old) * 17408);
    for (size_t i = 0; i < 240; i++)
        heap_release(m, live[i]);
    heap_detach(m);
    heap_free(heap);
}

/* Old full of what died there is compacted in the pause of the young collection
 * that declined, and young ones succeed again. */
static void heap_recovers_when_old_was_full_of_dead_objects(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct heap_sink sink = {&seen, on_gc, on_allocation};
    struct heap *heap = make(32u << 20, false, &sink);
    struct mutator *m = heap_attach(heap, "bulk");
    heap_ref live[210];
    for (size_t i = 0; i < 210; i++)
        assert_true(live[i] = heap_alloc(m, 100000));
    for (int i = 0; i < 400000; i++) /* 25.6 MB: all live are in old */
        assert_true(heap_garbage(m, 64));
    for (size_t i = 0; i < 210; i++)
        heap_release(m, live[i]);
    struct seen before = seen;
    for (size_t i = 0; i < 210; i++)
        assert_true(live[i] = heap_alloc(m, 100000));
    for (int i = 0; i < 400000; i++)
        assert_true(heap_garbage(m, 64));
    assert_true(seen.old > before.old);
    assert_true(seen.young > before.young);
    assert_true(seen.small_outside - before.small_outside <=
                seen.young - before.young + seen.old - before.old);
    for (size_t i = 0; i < 210; i++)
        heap_release(m, live[i]);
    heap_detach(m);
    heap_free(heap);
}

/* Healthy: a small object is outside once per collection at most. */
static void heap_with_headroom_keeps_small_objects_inside(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct heap_sink sink = {&seen, on_gc, on_allocation};
    struct heap *heap = make(32u << 20, false, &sink);
    struct mutator *m = heap_attach(heap, "bulk");
    for (int i = 0; i < 1000000; i++)
        assert_true(heap_garbage(m, 64));
    assert_true(seen.young >= 6); /* 64 MB / 8.9 MB */
    assert_true(seen.small_outside <= seen.young);
    assert_int_equal(seen.old, 0);
    heap_detach(m);
    heap_free(heap);
}

struct old_after {
    unsigned n;
    uint64_t bytes[8];
};

static void on_old_gc(void *ctx, const struct heap_gc *gc)
{
    struct old_after *seen = ctx;
    if (gc->kind == HEAP_GC_OLD && seen->n < 8)
        seen->bytes[seen->n++] = gc->old_after_bytes;
}

/* Dead objects of at most 5 % of old (1,120,665 bytes) at its bottom stay for
 * three full collections; the fourth moves everything. */
static void heap_leaves_a_little_dead_space_for_three_collections(void **state)
{
    (void)state;
    struct old_after seen = {0};
    struct heap_sink sink = {&seen, on_old_gc, NULL};
    struct heap *heap = make(32u << 20, false, &sink);
    struct mutator *m = heap_attach(heap, "worker");
    heap_ref live[210];
    for (size_t i = 0; i < 210; i++)
        assert_true(live[i] = heap_alloc(m, 100000));
    while (seen.n == 0) /* until all are in old, in this order */
        assert_true(heap_garbage(m, 64));
    assert_int_equal(seen.bytes[0], 210 * 100016);
    for (size_t i = 0; i < 10; i++)
        heap_release(m, live[i]);
    while (seen.n < 4)
        assert_true(heap_garbage(m, 64));
    assert_int_equal(seen.bytes[1], 210 * 100016);
    assert_int_equal(seen.bytes[2], 210 * 100016);
    assert_int_equal(seen.bytes[3], 200 * 100016);
    for (size_t i = 10; i < 210; i++)
        heap_release(m, live[i]);
    heap_detach(m);
    heap_free(heap);
}

static void heap_stats_reset_opens_a_new_window(void **state)
{
    (void)state;
    struct heap *heap = make(32u << 20, false, NULL);
    struct mutator *m = heap_attach(heap, "worker");
    for (int i = 0; i < 400; i++)
        heap_release(m, heap_alloc(m, 65536));
    struct heap_stats before = stats_of(heap);
    assert_true(before.young_count >= 2 && before.tlab_count > 0);
    heap_stats_reset(heap);
    struct heap_stats s = stats_of(heap);
    assert_int_equal(s.alloc_bytes, 0);
    assert_int_equal(s.young_count, 0);
    assert_int_equal(s.tlab_max_bytes, 0);
    assert_int_equal(s.young_since_start, before.young_count);
    heap_release(m, heap_alloc(m, 100));
    assert_int_equal(stats_of(heap).alloc_bytes, 120);
    struct heap_stats bulk;
    heap_stats(heap, "bulk", &bulk);
    assert_int_equal(bulk.alloc_bytes, 0);
    heap_detach(m);
    heap_free(heap);
}

/* Every allocation site under every budget: sweep the heap from too small to
 * enough; no size may crash, lose bytes or leak a handle. */
static void heap_survives_running_out_at_every_allocation(void **state)
{
    (void)state;
    for (uint64_t mib = 2; mib <= 4; mib++) {
        struct heap *heap = make(mib << 20, false, NULL);
        struct mutator *m = heap_attach(heap, "worker");
        struct rand r = {mib};
        heap_ref refs[256] = {0};
        for (int i = 0; i < 3000; i++) {
            size_t at = (size_t)rand_bounded(&r, 256);
            heap_release(m, refs[at]);
            refs[at] = heap_alloc(m, (size_t)rand_bounded(&r, 40000));
            if (refs[at])
                *(uint8_t *)heap_ptr(m, refs[at]) = (uint8_t)at;
        }
        uint64_t live = 0;
        for (size_t i = 0; i < 256; i++)
            live += refs[i] != 0;
        assert_true(live > 0);
        assert_true(stats_of(heap).live_bytes <= mib << 20);
        assert_true(stats_of(heap).oom_count > 0);
        for (size_t i = 0; i < 256; i++)
            heap_release(m, refs[i]);
        assert_int_equal(stats_of(heap).live_bytes, 0);
        heap_detach(m);
        heap_free(heap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_alloc_gives_zeroed_bytes),
        cmocka_unit_test(heap_alloc_zeroes_every_small_size),
        cmocka_unit_test(heap_alloc_counts_the_header),
        cmocka_unit_test(heap_objects_keep_their_bytes_through_collections),
        cmocka_unit_test(heap_alloc_refuses_when_everything_lives),
        cmocka_unit_test(heap_alloc_refuses_what_is_larger_than_the_heap),
        cmocka_unit_test(heap_without_headroom_floods_small_objects_outside),
        cmocka_unit_test(heap_recovers_when_old_was_full_of_dead_objects),
        cmocka_unit_test(heap_leaves_a_little_dead_space_for_three_collections),
        cmocka_unit_test(heap_with_headroom_keeps_small_objects_inside),
        cmocka_unit_test(heap_stats_reset_opens_a_new_window),
        cmocka_unit_test(heap_survives_running_out_at_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
