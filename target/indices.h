/* All indices of a node, in a folder: found again after a restart, bulks that
 * were half committed taken back. Without a folder of the user's they live in
 * one of their own, which is removed in the end. */
#ifndef PITWALL_TARGET_INDICES_H
#define PITWALL_TARGET_INDICES_H

#include "target/index.h"
#include "target/templates.h"

#define INDICES_SHARDS_MAX 1000u /* as cluster.max_shards_per_node */

struct indices;

struct indices_config {
    const char *folder; /* "": a new one in `temporary`, removed at the end */
    const char *temporary;
    uint32_t shards;             /* of an index that does not say */
    unsigned threads;            /* that commit */
    struct templates *templates; /* of indices that a bulk makes; NULL: none */
};

/* Open what is there. ERR_BUSY: another process has the folder; ERR_CORRUPT,
 * ERR_IO, ERR_PERMISSION naming the file. Owns: indices_close (NULL is fine),
 * when nobody holds an index. */
CHECKED enum err indices_open(struct indices **out,
                              const struct indices_config *config,
                              struct why *why);
void indices_close(struct indices *all);

/* An index by name, held until indices_put; NULL: there is none. Thread: any,
 * as all below. */
struct index *indices_get(struct indices *all, const char *name);
void indices_put(struct index *x);

/* Make one. ERR_EXISTS; ERR_RANGE: too many shards; and as index_create. */
CHECKED enum err indices_create(struct indices *all, const char *name,
                                const struct creation *c, struct why *why);

/* Get one, made by default when it is not there. */
CHECKED enum err indices_need(struct indices *all, const char *name,
                              struct index **out, struct why *why);

/* Delete one, with its files. ERR_NOTFOUND. */
CHECKED enum err indices_drop(struct indices *all, const char *name,
                              struct why *why);

/* Hold all of them: *out is the caller's to free after indices_put of each.
 * NULL when there are none, or no memory. */
struct index **indices_all(struct indices *all, size_t *n);

/* Show each to visit, which must not call back here. */
void indices_each(struct indices *all,
                  void (*visit)(void *ctx, struct index *x), void *ctx);

/* The threads that commit. */
struct crew *indices_crew(struct indices *all);

/* Set when the server ends: what is being prepared is given up. */
atomic_bool *indices_given_up(struct indices *all);

/* Shards of an index that does not say. */
uint32_t indices_default_shards(const struct indices *all);

#endif
