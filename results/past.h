/* What an experiment has been through, as its store tells: what resume goes on
 * from. The reading side; nothing here writes. */
#ifndef PITWALL_RESULTS_PAST_H
#define PITWALL_RESULTS_PAST_H

#include "results/store.h"

struct past_cell {
    char *label;
    enum purpose purpose;
};

struct past_attempt {
    int64_t id;
    uint32_t tid, n;
    enum attempt_state state;     /* below STORED: it was left open */
    enum attempt_outcome outcome; /* once stored */
    bool invalid;
    uint64_t spool_bytes; /* once stored: of all agents */
    char error[24];       /* its beginning */
};

struct past_block {
    char bench[65];
    bool tried, superseded; /* a trial of it was; it was run again elsewhere */
};

struct past_ceiling {
    char *link, *load; /* of a calibration that came to figures ... */
    char bench[65];    /* ... on that bench; "": in stores of before, any */
};

struct past {
    int64_t experiment;
    char *uuid, *name, *state;
    char *json;    /* the experiment file */
    char *conduct; /* how it is run, JSON; "" in stores of before */
    char *folder;  /* of the last sitting, "" for none */
    uint32_t n_sittings;
    struct past_cell *cells; /* [n_cells] by position */
    size_t n_cells;
    uint32_t *order; /* [n_trials] position of each trial's cell, by tid */
    uint32_t n_trials;
    uint32_t *ends;            /* [n_blocks] trials up to each block's end */
    struct past_block *blocks; /* [n_blocks] */
    uint32_t n_blocks;
    struct past_attempt *attempts; /* [n_attempts] by id */
    size_t n_attempts;
    struct past_ceiling *ceilings; /* [n_ceilings] */
    size_t n_ceilings;
};

/* Read the experiment. ERR_NOTFOUND; ERR_CORRUPT: a state, outcome or order
 * that cannot be. Owns: *out is the caller's, for past_close. */
CHECKED enum err past_open(struct past **out, struct store *store,
                           int64_t experiment, struct why *why);
void past_close(struct past *past);

#endif
