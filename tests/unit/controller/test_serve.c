/* The server over real sockets, with requests as no browser makes them. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "controller/listen.h"
#include "controller/serve.h"
#include "tests/unit/results/lab.h"

#define REPLY_MAX (1u << 20)
#define MANY      100 /* more than it takes at a time */

static struct lab lab;
static struct serve *server;
static uint16_t port;
static char *reply; /* [REPLY_MAX] the last one, terminated */

static int set_up(void **state)
{
    (void)state;
    struct why why = {""};
    struct listen at;
    lab_open(&lab);
    lab_plan(&lab);
    lab_measure(&lab);
    reply = malloc(REPLY_MAX);
    assert_non_null(reply);
    check_ok(listen_open("127.0.0.1:0", &at, &why), why);
    port = (uint16_t)strtoul(strrchr(at.url, ':') + 1, NULL, 10);
    check_ok(serve_start(&server, lab.path, at.fd, &why), why);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    serve_stop(server);
    lab_fini(&lab);
    free(reply);
    return 0;
}

static int dial(void)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval limit = {.tv_sec = 10};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* Send len bytes, the last ones where `last`, and read until the server closes:
 * its status, 0 for none. */
static int ask_bytes(const char *request, size_t len, bool last)
{
    int fd = dial(), status = 0;
    size_t n = 0;
    (void)send(fd, request, len, MSG_NOSIGNAL);
    if (last)
        (void)shutdown(fd, SHUT_WR);
    for (ssize_t got = 1; got > 0 && n < REPLY_MAX - 1;) {
        got = recv(fd, reply + n, REPLY_MAX - 1 - n, 0);
        assert_true(got >= 0 || errno == ECONNRESET);
        n += got > 0 ? (size_t)got : 0;
    }
    reply[n] = '\0';
    (void)close(fd);
    return sscanf(reply, "HTTP/1.%*d %d", &status) == 1 ? status : 0;
}

static int ask(const char *request)
{
    return ask_bytes(request, strlen(request), false);
}

static int get(const char *path)
{
    char request[512];
    (void)snprintf(request, sizeof request,
                   "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close"
                   "\r\n\r\n",
                   path);
    return ask(request);
}

static void its_pages_are_there(void **state)
{
    (void)state;
    assert_int_equal(get("/"), 200);
    assert_non_null(strstr(reply, "<a href=\"/experiment/1\">demo</a>"));
    assert_non_null(strstr(reply, "Content-Security-Policy: default-src "
                                  "'none'"));
    assert_int_equal(get("/experiment/1"), 200);
    assert_non_null(strstr(reply, "data-of=\"/experiment/1/progress\""));
    assert_int_equal(get("/experiment/1?where=heap%3d256m&metric=reads"), 200);
    assert_null(strstr(reply, "1g loopback"));
    assert_int_equal(get("/experiment/1/progress"), 200);
    /* Both kinds of canaries are trials too: 8 and 2. */
    assert_non_null(strstr(reply, "{\"state\":\"running\",\"trials\":10,"
                                  "\"ok\":8,\"oom\":1,\"failed\":1,"
                                  "\"aborted\":0,\"invalid\":1}"));
    assert_int_equal(get("/experiment/1/cells?a=0&b=2"), 200);
    assert_non_null(strstr(reply, "<option value=\"2\" selected>heap=1g,"
                                  "link=loopback"));
    assert_non_null(strstr(reply, ">failed 1/2 <"));
}

static void a_head_has_no_body(void **state)
{
    (void)state;
    assert_int_equal(ask("HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: "
                         "close\r\n\r\n"),
                     200);
    assert_non_null(strstr(reply, "Content-Length: "));
    assert_null(strstr(reply, "<html"));
}

static void what_is_not_there_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int status;
    } cases[] = {{"/experiment/2", 404},
                 {"/experiment/1/", 404},
                 {"/../lab.db", 404},
                 {"/%2e%2e/%2e%2e/etc/passwd", 404},
                 {"/experiment/1?metric=speed", 404},
                 {"/experiment/1?where=heap", 400},
                 {"/experiment/1?rows=metric", 400},
                 {"/experiment/1/cells?a=9", 404},
                 {"/experiment/1/cells?a=x", 400},
                 {"/experiment/2/progress", 404}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (get(cases[i].path) != cases[i].status)
            fail_msg("%s: %.40s", cases[i].path, reply);
}

static void strangers_and_writers_are_refused(void **state)
{
    (void)state;
    assert_int_equal(ask("GET / HTTP/1.1\r\nHost: evil.example\r\n"
                         "Connection: close\r\n\r\n"),
                     403);
    assert_int_equal(ask("GET / HTTP/1.0\r\n\r\n"), 403);
    assert_int_equal(ask("POST / HTTP/1.1\r\nHost: localhost\r\n"
                         "Content-Length: 1000000000\r\n\r\nx"),
                     405);
    assert_non_null(strstr(reply, "Allow: GET, HEAD"));
    assert_int_equal(ask("DELETE /experiment/1 HTTP/1.1\r\nHost: localhost\r\n"
                         "Connection: close\r\n\r\n"),
                     405);
}

/* It says no or closes; what matters is that it goes on. */
static void what_is_no_request_ends_its_connection(void **state)
{
    (void)state;
    static const char begin[] = "GET /";
    size_t len = 1u << 17;
    char *large = malloc(len);
    assert_non_null(large);
    memset(large, 'a', len);
    memcpy(large, begin, sizeof begin - 1);
    assert_true(ask_bytes(large, len, true) != 200);
    memset(large, 0, len);
    assert_true(ask_bytes(large, 1000, true) != 200);
    free(large);
    static const char garbage[] = "\r\n\r\nGARBAGE\r\n\r\n";
    assert_true(ask_bytes(garbage, sizeof garbage - 1, true) != 200);
    assert_int_equal(get("/"), 200);
}

static void many_connections_are_survived(void **state)
{
    (void)state;
    int fds[MANY];
    for (size_t i = 0; i < MANY; i++)
        fds[i] = dial();
    for (size_t i = 0; i < MANY; i++)
        (void)close(fds[i]);
    assert_int_equal(get("/"), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_pages_are_there),
        cmocka_unit_test(a_head_has_no_body),
        cmocka_unit_test(what_is_not_there_is_said),
        cmocka_unit_test(strangers_and_writers_are_refused),
        cmocka_unit_test(what_is_no_request_ends_its_connection),
        cmocka_unit_test(many_connections_are_survived),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
