/* The server at its limits: queue, heap, port, stop. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "target/server.h"
#include "tests/lib/check.h"
#include "tests/unit/target/client.h"

static const char one_doc[] = "{\"index\":{}}\n{\"a\":1}\n";

/* One bulk thread and one place in its queue: the third request is refused,
 * and the first two are answered when the thread goes on. */
static void a_full_bulk_queue_is_answered_with_429(void **state)
{
    (void)state;
    struct running r;
    char *json = NULL;
    running_defaults(&r);
    r.settings.bulk_threads = r.settings.bulk_queue = 1;
    running_start(&r);
    gate_close(&r);
    int first = client_connect(&r), second = client_connect(&r),
        third = client_connect(&r);
    client_request(first, "POST", "/geo/_bulk", one_doc, sizeof one_doc - 1);
    gate_wait(&r, 1);
    client_request(second, "POST", "/geo/_bulk", one_doc, sizeof one_doc - 1);
    /* The second is queued once node statistics say so. */
    int fd = client_connect(&r);
    do {
        free(json);
        client_request(fd, "GET", "/_nodes/stats", "", 0);
        assert_int_equal(client_response(fd, &json), 200);
    } while (!strstr(json, "\"queue\":1"));
    free(json);
    (void)close(fd);
    client_request(third, "POST", "/geo/_bulk", one_doc, sizeof one_doc - 1);
    assert_int_equal(client_response(third, &json), 429);
    assert_non_null(strstr(json, "es_rejected_execution_exception"));
    assert_non_null(strstr(json, "queue capacity = 1, pool size = 1"));
    free(json);
    gate_open(&r);
    assert_int_equal(client_response(first, NULL), 200);
    assert_int_equal(client_response(second, NULL), 200);
    /* The refused connection goes on as well. */
    client_request(third, "POST", "/geo/_bulk", one_doc, sizeof one_doc - 1);
    assert_int_equal(client_response(third, NULL), 200);
    (void)close(first);
    (void)close(second);
    (void)close(third);
    running_stop(&r);
    assert_int_equal(running_number(&r, "total", "docs"), 3);
    assert_int_equal(running_number(&r, "total", "rejected"), 1);
    assert_int_equal(running_number(&r, "total", "errors"), 0);
    running_close(&r);
}

/* A heap of 2 MiB cannot hold a body of 3 MiB: the process would end with
 * what it has counted, marked. */
static void a_body_beyond_the_heap_ends_the_target(void **state)
{
    (void)state;
    struct running r;
    size_t len = 3u << 20;
    char *body = malloc(len);
    assert_non_null(body);
    memset(body, 'x', len);
    running_defaults(&r);
    r.settings.heap_bytes = 2u << 20;
    running_start(&r);
    assert_int_equal(client_once(&r, "POST", "/geo/_bulk", one_doc), 200);
    int fd = client_connect(&r);
    char head[128];
    int n = snprintf(head, sizeof head,
                     "POST /geo/_bulk HTTP/1.1\r\nContent-Length: %zu\r\n\r\n",
                     len);
    assert_true(client_send(fd, head, (size_t)n));
    (void)client_send(fd, body, len); /* may be cut */
    running_wait(&r);
    assert_int_equal(r.outcome, ERR_OOM);
    assert_string_equal(jv_text(jv_get(r.record, "outcome"), ""), "oom");
    assert_true(jv_bool(jv_get(r.record, "partial"), false));
    assert_int_equal(running_number(&r, "total", "docs"), 1);
    assert_true(running_number(&r, "heap", "oom_count") >= 1);
    (void)close(fd);
    free(body);
    running_close(&r);
}

/* Bodies that leave less and less room for what follows: each run is answered
 * or ends out of memory, wherever that strikes, and everything is freed. */
