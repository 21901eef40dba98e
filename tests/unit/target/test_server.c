#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "target/server.h"
#include "tests/lib/check.h"
#include "tests/unit/target/client.h"

static const char two_docs[] =
    "{\"index\":{\"_id\":\"1\"}}\n{\"a\":1}\n{\"index\":{}}\n{\"b\":2}\n";

/* Send a bulk on fd and check that it is answered with 200. */
static void bulk_ok(int fd, const char *body, size_t len)
{
    char *json = NULL;
    client_request(fd, "POST", "/geo/_bulk", body, len);
    assert_int_equal(client_response(fd, &json), 200);
    assert_non_null(strstr(json, "\"errors\":false"));
    free(json);
}

static void requests_on_one_connection_are_answered_in_turn(void **state)
{
    (void)state;
    struct running r;
    char *json = NULL;
    running_defaults(&r);
    running_start(&r);
    int fd = client_connect(&r);
    client_request(fd, "GET", "/", "", 0);
    assert_int_equal(client_response(fd, &json), 200);
    assert_non_null(strstr(json, "\"tagline\":\"You Know, for Search\""));
    free(json);
    bulk_ok(fd, two_docs, sizeof two_docs - 1);
    bulk_ok(fd, two_docs, sizeof two_docs - 1);
    client_request(fd, "GET", "/_nothing/here", "", 0);
    assert_int_equal(client_response(fd, NULL), 400);
    (void)close(fd);
    running_stop(&r);
    assert_int_equal(r.outcome, ERR_OK);
    assert_int_equal(running_number(&r, "total", "docs"), 4);
    assert_int_equal(running_number(&r, "total", "requests"), 4);
    assert_int_equal(running_number(&r, "total", "errors"), 1);
    assert_int_equal(running_number(&r, "total", "connections"), 1);
    assert_int_equal(running_number(&r, "total", "body_bytes"),
                     2 * (sizeof two_docs - 1));
    running_close(&r);
}

/* Three requests in one packet, the middle one through the bulk threads. */
static void pipelined_requests_are_answered_in_order(void **state)
{
    (void)state;
    struct running r;
    char text[1024], *json = NULL;
    int n = snprintf(text, sizeof text,
                     "GET / HTTP/1.1\r\n\r\n"
                     "POST /geo/_bulk HTTP/1.1\r\nContent-Length: %zu\r\n\r\n%s"
                     "GET /_cluster/health HTTP/1.1\r\n\r\n",
                     sizeof two_docs - 1, two_docs);
    running_defaults(&r);
    running_start(&r);
    int fd = client_connect(&r);
    for (int round = 0; round < 3; round++) {
        static const char *const says[] = {"tagline", "items", "green"};
        assert_true(client_send(fd, text, (size_t)n));
        for (int i = 0; i < 3; i++) {
            assert_int_equal(client_response(fd, &json), 200);
            assert_non_null(strstr(json, says[i]));
            free(json);
        }
    }
    (void)close(fd);
    running_stop(&r);
    assert_int_equal(running_number(&r, "total", "docs"), 6);
    running_close(&r);
}

static void a_request_may_come_byte_by_byte(void **state)
{
    (void)state;
    struct running r;
    char text[512];
    int n =
        snprintf(text, sizeof text,
                 "POST /geo/_bulk HTTP/1.1\r\nContent-Length: %zu\r\n\r\n%s",
                 sizeof two_docs - 1, two_docs);
    running_defaults(&r);
    running_start(&r);
    int fd = client_connect(&r);
    for (int i = 0; i < n; i++)
        assert_true(client_send(fd, text + i, 1));
    assert_int_equal(client_response(fd, NULL), 200);
    (void)close(fd);
    running_stop(&r);
    assert_int_equal(running_number(&r, "total", "docs"), 2);
    running_close(&r);
}

/* Bodies of n documents; the caller's to free. */
static char *many_docs(size_t n, size_t *len)
{
    char *body = malloc(n * 64);
    size_t at = 0;
    assert_non_null(body);
    for (size_t i = 0; i < n; i++)
        at += (size_t)sprintf(
            body + at, "{\"index\":{\"_id\":\"%zu\"}}\n{\"n\":%zu}\n", i, i);
    *len = at;
    return body;
}

/* 40,000 items are an answer of 5.7 MB: more than the 4 MB that a send buffer
 * grows to, while nobody reads. */
static void a_long_answer_waits_for_a_slow_reader(void **state)
{
    (void)state;
    struct running r;
    size_t len;
    char *body = many_docs(40000, &len), *json = NULL;
    running_defaults(&r);
    r.calm = true;
    r.settings.heap_bytes = 64u << 20;
    running_start(&r);
    int fd = client_connect(&r);
    client_request(fd, "POST", "/geo/_bulk", body, len);
    client_request(fd, "GET", "/", "", 0); /* waits behind it */
    assert_int_equal(client_once(&r, "GET", "/", ""), 200);
    assert_int_equal(client_response(fd, &json), 200);
    size_t items = 0; /* not by strstr: sanitizers measure the rest each time */
    for (const char *at = json; *at; at++)
        items += *at == '2' && !strncmp(at, "201}}", 5);
    assert_int_equal(items, 40000);
    free(json);
    assert_int_equal(client_response(fd, NULL), 200);
    (void)close(fd);
    free(body);
    running_stop(&r);
    assert_int_equal(running_number(&r, "total", "docs"), 40000);
    running_close(&r);
}

