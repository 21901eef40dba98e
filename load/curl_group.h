/* The curl engine's multi handles, each of a group of lanes. */
#ifndef PITWALL_LOAD_CURL_GROUP_H
#define PITWALL_LOAD_CURL_GROUP_H

#include "load/curl.h"

/* Make the groups of the engine's lanes.
 * Errors  ERR_NOMEM. Owns: the engine, for curl_group_close. */
CHECKED enum err curl_group_open(struct engine *engine, struct why *why);
void curl_group_close(struct engine *engine);

/* Let libcurl do what is due, and what comes on sockets until until_ns at the
 * latest; what is over is told. busy: do not sleep. Returns when it woke. */
uint64_t curl_group_wait(struct engine *engine, uint64_t now_ns,
                         uint64_t until_ns, bool busy);

#endif
