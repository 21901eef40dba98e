/* When a run may end before its last block: at planned looks, once intervals
 * are narrow, or when its time is spent. */
#ifndef PITWALL_CONTROLLER_STOPPING_H
#define PITWALL_CONTROLLER_STOPPING_H

#include <argp.h>

#include "common/json_build.h"
#include "controller/experiment.h"
#include "results/look.h"

/* Texts of the command line; NULL: not given. */
struct stopping_words {
    const char *looks, *width, *budget, *metric;
};

/* The parser of these options; input is a struct stopping_words. */
extern const struct argp stopping_argp;

struct stopping {
    struct look_rule rule;
    uint64_t budget_ns; /* 0: none */
};

/* What the words say. ERR_USAGE names the option, the value and what is
 * accepted. */
CHECKED enum err stopping_take(const struct stopping_words *words,
                               struct stopping *out, struct why *why);

/* Give ex its number of blocks: of the last look, or what may be needed for a
 * width. iterations: what -n says, NULL for nothing. ERR_USAGE: they do not go
 * together, or the order has no blocks. */
CHECKED enum err stopping_plan(const struct stopping_words *words,
                               const char *iterations, struct experiment *ex,
                               struct why *why);

/* A note on a plan of when it may end earlier; none without a rule. */
void stopping_note(const struct stopping *stopping, struct grid *grid);

/* Whether one block more, as long as those before, would be beyond the budget:
 * after n_blocks in elapsed_ns. */
bool stopping_spent(const struct stopping *stopping, uint32_t n_blocks,
                    uint64_t elapsed_ns);

/* As members of a JSON object, and back. ERR_USAGE: what cannot be. */
void stopping_print(const struct stopping *stopping, struct jv *object);
CHECKED enum err stopping_parse(struct stopping *out, const struct jv *object,
                                struct why *why);

#endif