/* The same documents whatever buffers they are read into. */
static void every_receive_setting_counts_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *predictor;
        uint32_t reads, max_components;
        bool copy;
    } settings[] = {{"fixed:64k", 1, 1024, false},
                    {"fixed:100", 1, 4, false},
                    {"fixed:1000", 16, 1024, true},
                    {"adaptive:64-64k", 16, 1024, false},
                    {"adaptive:1k-512k", 1, 2, true}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct running r;
        size_t len;
        char *body = many_docs(300, &len);
        struct why why = {0};
        running_defaults(&r);
        check_ok(
            settings_set(&r.settings, "predictor", settings[i].predictor, &why),
            why);
        r.settings.predictor.reads_per_wakeup = settings[i].reads;
        r.settings.max_components = settings[i].max_components;
        r.settings.body_copy = settings[i].copy;
        running_start(&r);
        int fd = client_connect(&r);
        bulk_ok(fd, body, len);
        bulk_ok(fd, body, len);
        (void)close(fd);
        free(body);
        running_stop(&r);
        assert_int_equal(running_number(&r, "total", "docs"), 600);
        assert_true(running_number(&r, "total", "read_bytes") > 2 * len);
        /* Nothing is live but the pages kept for answers. */
        assert_int_equal(running_number(&r, "heap", "live_bytes") % 16400, 0);
        running_close(&r);
    }
}

static void malformed_documents_are_counted_apart(void **state)
{
    (void)state;
    struct running r;
    static const char body[] = "{\"index\":{}}\n{\"a\":1}\n{\"index\":{}}\n{\n";
    char *json = NULL;
    running_defaults(&r);
    running_start(&r);
    int fd = client_connect(&r);
    client_request(fd, "POST", "/geo/_bulk", body, sizeof body - 1);
    assert_int_equal(client_response(fd, &json), 200);
    assert_non_null(strstr(json, "\"errors\":true"));
    assert_non_null(strstr(json, "mapper_parsing_exception"));
    free(json);
    client_request(fd, "POST", "/geo/_bulk", "x\n", 2);
    assert_int_equal(client_response(fd, NULL), 400);
    (void)close(fd);
    running_stop(&r);
    assert_int_equal(running_number(&r, "total", "docs"), 1);
    assert_int_equal(running_number(&r, "total", "docs_failed"), 1);
    assert_int_equal(running_number(&r, "total", "errors"), 1);
    running_close(&r);
}

