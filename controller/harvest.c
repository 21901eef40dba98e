#include "controller/harvest.h"

#include "controller/crew.h"

void harvest_begin(struct bench *b, uint64_t now_ns)
{
    struct bench_times times = bench_times(b);
    b->recorded = b->left->state;
    b->end_ns = now_ns + times.warmup_ns + times.measure_ns; /* at most */
    for (unsigned i = 0; i < b->n_seats; i++) {
        struct seat *s = &b->seats[i];
        if (!s->takes_part)
            continue;
        s->sent = true;
        seat_enter(b, s, SEAT_START, now_ns); /* for its deadline */
        seat_enter(b, s, SEAT_PREPARING, now_ns);
    }
}

/* The store has these results: no agent needs to keep what it still has. */
static void acknowledge(struct bench *b)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < b->n_seats; i++)
        if (b->seats[i].takes_part)
            bytes += b->seats[i].status.spool_bytes;
    for (unsigned i = 0; i < b->n_seats; i++) {
        struct seat *s = &b->seats[i];
        if (!s->takes_part || s->phase != SEAT_SEALED)
            continue;
        s->phase = SEAT_REST;
        s->spool_len = (size_t)s->status.spool_bytes;
        s->spool_crc = s->status.spool_crc;
        s->collected =
            s->state == ATTEMPT_SEALED && bytes == b->left->spool_bytes;
    }
}

/* A tombstone without the results: they are in another copy of the store. */
static void find_tombstones(struct bench *b)
{
    for (unsigned i = 0; i < b->n_seats; i++) {
        struct seat *s = &b->seats[i];
        if (s->takes_part && s->phase == SEAT_SEALED &&
            s->state == ATTEMPT_STORED)
            seat_void(b, s, OUTCOME_ABORTED,
                      "the agent was told that the results are stored; they "
                      "are not in this file");
    }
}

static bool at_rest(const struct bench *b, unsigned from)
{
    for (unsigned i = from; i < b->n_seats; i++)
        if (!seat_at_rest(&b->seats[i]))
            return false;
    return true;
}

/* A target apart runs until it is stopped; that is no failure once its loads
 * have done their work. */
static void end_target(struct bench *b, uint64_t now_ns)
{
    struct seat *target = b->seats;
    if (target->phase != SEAT_RUNNING || target->waiting || !at_rest(b, 1))
        return;
    target->stopping = target->done = true;
    for (unsigned i = 1; i < b->n_seats; i++)
        target->done &= b->seats[i].outcome == OUTCOME_OK;
    seat_enter(b, target, SEAT_STOP, now_ns);
}

void harvest_lead(struct bench *b, uint64_t now_ns)
{
    bool told = true, runs = true;
    for (unsigned i = 0; i < b->n_seats; i++) {
        const struct seat *s = &b->seats[i];
        if (!s->takes_part || seat_at_rest(s))
            continue;
        told &= s->accepted;
        runs &= s->state >= ATTEMPT_RUNNING;
    }
    if (b->failing || b->interrupted || (told && !runs))
        crew_stop(b, now_ns);
    else if (told && b->apart)
        end_target(b, now_ns);
    if (!at_rest(b, 0))
        return;
    if (b->left->state == ATTEMPT_STORED)
        acknowledge(b);
    else
        find_tombstones(b);
}
