/* The operations of one bulk, held in native memory from the moment that they
 * are parsed until they are committed and answered: the heap's objects may
 * move meanwhile. */
#ifndef PITWALL_TARGET_BATCH_H
#define PITWALL_TARGET_BATCH_H

#include <stdbool.h>

#include "target/docid.h"
#include "target/item.h"

struct index;

struct batch_text {
    const char *p;
    size_t len;
};

/* One operation, and how it ended. */
struct batch_op {
    enum bulk_op kind;
    size_t index_len, type_len, id_len; /* id_len 0: the index makes one */
    const char *index_name, *type, *id; /* insides of JSON strings */
    struct index *index;                /* NULL: refused before */
    uint32_t shard;
    struct batch_text key;    /* the id, its escapes decoded */
    struct batch_text source; /* the document; of an update what it changes */
    struct batch_text upsert; /* of an update: the document if there is none */
    struct batch_text text;   /* flattened; of an update not yet */
    char *owned;              /* native memory that text and source lie in */
    char made_id[DOCID_MADE];
    bool writes; /* it is the last of the bulk to write its document */
    /* Its end: status 200, 201, 404, 409, or that of error. */
    unsigned status;
    const char *result; /* "created" */
    uint64_t version;
    struct item_error error; /* type NULL: none */
};

struct batch_chunk;

struct batch {
    struct batch_op *ops; /* [n] */
    size_t n, cap;
    struct batch_chunk *chunks;
    struct index **indices; /* [n_indices] each once, held */
    size_t n_indices, cap_indices;
};

/* A new operation, zeroed; NULL: the native limit. Earlier pointers to
 * operations die. */
struct batch_op *batch_add(struct batch *b);

/* Room for size bytes that live until batch_clear; NULL: the native limit. The
 * next call may give the same room unless batch_take took of it. */
char *batch_room(struct batch *b, size_t size);
void batch_take(struct batch *b, size_t size);

/* A copy of text; p NULL: the native limit. */
struct batch_text batch_copy(struct batch *b, const char *text, size_t len);

/* Note that the batch holds an index: *new, when it is the first time. False:
 * the native limit. */
bool batch_hold(struct batch *b, struct index *index, bool *new);

/* Free everything; the indices are to be put first. */
void batch_clear(struct batch *b);

#endif
