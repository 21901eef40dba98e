#include "load/http_head.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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
    int n =
        snprintf(buf, size, "%s %s HTTP/1.1\r\n%s%s%s%s%s%s%s%s%s\r\n",
                 h->method, h->path, host ? "Host: " : "", host ? h->host : "",
                 host ? "\r\n" : "", h->headers, type ? "Content-Type: " : "",
                 type ? h->content_type : "", type ? "\r\n" : "",
                 length ? "Content-Length: " : "", length ? number : "");
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}
