#include "tests/unit/watch/pair.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/check.h"

static void listen_v4(struct pair *p)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    assert_int_equal(bind(p->listener, (struct sockaddr *)&a, size), 0);
    assert_int_equal(getsockname(p->listener, (struct sockaddr *)&a, &size), 0);
    p->port = ntohs(a.sin_port);
}

static void listen_v6(struct pair *p)
{
    struct sockaddr_in6 a = {.sin6_family = AF_INET6};
    socklen_t size = sizeof a;
    assert_int_equal(bind(p->listener, (struct sockaddr *)&a, size), 0);
    assert_int_equal(getsockname(p->listener, (struct sockaddr *)&a, &size), 0);
    p->port = ntohs(a.sin6_port);
}

struct pair pair_open(int rcvbuf, int v6)
{
    struct pair p;
    p.listener = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(p.listener >= 0);
    if (rcvbuf)
        assert_int_equal(setsockopt(p.listener, SOL_SOCKET, SO_RCVBUF, &rcvbuf,
                                    sizeof rcvbuf),
                         0);
    if (v6)
        listen_v6(&p);
    else
        listen_v4(&p);
    assert_int_equal(listen(p.listener, 1), 0);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(p.port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    p.client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(p.client, (struct sockaddr *)&to, sizeof to), 0);
    p.accepted = accept(p.listener, NULL, NULL);
    assert_true(p.accepted >= 0);
    return p;
}

void pair_close(struct pair *p)
{
    (void)close(p->client);
    (void)close(p->accepted);
    (void)close(p->listener);
}
