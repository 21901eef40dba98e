/* Indices in a folder of their own, for tests, and bulks as plain text. */
#ifndef PITWALL_TESTS_UNIT_TARGET_SHELF_H
#define PITWALL_TESTS_UNIT_TARGET_SHELF_H

#include "target/commit.h"

struct shelf {
    char folder[64];
    struct indices *all;
    uint64_t native_bytes; /* before it was opened */
};

/* Open a new folder; an index made by default has so many shards. */
void shelf_open(struct shelf *s, uint32_t shards);

/* Close it, and open it again as after a restart; close and remove it. */
void shelf_reopen(struct shelf *s, uint32_t shards);
void shelf_close(struct shelf *s);

/* A batch of operations on the index "geo", and what became of it: "i1" index,
 * "c1" create, "d1" delete, "u1" update of document 1, "i" one without an id;
 * each followed by ":TEXT", the value of its only field, "t". */
enum err shelf_bulk(struct shelf *s, const char *const *ops, size_t n,
                    char *ends, size_t size);

/* Documents of "geo" that match the query (NULL: all), after a refresh. */
uint64_t shelf_count(struct shelf *s, const char *query);

/* FTS5's and SQLite's own checks of every shard. */
void shelf_check(struct shelf *s);

#endif
