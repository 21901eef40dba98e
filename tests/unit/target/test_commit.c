#include <stdio.h>
#include <stdlib.h>

#include "target/native.h"
#include "target/shard_sql.h"
#include "target/shard_tend.h"
#include "tests/lib/check.h"
#include "tests/unit/target/shelf.h"

#define MATCH(word) "{\"match\":{\"t\":\"" word "\"}}"

static void bulk(struct shelf *s, const char *ends, const char *const *ops,
                 size_t n)
{
    char got[1024] = "";
    assert_int_equal(shelf_bulk(s, ops, n, got, sizeof got), ERR_OK);
    if (ends)
        assert_string_equal(got, ends);
}

#define BULK(s, ends, ...)                                                     \
    bulk(s, ends, (const char *const[]){__VA_ARGS__},                          \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void operations_end_as_elasticsearchs_do(void **state)
{
    (void)state;
    struct shelf s;
    shelf_open(&s, 3);
    BULK(&s,
         "201 created 1, 200 updated 2, 409 "
         "version_conflict_engine_exception 0, 201 created 1",
         "i1:red", "i1:green", "c1:blue", "c2:blue");
    BULK(&s,
         "200 updated 3, 404 not_found 1, 200 deleted 2, 404 "
         "document_missing_exception 0",
         "i1:black", "d9:", "d2:", "u2:x");
    BULK(&s, "200 updated 4, 200 noop 4, 201 created 1", "u1:white", "u1:white",
         "i2:again");
    assert_int_equal(shelf_count(&s, NULL), 2);
    assert_int_equal(shelf_count(&s, MATCH("white")), 1);
    assert_int_equal(shelf_count(&s, MATCH("red green blue black")), 0);
    shelf_check(&s);
    shelf_close(&s);
}

/* Deleted and written again within one bulk: only the end counts. */
static void a_bulk_sees_its_own_operations(void **state)
{
    (void)state;
    struct shelf s;
    shelf_open(&s, 1);
    BULK(&s,
         "201 created 1, 200 deleted 2, 201 created 1, 404 not_found 1, "
         "200 updated 2, 200 deleted 3",
         "i1:a", "d1:", "i1:b", "d2:", "u1:c", "d1:");
    assert_int_equal(shelf_count(&s, NULL), 0);
    BULK(&s, "201 created 1", "c1:d");
    assert_int_equal(shelf_count(&s, MATCH("d")), 1);
    shelf_check(&s);
    shelf_close(&s);
}

static void documents_without_ids_get_and_keep_theirs(void **state)
{
    (void)state;
    struct shelf s;
    char id[DOCID_MADE], op[64];
    shelf_open(&s, 2);
    BULK(&s, "201 created 1", "i:first");
    /* The first document of shard 0. */
    struct index *x = indices_get(s.all, "geo");
    docid_make(x->seed, 0, 1, id);
    indices_put(x);
    (void)snprintf(op, sizeof op, "u%.20s:second", id);
    BULK(&s, "200 updated 2", op);
    (void)snprintf(op, sizeof op, "i%.20s:third", id);
    BULK(&s, "200 updated 3", op);
    assert_int_equal(shelf_count(&s, NULL), 1);
    assert_int_equal(shelf_count(&s, MATCH("third")), 1);
    (void)snprintf(op, sizeof op, "d%.20s:", id);
    BULK(&s, "200 deleted 4, 404 not_found 1", op, op);
    assert_int_equal(shelf_count(&s, NULL), 0);
    shelf_check(&s);
    shelf_close(&s);
}

static void what_was_committed_is_there_after_a_restart(void **state)
{
    (void)state;
    struct shelf s;
    shelf_open(&s, 3);
    BULK(&s, NULL, "i1:a", "i2:b", "i3:c", "i4:d", "i:e");
    shelf_reopen(&s, 7);
    assert_int_equal(shelf_count(&s, NULL), 5);
    assert_int_equal(shelf_count(&s, MATCH("e")), 1);
    struct index *x = indices_get(s.all, "geo");
    assert_int_equal(x->n_shards, 3);
    indices_put(x);
    BULK(&s, "200 updated 2", "i1:f");
    shelf_check(&s);
    shelf_close(&s);
}

/* Those without ids go to each of three shards. */
static const char *const first[] = {"i1:old", "i2:old", "i3:old",
                                    "i4:old", "i5:old", "i6:old",
                                    "i:old",  "i:old",  "i:old"};
static const char *const second[] = {"i1:new", "d2:",    "u3:new",
                                     "i7:new", "i8:new", "i9:new",
                                     "i:new",  "i:new",  "i:new"};

/* 9 old; then 1 deleted, 2 replaced, 6 added. */
static void expect_before(struct shelf *s)
{
    assert_int_equal(shelf_count(s, NULL), 9);
    assert_int_equal(shelf_count(s, MATCH("old")), 9);
    assert_int_equal(shelf_count(s, MATCH("new")), 0);
    shelf_check(s);
}

static void expect_after(struct shelf *s)
{
    assert_int_equal(shelf_count(s, NULL), 14);
    assert_int_equal(shelf_count(s, MATCH("old")), 6);
    assert_int_equal(shelf_count(s, MATCH("new")), 8);
    shelf_check(s);
}

/* Every allocation fails once: the bulk is refused whole, and goes through
 * when it is sent again. */
static void a_bulk_without_memory_leaves_nothing(void **state)
{
    (void)state;
    struct shelf s;
    enum err e = ERR_NOMEM;
    unsigned failures = 0;
    for (int64_t n = 0; e; n += n < 200 ? 1 : 37) {
        shelf_open(&s, 3);
        bulk(&s, NULL, first, 9);
        native_fail_after(n);
        e = shelf_bulk(&s, second, 9, NULL, 0);
        native_fail_after(-1);
        if (e) {
            failures++;
            assert_int_equal(e, ERR_NOMEM);
            expect_before(&s);
            bulk(&s, NULL, second, 9);
        }
        expect_after(&s);
        shelf_close(&s);
    }
    assert_true(failures > 20);
}

/* A limit that cannot hold the bulk refuses it; the index goes on. */
static void the_native_limit_refuses_a_bulk(void **state)
{
    (void)state;
    struct shelf s;
    struct why why = {0};
    shelf_open(&s, 2);
    bulk(&s, NULL, first, 9);
    check_ok(native_open(native_used_bytes() + (1u << 20), &why), why);
    const char *many[4000];
    for (size_t i = 0; i < 4000; i++)
        many[i] = "i:many words that want to be held";
    assert_int_equal(shelf_bulk(&s, many, 4000, NULL, 0), ERR_NOMEM);
    check_ok(native_open(0, &why), why);
    expect_before(&s);
    bulk(&s, NULL, second, 9);
    expect_after(&s);
    shelf_close(&s);
}

/* The process dies between the commits of two shards: n shards have theirs. */
static void half_a_bulk_is_taken_back_at_the_next_start(void **state)
{
    (void)state;
    for (uint32_t n = 0; n <= 3; n++) {
        struct shelf s;
        struct why why = {0};
        shelf_open(&s, 3);
        bulk(&s, NULL, first, 9);
        bulk(&s, NULL, second, 9);
        struct index *x = indices_get(s.all, "geo");
        for (uint32_t i = 0; i < n; i++)
            check_ok(shard_undo(x->shards[i], &why), why);
        indices_put(x);
        shelf_reopen(&s, 3);
        if (n)
            expect_before(&s);
        else
            expect_after(&s);
        shelf_close(&s);
    }
}

/* One shard's commit fails: the others' are taken back at once. */
static int refuse_commit(void *ctx)
{
    (void)ctx;
    return 1;
}

static void a_failed_commit_takes_the_others_back(void **state)
{
    (void)state;
    struct shelf s;
    shelf_open(&s, 3);
    bulk(&s, NULL, first, 9);
    struct index *x = indices_get(s.all, "geo");
    (void)sqlite3_commit_hook(x->shards[1]->writer, refuse_commit, NULL);
    assert_int_not_equal(shelf_bulk(&s, second, 9, NULL, 0), ERR_OK);
    (void)sqlite3_commit_hook(x->shards[1]->writer, NULL, NULL);
    indices_put(x);
    expect_before(&s);
    bulk(&s, NULL, second, 9);
    expect_after(&s);
    shelf_close(&s);
}

/* 100 bulks are 100 segments a shard at most; merging leaves one. */
static void segments_are_counted_and_merged(void **state)
{
    (void)state;
    struct shelf s;
    struct why why = {0};
    shelf_open(&s, 1);
    for (int i = 0; i < 10; i++)
        BULK(&s, NULL, "i:a");
    struct index *x = indices_get(s.all, "geo");
    struct shard_counts *c = shard_counts(x->shards[0]);
    assert_int_equal(c->segments, 10);
    assert_int_equal(c->merge_count, 0);
    for (int i = 0; i < 6; i++)
        BULK(&s, NULL, "i:a");
    /* The sixteenth made one of them all. */
    assert_int_equal(c->segments, 1);
    assert_int_equal(c->merge_count, 1);
    for (int i = 0; i < 5; i++)
        BULK(&s, NULL, "i:a");
    assert_int_equal(c->segments, 6);
    check_ok(index_merge(x, indices_crew(s.all), 3, &why), why);
    assert_in_range(c->segments, 1, 3);
    check_ok(index_merge(x, indices_crew(s.all), 1, &why), why);
    assert_int_equal(c->segments, 1);
    check_ok(index_flush(x, &why), why);
    assert_int_equal(c->flush_count, 1);
    assert_int_equal(c->docs, 21);
    indices_put(x);
    assert_int_equal(shelf_count(&s, NULL), 21);
    shelf_check(&s);
    shelf_close(&s);
}

static void a_refresh_makes_documents_visible(void **state)
{
    (void)state;
    struct shelf s;
    struct why why = {0};
    struct creation c = {.shards = 2, .refresh_ns = CREATION_REFRESH_NEVER};
    shelf_open(&s, 1);
    check_ok(indices_create(s.all, "geo", &c, &why), why);
    struct index *x = indices_get(s.all, "geo");
    BULK(&s, NULL, "i1:a", "i2:a", "i3:a");
    assert_int_equal(shard_visible(x->shards[0]) + shard_visible(x->shards[1]),
                     0);
    check_ok(index_refresh(x, &why), why);
    assert_int_equal(shard_visible(x->shards[0]) + shard_visible(x->shards[1]),
                     3);
    indices_put(x);
    shelf_close(&s);
}

static void indices_are_made_once_and_dropped_once(void **state)
{
    (void)state;
    struct shelf s;
    struct why why = {0};
    struct creation c = {.shards = 64, .refresh_ns = CREATION_REFRESH_NS};
    struct indices *other = NULL;
    shelf_open(&s, 1);
    struct indices_config again = {s.folder, "/tmp", 1, 0, NULL};
    assert_int_equal(indices_open(&other, &again, &why), ERR_BUSY);
    check_ok(indices_create(s.all, "geo", &c, &why), why);
    assert_int_equal(indices_create(s.all, "geo", &c, &why), ERR_EXISTS);
    struct index *x = indices_get(s.all, "geo");
    check_ok(indices_drop(s.all, "geo", &why), why);
    assert_int_equal(indices_drop(s.all, "geo", &why), ERR_NOTFOUND);
    assert_null(indices_get(s.all, "geo"));
    /* Who held it finds it gone, not broken. */
    check_ok(index_refresh(x, &why), why);
    indices_put(x);
    BULK(&s, "201 created 1", "i1:a");
    assert_int_equal(shelf_count(&s, NULL), 1);
    shelf_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_end_as_elasticsearchs_do),
        cmocka_unit_test(a_bulk_sees_its_own_operations),
        cmocka_unit_test(documents_without_ids_get_and_keep_theirs),
        cmocka_unit_test(what_was_committed_is_there_after_a_restart),
        cmocka_unit_test(a_bulk_without_memory_leaves_nothing),
        cmocka_unit_test(the_native_limit_refuses_a_bulk),
        cmocka_unit_test(half_a_bulk_is_taken_back_at_the_next_start),
        cmocka_unit_test(a_failed_commit_takes_the_others_back),
        cmocka_unit_test(segments_are_counted_and_merged),
        cmocka_unit_test(a_refresh_makes_documents_visible),
        cmocka_unit_test(indices_are_made_once_and_dropped_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
