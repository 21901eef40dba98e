/* An engine against a server that does everything a server can do wrong: one
 * answer event for each request, and the right one, the same of both. */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "load/engine.h"
#include "tests/lib/check.h"
#include "tests/unit/load/server.h"

#define WAIT_NS (5 * NS_PER_S)

static const struct engine_ops *ops; /* under test */

struct seen {
    unsigned n_answers;
    struct engine_answer last;
    char body[4096];
    size_t body_len;
    unsigned status;
};

static void on_head(void *ctx, uint32_t lane, unsigned status)
{
    struct seen *seen = ctx;
    assert_int_equal(lane, 0);
    seen->status = status;
    seen->body_len = 0;
}

static void on_body(void *ctx, uint32_t lane, const char *data, size_t len)
{
    struct seen *seen = ctx;
    assert_int_equal(lane, 0);
    assert_true(seen->body_len + len < sizeof seen->body);
    memcpy(seen->body + seen->body_len, data, len);
    seen->body_len += len;
    seen->body[seen->body_len] = 0;
}

static void on_answer(void *ctx, uint32_t lane, const struct engine_answer *a)
{
    struct seen *seen = ctx;
    assert_int_equal(lane, 0);
    seen->n_answers++;
    seen->last = *a;
}

static const struct engine_events events = {
    .head = on_head, .body = on_body, .answer = on_answer};

/* An engine of one lane, connected to a server that follows script. */
struct rig {
    struct server *server;
    struct address address;
    struct engine *engine;
    struct seen seen;
};

static void rig_open(struct rig *r, const char *url,
                     uint32_t requests_per_connection)
{
    struct why why = {0};
    check_ok(address_parse(&r->address, url, true, &why), why);
    const struct engine_config config = {.address = &r->address,
                                         .n_lanes = 1,
                                         .requests_per_connection =
                                             requests_per_connection,
                                         .events = &events,
                                         .ctx = &r->seen};
    check_ok(ops->open(&r->engine, &config, &why), why);
    check_ok(ops->connect(r->engine, 0, &why), why);
}

static void rig_init(struct rig *r, server_script *script,
                     uint32_t requests_per_connection)
{
    memset(r, 0, sizeof *r);
    r->server = server_start(script);
    rig_open(r, server_url(r->server), requests_per_connection);
}

static void rig_fini(struct rig *r)
{
    ops->close(r->engine);
    server_stop(r->server);
}

static const char head[] = "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 4"
                           "\r\n\r\n";
static const struct engine_request small = {.head = head,
                                            .head_bytes = sizeof head - 1,
                                            .body = "abcd",
                                            .body_bytes = 4};

static void pause_ms(long ms)
{
    const struct timespec wait = {.tv_nsec = ms * 1000000};
    (void)nanosleep(&wait, NULL);
}

/* Submit; never is the answer told from within. */
static void submit(struct rig *r, const struct engine_request *request)
{
    unsigned before = r->seen.n_answers;
    ops->submit(r->engine, 0, request);
    assert_int_equal(r->seen.n_answers, before);
}

/* Wait for the one answer. */
static const struct engine_answer *wait_answer(struct rig *r)
{
    unsigned before = r->seen.n_answers;
    uint64_t now_ns = clock_mono_ns(), due_ns = now_ns + WAIT_NS;
    while (r->seen.n_answers == before && now_ns < due_ns) {
        (void)ops->wait(r->engine, now_ns, due_ns);
        now_ns = clock_mono_ns();
    }
    assert_int_equal(r->seen.n_answers, before + 1);
    return &r->seen.last;
}

static const struct engine_answer *ask(struct rig *r,
                                       const struct engine_request *request)
{
    submit(r, request);
    return wait_answer(r);
}

static void answers(struct rig *r, unsigned status, const char *body)
{
    const struct engine_answer *a = ask(r, &small);
    assert_int_equal(a->outcome, ENGINE_ANSWERED);
    assert_int_equal(a->status, status);
    assert_int_equal(r->seen.status, status);
    assert_int_equal(a->sent_bytes, small.head_bytes + 4);
    assert_int_equal(a->received_bytes, strlen(body));
    assert_string_equal(r->seen.body, body);
    assert_true(a->sent_ns && a->sent_ns <= a->done_ns);
}

