/* Patterns are matched segment by segment: "{i}" takes an index name, "{t}" a
 * type, neither of which begins with '_' (a type may be _doc); "{a}" takes an
 * index name or _all, which is the same as naming none; "{d}" a document's id,
 * which does not begin with '_' either. The first pattern that
 * fits path and method wins. */
#include "target/route.h"

#include <string.h>

#include "common/text.h"

#define SEGMENTS_MAX 4

enum {
    GET = 1 << HTTP1_GET,
    HEAD = 1 << HTTP1_HEAD,
    POST = 1 << HTTP1_POST,
    PUT = 1 << HTTP1_PUT,
    DELETE = 1 << HTTP1_DELETE
};

struct pattern {
    const char *segments[SEGMENTS_MAX]; /* NULL-terminated unless full */
    unsigned methods;
    enum route_kind kind;
};

static const struct pattern patterns[] = {
    {{NULL}, GET | HEAD, ROUTE_BANNER},
    {{"_bulk"}, POST | PUT, ROUTE_BULK},
    {{"{i}", "_bulk"}, POST | PUT, ROUTE_BULK},
    {{"{i}", "{t}", "_bulk"}, POST | PUT, ROUTE_BULK},
    {{"_nodes", "stats"}, GET, ROUTE_NODES_STATS},
    {{"_cluster", "health"}, GET, ROUTE_HEALTH},
    {{"_cluster", "health", "{a}"}, GET, ROUTE_HEALTH},
    {{"_cluster", "settings"}, GET | PUT, ROUTE_CLUSTER_SETTINGS},
    {{"_nodes", "stats", "{d}"}, GET, ROUTE_NODES_STATS}, /* all of it */
    {{"_stats"}, GET, ROUTE_STATS},
    {{"_stats", "{d}"}, GET, ROUTE_STATS},
    {{"{a}", "_stats"}, GET, ROUTE_STATS},
    {{"{a}", "_stats", "{d}"}, GET, ROUTE_STATS},
    {{"_refresh"}, GET | POST, ROUTE_REFRESH},
    {{"{a}", "_refresh"}, GET | POST, ROUTE_REFRESH},
    {{"_flush"}, GET | POST, ROUTE_FLUSH},
    {{"{a}", "_flush"}, GET | POST, ROUTE_FLUSH},
    {{"_forcemerge"}, POST, ROUTE_FORCE_MERGE},
    {{"{a}", "_forcemerge"}, POST, ROUTE_FORCE_MERGE},
    {{"_search"}, GET | POST, ROUTE_SEARCH},
    {{"_search", "scroll"}, GET | POST, ROUTE_SCROLL},
    {{"_search", "scroll"}, DELETE, ROUTE_SCROLL_END},
    {{"{a}", "_search"}, GET | POST, ROUTE_SEARCH},
    {{"{a}", "{t}", "_search"}, GET | POST, ROUTE_SEARCH},
    {{"_count"}, GET | POST, ROUTE_COUNT},
    {{"{a}", "_count"}, GET | POST, ROUTE_COUNT},
    {{"{a}", "{t}", "_count"}, GET | POST, ROUTE_COUNT},
    {{"{i}", "_settings"}, GET, ROUTE_INDEX_SHOW},
    {{"{i}", "_settings"}, PUT, ROUTE_SETTINGS},
    {{"_pitwall", "stats"}, GET, ROUTE_PITWALL_STATS},
    {{"_pitwall", "window"}, POST, ROUTE_PITWALL_WINDOW},
    {{"_nodes"}, GET, ROUTE_NODES},
    {{"_nodes", "{d}"}, GET, ROUTE_NODES},
    {{"_cluster", "stats"}, GET, ROUTE_CLUSTER_STATS},
    {{"_cat", "indices"}, GET, ROUTE_CAT_INDICES},
    {{"_cat", "indices", "{a}"}, GET, ROUTE_CAT_INDICES},
    {{"_cat", "count"}, GET, ROUTE_CAT_COUNT},
    {{"_cat", "count", "{a}"}, GET, ROUTE_CAT_COUNT},
    {{"_cat", "health"}, GET, ROUTE_CAT_HEALTH},
    {{"_cat", "nodes"}, GET, ROUTE_CAT_NODES},
    {{"{i}", "_mapping"}, GET | PUT | POST, ROUTE_MAPPING},
    {{"{i}", "_mapping", "{t}"}, PUT | POST, ROUTE_MAPPING},
    {{"_template"}, GET, ROUTE_TEMPLATE},
    {{"_template", "{d}"}, GET | HEAD | PUT | POST | DELETE, ROUTE_TEMPLATE},
    {{"_index_template"}, GET, ROUTE_TEMPLATE_INDEX},
    {{"_index_template", "{d}"},
     GET | HEAD | PUT | POST | DELETE,
     ROUTE_TEMPLATE_INDEX},
    {{"_component_template"}, GET, ROUTE_TEMPLATE_COMPONENT},
    {{"_component_template", "{d}"},
     GET | HEAD | PUT | POST | DELETE,
     ROUTE_TEMPLATE_COMPONENT},
    {{"{i}", "_create", "{d}"}, POST | PUT, ROUTE_DOC_CREATE},
    {{"{i}", "{t}", "{d}"}, GET | HEAD | PUT | POST | DELETE, ROUTE_DOC},
    {{"{i}", "{t}"}, POST, ROUTE_DOC_ADD},
    {{"{i}"}, PUT, ROUTE_INDEX_CREATE},
    {{"{i}"}, DELETE, ROUTE_INDEX_DELETE},
    {{"{i}"}, GET, ROUTE_INDEX_SHOW},
    {{"{i}"}, HEAD, ROUTE_INDEX_EXISTS},
};

struct segment {
    const char *text;
    size_t len;
};

