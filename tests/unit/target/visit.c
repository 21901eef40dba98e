#include "tests/unit/target/visit.h"

#include <unistd.h>

#include "tests/lib/check.h"

#define PIECES 4

/* What is sent on one connection, and how many responses end it. */
struct visit {
    const char *pieces[PIECES];
    unsigned responses;
};

#define BULK                                                                   \
    "{\"index\":{\"_id\":\"1\"}}\n{\"name\":\"a name of some length\"}\n"      \
    "{\"index\":{}}\n{\"n\":1}\n"
#define LONG "0123456789012345678901234567890123456789"

static const struct visit visits[] = {
    /* A header that outgrows the initial buffer, cut inside a line. */
    {{"GET / HTTP/1.1\r\nX-Long: " LONG LONG "\r\nHo", "st: x\r\n\r\n"}, 1},
    {{"PUT /geo HTTP/1.1\r\nContent-Length: 0\r\n\r\n"}, 1},
    {{"POST /geo/_bulk HTTP/1.1\r\nContent-Length: 76\r\n\r\n" BULK}, 1},
    {{"POST /geo/_bulk HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
      "50\r\n{\"index\":{\"_id\":\"2\"}}\n"
      "{\"name\":\"" LONG "012345\"}\n\r\n1", /* 80, 28 bytes */
      "c\r\n{\"delete\":{\"_id\":\"1\"}}     \n\r\n0\r\n\r\n"},
     1},
    {{"POST /geo/_bulk HTTP/1.1\r\nContent-Length: 104857601\r\n\r\n"}, 1},
    {{"HEAD /geo HTTP/1.1\r\n\r\nGET /_nodes/stats HTTP/1.1\r\n\r\n",
      "POST /geo/_bulk HTTP/1.1\r\nExpect: 100-continue\r\n"
      "Content-Length: 76\r\n\r\n",
      BULK},
     3},
    {{"POST /_pitwall/window HTTP/1.1\r\nContent-Length: 21\r\n\r\n"
      "{\"t0_ns\":0,\"t1_ns\":1}"},
     1},
    /* What an index does beside bulks; without one each is refused. */
    {{"POST /geo/_refresh HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
      "POST /geo/_search HTTP/1.1\r\nContent-Length: 35\r\n\r\n"
      "{\"query\":{\"match\":{\"name\":\"some\"}}}",
      "POST /geo/_forcemerge HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
      "PUT /_cluster/settings HTTP/1.1\r\nContent-Length: 23\r\n\r\n"
      "{\"transient\":{\"a.b\":1}}"},
     4},
    {{"DELETE /geo HTTP/1.1\r\nContent-Length: 0\r\n\r\n"}, 1},
    {{"nonsense\r\n\r\n"}, 1}};

#define VISITS (sizeof visits / sizeof *visits)

/* The next piece is to come in another read, mostly. */
static void send_piece(int fd, const struct visit *v, size_t i)
{
    if (fd < 0 || !v->pieces[i])
        return;
    (void)client_send(fd, v->pieces[i], strlen(v->pieces[i]));
    (void)usleep(200);
}

static void finish(int fd, const struct visit *v)
{
    unsigned status = 1, n = 0;
    if (fd < 0)
        return;
    while (status && n < v->responses) {
        status = client_response(fd, NULL);
        n += status != 100; /* Continue comes in addition */
    }
    (void)close(fd);
}

void visit_in_turn(const struct running *r)
{
    for (size_t i = 0; i < VISITS; i++) {
        int fd = client_dial(r);
        for (size_t k = 0; k < PIECES; k++)
            send_piece(fd, &visits[i], k);
        finish(fd, &visits[i]);
    }
}

void visit_at_once(const struct running *r)
{
    int fds[VISITS];
    for (size_t i = 0; i < VISITS; i++)
        fds[i] = client_dial(r);
    for (size_t k = 0; k < PIECES; k++)
        for (size_t i = 0; i < VISITS; i++)
            send_piece(fds[i], &visits[i], k);
    for (size_t i = 0; i < VISITS; i++)
        finish(fds[i], &visits[i]);
}
