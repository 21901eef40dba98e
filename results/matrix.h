/* One experiment's matrix and how its trials ended, read into memory: what
 * report (and later compare and effects) work on. */
#ifndef PITWALL_RESULTS_MATRIX_H
#define PITWALL_RESULTS_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/state.h"
#include "results/db.h"
#include "results/metric.h"
#include "results/purpose.h"

struct matrix_factor {
    char *name;
    char **labels; /* [n_levels] */
    size_t n_levels;
};

struct matrix_cell {
    char *label;
    uint32_t *levels; /* [n_factors] */
    enum purpose purpose;
    size_t canary_of; /* index of the cell that it repeats, if it does */
};

/* INVALID: ended ok, but broke a rule. OPEN: not ended yet, or aborted. */
enum matrix_end {
    MATRIX_OPEN,
    MATRIX_OK,
    MATRIX_INVALID,
    MATRIX_OOM,
    MATRIX_FAILED,
    MATRIX_ENDS
};

struct matrix_trial {
    uint32_t tid;
    size_t cell;
    int64_t iteration;
    int64_t attempt; /* the chosen one, 0: none */
    enum matrix_end end;
    enum attempt_bound bound;
    bool shared; /* that word with the mark "shared host" */
};

struct matrix {
    int64_t experiment;
    bool imported; /* others measured it: nothing is gated on it */
    bool loose;    /* it has blocks that are paired with nothing */
    struct matrix_factor *factors; /* in the plan's order */
    size_t n_factors;
    struct matrix_cell *cells; /* canaries too */
    size_t n_cells;
    struct matrix_trial *trials; /* by tid; superseded blocks left out */
    size_t n_trials;
};

/* Read experiment into *out. Owns: matrix_fini (a zeroed one is fine). */
CHECKED enum err matrix_load(struct matrix *out, struct db *db,
                             int64_t experiment, struct why *why);
void matrix_fini(struct matrix *matrix);

/* Index of a factor by name and of its level by label; SIZE_MAX: none. */
size_t matrix_factor_find(const struct matrix *matrix, const char *name,
                          size_t len);
size_t matrix_level_find(const struct matrix_factor *factor, const char *label);

/* ERR_NOTFOUND for a word of len bytes that names no factor here, or no level
 * of a factor, with what there is. */
enum err matrix_no_factor(const struct matrix *matrix, const char *word,
                          size_t len, struct why *why);
enum err matrix_no_level(const struct matrix_factor *factor, const char *word,
                         struct why *why);

/* The metric of the whole trial for each trial [n_trials] into values, NAN
 * where the chosen attempt has none. Checks each row's checksum
 * (ERR_CORRUPT). */
CHECKED enum err matrix_values(const struct matrix *matrix, struct db *db,
                               const struct metric *metric, double *values,
                               struct why *why);

#endif
