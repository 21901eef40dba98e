/* The target as a whole: its heap, its threads, its listening socket. */
#ifndef PITWALL_TARGET_SERVER_H
#define PITWALL_TARGET_SERVER_H

#include "common/err.h"
#include "target/settings.h"
#include "target/tally.h"

struct server;

/* What ends server_serve from outside: descriptors that it watches (-1: none)
 * and asks about when they are readable. */
struct server_stop {
    int fds[2];
    bool (*asked)(void *ctx, int fd);
    void *ctx;
};

/* For tests; none in the program. */
struct server_hooks {
    void (*before_bulk)(void *ctx); /* each request, on its bulk thread */
    void *ctx;
    bool heap_stress;        /* heap.h: move objects as often as possible */
    uint64_t heap_refuse_at; /* heap.h */
};

/* Start threads and listen; settings are borrowed, hooks may be NULL. ERR_BUSY
 * "--listen 127.0.0.1:9200: address in use"; ERR_USAGE: no address; ERR_RANGE,
 * ERR_NOMEM: the heap. */
CHECKED enum err server_open(struct server **out,
                             const struct settings *settings,
                             const struct server_hooks *hooks, struct why *why);

/* Where it listens: "http://127.0.0.1:9200", and the port. */
const char *server_url(const struct server *s);
uint16_t server_port(const struct server *s);

/* Accept connections until stop is asked, then finish the requests that have
 * begun (a second at most) and join all threads. ERR_OOM: the heap ran out, and
 * everything ended at once. */
CHECKED enum err server_serve(struct server *s, const struct server_stop *stop,
                              struct why *why);

/* After server_serve: the final record, len bytes, and the totals. Valid until
 * server_close. */
const char *server_final(struct server *s, size_t *len);
void server_totals(const struct server *s, struct counts *out);

/* Free all; also a server that never served. NULL is fine. */
void server_close(struct server *s);

#endif
