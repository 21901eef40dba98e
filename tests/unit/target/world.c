#include "tests/unit/target/world.h"

#include "tests/lib/check.h"

struct world world_open(uint64_t bytes)
{
    struct world w = {0};
    struct why why = {0};
    struct heap_config config = {.heap_bytes = bytes, .stress = true};
    check_ok(heap_new(&w.heap, &config, &why), why);
    w.m = heap_attach(w.heap, "worker");
    w.pages = pages_new(bytes);
    assert_non_null(w.m);
    assert_non_null(w.pages);
    return w;
}

uint64_t world_used(const struct world *w)
{
    struct heap_stats s;
    heap_stats(w->heap, NULL, &s);
    return s.used_bytes;
}

void world_close(struct world *w)
{
    pages_free(w->pages, w->m);
    assert_int_equal(world_used(w), 0);
    heap_detach(w->m);
    heap_free(w->heap);
}

heap_ref world_fill(struct world *w, uint64_t left)
{
    struct heap_stats s;
    heap_stats(w->heap, NULL, &s);
    heap_ref r = heap_alloc(w->m, s.heap_bytes - s.used_bytes - 16 - left);
    assert_int_not_equal(r, 0);
    return r;
}

heap_ref world_object(struct world *w, const char *text, size_t len)
{
    heap_ref r = heap_alloc(w->m, len);
    assert_int_not_equal(r, 0);
    memcpy(heap_ptr(w->m, r), text, len);
    return r;
}

void world_slice(struct world *w, struct body *b, const char *text, size_t len)
{
    heap_ref r = world_object(w, text, len);
    assert_true(body_add(b, w->m, r, 0, (uint32_t)len));
}

void world_sliced(struct world *w, struct body *b, const char *text, size_t len,
                  size_t step)
{
    for (size_t at = 0; at < len; at += step)
        world_slice(w, b, text + at, len - at < step ? len - at : step);
}

const char *world_reply(struct world *w, struct reply *r, char *to, size_t size)
{
    size_t n = 0, piece;
    /* Odd pieces, so that heads, leads and pages are cut everywhere. */
    while ((piece = reply_fill(r, w->m, to + n,
                               size - 1 - n < 1013 ? size - 1 - n : 1013))) {
        n += piece;
        r->sent += piece;
        assert_true(n < size - 1);
    }
    to[n] = '\0';
    return to;
}

const char *world_json(const char *reply)
{
    const char *end = strstr(reply, "\r\n\r\n");
    assert_non_null(end);
    return end + 4;
}
