#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/watch/poll.h"
#include "agent/watch/sockets.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/server.h"

static struct poll *open_poll(const char *url)
{
    struct poll *p = NULL;
    struct why why = {0};
    check_ok(poll_open(&p, url, &why), why);
    return p;
}

/* Drive the exchange to its end, which curl's own timeout bounds. */
static enum err finish(struct poll *p, long *status, const char **body,
                       size_t *len, struct why *why)
{
    enum err e;
    while ((e = poll_end(p, status, body, len, why)) == ERR_AGAIN)
        poll_wait(p, -1, 1000);
    return e;
}

static void poll_gets_status_and_body(void **state)
{
    (void)state;
    struct server *server = server_start(&(struct server_script){0});
    struct poll *p = open_poll(server_url(server));
    struct why why = {0};
    long status = 0;
    const char *body = NULL;
    size_t len = 0;
    check_ok(poll_begin(p, "/", NULL, 2000, &why), why);
    check_err(poll_begin(p, "/", NULL, 2000, &why), ERR_BUSY);
    check_ok(finish(p, &status, &body, &len, &why), why);
    assert_int_equal(status, 200);
    assert_int_equal(len, 2);
    assert_memory_equal(body, "ok", 2);
    check_err(poll_end(p, &status, &body, &len, &why), ERR_AGAIN);
    poll_close(p);
    server_stop(server);
}

static void poll_posts_a_body_on_the_same_connection(void **state)
{
    (void)state;
    struct server *server = server_start(&(struct server_script){0});
    struct poll *p = open_poll(server_url(server));
    struct why why = {0};
    long status = 0;
    const char *body = NULL;
    char sent[64];
    size_t len = 0;
    assert_int_equal(poll_local_port(p), 0);
    check_ok(poll_begin(p, "/", NULL, 2000, &why), why);
    check_ok(finish(p, &status, &body, &len, &why), why);
    uint16_t port = poll_local_port(p);
    assert_true(port > 0);
    check_ok(poll_begin(p, "/_pitwall/window", "{\"t0_ns\":1}", 2000, &why),
             why);
    check_ok(finish(p, &status, &body, &len, &why), why);
    assert_int_equal(status, 200);
    assert_true(server_body(server, sent, sizeof sent));
    assert_string_equal(sent, "{\"t0_ns\":1}");
    assert_int_equal(poll_local_port(p), port);
    /* And a GET is a GET again. */
    check_ok(poll_begin(p, "/", NULL, 2000, &why), why);
    check_ok(finish(p, &status, &body, &len, &why), why);
    assert_int_equal(server_count(server, "GET / "), 2);
    poll_close(p);
    server_stop(server);
}

static void poll_marks_its_connection(void **state)
{
    (void)state;
    struct server *server = server_start(&(struct server_script){0});
    struct poll *p = open_poll(server_url(server));
    struct sockets s;
    struct tcpinfo_reader *reader = NULL;
    struct record_sample_tcp r = {0};
    struct why why = {0};
    long status = 0;
    const char *body = NULL;
    size_t len = 0;
    check_ok(poll_begin(p, "/", NULL, 2000, &why), why);
    check_ok(finish(p, &status, &body, &len, &why), why);
    check_ok(sockets_init(&s, &why), why);
    check_ok(tcpinfo_open(&reader, &why), why);
    struct tcpinfo_filter load = {.remote_port = server_port(server)};
    const struct tcpinfo_visitor visitor = {sockets_add, &s};
    sockets_begin(&s);
    check_ok(tcpinfo_each(reader, &load, &visitor, &why), why);
    sockets_end(&s);
    sockets_take(&s, &r);
    assert_int_equal(r.sockets, 0); /* it is no load */
    tcpinfo_close(reader);
    sockets_fini(&s);
    poll_close(p);
    server_stop(server);
}

static void poll_says_that_nobody_listens(void **state)
{
    (void)state;
    struct server *server = server_start(&(struct server_script){0});
    char url[64];
    (void)snprintf(url, sizeof url, "%s", server_url(server));
    server_stop(server); /* its port is free again */
    struct poll *p = open_poll(url);
    struct why why = {0};
    long status = 0;
    const char *body = NULL;
    size_t len = 0;
    check_ok(poll_begin(p, "/", NULL, 2000, &why), why);
    check_err(finish(p, &status, &body, &len, &why), ERR_REFUSED);
    check_says(why, url);
    poll_close(p);
}

static void poll_gives_up_on_a_silent_server(void **state)
{
    (void)state;
    struct server *server =
        server_start(&(struct server_script){.silent = true});
    struct poll *p = open_poll(server_url(server));
    struct why why = {0};
    long status = 0;
    const char *body = NULL;
    size_t len = 0;
    check_ok(poll_begin(p, "/", NULL, 50, &why), why);
    check_err(finish(p, &status, &body, &len, &why), ERR_TIMEOUT);
    /* The next may begin. */
    check_ok(poll_begin(p, "/", NULL, 50, &why), why);
    poll_close(p); /* with one under way */
    server_stop(server);
}

static void poll_refuses_an_answer_that_is_too_long(void **state)
{
    (void)state;
    char *large = malloc(POLL_BODY_MAX + 2);
    assert_non_null(large);
    memset(large, 'x', POLL_BODY_MAX + 1);
    large[POLL_BODY_MAX + 1] = '\0';
    struct server *server =
        server_start(&(struct server_script){.body = large});
    struct poll *p = open_poll(server_url(server));
    struct why why = {0};
    long status = 0;
    const char *body = NULL;
    size_t len = 0;
    check_ok(poll_begin(p, "/", NULL, 5000, &why), why);
    check_err(finish(p, &status, &body, &len, &why), ERR_RANGE);
    check_says(why, "more than 262144 bytes");
    poll_close(p);
    server_stop(server);
    free(large);
}

static void poll_takes_no_other_scheme(void **state)
{
    (void)state;
    struct poll *p = open_poll("file:///etc");
    struct why why = {0};
    long status = 0;
    const char *body = NULL;
    size_t len = 0;
    check_ok(poll_begin(p, "/passwd", NULL, 1000, &why), why);
    check_err(finish(p, &status, &body, &len, &why), ERR_PROTOCOL);
    poll_close(p);
}

static void poll_refuses_a_url_that_is_too_long(void **state)
{
    (void)state;
    char url[400];
    struct poll *p = NULL;
    struct why why = {0};
    memset(url, 'x', sizeof url - 1);
    url[sizeof url - 1] = '\0';
    check_err(poll_open(&p, url, &why), ERR_USAGE);
    assert_null(p);
}

static void poll_waits_for_the_other_descriptor_too(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    struct poll *p = open_poll("http://127.0.0.1:1");
    /* Either would hang for ever, and the test with it, if the byte were not
     * seen. */
    poll_wait(NULL, fds[0], -1);
    poll_wait(p, fds[0], INT_MAX);
    poll_close(p);
    (void)close(fds[0]);
    (void)close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poll_gets_status_and_body),
        cmocka_unit_test(poll_posts_a_body_on_the_same_connection),
        cmocka_unit_test(poll_marks_its_connection),
        cmocka_unit_test(poll_says_that_nobody_listens),
        cmocka_unit_test(poll_gives_up_on_a_silent_server),
        cmocka_unit_test(poll_refuses_an_answer_that_is_too_long),
        cmocka_unit_test(poll_takes_no_other_scheme),
        cmocka_unit_test(poll_refuses_a_url_that_is_too_long),
        cmocka_unit_test(poll_waits_for_the_other_descriptor_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
