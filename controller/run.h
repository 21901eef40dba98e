/* Running trials: does what a bench's step machine says, over the agents'
 * channels and the store. One bench now; the machine knows of no other, so that
 * several can be polled side by side. */
#ifndef PITWALL_CONTROLLER_RUN_H
#define PITWALL_CONTROLLER_RUN_H

#include "controller/ceiling_plan.h"
#include "controller/lab.h"
#include "controller/progress.h"
#include "controller/trials.h"
#include "results/store.h"

struct run_setup {
    const struct trials *trials;
    const struct ceiling_plans *ceilings; /* before the first trial */
    struct lab *lab;
    struct store *store;
    int64_t experiment;
    const char *uuid; /* of the experiment: owner of leases */
    uint32_t retries;
    bool abort_on_error;
    int interrupt_fd;
    struct progress *progress;
};

struct run_end {
    bool interrupted;
    bool unstored;   /* results are left in the agents' spools */
    char text[512];  /* why it ended early, else "" */
    uint32_t n_left; /* trials never tried */
};

/* Run all trials. Errors of trials are not errors of the run.
 * Errors  ERR_INTERRUPTED: a second Ctrl-C; of the store: as store_attempt_end.
 *         *end is filled either way. */
CHECKED enum err run_trials(const struct run_setup *setup, struct run_end *end,
                            struct why *why);

#endif
