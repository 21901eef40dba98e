/* Random allocation, dropping and collecting against a shadow model: every byte
 * of every live object is checked after every collection. */
#include <stdlib.h>

#include "common/rand.h"
#include "target/heap/heap.h"
#include "tests/lib/check.h"

#define OBJECTS 400

struct shadow {
    heap_ref ref;
    size_t n;
    uint64_t seed;
};

static uint8_t byte_of(uint64_t seed, size_t i)
{
    return (uint8_t)((seed + i * 0x9e3779b9u) >> 3);
}

static void fill(struct mutator *m, const struct shadow *s)
{
    uint8_t *p = heap_ptr(m, s->ref);
    for (size_t i = 0; i < s->n; i++)
        p[i] = byte_of(s->seed, i);
}

static void check(const struct mutator *m, const struct shadow *s)
{
    const uint8_t *p = heap_ptr(m, s->ref);
    for (size_t i = 0; i < s->n; i++)
        if (p[i] != byte_of(s->seed, i))
            fail_msg("object of %zu bytes differs at %zu", s->n, i);
}

static uint64_t collections(struct heap *heap)
{
    struct heap_stats s;
    heap_stats(heap, NULL, &s);
    return s.young_count + s.old_count;
}

static size_t size_of(struct rand *r)
{
    static const size_t most[] = {32, 256, 9000, 70000};
    return (size_t)rand_bounded(r, most[rand_bounded(r, 4)]);
}

/* One history; returns how many collections it saw. */
static uint64_t run(uint64_t seed, uint64_t heap_bytes, bool stress, int steps)
{
    struct heap *heap = NULL;
    struct why why = {0};
    struct heap_config config = {.heap_bytes = heap_bytes, .stress = stress};
    check_ok(heap_new(&heap, &config, &why), why);
    struct mutator *ms[2] = {heap_attach(heap, "worker"), NULL};
    heap_native_enter(ms[0]);
    ms[1] = heap_attach(heap, "bulk");
    heap_native_enter(ms[1]);
    struct shadow objects[OBJECTS] = {{0}};
    struct rand r = {seed};
    uint64_t seen = 0;
    for (int step = 0; step < steps; step++) {
        struct mutator *m = ms[rand_bounded(&r, 2)];
        struct shadow *s = &objects[rand_bounded(&r, OBJECTS)];
        heap_native_leave(m);
        heap_release(m, s->ref);
        *s = (struct shadow){.n = size_of(&r), .seed = rand_next(&r)};
        s->ref = rand_bounded(&r, 8) ? heap_alloc(m, s->n) : 0;
        if (s->ref)
            fill(m, s);
        else
            (void)heap_garbage(m, s->n + 8);
        if (collections(heap) != seen) {
            seen = collections(heap);
            for (size_t i = 0; i < OBJECTS; i++)
                if (objects[i].ref)
                    check(m, &objects[i]);
        }
        heap_native_enter(m);
    }
    heap_native_leave(ms[0]);
    for (size_t i = 0; i < OBJECTS; i++)
        heap_release(ms[0], objects[i].ref);
    heap_detach(ms[0]);
    heap_native_leave(ms[1]);
    heap_detach(ms[1]);
    heap_free(heap);
    return seen;
}

static void heap_agrees_with_the_model_in_every_state(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        assert_true(run(seed, 8u << 20, false, 6000) > 6);
        assert_true(run(seed, 4u << 20, false, 6000) > 6); /* tight */
    }
}

static void heap_agrees_with_the_model_collecting_at_every_step(void **state)
{
    (void)state;
    assert_true(run(7, 8u << 20, true, 120) >= 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_agrees_with_the_model_in_every_state),
        cmocka_unit_test(heap_agrees_with_the_model_collecting_at_every_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
