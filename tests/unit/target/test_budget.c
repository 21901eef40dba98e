#include <pthread.h>
#include <stdlib.h>

#include "target/heap/heap.h"
#include "tests/lib/check.h"

#define MB (1u << 20)

static struct heap *new_heap(uint64_t bytes, bool stress)
{
    struct heap *h = NULL;
    struct why why = {0};
    struct heap_config config = {.heap_bytes = bytes, .stress = stress};
    check_ok(heap_new(&h, &config, &why), why);
    return h;
}

static uint64_t used(struct heap *h)
{
    struct heap_stats s;
    heap_stats(h, NULL, &s);
    return s.used_bytes;
}

static void heap_new_refuses_sizes_that_make_no_sense(void **state)
{
    (void)state;
    struct heap *h = NULL;
    struct why why = {0};
    struct heap_config small = {.heap_bytes = HEAP_BYTES_MIN - 1};
    check_err(heap_new(&h, &small, &why), ERR_RANGE);
    check_says(why, "at least 2m");
    struct heap_config young = {.heap_bytes = 4 * MB, .young_bytes = 4 * MB};
    check_err(heap_new(&h, &young, &why), ERR_RANGE);
    check_says(why, "less than the heap's 4m");
    assert_null(h);
}

/* 16 bytes of header, rounded to 8: 100 -> 120, 0 -> 16, 65536 -> 65552. */
static void heap_alloc_counts_header_and_rounding(void **state)
{
    (void)state;
    struct heap *h = new_heap(4 * MB, false);
    struct mutator *m = heap_attach(h, "worker");
    heap_ref a = heap_alloc(m, 100), b = heap_alloc(m, 0),
             c = heap_alloc(m, 65536);
    assert_int_equal(used(h), 120 + 16 + 65552);
    heap_release(m, b);
    assert_int_equal(used(h), 120 + 65552);
    heap_release(m, a);
    heap_release(m, c);
    heap_release(m, 0); /* ignored */
    assert_int_equal(used(h), 0);
    heap_detach(m);
    heap_free(h);
}

static void heap_alloc_gives_zeroed_bytes_again_and_again(void **state)
{
    (void)state;
    struct heap *h = new_heap(4 * MB, false);
    struct mutator *m = heap_attach(h, "worker");
    for (int i = 0; i < 50; i++) {
        heap_ref r = heap_alloc(m, 1000);
        unsigned char *p = heap_ptr(m, r);
        for (size_t k = 0; k < 1000; k++)
            assert_int_equal(p[k], 0);
        memset(p, 0xa5, 1000);
        heap_release(m, r);
    }
    heap_detach(m);
    heap_free(h);
}

/* 2 MiB hold one object of 2 MiB - 16 and nothing beside it. */
static void heap_alloc_refuses_the_first_byte_too_many(void **state)
{
    (void)state;
    struct heap *h = new_heap(2 * MB, false);
    struct mutator *m = heap_attach(h, "worker");
    struct heap_stats s;
    assert_int_equal(heap_alloc(m, 2 * MB - 15), 0);
    heap_ref all = heap_alloc(m, 2 * MB - 16);
    assert_int_not_equal(all, 0);
    assert_int_equal(heap_alloc(m, 0), 0);
    assert_false(heap_garbage(m, 8));
    heap_stats(h, "worker", &s);
    assert_int_equal(s.oom_count, 3);
    assert_int_equal(s.oom_bytes, 2 * MB + 8); /* al(16 + 2 MiB - 15) */
    assert_int_equal(s.used_bytes, 2 * MB);
    assert_int_equal(s.used_max_bytes, 2 * MB);
    heap_release(m, all);
    assert_true(heap_garbage(m, 2 * MB));
    heap_detach(m);
    heap_free(h);
}

static void heap_alloc_survives_sizes_beyond_all_memory(void **state)
{
    (void)state;
    struct heap *h = new_heap(2 * MB, false);
    struct mutator *m = heap_attach(h, "worker");
    assert_int_equal(heap_alloc(m, SIZE_MAX), 0);
    assert_int_equal(heap_alloc(m, SIZE_MAX - 16), 0);
    assert_int_equal(used(h), 0);
    heap_detach(m);
    heap_free(h);
}

static void heap_garbage_is_counted_and_dead_at_once(void **state)
{
    (void)state;
    struct heap *h = new_heap(2 * MB, false);
    struct mutator *m = heap_attach(h, "bulk");
    struct heap_stats s;
    for (int i = 0; i < 100; i++)
        assert_true(heap_garbage(m, 118)); /* rounded: 120 */
    heap_stats(h, "bulk", &s);
    assert_int_equal(s.alloc_count, 100);
    assert_int_equal(s.alloc_bytes, 12000);
    assert_int_equal(s.used_bytes, 0);
    assert_int_equal(s.used_max_bytes, 120);
    heap_detach(m);
    heap_free(h);
}