static void chunked_and_expecting_clients_are_served(void **state)
{
    (void)state;
    struct running r;
    static const char chunked[] =
        "POST /geo/_bulk HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        "10\r\n{\"index\":{}}\n{\"a\r\n6\r\n\":\"b\"}\r\n1\r\n\n\r\n0\r\n\r\n";
    static const char expecting[] =
        "PUT /geo/_bulk HTTP/1.1\r\nExpect: 100-continue\r\n"
        "Content-Length: 16\r\n\r\n";
    running_defaults(&r);
    running_start(&r);
    int fd = client_connect(&r);
    assert_true(client_send(fd, chunked, sizeof chunked - 1));
    assert_int_equal(client_response(fd, NULL), 200);
    assert_true(client_send(fd, expecting, sizeof expecting - 1));
    assert_int_equal(client_response(fd, NULL), 100);
    assert_true(client_send(fd, "{\"index\":{}}\n{}\n", 16));
    assert_int_equal(client_response(fd, NULL), 200);
    (void)close(fd);
    running_stop(&r);
    assert_int_equal(running_number(&r, "total", "docs"), 2);
    running_close(&r);
}

/* Send text; the status of the answer, after which the peer closes. */
static unsigned last_answer(const struct running *r, const char *text)
{
    int fd = client_connect(r);
    assert_true(client_send(fd, text, strlen(text)));
    unsigned status = client_response(fd, NULL);
    assert_int_equal(client_response(fd, NULL), 0);
    (void)close(fd);
    return status;
}

static void what_cannot_be_understood_is_answered_and_closed(void **state)
{
    (void)state;
    struct running r;
    char line[5000];
    running_defaults(&r);
    running_start(&r);
    assert_int_equal(last_answer(&r, "nonsense\r\n\r\n"), 400);
    (void)snprintf(line, sizeof line, "GET /%04900d HTTP/1.1\r\n", 0);
    assert_int_equal(last_answer(&r, line), 400);
    assert_int_equal(last_answer(&r, "POST /_bulk HTTP/1.1\r\nContent-Length: "
                                     "104857601\r\n\r\n"),
                     413);
    assert_int_equal(last_answer(&r, "GET / HTTP/1.0\r\n\r\n"), 200);
    running_stop(&r);
    assert_int_equal(running_number(&r, "total", "errors"), 3);
    running_close(&r);
}

static void indices_are_created_and_deleted(void **state)
{
    (void)state;
    struct running r;
    running_defaults(&r);
    running_start(&r);
    assert_int_equal(client_once(&r, "HEAD", "/geo", ""), 404);
    assert_int_equal(client_once(&r, "PUT", "/geo", "{}"), 200);
    assert_int_equal(client_once(&r, "PUT", "/geo", "{}"), 400);
    assert_int_equal(client_once(&r, "PUT", "/GEO", "{}"), 400);
    assert_int_equal(client_once(&r, "HEAD", "/geo", ""), 200);
    assert_int_equal(client_once(&r, "POST", "/geo/_refresh", ""), 200);
    assert_int_equal(client_once(&r, "POST", "/_flush", ""), 200);
    assert_int_equal(client_once(&r, "POST", "/geo/_forcemerge", ""), 200);
    assert_int_equal(client_once(&r, "POST", "/other/_refresh", ""), 404);
    assert_int_equal(client_once(&r, "DELETE", "/geo", ""), 200);
    assert_int_equal(client_once(&r, "DELETE", "/geo", ""), 404);
    assert_int_equal(client_once(&r, "POST", "/made/_bulk", two_docs), 200);
    assert_int_equal(client_once(&r, "HEAD", "/made", ""), 200);
    assert_int_equal(client_once(&r, "GET", "/_stats", ""), 200);
    assert_int_equal(client_once(&r, "GET", "/_nodes/stats", ""), 200);
    assert_int_equal(client_once(&r, "POST", "/_nodes/stats", ""), 405);
    running_stop(&r);
    running_close(&r);
}

/* Requests to /_pitwall/ and their reads count nowhere; what the window saw is
 * apart from the totals. */
static void the_observer_leaves_no_trace(void **state)
{
    (void)state;
    struct running r;
    char *json = NULL, window[128];
    running_defaults(&r);
    running_start(&r);
    assert_int_equal(client_once(&r, "POST", "/geo/_bulk", two_docs), 200);
    uint64_t now_ns = clock_mono_ns();
    (void)snprintf(window, sizeof window, "{\"t0_ns\":%llu,\"t1_ns\":%llu}",
                   (unsigned long long)now_ns,
                   (unsigned long long)(now_ns + 3600 * NS_PER_S));
    int fd = client_connect(&r);
    client_request(fd, "POST", "/_pitwall/window", window, strlen(window));
    assert_int_equal(client_response(fd, NULL), 200);
    for (int i = 0; i < 5; i++) {
        client_request(fd, "GET", "/_pitwall/stats", "", 0);
        assert_int_equal(client_response(fd, &json), 200);
        assert_non_null(strstr(json, "{\"docs\":2,\"requests\":1,"));
        free(json);
    }
    (void)close(fd);
    assert_int_equal(client_once(&r, "POST", "/geo/_bulk", two_docs), 200);
    running_stop(&r);
    assert_int_equal(running_number(&r, "total", "docs"), 4);
    assert_int_equal(running_number(&r, "total", "requests"), 2);
    assert_int_equal(running_number(&r, "total", "connections"), 3);
    assert_int_equal(running_number(&r, "window", "docs"), 2);
    assert_int_equal(running_number(&r, "window", "requests"), 1);
    assert_true(jv_bool(jv_get(r.record, "partial"), false)); /* cut short */
    running_close(&r);
}

static void a_window_must_be_well_formed(void **state)
{
    (void)state;
    struct running r;
    running_defaults(&r);
    running_start(&r);
    static const char *const bad[] = {"",
                                      "{}",
                                      "x",
                                      "{\"t0_ns\":1}",
                                      "{\"t0_ns\":1,\"t1_ns\":2}",
                                      "{\"t0_ns\":1,\"t1_ns\":2,\"t2_ns\":3}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(client_once(&r, "POST", "/_pitwall/window", bad[i]),
                         400);
    running_stop(&r);
    assert_false(jv_bool(jv_get(r.record, "partial"), true));
    running_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_on_one_connection_are_answered_in_turn),
        cmocka_unit_test(pipelined_requests_are_answered_in_order),
        cmocka_unit_test(a_request_may_come_byte_by_byte),
        cmocka_unit_test(a_long_answer_waits_for_a_slow_reader),
        cmocka_unit_test(every_receive_setting_counts_the_same),
        cmocka_unit_test(malformed_documents_are_counted_apart),
        cmocka_unit_test(chunked_and_expecting_clients_are_served),
        cmocka_unit_test(what_cannot_be_understood_is_answered_and_closed),
        cmocka_unit_test(indices_are_created_and_deleted),
        cmocka_unit_test(the_observer_leaves_no_trace),
        cmocka_unit_test(a_window_must_be_well_formed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