static void out_of_memory_may_strike_anywhere(void **state)
{
    (void)state;
    unsigned answered = 0, ended = 0;
    size_t most = 3u << 20;
    char *body = malloc(most);
    assert_non_null(body);
    for (size_t i = 0; i < 16; i++) {
        struct running r;
        size_t len = 1000000 + i * 80000;
        memset(body, ' ', len);
        for (size_t at = 0; at < len; at += 1000) {
            memcpy(body + at, "{\"index\":{}}\n{\"a\":1", 19);
            memcpy(body + at + 998, "}\n", 2);
        }
        running_defaults(&r);
        r.calm = i % 4 != 0; /* stress takes its time */
        r.settings.heap_bytes = 2u << 20;
        r.settings.predictor.min = r.settings.predictor.initial =
            r.settings.predictor.max = 4096;
        r.settings.max_components = 4096;
        running_start(&r);
        int fd = client_connect(&r);
        char head[128];
        int n = snprintf(
            head, sizeof head,
            "POST /geo/_bulk HTTP/1.1\r\nContent-Length: %zu\r\n\r\n", len);
        assert_true(client_send(fd, head, (size_t)n));
        (void)client_send(fd, body, len);
        if (client_response(fd, NULL) == 200) {
            answered++;
            running_stop(&r);
        } else {
            ended++;
            running_wait(&r);
            assert_int_equal(r.outcome, ERR_OOM);
        }
        (void)close(fd);
        running_close(&r);
    }
    free(body);
    assert_int_equal(answered + ended, 16);
    assert_true(answered > 0);
    assert_true(ended > 0);
}

static void a_port_in_use_is_one_clear_line(void **state)
{
    (void)state;
    struct running r;
    struct settings settings;
    struct server *other = NULL;
    struct why why = {0};
    char want[64];
    running_defaults(&r);
    running_start(&r);
    settings = r.settings;
    settings.port = server_port(r.server);
    check_err(server_open(&other, &settings, NULL, &why), ERR_BUSY);
    assert_null(other);
    (void)snprintf(want, sizeof want, "--listen 127.0.0.1:%u: address in use",
                   settings.port);
    assert_string_equal(why.text, want);
    (void)snprintf(settings.host, sizeof settings.host, "localhost");
    check_err(server_open(&other, &settings, NULL, &why), ERR_USAGE);
    check_says(why, "--listen \"localhost\": accepted are numeric addresses");
    running_stop(&r);
    running_close(&r);
}

static void a_server_that_never_served_is_freed(void **state)
{
    (void)state;
    struct running r;
    struct why why = {0};
    running_defaults(&r);
    check_ok(server_open(&r.server, &r.settings, NULL, &why), why);
    char want[64];
    (void)snprintf(want, sizeof want, "http://127.0.0.1:%u",
                   server_port(r.server));
    assert_string_equal(server_url(r.server), want);
    server_close(r.server);
    server_close(NULL);
}

/* A request in the bulk threads and one whose body is under way are both
 * finished; their connections are told that they close. */
static void stopping_finishes_what_has_begun(void **state)
{
    (void)state;
    struct running r;
    running_defaults(&r);
    running_start(&r);
    gate_close(&r);
    int busy = client_connect(&r), idle = client_connect(&r);
    client_request(idle, "GET", "/", "", 0);
    assert_int_equal(client_response(idle, NULL), 200);
    client_request(busy, "POST", "/geo/_bulk", one_doc, sizeof one_doc - 1);
    gate_wait(&r, 1);
    assert_int_equal(write(r.stop_pipe[1], "x", 1), 1);
    /* The idle connection is closed at once. */
    assert_int_equal(client_response(idle, NULL), 0);
    gate_open(&r);
    assert_int_equal(client_response(busy, NULL), 200);
    assert_int_equal(client_response(busy, NULL), 0);
    running_wait(&r);
    assert_int_equal(r.outcome, ERR_OK);
    assert_int_equal(running_number(&r, "total", "docs"), 1);
    (void)close(busy);
    (void)close(idle);
    running_close(&r);
}

/* The peer resets while its request is with the bulk threads: the documents
 * were accepted, but nobody was told. */
