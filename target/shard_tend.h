/* What is done to a shard besides bulks and searches. */
#ifndef PITWALL_TARGET_SHARD_TEND_H
#define PITWALL_TARGET_SHARD_TEND_H

#include "target/shard.h"

/* Between bulks: merge segments when there are many, checkpoint when the log
 * is long. What fails is tried again the next time. */
void shard_tend(struct shard *s);

/* Merge until at most max_segments are left. Errors as of shard_prepare. */
CHECKED enum err shard_merge(struct shard *s, unsigned max_segments,
                             struct why *why);

/* Move the snapshot to the last commit; then also write the log back into the
 * file, durably. */
CHECKED enum err shard_refresh(struct shard *s, struct why *why);
CHECKED enum err shard_flush(struct shard *s, struct why *why);

#endif
