/* The cluster's settings: kept as they are put and shown, in Elasticsearch's
 * shapes. None has an effect, since there is one node and nothing to move. */
#ifndef PITWALL_TARGET_CLUSTER_H
#define PITWALL_TARGET_CLUSTER_H

#include "common/err.h"
#include "target/out.h"

#define CLUSTER_BODY_MAX 8192u /* bytes of one request */

struct cluster;

/* No settings. NULL: no memory. Thread: the functions below lock. */
struct cluster *cluster_new(void);
void cluster_free(struct cluster *c);

/* Put {"persistent": {...}, "transient": {...}}, nested or with dots; null
 * takes a setting back, "a.*" all below. The answer, which echoes what was put,
 * is written to o, which needs 16 KiB. ERR_INVALID, ERR_RANGE (more than is
 * kept), ERR_NOMEM: nothing changed, nothing written. */
CHECKED enum err cluster_put(struct cluster *c, const char *text, size_t len,
                             struct out *o, struct why *why);

/* All settings in force; o as above. */
void cluster_show(struct cluster *c, struct out *o);

#endif
