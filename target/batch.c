#include "target/batch.h"

#include <string.h>

#include "target/native.h"

#define CHUNK_BYTES (1u << 20)
#define FIRST_OPS   256u

struct batch_chunk {
    struct batch_chunk *next;
    size_t used, size;
    char bytes[];
};

struct batch_op *batch_add(struct batch *b)
{
    if (b->n == b->cap) {
        size_t cap = b->cap ? b->cap * 2 : FIRST_OPS;
        struct batch_op *ops = native_grow(b->ops, cap * sizeof *ops);
        if (!ops)
            return NULL;
        b->ops = ops;
        b->cap = cap;
    }
    struct batch_op *op = &b->ops[b->n++];
    memset(op, 0, sizeof *op);
    return op;
}

char *batch_room(struct batch *b, size_t size)
{
    struct batch_chunk *c = b->chunks;
    if (!c || c->size - c->used < size) {
        size_t bytes = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        c = native_alloc(sizeof *c + bytes);
        if (!c)
            return NULL;
        c->next = b->chunks;
        c->used = 0;
        c->size = bytes;
        b->chunks = c;
    }
    return c->bytes + c->used;
}

void batch_take(struct batch *b, size_t size)
{
    b->chunks->used += size;
}

struct batch_text batch_copy(struct batch *b, const char *text, size_t len)
{
    char *to = batch_room(b, len);
    if (to) {
        memcpy(to, text, len);
        batch_take(b, len);
    }
    return (struct batch_text){to, len};
}

bool batch_hold(struct batch *b, struct index *index, bool *new)
{
    for (size_t i = b->n_indices; i--;)
        if (b->indices[i] == index) {
            *new = false;
            return true;
        }
    if (b->n_indices == b->cap_indices) {
        size_t cap = b->cap_indices ? b->cap_indices * 2 : 4;
        struct index **grown =
            native_grow(b->indices, cap * sizeof(struct index *));
        if (!grown)
            return false;
        b->indices = grown;
        b->cap_indices = cap;
    }
    b->indices[b->n_indices++] = index;
    *new = true;
    return true;
}

void batch_clear(struct batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        native_free(b->ops[i].owned);
    native_free(b->ops);
    native_free(b->indices);
    while (b->chunks) {
        struct batch_chunk *c = b->chunks;
        b->chunks = c->next;
        native_free(c);
    }
    *b = (struct batch){0};
}
