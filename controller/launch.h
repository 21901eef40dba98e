/* From a checked experiment to stored and reported results: what run, demo and
 * resume have in common. */
#ifndef PITWALL_CONTROLLER_LAUNCH_H
#define PITWALL_CONTROLLER_LAUNCH_H

#include "controller/conduct.h"
#include "controller/lab.h"
#include "results/past.h"

/* What the process exits with beside errors. */
#define LAUNCH_EXIT_FAILED_TRIALS 3
#define LAUNCH_EXIT_INTERRUPTED   130

/* The benches that conduct names, each with its agents greeted, the target's
 * first; one agent of our own without any, on the state that an earlier one
 * left in folder (NULL: none). Owns: *labs, for labs_close. */
CHECKED enum err launch_labs(const struct conduct *conduct, const char *folder,
                             struct labs *labs, struct why *why);

/* Whether each bench can run each trial; errors as needs_check_all's, with the
 * bench's name where there are several. */
CHECKED enum err launch_check(const struct labs *labs,
                              const struct trials *trials, struct why *why);

struct launch {
    const struct options *options;
    struct conduct *conduct;
    struct trials *trials;
    const struct past *past; /* NULL: a new experiment */
    struct labs *labs;
    int interrupt_fd;
};

struct launch_end {
    int status;         /* 0, 3 or 130 */
    int64_t experiment; /* its number in the store; 0: it was not begun */
    bool keep_state;    /* the agent may hold results that are not stored */
    bool resumable;     /* there is more to do */
};

/* Check the trials against the agents, open the store, write the plan of a new
 * experiment, run what is left of it, print the report on stdout. Nothing is
 * written before the checks. The caller holds the guard of an old one. */
CHECKED enum err launch_run(const struct launch *launch, struct launch_end *end,
                            struct why *why);

#endif
