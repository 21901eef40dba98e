#include "load/recorder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"

static struct recorder_second *current(struct recorder *r)
{
    unsigned filled = atomic_load_explicit(&r->filled, memory_order_relaxed);
    return &r->blocks[filled % RECORDER_BLOCKS];
}

static void block_reset(struct recorder_second *b)
{
    b->counts = (struct recorder_counts){0};
    b->in_flight = 0;
    hist_reset(&b->latency);
    hist_reset(&b->service);
}

static int64_t second_of(const struct recorder *r, uint64_t t_ns)
{
    const struct measure_window from = {.begin_ns = r->origin_ns};
    return measure_second(&from, t_ns);
}

/* Where second number s from the origin ends. */
static uint64_t second_end(const struct recorder *r, int64_t s)
{
    return r->origin_ns + (uint64_t)(s + 1) * NS_PER_S;
}

static void reset(struct recorder *r, uint64_t t0_ns, uint64_t origin_ns)
{
    memset(r, 0, sizeof *r);
    atomic_init(&r->filled, 0);
    atomic_init(&r->taken, 0);
    r->origin_ns = origin_ns;
    current(r)->second = second_of(r, t0_ns);
    r->second_end_ns = second_end(r, current(r)->second);
}

struct recorder *recorder_new(const struct measure_window *window)
{
    struct recorder *r = malloc(sizeof *r);
    if (!r)
        return NULL;
    reset(r, window->t0_ns, window->begin_ns);
    span_init(&r->own, window->begin_ns, window->end_ns, 0);
    r->span = &r->own;
    return r;
}

void recorder_share(struct recorder *r, struct span *span, uint64_t t0_ns,
                    uint64_t origin_ns)
{
    reset(r, t0_ns, origin_ns);
    r->span = span;
}

void recorder_free(struct recorder *r)
{
    free(r);
}

/* Hand the current block over and begin the next second's. */
static void roll(struct recorder *r)
{
    struct recorder_second *b = current(r);
    int64_t next = b->second + 1;
    unsigned filled = atomic_load_explicit(&r->filled, memory_order_relaxed);
    unsigned taken = atomic_load_explicit(&r->taken, memory_order_acquire);
    b->in_flight = r->in_flight;
    if (filled - taken + 1 < RECORDER_BLOCKS) {
        atomic_store_explicit(&r->filled, filled + 1, memory_order_release);
        b = current(r);
    } else {
        r->seconds_lost++;
        block_reset(b);
    }
    b->second = next;
    r->second_end_ns = second_end(r, next);
}

void recorder_tick(struct recorder *r, uint64_t now_ns)
{
    while (now_ns >= r->second_end_ns)
        roll(r);
}

void recorder_end(struct recorder *r)
{
    roll(r);
}

void recorder_start(struct recorder *r)
{
    r->in_flight++;
}

static void count(struct recorder_counts *c, const struct recorder_event *e,
                  bool late)
{
    unsigned class = e->status / 100;
    c->late += late;
    c->received += e->received_bytes;
    c->lost += e->outcome == RECORDER_LOST;
    c->unsent += e->outcome == RECORDER_UNSENT;
    c->given_up += e->given_up;
    if (e->outcome == RECORDER_OK || e->outcome == RECORDER_FAILED)
        c->classes[class < RECORDER_CLASSES ? class : 0]++;
    if (e->outcome == RECORDER_OK) {
        c->ops++;
        c->bytes += e->body_bytes;
        c->docs += e->docs_taken;
        c->docs_failed += e->docs - e->docs_taken;
        return;
    }
    c->errors++;
    if (e->outcome == RECORDER_FAILED)
        c->docs_failed += e->docs;
}

static void flow(struct recorder_flow *f, const struct recorder_event *e)
{
    f->ops++;
    f->docs += e->docs_taken;
    f->bytes += e->body_bytes;
    f->received += e->received_bytes;
}

static void total(struct totals *t, const struct recorder_event *e)
{
    t->requests += e->requests;
    t->body_bytes += e->body_bytes;
    t->docs_acked += e->outcome == RECORDER_OK ? e->docs_taken : 0;
    if (e->outcome == RECORDER_OK)
        t->docs_refused += e->docs - e->docs_taken;
    if (e->outcome == RECORDER_FAILED)
        t->docs_refused += e->docs;
    if (e->outcome == RECORDER_LOST)
        t->docs_unknown += e->docs;
    if (e->outcome == RECORDER_OK && e->assumed)
        t->docs_assumed += e->docs_taken;
    t->errors += e->outcome != RECORDER_OK;
}

