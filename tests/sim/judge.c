#include "tests/sim/judge.h"

#include <assert.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/crc.h"
#include "tests/sim/shim.h"
#include "tests/sim/sim.h"

void judge_blame(struct sim *sim, const char *fmt, ...)
{
    struct judge *j = &sim->judge;
    va_list ap;
    if (j->text[0])
        return;
    va_start(ap, fmt);
    (void)vsnprintf(j->text, sizeof j->text, fmt, ap);
    va_end(ap);
    sim_say(sim, "broken: %s", j->text);
}

struct deed *judge_deed(struct sim *sim, unsigned site, uint32_t tid,
                        uint32_t att)
{
    struct judge *j = &sim->judge;
    for (unsigned i = 0; i < j->n; i++)
        if (j->deeds[i].site == site && j->deeds[i].tid == tid &&
            j->deeds[i].att == att)
            return &j->deeds[i];
    assert(j->n < JUDGE_DEEDS);
    j->deeds[j->n] = (struct deed){.site = site, .tid = tid, .att = att};
    return &j->deeds[j->n++];
}

struct deed *judge_named(struct sim *sim, unsigned site, const char *name)
{
    unsigned tid = 0, att = 0;
    assert(strlen(name) > 37 && sscanf(name + 37, "%u-%u", &tid, &att) == 2);
    return judge_deed(sim, site, tid, att);
}

/* Orders ------------------------------------------------------------------- */

static void judge_lease(struct sim *sim, const struct site *s,
                        const struct port_request *q, uint64_t token)
{
    struct judge *j = &sim->judge;
    unsigned n = s->number;
    if (q->op == MSG_ACQUIRE) {
        if (token <= j->tokens[n])
            judge_blame(sim, "I1: agent %u gives token %llu after %llu", n,
                        (unsigned long long)token,
                        (unsigned long long)j->tokens[n]);
        j->tokens[n] = token;
        j->expires[n] = site_boot_ns(s) + q->as.acquire.ttl_ns;
    } else if (q->op == MSG_RENEW) {
        j->expires[n] = site_boot_ns(s) + q->as.renew.ttl_ns;
    } else if (q->op == MSG_RELEASE) {
        j->expires[n] = 0;
    }
}

/* Of what is held, only its holder deletes, and only what is committed. */
static void judge_ack(struct sim *sim, const struct site *s,
                      const struct port_request *q)
{
    struct deed *d = judge_deed(sim, s->number, q->tid, q->att);
    const struct row *row = clerk_row(&sim->clerk, q->tid, q->att);
    unsigned n = s->number;
    if (d->acked)
        return;
    /* Of an empty spool nothing can be lost. */
    bool same = row && (row->has[n] || !d->bytes) &&
                row->part_bytes[n] == d->bytes &&
                (!d->bytes || row->part_crc[n] == d->crc);
    if (!same || row->state != ATTEMPT_STORED || row->safe_ns > sim->now_ns)
        judge_blame(sim, "I5: agent %u deletes %u-%u, which is not committed",
                    n, q->tid, q->att);
    d->acked = true;
}

void judge_order(struct sim *sim, const struct site *s,
                 const struct port_request *q, const struct port_reply *reply)
{
    const struct judge *j = &sim->judge;
    unsigned n = s->number;
    bool fits = q->token == j->tokens[n] && site_boot_ns(s) < j->expires[n];
    bool held = j->expires[n] > site_boot_ns(s);
    if (reply->err)
        return;
    bool needs = q->op == MSG_PREPARE || q->op == MSG_ARM ||
                 q->op == MSG_START_AT || q->op == MSG_MEET ||
                 q->op == MSG_STOP || q->op == MSG_RENEW ||
                 q->op == MSG_RELEASE;
    if ((needs && !fits) || (q->op == MSG_ACK && held && !fits))
        judge_blame(
            sim,
            "I1: agent %u carries out %s under token %llu, newest "
            "%llu, left %lld ms",
            n, msg_op_name((enum msg_op)q->op), (unsigned long long)q->token,
            (unsigned long long)j->tokens[n],
            ((long long)j->expires[n] - (long long)site_boot_ns(s)) / 1000000);
    judge_lease(sim, s, q, reply->as.lease.token);
    if (q->op == MSG_ACK)
        judge_ack(sim, s, q);
}

/* Agents ------------------------------------------------------------------- */

void judge_rest(struct sim *sim, const struct site *s)
{
    const struct judge *j = &sim->judge;
    bool idle = !live_busy(&s->x->live);
    if (idle && strcmp(s->knob, SITE_KNOB) != 0)
        judge_blame(sim, "I3: agent %u is idle with \"%s\"", s->number,
                    s->knob);
    if (!idle && site_boot_ns(s) >= j->expires[s->number] &&
        s->x->live.attempt.state < ATTEMPT_STOPPING)
        judge_blame(sim, "I1: agent %u works on %s without a lease", s->number,
                    s->x->live.name);
    for (unsigned i = 0; i < j->n; i++) {
        const struct deed *d = &j->deeds[i];
        if (d->built > 1 || d->armed > 1 || d->started > 1)
            judge_blame(sim,
                        "I2: agent %u begins %u-%u %u times, arms %u, "
                        "starts %u",
                        d->site, d->tid, d->att, d->built, d->armed,
                        d->started);
    }
}

static uint32_t spool_crc(struct site *s, const char *name)
{
    char path[100];
    (void)snprintf(path, sizeof path, "attempts/%s/spool", name);
    int node = disk_find(&s->disk, DISK_ROOT, path);
    const struct disk_node *n = node < 0 ? NULL : &s->disk.nodes[node];
    return n && n->len ? crc32c(0, n->data, n->len) : 0;
}

