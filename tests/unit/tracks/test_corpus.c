#include "tests/lib/check.h"
#include "tests/unit/tracks/scratch.h"
#include "tracks/corpus.h"

static const struct plan_documents generated = {
    .generator = "geonames", .index = "places", .docs = 10, .seed = 1};

#define ACTION "{\"index\":{\"_index\":\"places\"}}\n"

static void corpus_next_writes_an_action_and_a_document(void **state)
{
    (void)state;
    struct why why = {0};
    struct corpus *c;
    struct corpus_reader r = {0};
    static char buf[8192];
    check_ok(corpus_open(&c, &generated, NULL, &why), why);
    corpus_seek(&r, c, 0);
    size_t len = corpus_next(&r, buf, sizeof buf);
    assert_memory_equal(buf, ACTION, strlen(ACTION));
    assert_memory_equal(buf + strlen(ACTION), "{\"geonameid\": 1000000,", 22);
    assert_int_equal(buf[len - 1], '\n');
    assert_ptr_equal(memchr(buf + strlen(ACTION), '\n', len), buf + len - 1);
    corpus_close(c);
}

static void corpus_next_begins_again_after_the_last(void **state)
{
    (void)state;
    struct why why = {0};
    struct corpus *c;
    struct corpus_reader r = {0};
    static char first[8192], again[8192];
    check_ok(corpus_open(&c, &generated, NULL, &why), why);
    corpus_seek(&r, c, 3);
    size_t len = corpus_next(&r, first, sizeof first);
    for (int i = 4; i < 13; i++) /* 4..9 and 0..2 */
        assert_true(corpus_next(&r, again, sizeof again) > 0);
    assert_int_equal(corpus_next(&r, again, sizeof again), len);
    assert_memory_equal(first, again, len);
    corpus_close(c);
}

static void corpus_next_waits_for_room(void **state)
{
    (void)state;
    struct scratch s;
    struct why why = {0};
    struct corpus *c;
    struct corpus_reader r = {0};
    char buf[64] = {0};
    scratch_init(&s);
    const struct plan_documents d = {
        .file = scratch_file(&s, "d", "{\"a\":1}\n{\"b\":2}"),
        .index = "x",
        .docs = 2};
    check_ok(corpus_open(&c, &d, NULL, &why), why);
    corpus_seek(&r, c, 0);
    /* {"index":{"_index":"x"}} is 24 characters, each document 7 */
    assert_int_equal(corpus_next(&r, buf, 32), 0);
    assert_int_equal(corpus_next(&r, buf, 33), 33);
    assert_string_equal(buf, "{\"index\":{\"_index\":\"x\"}}\n{\"a\":1}\n");
    /* the file's last line has no newline: it gets one */
    assert_int_equal(corpus_next(&r, buf, 32), 0);
    assert_int_equal(corpus_next(&r, buf, 33), 33);
    assert_string_equal(buf, "{\"index\":{\"_index\":\"x\"}}\n{\"b\":2}\n");
    corpus_close(c);
    scratch_fini(&s);
}

static void corpus_takes_action_lines_from_the_file(void **state)
{
    (void)state;
    struct scratch s;
    struct why why = {0};
    struct corpus *c;
    struct corpus_reader r = {0};
    char buf[64] = {0};
    scratch_init(&s);
    const struct plan_documents d = {
        .file = scratch_file(&s, "d",
                             "{\"index\":{}}\n{\"a\":1}\n"
                             "{\"create\":{}}\n{}\n"),
        .docs = 2};
    check_ok(corpus_open(&c, &d, NULL, &why), why);
    corpus_seek(&r, c, 1);
    assert_int_equal(corpus_next(&r, buf, sizeof buf), 17);
    assert_string_equal(buf, "{\"create\":{}}\n{}\n");
    assert_int_equal(corpus_next(&r, buf, sizeof buf), 21);
    assert_memory_equal(buf, "{\"index\":{}}\n{\"a\":1}\n", 21);
    corpus_close(c);
    scratch_fini(&s);
}

static void corpus_seek_finds_any_document_of_a_long_file(void **state)
{
    (void)state;
    struct scratch s;
    struct why why = {0};
    struct corpus *c;
    struct corpus_reader r = {0};
    static char text[3000 * 7 + 1];
    char buf[64] = {0};
    scratch_init(&s);
    for (int i = 0; i < 3000; i++)
        (void)snprintf(text + i * 7, 8, "{%04d}\n", i);
    const struct plan_documents d = {
        .file = scratch_file(&s, "d", text), .index = "x", .docs = 3000};
    check_ok(corpus_open(&c, &d, NULL, &why), why);
    for (int i = 0; i < 3000; i += 7) {
        corpus_seek(&r, c, (uint64_t)i);
        assert_int_equal(corpus_next(&r, buf, sizeof buf), 32);
        assert_int_equal(atoi(buf + 26), i);
    }
    corpus_close(c);
    scratch_fini(&s);
}

