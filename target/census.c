#include "target/census.h"

#include <stdlib.h>

#include "target/native.h"

void census_add(struct census_counts *sum, struct shard *s)
{
    struct shard_counts *c = shard_counts(s);
#define X(name) sum->name += atomic_load(&c->name);
    SHARD_COUNTS(X)
#undef X
    sum->shards++;
    sum->store_bytes += shard_store_bytes(s);
}

static void add_index(void *ctx, struct index *x)
{
    for (uint32_t i = 0; i < x->n_shards; i++)
        census_add(ctx, x->shards[i]);
}

void census_sum(struct indices *all, struct census_counts *sum)
{
    indices_each(all, add_index, sum);
}

/* One kind of time of every shard, gathered. */
struct gathering {
    struct census *census;
    enum census_work work;
    size_t n;
};

static uint64_t time_of(struct shard *s, enum census_work work)
{
    struct shard_counts *c = shard_counts(s);
    switch (work) {
    case CENSUS_INDEX:
        return atomic_load(&c->index_ns);
    case CENSUS_MERGE:
        return atomic_load(&c->merge_ns);
    case CENSUS_REFRESH:
        return atomic_load(&c->refresh_ns);
    case CENSUS_FLUSH:
    case CENSUS_WORKS:
        break;
    }
    return atomic_load(&c->flush_ns);
}

static void gather(void *ctx, struct index *x)
{
    struct gathering *g = ctx;
    for (uint32_t i = 0; i < x->n_shards && g->n < INDICES_SHARDS_MAX; i++)
        g->census->times[g->n++] = time_of(x->shards[i], g->work);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The median of an even number is the mean of the two in the middle. */
static void spread(struct census *c, enum census_work work, struct indices *all)
{
    struct gathering g = {.census = c, .work = work};
    indices_each(all, gather, &g);
    if (g.n == 0)
        return;
    qsort(c->times, g.n, sizeof *c->times, by_value);
    c->spread[work].min_ns = c->times[0];
    c->spread[work].median_ns =
        (c->times[(g.n - 1) / 2] + c->times[g.n / 2]) / 2;
    c->spread[work].max_ns = c->times[g.n - 1];
}

void census_take(struct census *c, struct indices *all)
{
    *c = (struct census){.native_used_bytes = native_used_bytes(),
                         .native_max_bytes = native_max_bytes()};
    census_sum(all, &c->sum);
    for (int work = 0; work < CENSUS_WORKS; work++)
        spread(c, (enum census_work)work, all);
}
