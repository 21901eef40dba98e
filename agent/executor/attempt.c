/* The states, and what moves them:
 *
 *   PREPARING --all parts READY--> PREPARED --ARM, load ARMED--> ARMED
 *   ARMED --START, t0 in the future--> RUNNING --load DONE--> STOPPING
 *   any of them --STOP, a part failed or is late--> STOPPING
 *   STOPPING --load gone, watches gone, target gone--> seal --> SEALED
 *
 * ending.c walks STOPPING. The first cause of a failure is kept, except that a
 * more certain one replaces it: load that lost its connection is explained by
 * the target's exit, which may be noticed later. */
#include "agent/executor/attempt.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "agent/executor/departure.h"
#include "agent/executor/ending.h"
#include "agent/executor/line.h"
#include "common/clock.h"
#include "common/meet.h"

#define DRAIN_MAX_NS (5 * NS_PER_S)
/* What load may need beyond window and drain to write its last records. */
#define FINISH_NS (5 * NS_PER_S)
/* Bounds on START: far above any use, far below an overflow of u64 ns. */
#define AHEAD_MAX_NS  (3600 * NS_PER_S)
#define LENGTH_MAX_NS (30 * 24 * 3600 * NS_PER_S)

static const char *const names[PARTS] = {
    [PART_TARGET] = "target",
    [PART_WATCH_TARGET] = "watch of the target",
    [PART_LOAD] = "load",
    [PART_WATCH_LOAD] = "watch of the load",
};

const char *part_name(enum part part)
{
    return part < PARTS ? names[part] : "unknown part";
}

void attempt_init(struct attempt *a, unsigned parts, uint64_t ready_ns,
                  uint64_t drain_ns)
{
    *a = (struct attempt){
        .state = ATTEMPT_PREPARING, .parts = parts, .oom_exit = CHILD_EXIT_OOM};
    a->ready_ns = ready_ns;
    a->drain_ns = drain_ns < DRAIN_MAX_NS ? drain_ns : DRAIN_MAX_NS;
}

/* What the parts say ---------------------------------------------------- */

static bool all_ready(const struct attempt *a)
{
    for (unsigned p = 0; p < PARTS; p++)
        if ((a->parts & PART_BIT(p)) && !a->part[p].ready)
            return false;
    return true;
}

static void on_ready(struct attempt *a, enum part part,
                     const struct child_msg *msg)
{
    a->part[part].ready = true;
    a->part[part].said[0] = '\0';
    if (part == PART_TARGET || (part == PART_WATCH_TARGET && a->silent))
        line_copy(a->url, sizeof a->url, msg->text);
    if (part == PART_LOAD || part == PART_WATCH_TARGET)
        a->task[0] = '\0'; /* it may have told how far it was */
    if (a->state == ATTEMPT_PREPARING && all_ready(a)) {
        a->state = ATTEMPT_PREPARED;
        a->deadline_ns = 0;
    }
}

static void on_armed(struct attempt *a, enum part part)
{
    if (part != PART_LOAD || !a->arming || a->state != ATTEMPT_PREPARED)
        return;
    a->part[part].armed = true;
    a->state = ATTEMPT_ARMED;
    a->deadline_ns = 0;
}

static void on_progress(struct attempt *a, const struct child_msg *msg)
{
    a->docs = msg->docs;
    a->bytes = msg->bytes;
    a->errors = msg->errors;
    a->docs_s = msg->docs_s;
    if (msg->kind == CHILD_PROGRESS)
        line_copy(a->task, sizeof a->task, msg->text);
}

/* Whether load is the only part that is still waited for. */
static bool only_load_lacks(const struct attempt *a)
{
    for (unsigned p = 0; p < PARTS; p++)
        if (p != PART_LOAD && (a->parts & PART_BIT(p)) && !a->part[p].ready)
            return false;
    return a->state == ATTEMPT_PREPARING;
}

/* After the window a track may have more steps, before it a corpus may take
 * long to make: as long as load says each second what it is at, it is given the
 * same time again. */
static void go_on(struct attempt *a, uint64_t now_ns)
{
    if (only_load_lacks(a))
        a->deadline_ns = now_ns + a->ready_ns;
    if (a->state == ATTEMPT_RUNNING && now_ns > a->end_ns)
        a->deadline_ns = now_ns + a->drain_ns + FINISH_NS;
}

