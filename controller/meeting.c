#include "controller/meeting.h"

#include "common/meet.h"

/* A load that is at work on the attempt. */
static bool at_work(const struct seat *s)
{
    return s->takes_part && !seat_at_rest(s) && s->state >= ATTEMPT_RUNNING;
}

/* The meeting that may be left next: all have come so far, or one whose word
 * counts for all; none: the last one. */
static uint32_t next(const struct bench *b)
{
    uint32_t least = UINT32_MAX, any = UINT32_MAX;
    for (unsigned i = 1; i < b->n_seats; i++) {
        const struct seat *s = &b->seats[i];
        uint32_t at = s->status.meet;
        if (!at_work(s))
            continue;
        if (at < least)
            least = at;
        if (s->status.meet_any && at > b->met && at < any)
            any = at;
    }
    if (any < UINT32_MAX)
        return any;
    return least < UINT32_MAX && least > b->met ? least : b->met;
}

/* Have all clocks read; whether they are. */
static bool read_clocks(struct bench *b, uint64_t now_ns)
{
    bool all = true;
    for (unsigned i = 1; i < b->n_seats; i++) {
        struct seat *s = &b->seats[i];
        if (!at_work(s) || s->phase == SEAT_READY)
            continue;
        all = false;
        if (s->phase == SEAT_RUNNING && !s->waiting)
            seat_enter(b, s, SEAT_CLOCK, now_ns);
    }
    return all;
}

static uint64_t start_ns(const struct bench *b, uint64_t now_ns)
{
    uint64_t origin_ns = b->t0_ns + bench_times(b).warmup_ns;
    uint64_t soonest_ns = now_ns + MEETING_LEAD_NS;
    if (soonest_ns <= origin_ns)
        return origin_ns;
    uint64_t seconds = (soonest_ns - origin_ns + NS_PER_S - 1) / NS_PER_S;
    return origin_ns + seconds * NS_PER_S;
}

static void agree(struct bench *b, uint32_t number, uint64_t now_ns)
{
    b->met = number;
    switch (meet_kind(number)) {
    case MEET_START:
        b->met_ns = start_ns(b, now_ns);
        break;
    case MEET_COMPLETE:
        b->met_ns = now_ns + BENCH_LEAD_NS;
        break;
    case MEET_OVER:
        b->met_ns = 0;
        break;
    }
}

void meeting_lead(struct bench *b, uint64_t now_ns)
{
    uint32_t number = b->apart ? next(b) : b->met;
    if (number > b->met &&
        (meet_kind(number) != MEET_START || read_clocks(b, now_ns)))
        agree(b, number, now_ns);
    for (unsigned i = 1; b->apart && i < b->n_seats; i++) {
        struct seat *s = &b->seats[i];
        bool may = s->phase == SEAT_RUNNING || s->phase == SEAT_READY;
        if (at_work(s) && may && !s->waiting && s->met < b->met)
            seat_enter(b, s, SEAT_MEET, now_ns);
    }
}
