/* Stopping walks three phases in this order, so that the watches take their
 * last samples while the target still answers, and the target's final counts
 * come after the last document:
 *
 *   phase    told STOP     killed after
 *   load     load          drain + 1 s (1 s when it was never started)
 *   watch    both watches  5 s (1 s), and longer where a JVM's records are read
 *   target   target        10 s (2 s), or as its definition says
 *
 * A phase ends when its parts have exited; one that does not even go by
 * SIGKILL within 2 s is left to the end of its cage. */
#include "agent/executor/ending.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "agent/executor/line.h"
#include "common/clock.h"

#define KILL_NS (2 * NS_PER_S)

struct attempt_action *ending_act(struct attempt_actions *out,
                                  enum action_kind kind, enum part part)
{
    assert(out->n < ACTIONS_MAX);
    struct attempt_action *action = &out->items[out->n++];
    *action = (struct attempt_action){.kind = kind, .part = part};
    return action;
}

void ending_tell(struct attempt_actions *out, enum part part,
                 enum child_kind kind, uint64_t now_ns)
{
    struct attempt_action *action = ending_act(out, ACTION_SEND, part);
    action->msg.kind = (uint32_t)kind;
    action->msg.t_ns = now_ns;
}

void ending_blame(struct attempt *a, enum cause cause, enum part part,
                  const char *fmt, ...)
{
    if (cause <= a->cause || a->cause == CAUSE_ABORT ||
        (cause == CAUSE_ABORT && a->cause != CAUSE_NONE))
        return;
    char text[sizeof a->text];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    line_copy(a->text, sizeof a->text, text);
    a->cause = cause;
    a->cause_part = part;
}

enum cause ending_cause(enum part part)
{
    return part == PART_TARGET ? CAUSE_TARGET : CAUSE_OTHER;
}

struct phase {
    unsigned parts;
    uint64_t patience_ns; /* once load was started */
    uint64_t early_ns;    /* before */
};

static const struct phase phases[] = {
    [PHASE_LOAD] = {PART_BIT(PART_LOAD), NS_PER_S, NS_PER_S},
    [PHASE_WATCH] = {PART_BIT(PART_WATCH_TARGET) | PART_BIT(PART_WATCH_LOAD),
                     5 * NS_PER_S, NS_PER_S},
    [PHASE_TARGET] = {PART_BIT(PART_TARGET), 10 * NS_PER_S, 2 * NS_PER_S},
};

static uint64_t patience_ns(const struct attempt *a)
{
    const struct phase *phase = &phases[a->phase];
    if (a->phase == PHASE_TARGET && a->stop_ns)
        return a->stop_ns;
    if (a->phase == PHASE_WATCH && a->records_ns && a->began)
        return phase->patience_ns + a->records_ns;
    if (!a->began)
        return phase->early_ns;
    return phase->patience_ns + (a->phase == PHASE_LOAD ? a->drain_ns : 0);
}

static unsigned alive_in_phase(const struct attempt *a)
{
    unsigned alive = 0;
    for (unsigned p = 0; p < PARTS; p++)
        if (a->part[p].alive && (phases[a->phase].parts & PART_BIT(p)))
            alive |= PART_BIT(p);
    return alive;
}

static void enter_phase(struct attempt *a, enum attempt_phase phase,
                        uint64_t now_ns, struct attempt_actions *out)
{
    a->phase = phase;
    a->deadline_ns = now_ns + patience_ns(a);
    unsigned alive = alive_in_phase(a);
    for (unsigned p = 0; p < PARTS; p++) {
        if (!(alive & PART_BIT(p)) || a->part[p].told)
            continue;
        a->part[p].told = true;
        if (!a->part[p].done)
            ending_tell(out, (enum part)p, CHILD_STOP, now_ns);
    }
}

void ending_seal(struct attempt *a, struct attempt_actions *out)
{
    a->phase = PHASE_NONE;
    a->deadline_ns = 0;
    (void)ending_act(out, ACTION_SEAL, PART_TARGET);
}

/* Leave every phase whose parts are gone; left: do so even if they are not. */
void ending_advance(struct attempt *a, uint64_t now_ns, bool left,
                    struct attempt_actions *out)
{
    while (a->phase != PHASE_NONE && (left || !alive_in_phase(a))) {
        left = false;
        if (a->phase == PHASE_TARGET)
            ending_seal(a, out);
        else
            enter_phase(a, a->phase + 1, now_ns, out);
    }
}

void ending_begin(struct attempt *a, uint64_t now_ns,
                  struct attempt_actions *out)
{
    if (a->state >= ATTEMPT_STOPPING)
        return;
    a->state = ATTEMPT_STOPPING;
    enter_phase(a, PHASE_LOAD, now_ns, out);
    ending_advance(a, now_ns, false, out);
}

/* What a target of somebody else's does after its last answer spoils nothing
 * that was measured: that is noted, no failure. */
static void late(struct attempt *a, enum part part)
{
    char text[120];
    (void)snprintf(text, sizeof text, "%s did not stop within %.3g s%s",
                   part_name(part), (double)patience_ns(a) / 1e9,
                   part == PART_TARGET && a->silent
                       ? " of its signal and was killed"
                       : "");
    if (part != PART_TARGET || !a->silent)
        ending_blame(a, ending_cause(part), part, "%s", text);
    else if (a->cause == CAUSE_NONE)
        line_copy(a->text, sizeof a->text, text);
}

void ending_late(struct attempt *a, uint64_t now_ns,
                 struct attempt_actions *out)
{
    unsigned alive = alive_in_phase(a);
    bool killed = false;
    for (unsigned p = 0; p < PARTS; p++) {
        if (!(alive & PART_BIT(p)) || a->part[p].killed)
            continue;
        a->part[p].killed = killed = true;
        (void)ending_act(out, ACTION_KILL, (enum part)p);
        late(a, (enum part)p);
    }
    a->deadline_ns = now_ns + KILL_NS;
    if (!killed)
        ending_advance(a, now_ns, true, out);
}
