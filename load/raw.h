/* The raw engine's inside: what its connections (raw_conn.c) and its loop
 * (engine_raw.c) share. */
#ifndef PITWALL_LOAD_RAW_H
#define PITWALL_LOAD_RAW_H

#include "common/http1.h"
#include "load/engine.h"

#define RAW_RECEIVE_BYTES ((size_t)64 << 10)

enum raw_state { RAW_CLOSED, RAW_CONNECTING, RAW_OPEN };

/* One lane's connection. Between submit and answer `request` is set. */
struct raw_conn {
    struct engine *engine;
    struct http1 *parser;
    int fd;
    uint32_t lane;
    enum raw_state state;
    bool queued;     /* wait has something to do for it */
    bool blocked;    /* its socket takes no more of the request */
    bool dying;      /* the peer closed or sending failed: what can be read
                        is the last */
    bool fresh;      /* opened for the request that is under way */
    bool complete;   /* the answer is there */
    bool keep_alive; /* after it */
    unsigned status;
    uint32_t answered; /* requests, on this connection */
    const struct engine_request *request;
    size_t sent;
    uint64_t sent_ns, received_bytes;
};

struct engine {
    struct engine_config config;
    int epoll_fd;
    struct raw_conn *conns;  /* [n_lanes] */
    struct raw_conn **queue; /* [n_lanes]: connections to look after */
    size_t n_queue;
    char *buf;        /* what was received last */
    uint64_t read_ns; /* when it was */
    struct engine_stats stats;
    size_t n_blocked;    /* connections */
    uint64_t blocked_ns; /* since when some are */
};

/* The parser's callbacks; ctx is the connection. */
extern const struct http1_events raw_conn_events;

/* Begin to connect; dial_result tells the outcome. A failure at once is said by
 * false, with errno. */
bool raw_conn_open(struct raw_conn *c);

/* Take a socket that is connected already. The same for its failure. */
bool raw_conn_take(struct raw_conn *c, int fd);

/* The connection is there: take it as open, and send what waits. */
void raw_conn_opened(struct raw_conn *c);
void raw_conn_close(struct raw_conn *c);

/* Send what the socket takes of the request. */
void raw_conn_send(struct raw_conn *c);

/* Receive what is there, of a dying one until its end. Raises answer events. */
void raw_conn_receive(struct raw_conn *c);

/* Let wait look after the connection. */
void raw_conn_enqueue(struct raw_conn *c);

/* End the request as LOST or UNSENT by what was sent, close, raise the event;
 * given_up: by cancel. */
void raw_conn_fail(struct raw_conn *c, const char *text, bool given_up);

/* Where some body waits for its socket since, for the statistics. */
void raw_conn_blocked(struct raw_conn *c, bool blocked);

#endif