static void on_meet(struct attempt *a, const struct child_msg *msg)
{
    a->meet = msg->meet;
    a->meet_any = msg->any;
}

static void on_done(struct attempt *a, enum part part,
                    const struct attempt_event *ev, struct attempt_actions *out)
{
    struct attempt_part *p = &a->part[part];
    if (!p->told && (part != PART_LOAD || !a->began))
        ending_blame(a, ending_cause(part), part, "%s ended by itself",
                     names[part]);
    p->done = true;
    if (part == PART_LOAD)
        on_progress(a, ev->msg);
    ending_begin(a, ev->now_ns, out);
}

static void on_failed(struct attempt *a, enum part part,
                      const struct attempt_event *ev,
                      struct attempt_actions *out)
{
    line_copy(a->part[part].said, sizeof a->part[part].said, ev->msg->text);
    bool oom = part == PART_TARGET && ev->msg->err == ERR_OOM;
    ending_blame(a, oom ? CAUSE_OOM : ending_cause(part), part, "%s: %s",
                 names[part], a->part[part].said);
    ending_begin(a, ev->now_ns, out);
}

/* The target is not ready: why, and for how long, which the controller sees go
 * on as it sees a corpus grow. */
static void still_waits(struct attempt *a, const struct attempt_event *ev)
{
    struct attempt_part *p = &a->part[ev->part];
    line_copy(p->said, sizeof p->said, ev->msg->text);
    bool load = a->parts & PART_BIT(PART_LOAD);
    if (a->state == ATTEMPT_PREPARING && (!load || a->part[PART_LOAD].ready))
        (void)snprintf(a->task, sizeof a->task,
                       "waiting for the target, %.0f s",
                       (double)((ev->now_ns - a->begun_ns) / NS_PER_S));
}

static void on_msg(struct attempt *a, const struct attempt_event *ev,
                   struct attempt_actions *out)
{
    assert(ev->part < PARTS && ev->msg);
    if (a->state == ATTEMPT_SEALED)
        return;
    switch (ev->msg->kind) {
    case CHILD_READY:
        on_ready(a, ev->part, ev->msg);
        break;
    case CHILD_ARMED:
        on_armed(a, ev->part);
        break;
    case CHILD_PROGRESS:
        if (ev->part == PART_LOAD) {
            on_progress(a, ev->msg);
            go_on(a, ev->now_ns);
        } else if (ev->part == PART_WATCH_TARGET) {
            still_waits(a, ev);
        }
        break;
    case CHILD_MEET:
        if (ev->part == PART_LOAD)
            on_meet(a, ev->msg);
        break;
    case CHILD_DONE:
        on_done(a, ev->part, ev, out);
        break;
    case CHILD_FAILED:
        on_failed(a, ev->part, ev, out);
        break;
    default: /* STARTED changes nothing; the rest are ours to say */
        break;
    }
}

/* Commands -------------------------------------------------------------- */

static enum err not_yet(const struct attempt *a, const char *what,
                        struct why *why)
{
    return err_set(why, ERR_STATE, "%s: the attempt is %s", what,
                   state_name(a->state));
}

static enum err on_arm(struct attempt *a, const struct attempt_event *ev,
                       struct attempt_actions *out, struct why *why)
{
    if (a->state < ATTEMPT_PREPARED)
        return not_yet(a, "arm", why);
    if (a->state > ATTEMPT_PREPARED || a->arming)
        return ERR_OK;
    a->arming = true;
    if (!(a->parts & PART_BIT(PART_LOAD))) {
        a->state = ATTEMPT_ARMED;
        return ERR_OK;
    }
    a->deadline_ns = ev->now_ns + a->ready_ns;
    ending_tell(out, PART_LOAD, CHILD_ARM, ev->now_ns);
    return ERR_OK;
}

