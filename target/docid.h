/* Ids of documents: which shard one belongs to, and ids that the index makes
 * itself. A made id tells where its document lies, so that it needs no entry in
 * a table of ids: 16 bits of shard, 48 of the document's number, and 56 that
 * follow from both and the index's seed, as 20 characters. Pure. */
#ifndef PITWALL_TARGET_DOCID_H
#define PITWALL_TARGET_DOCID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOCID_MADE 20u /* characters */

/* Make the id of document n (below 2^48) of a shard. */
void docid_make(uint64_t seed, uint32_t shard, uint64_t n, char id[DOCID_MADE]);

/* Whether id is one that this index made, and of which document. */
bool docid_read(uint64_t seed, const char *id, size_t len, uint32_t *shard,
                uint64_t *n);

/* A 64-bit hash of the bytes: FNV-1a, mixed. */
uint64_t docid_hash(const char *id, size_t len);

/* The shard of n_shards that a document belongs to. */
uint32_t docid_shard(uint64_t seed, const char *id, size_t len,
                     uint32_t n_shards);

#endif
