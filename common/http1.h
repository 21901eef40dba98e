/* Incremental HTTP/1.1 parsing: the sole owner of <http_parser.h>. Used by the
 * target (requests) and the raw load engine (responses). A parser is made once
 * per connection and reused; feeding allocates nothing. */
#ifndef PITWALL_COMMON_HTTP1_H
#define PITWALL_COMMON_HTTP1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct http1;

enum http1_kind { HTTP1_REQUEST, HTTP1_RESPONSE };

enum http1_method {
    HTTP1_GET,
    HTTP1_HEAD,
    HTTP1_POST,
    HTTP1_PUT,
    HTTP1_DELETE,
    HTTP1_OTHER
};

#define HTTP1_LENGTH_NONE UINT64_MAX

/* Known once the headers are complete. */
struct http1_head {
    enum http1_method method; /* requests */
    unsigned status;          /* responses */
    uint64_t content_length;  /* HTTP1_LENGTH_NONE: none or chunked */
    bool keep_alive;
    bool chunked;
};

/* Callbacks, each may be NULL. Pieces of one item may come in several calls
 * when the input is cut, whole items are the same however it is cut. A callback
 * that returns false ends the parse with ERR_INTERRUPTED.
 *
 * Values come without leading but with trailing blanks. Trailers of a chunked
 * body come as header_name and header_value after body. Interim 1xx answers
 * give no events at all; 101 is reported like a final one. Answers to HEAD
 * (http1_expect_no_body), 204 and 304 have no body. Upgrade and CONNECT are
 * ignored: what follows is read as HTTP. */
struct http1_events {
    bool (*begin)(void *ctx);
    bool (*target)(void *ctx, const char *data, size_t len); /* path?query */
    bool (*header_name)(void *ctx, const char *data, size_t len);
    bool (*header_value)(void *ctx, const char *data, size_t len);
    bool (*head)(void *ctx, const struct http1_head *head);
    bool (*body)(void *ctx, const char *data, size_t len);
    bool (*end)(void *ctx);
};

/* events and ctx are borrowed for the parser's life. NULL: no memory. */
struct http1 *http1_new(enum http1_kind kind, const struct http1_events *events,
                        void *ctx);
void http1_free(struct http1 *parser);

/* Forget everything: a new connection. */
void http1_reset(struct http1 *parser);

/* Responses: the next final one answers a HEAD request and has no body. To be
 * said for each, after the end of the one before. */
void http1_expect_no_body(struct http1 *parser);

/* Parse len bytes; several messages may follow one another. All bytes are used
 * unless an error is returned. len 0 is the connection's end: it ends a
 * response without length, and is ERR_PROTOCOL when a message is cut by it.
 * After an error or the connection's end only http1_reset makes sense.
 * Errors  ERR_PROTOCOL with the parser's reason and name (HPE_...); more than
 *         64 KiB of start line and headers; a message after one that closes
 *         the connection. ERR_INTERRUPTED. */
CHECKED enum err http1_feed(struct http1 *parser, const char *data, size_t len,
                            struct why *why);

#endif
