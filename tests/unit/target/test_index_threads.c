/* Bulks, searches, maintenance and deletion at once: for the thread sanitizer,
 * and for counts that must come out in the end. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "target/census.h"
#include "target/search.h"
#include "tests/lib/check.h"
#include "tests/unit/target/shelf.h"

#define WRITERS 3
#define BULKS   25
#define LOOKS   40

static void *write_bulks(void *arg)
{
    static const char *const ops[] = {"i:word",  "i:word",  "i:word", "i:word",
                                      "i1:mine", "u1:word", "d2:"};
    for (int i = 0; i < BULKS; i++)
        if (shelf_bulk(arg, ops, 7, NULL, 0))
            return arg;
    return NULL;
}

static void *look(void *arg)
{
    struct shelf *s = arg;
    static struct census census; /* by one thread */
    for (int i = 0; i < LOOKS; i++) {
        char *text = NULL;
        size_t len, n;
        struct why why = {0};
        FILE *out = open_memstream(&text, &len);
        struct index **list = indices_all(s->all, &n);
        struct search search = {.list = list, .n = n};
        if (!out || !list || search_write(&search, out, &why))
            return arg;
        for (size_t k = 0; k < n; k++)
            indices_put(list[k]);
        (void)fclose(out);
        free(text);
        free(list);
        census_take(&census, s->all);
    }
    return NULL;
}

static void *maintain(void *arg)
{
    struct shelf *s = arg;
    struct creation c = {.shards = 2, .refresh_ns = 1};
    struct why why = {0};
    for (int i = 0; i < LOOKS / 4; i++) {
        struct index *x = indices_get(s->all, "geo");
        enum err e = x ? index_refresh(x, &why) : ERR_OK;
        if (!e && x)
            e = index_flush(x, &why);
        if (!e && x)
            e = index_merge(x, indices_crew(s->all), 1, &why);
        indices_put(x);
        if (!e)
            e = indices_create(s->all, "other", &c, &why);
        if (!e)
            e = indices_drop(s->all, "other", &why);
        if (e)
            return arg;
    }
    return NULL;
}

/* 3 writers, 25 bulks of 4 documents without ids, and one with. */
static void everything_at_once_comes_out_right(void **state)
{
    (void)state;
    struct shelf s;
    pthread_t threads[WRITERS + 2];
    shelf_open(&s, 3);
    for (size_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_bulks, &s), 0);
    assert_int_equal(pthread_create(&threads[WRITERS], NULL, look, &s), 0);
    assert_int_equal(pthread_create(&threads[WRITERS + 1], NULL, maintain, &s),
                     0);
    for (size_t i = 0; i < WRITERS + 2; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(shelf_count(&s, NULL), 301);
    assert_int_equal(shelf_count(&s, "{\"match\":{\"t\":\"word\"}}"), 301);
    shelf_check(&s);
    shelf_close(&s);
}

/* Bulks into an index that is deleted under them: each is done or told so. */
static void *drop_often(void *arg)
{
    struct shelf *s = arg;
    for (int i = 0; i < 20; i++) {
        struct why why = {0};
        enum err e = indices_drop(s->all, "geo", &why);
        if (e && e != ERR_NOTFOUND)
            return arg;
    }
    return NULL;
}

static void bulks_survive_the_deletion_of_their_index(void **state)
{
    (void)state;
    struct shelf s;
    pthread_t threads[3];
    shelf_open(&s, 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_bulks, &s), 0);
    assert_int_equal(pthread_create(&threads[2], NULL, drop_often, &s), 0);
    for (size_t i = 0; i < 3; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    shelf_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_at_once_comes_out_right),
        cmocka_unit_test(bulks_survive_the_deletion_of_their_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
