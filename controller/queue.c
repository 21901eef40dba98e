#include "controller/queue.h"

#include <assert.h>
#include <stdlib.h>

enum err queue_init(struct queue *q, const uint32_t *ends, uint32_t n_blocks,
                    uint32_t retries, struct why *why)
{
    assert(n_blocks > 0);
    *q = (struct queue){.ends = ends,
                        .n_blocks = n_blocks,
                        .n_trials = ends[n_blocks - 1],
                        .retries = retries};
    q->left = q->n_trials;
    q->trials = calloc(q->n_trials, sizeof *q->trials);
    q->parked = calloc(n_blocks, sizeof *q->parked);
    return q->trials && q->parked
               ? ERR_OK
               : err_set(why, ERR_NOMEM, "queue of %u trials", q->n_trials);
}

void queue_fini(struct queue *q)
{
    free(q->trials);
    free(q->parked);
    *q = (struct queue){0};
}

static void become(struct queue *q, uint32_t trial, enum queue_state state)
{
    struct queue_trial *t = &q->trials[trial];
    q->left += t->state == QUEUE_TAKEN;
    q->left -= state == QUEUE_TAKEN;
    t->state = state;
}

static uint32_t begin_of(const struct queue *q, uint32_t block)
{
    return block ? q->ends[block - 1] : 0;
}

/* The block's repeat whose turn it is, or its end. */
static uint32_t first_repeat(const struct queue *q, uint32_t from, uint32_t end)
{
    uint32_t best = end;
    for (uint32_t i = from; i < end; i++)
        if (q->trials[i].state == QUEUE_AGAIN &&
            (best == end || q->trials[i].turn < q->trials[best].turn))
            best = i;
    return best;
}

bool queue_next(struct queue *q, uint32_t *trial)
{
    for (; q->block < q->n_blocks; q->block++) {
        uint32_t end = q->ends[q->block], at = q->next;
        if (q->parked[q->block]) {
            q->next = end;
            continue;
        }
        while (at < end && q->trials[at].state != QUEUE_FRESH)
            at++;
        q->next = at;
        if (at == end)
            at = first_repeat(q, begin_of(q, q->block), end);
        if (at < end) {
            become(q, at, QUEUE_TAKEN);
            *trial = at;
            return true;
        }
    }
    return false;
}

static void again(struct queue *q, uint32_t trial)
{
    become(q, trial, QUEUE_AGAIN);
    q->trials[trial].turn = q->turn++;
}

bool queue_failed(struct queue *q, uint32_t trial)
{
    struct queue_trial *t = &q->trials[trial];
    bool repeat = t->failures < q->retries;
    if (repeat) {
        t->failures++;
        again(q, trial);
    } else {
        become(q, trial, QUEUE_TAKEN);
    }
    return repeat;
}

bool queue_invalid(struct queue *q, uint32_t trial)
{
    struct queue_trial *t = &q->trials[trial];
    bool repeat = !t->repeated;
    t->repeated = true;
    if (repeat)
        again(q, trial);
    else
        become(q, trial, QUEUE_TAKEN);
    return repeat;
}

void queue_done(struct queue *q, uint32_t trial)
{
    become(q, trial, QUEUE_TAKEN);
}

void queue_broken_off(struct queue *q, uint32_t trial)
{
    if (q->trials[trial].state == QUEUE_TAKEN)
        again(q, trial);
}

void queue_park(struct queue *q, uint32_t block, bool parked)
{
    assert(block < q->n_blocks);
    q->parked[block] = parked;
    if (!parked && block < q->block) {
        q->block = block;
        q->next = begin_of(q, block);
    }
}

uint32_t queue_left(const struct queue *q)
{
    return q->left;
}

uint32_t queue_block_left(const struct queue *q, uint32_t block)
{
    uint32_t left = 0;
    for (uint32_t i = begin_of(q, block); i < q->ends[block]; i++)
        left += q->trials[i].state != QUEUE_TAKEN;
    return left;
}

enum err queue_grow(struct queue *q, const uint32_t *ends, struct why *why)
{
    uint32_t n = ends[q->n_blocks];
    struct queue_trial *trials = realloc(q->trials, n * sizeof *trials);
    q->trials = trials ? trials : q->trials;
    bool *parked = realloc(q->parked, (q->n_blocks + 1) * sizeof *parked);
    q->parked = parked ? parked : q->parked;
    if (!trials || !parked)
        return err_set(why, ERR_NOMEM, "queue of %u trials", n);
    for (uint32_t i = q->n_trials; i < n; i++)
        trials[i] = (struct queue_trial){.state = QUEUE_FRESH};
    q->left += n - q->n_trials;
    q->ends = ends;
    q->n_trials = n;
    q->parked[q->n_blocks++] = true;
    return ERR_OK;
}

void queue_drop(struct queue *q, uint32_t block)
{
    for (uint32_t i = begin_of(q, block); i < q->ends[block]; i++)
        become(q, i, QUEUE_TAKEN);
}
