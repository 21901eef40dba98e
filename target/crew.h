/* Threads that share the parts of one piece of work, as the shards of a bulk:
 * whoever brings it works on it as well. They know no heap. */
#ifndef PITWALL_TARGET_CREW_H
#define PITWALL_TARGET_CREW_H

#include <stddef.h>

#include "common/err.h"

struct crew;

/* Start threads (0: the bringer works alone). ERR_NOMEM, ERR_AGAIN. Owns:
 * crew_close, when nothing runs (NULL is fine). */
CHECKED enum err crew_open(struct crew **out, unsigned threads,
                           struct why *why);
void crew_close(struct crew *crew);

/* Call work(ctx, i) for each i < n, on any of the threads and this one, and
 * return when all are done. Thread: any, several at once. */
void crew_run(struct crew *crew, size_t n, void (*work)(void *ctx, size_t i),
              void *ctx);

#endif
