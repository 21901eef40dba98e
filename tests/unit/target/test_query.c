#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "target/creation.h"
#include "target/docid.h"
#include "target/query.h"
#include "target/top.h"
#include "tests/lib/check.h"

/* name: text, number 1, and name.raw 0; code: exact, number 2. */
static struct fields *fields;

static int set_up(void **state)
{
    (void)state;
    static const char mapping[] =
        "{\"properties\":{\"name\":{\"type\":\"text\",\"fields\":{\"raw\":{"
        "\"type\":\"keyword\"}}},\"code\":{\"type\":\"keyword\"}}}";
    char path[] = "/tmp/pitwall-fields-XXXXXX";
    struct jv *v = NULL;
    struct why why = {0};
    (void)close(mkstemp(path));
    (void)unlink(path);
    if (jv_parse(&v, "m", mapping, strlen(mapping), &why) ||
        fields_create(&fields, path, v, &why))
        return -1;
    (void)unlink(path);
    jv_free(v);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fields_free(fields);
    return 0;
}

static void expect(const char *query, enum query_kind kind, const char *expr)
{
    char body[512];
    struct query q;
    struct why why = {0};
    int len = snprintf(body, sizeof body, "{\"query\":%s}", query);
    check_ok(query_parse(&q, fields, body, (size_t)len, &why), why);
    assert_int_equal(q.kind, kind);
    if (kind == QUERY_EXPR)
        assert_string_equal(q.expr, expr);
    query_free(&q);
}

/* Marks: \1 cuts words, \2 takes the value as one term. */
static void queries_become_fts5s_language(void **state)
{
    (void)state;
    expect("{\"match_all\":{}}", QUERY_ALL, NULL);
    expect("{\"match_none\":{}}", QUERY_NONE, NULL);
    expect("{\"term\":{\"code\":\"A \\\"b\"}}", QUERY_EXPR,
           "\"\2"
           "02A \"\"b\"");
    expect("{\"term\":{\"code\":{\"value\":7}}}", QUERY_EXPR,
           "\"\2"
           "027\"");
    expect("{\"terms\":{\"code\":[\"a\",true]}}", QUERY_EXPR,
           "\"\2"
           "02a\" OR \"\2"
           "02true\"");
    expect("{\"match\":{\"name\":\"Big, red\"}}", QUERY_EXPR,
           "\"\1"
           "01Big\" OR \"\1"
           "01red\"");
    expect("{\"match\":{\"name\":{\"query\":\"a b\",\"operator\":\"and\"}}}",
           QUERY_EXPR,
           "\"\1"
           "01a\" AND \"\1"
           "01b\"");
    expect("{\"match_phrase\":{\"name\":\"a b\"}}", QUERY_EXPR,
           "\"\1"
           "01a b\"");
    expect("{\"match\":{\"code\":\"a b\"}}", QUERY_EXPR,
           "\"\2"
           "02a b\"");
}

static void what_no_document_can_have_matches_nothing(void **state)
{
    (void)state;
    expect("{\"term\":{\"nobody\":\"x\"}}", QUERY_NONE, NULL);
    expect("{\"match\":{\"name\":\" ,. \"}}", QUERY_NONE, NULL);
    expect("{\"terms\":{\"code\":[]}}", QUERY_NONE, NULL);
    expect("{\"bool\":{\"must\":[{\"term\":{\"code\":\"x\"}},{\"term\":{"
           "\"nobody\":1}}]}}",
           QUERY_NONE, NULL);
}

