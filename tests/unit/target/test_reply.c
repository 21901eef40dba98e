#include <stdio.h>
#include <stdlib.h>

#include "target/reply.h"
#include "tests/lib/check.h"
#include "tests/unit/target/world.h"

#define MB (1u << 20)

static void reply_is_a_head_a_lead_and_a_body(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct reply r = {0};
    char text[1024];
    assert_true(reply_put(&r, w.pages, w.m, "1,2", 3));
    assert_true(reply_put(&r, w.pages, w.m, "]", 1));
    reply_seal(&r, 200, "[0,", false);
    assert_string_equal(world_reply(&w, &r, text, sizeof text),
                        "HTTP/1.1 200 OK\r\n"
                        "X-elastic-product: Elasticsearch\r\n"
                        "content-type: application/json; charset=UTF-8\r\n"
                        "content-length: 7\r\n\r\n[0,1,2]");
    reply_clear(&r, w.pages, w.m);
    assert_int_equal(r.status, 0);
    reply_fini(&r);
    world_close(&w);
}

static void reply_says_when_the_connection_closes(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct reply r = {0};
    char text[1024];
    reply_seal(&r, 429, "", true);
    assert_string_equal(world_reply(&w, &r, text, sizeof text),
                        "HTTP/1.1 429 Too Many Requests\r\n"
                        "X-elastic-product: Elasticsearch\r\n"
                        "content-type: application/json; charset=UTF-8\r\n"
                        "content-length: 0\r\nconnection: close\r\n\r\n");
    reply_clear(&r, w.pages, w.m);
    reply_fini(&r);
    world_close(&w);
}

static void reply_to_head_has_the_length_but_no_body(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct reply r = {0};
    char text[1024];
    assert_true(reply_put(&r, w.pages, w.m, "12345", 5));
    r.no_body = true;
    reply_seal(&r, 200, "lead", false);
    (void)world_reply(&w, &r, text, sizeof text);
    assert_non_null(strstr(text, "content-length: 9\r\n"));
    assert_string_equal(world_json(text), "");
    reply_clear(&r, w.pages, w.m);
    reply_fini(&r);
    world_close(&w);
}

static void every_status_in_use_has_its_words(void **state)
{
    (void)state;
    static const struct {
        unsigned status;
        const char *line;
    } all[] = {{200, "HTTP/1.1 200 OK\r\n"},
               {400, "HTTP/1.1 400 Bad Request\r\n"},
               {404, "HTTP/1.1 404 Not Found\r\n"},
               {405, "HTTP/1.1 405 Method Not Allowed\r\n"},
               {413, "HTTP/1.1 413 Request Entity Too Large\r\n"},
               {429, "HTTP/1.1 429 Too Many Requests\r\n"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct reply r = {0};
        reply_seal(&r, all[i].status, "", false);
        assert_memory_equal(r.head, all[i].line, strlen(all[i].line));
    }
}

/* 50,000 bytes are four pages of 16 KiB; they come out as they went in. */
static void a_long_body_spans_pages(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct reply r = {0};
    char *text = malloc(60000);
    assert_non_null(text);
    for (int i = 0; i < 10000; i++) {
        char five[6];
        (void)sprintf(five, "%05d", i);
        assert_true(reply_put(&r, w.pages, w.m, five, 5));
    }
    assert_int_equal(r.n_pages, 4);
    reply_seal(&r, 200, "", false);
    const char *json = world_json(world_reply(&w, &r, text, 60000));
    assert_int_equal(strlen(json), 50000);
    for (int i = 0; i < 10000; i++) {
        char five[6];
        (void)sprintf(five, "%05d", i);
        assert_memory_equal(json + 5 * i, five, 5);
    }
    reply_clear(&r, w.pages, w.m);
    reply_fini(&r);
    free(text);
    world_close(&w);
}

static void a_fixed_body_is_sent_from_where_it_stands(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    static char fixed[40000], text[41000];
    memset(fixed, 'f', sizeof fixed);
    struct reply r = {.fixed = fixed, .body_len = sizeof fixed};
    reply_seal(&r, 200, "", false);
    const char *json = world_json(world_reply(&w, &r, text, sizeof text));
    assert_int_equal(strlen(json), sizeof fixed);
    assert_memory_equal(json, fixed, sizeof fixed);
    reply_clear(&r, w.pages, w.m);
    assert_int_equal(world_used(&w), 0);
    world_close(&w);
}

static void reply_from_replaces_what_was_there(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct reply r = {0};
    char buf[4], text[1024];
    struct out o = out_to(buf, sizeof buf);
    r.docs = 3;
    assert_true(reply_put(&r, w.pages, w.m, "old", 3));
    out_raw(&o, "new!", 4);
    assert_true(reply_from(&r, w.pages, w.m, &o));
    assert_int_equal(r.docs, 0);
    reply_seal(&r, 200, "", false);
    assert_string_equal(world_json(world_reply(&w, &r, text, sizeof text)),
                        "new!");
    out_raw(&o, "x", 1);
    assert_true(o.cut);
    assert_false(reply_from(&r, w.pages, w.m, &o));
    reply_clear(&r, w.pages, w.m);
    reply_fini(&r);
    world_close(&w);
}

/* A heap of 2 MiB keeps 2 MiB / 10 / 16 KiB = 12 pages (the remainder of 12.8
 * does not count); what is given beyond goes back to the heap. */
static void pages_are_kept_up_to_a_tenth_of_the_heap(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    heap_ref page[20];
    for (size_t i = 0; i < 20; i++)
        page[i] = pages_take(w.pages, w.m);
    assert_int_equal(world_used(&w), 20 * 16400);
    for (size_t i = 0; i < 20; i++)
        pages_give(w.pages, w.m, page[i]);
    assert_int_equal(world_used(&w), 12 * 16400);
    struct heap_stats before, after;
    heap_stats(w.heap, NULL, &before);
    for (size_t i = 0; i < 12; i++)
        page[i] = pages_take(w.pages, w.m);
    heap_stats(w.heap, NULL, &after);
    assert_int_equal(after.alloc_count, before.alloc_count);
    for (size_t i = 0; i < 12; i++)
        pages_give(w.pages, w.m, page[i]);
    world_close(&w);
}

static void reply_put_unwinds_when_no_page_is_to_be_had(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct reply r = {0};
    static char page[PAGES_BYTES];
    heap_ref ballast = world_fill(&w, 20000); /* one page of 16,400 */
    assert_true(reply_put(&r, w.pages, w.m, page, sizeof page));
    assert_false(reply_put(&r, w.pages, w.m, "x", 1));
    reply_clear(&r, w.pages, w.m);
    reply_fini(&r);
    heap_release(w.m, ballast);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reply_is_a_head_a_lead_and_a_body),
        cmocka_unit_test(reply_says_when_the_connection_closes),
        cmocka_unit_test(reply_to_head_has_the_length_but_no_body),
        cmocka_unit_test(every_status_in_use_has_its_words),
        cmocka_unit_test(a_long_body_spans_pages),
        cmocka_unit_test(a_fixed_body_is_sent_from_where_it_stands),
        cmocka_unit_test(reply_from_replaces_what_was_there),
        cmocka_unit_test(pages_are_kept_up_to_a_tenth_of_the_heap),
        cmocka_unit_test(reply_put_unwinds_when_no_page_is_to_be_had)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
