#include "controller/queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum err queue_init(struct queue *q, uint32_t n_cells, uint32_t n_trials,
                    uint32_t retries, struct why *why)
{
    assert(n_cells > 0 && n_trials % n_cells == 0);
    *q = (struct queue){
        .n_cells = n_cells, .n_trials = n_trials, .retries = retries};
    q->again_max = (size_t)n_cells * ((size_t)retries + 1);
    q->again = calloc(q->again_max, sizeof *q->again);
    q->failures = calloc(n_cells, sizeof *q->failures);
    q->repeated = calloc(n_cells, sizeof *q->repeated);
    if (q->again && q->failures && q->repeated)
        return ERR_OK;
    queue_fini(q);
    return err_set(why, ERR_NOMEM, "queue of %u trials", n_trials);
}

void queue_fini(struct queue *q)
{
    free(q->again);
    free(q->failures);
    free(q->repeated);
    *q = (struct queue){0};
}

static void begin_block(struct queue *q)
{
    q->n_again = q->at_again = 0;
    memset(q->failures, 0, q->n_cells * sizeof *q->failures);
    memset(q->repeated, 0, q->n_cells * sizeof *q->repeated);
}

bool queue_next(struct queue *q, uint32_t *trial)
{
    bool between = q->next % q->n_cells == 0;
    if (between && q->at_again < q->n_again) {
        *trial = q->again[q->at_again++];
        return true;
    }
    if (q->next == q->n_trials)
        return false;
    if (between)
        begin_block(q);
    *trial = q->next++;
    return true;
}

static void append(struct queue *q, uint32_t trial)
{
    /* Each cell of a block is repeated at most retries + 1 times. */
    assert(q->n_again < q->again_max);
    q->again[q->n_again++] = trial;
}

bool queue_failed(struct queue *q, uint32_t trial)
{
    uint32_t *failures = &q->failures[trial % q->n_cells];
    if (*failures >= q->retries)
        return false;
    (*failures)++;
    append(q, trial);
    return true;
}

bool queue_invalid(struct queue *q, uint32_t trial)
{
    bool *repeated = &q->repeated[trial % q->n_cells];
    if (*repeated)
        return false;
    *repeated = true;
    append(q, trial);
    return true;
}

uint32_t queue_left(const struct queue *q)
{
    return q->n_trials - q->next + (uint32_t)(q->n_again - q->at_again);
}
