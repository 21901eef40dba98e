/* What a connection sends: the first byte says in which pieces it is read. The
 * requests decoded are the same for every size of piece, each is routed, and
 * the heap is empty afterwards. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "target/decoder.h"
#include "target/route.h"

#define ROOM_BYTES 40u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was decoded, folded into numbers. */
struct summary {
    uint64_t requests, bodies, targets, kinds;
    bool ended; /* by an error */
};

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void add(struct summary *s, const struct decoder *d)
{
    const struct request *r = &d->request;
    struct route route = route_of(r->method, r->target, r->target_len);
    s->requests++;
    s->bodies = s->bodies * 31 + r->body_bytes;
    s->kinds = s->kinds * 31 + (unsigned)route.kind + strlen(route.index);
    for (size_t i = 0; i < r->target_len; i++)
        s->targets = s->targets * 31 + (unsigned char)r->target[i];
    must(d->body.bytes == r->body_bytes);
}

static struct summary decode(const uint8_t *data, size_t size, size_t step)
{
    struct heap *h = NULL;
    struct heap_config config = {.heap_bytes = 16u << 20, .stress = true};
    struct heap_stats stats;
    struct decoder *d = malloc(sizeof *d);
    struct summary s = {0};
    must(d && !heap_new(&h, &config, NULL));
    struct mutator *m = heap_attach(h, "worker");
    must(m && decoder_init(d, m, 4, 8));
    for (size_t at = 0; at < size && !s.ended; at += step) {
        size_t n = size - at < step ? size - at : step;
        /* A little room behind it: the next read fits there, or not. */
        struct input in = {.ref = heap_alloc(m, n + ROOM_BYTES),
                           .len = (uint32_t)n,
                           .capacity = (uint32_t)n + ROOM_BYTES};
        must(in.ref != 0);
        memcpy(heap_ptr(m, in.ref), data + at, n);
        while (in.pos < in.len && !s.ended) {
            struct why why;
            enum decode v = decoder_run(d, m, &in, &why);
            if (v == DECODE_REQUEST) {
                add(&s, d);
                body_release(&d->body, m);
                decoder_next(d);
            } else {
                s.ended = v != DECODE_MORE && v != DECODE_CONTINUE;
            }
        }
        if (s.ended) {
            body_release(&d->body, m);
            heap_release(m, in.ref);
        }
    }
    decoder_fini(d, m);
    free(d);
    heap_stats(h, NULL, &stats);
    must(stats.used_bytes == 0);
    heap_detach(m);
    heap_free(h);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 20000)
        return 0;
    struct summary whole = decode(data + 1, size - 1, size),
                   pieces = decode(data + 1, size - 1, 1u + data[0]);
    must(whole.requests == pieces.requests && whole.bodies == pieces.bodies &&
         whole.targets == pieces.targets && whole.kinds == pieces.kinds &&
         whole.ended == pieces.ended);
    return 0;
}
