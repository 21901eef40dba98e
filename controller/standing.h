/* Where an experiment stands, for whoever asks from outside. */
#ifndef PITWALL_CONTROLLER_STANDING_H
#define PITWALL_CONTROLLER_STANDING_H

#include "controller/trials.h"
#include "results/answer.h"
#include "results/pace.h"

struct standing {
    int64_t experiment;
    char name[EXPERIMENT_NAME_MAX + 1];
    char state[24]; /* as in the store; "cut off": running, but nobody is */
    bool running;   /* a controller sits at it */
    uint32_t n_trials, n_left;
    struct answer_counts counts;
    struct pace pace;
    uint32_t tid, att; /* of the attempt under way; 0: none */
    char cell[TRIALS_LABEL_MAX + 1];
    const char *phase; /* its state */
    uint64_t left_ns;  /* by measured lengths; 0: nothing is left, or none is
                          measured (pace.n) */
};

/* Read it from the store at path, which must not be open here. word as
 * answer_find. */
CHECKED enum err standing_read(struct standing *out, const char *path,
                               const char *word, struct why *why);

/* As a table: one row, of all its benches, with the newest attempt. */
void standing_grid(const struct standing *s, struct grid *grid);

/* As one line, into buf (returned): "trial 7 of 39, heap=1g, running, 6 stored,
 * 1:02 left". */
const char *standing_line(const struct standing *s, char *buf, size_t size);

#endif
