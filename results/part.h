/* What one agent brought for an attempt: its spool, taken apart, and the rows
 * that are of it alone. */
#ifndef PITWALL_RESULTS_PART_H
#define PITWALL_RESULTS_PART_H

#include <stdbool.h>

#include "results/db.h"
#include "results/intake.h"
#include "results/store.h"

/* One agent's spool, taken apart. */
struct part {
    const struct store_part *in;
    struct intake intake;
    bool target, load;
    unsigned host; /* of the loads, from 0 */
    char side[9];  /* of its rows: "load", "load2"; "target" without load */
};

/* Take its spool apart; an agent that sent nothing has an empty one. host: how
 * many loads came before it. in is borrowed until part_close.
 * Errors  ERR_CORRUPT, naming the agent; *out is good for part_close. */
CHECKED enum err part_open(struct part *out, const struct store_part *in,
                           unsigned host, struct why *why);
void part_close(struct part *part);

/* Every machine calls its own load's side "load": here each has its name. */
void part_name_side(const struct part *part, struct record *record);

/* Add the row of who took part, and when by its own clock the window began. */
CHECKED enum err part_put_agent(struct db *db, int64_t attempt,
                                const struct part *part, struct why *why);

/* Add what the agent's children left behind: logs, final words, settings. */
CHECKED enum err part_put_artifacts(struct db *db, int64_t attempt,
                                    const struct part *part, struct why *why);

#endif
