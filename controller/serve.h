/* Reports as live pages: a small web server over one store. The sole owner of
 * libmicrohttpd. It answers GET and HEAD, reads and never writes, and takes a
 * bounded number of connections for a bounded time. */
#ifndef PITWALL_CONTROLLER_SERVE_H
#define PITWALL_CONTROLLER_SERVE_H

#include "common/err.h"

struct serve;

/* Start to answer on listening socket fd, which is taken: it is closed in any
 * case. db (borrowed until serve_stop) is opened anew for each request.
 * Errors  ERR_IO: the library does not start.
 * Owns    *out, for serve_stop (NULL is fine).
 * Thread  one of its own answers, one request after the other. */
CHECKED enum err serve_start(struct serve **out, const char *db, int fd,
                             struct why *why);
void serve_stop(struct serve *serve);

#endif
