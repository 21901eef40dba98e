/* A request's head as text. */
#ifndef PITWALL_LOAD_HTTP_HEAD_H
#define PITWALL_LOAD_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>

struct http_head {
    const char *method, *path, *host;
    const char *headers;      /* more of them, "Name: value\r\n" each, or "" */
    const char *content_type; /* of the body; NULL: not said */
    bool has_body;            /* else no Content-Length, but for POST, PUT */
    size_t body_bytes;
};

/* Write the head, with the empty line behind it, to buf. Host and Content-Type
 * give way to those of headers. Returns its length, 0 when buf is too small. */
size_t http_head_write(const struct http_head *head, char *buf, size_t size);

/* How many bytes it takes at most. */
size_t http_head_max(const struct http_head *head);

/* Whether headers have one of this name, in any case. */
bool http_head_has(const char *headers, const char *name);

/* A head as http_head_write made it, taken apart again. */
struct http_head_parts {
    char *text; /* that the others point into; the caller's to free */
    const char *method, *path;
    char *lines; /* the headers, "Name: value\r\n" each */
    bool has_length, has_type;
};

/* Take a head apart. false: no memory, or it is none. */
bool http_head_take(struct http_head_parts *parts, const char *head,
                    size_t bytes);

/* Call with each header but Content-Length, until one is refused; false then.*/
bool http_head_each(const struct http_head_parts *parts,
                    bool (*take)(void *ctx, const char *line), void *ctx);

/* How many bytes of the head come before its last line, Content-Length; all
 * when it has none. */
size_t http_head_common(const char *head, size_t bytes);

#endif
