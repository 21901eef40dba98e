/* Running trials: does what each bench's step machine says, over the agents'
 * channels and the store. The benches of a lab are polled side by side; a bench
 * that is free takes the next block (share.h). */
#ifndef PITWALL_CONTROLLER_RUN_H
#define PITWALL_CONTROLLER_RUN_H

#include "controller/ceiling_plan.h"
#include "controller/lab.h"
#include "controller/progress.h"
#include "controller/stopping.h"
#include "controller/trials.h"
#include "results/pace.h"
#include "results/past.h"
#include "results/sitting.h"

/* Calibrations have numbers of their own beyond the trials', and the sitting's
 * for that of the attempt (at most what the wire carries). */
#define RUN_CEILING_TID  (TRIALS_MAX + 1)
#define RUN_ATTEMPTS_MAX 100u

struct run_setup {
    struct trials *trials; /* gets more when a block is run again elsewhere */
    const struct ceiling_plans *ceilings; /* before a bench's first trial */
    struct labs *labs;
    struct store *store;
    const struct sitting *sitting;
    const struct past *past; /* NULL: the first sitting */
    struct pace pace;        /* of the earlier ones */
    const char *uuid;        /* of the experiment: owner of leases */
    uint32_t retries;
    bool abort_on_error;
    const struct stopping *stopping;
    int interrupt_fd;
    struct progress *progress;
};

struct run_end {
    bool interrupted;
    bool stopped;    /* as somebody wished */
    uint32_t enough; /* after so many blocks, of more; 0: the plan's */
    bool unstored;   /* results are left in the agents' spools */
    uint32_t n_open; /* at so many benches */
    char text[512];  /* why it ended early, else "" */
    uint32_t n_left; /* trials never tried */
};

/* Run all trials. Errors of trials are not errors of the run.
 * Errors  ERR_INTERRUPTED: a second Ctrl-C; of the store: as store_attempt_end.
 *         *end is filled either way. */
CHECKED enum err run_trials(const struct run_setup *setup, struct run_end *end,
                            struct why *why);

#endif
