#include "tests/unit/chan/peers.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/lib/check.h"

/* NNG 1.5.2 forgets connections that have not been accepted yet when their
 * listener is closed. Without its symbols no narrower name is to be had. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libnng.so\n";
}

const char *peers_ipc(void)
{
    static char url[64];
    static unsigned n;
    (void)snprintf(url, sizeof url, "ipc:///tmp/pitwall-chan-%d-%u",
                   (int)getpid(), n++);
    return url;
}

const char *peers_tcp(void)
{
    static char url[64];
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof in;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&in, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
    (void)close(fd);
    (void)snprintf(url, sizeof url, "tcp://127.0.0.1:%u", ntohs(in.sin_port));
    return url;
}

struct chan *peers_dial(const char *url)
{
    struct chan *chan = NULL;
    struct why why = {0};
    check_ok(chan_dial(&chan, url, true, PATIENCE_NS, &why), why);
    return chan;
}

struct chan_server *peers_listen(const char *url)
{
    struct chan_server *server = NULL;
    struct why why = {0};
    check_ok(chan_listen(&server, url, true, 0600, &why), why);
    return server;
}

static void wait_for(int fd, uint64_t due_ns)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    (void)poll(&p, 1, clock_poll_ms(clock_mono_ns(), due_ns));
}

unsigned peers_take(struct chan_server *server, const void **data, size_t *len)
{
    struct why why = {0};
    unsigned slot = 99;
    uint64_t due_ns = clock_mono_ns() + PATIENCE_NS;
    enum err e;
    while ((e = chan_server_take(server, &slot, data, len, &why)) ==
               ERR_AGAIN &&
           clock_mono_ns() < due_ns)
        wait_for(chan_server_fd(server), due_ns);
    check_ok(e, why);
    return slot;
}

bool peers_none(struct chan_server *server)
{
    struct why why = {0};
    unsigned slot = 99;
    const void *data = NULL;
    size_t len = 0;
    uint64_t due_ns = clock_mono_ns() + BRIEFLY_NS;
    enum err e;
    while ((e = chan_server_take(server, &slot, &data, &len, &why)) ==
               ERR_AGAIN &&
           clock_mono_ns() < due_ns)
        wait_for(chan_server_fd(server), due_ns);
    return e == ERR_AGAIN;
}

static void echo(struct chan_server *server)
{
    struct why why = {0};
    unsigned slot = 99;
    const void *data = NULL;
    size_t len = 0;
    while (!chan_server_take(server, &slot, &data, &len, &why))
        check_ok(chan_server_answer(server, slot, data, len, &why), why);
}

enum err peers_finish(struct chan *chan, struct chan_server *server,
                      const void **data, size_t *len, struct why *why)
{
    enum err e;
    while ((e = chan_result(chan, data, len, why)) == ERR_AGAIN) {
        struct pollfd p[] = {
            {.fd = chan_fd(chan), .events = POLLIN},
            {.fd = server ? chan_server_fd(server) : -1, .events = POLLIN}};
        (void)poll(p, 2, clock_poll_ms(clock_mono_ns(), chan_due_ns(chan)));
        if (server)
            echo(server);
    }
    return e;
}

void peers_echo(struct chan *chan, struct chan_server *server, const char *text)
{
    struct why why = {0};
    const void *data = NULL;
    size_t len = 0;
    check_ok(chan_submit(chan, text, strlen(text), PATIENCE_NS, &why), why);
    check_ok(peers_finish(chan, server, &data, &len, &why), why);
    assert_int_equal(len, strlen(text));
    assert_memory_equal(data, text, len);
}
