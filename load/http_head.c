#include "load/http_head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LENGTH      "Content-Length: "
#define FIXED_BYTES 160 /* words and digits of all lines */

bool http_head_has(const char *headers, const char *name)
{
    size_t len = strlen(name);
    while (*headers) {
        if (!strncasecmp(headers, name, len) && headers[len] == ':')
            return true;
        headers += strcspn(headers, "\n");
        headers += *headers == '\n';
    }
    return false;
}

size_t http_head_max(const struct http_head *h)
{
    return FIXED_BYTES + strlen(h->method) + strlen(h->path) + strlen(h->host) +
           strlen(h->headers) + (h->content_type ? strlen(h->content_type) : 0);
}

size_t http_head_write(const struct http_head *h, char *buf, size_t size)
{
    bool type = h->has_body && h->content_type &&
                !http_head_has(h->headers, "Content-Type");
    bool host = !http_head_has(h->headers, "Host");
    bool length =
        h->has_body || !strcmp(h->method, "POST") || !strcmp(h->method, "PUT");
    char number[32];
    (void)snprintf(number, sizeof number, "%zu\r\n", h->body_bytes);
    int n = snprintf(
        buf, size, "%s %s HTTP/1.1\r\n%s%s%s%s%s%s%s%s%s\r\n", h->method,
        h->path, host ? "Host: " : "", host ? h->host : "", host ? "\r\n" : "",
        h->headers, type ? "Content-Type: " : "", type ? h->content_type : "",
        type ? "\r\n" : "", length ? LENGTH : "", length ? number : "");
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

size_t http_head_common(const char *head, size_t bytes)
{
    size_t at = bytes > 4 ? bytes - 4 : 0; /* before the two ends of line */
    while (at && head[at - 1] != '\n')
        at--;
    bool is_length = bytes - at > strlen(LENGTH) &&
                     !memcmp(head + at, LENGTH, strlen(LENGTH));
    return is_length ? at : bytes;
}

bool http_head_take(struct http_head_parts *parts, const char *head,
                    size_t bytes)
{
    size_t common = http_head_common(head, bytes);
    *parts = (struct http_head_parts){.has_length = common < bytes};
    char *text = malloc(common + 1);
    if (!text)
        return false;
    parts->text = text;
    memcpy(text, head, common);
    text[common] = 0;
    parts->has_type = http_head_has(text, "Content-Type");
    char *path = strchr(text, ' '), *end = path ? strchr(path + 1, ' ') : NULL;
    char *lines = end ? strstr(end, "\r\n") : NULL;
    if (!lines)
        return false;
    *path = *end = 0;
    parts->method = text;
    parts->path = path + 1;
    parts->lines = lines + 2;
    return true;
}

bool http_head_each(const struct http_head_parts *parts,
                    bool (*take)(void *ctx, const char *line), void *ctx)
{
    for (char *at = parts->lines, *end; *at; at = end + 2) {
        end = strstr(at, "\r\n");
        if (!end || end == at)
            return true;
        *end = 0;
        bool good = take(ctx, at);
        *end = '\r';
        if (!good)
            return false;
    }
    return true;
}
