#include <pthread.h>

#include "target/catalog.h"
#include "target/pool.h"
#include "tests/lib/check.h"
#include "tests/unit/target/world.h"

#define MB (1u << 20)

/* Work that waits at a gate until it is opened. */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool open;
    unsigned entered, done;
};

struct job {
    struct pool_work work;
    unsigned ran;
};

static void run(void *ctx, uint32_t i, struct mutator *m,
                struct pool_work *work)
{
    struct gate *g = ctx;
    struct job *j = (struct job *)(void *)work;
    assert_true(i < 2);
    assert_true(heap_garbage(m, 8)); /* managed, as promised */
    heap_native_enter(m);
    (void)pthread_mutex_lock(&g->lock);
    g->entered++;
    (void)pthread_cond_broadcast(&g->changed);
    while (!g->open)
        (void)pthread_cond_wait(&g->changed, &g->lock);
    j->ran++;
    g->done++;
    (void)pthread_cond_broadcast(&g->changed);
    (void)pthread_mutex_unlock(&g->lock);
    heap_native_leave(m);
}

static void wait_for(struct gate *g, const unsigned *count, unsigned n)
{
    (void)pthread_mutex_lock(&g->lock);
    while (*count < n)
        (void)pthread_cond_wait(&g->changed, &g->lock);
    (void)pthread_mutex_unlock(&g->lock);
}

static void open_gate(struct gate *g)
{
    (void)pthread_mutex_lock(&g->lock);
    g->open = true;
    (void)pthread_cond_broadcast(&g->changed);
    (void)pthread_mutex_unlock(&g->lock);
}

static struct pool *open_pool(struct world *w, struct gate *g, uint32_t threads,
                              uint32_t queue)
{
    struct pool *p = NULL;
    struct why why = {0};
    struct pool_config c = {.heap = w->heap,
                            .name = "bulk",
                            .threads = threads,
                            .queue = queue,
                            .run = run,
                            .ctx = g};
    (void)pthread_mutex_init(&g->lock, NULL);
    (void)pthread_cond_init(&g->changed, NULL);
    check_ok(pool_open(&p, &c, &why), why);
    return p;
}

static void a_full_queue_refuses_at_once(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct gate g = {.open = false};
    struct job jobs[5] = {0};
    struct pool_levels levels;
    struct pool *p = open_pool(&w, &g, 2, 2);
    /* Two are being done, two wait, the fifth is refused. */
    assert_true(pool_offer(p, &jobs[0].work));
    assert_true(pool_offer(p, &jobs[1].work));
    wait_for(&g, &g.entered, 2);
    assert_true(pool_offer(p, &jobs[2].work));
    assert_true(pool_offer(p, &jobs[3].work));
    assert_false(pool_offer(p, &jobs[4].work));
    pool_read(p, &levels);
    assert_int_equal(levels.threads, 2);
    assert_int_equal(levels.active, 2);
    assert_int_equal(levels.queued, 2);
    assert_int_equal(levels.rejected, 1);
    open_gate(&g);
    wait_for(&g, &g.done, 4);
    pool_stop(p);
    pool_read(p, &levels);
    assert_int_equal(levels.completed, 4);
    assert_int_equal(levels.active, 0);
    assert_int_equal(levels.queued, 0);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(jobs[i].ran, i < 4);
    pool_close(p);
    world_close(&w);
}

static void stopping_finishes_what_is_done_and_drops_what_waits(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct gate g = {.open = false};
    struct job jobs[3] = {0};
    struct pool *p = open_pool(&w, &g, 1, 8);
    for (size_t i = 0; i < 2; i++)
        assert_true(pool_offer(p, &jobs[i].work));
    wait_for(&g, &g.entered, 1);
    open_gate(&g);
    pool_stop(p);
    assert_int_equal(jobs[0].ran, 1);
    assert_false(pool_offer(p, &jobs[2].work));
    pool_close(p);
    pool_close(NULL);
    world_close(&w);
}

static void too_many_mutators_fail_the_pool(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct pool *p = NULL;
    struct why why = {0};
    struct mutator *others[HEAP_MUTATORS_MAX - 2];
    struct pool_config c = {
        .heap = w.heap, .name = "bulk", .threads = 2, .queue = 1, .run = run};
    for (size_t i = 0; i < HEAP_MUTATORS_MAX - 2; i++)
        others[i] = heap_attach(w.heap, "other");
    /* One of the two threads starts and is joined again. */
    check_err(pool_open(&p, &c, &why), ERR_NOMEM);
    assert_null(p);
    for (size_t i = 0; i < HEAP_MUTATORS_MAX - 2; i++)
        heap_detach(others[i]);
    world_close(&w);
}

static void catalog_knows_what_was_added(void **state)
{
    (void)state;
    struct catalog *c = catalog_new();
    assert_non_null(c);
    check_err(catalog_add(c, "one", 3), ERR_OK);
    check_err(catalog_add(c, "two", 3), ERR_OK);
    check_err(catalog_add(c, "three", 5), ERR_OK);
    check_err(catalog_add(c, "two", 3), ERR_EXISTS);
    assert_true(catalog_has(c, "two"));
    assert_false(catalog_has(c, "tw"));
    check_err(catalog_remove(c, "one"), ERR_OK);
    check_err(catalog_remove(c, "one"), ERR_NOTFOUND);
    assert_true(catalog_has(c, "three"));
    assert_int_equal(catalog_size(c), 2);
    catalog_free(c);
    catalog_free(NULL);
}

static void catalog_is_bounded(void **state)
{
    (void)state;
    struct catalog *c = catalog_new();
    char name[300];
    memset(name, 'x', sizeof name);
    check_err(catalog_add(c, name, 256), ERR_NOSPACE); /* too long */
    for (size_t i = 0; i < CATALOG_MAX; i++) {
        name[0] = (char)('a' + i % 26);
        name[1] = (char)('a' + i / 26 % 26);
        name[2] = (char)('a' + i / 676);
        check_err(catalog_add(c, name, 3), ERR_OK);
    }
    check_err(catalog_add(c, "more", 4), ERR_NOSPACE);
    check_err(catalog_add(c, "aaa", 3), ERR_EXISTS);
    catalog_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_queue_refuses_at_once),
        cmocka_unit_test(stopping_finishes_what_is_done_and_drops_what_waits),
        cmocka_unit_test(too_many_mutators_fail_the_pool),
        cmocka_unit_test(catalog_knows_what_was_added),
        cmocka_unit_test(catalog_is_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
