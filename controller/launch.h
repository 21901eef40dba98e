/* From a checked experiment to stored and reported results: what run and demo
 * have in common. */
#ifndef PITWALL_CONTROLLER_LAUNCH_H
#define PITWALL_CONTROLLER_LAUNCH_H

#include "controller/lab.h"
#include "controller/options.h"
#include "controller/trials.h"

/* What the process exits with beside errors. */
#define LAUNCH_EXIT_FAILED_TRIALS 3
#define LAUNCH_EXIT_INTERRUPTED   130

/* The agents that the options name, greeted: a bench of the lab file, or those
 * of --agent, the target's first; a local one without any. ERR_USAGE: options
 * that exclude each other. Owns: *lab, for lab_close. */
CHECKED enum err launch_lab(const struct options *options, struct lab **lab,
                            struct why *why);

struct launch {
    const struct options *options;
    const struct trials *trials;
    struct lab *lab;
    int interrupt_fd;
};

struct launch_end {
    int status;         /* 0, 3 or 130 */
    int64_t experiment; /* its number in the store */
    bool keep_state;    /* the agent holds results that are not stored */
};

/* Check the trials against the agent, open the store, write the plan, run,
 * print the report on stdout. Nothing is written before the checks. */
CHECKED enum err launch_run(const struct launch *launch, struct launch_end *end,
                            struct why *why);

#endif
