#include "agent/executor/departure.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "agent/executor/ending.h"

/* "exited with status 1" or "was killed by signal 9 (Killed)". */
static const char *ending(char *buf, size_t size, int status)
{
    if (WIFSIGNALED(status))
        (void)snprintf(buf, size, "was killed by signal %d (%s)",
                       WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        (void)snprintf(buf, size, "exited with status %d", WEXITSTATUS(status));
    return buf;
}

/* What a part said and how it exited are one cause: tell it once, whole. */
static void forget_said(struct attempt *a, enum part part)
{
    if (a->part[part].said[0] && a->cause_part == part &&
        a->cause == ending_cause(part))
        a->cause = CAUSE_NONE;
}

/* One that does not speak the contract was stopped by a signal, after which
 * any status is fine, and so is death by that signal. */
static bool ended_well(const struct attempt *a, enum part part, int status)
{
    const struct attempt_part *p = &a->part[part];
    if (p->killed)
        return true;
    if (part == PART_TARGET && a->silent)
        return p->told &&
               (WIFEXITED(status) || WTERMSIG(status) == SIGTERM ||
                WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGQUIT);
    return (p->told || p->done) && status == 0;
}

/* A server that puts itself in the background has left its parent's sight. */
static const char *background(const struct attempt *a,
                              const struct attempt_event *ev, char *buf,
                              size_t size)
{
    buf[0] = '\0';
    if (ev->part != PART_TARGET || !a->silent || a->part[PART_TARGET].told)
        return buf;
    if (ev->stayed)
        (void)snprintf(buf, size,
                       " and left %.100s running: a target stays in the "
                       "foreground",
                       ev->stayed);
    else if (ev->status == 0)
        (void)snprintf(buf, size,
                       " by itself: a target stays in the foreground until it "
                       "gets its signal");
    return buf;
}

void departure_take(struct attempt *a, const struct attempt_event *ev,
                    struct attempt_actions *out)
{
    assert(ev->part < PARTS);
    struct attempt_part *p = &a->part[ev->part];
    p->alive = false;
    if (a->state == ATTEMPT_SEALED)
        return;
    char how[80], back[180];
    const char *line = p->said[0] ? p->said : ev->text ? ev->text : "";
    const char *colon = line[0] ? ": " : "";
    (void)ending(how, sizeof how, ev->status);
    if (ev->part == PART_TARGET && WIFEXITED(ev->status) &&
        WEXITSTATUS(ev->status) == a->oom_exit)
        ending_blame(a, CAUSE_OOM, ev->part,
                     "the target ran out of its heap%s%s", colon, line);
    else if (ev->starved && !p->killed) {
        forget_said(a, ev->part);
        ending_blame(a, ev->part == PART_TARGET ? CAUSE_OOM : CAUSE_OTHER,
                     ev->part, "%s was killed by the kernel, out of memory: %s",
                     part_name(ev->part), ev->text);
    } else if (!ended_well(a, ev->part, ev->status)) {
        forget_said(a, ev->part);
        ending_blame(a, ending_cause(ev->part), ev->part, "%s %s%s%s%s",
                     part_name(ev->part), how,
                     background(a, ev, back, sizeof back), colon, line);
    }
    if (a->state != ATTEMPT_STOPPING)
        ending_begin(a, ev->now_ns, out);
    else
        ending_advance(a, ev->now_ns, false, out);
}