static void bools_are_joined(void **state)
{
    (void)state;
    expect("{\"bool\":{}}", QUERY_ALL, NULL);
    expect("{\"bool\":{\"must\":{\"match_all\":{}},\"filter\":{\"term\":{"
           "\"code\":\"x\"}}}}",
           QUERY_EXPR,
           "((\"\2"
           "02x\"))");
    expect("{\"bool\":{\"must\":[{\"term\":{\"code\":\"x\"}}],\"filter\":[{"
           "\"term\":{\"code\":\"y\"}}],\"must_not\":[{\"term\":{\"code\":"
           "\"z\"}}]}}",
           QUERY_EXPR,
           "((\"\2"
           "02x\")) AND ((\"\2"
           "02y\")) NOT ((\"\2"
           "02z\"))");
    expect("{\"bool\":{\"should\":[{\"term\":{\"code\":\"x\"}},{\"term\":{"
           "\"nobody\":\"y\"}},{\"term\":{\"code\":\"z\"}}]}}",
           QUERY_EXPR,
           "((\"\2"
           "02x\") OR (\"\2"
           "02z\"))");
    expect("{\"bool\":{\"must_not\":{\"match_all\":{}}}}", QUERY_NONE, NULL);
}

static void refuse(const char *body, enum err e, const char *says)
{
    struct query q;
    struct why why = {0};
    check_err(query_parse(&q, fields, body, strlen(body), &why), e);
    check_says(why, says);
}

static void what_is_not_supported_is_named(void **state)
{
    (void)state;
    refuse("{\"query\":{\"fuzzy\":{\"name\":\"x\"}}}", ERR_UNSUPPORTED,
           "query [fuzzy] is not supported here");
    refuse("{\"sort\":[]}", ERR_UNSUPPORTED, "[sort] is [_doc] here");
    refuse("{\"aggs\":{}}", ERR_UNSUPPORTED, "unknown key \"aggs\"");
    refuse("{\"_source\":[\"a\"]}", ERR_UNSUPPORTED, "[_source]");
    refuse("{\"query\":{\"bool\":{\"must_not\":{\"term\":{\"code\":1}}}}}",
           ERR_UNSUPPORTED, "only [must_not]");
    refuse("{\"query\":{\"bool\":{\"must\":[],\"should\":[]}}}",
           ERR_UNSUPPORTED, "[should] beside [must]");
    refuse("{\"query\":{}}", ERR_INVALID, "one member");
    refuse("{\"query\":{\"term\":{\"a\":1,\"b\":2}}}", ERR_INVALID,
           "[term] query takes one field");
    refuse("{\"query\":{\"term\":{\"a\":[1]}}}", ERR_INVALID,
           "[term] takes texts and numbers");
    refuse("{\"query\":", ERR_INVALID, "body:1");
    refuse("{\"size\":10001}", ERR_RANGE, "from 0 to 10000");
    refuse("{\"from\":9999,\"size\":2}", ERR_RANGE, "[10000] but was [10001]");
    refuse(
        "{\"query\":{\"match\":{\"name\":{\"query\":\"x\",\"fuzziness\":1}}}}",
        ERR_INVALID, "unknown key \"fuzziness\"");
}

/* 1024 clauses and 16 levels are the most. */
static void queries_are_bounded(void **state)
{
    (void)state;
    char *body = malloc(1 << 16);
    assert_non_null(body);
    size_t n = (size_t)sprintf(body, "{\"query\":{\"terms\":{\"code\":[0");
    for (int i = 1; i <= 1024; i++)
        n += (size_t)sprintf(body + n, ",%d", i);
    (void)sprintf(body + n, "]}}}");
    refuse(body, ERR_RANGE, "maxClauseCount is set to 1024");
    n = (size_t)sprintf(body, "{\"query\":");
    for (int i = 0; i < 17; i++)
        n += (size_t)sprintf(body + n, "{\"bool\":{\"must\":");
    n += (size_t)sprintf(body + n, "{\"match_all\":{}}");
    for (int i = 0; i < 17; i++)
        n += (size_t)sprintf(body + n, "}}");
    (void)sprintf(body + n, "}");
    refuse(body, ERR_RANGE, "more than 16 levels");
    free(body);
}

