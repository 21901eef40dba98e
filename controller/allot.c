/* Blocks to benches, as share.h decides, with what the store has to know of it.
 * Between blocks is also where it may be enough. Where a look is due, no bench
 * begins a later block until all that it is to see is measured; at a rule that
 * looks after every block, one look is taken per round of all benches. */
#include "controller/allot.h"

#include <stdlib.h>
#include <string.h>

#include "controller/sequel.h"
#include "results/block.h"

/* What is left of a block by the queue of the bench that has it, with the trial
 * under way. */
static void count_block(struct run *run, uint32_t block)
{
    struct share_block *b = &run->share.blocks[block];
    const struct bench *bench =
        &run->runners[b->bench == SHARE_NOBODY ? 0 : b->bench]->bench;
    const uint32_t *ends = bench->queue.ends;
    b->left = queue_block_left(&bench->queue, block);
    b->left += bench_has_trial(bench) && bench->trial < ends[block] &&
               bench->trial >= (block ? ends[block - 1] : 0);
}

void allot_count(struct runner *r)
{
    for (uint32_t b = 0; b < r->run->share.n; b++)
        if (r->run->share.blocks[b].bench == r->number)
            count_block(r->run, b);
}

/* Add a block that repeats one, trial by trial. */
static enum err repeat_trials(struct trials *t, uint32_t block, struct why *why)
{
    uint32_t count = trials_count(t);
    uint32_t begin = block ? t->ends[block - 1] : 0;
    uint32_t n = t->ends[block] - begin;
    if (count + n > TRIALS_MAX)
        return err_set(why, ERR_RANGE, "more than %u trials", TRIALS_MAX);
    uint32_t *order = realloc(t->order, (count + n) * sizeof *order);
    t->order = order ? order : t->order;
    uint32_t *ends = realloc(t->ends, (t->n_blocks + 1) * sizeof *ends);
    t->ends = ends ? ends : t->ends;
    if (!order || !ends)
        return err_set(why, ERR_NOMEM, "%u trials", count + n);
    memcpy(order + count, order + begin, n * sizeof *order);
    ends[t->n_blocks++] = count + n;
    return ERR_OK;
}

/* Run the whole block again as a new one. */
static enum err redo(struct run *run, uint32_t block, struct why *why)
{
    struct trials *t = run->in->trials;
    int64_t experiment = run->in->sitting->experiment;
    enum err e = repeat_trials(t, block, why);
    if (!e)
        e = block_redo(run->in->store, experiment, block + 1, why);
    for (unsigned i = 0; !e && i < run->n; i++) {
        queue_drop(&run->runners[i]->bench.queue, block);
        e = queue_grow(&run->runners[i]->bench.queue, t->ends, why);
    }
    if (!e)
        e = share_grow(&run->share,
                       t->ends[t->n_blocks - 1] - t->ends[t->n_blocks - 2],
                       why);
    if (!e)
        run->share.blocks[block].dropped = true;
    return e;
}

static uint32_t bench_named(const struct run *run, const char *name)
{
    for (unsigned i = 0; i < run->n; i++)
        if (run->n == 1 || !strcmp(run->in->labs->items[i]->name, name))
            return i;
    return SHARE_NOBODY;
}

/* Blocks that earlier sittings began stay where they are; of benches that are
 * no more they are run again. */
static enum err recall(struct run *run, const struct past *past,
                       struct why *why)
{
    enum err e = ERR_OK;
    for (uint32_t b = 0; !e && b < past->n_blocks; b++) {
        const struct past_block *old = &past->blocks[b];
        struct share_block *block = &run->share.blocks[b];
        block->dropped = old->superseded;
        if (!old->tried || old->superseded)
            continue;
        block->bench = bench_named(run, old->bench);
        if (block->bench == SHARE_NOBODY && block->left)
            e = redo(run, b, why);
    }
    return e;
}

enum err allot_begin(struct run *run, struct why *why)
{
    uint32_t n = run->in->trials->n_blocks;
    enum err e = share_init(&run->share, n, why);
    for (uint32_t b = 0; !e && b < n; b++)
        count_block(run, b);
    return !e && run->in->past ? recall(run, run->in->past, why) : e;
}

