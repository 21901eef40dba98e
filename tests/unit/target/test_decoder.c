#include <stdio.h>
#include <stdlib.h>

#include "target/decoder.h"
#include "tests/lib/check.h"
#include "tests/unit/target/world.h"

#define MB (1u << 20)

/* Feed text in pieces of step bytes, each in an object of its own, and write
 * down every request as "METHOD target bytes keep|close: body;" and every other
 * verdict by name. Stops at the first that ends a connection. */
static const char *decode_all(struct world *w, const char *text, size_t len,
                              size_t step, char *log)
{
    static const char *const verdicts[] = {
        [DECODE_MORE] = "more",    [DECODE_CONTINUE] = "continue;",
        [DECODE_REQUEST] = "?",    [DECODE_LONG] = "long;",
        [DECODE_LARGE] = "large;", [DECODE_BAD] = "bad;",
        [DECODE_OOM] = "oom;"};
    static const char *const methods[] = {"GET", "HEAD",   "POST",
                                          "PUT", "DELETE", "OTHER"};
    struct decoder *d = malloc(sizeof *d);
    size_t n = 0;
    log[0] = '\0';
    assert_non_null(d);
    assert_true(decoder_init(d, w->m, 16, 1024));
    bool over = false;
    for (size_t at = 0; at < len && !over; at += step) {
        size_t piece = len - at < step ? len - at : step;
        struct input in = {.ref = world_object(w, text + at, piece),
                           .len = (uint32_t)piece};
        while (in.pos < in.len && !over) {
            struct why why = {0};
            enum decode v = decoder_run(d, w->m, &in, &why);
            if (v == DECODE_REQUEST) {
                char body[64];
                const struct request *r = &d->request;
                size_t got = body_peek(&d->body, w->m, body, sizeof body);
                n += (size_t)sprintf(
                    log + n, "%s %.*s %u %s: %.*s;", methods[r->method],
                    (int)r->target_len, r->target, (unsigned)r->body_bytes,
                    r->keep_alive ? "keep" : "close", (int)got, body);
                assert_int_equal(d->body.bytes, r->body_bytes);
                body_release(&d->body, w->m);
                decoder_next(d);
            } else if (v != DECODE_MORE) {
                n += (size_t)sprintf(log + n, "%s", verdicts[v]);
                over = v != DECODE_CONTINUE;
            }
        }
        if (over) {
            body_release(&d->body, w->m);
            heap_release(w->m, in.ref);
        }
    }
    decoder_fini(d, w->m);
    free(d);
    return log;
}

/* The same verdict at every step. */
static void check_decode(const char *text, const char *want)
{
    size_t len = strlen(text);
    for (size_t step = 1; step <= len; step++) {
        struct world w = world_open(2 * MB);
        char log[1024];
        if (strcmp(decode_all(&w, text, len, step, log), want))
            fail_msg("in steps of %zu: \"%s\", not \"%s\"", step, log, want);
        world_close(&w);
    }
}

static void requests_are_the_same_however_they_are_cut(void **state)
{
    (void)state;
    check_decode("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / 0 keep: ;");
    check_decode("POST /_bulk?a=b HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
                 "POST /_bulk?a=b 5 keep: hello;");
    check_decode("PUT /x HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
                 "PUT /x 0 keep: ;");
    check_decode("GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
                 "GET / 0 close: ;");
    check_decode("GET / HTTP/1.0\r\n\r\n", "GET / 0 close: ;");
    check_decode("PATCH /x HTTP/1.1\r\n\r\n", "OTHER /x 0 keep: ;");
}

static void pipelined_requests_come_one_by_one(void **state)
{
    (void)state;
    check_decode("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
                 "GET /b HTTP/1.1\r\n\r\n"
                 "\r\n" /* stray, allowed before a request line */
                 "DELETE /c HTTP/1.1\r\n\r\n",
                 "POST /a 3 keep: abc;GET /b 0 keep: ;DELETE /c 0 keep: ;");
}

static void chunked_bodies_are_put_together(void **state)
{
    (void)state;
    check_decode("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "3\r\nabc\r\n00A;x=y\r\n0123456789\r\n0\r\n\r\n"
                 "GET /b HTTP/1.1\r\n\r\n",
                 "POST /a 13 keep: abc0123456789;GET /b 0 keep: ;");
    check_decode("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "0\r\nTrailer: x\r\n\r\nGET /b HTTP/1.1\r\n\r\n",
                 "POST /a 0 keep: ;GET /b 0 keep: ;");
}

