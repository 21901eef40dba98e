#include "agent/executor/host.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/executor/knob.h"
#include "agent/executor/sysctl.h"
#include "common/log.h"

/* Between any two effects: where tests kill us. */
static void step(struct host *h)
{
    if (++h->step == h->die_at)
        (void)kill(getpid(), SIGKILL);
}

static enum err note(struct host *h, struct change *c, enum change_state state,
                     struct why *why)
{
    step(h);
    c->state = state;
    enum err e = journal_append(&h->journal, c, why);
    step(h);
    return e;
}

/* Set --------------------------------------------------------------------- */

/* After a write that did not do what was asked: a part of it may stand. */
static enum err take_back(struct host *h, struct change *c, enum err e,
                          struct why *why)
{
    char got[CHANGE_VALUE_MAX];
    struct why more = {0};
    enum err bad = knob_get(c->kind, c->target, got, &more);
    if (!bad && strcmp(got, c->old) != 0) {
        bad = knob_put(c->kind, c->target, c->old, &more);
        step(h);
        if (!bad)
            bad = knob_get(c->kind, c->target, got, &more);
    }
    if (!bad && strcmp(got, c->old) != 0)
        bad = err_set(&more, ERR_IO, "it is \"%s\"", got);
    if (!bad)
        bad = note(h, c, CHANGE_UNDONE, &more);
    if (bad)
        (void)err_wrap(why, e, "(\"%s\" could not be put back: %.100s)", c->old,
                       more.text);
    return e;
}

static enum err apply(struct host *h, struct change *c, struct why *why)
{
    char got[CHANGE_VALUE_MAX] = "";
    enum err e = knob_put(c->kind, c->target, c->new, why);
    step(h);
    if (!e)
        e = knob_get(c->kind, c->target, got, why);
    if (!e && strcmp(got, c->new) != 0)
        e = err_set(why, ERR_INVALID, "it is \"%s\" after writing \"%s\"", got,
                    c->new);
    if (e)
        return take_back(h, c, e, why);
    return note(h, c, CHANGE_APPLIED, why);
}

enum err host_set(struct host *h, enum change_kind kind, const char *target,
                  char value[CHANGE_VALUE_MAX], struct why *why)
{
    struct change c = {
        .kind = kind, .incarnation = h->incarnation, .token = h->token};
    enum err e = ERR_OK;
    if (strlen(target) >= sizeof c.target)
        return err_set(why, ERR_RANGE, "%.80s...: too long a name", target);
    (void)snprintf(c.target, sizeof c.target, "%s", target);
    (void)snprintf(c.boot_id, sizeof c.boot_id, "%s", h->boot_id);
    sysctl_normalise(c.new, sizeof c.new, value);
    if (changes_find(&h->journal.live, kind, target))
        return err_set(why, ERR_EXISTS, "%s is changed already", target);
    e = knob_get(kind, target, c.old, why);
    if (!e && !strcmp(c.old, c.new))
        return ERR_OK;
    if (!e)
        e = note(h, &c, CHANGE_INTENT, why);
    if (!e)
        e = apply(h, &c, why);
    if (e)
        return err_wrap(why, e, "%s", target);
    log_info("changed %s %s: \"%s\" -> \"%s\"", change_kind_name(kind), target,
             c.old, c.new);
    memcpy(value, c.new, sizeof c.new);
    return ERR_OK;
}

/* Undo -------------------------------------------------------------------- */

/* What to do about c; a setting that the machine has no more is forgotten. */
static enum err judge(const struct host *h, const struct change *c,
                      enum change_verdict *verdict, char *current,
                      struct why *why)
{
    current[0] = '\0';
    *verdict = change_verdict(c, h->boot_id, "");
    if (*verdict == CHANGE_FORGET)
        return ERR_OK;
    enum err e = knob_get(c->kind, c->target, current, why);
    *verdict = e ? CHANGE_FORGET : change_verdict(c, h->boot_id, current);
    return e == ERR_NOTFOUND ? ERR_OK : e;
}

static enum err write_old(struct host *h, struct change *c, struct why *why)
{
    char got[CHANGE_VALUE_MAX];
    struct why unwritten = {0};
    /* Without a journal it is still right to put it back: the next executor
     * finds the old value and has nothing to do. */
    if (note(h, c, CHANGE_UNDOING, &unwritten))
        log_error("%s", unwritten.text);
    enum err e = knob_put(c->kind, c->target, c->old, why);
    step(h);
    if (!e)
        e = knob_get(c->kind, c->target, got, why);
    if (!e && strcmp(got, c->old) != 0)
        e = err_set(why, ERR_IO, "it is \"%s\" after writing \"%s\" back", got,
                    c->old);
    return e ? e : note(h, c, CHANGE_UNDONE, why);
}

