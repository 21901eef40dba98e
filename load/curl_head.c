/* A request's head, as text, into options of its easy handle. Some of what
 * libcurl adds by itself is taken away, so that the head stays what it was; of
 * that "Expect: 100-continue", whose answer large POSTs would wait a second
 * for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/curl.h"
#include "load/http_head.h"

#define SET(easy, option, value) (!curl_easy_setopt(easy, option, value))

/* The method, and whether a body follows, though it be empty. */
static bool method_set(struct curl_lane *l, const char *method, bool body)
{
    bool head = !strcmp(method, "HEAD") && !body;
    bool usual = head || !strcmp(method, body ? "POST" : "GET");
    bool good = SET(l->easy, CURLOPT_NOBODY, 0L) &&
                (body ? SET(l->easy, CURLOPT_POST, 1L)
                      : SET(l->easy, CURLOPT_HTTPGET, 1L)) &&
                (!head || SET(l->easy, CURLOPT_NOBODY, 1L));
    return good && SET(l->easy, CURLOPT_CUSTOMREQUEST, usual ? NULL : method);
}

/* The headers of a request being made. */
struct headers {
    const struct engine *engine;
    struct curl_slist *list;
};

static bool header_add(struct headers *h, const char *line)
{
    struct curl_slist *more = curl_slist_append(h->list, line);
    h->list = more ? more : h->list;
    return more;
}

/* "Name:" would take the header away, "Name;" sends it empty. */
static bool header_keep(void *ctx, const char *line)
{
    struct headers *h = ctx;
    char empty[256];
    size_t name = strcspn(line, ":");
    if (!strcmp(line, h->engine->own_host))
        return true;
    if (line[name] &&
        strspn(line + name + 1, " \t") == strlen(line + name + 1) &&
        name + 2 <= sizeof empty) {
        (void)snprintf(empty, sizeof empty, "%.*s;", (int)name, line);
        line = empty;
    }
    return header_add(h, line);
}

/* What is wrong with it, if anything, is the request's text. */
bool curl_head_set_url(struct curl_lane *l, const char *url)
{
    CURLUcode code = curl_url_set(l->url, CURLUPART_URL, url, CURLU_PATH_AS_IS);
    if (code)
        (void)snprintf(l->error, sizeof l->error, "%s",
                       curl_url_strerror(code));
    return !code;
}

/* Set the handle up for a head, whose first line and headers were taken apart.
 */
static bool set_parts(struct curl_lane *l, struct http_head_parts *parts)
{
    char url[sizeof l->engine->base + ADDRESS_PATH_MAX + 1];
    struct headers headers = {.engine = l->engine};
    size_t len = strlen(l->engine->base);
    memcpy(url, l->engine->base, len);
    memcpy(url + len, parts->path, strlen(parts->path) + 1);
    bool good = http_head_each(parts, header_keep, &headers) &&
                header_add(&headers, "Accept:") &&
                (!parts->has_length || header_add(&headers, "Expect:")) &&
                (!parts->has_length || parts->has_type ||
                 header_add(&headers, "Content-Type:")) &&
                curl_head_set_url(l, url) &&
                SET(l->easy, CURLOPT_HTTPHEADER, headers.list) &&
                method_set(l, parts->method, parts->has_length);
    curl_slist_free_all(l->headers);
    l->headers = headers.list;
    l->has_body = parts->has_length;
    return good;
}

bool curl_head_set(struct curl_lane *l)
{
    const struct engine_request *r = l->request;
    size_t bytes = http_head_common(r->head, r->head_bytes);
    if (!l->key || l->key_bytes != bytes || memcmp(l->key, r->head, bytes)) {
        struct http_head_parts parts;
        bool good = http_head_take(&parts, r->head, r->head_bytes) &&
                    set_parts(l, &parts);
        free(parts.text);
        free(l->key);
        l->key = good ? malloc(bytes) : NULL;
        if (!l->key)
            return false;
        memcpy(l->key, r->head, bytes);
        l->key_bytes = bytes;
    }
    /* Setting a body makes it a POST. */
    return !l->has_body ||
           (SET(l->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                (curl_off_t)r->body_bytes) &&
            SET(l->easy, CURLOPT_POSTFIELDS, r->body_bytes ? r->body : ""));
}