static void expect_asks_for_an_interim_answer_once(void **state)
{
    (void)state;
    check_decode("POST /a HTTP/1.1\r\nExpect: 100-Continue \r\n"
                 "Content-Length: 2\r\n\r\nhi",
                 "continue;POST /a 2 keep: hi;");
    check_decode("POST /a HTTP/1.1\r\nX-Empty:\r\nExpect: 100-continue\r\n"
                 "X-Other: x\r\nContent-Length: 2\r\n\r\nhi",
                 "continue;POST /a 2 keep: hi;");
    check_decode("POST /a HTTP/1.1\r\nContent-Length: 2\r\n"
                 "Expect: 100-continue-or-not\r\n\r\nhi",
                 "POST /a 2 keep: hi;");
    check_decode("POST /a HTTP/1.1\r\nX-Expect: 100-continue\r\n"
                 "Content-Length: 2\r\n\r\nhi",
                 "POST /a 2 keep: hi;");
    /* Nothing to wait for without a body. */
    check_decode("GET /a HTTP/1.1\r\nExpect: 100-continue\r\n\r\n",
                 "GET /a 0 keep: ;");
}

static void what_is_not_http_is_bad(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "hello\r\n\r\n", "GET x\r\n\r\n", "GET / HTTP/3.7x\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: "
        "chunked\r\n\r\n0\r\n\r\n",
        /* What http-parser alone would take. */
        "GET / HTTP/1.1\r\nA: b\r\n\rXGET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3\r\nabcXY0\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3\r\nabc\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\nGET / HTTP/1.1\r\n\r\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t len = strlen(bad[i]);
        for (size_t step = 1; step <= len; step++) {
            struct world w = world_open(2 * MB);
            char log[1024];
            (void)decode_all(&w, bad[i], len, step, log);
            if (!strstr(log, "bad;"))
                fail_msg("%s in steps of %zu: \"%s\"", bad[i], step, log);
            world_close(&w);
        }
    }
}

/* "GET /" + path + " HTTP/1.1\r\n" is 4,098 bytes for a path of 4,082: the
 * longest accepted; one more is refused. */
static void a_request_line_may_have_4096_bytes(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct world w = world_open(2 * MB);
        char text[5000], log[8192];
        int n = sprintf(text, "GET /%0*d HTTP/1.1\r\n\r\n", 4082 + more, 0);
        (void)decode_all(&w, text, (size_t)n, 1000, log);
        assert_string_equal(strrchr(log, more ? 'l' : ' '),
                            more ? "long;" : " ;");
        world_close(&w);
    }
}

static void a_body_may_have_100_mib(void **state)
{
    (void)state;
    check_decode("POST / HTTP/1.1\r\nContent-Length: 104857601\r\n\r\n",
                 "large;");
    check_decode("POST / HTTP/1.1\r\nContent-Length: 104857600\r\n\r\n", "");
    check_decode("POST / HTTP/1.1\r\nContent-Length: "
                 "1844674407370955160\r\n\r\n",
                 "large;");
    check_decode("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "6400001\r\n",
                 "large;");
    check_decode("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "1\r\na\r\n6400000\r\n",
                 "large;");
}

/* 20,000 bytes in one read behind a head: slices of 8192, 8192 and 3616. */
static void one_read_is_sliced_into_components_of_8_kib(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct decoder d;
    static char text[20100];
    struct why why = {0};
    memset(text, 'x', sizeof text);
    int head =
        sprintf(text, "POST / HTTP/1.1\r\nContent-Length: 20000\r\n\r\n");
    text[head] = 'x';
    assert_true(decoder_init(&d, w.m, 128, 1024));
    struct input in = {.len = (uint32_t)head + 20000};
    in.ref = world_object(&w, text, in.len);
    heap_ref ref = in.ref;
    assert_int_equal(decoder_run(&d, w.m, &in, &why), DECODE_REQUEST);
    assert_int_equal(d.body.n_parts, 3);
    assert_int_equal(d.body.parts[0].len, 8192);
    assert_int_equal(d.body.parts[1].len, 8192);
    assert_int_equal(d.body.parts[2].len, 3616);
    assert_int_equal(d.body.parts[1].off, head + 8192);
    /* The body owns the buffer now. */
    assert_int_equal(in.ref, 0);
    assert_true(body_holds(&d.body, ref));
    decoder_fini(&d, w.m);
    world_close(&w);
}

