#include "target/reply.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_page(struct reply *r, struct pages *pages, struct mutator *m)
{
    if (r->n_pages == r->cap) {
        uint32_t cap = r->cap ? r->cap * 2 : 8;
        heap_ref *list = realloc(r->pages, cap * sizeof *list);
        if (!list)
            return false;
        r->pages = list;
        r->cap = cap;
    }
    heap_ref page = pages_take(pages, m);
    if (!page)
        return false;
    r->pages[r->n_pages++] = page;
    return true;
}

bool reply_put(struct reply *r, struct pages *pages, struct mutator *m,
               const char *data, size_t len)
{
    while (len) {
        size_t used = r->body_len % PAGES_BYTES;
        if (r->body_len == (uint64_t)r->n_pages * PAGES_BYTES &&
            !add_page(r, pages, m))
            return false;
        size_t n = PAGES_BYTES - used < len ? PAGES_BYTES - used : len;
        memcpy((char *)heap_ptr(m, r->pages[r->n_pages - 1]) + used, data, n);
        r->body_len += n;
        data += n;
        len -= n;
    }
    return true;
}

bool reply_from(struct reply *r, struct pages *pages, struct mutator *m,
                const struct out *o)
{
    reply_clear(r, pages, m);
    return !o->cut && reply_put(r, pages, m, o->buf, o->len);
}

static const char *status_text(unsigned status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 413:
        return "Request Entity Too Large";
    case 429:
        return "Too Many Requests";
    case 503:
        return "Service Unavailable";
    case 507:
        return "Insufficient Storage";
    default:
        return "Internal Server Error";
    }
}

/* Elasticsearch's own clients since 7.14 talk to nothing that does not name the
 * product. */
void reply_seal(struct reply *r, unsigned status, const char *lead, bool close)
{
    size_t lead_len = strlen(lead);
    int n = snprintf(r->head, sizeof r->head,
                     "HTTP/1.1 %u %s\r\n"
                     "X-elastic-product: Elasticsearch\r\n"
                     "content-type: %s; charset=UTF-8\r\n"
                     "content-length: %llu\r\n%s\r\n",
                     status, status_text(status),
                     r->plain ? "text/plain" : "application/json",
                     (unsigned long long)(r->body_len + lead_len),
                     close ? "connection: close\r\n" : "");
    assert(n > 0 && (size_t)n + lead_len <= sizeof r->head);
    if (r->no_body)
        lead_len = 0;
    memcpy(r->head + n, lead, lead_len);
    r->head_len = (uint32_t)n + (uint32_t)lead_len;
    r->status = status;
}

/* Copy body bytes from offset at, at most size and within one page. */
static size_t body_piece(const struct reply *r, const struct mutator *m,
                         uint64_t at, char *to, size_t size)
{
    uint64_t left = r->body_len - at;
    size_t off = (size_t)(at % PAGES_BYTES);
    size_t n = r->fixed ? size : PAGES_BYTES - off;
    if (n > size)
        n = size;
    if (n > left)
        n = (size_t)left;
    if (n == 0)
        return 0;
    const char *from =
        r->fixed ? r->fixed + at
                 : (const char *)heap_ptr(m, r->pages[at / PAGES_BYTES]) + off;
    memcpy(to, from, n);
    return n;
}

size_t reply_fill(const struct reply *r, const struct mutator *m, char *to,
                  size_t size)
{
    size_t n = 0;
    if (r->sent < r->head_len) {
        n = r->head_len - (size_t)r->sent;
        n = n < size ? n : size;
        memcpy(to, r->head + r->sent, n);
    }
    while (n < size && !r->no_body) {
        uint64_t at = r->sent + n - r->head_len;
        size_t piece = body_piece(r, m, at, to + n, size - n);
        if (piece == 0)
            break;
        n += piece;
    }
    return n;
}

void reply_clear(struct reply *r, struct pages *pages, struct mutator *m)
{
    /* What m looked at may be another's from here on. */
    if (r->n_pages)
        heap_poll(m);
    for (uint32_t i = 0; i < r->n_pages; i++)
        pages_give(pages, m, r->pages[i]);
    *r = (struct reply){.pages = r->pages, .cap = r->cap};
}

void reply_fini(struct reply *r)
{
    assert(r->n_pages == 0);
    free(r->pages);
    *r = (struct reply){0};
}
