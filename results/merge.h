/* What the load processes of one trial recorded, as if it were one: counts are
 * added, histograms merged exactly, seconds added up. With one process all goes
 * through as it is.
 *
 * Of the numbers of a record, those that name a length or an extreme are not
 * added: the largest stands (see merge.c). Texts are the first one's. Where the
 * hosts' windows of a task differ, the merged one is as long as makes all they
 * counted the sum of their rates. */
#ifndef PITWALL_RESULTS_MERGE_H
#define PITWALL_RESULTS_MERGE_H

#include "common/record.h"

#define MERGE_HOSTS_MAX 64u

struct merge;

/* Start empty. Owns: merge_free (NULL is fine). */
CHECKED enum err merge_new(struct merge **out, struct why *why);
void merge_free(struct merge *merge);

/* Whether records of this kind are merged: task, driver, hist, sample_load. */
bool merge_takes(enum record_kind kind);

/* Take a record of host number 0 to MERGE_HOSTS_MAX-1. Its blob must stay until
 * the merge is freed.
 * Errors  ERR_EXISTS: this host said it before (the first one counts);
 *         ERR_RANGE: more tasks than TALLY_TASKS_MAX; ERR_NOMEM. */
CHECKED enum err merge_add(struct merge *merge, unsigned host,
                           const struct record *record, struct why *why);

/* After the last merge_add: the next merged record, tasks first, then the
 * driver, seconds and histograms, each key once; its blob stays until the next
 * call. *more is false past the last.
 * Errors  about what was left out of *out, which is good all the same:
 *         ERR_EXISTS, a host said it twice; ERR_CORRUPT, a histogram of one of
 *         several hosts does not decode. Or ERR_NOMEM, and *out is not. */
CHECKED enum err merge_next(struct merge *merge, struct record *out, bool *more,
                            struct why *why);

/* Begin with the first one again. */
void merge_again(struct merge *merge);

#endif
