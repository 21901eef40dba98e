/* The curl engine's inside: what its lanes (curl_lane.c), their sockets
 * (curl_sock.c), the handles' set-up (curl_head.c), the multi handles
 * (curl_group.c) and the engine's functions (engine_curl.c) share.
 *
 * Lanes share multi handles by groups, with one easy handle each and at most
 * one connection, all on one epoll set. A lane's connection stays its own as
 * with the raw engine: libcurl keeps the connections of each lane's number
 * apart (CURLOPT_ADDRESS_SCOPE), and never opens a second one behind our back.
 */
#ifndef PITWALL_LOAD_CURL_H
#define PITWALL_LOAD_CURL_H

#include <curl/curl.h>

#include "load/curl_pool.h"
#include "load/engine.h"

/* Its connection, and what a proxy's name is looked up by. */
#define CURL_LANE_SOCKS 4

struct curl_sock {
    int fd;              /* -1: free */
    uint32_t wanted;     /* epoll events that libcurl waits for now */
    uint32_t registered; /* in the epoll set; stays when nothing is wanted */
    bool own;            /* opened by us, so that we see it closed */
};

struct curl_lane {
    struct engine *engine;
    struct curl_group *group;
    uint32_t lane;
    CURL *easy;
    CURLU *url; /* taken apart once, not by libcurl for every request */
    struct curl_sock socks[CURL_LANE_SOCKS];
    int ready_fd;      /* connected beforehand, not used yet; -1 */
    uint32_t answered; /* requests, on this connection */

    /* The head that the handle is set up for. */
    char *key;
    size_t key_bytes;
    bool has_body; /* though it may be empty */
    struct curl_slist *headers;

    /* The request under way. */
    const struct engine_request *request;
    bool queued;    /* in the engine's list of those to be begun */
    bool begun;     /* libcurl has it */
    bool told_head; /* the head event was raised */
    bool took;      /* the connection that was there beforehand */
    bool dialed;    /* a new one */
    bool again;     /* libcurl wanted to send it a second time */
    bool over;      /* connected beforehand, or in vain */
    bool sending;   /* counted as waiting for its socket */
    unsigned status;
    CURLcode result;
    uint64_t sent_ns; /* about to send */
    uint64_t read_ns; /* when what came last had been read ... */
    uint64_t read_at; /* ... by which call of libcurl */
    uint64_t received_bytes;
    char error[CURL_ERROR_SIZE];
};

/* Lanes of one multi handle. */
struct curl_group {
    CURLM *multi;
    uint64_t timer_ns; /* libcurl wants to be called; UINT64_MAX: never */
};

struct engine {
    struct engine_config config;
    char base[ADDRESS_HOST_MAX + 32]; /* of all URLs, without the path */
    /* The header that libcurl makes of the URL by itself: each one that we give
     * is looked through many times for every request. */
    char own_host[ADDRESS_HOST_MAX + 32];
    struct curl_slist *resolve; /* the target's name, as found before */
    struct curl_pool pool;
    int epoll_fd;
    struct curl_lane *lanes;   /* [n_lanes] */
    struct curl_group *groups; /* [n_groups] */
    uint32_t n_groups;
    struct curl_lane **queue; /* [n_lanes]: submitted, to be begun */
    size_t n_queue;
    uint64_t calls;  /* of libcurl that let it read, so far */
    bool reads_once; /* each of them reads a connection once at most */
    struct engine_stats stats;
    size_t n_sending;    /* lanes */
    uint64_t sending_ns; /* since when some are */
};

/* Make a lane's handle and set what all its requests have in common. */
CHECKED enum err curl_lane_init(struct curl_lane *l, struct engine *engine,
                                uint32_t lane, struct why *why);
void curl_lane_fini(struct curl_lane *l);

/* Connect, with TLS and through a proxy if need be, sending no request.
 * Errors  those of the connection ("connect https://h: ..."). */
CHECKED enum err curl_lane_connect(struct curl_lane *l, struct why *why);

/* libcurl is done with the lane: tell, or end connect's wait. */
void curl_lane_over(struct curl_lane *l, CURLcode result);

/* Hand the request to libcurl, which runs it when its group acts. false: it
 * cannot be, and is to be told. */
bool curl_lane_begin(struct curl_lane *l);

/* Take the request from libcurl and raise its answer event; text: it is given
 * up, NULL: it is over. */
void curl_lane_tell(struct curl_lane *l, const char *text);

/* Set the handle up for its request: heads that differ in Content-Length alone
 * need no new set-up. false: what is wrong is in error, or no memory. */
bool curl_head_set(struct curl_lane *l);

/* Set the handle's URL, as it is. false: likewise. */
bool curl_head_set_url(struct curl_lane *l, const char *url);

#endif
