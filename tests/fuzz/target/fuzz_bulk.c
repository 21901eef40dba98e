/* A bulk request: the first byte says how the body is sliced and whether its
 * lines are copied, the rest is the body. However that is, the documents are
 * counted alike, and the heap is empty afterwards. Runs on a heap that moves
 * objects as often as it can. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "target/ingest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct result {
    unsigned status;
    uint64_t docs, failed;
};

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void slice(struct body *b, struct mutator *m, const uint8_t *data,
                  size_t size, size_t step)
{
    for (size_t at = 0; at < size; at += step) {
        size_t n = size - at < step ? size - at : step;
        heap_ref r = heap_alloc(m, n);
        must(r != 0);
        memcpy(heap_ptr(m, r), data + at, n);
        /* Two neighbouring components of one buffer where there is room. */
        uint32_t half = (uint32_t)(n / 2);
        b->keep = r;
        if (half)
            must(body_add(b, m, r, 0, half));
        must(body_add(b, m, r, half, (uint32_t)n - half));
        b->keep = 0;
        if (!body_holds(b, r))
            heap_release(m, r);
    }
}

static struct result ingest(const uint8_t *data, size_t size, size_t step,
                            uint32_t parse_work)
{
    struct heap *h = NULL;
    struct heap_config config = {.heap_bytes = 64u << 20, .stress = true};
    struct heap_stats stats;
    struct body b;
    struct reply reply = {0};
    must(!heap_new(&h, &config, NULL));
    struct mutator *m = heap_attach(h, "bulk");
    struct ingest in = {.mutator = m,
                        .pages = pages_new(config.heap_bytes),
                        .catalog = catalog_new(),
                        .parse_work = parse_work};
    struct route route = route_of(HTTP1_POST, "/i/_bulk", 8);
    must(m && in.pages && in.catalog);
    body_init(&b, 8);
    slice(&b, m, data, size, step);
    must(ingest_bulk(&in, &b, &route, &reply, false));
    struct result r = {reply.status, reply.docs, reply.docs_failed};
    char piece[512];
    for (size_t n; (n = reply_fill(&reply, m, piece, sizeof piece));)
        reply.sent += n;
    reply_clear(&reply, in.pages, m);
    reply_fini(&reply);
    body_release(&b, m);
    body_fini(&b);
    pages_free(in.pages, m);
    catalog_free(in.catalog);
    heap_stats(h, NULL, &stats);
    must(stats.used_bytes == 0);
    heap_detach(m);
    heap_free(h);
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 20000)
        return 0;
    size_t step = 1u + data[0];
    struct result whole = ingest(data + 1, size - 1, size, 0),
                  sliced = ingest(data + 1, size - 1, step, data[0] & 1u);
    must(whole.status == sliced.status && whole.docs == sliced.docs &&
         whole.failed == sliced.failed);
    return 0;
}
