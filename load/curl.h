/* The curl engine's inside: what its lanes (curl_lane.c) and its loop
 * (engine_curl.c) share.
 *
 * Each lane has a multi handle of its own, with one easy handle and at most one
 * connection in it, all on one epoll set. So a lane's connection stays its own
 * as with the raw engine, libcurl never looks through other lanes' connections
 * for a free one, and never opens a second one behind our back. */
#ifndef PITWALL_LOAD_CURL_H
#define PITWALL_LOAD_CURL_H

#include <curl/curl.h>

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
    uint32_t lane;
    CURLM *multi;
    CURL *easy;
    CURLU *url; /* taken apart once, not by libcurl for every request */
    struct curl_sock socks[CURL_LANE_SOCKS];
    uint64_t timer_ns; /* libcurl wants to be called; UINT64_MAX: never */
    int ready_fd;      /* connected beforehand, not used yet; -1 */
    uint32_t answered; /* requests, on this connection */

    /* The head that the handle is set up for. */
    char *key;
    size_t key_bytes;
    bool has_body; /* though it may be empty */
    struct curl_slist *headers;

    /* The request under way. */
    const struct engine_request *request;
    bool over;      /* libcurl is done with it, the event is to come */
    bool queued;    /* in the engine's list of those */
    bool told_head; /* the head event was raised */
    bool took;      /* the connection that was there beforehand */
    bool again;     /* libcurl wanted to send it a second time */
    bool sending;   /* counted as waiting for its socket */
    CURLcode result;
    uint64_t begun_ns;
    char error[CURL_ERROR_SIZE];
};

struct engine {
    struct engine_config config;
    char base[ADDRESS_HOST_MAX + 32]; /* of all URLs, without the path */
    /* The header that libcurl makes of the URL by itself: each one that we give
     * is looked through many times for every request. */
    char own_host[ADDRESS_HOST_MAX + 32];
    struct curl_slist *resolve; /* the target's name, as found before */
    int epoll_fd;
    struct curl_lane *lanes;  /* [n_lanes] */
    struct curl_lane **queue; /* [n_lanes]: whose event is to come */
    size_t n_queue;
    uint64_t timers_ns; /* when timers were looked at last */
    struct engine_stats stats;
    size_t n_sending;    /* lanes */
    uint64_t sending_ns; /* since when some are */
};

/* Make a lane's handles and set what all its requests have in common. */
CHECKED enum err curl_lane_init(struct curl_lane *l, struct engine *engine,
                                uint32_t lane, struct why *why);
void curl_lane_fini(struct curl_lane *l);

/* Set what every request of the engine has in common. false: no memory. */
bool curl_lane_common(const struct engine *engine, CURL *easy);

/* Hand the request to libcurl. Its end shows as over. */
void curl_lane_submit(struct curl_lane *l);

/* A socket is ready, or a time has come (fd CURL_SOCKET_TIMEOUT). */
void curl_lane_act(struct curl_lane *l, int fd, int what);

/* Events at one of the lane's sockets that libcurl does not wait for. */
void curl_lane_unwanted(struct curl_lane *l, struct curl_sock *sock);

/* The lane's socket with this descriptor, NULL when it has none. */
struct curl_sock *curl_lane_sock(struct curl_lane *l, int fd);

/* Take the request from libcurl and raise its answer event; text: it is given
 * up, NULL: it is over. */
void curl_lane_tell(struct curl_lane *l, const char *text);

#endif