static void heap_stats_tell_groups_apart_and_reset(void **state)
{
    (void)state;
    struct heap *h = new_heap(2 * MB, false);
    struct mutator *a = heap_attach(h, "worker"), *b = heap_attach(h, "bulk"),
                   *c = heap_attach(h, "worker");
    struct heap_stats s;
    heap_ref r = heap_alloc(a, 16); /* 32 */
    heap_release(b, r);             /* any mutator may */
    assert_true(heap_garbage(c, 8));
    heap_ref kept = heap_alloc(b, 48); /* 64 */
    heap_stats(h, "worker", &s);
    assert_int_equal(s.alloc_count, 2);
    assert_int_equal(s.alloc_bytes, 40);
    heap_stats(h, "bulk", &s);
    assert_int_equal(s.alloc_bytes, 64);
    heap_stats(h, NULL, &s);
    assert_int_equal(s.alloc_bytes, 104);
    assert_int_equal(s.heap_bytes, 2 * MB);
    assert_int_equal(s.live_bytes, 64);
    assert_int_equal(s.used_max_bytes, 64);
    heap_stats_reset(h);
    heap_stats(h, NULL, &s);
    assert_int_equal(s.alloc_count, 0);
    assert_int_equal(s.used_bytes, 64); /* a level stays */
    assert_int_equal(s.used_max_bytes, 64);
    heap_release(b, kept);
    heap_detach(a);
    heap_detach(b);
    heap_detach(c);
    heap_free(h);
}

static void heap_attach_has_a_limit(void **state)
{
    (void)state;
    struct heap *h = new_heap(2 * MB, false);
    struct mutator *all[HEAP_MUTATORS_MAX];
    for (size_t i = 0; i < HEAP_MUTATORS_MAX; i++) {
        all[i] = heap_attach(h, "worker");
        assert_non_null(all[i]);
    }
    assert_null(heap_attach(h, "worker"));
    heap_detach(all[0]);
    all[0] = heap_attach(h, "worker");
    assert_non_null(all[0]);
    for (size_t i = 0; i < HEAP_MUTATORS_MAX; i++)
        heap_detach(all[i]);
    heap_free(h);
}

/* What makes the sanitizer see a pointer that was kept too long. */
static void stress_moves_what_a_mutator_looked_at(void **state)
{
    (void)state;
    struct heap *h = new_heap(2 * MB, true);
    struct mutator *m = heap_attach(h, "worker");
    heap_ref r = heap_alloc(m, 6), other = heap_alloc(m, 6);
    char *before = heap_ptr(m, r);
    memcpy(before, "hello", 6);
    uintptr_t place = (uintptr_t)before;
    heap_poll(m);
    char *after = heap_ptr(m, r);
    assert_true((uintptr_t)after != place);
    assert_string_equal(after, "hello");
    heap_native_enter(m);
    heap_native_leave(m);
    assert_string_equal(heap_ptr(m, r), "hello");
    heap_release(m, r);
    heap_release(m, other);
    heap_poll(m);
    heap_detach(m);
    heap_free(h);
}

static void stress_leaves_alone_what_another_looks_at(void **state)
{
    (void)state;
    struct heap *h = new_heap(2 * MB, true);
    struct mutator *a = heap_attach(h, "worker"), *b = heap_attach(h, "bulk");
    heap_ref r = heap_alloc(a, 6);
    (void)heap_ptr(a, r);
    char *theirs = heap_ptr(b, r);
    heap_poll(a);
    memcpy(theirs, "hello", 6);
    assert_string_equal(heap_ptr(a, r), "hello");
    heap_release(a, r);
    heap_detach(a);
    heap_detach(b);
    heap_free(h);
}

struct busy {
    struct heap *heap;
    const char *name;
    uint64_t refused;
};

/* Keep up to 8 objects of up to 4 KiB, 2,000 times. */
static void *allocate(void *arg)
{
    struct busy *b = arg;
    struct mutator *m = heap_attach(b->heap, b->name);
    heap_ref kept[8] = {0};
    for (size_t i = 0; i < 2000; i++) {
        size_t n = i * 37 % 4096, at = i % 8;
        heap_release(m, kept[at]);
        kept[at] = heap_alloc(m, n);
        if (kept[at])
            memset(heap_ptr(m, kept[at]), 1, n);
        else
            b->refused++;
        heap_poll(m);
    }
    for (size_t i = 0; i < 8; i++)
        heap_release(m, kept[i]);
    heap_detach(m);
    return NULL;
}

static void several_threads_leave_an_exact_count(void **state)
{
    (void)state;
    struct heap *h = new_heap(2 * MB, false);
    struct busy b[4] = {
        {h, "worker", 0}, {h, "bulk", 0}, {h, "worker", 0}, {h, "bulk", 0}};
    pthread_t t[4];
    struct heap_stats s;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, allocate, &b[i]), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_join(t[i], NULL), 0);
    heap_stats(h, NULL, &s);
    assert_int_equal(s.used_bytes, 0);
    assert_int_equal(s.alloc_count, 8000);
    /* Never more than 4 x 8 x 4,112 bytes at once: nothing was refused. */
    assert_int_equal(s.oom_count, 0);
    assert_true(s.used_max_bytes <= 4u * 8 * 4112);
    heap_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_new_refuses_sizes_that_make_no_sense),
        cmocka_unit_test(heap_alloc_counts_header_and_rounding),
        cmocka_unit_test(heap_alloc_gives_zeroed_bytes_again_and_again),
        cmocka_unit_test(heap_alloc_refuses_the_first_byte_too_many),
        cmocka_unit_test(heap_alloc_survives_sizes_beyond_all_memory),
        cmocka_unit_test(heap_garbage_is_counted_and_dead_at_once),
        cmocka_unit_test(heap_stats_tell_groups_apart_and_reset),
        cmocka_unit_test(heap_attach_has_a_limit),
        cmocka_unit_test(stress_moves_what_a_mutator_looked_at),
        cmocka_unit_test(stress_leaves_alone_what_another_looks_at),
        cmocka_unit_test(several_threads_leave_an_exact_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
