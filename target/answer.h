/* The JSON of answers that need no statistics, in Elasticsearch's shapes. */
#ifndef PITWALL_TARGET_ANSWER_H
#define PITWALL_TARGET_ANSWER_H

#include "target/out.h"
#include "target/route.h"

/* Of the interface that clients of the field look for. */
#define ANSWER_VERSION "6.8.0"

/* {"error":{"root_cause":[{"type","reason"}],"type","reason"},"status"} */
void answer_error(struct out *o, unsigned status, const char *type,
                  const char *reason);

/* The cluster's banner of GET /. */
void answer_banner(struct out *o);

/* Of GET /_cluster/health. */
void answer_health(struct out *o, uint64_t shards);

/* Of an index that was made: {"acknowledged","shards_acknowledged","index"},
 * and {"acknowledged":true}. */
void answer_created(struct out *o, const char *index);
void answer_acknowledged(struct out *o);

/* {"_shards":{"total","successful","failed"}} of refresh, flush, force merge.
 */
void answer_shards(struct out *o);

/* Of a path that has no handler, or not this method; its status. */
unsigned answer_no_route(struct out *o, const struct route *route,
                         enum http1_method method, const char *target,
                         size_t len);

/* Of a full bulk queue, status 429. */
void answer_rejected(struct out *o, unsigned threads, unsigned queue);

#endif
