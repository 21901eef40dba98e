/* What each factor of an experiment does to a metric: main effects,
 * interactions, simple effects where they differ, the cells that cannot be told
 * from the best, and the level to choose (statistics.md section 2). */
#ifndef PITWALL_RESULTS_EFFECTS_H
#define PITWALL_RESULTS_EFFECTS_H

#include "results/effect_field.h"
#include "results/grid.h"
#include "results/store.h"

enum effect_kind {
    EFFECT_MAIN,       /* a level against the first, over all others */
    EFFECT_SIMPLE,     /* the same at one level of another factor */
    EFFECT_INTERACTION /* of a pair: its largest difference of differences */
};

/* Of an interaction: whether it matters. */
enum effect_sense { EFFECT_MATTERS, EFFECT_NONE, EFFECT_UNCLEAR };

struct effect {
    enum effect_kind kind;
    struct stat_contrast contrast; /* indexes into the field's factors */
    struct finding finding;
    struct stat_matched matched;
    enum effect_sense sense;
    double f_p;    /* of an interaction: the analysis of variance's, or NAN */
    size_t breaks; /* of a main effect: the field's factor that it depends on,
                      STAT_NO_FACTOR: none */
};

struct effects {
    struct matrix matrix;
    const struct metric *metric;
    struct effect_field field;
    struct effect *list; /* main effects, each with its simple ones; then the
                            interactions */
    size_t n;
    bool analysed; /* every cell is there: anova is filled */
    struct stat_anova anova;
    bool *best; /* [matrix cells] cannot be told from the best */
    size_t top; /* the cell with the best centre; SIZE_MAX: none */
    size_t n_eligible;
};

struct effects_options {
    const char *metric; /* NULL: throughput */
    double margin_ratio, alpha;
    bool machine; /* every number in a column of its own */
};

/* Read and judge. Inside a transaction of the caller's. Errors  ERR_NOTFOUND,
 * ERR_RANGE, ERR_CORRUPT. Owns: effects_fini (a zeroed one is fine). */
CHECKED enum err effects_load(struct effects *out, struct db *db,
                              int64_t experiment,
                              const struct effects_options *options,
                              struct why *why);
void effects_fini(struct effects *effects);

/* Whether its cells are few enough for an analysis of variance. */
bool effects_analysable(const struct effects *effects);

/* "heap 4g : 1g", "  at link l0", "heap x link": what the row is of. */
const char *effects_label(const struct effects *effects,
                          const struct effect *effect, char *buf, size_t size);

/* What was read as a table, without the experiment's heading; machine as in the
 * options. Errors  ERR_NOMEM, ERR_CORRUPT. */
CHECKED enum err effects_grid(const struct effects *effects, struct db *db,
                              bool machine, struct grid *grid, struct why *why);

/* The whole answer as a table, under its heading. */
CHECKED enum err answer_effects(struct store *store, int64_t experiment,
                                const struct effects_options *options,
                                struct grid *grid, struct why *why);

#endif
