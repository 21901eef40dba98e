#include "target/tally.h"

#include <stdlib.h>
#include <string.h>

struct tally *tally_new(const struct window *window)
{
    struct tally *t = calloc(1, sizeof *t);
    if (t)
        t->window = window;
    return t;
}

void tally_free(struct tally *t)
{
    free(t);
}

static void begin_window(struct tally *t, uint64_t generation)
{
    t->generation = generation;
    t->t0_ns = atomic_load(&t->window->t0_ns);
    t->t1_ns = atomic_load(&t->window->t1_ns);
    memset(t->in_window, 0, sizeof t->in_window);
    hist_reset(&t->read_bytes);
    hist_reset(&t->reads_per_loop);
    hist_reset(&t->service_ns);
}

bool tally_counts(struct tally *t, uint64_t now_ns)
{
    uint64_t generation = atomic_load(&t->window->generation);
    if (generation != t->generation)
        begin_window(t, generation);
    return now_ns >= t->t0_ns && now_ns < t->t1_ns;
}

void tally_add(struct tally *t, enum tally_field field, uint64_t n,
               uint64_t now_ns)
{
    /* One writer: no locked addition is needed. */
    uint64_t sum = atomic_load_explicit(&t->total[field], memory_order_relaxed);
    atomic_store_explicit(&t->total[field], sum + n, memory_order_relaxed);
    if (tally_counts(t, now_ns))
        t->in_window[field] += n;
}

void tally_sum(const struct tally *t, struct counts *sum)
{
    for (size_t i = 0; i < TALLY_LAST; i++)
        sum->of[i] += atomic_load_explicit(&t->total[i], memory_order_relaxed);
}

bool tally_current(const struct tally *t)
{
    return t->generation == atomic_load(&t->window->generation);
}

void tally_sum_window(const struct tally *t, struct counts *sum)
{
    for (size_t i = 0; i < TALLY_LAST && tally_current(t); i++)
        sum->of[i] += t->in_window[i];
}

const char *tally_name(enum tally_field field)
{
    static const char *const names[] = {
#define X(name) #name,
        TALLY_FIELDS(X)
#undef X
    };
    return names[field];
}
