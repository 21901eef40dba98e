/* All locks of the bulk's indices are held from before the first part is
 * prepared until the last is committed, so that a shard begins no other bulk
 * while this one's end is open: that is what indices.c relies on when it takes
 * back half of one after a crash. Locks are taken in the order of addresses. */
#include "target/commit.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "target/native.h"
#include "target/shard_tend.h"

struct part {
    struct shard *shard;
    struct shard_work work;
    enum err e;
    struct why why;
    bool done; /* prepared, then committed */
};

struct commit {
    struct batch *batch;
    struct part *parts; /* [n] of shards that have something to do */
    struct shard_part *names;
    size_t n;
    struct batch_op **ops; /* [batch->n] by part */
    size_t *ends;          /* [n_shards] where the operations of each end */
    size_t n_shards;
    const atomic_bool *given_up;
};

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t) * (struct index *const *)a;
    uintptr_t y = (uintptr_t) * (struct index *const *)b;
    return x < y ? -1 : x > y;
}

static void lock_all(struct commit *c)
{
    struct batch *b = c->batch;
    if (b->n_indices)
        qsort(b->indices, b->n_indices, sizeof(struct index *), by_address);
    for (size_t i = 0; i < b->n_indices; i++) {
        (void)pthread_mutex_lock(&b->indices[i]->write);
        b->indices[i]->first_part = c->n_shards;
        c->n_shards += b->indices[i]->n_shards;
    }
}

static void unlock_all(struct commit *c)
{
    struct batch *b = c->batch;
    for (size_t i = 0; i < b->n_indices; i++)
        (void)pthread_mutex_unlock(&b->indices[i]->write);
}

/* Whether the operation is to be done at all. */
static bool is_due(struct batch_op *op)
{
    if (op->index && !op->error.type && op->index->dropped) {
        op->status = 404;
        op->error = (struct item_error){"index_not_found_exception",
                                        "no such index", NULL, NULL, 404};
    }
    return op->index && !op->error.type;
}

static void choose_shard(struct batch_op *op)
{
    struct index *x = op->index;
    op->shard = op->key.len
                    ? docid_shard(x->seed, op->key.p, op->key.len, x->n_shards)
                    : atomic_fetch_add(&x->next_shard, 1) % x->n_shards;
}

/* Sort the operations by shard, each shard's in their order. */
static enum err spread(struct commit *c, struct why *why)
{
    struct batch *b = c->batch;
    c->ends = native_alloc((c->n_shards + 1) * sizeof *c->ends);
    c->ops = native_alloc((b->n + 1) * sizeof(struct batch_op *));
    c->parts = native_alloc((c->n_shards + 1) * sizeof *c->parts);
    c->names = native_alloc((c->n_shards + 1) * sizeof *c->names);
    if (!c->ends || !c->ops || !c->parts || !c->names)
        return err_set(why, ERR_NOMEM, "the native limit is reached");
    memset(c->ends, 0, (c->n_shards + 1) * sizeof *c->ends);
    for (size_t i = 0; i < b->n; i++)
        if (is_due(&b->ops[i])) {
            choose_shard(&b->ops[i]);
            c->ends[b->ops[i].index->first_part + b->ops[i].shard + 1]++;
        }
    for (size_t i = 1; i <= c->n_shards; i++)
        c->ends[i] += c->ends[i - 1];
    for (size_t i = 0; i < b->n; i++)
        if (b->ops[i].index && !b->ops[i].error.type) {
            size_t k = b->ops[i].index->first_part + b->ops[i].shard;
            c->ops[c->ends[k]++] = &b->ops[i];
        }
    return ERR_OK;
}

/* ends[k] is now the end of shard k, and ends[k - 1] its begin. */
static void make_parts(struct commit *c)
{
    for (size_t i = 0, k = 0; i < c->batch->n_indices; i++) {
        struct index *x = c->batch->indices[i];
        for (uint32_t s = 0; s < x->n_shards; s++, k++) {
            size_t begin = k ? c->ends[k - 1] : 0, n = c->ends[k] - begin;
            if (n == 0)
                continue;
            c->names[c->n] =
                (struct shard_part){.index_seed = x->seed,
                                    .seq = shard_seq(x->shards[s]) + 1,
                                    .shard = s};
            c->parts[c->n++] = (struct part){.shard = x->shards[s],
                                             .work = {.ops = c->ops + begin,
                                                      .n = n,
                                                      .parts = c->names,
                                                      .given_up = c->given_up}};
        }
    }
    for (size_t i = 0; i < c->n; i++)
        c->parts[i].work.n_parts = c->n;
}

static void prepare_part(void *ctx, size_t i)
{
    struct part *p = &((struct commit *)ctx)->parts[i];
    p->e = shard_prepare(p->shard, &p->work, &p->why);
    p->done = !p->e;
}

static void commit_part(void *ctx, size_t i)
{
    struct part *p = &((struct commit *)ctx)->parts[i];
    p->e = shard_commit(p->shard, &p->why);
    p->done = !p->e;
}

static void tend_part(void *ctx, size_t i)
{
    shard_tend(((struct commit *)ctx)->parts[i].shard);
}

static enum err first_error(const struct commit *c, struct why *why)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->parts[i].e)
            return err_set(why, c->parts[i].e, "%s", c->parts[i].why.text);
    return ERR_OK;
}

static enum err prepare_all(struct commit *c, struct crew *crew,
                            struct why *why)
{
    crew_run(crew, c->n, prepare_part, c);
    enum err e = first_error(c, why);
    for (size_t i = 0; e && i < c->n; i++)
        if (c->parts[i].done)
            shard_rollback(c->parts[i].shard);
    return e;
}

/* A shard that cannot be taken back is broken and says so to the next bulk;
 * opening it again tries once more. */
static enum err commit_all(struct commit *c, struct crew *crew, struct why *why)
{
    crew_run(crew, c->n, commit_part, c);
    enum err e = first_error(c, why);
    for (size_t i = 0; e && i < c->n; i++)
        if (c->parts[i].done) {
            enum err left = shard_undo(c->parts[i].shard, NULL);
            (void)left;
        }
    return e;
}

static enum err sync_fields(const struct batch *b, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 0; i < b->n_indices && !e; i++)
        if (!b->indices[i]->dropped)
            e = fields_sync(b->indices[i]->fields, why);
    return e;
}

enum err commit_batch(struct indices *all, struct batch *batch, struct why *why)
{
    struct commit c = {.batch = batch, .given_up = indices_given_up(all)};
    struct crew *crew = indices_crew(all);
    lock_all(&c);
    enum err e = sync_fields(batch, why);
    if (!e)
        e = spread(&c, why);
    if (!e) {
        make_parts(&c);
        e = prepare_all(&c, crew, why);
    }
    if (!e)
        e = commit_all(&c, crew, why);
    if (!e && !atomic_load(c.given_up))
        crew_run(crew, c.n, tend_part, &c);
    unlock_all(&c);
    native_free(c.ends);
    native_free(c.ops);
    native_free(c.parts);
    native_free(c.names);
    for (size_t i = 0; i < batch->n_indices; i++)
        index_tick(batch->indices[i], clock_mono_ns());
    return e;
}
