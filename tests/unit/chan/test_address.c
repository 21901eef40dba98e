#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/address.h"
#include "common/clock.h"
#include "tests/lib/check.h"

static void check_refuses(const char *url, bool plain_ok, const char *part)
{
    struct why why = {0};
    check_err(address_check(url, plain_ok, &why), ERR_USAGE);
    check_says(why, url);
    check_says(why, part);
}

static void address_check_accepts_ipc_and_plain_tcp(void **state)
{
    (void)state;
    struct why why = {0};
    check_ok(address_check("ipc:///run/pitwall/agent.sock", false, &why), why);
    check_ok(address_check("tcp://127.0.0.1:7411", true, &why), why);
    check_ok(address_check("tcp://lab-3.example:1", true, &why), why);
    check_ok(address_check("tcp://[::1]:65535", true, &why), why);
}

static void address_check_refuses_plain_tcp_without_leave(void **state)
{
    (void)state;
    check_refuses("tcp://10.0.0.5:7411", false, "--insecure-plain");
}

static void check_tls(const char *url, const char *name, const char *at)
{
    struct why why = {0};
    struct address_tls tls;
    check_ok(address_check(url, false, &why), why);
    assert_true(address_is_tls(url));
    check_ok(address_tls(url, &tls, &why), why);
    assert_string_equal(tls.name, name);
    assert_string_equal(tls.url, at);
}

static void address_tls_takes_the_agents_name_off(void **state)
{
    (void)state;
    check_tls("tls+tcp://10.0.0.5:7411", "10.0.0.5", "tls+tcp://10.0.0.5:7411");
    check_tls("tls+tcp://srv@10.0.0.5:7411", "srv", "tls+tcp://10.0.0.5:7411");
    check_tls("tls+tcp://srv@[::1]:7411", "srv", "tls+tcp://[::1]:7411");
    check_refuses("tls+tcp://@10.0.0.5:7411", false, "NAME is the agent's");
    check_refuses("tls+tcp://a@b@c:7411", false, "accepted");
    check_refuses("tls+tcp://a@[b@c]:7411", false, "accepted");
    check_refuses("tls+tcp://a@[b:7411", false, "accepted");
    check_refuses("tls+tcp://srv@", true, "accepted");
    check_refuses("tls+tcp://", true, "accepted");
}

static void address_check_says_what_is_accepted(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "",
        "agent.sock",
        "ipc:",
        "ipc://",
        "http://10.0.0.5:80",
        "ws://10.0.0.5:80",
        "inproc://a",
        "tcp://",
        "tcp://host",
        "tcp://host:",
        "tcp://:7411",
        "tcp://host:0",
        "tcp://host:65536",
        "tcp://host:7411x",
        "tcp://host:7411/path",
        "tcp://host:-1",
        "tcp://[::1]",
        "tcp://[::1",
        "tcp://[]:7411",
        "tcp://host:123456789012345678901234567890"};
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++)
        check_refuses(urls[i], true,
                      "accepted: ipc://PATH, tls+tcp://[NAME@]HOST:PORT");
}

static void address_check_bounds_path_and_host(void **state)
{
    (void)state;
    char url[400] = "ipc://";
    struct why why = {0};
    memset(url + 6, 'p', 107);
    check_ok(address_check(url, false, &why), why);
    url[6 + 107] = 'p';
    check_refuses(url, false, "at most 107 bytes");
    (void)strcpy(url, "tcp://");
    memset(url + 6, 'h', 256);
    (void)strcpy(url + 6 + 256, ":1");
    check_refuses(url, true, "accepted");
}