static void an_answer_that_nobody_takes_is_lost(void **state)
{
    (void)state;
    struct running r;
    running_defaults(&r);
    running_start(&r);
    gate_close(&r);
    int fd = client_connect(&r);
    client_request(fd, "POST", "/geo/_bulk", one_doc, sizeof one_doc - 1);
    gate_wait(&r, 1);
    struct linger reset = {.l_onoff = 1};
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    (void)close(fd);
    /* Another connection of the same worker proves that it saw the reset. */
    for (int i = 0; i < 4; i++)
        assert_int_equal(client_once(&r, "GET", "/", ""), 200);
    gate_open(&r);
    running_stop(&r);
    assert_int_equal(running_number(&r, "total", "docs"), 0);
    assert_int_equal(running_number(&r, "total", "docs_lost"), 1);
    running_close(&r);
}

static void static_mode_answers_everything_alike(void **state)
{
    (void)state;
    struct running r;
    size_t len = 300000;
    char *body = malloc(len), *got = NULL;
    assert_non_null(body);
    memset(body, 'x', len);
    running_defaults(&r);
    r.settings.mode = SETTINGS_STATIC;
    r.settings.static_bytes = 1000;
    running_start(&r);
    int fd = client_connect(&r);
    client_request(fd, "POST", "/any/_bulk", body, len);
    assert_int_equal(client_response(fd, &got), 200);
    assert_int_equal(strlen(got), 1000);
    free(got);
    client_request(fd, "DELETE", "/what/ever/this/is", "", 0);
    assert_int_equal(client_response(fd, &got), 200);
    free(got);
    /* The observer is served as ever. */
    client_request(fd, "GET", "/_pitwall/stats", "", 0);
    assert_int_equal(client_response(fd, &got), 200);
    assert_non_null(strstr(got, "\"requests\":2"));
    free(got);
    client_request(fd, "POST", "/_pitwall/window",
                   "{\"t0_ns\":0,\"t1_ns\":18446744073709551614}", 40);
    assert_int_equal(client_response(fd, NULL), 200);
    (void)close(fd);
    free(body);
    running_stop(&r);
    assert_int_equal(running_number(&r, "total", "docs"), 0);
    assert_int_equal(running_number(&r, "total", "body_bytes"), len);
    running_close(&r);
}

/* 50 pipelined requests, each answered with 1 MB to a reader who starts late:
 * the rest of the input has to be kept. */
static void static_mode_keeps_pipelined_requests(void **state)
{
    (void)state;
    struct running r;
    char text[50 * 32];
    int n = 0;
    running_defaults(&r);
    r.settings.mode = SETTINGS_STATIC;
    r.settings.static_bytes = 1000000;
    r.settings.threads = 1;
    running_start(&r);
    for (int i = 0; i < 50; i++)
        n += sprintf(text + n, "GET / HTTP/1.1\r\n\r\n");
    int fd = client_connect(&r);
    assert_true(client_send(fd, text, (size_t)n));
    assert_int_equal(client_once(&r, "GET", "/", ""), 200);
    for (int i = 0; i < 50; i++) {
        char *got = NULL;
        assert_int_equal(client_response(fd, &got), 200);
        assert_int_equal(strlen(got), 1000000);
        free(got);
    }
    (void)close(fd);
    running_stop(&r);
    assert_int_equal(running_number(&r, "total", "requests"), 51);
    running_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_bulk_queue_is_answered_with_429),
        cmocka_unit_test(a_body_beyond_the_heap_ends_the_target),
        cmocka_unit_test(out_of_memory_may_strike_anywhere),
        cmocka_unit_test(a_port_in_use_is_one_clear_line),
        cmocka_unit_test(a_server_that_never_served_is_freed),
        cmocka_unit_test(stopping_finishes_what_has_begun),
        cmocka_unit_test(an_answer_that_nobody_takes_is_lost),
        cmocka_unit_test(static_mode_answers_everything_alike),
        cmocka_unit_test(static_mode_keeps_pipelined_requests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
