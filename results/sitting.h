/* Sittings: one controller's work at an experiment, from its start to its end.
 * The first one is run's, later ones are resume's. While it sits, others may
 * leave a wish in the store. */
#ifndef PITWALL_RESULTS_SITTING_H
#define PITWALL_RESULTS_SITTING_H

#include "results/store.h"

#define SITTING_FOLDER_MAX 255u

struct sitting {
    int64_t id, experiment;
    uint32_t n; /* of the experiment, from 1 */
};

/* Begin the experiment's next sitting: the experiment is running, no wish is
 * left. folder: state of an agent that was started for it, "" for none. */
CHECKED enum err sitting_begin(struct store *store, int64_t experiment,
                               const char *folder, struct sitting *out,
                               struct why *why);

/* It is over, and the experiment with it: state "finished", "interrupted",
 * "stopped" or "failed". */
CHECKED enum err sitting_end(struct store *store, const struct sitting *sitting,
                             const char *state, struct why *why);

enum wish {
    WISH_NONE,
    WISH_STOP, /* end after the trial under way */
    WISH_NOW   /* stop that too */
};

/* Leave a wish for whoever sits at the experiment, and read it. */
CHECKED enum err sitting_wish(struct store *store, int64_t experiment,
                              enum wish wish, struct why *why);
CHECKED enum err sitting_wished(struct store *store, int64_t experiment,
                                enum wish *wish, struct why *why);

#endif
