/* Several mutators at once: what the thread sanitizer looks at. */
#include <pthread.h>
#include <sched.h>

#include "common/rand.h"
#include "target/heap/heap.h"
#include "tests/lib/check.h"

#define THREADS 4
#define HELD    64
#define STEPS   4000

struct worker {
    struct heap *heap;
    uint64_t seed;
    uint64_t damaged, refused;
};

/* Allocate, write a mark, wait native now and then, check the mark. */
static void *work(void *arg)
{
    struct worker *w = arg;
    struct mutator *m = heap_attach(w->heap, "worker");
    struct rand r = {w->seed};
    heap_ref refs[HELD] = {0};
    uint64_t marks[HELD] = {0};
    for (int i = 0; i < STEPS; i++) {
        size_t at = (size_t)rand_bounded(&r, HELD);
        if (refs[at]) {
            uint64_t got;
            memcpy(&got, heap_ptr(m, refs[at]), sizeof got);
            w->damaged += got != marks[at];
            heap_release(m, refs[at]);
        }
        refs[at] = heap_alloc(m, 8 + (size_t)rand_bounded(&r, 20000));
        marks[at] = rand_next(&r);
        if (refs[at])
            memcpy(heap_ptr(m, refs[at]), &marks[at], sizeof marks[at]);
        else
            w->refused++;
        heap_poll(m);
        if (rand_bounded(&r, 50) == 0) {
            heap_native_enter(m);
            (void)sched_yield();
            heap_native_leave(m);
        }
    }
    for (size_t i = 0; i < HELD; i++)
        heap_release(m, refs[i]);
    heap_detach(m);
    return NULL;
}

static void heap_serves_several_mutators_at_once(void **state)
{
    (void)state;
    struct heap *heap = NULL;
    struct why why = {0};
    struct heap_config config = {.heap_bytes = 16u << 20};
    check_ok(heap_new(&heap, &config, &why), why);
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.heap = heap, .seed = i + 1};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]),
                         0);
    }
    struct heap_stats s;
    for (int i = 0; i < 20; i++)
        heap_stats(heap, "worker", &s);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(workers[i].damaged, 0);
        assert_int_equal(workers[i].refused, 0);
    }
    heap_stats(heap, "worker", &s);
    assert_true(s.young_count > 10); /* 160 MB through 4.4 MB of eden */
    assert_int_equal(s.alloc_count, THREADS * STEPS);
    assert_int_equal(s.live_bytes, 0);
    heap_free(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_serves_several_mutators_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
