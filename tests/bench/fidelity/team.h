/* Pieces of work done by several threads, taken in their order. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_TEAM_H
#define PITWALL_TESTS_BENCH_FIDELITY_TEAM_H

#include <stddef.h>

#include "common/err.h"

/* Do piece i; any thread, no two of the same i. */
typedef enum err team_work(void *ctx, size_t i, struct why *why);
/* Piece i is done, and so are all before it; the caller's thread. */
typedef void team_done(void *ctx, size_t i);

/* Do pieces 0 to n - 1 by that many threads (1: the caller's own alone). The
 * first failure, in their order, is returned; no piece is begun after one. */
CHECKED enum err team_run(size_t n, unsigned threads, team_work *work,
                          team_done *done, void *ctx, struct why *why);

#endif