static void corpus_open_refuses_what_the_file_does_not_hold(void **state)
{
    (void)state;
    struct scratch s;
    struct why why = {0};
    struct corpus *c;
    scratch_init(&s);
    struct plan_documents d = {
        .file = scratch_file(&s, "d", "{\"index\":{}}\n{}\n{\"index\":{}}\n"),
        .index = "x",
        .docs = 4};
    check_err(corpus_open(&c, &d, NULL, &why), ERR_INVALID);
    check_says(why, "has 3 documents of 1 line, not 4");
    d.docs = 1;
    d.index = NULL; /* two lines each: one and a half */
    check_ok(corpus_open(&c, &d, NULL, &why), why);
    corpus_close(c);
    d.docs = 2;
    check_err(corpus_open(&c, &d, NULL, &why), ERR_INVALID);
    check_says(why, "has 1 documents of 2 lines, not 2");
    d.file = "/nowhere/x.json";
    check_err(corpus_open(&c, &d, NULL, &why), ERR_NOTFOUND);
    check_says(why, "/nowhere/x.json");
    d.file = s.dir;
    check_err(corpus_open(&c, &d, NULL, &why), ERR_INVALID);
    check_says(why, "not a file");
    assert_null(c);
    scratch_fini(&s);
}

/* What a user's file may have wrong, and where. */
static void corpus_open_names_the_line_that_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text, *index, *says;
    } wrong[] = {{"{}\n\n{}\n", "x", "/d:2: is empty"},
                 {"{}\n{\n{}\n", "x", "/d:2: is no JSON object"},
                 {"{}\n{}\na,b", "x", "/d:3: is no JSON object"},
                 {"{}\n{}\n[1]\n", "x", "/d:3: is no JSON object"},
                 {"{\"a\":1}\n{}\n", NULL,
                  "/d:1: is no action line; accepted: index, create, update"},
                 {"{\"index\":{}}\n{}\n{\"delete\":{}}\n{\"index\":{}}\n{}\n",
                  NULL, "/d:3: is no action line"},
                 {"{\"index\":{\"_index\":\"a\"}}\n{}\n{}\n", "x",
                  "/d:1: is an action line: the track must say "
                  "\"includes-action-and-meta-data\": true"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct scratch s;
        struct why why = {0};
        struct corpus *c;
        scratch_init(&s);
        const struct plan_documents d = {
            .file = scratch_file(&s, "d", wrong[i].text),
            .index = wrong[i].index,
            .docs = 3};
        check_err(corpus_open(&c, &d, NULL, &why), ERR_INVALID);
        check_says(why, wrong[i].says);
        assert_null(c);
        scratch_fini(&s);
    }
}

static void corpus_open_takes_what_looks_like_a_document(void **state)
{
    (void)state;
    struct scratch s;
    struct why why = {0};
    struct corpus *c;
    size_t len;
    static const char text[] = " {\"index\": 5, \"a\": {}} \r\n"
                               "{\"index\": {\"b\": {}}}\n{}";
    scratch_init(&s);
    struct plan_documents d = {
        .file = scratch_file(&s, "d", text), .index = "x", .docs = 3};
    check_ok(corpus_open(&c, &d, NULL, &why), why);
    assert_memory_equal(corpus_bytes(c, &len), text, 10);
    assert_int_equal(len, sizeof text - 1);
    corpus_close(c);
    d.docs = 1;
    check_ok(corpus_open(&c, &d, NULL, &why), why);
    (void)corpus_bytes(c, &len);
    assert_int_equal(len, 25); /* up to the first newline */
    corpus_close(c);
    scratch_fini(&s);
}

static void slice_is(uint64_t docs, uint32_t n_clients, uint32_t client,
                     uint64_t from_expected, uint64_t n_expected)
{
    uint64_t from, n;
    corpus_slice(docs, n_clients, client, &from, &n);
    assert_int_equal(from, from_expected);
    assert_int_equal(n, n_expected);
}

/* Rally's rule: from round(docs / n * i) up to round(docs / n * (i + 1)). */
static void corpus_slice_cuts_as_rally_does(void **state)
{
    (void)state;
    slice_is(200000, 8, 0, 0, 25000);
    slice_is(200000, 8, 7, 175000, 25000);
    slice_is(1000, 3, 0, 0, 333);   /* 333.3 */
    slice_is(1000, 3, 1, 333, 334); /* 666.7 */
    slice_is(1000, 3, 2, 667, 333);
    slice_is(5, 2, 0, 0, 2); /* 2.5 rounds to even: 2 */
    slice_is(5, 2, 1, 2, 3);
    slice_is(7, 2, 0, 0, 4);                    /* 3.5 rounds to even: 4 */
    slice_is(2, 8, 0, 0, 0);                    /* 0.25 */
    slice_is(2, 8, 7, 2, 0);                    /* 1.75..2 */
    slice_is(11396503, 8, 3, 4273689, 1424563); /* 4273688.6, 5698251.5 */
}

static void corpus_slices_are_the_whole_corpus(void **state)
{
    (void)state;
    for (uint64_t docs = 1; docs < 400; docs += 13)
        for (uint32_t n = 1; n < 40; n++) {
            uint64_t at = 0;
            for (uint32_t i = 0; i < n; i++) {
                uint64_t from, length;
                corpus_slice(docs, n, i, &from, &length);
                assert_int_equal(from, at);
                at += length;
            }
            assert_int_equal(at, docs);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus_next_writes_an_action_and_a_document),
        cmocka_unit_test(corpus_next_begins_again_after_the_last),
        cmocka_unit_test(corpus_next_waits_for_room),
        cmocka_unit_test(corpus_takes_action_lines_from_the_file),
        cmocka_unit_test(corpus_seek_finds_any_document_of_a_long_file),
        cmocka_unit_test(corpus_open_refuses_what_the_file_does_not_hold),
        cmocka_unit_test(corpus_open_names_the_line_that_is_wrong),
        cmocka_unit_test(corpus_open_takes_what_looks_like_a_document),
        cmocka_unit_test(corpus_slice_cuts_as_rally_does),
        cmocka_unit_test(corpus_slices_are_the_whole_corpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
