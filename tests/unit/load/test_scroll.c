/* A search of pages: what is read of its answers however they are cut, and what
 * is sent after which. */
#include <stdio.h>

#include "load/scroll.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

static const char page[] =
    "{\"took\":3,\"_scroll_id\":\"aB\\\"9==\",\"timed_out\":false,\"_shards\":{"
    "\"total\":5,\"hits\":[1]},\"hits\":{\"total\":{\"value\":25,\"relation\":"
    "\"eq\"},\"max_score\":null,\"hits\":[ {\"_id\":\"x\",\"hits\":[]}]}}";
static const char page_6x[] =
    "{ \"hits\" : { \"total\" : 1234 , \"hits\" : [ ] } , \"_scroll_id\" : "
    "\"i\" }";

static bool same(const struct scroll_answer *a, const struct scroll_answer *b)
{
    return !strcmp(a->id, b->id) && a->any == b->any && a->total == b->total &&
           a->total_known == b->total_known && a->hits_known == b->hits_known;
}

/* Cut at each byte once, and byte by byte, on guarded memory. */
static void reads(const char *text, const struct scroll_answer *want)
{
    static struct scroll_answer a;
    size_t len = strlen(text);
    char *copy = guard_copy(text, len);
    for (size_t at = 0; at <= len + 1; at++) {
        a.id[a.id_len = 0] = 0;
        scroll_answer_begin(&a);
        for (size_t i = 0; at > len && i < len; i++)
            scroll_answer_feed(&a, copy + i, 1);
        if (at <= len) {
            scroll_answer_feed(&a, copy, at);
            scroll_answer_feed(&a, copy + at, len - at);
        }
        assert_true(same(&a, want));
    }
    guard_free(copy, len);
}

static void scroll_answer_reads_what_is_needed(void **state)
{
    (void)state;
    static const struct scroll_answer full = {.id = "aB\\\"9==",
                                              .any = true,
                                              .total = 25,
                                              .total_known = true,
                                              .hits_known = true},
                                      empty = {.id = "i",
                                               .total = 1234,
                                               .total_known = true,
                                               .hits_known = true},
                                      none = {.id = ""};
    reads(page, &full);
    reads(page_6x, &empty);
    reads("", &none);
    reads("<html>\"_scroll_id\": \"x\"</html>", &none);
    reads("{\"error\":{\"_scroll_id\":\"x\",\"hits\":{\"hits\":[1]}}}", &none);
    reads("{\"hits\":[],\"_scroll_id\":7}", &none);
}

static void scroll_answer_gives_up_an_id_that_is_too_long(void **state)
{
    (void)state;
    static struct scroll_answer a;
    scroll_answer_begin(&a);
    scroll_answer_feed(&a, "{\"_scroll_id\":\"", 15);
    for (unsigned i = 0; i <= SCROLL_ID_MAX; i++)
        scroll_answer_feed(&a, "x", 1);
    scroll_answer_feed(&a, "\"}", 2);
    assert_string_equal(a.id, "");
}

#define HEAD                                                                   \
    "POST /i/_search?scroll=10s HTTP/1.1\r\nHost: h:1\r\nX-A: b\r\n"           \
    "Content-Type: application/json\r\n"
static const struct plan_request plan = {.pages = 3, .page_size = 20};
static const struct engine_request first = {.head = HEAD
                                            "Content-Length: 2\r\n\r\n",
                                            .head_bytes = sizeof HEAD + 20,
                                            .body = "{}",
                                            .body_bytes = 2};

/* One answer: its text, then its end. */
static const struct engine_request *hear(struct scroll *s, unsigned status,
                                         const char *text, uint64_t at_ns)
{
    const struct engine_answer a = {.outcome = ENGINE_ANSWERED,
                                    .status = status,
                                    .sent_ns = at_ns - 5,
                                    .done_ns = at_ns,
                                    .sent_bytes = 100,
                                    .received_bytes = strlen(text)};
    scroll_answer_feed(&s->answer, text, strlen(text));
    return scroll_next(s, &a, status == 200);
}

