/* What drives requests over connections: one engine per thread, one connection
 * per lane. Behind it stand engine_raw.c (plain HTTP/1.1 over epoll) and
 * engine_curl.c (libcurl: TLS, HTTP/2, proxies, and the raw one's check).
 *
 * The one rule: every submit is followed by exactly one answer event, from
 * within wait or cancel, never from within submit. Nothing is sent twice: a
 * request of which a byte was sent and whose answer never came is LOST. */
#ifndef PITWALL_LOAD_ENGINE_H
#define PITWALL_LOAD_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "load/address.h"

/* Everything that goes out; borrowed until its answer. */
struct engine_request {
    const char *head, *body;
    size_t head_bytes, body_bytes;
    bool expects_no_body; /* HEAD */
};

enum engine_outcome {
    ENGINE_ANSWERED,
    ENGINE_LOST,  /* sent at least in part, not answered in full */
    ENGINE_UNSENT /* no connection could be had */
};

struct engine_answer {
    enum engine_outcome outcome;
    unsigned status;         /* ANSWERED */
    bool given_up;           /* by cancel, before it was over */
    uint64_t sent_ns;        /* before the first byte went out; not UNSENT */
    uint64_t done_ns;        /* last byte had been read, or it failed */
    uint64_t sent_bytes;     /* head and body */
    uint64_t received_bytes; /* of the answer's body */
    const char *text; /* why it is lost or unsent; until the event ends */
};

/* answer may submit the lane's next request. */
struct engine_events {
    void (*head)(void *ctx, uint32_t lane, unsigned status);
    void (*body)(void *ctx, uint32_t lane, const char *data, size_t len);
    void (*answer)(void *ctx, uint32_t lane, const struct engine_answer *a);
};

/* What only engine_curl does; all zero: none of it. Texts are borrowed. */
struct engine_http {
    const char
        *ca_file;      /* PEM, of the trusted authorities; NULL: the system's */
    const char *proxy; /* its URL; NULL: none, whatever the environment says */
    bool insecure;     /* any certificate will do */
    bool http2;        /* and nothing else */
};

struct engine_config {
    const struct address *address; /* borrowed for the engine's life */
    const struct address *others;  /* [n_others], likewise: more nodes of the
                                      target, raw only */
    size_t n_others;
    uint32_t lane_first, lane_step; /* of the numbers that lanes have among all
                                       threads', for dealing them to nodes */
    struct engine_http http;
    const char *congestion; /* TCP_CONGESTION; NULL: the system's */
    uint32_t n_lanes;
    uint32_t requests_per_connection; /* then it is closed; 0: never */
    const struct engine_events *events;
    void *ctx;
};

struct engine_stats {
    uint64_t connects;        /* made */
    uint64_t connects_lost;   /* closed by the peer before an answer */
    uint64_t retried;         /* sent again without being asked */
    uint64_t send_blocked_ns; /* some body waited for its socket */
};

struct engine;

/* An engine's functions; Thread of all: one at a time. */
struct engine_ops {
    const char *name;
    CHECKED enum err (*open)(struct engine **out,
                             const struct engine_config *config,
                             struct why *why);
    void (*close)(struct engine *engine);
    /* Connect a lane before the clock starts, waiting for it. */
    CHECKED enum err (*connect)(struct engine *engine, uint32_t lane,
                                struct why *why);
    /* Send a request on a lane that has none under way; at the latest when wait
     * begins. */
    void (*submit)(struct engine *engine, uint32_t lane,
                   const struct engine_request *request);
    /* Wait from now_ns until something happens, at most until until_ns, and
     * handle it. Returns when it woke. */
    uint64_t (*wait)(struct engine *engine, uint64_t now_ns, uint64_t until_ns);
    /* Give a lane's request up, if it has one: its answer event comes now. */
    void (*cancel)(struct engine *engine, uint32_t lane, const char *text);
    struct engine_stats (*stats)(const struct engine *engine, uint64_t now_ns);
};

/* Where a lane connects to: lanes are dealt to the nodes in turn. */
const struct address *engine_address(const struct engine_config *config,
                                     uint32_t lane);

extern const struct engine_ops engine_raw;
extern const struct engine_ops engine_curl;

enum engine_choice { ENGINE_BY_URL, ENGINE_RAW, ENGINE_CURL };

/* The engine that was chosen, by default raw where it can, else curl. At once:
 * do address and http go together? ERR_USAGE names the option. */
CHECKED enum err engine_pick(const struct engine_ops **out,
                             enum engine_choice choice,
                             const struct address *address,
                             const struct engine_http *http, struct why *why);

#endif
