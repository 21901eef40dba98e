/* The store's answers: what list, show, report, query and metrics print. The
 * reading side; nothing here writes. */
#ifndef PITWALL_RESULTS_ANSWER_H
#define PITWALL_RESULTS_ANSWER_H

#include "results/sheet.h"
#include "results/store.h"

/* Experiment id by what a user types: a number, a name (its newest) or NULL for
 * the newest of all. ERR_NOTFOUND names what was asked. */
CHECKED enum err answer_find(struct store *store, const char *word,
                             int64_t *experiment, struct why *why);

/* The newest experiment that is not over and that nobody ended. ERR_NOTFOUND.
 */
CHECKED enum err answer_unfinished(struct store *store, int64_t *experiment,
                                   struct why *why);

/* A trial's id by "EXPERIMENT:TID" (EXPERIMENT as above) or that id itself.
 * ERR_NOTFOUND names what was asked. */
CHECKED enum err answer_trial(struct store *store, const char *word,
                              int64_t *trial, struct why *why);

/* Experiments, newest first; track and tag ("k=v") filter, NULL: all. */
CHECKED enum err answer_list(struct store *store, const char *track,
                             const char *tag, struct grid *grid,
                             struct why *why);

/* One trial: "EXPERIMENT:TID" (EXPERIMENT as answer_find) or a global trial id.
 * Rows: Rally's first where the target has them, then memory, link, kernel,
 * validity, outcome, bound. */
CHECKED enum err answer_show(struct store *store, const char *trial,
                             struct grid *grid, struct why *why);

struct answer_report {
    const char *rows;    /* factor names, comma separated, "metric" among them:
                            a row per metric; NULL: all others */
    const char *cols;    /* NULL: link where it is a factor, else none */
    const char *metrics; /* names or sets, see report_metrics.h */
    const char *where;   /* "heap=2g,link=eth200"; NULL: all */
};

/* The experiment's matrix for machines: a row per cell of the row factors, a
 * column group per column level and metric; centres are geometric means over
 * the trials of v_trial, "failed 1/3", "oom 3/3" where some ended otherwise. */
CHECKED enum err answer_report(struct store *store, int64_t experiment,
                               const struct answer_report *options,
                               struct grid *grid, struct why *why);

/* The same for people, as tables that can be pasted. padded as in
 * report_stack.h. */
CHECKED enum err answer_sheet(struct store *store, int64_t experiment,
                              const struct answer_report *options, bool padded,
                              struct sheet *sheet, struct why *why);

/* Run one read-only SQL statement; at most 1,000,000 cells. ERR_INVALID with
 * SQLite's message; a statement that would write: ERR_USAGE. */
CHECKED enum err answer_query(struct store *store, const char *sql,
                              struct grid *grid, struct why *why);

/* Every metric: name, unit, direction, kind, source, definition. */
void answer_metrics(struct grid *grid);

/* Progress of an experiment: trials planned, stored by outcome, invalid. */
struct answer_counts {
    uint64_t trials, ok, oom, failed, aborted, invalid;
};
CHECKED enum err answer_counts(struct store *store, int64_t experiment,
                               struct answer_counts *counts, struct why *why);

/* "running", "finished", "interrupted" or "failed". ERR_NOTFOUND: there is no
 * such experiment. */
CHECKED enum err answer_state(struct store *store, int64_t experiment,
                              char *buf, size_t size, struct why *why);

/* The names of the rules that an attempt broke, comma separated; "": none. */
CHECKED enum err answer_broken(struct store *store, int64_t attempt, char *buf,
                               size_t size, struct why *why);

#endif
