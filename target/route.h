/* What a request asks for: Elasticsearch's paths, as far as this server has
 * them, and its own under /_pitwall/. Pure. */
#ifndef PITWALL_TARGET_ROUTE_H
#define PITWALL_TARGET_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/http1.h"

#define ROUTE_NAME_MAX 255u /* bytes of an index or type name */

enum route_kind {
    ROUTE_BANNER, /* GET, HEAD / */
    ROUTE_BULK,
    ROUTE_NODES_STATS,
    ROUTE_HEALTH,
    ROUTE_CLUSTER_SETTINGS, /* GET, PUT */
    ROUTE_STATS,
    ROUTE_INDEX_CREATE,
    ROUTE_INDEX_DELETE,
    ROUTE_INDEX_EXISTS,
    ROUTE_REFRESH,
    ROUTE_FLUSH,
    ROUTE_FORCE_MERGE,
    ROUTE_SEARCH,
    ROUTE_SCROLL,     /* GET, POST /_search/scroll: the next page */
    ROUTE_SCROLL_END, /* DELETE */
    ROUTE_COUNT,
    ROUTE_INDEX_SHOW,
    ROUTE_MAPPING,            /* GET, PUT /INDEX/_mapping */
    ROUTE_TEMPLATE,           /* GET, HEAD, PUT, POST, DELETE /_template/NAME */
    ROUTE_TEMPLATE_INDEX,     /* /_index_template/NAME */
    ROUTE_TEMPLATE_COMPONENT, /* /_component_template/NAME */
    ROUTE_DOC,                /* GET, HEAD, PUT, POST, DELETE /INDEX/_doc/ID */
    ROUTE_DOC_ADD,            /* POST /INDEX/_doc: the index makes the id */
    ROUTE_DOC_CREATE,         /* PUT, POST /INDEX/_create/ID */
    ROUTE_NODES,
    ROUTE_CLUSTER_STATS,
    ROUTE_CAT_INDICES,
    ROUTE_CAT_COUNT,
    ROUTE_CAT_HEALTH,
    ROUTE_CAT_NODES,
    ROUTE_SETTINGS, /* PUT /INDEX/_settings */
    ROUTE_PITWALL_STATS,
    ROUTE_PITWALL_WINDOW,
    ROUTE_METHOD, /* the path exists, with other methods */
    ROUTE_NONE
};

struct route {
    enum route_kind kind;
    char index[ROUTE_NAME_MAX + 1]; /* percent-decoded; "" when none */
    char type[ROUTE_NAME_MAX + 1];
    char id[ROUTE_NAME_MAX + 1]; /* of a document */
    const char *allowed;         /* ROUTE_METHOD: "GET, HEAD" */
};

/* The route of a request target (path, perhaps "?query"), len bytes. */
struct route route_of(enum http1_method method, const char *target, size_t len);

/* Whether the target is under /_pitwall/. */
bool route_is_observer(const char *target, size_t len);

/* The value of a parameter of the target's query, percent-decoded and cut to
 * size, into to; false: it is not there. */
bool route_param(const char *target, size_t len, const char *name, char *to,
                 size_t size);

/* Whether an index may have this name, by Elasticsearch's rules; else *reason
 * says which it breaks. */
bool route_index_name_good(const char *name, const char **reason);

#endif