static void loses(struct rig *r, const char *text)
{
    const struct engine_answer *a = ask(r, &small);
    assert_int_equal(a->outcome, ENGINE_LOST);
    assert_string_equal(a->text, text);
    assert_true(a->sent_bytes > 0);
}

static struct server_reply keeps(unsigned n)
{
    static const struct server_reply replies[] = {
        {SERVER_ANSWER, 200, "one"},
        {SERVER_CHUNKED, 201, "two in several chunks"},
        {SERVER_SLOW, 500, "three, slowly"},
        {SERVER_ANSWER, 429, "four"}};
    return replies[n % 4];
}

static void engine_keeps_a_connection_as_long_as_it_may(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, keeps, 0);
    answers(&r, 200, "one");
    answers(&r, 201, "two in several chunks");
    answers(&r, 500, "three, slowly");
    answers(&r, 429, "four");
    assert_int_equal(server_connections(r.server), 1);
    assert_int_equal(ops->stats(r.engine, 0).connects, 1);
    assert_int_equal(ops->stats(r.engine, 0).connects_lost, 0);
    rig_fini(&r);
}

static struct server_reply closes(unsigned n)
{
    static const struct server_reply replies[] = {
        {SERVER_CLOSE, 200, "bye"},
        {SERVER_NO_LENGTH, 200, "until the end"},
        {SERVER_HANG_UP, 200, "without a word"}};
    return replies[n % 3];
}

static void engine_connects_again_after_an_orderly_end(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, closes, 0);
    for (int i = 0; i < 3; i++) {
        answers(&r, 200, "bye");
        answers(&r, 200, "until the end");
        answers(&r, 200, "without a word");
        /* its end may come after the answer: let it be seen, so that the next
         * request does not run into it */
        pause_ms(20);
        (void)ops->wait(r.engine, 0, 0);
    }
    struct engine_stats s = ops->stats(r.engine, 0);
    assert_int_equal(s.connects, 9);
    assert_int_equal(s.connects_lost, 0);
    assert_int_equal(s.retried, 0);
    assert_int_equal(server_requests(r.server), 9);
    rig_fini(&r);
}

/* Which the test accepts by itself: the first connection is closed before
 * anything was sent on it. */
static void
engine_connects_again_when_its_first_connection_was_closed(void **state)
{
    (void)state;
    struct rig r;
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    char url[64];
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    const struct timeval patience = {.tv_sec = 5}; /* of accept */
    assert_false(setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &patience,
                            sizeof patience) ||
                 bind(listener, (struct sockaddr *)&at, len) ||
                 listen(listener, 8) ||
                 getsockname(listener, (struct sockaddr *)&at, &len));
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%u",
                   (unsigned)ntohs(at.sin_port));
    memset(&r, 0, sizeof r);
    rig_open(&r, url, 0);
    (void)close(accept(listener, NULL, NULL));
    (void)ops->wait(r.engine, 0, 20 * NS_PER_MS);
    submit(&r, &small);
    for (int i = 0; i < 4; i++)
        (void)ops->wait(r.engine, 0, 0);
    static const char answer[] =
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    int fd = accept(listener, NULL, NULL);
    assert_true(fd >= 0);
    assert_int_equal(send(fd, answer, sizeof answer - 1, 0), sizeof answer - 1);
    assert_int_equal(wait_answer(&r)->outcome, ENGINE_ANSWERED);
    assert_int_equal(ops->stats(r.engine, 0).connects, 2);
    ops->close(r.engine);
    (void)close(fd);
    (void)close(listener);
}

static struct server_reply breaks(unsigned n)
{
    static const struct server_reply replies[] = {
        {SERVER_HALF, 200, "only half of this"},
        {SERVER_DROP, 0, NULL},
        {SERVER_GARBAGE, 0, NULL},
        {SERVER_ANSWER, 200, "well again"}};
    return replies[n % 4];
}

static void engine_says_lost_when_the_answer_never_came(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, breaks, 0);
    for (int i = 0; i < 2; i++) {
        loses(&r, "connection closed before the answer");
        loses(&r, "connection closed before the answer");
        loses(&r, "the answer is not HTTP/1.1");
        answers(&r, 200, "well again");
    }
    struct engine_stats s = ops->stats(r.engine, 0);
    assert_int_equal(s.connects_lost, 4); /* garbage is not the peer's close */
    assert_int_equal(s.connects, 7);
    /* nothing was sent twice */
    assert_int_equal(server_requests(r.server), 8);
    rig_fini(&r);
}

