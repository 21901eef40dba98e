/* A comparison as values: what is compared, and each difference found. For
 * compare.c, which reads them, and compare_table.c, which shows them. */
#ifndef PITWALL_RESULTS_COMPARE_ROWS_H
#define PITWALL_RESULTS_COMPARE_ROWS_H

#include "results/compare.h"
#include "results/compare_line.h"
#include "results/pairing.h"

struct compare_experiment {
    int64_t id;
    char seed[24], order[16]; /* as stored */
    struct matrix matrix;
    bool *wanted;   /* [n_trials] */
    bool *unsteady; /* [n_cells] more than one trial in four was */
    struct figures figures;
};

struct compare_part {
    const char *text; /* as typed */
    struct compare_experiment *experiment;
    struct slice slice;
    size_t n_cells, n_trials;
    size_t ends[MATRIX_ENDS];
    size_t n_driver; /* of those that ended well: bounded by the driver */
    bool unsteady;   /* one of its cells was */
};

struct compare_row {
    const struct compare_line *line;
    size_t contender; /* 0: the first */
    struct finding finding;
    double base, value; /* centres over the blocks, as shown; NAN: none */
    size_t n_groups;
};

struct compare {
    const struct compare_options *options;
    double alpha; /* what looks have left of the options' */
    struct compare_experiment *experiments; /* [n_experiments] */
    size_t n_experiments;
    struct compare_part *parts; /* [n_parts], the base first */
    size_t n_parts;
    struct pairing *pairings; /* [n_parts - 1] */
    struct compare_lines lines;
    struct compare_row *rows; /* [n_rows], by line, then contender */
    size_t n_rows;
};

/* How a family of a line is adjusted. */
enum finding_adjust compare_adjust(const struct compare *compare,
                                   const struct compare_line *line);

/* Whether nothing of a contender can be compared: each of its pairs of cells
 * has a trial that failed or ran out of memory. */
bool compare_lost(const struct compare *compare, size_t contender);

/* Fill the rows: one for each line that has figures, and each contender that is
 * not lost. */
CHECKED enum err compare_judge(struct compare *compare, struct why *why);

/* Show all of it. */
CHECKED enum err compare_show(const struct compare *compare, struct db *db,
                              struct grid *grid, struct why *why);

#endif
