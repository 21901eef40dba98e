#include "agent/executor/live.h"

#include <stdio.h>
#include <string.h>

#include "agent/executor/gc_log.h"
#include "agent/executor/line.h"
#include "common/clock.h"
#include "common/log.h"

/* A JVM ends its recording, and the watch reads it: 5 s and 12 s at most. */
#define RECORDS_NS (20 * NS_PER_S)

void live_init(struct live *live, struct host *host,
               const struct groups *groups)
{
    live->host = host;
    live->groups = groups;
    live->any = live->seal_due = false;
    stage_init(&live->stage);
}

bool live_busy(const struct live *live)
{
    return live->any && live->attempt.state != ATTEMPT_SEALED;
}

void live_trim(struct live *live, uint64_t now_ns)
{
    if (now_ns < live->trim_ns)
        return;
    if (live->stage.dir >= 0)
        gc_log_trim(live->stage.dir);
    live->trim_ns = now_ns + NS_PER_S;
}

/* A part that could not be started: the attempt fails, the part is gone. */
static void not_spawned(struct live *live, enum part part,
                        const struct why *why)
{
    struct attempt_event gone = {
        .kind = EVENT_EXIT, .part = part, .now_ns = clock_mono_ns()};
    if (why)
        live_tell(live, EVENT_FAULT, why->text);
    (void)!live_step(live, &gone, NULL);
}

static void carry_out(struct live *live, const struct attempt_action *action)
{
    struct why why = {0};
    switch (action->kind) {
    case ACTION_SPAWN:
        if (live->attempt.state != ATTEMPT_PREPARING)
            not_spawned(live, action->part, NULL);
        else if (stage_spawn(&live->stage, action->part, &why))
            not_spawned(live, action->part, &why);
        break;
    case ACTION_SEND:
        if (stage_send(&live->stage, action->part, &action->msg, &why))
            log_warn("attempt %s: %s: %s", live->name, part_name(action->part),
                     why.text);
        break;
    case ACTION_KILL:
        stage_kill(&live->stage, action->part);
        break;
    case ACTION_SEAL:
        live->seal_due = true;
        break;
    }
}

enum err live_step(struct live *live, const struct attempt_event *ev,
                   struct why *why)
{
    struct attempt_actions actions;
    enum attempt_state before = live->attempt.state;
    enum err e = attempt_step(&live->attempt, ev, &actions, why);
    if (live->attempt.state != before)
        log_info("attempt %s %s%s%s", live->name,
                 state_name(live->attempt.state),
                 live->attempt.text[0] ? ": " : "", live->attempt.text);
    for (unsigned i = 0; i < actions.n; i++)
        carry_out(live, &actions.items[i]);
    return e;
}

void live_tell(struct live *live, enum event_kind kind, const char *text)
{
    struct attempt_event ev = {
        .kind = kind, .now_ns = clock_mono_ns(), .text = text};
    (void)!live_step(live, &ev, NULL);
}

enum err live_begin(struct live *live, const struct home *home,
                    const char *name, int plan, struct why *why)
{
    const struct setup *setup = &live->setup;
    live->any = false;
    enum err e = stage_open(&live->stage, setup, home, name, plan, why);
    if (e)
        return e;
    live->stage.host = live->host;
    live->stage.may = live->groups;
    live->any = true;
    live->seal_due = false;
    live->manifest = (struct manifest){.outcome = OUTCOME_NONE};
    (void)snprintf(live->name, sizeof live->name, "%s", name);
    attempt_init(&live->attempt, setup->parts, setup->spec.ready_ns,
                 setup->spec.drain_ns);
    live->attempt.silent = setup->silent;
    if (setup->silent) {
        live->attempt.oom_exit = setup->target->oom_exit;
        live->attempt.stop_ns = setup->target->stop_ns;
        live->attempt.records_ns = setup->target->jvm ? RECORDS_NS : 0;
    }
    struct why broken = {0};
    if (stage_build(&live->stage, &live->setup, &broken))
        live_tell(live, EVENT_FAULT, broken.text);
    else
        live_tell(live, EVENT_BEGIN, NULL);
    return ERR_OK;
}

static void heard(void *ctx, const struct attempt_event *ev)
{
    (void)!live_step(ctx, ev, NULL);
}

void live_hear(struct live *live, const struct pollfd fds[STAGE_FDS])
{
    stage_hear(&live->stage, fds, clock_mono_ns(), heard, live);
}

void live_finish(struct live *live)
{
    struct why why = {0};
    if (!live->seal_due)
        return;
    live->seal_due = false;
    struct manifest *m = &live->manifest;
    m->outcome = attempt_verdict(&live->attempt);
    line_copy(m->text, sizeof m->text, live->attempt.text);
    enum attempt_outcome decided = m->outcome;
    enum err e = stage_seal(&live->stage, m, &why);
    const char *failed = NULL;
    if (e) {
        (void)err_wrap(&why, e, "seal the attempt");
        failed = why.text;
    } else if (m->outcome != decided) {
        failed = m->text;
    }
    attempt_sealed(&live->attempt, failed);
    log_info("attempt %s sealed outcome=%s bytes=%llu%s%s", live->name,
             outcome_name(live->attempt.outcome), (unsigned long long)m->bytes,
             live->attempt.text[0] ? ": " : "", live->attempt.text);
}

void live_status_of(enum attempt_state state, const struct manifest *m,
                    struct msg_status_reply *out)
{
    *out = (struct msg_status_reply){.mono_ns = clock_mono_ns(),
                                     .spool_bytes = m->bytes,
                                     .spool_records = m->records,
                                     .spool_crc = m->crc};
    (void)snprintf(out->state, sizeof out->state, "%s", state_name(state));
    (void)snprintf(out->outcome, sizeof out->outcome, "%s",
                   outcome_name(m->outcome));
    (void)snprintf(out->text, sizeof out->text, "%s", m->text);
}

/* What of an end may take longer than the controller waits unless it is told;
 * NULL: nothing. */
static const char *ends_slowly(const struct attempt *a)
{
    if (!a->silent || a->state != ATTEMPT_STOPPING)
        return NULL;
    if (a->phase == PHASE_TARGET)
        return "the target stops";
    return a->phase == PHASE_WATCH && a->records_ns
               ? "the target's records are read"
               : NULL;
}

void live_status(const struct live *live, struct msg_status_reply *out)
{
    const struct attempt *a = &live->attempt;
    live_status_of(a->state, &live->manifest, out);
    (void)snprintf(out->outcome, sizeof out->outcome, "%s",
                   outcome_name(a->outcome));
    (void)snprintf(out->text, sizeof out->text, "%s", a->text);
    (void)snprintf(out->task, sizeof out->task, "%s", a->task);
    const char *what = ends_slowly(a);
    if (what && a->deadline_ns > out->mono_ns)
        (void)snprintf(out->task, sizeof out->task, "%s, within %.0f s", what,
                       (double)((a->deadline_ns - out->mono_ns) / NS_PER_S));
    (void)snprintf(out->target_url, sizeof out->target_url, "%s", a->url);
    if (live->stage.target.mode == CAGE_NAMESPACES)
        out->target_pid = (uint32_t)live->stage.target.init;
    out->docs = a->docs;
    out->bytes = a->bytes;
    out->errors = a->errors;
    out->docs_s = a->docs_s;
    out->meet = a->meet;
    out->meet_any = a->meet_any;
}