/* Looks ------------------------------------------------------------------- */

static bool look_is_due(const struct run *run, uint32_t n_blocks)
{
    const struct look_rule *rule = &run->in->stopping->rule;
    bool round = rule->kind != LOOK_WIDTH || n_blocks % run->n == 0;
    return n_blocks > run->looked && round && look_due(rule, n_blocks);
}

/* No block from this number on before the next look. */
static uint32_t limit(const struct run *run)
{
    uint32_t n = share_done(&run->share) + 1;
    while (n < run->share.n && !look_is_due(run, n))
        n++;
    return n;
}

/* Whether the blocks that are done are enough. */
static enum err look(struct run *run, uint32_t n_blocks, struct why *why)
{
    const struct run_setup *in = run->in;
    struct look seen = {.stop = false};
    enum err e = ERR_OK;
    if (look_is_due(run, n_blocks)) {
        e = look_take(in->store, in->sitting->experiment, &in->stopping->rule,
                      n_blocks, &seen, why);
        if (!e)
            progress_say(in->progress, "%s", seen.words);
    }
    run->looked = n_blocks;
    run->enough |= seen.stop;
    return e;
}

static void check_time(struct run *run, uint32_t n_blocks)
{
    uint32_t rounds = (n_blocks - run->first_done) / run->n;
    if (run->enough || !stopping_spent(run->in->stopping, rounds,
                                       clock_mono_ns() - run->sat_ns))
        return;
    progress_say(run->in->progress,
                 "after %u blocks one more would be beyond the time budget",
                 n_blocks);
    run->enough = true;
}

/* After the first question of a sitting, whenever more blocks are done. */
static enum err at_block(struct run *run, struct why *why)
{
    uint32_t n = share_done(&run->share);
    if (!run->sat_ns) {
        run->sat_ns = clock_mono_ns();
        run->first_done = run->looked = n;
    }
    bool all = n == run->share.n;
    enum err e = n > run->looked && !all ? look(run, n, why) : ERR_OK;
    if (!e && n > run->first_done && !all)
        check_time(run, n);
    return e;
}

/* Answers ----------------------------------------------------------------- */

static enum err take_block(struct runner *r, uint32_t block, struct why *why)
{
    queue_park(&r->bench.queue, block, false);
    return block_take(r->in->store, r->in->sitting->experiment, block + 1,
                      r->lab->name, why);
}

enum err allot_ask(struct runner *r, struct bench_event *ev, struct why *why)
{
    struct run *run = r->run;
    uint32_t block = 0;
    allot_count(r);
    enum err e = at_block(run, why);
    ev->what = BENCH_ENOUGH;
    if (e || (run->enough && run->share.n))
        return e;
    switch (share_next(&run->share, r->number, limit(run), &block)) {
    case SHARE_TAKE:
        ev->what = BENCH_STORED;
        return take_block(r, block, why);
    case SHARE_LATER:
        ev->what = BENCH_LATER;
        break;
    case SHARE_NONE:
        break;
    }
    return ERR_OK;
}

static bool others_work(const struct runner *r)
{
    for (unsigned i = 0; i < r->run->n; i++)
        if (r->run->runners[i] != r && !r->run->runners[i]->done)
            return true;
    return false;
}

enum err allot_ended(struct runner *r, struct why *why)
{
    struct run *run = r->run;
    enum err e = ERR_OK;
    uint32_t n = run->share.n;
    allot_count(r);
    run->aborting |= r->bench.cut_short;
    if (!r->bench.lost || !others_work(r) || run->enough)
        return ERR_OK;
    progress_say(run->in->progress, "bench %s is lost: %s", r->lab->name,
                 r->bench.error);
    for (uint32_t b = 0; !e && b < n; b++) {
        const struct share_block *block = &run->share.blocks[b];
        if (block->bench != r->number || !block->left || block->dropped)
            continue;
        progress_say(run->in->progress,
                     "block %u, which it had begun, is run again as block %u",
                     b + 1, run->share.n + 1);
        e = redo(run, b, why);
    }
    return e;
}
