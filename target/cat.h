/* Tables as Elasticsearch's /_cat writes them: a line of words each, with
 * ?v the names before them, or with ?format=json a list of objects. */
#ifndef PITWALL_TARGET_CAT_H
#define PITWALL_TARGET_CAT_H

#include "target/census.h"
#include "target/index.h"
#include "target/out.h"

#define CAT_ROW 512u /* bytes that a row may have beside its name */

struct cat {
    struct out *out;
    bool json, names;
};

/* What the query of a request's target asks for. */
struct cat cat_of(struct out *out, const char *target, size_t len);

/* The tables: indices, the cluster's health, its one node, documents. now_s is
 * the wall clock's. */
void cat_indices(struct cat *c, struct index *const *list, size_t n);
void cat_health(struct cat *c, uint64_t shards, uint64_t now_s);
void cat_nodes(struct cat *c, uint64_t heap_percent);
void cat_count(struct cat *c, uint64_t docs, uint64_t now_s);

#endif