static void is(const struct engine_request *r, const char *want)
{
    assert_non_null(r);
    assert_ptr_equal(r->body, r->head + r->head_bytes);
    assert_int_equal(r->head_bytes + r->body_bytes, strlen(want));
    assert_memory_equal(r->head, want, strlen(want));
}

#define NEXT(method, length, body)                                             \
    method " /_search/scroll HTTP/1.1\r\nHost: h:1\r\nX-A: b\r\n"              \
           "Content-Type: application/json\r\nContent-Length: " length         \
           "\r\n\r\n" body

static void scroll_asks_for_page_after_page_and_ends_it(void **state)
{
    (void)state;
    struct scroll *s = scroll_new(&plan, &first);
    for (int again = 0; again < 2; again++) {
        scroll_begin(s, &first);
        is(hear(s, 200, page, 1000),
           NEXT("POST", "38",
                "{\"scroll\":\"10s\",\"scroll_id\":\"aB\\\"9==\"}"));
        /* the id stays where a page does not tell it */
        is(hear(s, 200, "{\"hits\":{\"hits\":[1]}}", 2000),
           NEXT("POST", "38",
                "{\"scroll\":\"10s\",\"scroll_id\":\"aB\\\"9==\"}"));
        is(hear(s, 200, "{\"_scroll_id\":\"z\",\"hits\":{\"hits\":[2]}}", 3000),
           NEXT("DELETE", "19", "{\"scroll_id\":[\"z\"]}"));
        assert_null(hear(s, 404, "{}", 4000)); /* no matter */
        assert_int_equal(s->pages, 3);
        assert_int_equal(s->requests, 4);
        assert_int_equal(s->sum.sent_ns, 995);
        assert_int_equal(s->sum.done_ns, 4000);
        assert_int_equal(s->sum.status, 200);
        assert_int_equal(s->sum.sent_bytes, 400);
    }
    scroll_free(s);
}

static void scroll_ends_with_what_there_is(void **state)
{
    (void)state;
    static const char few[] = "{\"_scroll_id\":\"z\",\"hits\":{\"total\":19,"
                              "\"hits\":[1]}}";
    static const char many[] = "{\"_scroll_id\":\"z\",\"hits\":{\"total\":21,"
                               "\"hits\":[1]}}";
    struct scroll *s = scroll_new(&plan, &first);
    const char end[] = NEXT("DELETE", "19", "{\"scroll_id\":[\"z\"]}");
    scroll_begin(s, &first);
    is(hear(s, 200, few, 1000), end); /* a page may hold 20 */
    scroll_begin(s, &first);
    assert_non_null(hear(s, 200, many, 1000));
    is(hear(s, 200, "{\"hits\":{\"hits\":[]}}", 2000), end);
    scroll_begin(s, &first);
    assert_null(hear(s, 200, "{\"hits\":{\"hits\":[1]}}", 1000)); /* no id */
    scroll_free(s);
}

static void scroll_is_as_bad_as_its_worst_page(void **state)
{
    (void)state;
    const struct engine_answer lost = {.outcome = ENGINE_LOST,
                                       .sent_ns = 1500,
                                       .done_ns = 1600,
                                       .given_up = true};
    struct scroll *s = scroll_new(&plan, &first);
    scroll_begin(s, &first);
    assert_non_null(hear(s, 200, page, 1000));
    assert_non_null(hear(s, 500, "{}", 2000)); /* it is ended all the same */
    assert_null(hear(s, 200, "{}", 3000));
    assert_int_equal(s->sum.status, 500);
    scroll_begin(s, &first);
    assert_non_null(hear(s, 200, page, 1000));
    assert_null(scroll_next(s, &lost, false));
    assert_int_equal(s->sum.outcome, ENGINE_LOST);
    assert_true(s->sum.given_up);
    scroll_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scroll_answer_reads_what_is_needed),
        cmocka_unit_test(scroll_answer_gives_up_an_id_that_is_too_long),
        cmocka_unit_test(scroll_asks_for_page_after_page_and_ends_it),
        cmocka_unit_test(scroll_ends_with_what_there_is),
        cmocka_unit_test(scroll_is_as_bad_as_its_worst_page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