static enum err undo_one(struct host *h, struct change c, struct why *why)
{
    char current[CHANGE_VALUE_MAX];
    enum change_verdict verdict;
    enum err e = judge(h, &c, &verdict, current, why);
    if (!e && verdict == CHANGE_WRITE_OLD)
        e = write_old(h, &c, why);
    else if (!e && verdict == CHANGE_LEAVE && c.state == CHANGE_DRIFT)
        e = ERR_STATE;
    else if (!e && verdict == CHANGE_LEAVE)
        e = note(h, &c, CHANGE_DRIFT, why);
    else if (!e)
        e = note(h, &c, CHANGE_UNDONE, why);
    if (e)
        return err_wrap(why, e, "undo %s", c.target);
    if (verdict == CHANGE_LEAVE)
        return err_set(why, ERR_STATE,
                       "%s is \"%s\", which is neither \"%s\" nor ours: left "
                       "as it is",
                       c.target, current, c.old);
    log_info("undone %s %s: \"%s\"", change_kind_name(c.kind), c.target, c.old);
    return ERR_OK;
}

enum err host_undo(struct host *h, struct why *why)
{
    enum err e = ERR_OK;
    /* From the newest; what stays (drift) is not moved by what is removed
     * above it. */
    for (unsigned i = h->journal.live.n; i-- > 0;) {
        struct why one = {0};
        enum err bad = undo_one(h, h->journal.live.items[i], &one);
        if (!bad)
            continue;
        log_error("%s", one.text);
        if (!e)
            e = err_set(why, bad == ERR_IO ? ERR_IO : ERR_STATE, "%s",
                        one.text);
    }
    if (!e && h->journal.live.n == 0 && h->journal.bytes > 0) {
        step(h);
        e = journal_clear(&h->journal, why);
        step(h);
    }
    return e;
}

enum err host_open(struct host *h, int dir, const char *boot_id,
                   uint64_t incarnation, unsigned die_at, struct why *why)
{
    *h = HOST_NONE;
    h->incarnation = incarnation;
    h->die_at = die_at;
    (void)snprintf(h->boot_id, sizeof h->boot_id, "%s", boot_id);
    enum err e = journal_open(&h->journal, dir, why);
    struct why left = {0};
    if (!e && host_undo(h, &left))
        log_warn("held: %s", left.text);
    return e;
}

/* Said -------------------------------------------------------------------- */

bool host_held(const struct host *h, char *buf, size_t size)
{
    const struct journal *j = &h->journal;
    buf[0] = '\0';
    for (unsigned i = 0; i < j->live.n; i++) {
        const struct change *c = &j->live.items[i];
        if (c->state == CHANGE_DRIFT)
            (void)snprintf(buf, size,
                           "%s was changed by somebody else since a trial "
                           "changed it from \"%s\" to \"%s\"",
                           c->target, c->old, c->new);
        else
            (void)snprintf(buf, size, "%s was not put back to \"%s\"",
                           c->target, c->old);
    }
    if (j->damaged)
        (void)snprintf(buf, size,
                       "the journal was damaged; journal.damaged is what was "
                       "there");
    if (j->broken)
        (void)snprintf(buf, size, "the journal cannot be written");
    return buf[0] != '\0';
}

void host_describe(const struct host *h, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (unsigned i = h->journal.live.n; i-- > 0 && used < size;) {
        const struct change *c = &h->journal.live.items[i];
        char current[CHANGE_VALUE_MAX], what[CHANGE_VALUE_MAX + 40];
        enum change_verdict verdict;
        struct why why = {0};
        if (judge(h, c, &verdict, current, &why))
            (void)snprintf(what, sizeof what, "cannot be read now");
        else if (verdict == CHANGE_WRITE_OLD)
            (void)snprintf(what, sizeof what, "would write \"%s\"", c->old);
        else if (verdict == CHANGE_LEAVE)
            (void)snprintf(what, sizeof what, "would leave \"%s\" as it is",
                           current);
        else
            (void)snprintf(what, sizeof what, "would change nothing");
        int n = snprintf(buf + used, size - used,
                         "%s %s: \"%s\" -> \"%s\", %s; %s\n",
                         change_kind_name(c->kind), c->target, c->old, c->new,
                         change_state_name(c->state), what);
        used += n > 0 ? (size_t)n : 0;
    }
}

enum err host_release(struct host *h, struct why *why)
{
    struct why left = {0};
    if (host_undo(h, &left))
        log_warn("release: %s", left.text);
    h->journal.damaged = false;
    for (unsigned i = h->journal.live.n; i-- > 0;) {
        struct change c = h->journal.live.items[i];
        if (c.state != CHANGE_DRIFT)
            continue;
        enum err e = note(h, &c, CHANGE_RELEASED, why);
        if (e)
            return e;
        log_warn("released %s: left as it is", c.target);
    }
    return host_undo(h, why);
}

void host_close(struct host *h)
{
    journal_close(&h->journal);
}
