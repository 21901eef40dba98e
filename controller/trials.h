/* Every trial of an experiment: its cells (with the canary), the order, each
 * cell's spec and the plan that its load follows. Made once, before anything is
 * touched, so that what cannot work is refused while nothing has happened. */
#ifndef PITWALL_CONTROLLER_TRIALS_H
#define PITWALL_CONTROLLER_TRIALS_H

#include "controller/matrix.h"

#define TRIALS_MAX          1000000u
#define TRIALS_CANARY_CELLS 4u /* auto: a canary from this many cells */
#define TRIALS_READY_NS     (60ull * 1000000000u) /* target and corpus */
#define TRIALS_DRAIN_NS     (5ull * 1000000000u)  /* contracts.md */
#define TRIALS_LABEL_MAX    512u

struct trials {
    const struct experiment *ex; /* borrowed */
    struct matrix matrix;
    bool canary;      /* the cell after the matrix's repeats cell 0 */
    bool extra;       /* the last cells repeat the matrix's, watched closely */
    uint32_t n_cells; /* with all of these */
    uint32_t n_blocks;
    uint32_t *order;     /* [n_blocks][n_cells], unless trials_adopt made it */
    uint32_t *ends;      /* [n_blocks] trials up to each block's end */
    uint32_t *positions; /* [n_cells] in the store; NULL: their own */
    char **plans;        /* [n_plans] rendered tracks, JSON */
    size_t n_plans;
    uint32_t *plan_of; /* [n_cells] */
};

/* Expand ex (which must outlive the trials) and render the tracks.
 * Errors  ERR_NOTFOUND: track or challenge; ERR_INVALID, ERR_RANGE. */
CHECKED enum err trials_make(struct trials **out, const struct experiment *ex,
                             bool test_mode, struct why *why);
void trials_free(struct trials *trials);

/* Of which kind a cell is; only the matrix's enter figures. */
enum trials_kind { TRIALS_PLAIN, TRIALS_CANARY, TRIALS_EXTRA };
enum trials_kind trials_kind(const struct trials *trials, uint32_t cell);

/* The matrix's cell that it is or repeats. */
uint32_t trials_source(const struct trials *trials, uint32_t cell);

/* " + canary + 4 extra" after a number of cells, into buf (returned); canary:
 * the words for that one. */
const char *trials_more(const struct trials *trials, const char *canary,
                        char *buf, size_t size);

/* The whole setup of a cell, label and all. */
void trials_setup(const struct trials *trials, uint32_t cell,
                  struct setup *setup);

/* "heap=1g,link=eth200" of the factors with several levels ("base" when none
 * has), into buf (returned; TRIALS_LABEL_MAX + 1 bytes suffice). A canary has
 * the label of the cell that it repeats. */
const char *trials_label(const struct trials *trials, uint32_t cell, char *buf,
                         size_t size);

/* The plan of a cell: JSON text, valid as long as the trials. */
const char *trials_plan(const struct trials *trials, uint32_t cell);

/* Name of the challenge that the first cell's plan holds, into buf (returned):
 * the track's default one where none was asked for. */
const char *trials_challenge(const struct trials *trials, char *buf,
                             size_t size);

/* Index of the axis's level in a cell. */
uint32_t trials_level(const struct trials *trials, uint32_t cell, size_t axis);

/* Number of trials. */
uint32_t trials_count(const struct trials *trials);

/* Path of a track as written: from folder ("": the working directory), else
 * among the shipped ones ("geonames", "tracks/geonames.json"). ERR_NOTFOUND
 * names where it was looked for. */
CHECKED enum err trials_track_path(const char *folder, const char *track,
                                   char *buf, size_t size, struct why *why);

#endif
