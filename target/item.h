/* The items of a bulk response, in Elasticsearch's shape:
 * {"index":{"_index":"i","_type":"t","_id":"1",...,"status":201}}. */
#ifndef PITWALL_TARGET_ITEM_H
#define PITWALL_TARGET_ITEM_H

#include <stdint.h>

#include "target/bulk_action.h"

/* Longest item: names of a URL may grow sixfold when they are escaped. */
#define ITEM_MAX 8192u

/* What an item names; texts are the inside of JSON strings, as they stand. */
struct item {
    enum bulk_op op;
    const char *index, *type, *id;
    size_t index_len, type_len, id_len;
};

/* Why a document was refused. */
struct item_error {
    const char *type, *reason;
    const char *cause_type, *cause; /* may be NULL */
    unsigned status;                /* 0: 400 */
};

/* How an action on a document that is kept ended. */
struct item_end {
    unsigned status;
    const char *result; /* "created" */
    uint64_t version;
};

/* Write the item of an action that was done into to (ITEM_MAX bytes); its
 * length. */
size_t item_done(const struct item *i, char *to);

/* The same for one whose document is kept. */
size_t item_ended(const struct item *i, const struct item_end *end, char *to);

/* Write the item of a refused one. */
size_t item_refused(const struct item *i, const struct item_error *e, char *to);

/* A new id of 20 characters, from a counter and a seed that are the thread's
 * own. */
void item_make_id(uint64_t *counter, uint64_t seed, char id[20]);

#endif
