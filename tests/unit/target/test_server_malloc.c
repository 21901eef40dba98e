/* Native memory that is refused, one allocation of the target's own code after
 * the other: while it opens, and while it serves. It fails with a reason, loses
 * one connection, or ends as out of memory; nothing is lost and nothing hangs.
 *
 * malloc, calloc and realloc are wrapped by the linker; libraries that are
 * shared objects have theirs. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "tests/lib/check.h"
#include "tests/unit/target/visit.h"

#define RUNS_MAX 2000

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

/* A test's switch: these functions have no other way to be told. */
static struct {
    atomic_bool armed;
    _Atomic unsigned count, refuse_at;
    pthread_t spared; /* the client's thread; valid if sparing */
    bool sparing;
} state_of_malloc;

static bool refused(void)
{
    if (!atomic_load(&state_of_malloc.armed))
        return false;
    if (state_of_malloc.sparing &&
        pthread_equal(pthread_self(), state_of_malloc.spared))
        return false;
    return ++state_of_malloc.count == state_of_malloc.refuse_at;
}

void *__wrap_malloc(size_t n)
{
    return refused() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return refused() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return refused() ? NULL : __real_realloc(p, n);
}

static void arm(unsigned refuse_at, bool sparing)
{
    state_of_malloc.count = 0;
    state_of_malloc.refuse_at = refuse_at;
    state_of_malloc.spared = pthread_self();
    state_of_malloc.sparing = sparing;
    atomic_store(&state_of_malloc.armed, true);
}

/* Whether the allocation to be refused was asked for. */
static bool disarm(void)
{
    atomic_store(&state_of_malloc.armed, false);
    return state_of_malloc.count >= state_of_malloc.refuse_at;
}

static void set(struct running *r, bool index)
{
    running_defaults(r);
    r->calm = true;
    r->settings.heap_bytes = 2u << 20;
    r->settings.threads = r->settings.bulk_threads = 1;
    r->settings.initial_buffer = 8;
    r->settings.index = index;
    r->settings.shards = 1;
}

static void sweep_open(bool index)
{
    bool struck = true;
    unsigned n = 0;
    while (struck && n++ < RUNS_MAX) {
        struct running r;
        struct why why = {0};
        set(&r, index);
        arm(n, false);
        enum err e = server_open(&r.server, &r.settings, NULL, &why);
        struck = disarm();
        if (e) {
            check_err(e, ERR_NOMEM);
            assert_null(r.server);
            assert_true(why.text[0]);
        }
        server_close(r.server);
        assert_true(struck || !e);
    }
    assert_false(struck);
    assert_true(n > 10);
}

/* step: one by one, or every 16th of the thousands that SQLite makes. */
static void sweep_serve(bool index, unsigned step)
{
    bool struck = true;
    for (unsigned n = 1; struck; n += step) {
        struct running r;
        assert_true(n < RUNS_MAX * step);
        set(&r, index);
        running_start(&r);
        arm(n, true);
        visit_in_turn(&r);
        running_stop(&r);
        struck = disarm();
        assert_true(r.outcome == ERR_OK || r.outcome == ERR_OOM);
        assert_true(struck || r.outcome == ERR_OK);
        assert_true(struck || n > 10);
        running_close(&r);
    }
}

static void opening_survives_every_refusal(void **state)
{
    (void)state;
    sweep_open(false);
}

static void opening_with_an_index_survives_every_refusal(void **state)
{
    (void)state;
    sweep_open(true);
}

static void serving_survives_every_refusal(void **state)
{
    (void)state;
    sweep_serve(false, 1);
}

static void serving_with_an_index_survives_every_refusal(void **state)
{
    (void)state;
    sweep_serve(true, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_survives_every_refusal),
        cmocka_unit_test(opening_with_an_index_survives_every_refusal),
        cmocka_unit_test(serving_survives_every_refusal),
        cmocka_unit_test(serving_with_an_index_survives_every_refusal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
