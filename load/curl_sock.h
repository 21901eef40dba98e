/* The sockets of the curl engine's lanes: opened by us, watched by epoll for
 * what libcurl waits for. */
#ifndef PITWALL_LOAD_CURL_SOCK_H
#define PITWALL_LOAD_CURL_SOCK_H

#include <sys/epoll.h>

#include "load/curl.h"

/* Let the lane's sockets be opened and closed by us. false: no memory. */
bool curl_sock_set(struct curl_lane *l);

/* Let a multi handle say which events it waits for. false: no memory. */
bool curl_sock_set_multi(struct engine *engine, CURLM *multi);

/* Note whether the lane's request waits for its socket, for the statistics. */
void curl_sock_sending(struct curl_lane *l, bool sending);

/* Whether the lane has a connection. */
bool curl_sock_connected(const struct curl_lane *l);

/* What libcurl is to be told of an event, and of which descriptor; 0: it does
 * not wait for it. */
int curl_sock_event(struct engine *engine, const struct epoll_event *event,
                    struct curl_lane **lane, int *fd);

#endif
