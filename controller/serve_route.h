/* What a browser asks of `pitwall serve`: which page, and whether the request
 * was meant for it. Pure. */
#ifndef PITWALL_CONTROLLER_SERVE_ROUTE_H
#define PITWALL_CONTROLLER_SERVE_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum serve_page {
    SERVE_NONE,       /* there is no such page */
    SERVE_LIST,       /* / */
    SERVE_EXPERIMENT, /* /experiment/3 */
    SERVE_PROGRESS,   /* /experiment/3/progress */
    SERVE_CELLS       /* /experiment/3/cells */
};

struct serve_route {
    enum serve_page page;
    int64_t experiment;
};

/* The page of a path without its query. Anything that is not exactly one of
 * those above is SERVE_NONE. */
struct serve_route serve_route_of(const char *path);

/* Whether a Host header names this machine by a number or as localhost, with or
 * without a port: a page of a stranger that lets its own name point here
 * reaches nothing. NULL: false. */
bool serve_route_host(const char *host);

/* A place of a cell from a query: digits, at most six. false: it is none. */
bool serve_route_place(const char *text, size_t *place);

#endif