/* A buffer that holds a body's end and the next request stays the caller's. */
static void a_shared_buffer_outlives_the_first_request(void **state)
{
    (void)state;
    struct world w = world_open(2 * MB);
    struct decoder d;
    struct why why = {0};
    static const char text[] = "POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi"
                               "GET /b HTTP/1.1\r\n\r\n";
    assert_true(decoder_init(&d, w.m, 128, 1024));
    struct input in = {.len = sizeof text - 1};
    in.ref = world_object(&w, text, in.len);
    assert_int_equal(decoder_run(&d, w.m, &in, &why), DECODE_REQUEST);
    assert_int_equal(d.body.keep, in.ref);
    body_release(&d.body, w.m);
    decoder_next(&d);
    assert_int_not_equal(in.ref, 0);
    assert_int_equal(decoder_run(&d, w.m, &in, &why), DECODE_REQUEST);
    assert_memory_equal(d.request.target, "/b", 2);
    assert_int_equal(in.ref, 0);
    decoder_fini(&d, w.m);
    world_close(&w);
}

/* Native input: no heap at all, the body thrown away but for its beginning. */
static void native_input_needs_no_heap(void **state)
{
    (void)state;
    struct decoder d;
    struct why why = {0};
    static char text[2000];
    memset(text, 'x', sizeof text);
    int head = sprintf(text, "POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\n");
    text[head] = 'x';
    assert_true(decoder_init(&d, NULL, 128, 1024));
    struct input in = {.native = text, .len = (uint32_t)head + 1000};
    assert_int_equal(decoder_run(&d, NULL, &in, &why), DECODE_REQUEST);
    assert_int_equal(d.request.body_bytes, 1000);
    assert_int_equal(d.request.small_len, DECODER_SMALL_MAX);
    assert_int_equal(d.body.n_parts, 0);
    decoder_fini(&d, NULL);
}

/* With every amount of room left, decoding ends in a request or in "oom", and
 * everything can be released. */
static void decoding_unwinds_at_every_allocation(void **state)
{
    (void)state;
    static const char text[] =
        "POST /a-path-longer-than-16-chars HTTP/1.1\r\n"
        "Content-Length: 6\r\nX-Long: 0123456789012345678901234567890\r\n\r\n"
        "abcdef";
    unsigned oom = 0;
    for (uint64_t left = 48; left < 600; left += 8) {
        struct world w = world_open(2 * MB);
        struct decoder d;
        struct why why = {0};
        struct input in = {.len = sizeof text - 1};
        enum decode v = DECODE_OOM;
        in.ref = world_object(&w, text, in.len);
        heap_ref ballast = world_fill(&w, left);
        assert_true(decoder_init(&d, w.m, 16, 1024));
        v = decoder_run(&d, w.m, &in, &why);
        assert_true(v == DECODE_OOM || v == DECODE_REQUEST);
        oom += v == DECODE_OOM;
        body_release(&d.body, w.m);
        heap_release(w.m, in.ref);
        heap_release(w.m, ballast);
        decoder_fini(&d, w.m);
        world_close(&w);
    }
    assert_true(oom > 0);
    struct world w = world_open(2 * MB);
    struct decoder d;
    heap_ref ballast = world_fill(&w, 40); /* the array of 16 chars needs 48 */
    assert_false(decoder_init(&d, w.m, 16, 1024));
    heap_release(w.m, ballast);
    world_close(&w);
}

/* A request line of "POST", "/" and "HTTP/1.1" leaves 3 * 48; "Host" and "a"
 * 2 * 48 and an entry of 40; "Content-Length" 24 + 32, "3" 48, 40; the request
 * 1,600; the body's component 104 and its array 80; and the input itself is
 * al(16 + 50) = 72. */
static void decoding_makes_the_garbage_of_lines_and_requests(void **state)
{
    (void)state;
    static const char text[] = "POST / HTTP/1.1\r\nHost: a\r\n"
                               "Content-Length: 3\r\n\r\nabc";
    struct world w = world_open(2 * MB);
    struct decoder *d = malloc(sizeof *d);
    struct heap_stats s;
    struct why why = {0};
    assert_non_null(d);
    assert_true(decoder_init(d, w.m, 128, 1024));
    heap_stats_reset(w.heap);
    struct input in = {.ref = world_object(&w, text, sizeof text - 1),
                       .len = sizeof text - 1};
    assert_int_equal(decoder_run(d, w.m, &in, &why), DECODE_REQUEST);
    heap_stats(w.heap, NULL, &s);
    assert_int_equal(s.alloc_bytes, 72 + 144 + 136 + 144 + 1600 + 104 + 80);
    body_release(&d->body, w.m);
    decoder_fini(d, w.m);
    free(d);
    world_close(&w);
}