static struct server_reply more(unsigned n)
{
    (void)n;
    return (struct server_reply){SERVER_MORE, 200, "and"};
}

static void engine_drops_bytes_that_nobody_asked_for(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, more, 0);
    for (int i = 0; i < 5; i++)
        answers(&r, 200, "and");
    assert_int_equal(server_requests(r.server), 5);
    rig_fini(&r);
}

static struct server_reply large(unsigned n)
{
    static const struct server_reply replies[] = {
        {SERVER_HELD, 200, "all of it"},
        {SERVER_EARLY, 413, "too much"},
        {SERVER_RESET, 0, NULL},
        {SERVER_ANSWER, 200, "all of it"}};
    return replies[n % 4];
}

static void engine_sends_large_bodies_piece_by_piece(void **state)
{
    (void)state;
    struct rig r;
    size_t size = 40 << 20; /* more than any socket buffers */
    char big_head[128], *body = calloc(1, size);
    int n = snprintf(big_head, sizeof big_head,
                     "POST / HTTP/1.1\r\nContent-Length: %zu\r\n\r\n", size);
    const struct engine_request request = {.head = big_head,
                                           .head_bytes = (size_t)n,
                                           .body = body,
                                           .body_bytes = size};
    rig_init(&r, large, 0);
    submit(&r, &request);
    uint64_t now_ns = clock_mono_ns();
    (void)ops->wait(r.engine, now_ns, now_ns);
    /* nobody reads: it waits, and that is counted while it lasts */
    assert_true(ops->stats(r.engine, UINT64_MAX).send_blocked_ns > 0);
    server_release(r.server);
    const struct engine_answer *a = wait_answer(&r);
    assert_int_equal(a->outcome, ENGINE_ANSWERED);
    assert_int_equal(a->sent_bytes, size + (size_t)n);
    uint64_t blocked_ns = ops->stats(r.engine, 0).send_blocked_ns;
    assert_true(blocked_ns > 0);
    assert_int_equal(ops->stats(r.engine, UINT64_MAX).send_blocked_ns,
                     blocked_ns);
    /* the server may answer before it has read all, or give up: then the rest
     * is not sent, and the next request is not confused by it */
    a = ask(&r, &request);
    assert_true(a->sent_bytes < size);
    if (a->outcome == ENGINE_ANSWERED)
        assert_int_equal(a->status, 413);
    else /* the reset overtook the answer */
        assert_int_equal(a->outcome, ENGINE_LOST);
    a = ask(&r, &request);
    assert_int_equal(a->outcome, ENGINE_LOST);
    assert_true(a->sent_bytes < size);
    a = ask(&r, &request);
    assert_int_equal(a->outcome, ENGINE_ANSWERED);
    assert_int_equal(server_requests(r.server), 4);
    rig_fini(&r);
    free(body);
}

static void engine_opens_a_new_connection_every_n_requests(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, keeps, 2);
    for (int i = 0; i < 3; i++) {
        answers(&r, 200, "one");
        answers(&r, 201, "two in several chunks");
        answers(&r, 500, "three, slowly");
        answers(&r, 429, "four");
    }
    assert_int_equal(server_connections(r.server), 6);
    assert_int_equal(ops->stats(r.engine, 0).connects, 6);
    rig_fini(&r);
}

static struct server_reply no_body(unsigned n)
{
    (void)n;
    return (struct server_reply){SERVER_ANSWER, 204, NULL};
}

static void engine_expects_no_body_of_a_head_request(void **state)
{
    (void)state;
    static const char text[] = "HEAD / HTTP/1.1\r\n\r\n";
    const struct engine_request request = {
        .head = text, .head_bytes = sizeof text - 1, .expects_no_body = true};
    struct rig r;
    rig_init(&r, no_body, 1); /* also on a connection made for it */
    for (int i = 0; i < 4; i++)
        assert_int_equal(ask(&r, &request)->status, 204);
    rig_fini(&r);
}

static struct server_reply stalls(unsigned n)
{
    return (struct server_reply){n ? SERVER_ANSWER : SERVER_STALL, 200, "ok"};
}

