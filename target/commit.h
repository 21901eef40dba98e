/* A bulk becomes visible as a whole: its operations are spread over the shards
 * of their indices, prepared on all of them at once, then committed on all of
 * them. If one fails nothing remains on any. */
#ifndef PITWALL_TARGET_COMMIT_H
#define PITWALL_TARGET_COMMIT_H

#include "target/indices.h"

/* Commit the batch; each operation's end is set. ERR_NOMEM: the native limit;
 * ERR_NOSPACE: the disk; ERR_STATE, ERR_IO, ERR_CORRUPT: a shard; then no
 * operation was done. Thread: any, holding no heap pointer. */
CHECKED enum err commit_batch(struct indices *all, struct batch *batch,
                              struct why *why);

#endif
