/* An experiment that others measured, put together value by value from what a
 * file says, before it is stored. Bounded; no SQL. */
#ifndef PITWALL_RESULTS_FOREIGN_H
#define PITWALL_RESULTS_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/state.h"
#include "results/names.h"

#define FOREIGN_FACTORS_MAX 32u
#define FOREIGN_TEXT_MAX    200u /* bytes of a name, a level, a block */
#define FOREIGN_LEVELS_MAX  10000u
#define FOREIGN_TRIALS_MAX  200000u
#define FOREIGN_VALUES_MAX  1000000u

struct foreign_factor {
    char *name;
    struct names levels;
};

struct foreign_trial {
    size_t cell;  /* into cells */
    size_t block; /* into blocks; SIZE_MAX: paired with nothing */
    size_t n;     /* without a block: the n-th of its cell, from 0 */
    enum attempt_outcome outcome; /* ok, oom, failed or aborted */
    size_t invalid;               /* into rules: "foreign_cpu, steal_cpu" */
};

struct foreign_value {
    size_t trial, metric, task; /* into trials, metrics, tasks */
    double value;
};

struct foreign {
    const char *form; /* "csv", "table", "rally" */
    char *name, *track, *challenge, *target, *started; /* NULL: not told */
    bool died;         /* it ended before its time */
    char *note;        /* what a reader has to say of it, NULL: nothing */
    struct names tags; /* "name=value" */
    struct foreign_factor factors[FOREIGN_FACTORS_MAX];
    size_t n_factors;
    struct names cells; /* labels, "heap=1g,link=loopback" */
    uint32_t *levels;   /* [cells.n][n_factors] */
    struct names blocks, metrics, tasks, rules;
    struct names trial_keys, value_keys, counted;
    size_t *counts; /* [counted.n] values seen without a block */
    struct foreign_trial *trials;
    size_t n_trials;
    struct foreign_value *values;
    size_t n_values;
};

/* Start empty; fini frees all of it. */
void foreign_init(struct foreign *foreign, const char *form);
void foreign_fini(struct foreign *foreign);

/* Replace one of its texts; a NULL text stays NULL. ERR_NOMEM. */
CHECKED enum err foreign_text(char **at, const char *text, struct why *why);

/* Add a factor, before any value. ERR_EXISTS, ERR_INVALID (what a name may
 * have), ERR_RANGE: more than FOREIGN_FACTORS_MAX. */
CHECKED enum err foreign_factor(struct foreign *foreign, const char *name,
                                struct why *why);

/* What one row of a file says; all borrowed. */
struct foreign_row {
    const char *const *levels;    /* [n_factors] labels */
    const char *block;            /* "": paired with nothing */
    enum attempt_outcome outcome; /* of its trial */
    const char *invalid;          /* rules that it broke, "": none */
    const char *task, *metric;    /* metric "": the trial alone */
    double value;                 /* in the unit that metrics have here */
};

/* Add a value. Those of one cell and block are one trial's. Without a block the
 * n-th value of a metric is of the cell's n-th trial of that outcome.
 * Errors  ERR_EXISTS: that trial has such a value, or another outcome.
 *         ERR_INVALID, ERR_RANGE: names the column, the value and what is
 *         accepted. */
CHECKED enum err foreign_add(struct foreign *foreign,
                             const struct foreign_row *row, struct why *why);

#endif
