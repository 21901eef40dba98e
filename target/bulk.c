#include "target/bulk.h"

#include <string.h>

/* The run that begins with component `part`; nothing left: the body's end. */
static struct bulk_run run_at(const struct body *body, uint32_t part)
{
    struct bulk_run r = {.next = part};
    while (r.next < body->n_parts) {
        const struct component *c = &body->parts[r.next];
        if (r.left && (c->ref != r.ref || c->off != r.off + r.left))
            break;
        if (!r.left) {
            r.ref = c->ref;
            r.off = c->off;
        }
        r.left += c->len;
        r.next++;
    }
    return r;
}

struct bulk bulk_begin(const struct body *body, struct mutator *mutator,
                       bool copies)
{
    return (struct bulk){.body = body,
                         .mutator = mutator,
                         .run = run_at(body, 0),
                         .copies = copies};
}

static const uint8_t *bytes(const struct bulk *b, const struct bulk_run *r)
{
    return (const uint8_t *)heap_ptr(b->mutator, r->ref) + r->off;
}

/* Pass n bytes of the run, and load the next one at its end. */
static void advance(const struct bulk *b, struct bulk_run *r, uint32_t n)
{
    r->off += n;
    r->left -= n;
    if (!r->left)
        *r = run_at(b->body, r->next);
}

/* Length of the line that begins at r, and whether a line feed ends it. */
static size_t measure(const struct bulk *b, struct bulk_run r, bool *ends)
{
    size_t len = 0;
    *ends = false;
    while (r.left && !*ends) {
        const uint8_t *p = bytes(b, &r), *feed = memchr(p, '\n', r.left);
        *ends = feed != NULL;
        len += feed ? (size_t)(feed - p) : r.left;
        advance(b, &r, r.left);
    }
    return len;
}

/* A line that is copied. */
static enum bulk_line copied(struct bulk *b, struct bulk_cursor *line)
{
    bool ends;
    size_t len = measure(b, b->run, &ends);
    b->copy = heap_alloc(b->mutator, len);
    if (!b->copy)
        return BULK_LINE_OOM;
    uint8_t *copy = heap_ptr(b->mutator, b->copy), *to = copy;
    for (size_t left = len; left;) {
        uint32_t n = b->run.left < left ? b->run.left : (uint32_t)left;
        memcpy(to, bytes(b, &b->run), n);
        advance(b, &b->run, n);
        to += n;
        left -= n;
    }
    if (ends)
        advance(b, &b->run, 1);
    *line = (struct bulk_cursor){copy, copy + len, copy + len};
    return ends ? BULK_LINE : BULK_LINE_LAST;
}

enum bulk_line bulk_next(struct bulk *b, struct bulk_cursor *line)
{
    bulk_end(b);
    if (!b->run.left)
        return BULK_LINE_NONE;
    b->number++;
    const uint8_t *p = bytes(b, &b->run);
    const uint8_t *safe = p + b->run.left;
    const uint8_t *feed = memchr(p, '\n', b->run.left);
    if (b->copies || (!feed && b->run.next < b->body->n_parts))
        return copied(b, line);
    const uint8_t *end = feed ? feed : safe;
    *line = (struct bulk_cursor){p, end, safe};
    advance(b, &b->run, (uint32_t)(end - p) + (feed != NULL));
    return feed ? BULK_LINE : BULK_LINE_LAST;
}

void bulk_end(struct bulk *b)
{
    heap_release(b->mutator, b->copy);
    b->copy = 0;
}

bool bulk_terminated(const struct body *body, const struct mutator *mutator)
{
    if (body->n_parts == 0)
        return false;
    const struct component *c = &body->parts[body->n_parts - 1];
    return ((const uint8_t *)heap_ptr(mutator, c->ref))[c->off + c->len - 1] ==
           '\n';
}
