#include "controller/crew.h"

#include <stdio.h>
#include <string.h>

#include "controller/meeting.h"

/* Whether all who take part have come so far. */
static bool all_reached(const struct bench *b, enum attempt_state state)
{
    for (unsigned i = 0; i < b->n_seats; i++)
        if (b->seats[i].takes_part && b->seats[i].state < state)
            return false;
    return true;
}

bool crew_all_in(const struct bench *b, enum seat_phase phase)
{
    for (unsigned i = 0; i < b->n_seats; i++)
        if (b->seats[i].takes_part && b->seats[i].phase != phase)
            return false;
    return true;
}

static bool loads_at_rest(const struct bench *b)
{
    for (unsigned i = 1; i < b->n_seats; i++)
        if (!seat_at_rest(&b->seats[i]))
            return false;
    return true;
}

/* Loads first, so that the target's last count comes after their last document;
 * what is out of reach is asked for until it is lost, but not at Ctrl-C. */
static void stop_seat(struct bench *b, struct seat *s, uint64_t now_ns)
{
    if (seat_at_rest(s) || s->waiting || (s->stopping && !seat_is_reaching(s)))
        return;
    if (seat_is_reaching(s)) {
        if (b->interrupted)
            seat_lose(b, s, "interrupted while the agent was out of reach");
    } else if (!s->sent) {
        if (b->interrupted && !b->text[0])
            (void)snprintf(b->text, sizeof b->text, "interrupted");
        seat_drop(s, b->interrupted ? OUTCOME_ABORTED : OUTCOME_NONE);
    } else if (s != b->seats || loads_at_rest(b)) {
        s->stopping = true;
        s->done = false;
        seat_enter(b, s, SEAT_STOP, now_ns);
    }
}

void crew_stop(struct bench *b, uint64_t now_ns)
{
    for (unsigned i = b->n_seats; i-- > 0;)
        if (b->seats[i].takes_part)
            stop_seat(b, &b->seats[i], now_ns);
}

bool crew_leaves(const struct bench *b)
{
    bool leaves = false;
    if (bench_is_extra(b))
        return false;
    for (unsigned i = 0; i < b->n_seats; i++) {
        const struct seat *s = &b->seats[i];
        bool away = s->lost && s->sent && !s->collected;
        if (s->takes_part && !away && s->outcome != OUTCOME_OK)
            return false; /* it has failed, whatever the others have */
        leaves |= s->takes_part && away;
    }
    return leaves;
}

static uint64_t lead_ns(const struct bench *b)
{
    return (BENCH_LEAD_NS << b->late) + (b->apart ? BENCH_LEAD_NS : 0);
}

/* One instant for all, each told it by its own clock. */
static void agree_start(struct bench *b, uint64_t now_ns)
{
    struct bench_times times = bench_times(b);
    b->t0_ns = now_ns + lead_ns(b);
    b->end_ns = b->t0_ns + times.warmup_ns + times.measure_ns;
    for (unsigned i = 0; i < b->n_seats; i++) {
        struct seat *s = &b->seats[i];
        if (!s->takes_part)
            continue;
        s->start.offset_ns = s->offset_ns;
        s->start.uncertain_ns = s->uncertain_ns;
        s->start.t0_ns = b->t0_ns + (uint64_t)s->offset_ns;
        seat_enter(b, s, SEAT_START, now_ns);
    }
}

/* One that came back and had not heard of the start, which the others had. */
static void find_stragglers(struct bench *b)
{
    bool running = false;
    for (unsigned i = 0; i < b->n_seats; i++)
        running |= b->seats[i].takes_part && b->seats[i].phase != SEAT_READY &&
                   b->seats[i].state >= ATTEMPT_RUNNING;
    for (unsigned i = 0; running && i < b->n_seats; i++)
        if (b->seats[i].takes_part && b->seats[i].phase == SEAT_READY &&
            b->seats[i].state < ATTEMPT_RUNNING)
            seat_fail(b, &b->seats[i], "it missed the start");
}

void crew_lead(struct bench *b, uint64_t now_ns)
{
    struct seat *target = b->seats;
    bool prepared = all_reached(b, ATTEMPT_PREPARED);
    bool armed = all_reached(b, ATTEMPT_ARMED);
    for (unsigned i = 0; i < b->n_seats; i++) {
        struct seat *s = &b->seats[i];
        if (!s->takes_part || s->waiting)
            continue;
        /* loads are told where the target listens */
        if (s->phase == SEAT_IDLE && !s->sent &&
            (!i || target->state >= ATTEMPT_PREPARED))
            seat_enter(b, s, SEAT_PREPARE, now_ns);
        else if (s->phase == SEAT_PREPARING && prepared && !s->armed &&
                 s->state == ATTEMPT_PREPARED)
            seat_enter(b, s, SEAT_ARM, now_ns);
        else if (s->phase == SEAT_ARMING && armed && !s->started &&
                 s->state == ATTEMPT_ARMED)
            seat_enter(b, s, SEAT_EXTEND, now_ns);
    }
    if (crew_all_in(b, SEAT_READY))
        agree_start(b, now_ns);
    find_stragglers(b);
    meeting_lead(b, now_ns);
    if (b->apart && loads_at_rest(b) && target->phase == SEAT_RUNNING &&
        !target->waiting) {
        target->stopping = target->done = true;
        seat_enter(b, target, SEAT_STOP, now_ns);
    }
}

/* By the executor's words. */
bool crew_tells_crash(const char *text)
{
    return !strncmp(text, "target exited", 13) ||
           !strncmp(text, "target was killed", 17);
}

bool crew_crashed(const struct bench *b)
{
    const struct seat *target = b->seats;
    return target->outcome == OUTCOME_FAILED && target->collected &&
           crew_tells_crash(target->status.text);
}

/* Load and samples went on meanwhile: it is told, not held against it. A gate
 * that is started anew is back at once. */
static void note_partition(struct bench *b)
{
    for (unsigned i = 0; i < b->n_seats && !b->text[0]; i++) {
        const struct seat *s = &b->seats[i];
        if (s->takes_part && s->away_ns >= NS_PER_S)
            (void)snprintf(b->text, sizeof b->text,
                           "partitioned: %s%s out of reach for %.1f s",
                           s->name[0] ? "agent " : "its agent", s->name,
                           (double)s->away_ns / 1e9);
    }
}

/* What the target did to itself explains the rest; then any failure, then
 * Ctrl-C. */
void crew_conclude(struct bench *b)
{
    const struct seat *target = b->seats;
    bool ok = true, failed = b->failing && !b->interrupted && !b->left;
    for (unsigned i = 0; i < b->n_seats; i++) {
        const struct seat *s = &b->seats[i];
        ok = ok && (!s->takes_part || s->outcome == OUTCOME_OK);
        failed = failed || (s->takes_part && s->outcome == OUTCOME_FAILED);
    }
    if (target->outcome == OUTCOME_OOM || crew_crashed(b)) {
        b->outcome = target->outcome;
        (void)snprintf(b->text, sizeof b->text, "%s", target->status.text);
    } else if (ok && !failed) {
        b->outcome = OUTCOME_OK; /* its text, if any, is a note */
        (void)snprintf(b->text, sizeof b->text, "%s", target->status.text);
        note_partition(b);
    } else {
        b->outcome = failed ? OUTCOME_FAILED : OUTCOME_ABORTED;
    }
}