static enum err start_possible(const struct attempt *a,
                               const struct attempt_event *ev, struct why *why)
{
    if (a->state < ATTEMPT_ARMED)
        return not_yet(a, "start", why);
    if (ev->t0_ns <= ev->now_ns)
        return err_set(why, ERR_LATE,
                       "start: t0 has passed by %.3f ms when it came",
                       (double)(ev->now_ns - ev->t0_ns) / 1e6);
    if (ev->t0_ns - ev->now_ns > AHEAD_MAX_NS)
        return err_set(why, ERR_RANGE,
                       "start: t0 is %.0f s ahead; at most 3600",
                       (double)(ev->t0_ns - ev->now_ns) / 1e9);
    if (ev->warmup_ns > LENGTH_MAX_NS || ev->measure_ns > LENGTH_MAX_NS ||
        ev->measure_ns == 0)
        return err_set(why, ERR_RANGE,
                       "start: warm-up of %.0f s and window of %.3g s; "
                       "accepted: a window above 0, each at most 30 days",
                       (double)ev->warmup_ns / 1e9,
                       (double)ev->measure_ns / 1e9);
    return ERR_OK;
}

static enum err on_start(struct attempt *a, const struct attempt_event *ev,
                         struct attempt_actions *out, struct why *why)
{
    if (a->state > ATTEMPT_ARMED)
        return ERR_OK;
    enum err e = start_possible(a, ev, why);
    if (e)
        return e;
    a->state = ATTEMPT_RUNNING;
    a->began = true;
    a->end_ns = ev->t0_ns + ev->warmup_ns + ev->measure_ns;
    if (a->parts & PART_BIT(PART_LOAD))
        a->deadline_ns = a->end_ns + a->drain_ns + FINISH_NS;
    for (unsigned p = 0; p < PARTS; p++) {
        if (p == PART_TARGET || !a->part[p].alive)
            continue;
        ending_tell(out, (enum part)p, CHILD_START, ev->t0_ns);
        out->items[out->n - 1].msg.warmup_ns = ev->warmup_ns;
        out->items[out->n - 1].msg.measure_ns = ev->measure_ns;
    }
    return ERR_OK;
}

/* Several loads have met: one that has ended has no need to know. */
static enum err on_go(struct attempt *a, const struct attempt_event *ev,
                      struct attempt_actions *out, struct why *why)
{
    uint64_t from_ns = ev->t0_ns;
    if (a->state < ATTEMPT_RUNNING)
        return not_yet(a, "meet", why);
    if (a->state > ATTEMPT_RUNNING || ev->meet <= a->met)
        return ERR_OK;
    if (meet_kind(ev->meet) == MEET_START && from_ns <= ev->now_ns)
        return err_set(why, ERR_LATE,
                       "meet: t0 of the next step has passed by %.3f ms when "
                       "it came",
                       (double)(ev->now_ns - from_ns) / 1e6);
    if (from_ns > ev->now_ns && from_ns - ev->now_ns > AHEAD_MAX_NS)
        return err_set(why, ERR_RANGE, "meet: %.0f s ahead; at most 3600",
                       (double)(from_ns - ev->now_ns) / 1e9);
    a->met = ev->meet;
    if (!a->part[PART_LOAD].alive)
        return ERR_OK;
    ending_tell(out, PART_LOAD, CHILD_GO, from_ns);
    out->items[out->n - 1].msg.meet = ev->meet;
    return ERR_OK;
}

/* Where load runs on other machines, the controller ends the trial here by
 * STOP, and says whether that is its good end. */
static bool good_end(const struct attempt *a, bool done)
{
    return done && !(a->parts & PART_BIT(PART_LOAD)) &&
           a->state == ATTEMPT_RUNNING;
}

static void on_stop(struct attempt *a, const struct attempt_event *ev,
                    struct attempt_actions *out)
{
    if (a->state >= ATTEMPT_STOPPING)
        return;
    if (!good_end(a, ev->done))
        ending_blame(a, CAUSE_ABORT, PARTS, "stopped: %s",
                     ev->text && ev->text[0] ? ev->text : "by command");
    ending_begin(a, ev->now_ns, out);
}

/* Everything else ------------------------------------------------------- */

static void on_begin(struct attempt *a, const struct attempt_event *ev,
                     struct attempt_actions *out)
{
    a->begun_ns = ev->now_ns;
    a->deadline_ns = ev->now_ns + a->ready_ns;
    for (unsigned p = 0; p < PARTS; p++) {
        if (!(a->parts & PART_BIT(p)))
            continue;
        a->part[p].spawned = a->part[p].alive = true;
        a->part[p].ready = p == PART_TARGET && a->silent;
        (void)ending_act(out, ACTION_SPAWN, (enum part)p);
    }
}

