/* A scripted HTTP server in the test's own process: a thread a connection,
 * which answers each request as the script says. */
#ifndef PITWALL_TESTS_UNIT_LOAD_SERVER_H
#define PITWALL_TESTS_UNIT_LOAD_SERVER_H

#include <stdbool.h>
#include <stdint.h>

enum server_act {
    SERVER_ANSWER,    /* in full; keep-alive */
    SERVER_CLOSE,     /* the same, with "Connection: close" */
    SERVER_HANG_UP,   /* the same as ANSWER, then closes without a word */
    SERVER_KILL,      /* the same, 20 ms later, by a reset */
    SERVER_NO_LENGTH, /* a body that ends with the connection */
    SERVER_CHUNKED,
    SERVER_HELD,    /* leaves the body unread until server_release */
    SERVER_SLOW,    /* byte by byte */
    SERVER_HALF,    /* half of the body, then closes */
    SERVER_DROP,    /* reads the request and closes */
    SERVER_RESET,   /* reads the request's head and resets */
    SERVER_EARLY,   /* answers after the head, then closes */
    SERVER_GARBAGE, /* bytes that are no HTTP */
    SERVER_MORE,    /* a whole answer, and bytes that nobody asked for */
    SERVER_STALL    /* never answers */
};

struct server_reply {
    enum server_act act;
    unsigned status;
    const char *body; /* NULL: none */
};

/* What to do with request n (over all connections). */
typedef struct server_reply server_script(unsigned n);

struct server;

/* Listen on a free port of 127.0.0.1. Aborts when it cannot. */
struct server *server_start(server_script *script);

/* Close all and join. */
void server_stop(struct server *s);

/* Its URL, valid as long as it. */
const char *server_url(const struct server *s);

/* Let requests that are held go on. */
void server_release(struct server *s);

/* So far: requests whose head came, connections taken. */
unsigned server_requests(const struct server *s);
unsigned server_connections(struct server *s);

/* The heads of the requests so far, one after another, up to 16 KiB; valid
 * until the next call. */
const char *server_heads(struct server *s);

#endif