static void address_probe_tells_the_systems_reason(void **state)
{
    (void)state;
    struct why why = {0};
    uint64_t due_ns = clock_mono_ns() + 10 * NS_PER_S;
    check_err(address_probe("ipc:///nonexistent/agent.sock", due_ns, &why),
              ERR_NOTFOUND);
    check_says(why, "ipc:///nonexistent/agent.sock: No such file");
    /* nothing listens at port 1 */
    check_err(address_probe("tcp://127.0.0.1:1", due_ns, &why), ERR_REFUSED);
    check_says(why, "tcp://127.0.0.1:1: Connection refused");
    check_err(address_probe("tcp://[::1]:1", due_ns, &why), ERR_REFUSED);
    check_err(address_probe("x", due_ns, &why), ERR_USAGE);
}

static int listen_at(const char *path)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    (void)snprintf(un.sun_path, sizeof un.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&un, sizeof un), 0);
    assert_int_equal(listen(fd, 1), 0);
    return fd;
}

struct fake {
    int fd;
    const char *greeting;
    size_t len;
};

static void *fake_server(void *arg)
{
    struct fake *fake = arg;
    char theirs[8];
    int peer = accept(fake->fd, NULL, NULL);
    assert_int_equal(recv(peer, theirs, 8, MSG_WAITALL), 8);
    assert_memory_equal(theirs, "\0SP\0\0\x30\0\0", 8); /* a REQ */
    for (size_t i = 0; i < fake->len; i++)              /* in pieces */
        assert_int_equal(send(peer, fake->greeting + i, 1, MSG_NOSIGNAL), 1);
    (void)close(peer);
    return NULL;
}

/* The outcome where a peer greets so and closes. */
static enum err greeted(const char *greeting, size_t len, struct why *why)
{
    char path[64], url[80];
    pthread_t thread;
    (void)snprintf(path, sizeof path, "/tmp/pitwall-address-%d", (int)getpid());
    (void)snprintf(url, sizeof url, "ipc://%s", path);
    struct fake fake = {listen_at(path), greeting, len};
    (void)pthread_create(&thread, NULL, fake_server, &fake);
    enum err e = address_probe(url, clock_mono_ns() + 20 * NS_PER_S, why);
    (void)pthread_join(thread, NULL);
    (void)close(fake.fd);
    (void)unlink(path);
    return e;
}

static void address_probe_knows_an_agent_by_its_greeting(void **state)
{
    (void)state;
    struct why why = {0};
    check_ok(greeted("\0SP\0\0\x31\0\0", 8, &why), why); /* a REP */
    check_err(greeted("\0SP\0\0\x30\0\0", 8, &why), ERR_PROTOCOL);
    check_says(why, "takes connections, but is no agent");
    check_err(greeted("HTTP/1.1", 8, &why), ERR_PROTOCOL);
    check_err(greeted("\0SP\0\0\x31\0", 7, &why), ERR_PROTOCOL);
    check_err(greeted("", 0, &why), ERR_PROTOCOL);
}

static void address_probe_waits_for_a_greeting_until_its_time(void **state)
{
    (void)state;
    char path[64], url[80];
    struct why why = {0};
    (void)snprintf(path, sizeof path, "/tmp/pitwall-address-%d", (int)getpid());
    (void)snprintf(url, sizeof url, "ipc://%s", path);
    int fd = listen_at(path);
    check_err(address_probe(url, clock_mono_ns() + 10 * NS_PER_MS, &why),
              ERR_TIMEOUT);
    check_says(why, "takes connections, but does not answer");
    (void)close(fd);
    check_err(address_probe(url, clock_mono_ns() + 10 * NS_PER_S, &why),
              ERR_REFUSED);
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address_check_accepts_ipc_and_plain_tcp),
        cmocka_unit_test(address_check_refuses_plain_tcp_without_leave),
        cmocka_unit_test(address_tls_takes_the_agents_name_off),
        cmocka_unit_test(address_check_says_what_is_accepted),
        cmocka_unit_test(address_check_bounds_path_and_host),
        cmocka_unit_test(address_probe_tells_the_systems_reason),
        cmocka_unit_test(address_probe_knows_an_agent_by_its_greeting),
        cmocka_unit_test(address_probe_waits_for_a_greeting_until_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