static void engine_cancel_ends_a_request_at_once(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, stalls, 0);
    ops->cancel(r.engine, 0, "nothing there");
    assert_int_equal(r.seen.n_answers, 0);
    ops->submit(r.engine, 0, &small);
    (void)ops->wait(r.engine, 0, 0);
    assert_int_equal(r.seen.n_answers, 0);
    while (!server_requests(r.server))
        pause_ms(1);
    ops->cancel(r.engine, 0, "enough");
    assert_int_equal(r.seen.n_answers, 1);
    assert_int_equal(r.seen.last.outcome, ENGINE_LOST);
    assert_string_equal(r.seen.last.text, "enough");
    answers(&r, 200, "ok"); /* on a new connection */
    assert_int_equal(server_connections(r.server), 2);
    rig_fini(&r);
}

static void engine_says_unsent_when_nobody_listens(void **state)
{
    (void)state;
    struct rig r;
    struct server *other;
    struct why why = {0};
    rig_init(&r, closes, 0);
    answers(&r, 200, "bye"); /* closed */
    other = r.server;
    server_stop(other);
    const struct engine_answer *a = ask(&r, &small);
    assert_int_equal(a->outcome, ENGINE_UNSENT);
    assert_int_equal(a->sent_bytes, 0);
    assert_string_equal(a->text, "Connection refused");
    check_err(ops->connect(r.engine, 0, &why), ERR_REFUSED);
    check_says(why, "connect 127.0.0.1:");
    check_says(why, "Connection refused");
    ops->close(r.engine);
}

static struct server_reply kills(unsigned n)
{
    return (struct server_reply){n % 2 ? SERVER_ANSWER : SERVER_KILL, 200,
                                 "one"};
}

static void engine_sends_again_only_what_was_not_sent_at_all(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, kills, 0);
    for (int i = 0; i < 3; i++) {
        answers(&r, 200, "one");
        pause_ms(250);           /* it is reset, and the engine knows not */
        answers(&r, 200, "one"); /* refused at the first byte: a new one */
    }
    struct engine_stats s = ops->stats(r.engine, 0);
    assert_int_equal(s.retried, 0);
    assert_int_equal(s.connects_lost, 0);
    assert_int_equal(s.connects, 4);
    assert_int_equal(server_requests(r.server), 6);
    rig_fini(&r);
}

static void engine_names_a_congestion_control_that_is_not_there(void **state)
{
    (void)state;
    struct rig r;
    struct engine *engine;
    struct why why = {0};
    rig_init(&r, keeps, 0);
    struct engine_config config = {.address = &r.address,
                                   .congestion = "nosuch",
                                   .n_lanes = 1,
                                   .events = &events,
                                   .ctx = &r.seen};
    check_ok(ops->open(&engine, &config, &why), why);
    check_err(ops->connect(engine, 0, &why), ERR_INVALID);
    check_says(why, "congestion control \"nosuch\" is not available here");
    ops->close(engine);
    config.congestion = "reno"; /* always allowed */
    check_ok(ops->open(&engine, &config, &why), why);
    check_ok(ops->connect(engine, 0, &why), why);
    ops->close(engine);
    rig_fini(&r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_keeps_a_connection_as_long_as_it_may),
        cmocka_unit_test(engine_connects_again_after_an_orderly_end),
        cmocka_unit_test(
            engine_connects_again_when_its_first_connection_was_closed),
        cmocka_unit_test(engine_says_lost_when_the_answer_never_came),
        cmocka_unit_test(engine_drops_bytes_that_nobody_asked_for),
        cmocka_unit_test(engine_sends_large_bodies_piece_by_piece),
        cmocka_unit_test(engine_opens_a_new_connection_every_n_requests),
        cmocka_unit_test(engine_expects_no_body_of_a_head_request),
        cmocka_unit_test(engine_cancel_ends_a_request_at_once),
        cmocka_unit_test(engine_says_unsent_when_nobody_listens),
        cmocka_unit_test(engine_sends_again_only_what_was_not_sent_at_all),
        cmocka_unit_test(engine_names_a_congestion_control_that_is_not_there)};
    if (argc != 2)
        return 2;
    ops = strcmp(argv[1], "curl") ? &engine_raw : &engine_curl;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