static void on_kill(struct attempt *a, const struct attempt_event *ev,
                    struct attempt_actions *out)
{
    if (a->state == ATTEMPT_SEALED)
        return;
    ending_blame(a, CAUSE_ABORT, PARTS, "%s", ev->text ? ev->text : "killed");
    a->state = ATTEMPT_STOPPING;
    ending_seal(a, out);
}

static void not_ready_in_time(struct attempt *a)
{
    static const char *const waits[PARTS] = {
        [PART_TARGET] = "the target to listen",
        [PART_WATCH_TARGET] = "the target to answer its watch",
        [PART_LOAD] = "the load's corpus",
        [PART_WATCH_LOAD] = "the watch of the load",
    };
    char list[256] = "";
    size_t used = 0;
    for (unsigned p = 0; p < PARTS; p++)
        if ((a->parts & PART_BIT(p)) && !a->part[p].ready)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                     used ? ", " : "", waits[p]);
    /* A target that never listens is a result of the target. */
    enum part tells = a->silent ? PART_WATCH_TARGET : PART_TARGET;
    bool target = (a->parts & PART_BIT(tells)) && !a->part[tells].ready;
    const char *said = a->part[PART_WATCH_TARGET].said;
    ending_blame(a, target ? CAUSE_TARGET : CAUSE_OTHER, PARTS,
                 "waited %.3g s for %s%s%s", (double)a->ready_ns / 1e9, list,
                 said[0] ? ": " : "", said);
}

static void on_tick(struct attempt *a, const struct attempt_event *ev,
                    struct attempt_actions *out)
{
    if (a->deadline_ns == 0 || ev->now_ns < a->deadline_ns)
        return;
    if (a->state == ATTEMPT_STOPPING) {
        ending_late(a, ev->now_ns, out);
        return;
    }
    if (a->state == ATTEMPT_PREPARING)
        not_ready_in_time(a);
    else if (a->state == ATTEMPT_PREPARED)
        ending_blame(a, CAUSE_OTHER, PARTS,
                     "waited %.3g s for the load's connections",
                     (double)a->ready_ns / 1e9);
    else
        ending_blame(a, CAUSE_OTHER, PARTS,
                     "load did not finish within %.3g s after the window or "
                     "its last word",
                     (double)(a->drain_ns + FINISH_NS) / 1e9);
    ending_begin(a, ev->now_ns, out);
}

enum err attempt_step(struct attempt *a, const struct attempt_event *ev,
                      struct attempt_actions *out, struct why *why)
{
    out->n = 0;
    switch (ev->kind) {
    case EVENT_BEGIN:
        on_begin(a, ev, out);
        break;
    case EVENT_MSG:
        on_msg(a, ev, out);
        break;
    case EVENT_EXIT:
        departure_take(a, ev, out);
        break;
    case EVENT_ARM:
        return on_arm(a, ev, out, why);
    case EVENT_START:
        return on_start(a, ev, out, why);
    case EVENT_MEET:
        return on_go(a, ev, out, why);
    case EVENT_STOP:
        on_stop(a, ev, out);
        break;
    case EVENT_FAULT:
        if (a->state == ATTEMPT_SEALED)
            break;
        ending_blame(a, CAUSE_OTHER, PARTS, "%s",
                     ev->text ? ev->text : "fault");
        ending_begin(a, ev->now_ns, out);
        break;
    case EVENT_KILL:
        on_kill(a, ev, out);
        break;
    case EVENT_TICK:
        on_tick(a, ev, out);
        break;
    }
    return ERR_OK;
}

enum attempt_outcome attempt_verdict(const struct attempt *a)
{
    static const enum attempt_outcome of[] = {
        [CAUSE_NONE] = OUTCOME_OK,       [CAUSE_OTHER] = OUTCOME_FAILED,
        [CAUSE_TARGET] = OUTCOME_FAILED, [CAUSE_OOM] = OUTCOME_OOM,
        [CAUSE_ABORT] = OUTCOME_ABORTED,
    };
    return of[a->cause];
}

void attempt_sealed(struct attempt *a, const char *failed)
{
    if (failed) {
        a->cause = CAUSE_OTHER;
        line_copy(a->text, sizeof a->text, failed);
    }
    a->state = ATTEMPT_SEALED;
    a->outcome = attempt_verdict(a);
    a->deadline_ns = 0;
}