static void judge_folder(struct sim *sim, struct site *s, struct deed *d)
{
    char name[ATTEMPT_DIR_NAME_MAX];
    enum attempt_state state;
    struct manifest m;
    struct why why = {""};
    (void)snprintf(name, sizeof name, "%s-%u-%u", CLERK_OWNER, d->tid, d->att);
    if (attempt_dir_look(s->x->home.attempts, name, &state, &m, &why)) {
        judge_blame(sim, "I4: agent %u has lost %u-%u: %s", s->number, d->tid,
                    d->att, why.text);
        return;
    }
    if (!d->sealed) { /* it died over it, and has sealed it since */
        d->sealed = true;
        d->outcome = m.outcome;
        d->bytes = m.bytes;
        d->crc = m.crc;
    }
    if (m.bytes != d->bytes || m.crc != d->crc || m.outcome != d->outcome ||
        (state == ATTEMPT_SEALED && spool_crc(s, name) != d->crc))
        judge_blame(sim, "I4: agent %u has altered %u-%u", s->number, d->tid,
                    d->att);
    struct port_request q = {.tid = d->tid, .att = d->att};
    if (state == ATTEMPT_STORED)
        judge_ack(sim, s, &q); /* it died after it had done that */
    else if (d->acked)
        judge_blame(sim, "I4: agent %u has %u-%u again", s->number, d->tid,
                    d->att);
}

/* One whose folder was made, and no more. */
static void judge_begun(struct sim *sim, struct site *s)
{
    int node = disk_find(&s->disk, DISK_ROOT, "attempts");
    const struct disk_node *n = &s->disk.nodes[node];
    const struct disk_list *l = &n->lists[n->n_lists - 1];
    for (unsigned i = 0; i < l->n; i++) {
        struct deed *d = judge_named(sim, s->number, l->entries[i].name);
        if (!d->built)
            judge_folder(sim, s, d);
    }
}

void judge_started(struct sim *sim, struct site *s)
{
    judge_begun(sim, s);
    for (unsigned i = 0; i < sim->judge.n && !sim->judge.text[0]; i++) {
        struct deed *d = &sim->judge.deeds[i];
        if (d->site == s->number && d->built &&
            (!live_busy(&s->x->live) ||
             judge_named(sim, s->number, s->x->live.name) != d))
            judge_folder(sim, s, d);
    }
}

/* The store ---------------------------------------------------------------- */

static void judge_part(struct sim *sim, const struct bench *b, unsigned site)
{
    const struct seat *seat = &b->seats[site];
    struct deed *d = judge_deed(sim, site, b->trial + 1, b->att);
    bool ok = b->outcome == OUTCOME_OK;
    if (ok && (!seat->collected || d->outcome != OUTCOME_OK))
        judge_blame(sim, "I4: %u-%u is stored as ok, but agent %u has it %s",
                    d->tid, d->att, site, outcome_name(d->outcome));
    if (!seat->collected)
        return;
    uint32_t crc =
        seat->spool_len ? crc32c(0, seat->spool, seat->spool_len) : 0;
    if (!d->sealed || d->bytes != seat->spool_len || d->crc != crc)
        judge_blame(sim, "I4: %u-%u is not stored as agent %u produced it",
                    d->tid, d->att, site);
    if (d->stored)
        judge_blame(sim, "I4: %u-%u of agent %u is stored twice", d->tid,
                    d->att, site);
    d->stored = true;
    uint64_t t0_ns = b->t0_ns;
    uint64_t apart_ns = d->t0_ns > t0_ns ? d->t0_ns - t0_ns : t0_ns - d->t0_ns;
    if (ok && seat->start.t0_ns && apart_ns > seat->start.uncertain_ns + 1)
        judge_blame(sim, "I4: agent %u started %llu ns off, said were %llu",
                    site, (unsigned long long)apart_ns,
                    (unsigned long long)seat->start.uncertain_ns);
}

void judge_stored(struct sim *sim, const struct bench *b)
{
    const struct row *row = clerk_row(&sim->clerk, b->trial + 1, b->att);
    if (!row || row->state >= ATTEMPT_STORED)
        judge_blame(sim, "I4: %u-%u ends %s", b->trial + 1, b->att,
                    row ? "twice in the store" : "and was not begun");
    for (unsigned i = 0; i < b->n_seats; i++)
        if (b->seats[i].takes_part)
            judge_part(sim, b, i);
}

/* Every trial has an end in the store. */
static void judge_trials(struct sim *sim)
{
    const struct clerk *c = &sim->clerk;
    for (uint32_t tid = 1; tid <= c->ends[c->n_blocks - 1]; tid++) {
        unsigned n = 0;
        for (unsigned i = 0; i < c->n_rows; i++)
            n += c->rows[i].tid == tid && c->rows[i].state == ATTEMPT_STORED &&
                 c->rows[i].outcome != OUTCOME_ABORTED;
        if (!n)
            judge_blame(sim, "I6: trial %u has no end", tid);
    }
}

void judge_end(struct sim *sim)
{
    if (!sim->clerk.done)
        judge_blame(sim, "I6: all stands still");
    judge_trials(sim);
    for (unsigned i = 0; i < sim->n_sites && !sim->judge.text[0]; i++) {
        struct site *s = &sim->sites[i];
        if (!s->x || live_busy(&s->x->live) || s->x->lease.held) {
            judge_blame(sim, "I6: agent %u is not at rest", i);
            return;
        }
        site_rest(s);
    }
}