static void publish(struct recorder *r, const struct recorder_event *e)
{
    atomic_store_explicit(&r->docs, r->totals.docs_acked, memory_order_relaxed);
    atomic_store_explicit(&r->errors, r->totals.errors, memory_order_relaxed);
    atomic_store_explicit(&r->requests, r->totals.requests,
                          memory_order_relaxed);
    if (e->outcome == RECORDER_OK)
        atomic_store_explicit(
            &r->bytes,
            atomic_load_explicit(&r->bytes, memory_order_relaxed) +
                e->body_bytes,
            memory_order_relaxed);
}

void recorder_add(struct recorder *r, const struct recorder_event *e)
{
    assert(e->docs_taken <= e->docs && e->done_ns >= e->intended_ns);
    assert(r->in_flight);
    bool sent = e->outcome != RECORDER_UNSENT;
    bool late = sent && e->sent_ns > e->intended_ns + RECORDER_LATE_NS;
    recorder_tick(r, e->done_ns);
    r->in_flight--;
    struct recorder_second *b = current(r);
    count(&b->counts, e, late);
    total(&r->totals, e);
    publish(r, e);
    r->last_done_ns = e->done_ns;
    bool holds = span_holds(r->span, e->intended_ns);
    if (holds)
        count(&r->counts, e, late);
    if (e->outcome != RECORDER_OK)
        return;
    if (span_ends(r->span, e->done_ns))
        flow(&r->flow, e);
    uint64_t latency_ns = e->done_ns - e->intended_ns;
    uint64_t service_ns = e->done_ns - e->sent_ns;
    if (e->done_ns >= span_begin(r->span)) {
        hist_record(&b->latency, latency_ns);
        hist_record(&b->service, service_ns);
    }
    if (holds) {
        hist_record(&r->latency, latency_ns);
        hist_record(&r->service, service_ns);
    }
}

void recorder_explain(struct recorder *r, const char *text)
{
    if (*r->error_text)
        return;
    size_t len = strnlen(text, sizeof r->error_text - 1);
    memcpy(r->error_text, text, len);
}

const struct recorder_second *recorder_full(struct recorder *r)
{
    unsigned taken = atomic_load_explicit(&r->taken, memory_order_relaxed);
    if (taken == atomic_load_explicit(&r->filled, memory_order_acquire))
        return NULL;
    return &r->blocks[taken % RECORDER_BLOCKS];
}

void recorder_took(struct recorder *r)
{
    unsigned taken = atomic_load_explicit(&r->taken, memory_order_relaxed);
    block_reset(&r->blocks[taken % RECORDER_BLOCKS]);
    atomic_store_explicit(&r->taken, taken + 1, memory_order_release);
}

void recorder_counts_add(struct recorder_counts *into,
                         const struct recorder_counts *c)
{
    into->ops += c->ops;
    into->docs += c->docs;
    into->bytes += c->bytes;
    into->received += c->received;
    into->errors += c->errors;
    into->docs_failed += c->docs_failed;
    into->late += c->late;
    into->dropped += c->dropped;
    into->lost += c->lost;
    into->unsent += c->unsent;
    into->given_up += c->given_up;
    for (unsigned i = 0; i < RECORDER_CLASSES; i++)
        into->classes[i] += c->classes[i];
}

void recorder_merge(struct recorder *into, const struct recorder *from)
{
    recorder_counts_add(&into->counts, &from->counts);
    into->flow.ops += from->flow.ops;
    into->flow.docs += from->flow.docs;
    into->flow.bytes += from->flow.bytes;
    into->flow.received += from->flow.received;
    totals_add(&into->totals, &from->totals);
    hist_merge(&into->latency, &from->latency);
    hist_merge(&into->service, &from->service);
    recorder_explain(into, from->error_text);
    into->seconds_lost += from->seconds_lost;
    if (from->last_done_ns > into->last_done_ns)
        into->last_done_ns = from->last_done_ns;
}