static void made_ids_tell_their_place(void **state)
{
    (void)state;
    char id[DOCID_MADE + 1] = "";
    uint32_t shard;
    uint64_t n;
    docid_make(1, 3, 77, id);
    assert_int_equal(strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq"
                                "rstuvwxyz0123456789-_"),
                     20);
    /* 16 bits of 3 and 48 of 77: 0003 00000000004d, as base 64 of 6 bits. */
    assert_memory_equal(id, "AAMAAAAAAE", 10);
    assert_true(docid_read(1, id, 20, &shard, &n));
    assert_int_equal(shard, 3);
    assert_int_equal(n, 77);
    assert_int_equal(docid_shard(1, id, 20, 5), 3);
    assert_false(docid_read(2, id, 20, &shard, &n));
    assert_false(docid_read(1, id, 19, &shard, &n));
    id[19] = id[19] == 'A' ? 'B' : 'A';
    assert_false(docid_read(1, id, 20, &shard, &n));
    assert_false(docid_read(1, "....................", 20, &shard, &n));
}

/* 10,000 numbers over 5 shards: each within 10 % of 2,000. */
static void ids_spread_over_shards(void **state)
{
    (void)state;
    unsigned count[5] = {0};
    char id[16];
    for (unsigned i = 0; i < 10000; i++)
        count[docid_shard(1, id, (size_t)sprintf(id, "%u", i), 5)]++;
    for (unsigned i = 0; i < 5; i++)
        assert_in_range(count[i], 1800, 2200);
}

static void top_keeps_the_best(void **state)
{
    (void)state;
    struct top_hit hits[3];
    struct top t = {.hits = hits, .most = 3};
    static const double scores[] = {1, 5, 2, 5, 0, 4, 3};
    for (int i = 0; i < 7; i++)
        top_offer(&t, (struct top_hit){scores[i], 0, i});
    top_sort(&t);
    /* The two of score 5 by their numbers, then 4. */
    assert_int_equal(t.n, 3);
    assert_int_equal(hits[0].n, 1);
    assert_int_equal(hits[1].n, 3);
    assert_int_equal(hits[2].n, 5);
    t = (struct top){.hits = hits, .most = 0};
    top_offer(&t, (struct top_hit){1, 0, 1});
    assert_int_equal(t.n, 0);
}

static void created(const char *body, uint32_t shards, uint64_t refresh_ns)
{
    struct creation c;
    struct why why = {0};
    check_ok(creation_parse(&c, body, strlen(body), 5, &why), why);
    assert_int_equal(c.shards, shards);
    assert_int_equal(c.refresh_ns, refresh_ns);
    creation_free(&c);
}

static void settings_are_found_however_they_are_written(void **state)
{
    (void)state;
    created("", 5, 1000000000);
    created("{\"settings\":{\"number_of_shards\":3}}", 3, 1000000000);
    created("{\"settings\":{\"index.number_of_shards\":\"4\","
            "\"index.refresh_interval\":\"30s\"}}",
            4, 30000000000);
    created("{\"settings\":{\"index\":{\"number_of_shards\":64,"
            "\"refresh_interval\":-1}}}",
            64, CREATION_REFRESH_NEVER);
}

static void settings_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "[]",
        "{",
        "{\"settings\":{\"number_of_shards\":0}}",
        "{\"settings\":{\"number_of_shards\":\"many\"}}",
        "{\"settings\":{\"number_of_shards\":65}}",
        "{\"settings\":{\"refresh_interval\":\"soon\"}}",
        "{\"settings\":{\"refresh_interval\":5}}"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct creation c;
        struct why why = {0};
        assert_int_equal(
            creation_parse(&c, bodies[i], strlen(bodies[i]), 5, &why),
            ERR_INVALID);
        assert_true(why.text[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_become_fts5s_language),
        cmocka_unit_test(what_no_document_can_have_matches_nothing),
        cmocka_unit_test(bools_are_joined),
        cmocka_unit_test(what_is_not_supported_is_named),
        cmocka_unit_test(queries_are_bounded),
        cmocka_unit_test(made_ids_tell_their_place),
        cmocka_unit_test(ids_spread_over_shards),
        cmocka_unit_test(top_keeps_the_best),
        cmocka_unit_test(settings_are_found_however_they_are_written),
        cmocka_unit_test(settings_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