/* Segments between slashes, empty ones left out; SEGMENTS_MAX + 1: too many. */
static size_t split(const char *path, size_t len, struct segment *out)
{
    size_t n = 0;
    for (const char *p = path, *end = path + len; p < end;) {
        const char *slash = memchr(p, '/', (size_t)(end - p));
        const char *stop = slash ? slash : end;
        if (stop > p) {
            if (n == SEGMENTS_MAX)
                return SEGMENTS_MAX + 1;
            out[n++] = (struct segment){p, (size_t)(stop - p)};
        }
        p = stop + 1;
    }
    return n;
}

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Percent-decode into a name; false: malformed, NUL or too long. */
static bool decode(struct segment s, char name[ROUTE_NAME_MAX + 1])
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.text[i];
        if (c == '%') {
            int high = i + 2 < s.len ? hex(s.text[i + 1]) : -1;
            int low = high >= 0 ? hex(s.text[i + 2]) : -1;
            if (low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (c == '\0' || n == ROUTE_NAME_MAX)
            return false;
        name[n++] = c;
    }
    name[n] = '\0';
    return true;
}

static bool fits(const struct pattern *p, const struct segment *s, size_t n,
                 struct route *r)
{
    for (size_t i = 0; i < SEGMENTS_MAX; i++) {
        const char *want = p->segments[i];
        if (!want || i == n)
            return !want && i == n;
        bool any = !strcmp(want, "{a}"), type = !strcmp(want, "{t}");
        bool index = any || !strcmp(want, "{i}"), id = !strcmp(want, "{d}");
        if (any && s[i].len == 4 && !memcmp(s[i].text, "_all", 4))
            continue;
        if (!index && !type && !id) {
            if (strlen(want) != s[i].len || memcmp(want, s[i].text, s[i].len))
                return false;
            continue;
        }
        bool doc = type && s[i].len == 4 && !memcmp(s[i].text, "_doc", 4);
        if ((s[i].text[0] == '_' && !doc) || !decode(s[i], index ? r->index
                                                           : id  ? r->id
                                                                 : r->type))
            return false;
    }
    return n == SEGMENTS_MAX;
}

static const char *allowed(unsigned methods)
{
    switch (methods) {
    case GET | HEAD:
        return "GET, HEAD";
    case POST | PUT:
        return "POST, PUT";
    case GET | POST:
        return "GET, POST";
    case DELETE: /* of a scroll */
        return "GET, POST, DELETE";
    case GET | HEAD | PUT | POST | DELETE:
        return "GET, HEAD, PUT, POST, DELETE";
    case GET:
        return "GET";
    case POST:
        return "POST";
    case GET | PUT:
    case PUT: /* of an index's settings */
        return "GET, PUT";
    default: /* of an index */
        return "GET, PUT, DELETE, HEAD";
    }
}

static size_t path_len(const char *target, size_t len)
{
    const char *query = memchr(target, '?', len);
    return query ? (size_t)(query - target) : len;
}

struct route route_of(enum http1_method method, const char *target, size_t len)
{
    struct segment segments[SEGMENTS_MAX];
    struct route r = {.kind = ROUTE_NONE};
    size_t n = split(target, path_len(target, len), segments);
    if (len == 0 || target[0] != '/' || n > SEGMENTS_MAX)
        return r;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        r.index[0] = r.type[0] = r.id[0] = '\0';
        if (!fits(&patterns[i], segments, n, &r))
            continue;
        if (patterns[i].methods & 1u << method) {
            r.kind = patterns[i].kind;
            return r;
        }
        r.kind = ROUTE_METHOD;
        r.allowed = allowed(patterns[i].methods);
    }
    return r;
}

bool route_param(const char *target, size_t len, const char *name, char *to,
                 size_t size)
{
    const char *end = target + len, *p = target + path_len(target, len);
    size_t name_len = strlen(name);
    while (p < end) {
        const char *begin = ++p; /* behind the mark or an ampersand */
        const char *next = memchr(begin, '&', (size_t)(end - begin));
        p = next ? next : end;
        if ((size_t)(p - begin) < name_len ||
            memcmp(begin, name, name_len) != 0 ||
            (begin + name_len < p && begin[name_len] != '='))
            continue;
        const char *value = begin + name_len + (begin + name_len < p);
        char decoded[ROUTE_NAME_MAX + 1];
        struct segment s = {value, (size_t)(p - value)};
        if (!decode(s, decoded))
            return false;
        size_t n = strlen(decoded) < size ? strlen(decoded) : size - 1;
        memcpy(to, decoded, n);
        to[n] = '\0';
        return true;
    }
    return false;
}

bool route_is_observer(const char *target, size_t len)
{
    static const char own[] = "/_pitwall/";
    return len >= sizeof own - 1 && !memcmp(target, own, sizeof own - 1);
}

bool route_index_name_good(const char *name, const char **reason)
{
    static const char bad[] = "\\/*?\"<>| ,#";
    *reason = NULL;
    if (name[0] == '_' || name[0] == '-' || name[0] == '+')
        *reason = "must not start with '_', '-', or '+'";
    else if (!name[0])
        *reason = "must not be empty";
    else if (strpbrk(name, bad))
        *reason = "must not contain the following characters "
                  "[ , \", *, \\, <, |, ,, >, /, ?, #]";
    else if (text_good(name, strlen(name)) < strlen(name) ||
             strpbrk(name, "\n\t"))
        *reason = "must be UTF-8 without control characters";
    else if (!strcmp(name, ".") || !strcmp(name, ".."))
        *reason = "must not be '.' or '..'";
    for (const char *p = name; *p && !*reason; p++)
        if (*p >= 'A' && *p <= 'Z')
            *reason = "must be lowercase";
    return !*reason;
}
