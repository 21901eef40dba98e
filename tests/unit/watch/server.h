/* A tiny HTTP target for tests: one thread, keep-alive, answers by path. */
#ifndef PITWALL_TESTS_UNIT_WATCH_SERVER_H
#define PITWALL_TESTS_UNIT_WATCH_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVER_SEEN_MAX 64

struct server;

/* What to answer; texts are borrowed. */
struct server_script {
    int root_failures; /* GET / answers 503 this often, then 200 */
    int window_status; /* 0: 200 */
    int stats_status;  /* 0: 200 */
    int rcvbuf;        /* SO_RCVBUF of the listener; 0: the kernel's */
    const char *stats; /* body of /_pitwall/stats, "%" + "d" in it counts up */
    const char *body;  /* of GET /; NULL: "ok" */
    bool silent;       /* reads, never answers */
};

/* Listen on 127.0.0.1 and serve. Aborts the test when it cannot. */
struct server *server_start(const struct server_script *script);
void server_stop(struct server *server);

/* Where it listens. */
uint16_t server_port(const struct server *server);

/* "http://127.0.0.1:PORT"; valid as long as server. */
const char *server_url(const struct server *server);

/* Requests so far whose first line begins with text ("GET /_pitwall/stats"). */
unsigned server_count(struct server *server, const char *text);

/* Copy the newest POST body; false when there was none. */
bool server_body(struct server *server, char *out, size_t size);

#endif
