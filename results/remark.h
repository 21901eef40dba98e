/* What people say about what was measured: notes, and trials that they take
 * out. Kept with the store, shown above its answers. */
#ifndef PITWALL_RESULTS_REMARK_H
#define PITWALL_RESULTS_REMARK_H

#include "results/store.h"

#define REMARK_TEXT_MAX 2000u
#define REMARK_RULE     "operator" /* that such a trial breaks */

/* Add a note to a trial ("EXPERIMENT:NUMBER") or an experiment (a number, a
 * name). *experiment and *tid (0: none) say whose it became.
 * Errors  ERR_NOTFOUND: no such one. ERR_USAGE: a text that is empty, longer
 *         than REMARK_TEXT_MAX bytes or no text. */
CHECKED enum err remark_note(struct store *store, const char *word,
                             const char *text, int64_t *experiment,
                             int64_t *tid, struct why *why);

/* Make a trial's chosen attempt, else its last one, invalid by the rule
 * REMARK_RULE, reason being the evidence; a reason before stays beside it.
 * Errors  as remark_note; ERR_STATE: the trial has no attempt that is over. */
CHECKED enum err remark_invalidate(struct store *store, const char *word,
                                   const char *reason, int64_t *experiment,
                                   int64_t *tid, struct why *why);

#endif
