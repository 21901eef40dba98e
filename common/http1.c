/* http-parser with our events. What it leaves to its user is done here:
 * interim 1xx answers are passed over (their `begin` is held back until the
 * status is known to be final), Upgrade and CONNECT are read as ordinary
 * messages, a message after one that closes the connection is refused, and
 * headers are bounded at 64 KiB. */
#include "common/http1.h"

#include <http_parser.h>
#include <stdlib.h>

#define HEADER_BYTES_MAX 65536u

struct http1 {
    http_parser parser;
    const struct http1_events *events;
    void *ctx;
    enum http1_kind kind;
    bool no_body;     /* the next final response has none */
    bool begun;       /* `begin` was said for this message */
    bool keep_alive;  /* of this message */
    bool last;        /* a message closed the connection */
    bool more;        /* refused: a message after the last */
    bool interrupted; /* by a callback */
};

static struct http1 *self(http_parser *parser)
{
    return parser->data;
}

/* For http-parser, which takes 0 as "go on". */
static int verdict(struct http1 *h, bool go_on)
{
    h->interrupted = !go_on;
    return go_on ? 0 : -1;
}

static bool is_interim(const struct http1 *h)
{
    unsigned status = h->parser.status_code;
    return h->kind == HTTP1_RESPONSE && status / 100 == 1 && status != 101;
}

/* RFC 9110, 6.4.1; http-parser would believe their Content-Length. */
static bool is_bodiless(const struct http1 *h)
{
    unsigned status = h->parser.status_code;
    return h->kind == HTTP1_RESPONSE &&
           (status == 101 || status == 204 || status == 304);
}

static bool begin(struct http1 *h)
{
    if (h->begun)
        return true;
    h->begun = true;
    return !h->events->begin || h->events->begin(h->ctx);
}

static int on_begin(http_parser *parser)
{
    struct http1 *h = self(parser);
    if (h->last) {
        h->more = true;
        return -1;
    }
    h->begun = false;
    return h->kind == HTTP1_REQUEST ? verdict(h, begin(h)) : 0;
}

static int on_target(http_parser *parser, const char *data, size_t len)
{
    struct http1 *h = self(parser);
    return verdict(h,
                   !h->events->target || h->events->target(h->ctx, data, len));
}

static int on_name(http_parser *parser, const char *data, size_t len)
{
    struct http1 *h = self(parser);
    if (is_interim(h))
        return 0;
    return verdict(h, begin(h) && (!h->events->header_name ||
                                   h->events->header_name(h->ctx, data, len)));
}

static int on_value(http_parser *parser, const char *data, size_t len)
{
    struct http1 *h = self(parser);
    if (is_interim(h))
        return 0;
    return verdict(h, !h->events->header_value ||
                          h->events->header_value(h->ctx, data, len));
}

static enum http1_method method_of(const http_parser *parser)
{
    switch (parser->method) {
    case HTTP_GET:
        return HTTP1_GET;
    case HTTP_HEAD:
        return HTTP1_HEAD;
    case HTTP_POST:
        return HTTP1_POST;
    case HTTP_PUT:
        return HTTP1_PUT;
    case HTTP_DELETE:
        return HTTP1_DELETE;
    default:
        return HTTP1_OTHER;
    }
}

static int on_head(http_parser *parser)
{
    struct http1 *h = self(parser);
    parser->upgrade = 0;
    if (is_interim(h))
        return 1; /* http-parser skips the body */
    bool no_body = h->no_body || is_bodiless(h);
    h->no_body = false;
    if (no_body) /* before the question whether the body ends by closing */
        parser->flags |= F_SKIPBODY;
    bool chunked = parser->flags & F_CHUNKED;
    h->keep_alive = http_should_keep_alive(parser);
    struct http1_head head = {
        .method = method_of(parser),
        .status = parser->status_code,
        .content_length = chunked ? HTTP1_LENGTH_NONE : parser->content_length,
        .keep_alive = h->keep_alive,
        .chunked = chunked};
    if (!begin(h) || (h->events->head && !h->events->head(h->ctx, &head)))
        return verdict(h, false);
    return no_body;
}

static int on_body(http_parser *parser, const char *data, size_t len)
{
    struct http1 *h = self(parser);
    return verdict(h, !h->events->body || h->events->body(h->ctx, data, len));
}

static int on_end(http_parser *parser)
{
    struct http1 *h = self(parser);
    if (is_interim(h))
        return 0;
    h->last = !h->keep_alive;
    return verdict(h, !h->events->end || h->events->end(h->ctx));
}

static const http_parser_settings settings = {.on_message_begin = on_begin,
                                              .on_url = on_target,
                                              .on_header_field = on_name,
                                              .on_header_value = on_value,
                                              .on_headers_complete = on_head,
                                              .on_body = on_body,
                                              .on_message_complete = on_end};

struct http1 *http1_new(enum http1_kind kind, const struct http1_events *events,
                        void *ctx)
{
    struct http1 *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->events = events;
    h->ctx = ctx;
    h->kind = kind;
    http_parser_set_max_header_size(HEADER_BYTES_MAX);
    http1_reset(h);
    return h;
}

void http1_free(struct http1 *parser)
{
    free(parser);
}

void http1_reset(struct http1 *parser)
{
    *parser = (struct http1){
        .events = parser->events, .ctx = parser->ctx, .kind = parser->kind};
    http_parser_init(&parser->parser, parser->kind == HTTP1_REQUEST
                                          ? HTTP_REQUEST
                                          : HTTP_RESPONSE);
    parser->parser.data = parser;
}

void http1_expect_no_body(struct http1 *parser)
{
    parser->no_body = true;
}

static enum err from_http_parser(const struct http1 *h, struct why *why)
{
    enum http_errno number = HTTP_PARSER_ERRNO(&h->parser);
    if (h->interrupted)
        return err_set(why, ERR_INTERRUPTED, "HTTP: interrupted");
    if (h->more)
        number = HPE_CLOSED_CONNECTION;
    return err_set(why, ERR_PROTOCOL, "HTTP: %s (%s)",
                   http_errno_description(number), http_errno_name(number));
}

enum err http1_feed(struct http1 *parser, const char *data, size_t len,
                    struct why *why)
{
    size_t used = http_parser_execute(&parser->parser, &settings, data, len);
    if (HTTP_PARSER_ERRNO(&parser->parser) != HPE_OK)
        return from_http_parser(parser, why);
    if (used != len)
        return err_set(why, ERR_PROTOCOL, "HTTP: %zu bytes left over",
                       len - used);
    return ERR_OK;
}
