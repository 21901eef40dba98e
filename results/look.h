/* When an experiment may stop by what it shows: at planned looks, each with its
 * share of alpha, or once the intervals are narrow enough (statistics.md
 * section 5). The looks that were taken stand in the store, and every later
 * verdict is at the alpha of the last. */
#ifndef PITWALL_RESULTS_LOOK_H
#define PITWALL_RESULTS_LOOK_H

#include "results/grid.h"
#include "results/store.h"

#define LOOK_MAX         16u
#define LOOK_WORD_BYTES  64u
#define LOOK_WORDS_BYTES 200u

enum look_kind { LOOK_NONE, LOOK_PLANNED, LOOK_WIDTH };

struct look_rule {
    enum look_kind kind;
    uint32_t at[LOOK_MAX]; /* [n] blocks, rising */
    size_t n;
    double width_ratio;
    char metric[LOOK_WORD_BYTES]; /* whose differences decide */
};

/* "6,12,24"; "2%". ERR_USAGE with what is accepted. */
CHECKED enum err look_parse_planned(struct look_rule *rule, const char *text,
                                    struct why *why);
CHECKED enum err look_parse_width(struct look_rule *rule, const char *text,
                                  struct why *why);

/* "6,12,24" or "2%" again, into buf (returned). */
const char *look_show(const struct look_rule *rule, char *buf, size_t size);

/* Whether the rule wants a look after so many blocks. */
bool look_due(const struct look_rule *rule, uint32_t n_blocks);

struct look {
    bool stop;
    char words[LOOK_WORDS_BYTES]; /* what was seen, and what follows */
};

/* Look at every factor's main effects after n_blocks, and store it; a look that
 * was taken before (then interrupted) is told as it was. Errors as
 * effects_load's; one that has no factor of several levels never stops. */
CHECKED enum err look_take(struct store *store, int64_t experiment,
                           const struct look_rule *rule, uint32_t n_blocks,
                           struct look *out, struct why *why);

/* The experiment has ended with its first n_blocks: the others, of which no
 * trial was tried, are taken off its plan. */
CHECKED enum err look_settle(struct store *store, int64_t experiment,
                             uint32_t n_blocks, struct why *why);

/* The alpha that verdicts of now may use: the last look's share of it, all
 * where none was taken. */
struct db;
CHECKED enum err look_alpha(struct db *db, int64_t experiment, double alpha,
                            double *out, struct why *why);

/* How many looks were taken. */
CHECKED enum err look_count(struct db *db, int64_t experiment, int64_t *out,
                            struct why *why);

/* A note for each look that was taken; none without. */
CHECKED enum err look_notes(struct db *db, int64_t experiment,
                            struct grid *grid, struct why *why);

#endif