/* Reads of 4,096 bytes, al(16 + 4096) = 4,112, beside the 128 chars' 272. The
 * first ends in a header: it is held, the second is copied behind it and dead,
 * and the body lies in the first. Scanned again are the 12 bytes of the line
 * that were there, so that its strings are whole. */
static void a_read_that_ends_in_a_line_is_held_for_the_next(void **state)
{
    (void)state;
    static const char one[] = "POST / HTTP/1.1\r\nContent-Leng",
                      two[] = "th: 2\r\n\r\nhi";
    struct world w = world_open(2 * MB);
    struct decoder d;
    struct why why = {0};
    struct heap_stats s;
    assert_true(decoder_init(&d, w.m, 128, 1024));
    struct input in = {.len = sizeof one - 1, .capacity = 4096};
    in.ref = heap_alloc(w.m, 4096);
    heap_ref first = in.ref;
    memcpy(heap_ptr(w.m, in.ref), one, in.len);
    assert_int_equal(decoder_run(&d, w.m, &in, &why), DECODE_MORE);
    assert_int_equal(in.ref, 0);
    assert_int_equal(d.header.length, 12);
    assert_int_equal(world_used(&w), 272 + 4112);
    in = (struct input){.len = sizeof two - 1, .capacity = 4096};
    in.ref = heap_alloc(w.m, 4096);
    memcpy(heap_ptr(w.m, in.ref), two, in.len);
    heap_stats_reset(w.heap);
    assert_int_equal(decoder_run(&d, w.m, &in, &why), DECODE_REQUEST);
    assert_int_equal(world_used(&w), 272 + 4112);
    assert_int_equal(d.body.parts[0].ref, first);
    assert_int_equal(d.body.parts[0].off, sizeof one - 1 + sizeof two - 3);
    heap_stats(w.heap, NULL, &s);
    assert_int_equal(s.alloc_bytes, 24 + 32 + 48 + 40 + 1600 + 104 + 80);
    body_release(&d.body, w.m);
    assert_int_equal(world_used(&w), 272);
    decoder_fini(&d, w.m);
    world_close(&w);
}

/* A chunk's slice lies in the buffer whose last line is unfinished: whatever
 * ends the connection there, it is released once. */
static void a_held_buffer_with_slices_is_released_once(void **state)
{
    (void)state;
    static const char text[] = "POST / HTTP/1.1\r\nTransfer-Encoding: "
                               "chunked\r\n\r\n3\r\nabc\r\n1";
    for (int more = 0; more < 2; more++) {
        struct world w = world_open(2 * MB);
        struct decoder d;
        struct why why = {0};
        assert_true(decoder_init(&d, w.m, 128, 1024));
        struct input in = {.len = sizeof text - 1};
        in.ref = world_object(&w, text, in.len);
        assert_int_equal(decoder_run(&d, w.m, &in, &why), DECODE_MORE);
        assert_int_equal(in.ref, 0);
        if (more) {
            in = (struct input){.ref = world_object(&w, "0", 1), .len = 1};
            assert_int_equal(decoder_run(&d, w.m, &in, &why), DECODE_MORE);
            body_release(&d.body, w.m);
        }
        decoder_fini(&d, w.m);
        world_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_the_same_however_they_are_cut),
        cmocka_unit_test(pipelined_requests_come_one_by_one),
        cmocka_unit_test(chunked_bodies_are_put_together),
        cmocka_unit_test(expect_asks_for_an_interim_answer_once),
        cmocka_unit_test(what_is_not_http_is_bad),
        cmocka_unit_test(a_request_line_may_have_4096_bytes),
        cmocka_unit_test(a_body_may_have_100_mib),
        cmocka_unit_test(one_read_is_sliced_into_components_of_8_kib),
        cmocka_unit_test(a_shared_buffer_outlives_the_first_request),
        cmocka_unit_test(native_input_needs_no_heap),
        cmocka_unit_test(decoding_makes_the_garbage_of_lines_and_requests),
        cmocka_unit_test(a_read_that_ends_in_a_line_is_held_for_the_next),
        cmocka_unit_test(a_held_buffer_with_slices_is_released_once),
        cmocka_unit_test(decoding_unwinds_at_every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
