#include "tests/sim/clerk.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/papers.h"
#include "tests/sim/sim.h"

#define CIRCLE_MAX 100000u /* at one instant: it turns in a circle */

void clerk_init(struct clerk *c, struct sim *sim)
{
    *c = (struct clerk){.sim = sim, .n_blocks = 2, .due_ns = UINT64_MAX};
    c->ends[0] = (uint32_t)sim_between(sim, 1, 2);
    c->ends[1] = c->ends[0] + (uint32_t)sim_between(sim, 1, 2);
}

static void leave(struct clerk *c)
{
    if (!c->up)
        return;
    bench_fini(&c->bench);
    free(c->left);
    c->left = NULL;
    c->up = false;
    c->generation++;
    c->die_in = 0;
    c->stopped_ns = 0;
    c->due_ns = UINT64_MAX;
    memset(c->lines, 0, sizeof c->lines);
}

void clerk_fini(struct clerk *c)
{
    leave(c);
    wire_buf_free(&c->wire);
}

static void sit_later(struct clerk *c)
{
    sim_later(c->sim, sim_between(c->sim, 100 * NS_PER_MS, 3 * NS_PER_S),
              SIM_SIT, 0);
}

void clerk_kill(struct clerk *c)
{
    if (!c->up)
        return;
    sim_say(c->sim, "controller: killed");
    for (unsigned i = 0; i < c->n_rows; i++) {
        struct row *r = &c->rows[i];
        if (r->safe_ns <= c->sim->now_ns)
            continue;
        r->state = r->before;
        r->safe_ns = 0;
        memset(r->has, 0, sizeof r->has);
    }
    leave(c);
    sit_later(c);
}

/* The store ---------------------------------------------------------------- */

static struct row *find(struct clerk *c, uint32_t tid, uint32_t n)
{
    for (unsigned i = 0; i < c->n_rows; i++)
        if (c->rows[i].tid == tid && c->rows[i].n == n)
            return &c->rows[i];
    return NULL;
}

const struct row *clerk_row(const struct clerk *c, uint32_t tid, uint32_t att)
{
    for (unsigned i = 0; i < c->n_rows; i++)
        if (c->rows[i].tid == tid && c->rows[i].n == att)
            return &c->rows[i];
    return NULL;
}

static void add(struct clerk *c, const struct bench_action *a,
                struct bench_event *ev)
{
    uint32_t tid = c->bench.trial + 1;
    ev->att = 1;
    if (a->left)
        ev->att = a->left->att;
    else
        while (find(c, tid, ev->att))
            ev->att++;
    c->row = find(c, tid, ev->att);
    if (!a->left && c->sim->mutation == MUTATION_REUSED_NUMBER && ev->att > 1) {
        c->row = find(c, tid, --ev->att);
        c->row->state = ATTEMPT_PLANNED;
    }
    if (!c->row) {
        assert(c->n_rows < CLERK_ROWS);
        c->row = &c->rows[c->n_rows++];
        *c->row = (struct row){.tid = tid, .n = ev->att};
    }
    ev->apart = c->sim->n_sites > 1 && tid % 3 != 2;
}

static void finish(struct clerk *c, const struct bench_action *a,
                   struct bench_event *ev)
{
    struct sim *sim = c->sim;
    struct row *row = c->row;
    const struct bench *b = &c->bench;
    if (c->corrupts) {
        c->corrupts = false;
        ev->what = BENCH_CORRUPT;
        ev->text = "damaged on its way";
        return;
    }
    judge_stored(sim, b);
    row->before = row->state;
    row->state = ATTEMPT_STORED;
    row->outcome = a->outcome;
    row->invalid = a->outcome == OUTCOME_OK && sim_happens(sim, 0.05);
    row->bytes = 0;
    (void)snprintf(row->error, sizeof row->error, "%.23s",
                   a->error ? a->error : "");
    for (unsigned i = 0; i < b->n_seats; i++) {
        const struct seat *s = &b->seats[i];
        row->has[i] = s->takes_part && s->collected;
        row->part_bytes[i] = row->has[i] ? s->spool_len : 0;
        row->part_crc[i] = s->spool_crc;
        row->bytes += row->part_bytes[i];
    }
    row->safe_ns = sim->now_ns;
    if (sim->mutation == MUTATION_EARLY_ACK)
        row->safe_ns += 20 * NS_PER_MS;
    ev->invalid = row->invalid;
}

static void store(struct clerk *c, const struct bench_action *a,
                  struct bench_event *ev)
{
    *ev = (struct bench_event){.what = BENCH_STORED, .now_ns = c->sim->now_ns};
    if (a->what == BENCH_ADD)
        add(c, a, ev);
    else if (a->what == BENCH_MOVE)
        c->row->state = a->state;
    else
        finish(c, a, ev);
    sim_say(c->sim, "store: trial %u attempt %u %s %s", c->row->tid, c->row->n,
            state_name(c->row->state), outcome_name(c->row->outcome));
}

/* Requests ------------------------------------------------------------------
 */

static void ask(struct clerk *c, const struct bench_action *a)
{
    struct clerk_line *line = &c->lines[a->agent];
    struct why why = {""};
    c->seq++;
    if (papers_request(c, a, &why))
        judge_blame(c->sim, "a request cannot be made: %s", why.text);
    line->open = true;
    line->sent_ns = c->sim->now_ns;
    line->due_ns = c->sim->now_ns + SEAT_REQUEST_NS;
    struct packet *p = net_packet(c->wire.data, c->wire.len);
    p->seq = c->seq;
    net_request(c->sim, a->agent, p);
}

/* Wait: for an answer, or until this time. */
static void wait_until(struct clerk *c, uint64_t due_ns)
{
    for (unsigned i = 0; i < c->sim->n_sites; i++)
        if (c->lines[i].open && c->lines[i].due_ns < due_ns)
            due_ns = c->lines[i].due_ns;
    if (due_ns >= c->due_ns)
        return; /* an earlier one is on its way */
    c->due_ns = due_ns;
    uint64_t now_ns = c->sim->now_ns;
    sim_later(c->sim, due_ns > now_ns ? due_ns - now_ns : 0, SIM_WAKE, 0)
        ->generation = c->generation;
}

/* The sitting is over. */
static void end(struct clerk *c)
{
    const struct bench *b = &c->bench;
    bool open = b->left_open || b->harvested < b->config.n_left;
    for (unsigned i = 0; i < c->n_rows; i++)
        open |= c->rows[i].state < ATTEMPT_STORED;
    c->done = !open && !papers_left(c);
    if (!open && !c->sim->mutation && c->done != !queue_left(&b->queue))
        judge_blame(c->sim, "I6: the controller says that %u trials are left",
                    queue_left(&b->queue));
    sim_say(c->sim, "controller: %s%s%s", c->done ? "done" : "ends",
            b->error[0] ? ": " : "", b->error);
    leave(c);
    if (!c->done)
        sit_later(c);
}

/* Whether it dies at this point. */
static bool dies(struct clerk *c)
{
    if (!c->die_in || --c->die_in)
        return false;
    clerk_kill(c);
    return true;
}

/* Tell the bench, and do what it says until it waits. */
static void go(struct clerk *c, struct bench_event ev)
{
    struct bench_action a;
    for (unsigned n = 0; c->up; n++) {
        if (n > CIRCLE_MAX) {
            judge_blame(c->sim, "I6: the bench turns in a circle");
            return;
        }
        bench_step(&c->bench, &ev, &a);
        if (a.what == BENCH_WAIT) {
            wait_until(c, a.due_ns);
            return;
        }
        if (a.what == BENCH_DONE) {
            end(c);
            return;
        }
        if (dies(c))
            return;
        if (a.what == BENCH_SEND) {
            ask(c, &a);
            ev = (struct bench_event){.what = BENCH_TICK,
                                      .now_ns = c->sim->now_ns};
        } else {
            store(c, &a, &ev);
        }
        if (dies(c))
            return;
    }
}

void clerk_sit(struct clerk *c)
{
    struct why why = {""};
    if (c->up || c->done)
        return;
    if (papers_begin(c, c->sim->n_sites, &why)) {
        judge_blame(c->sim, "the controller does not start: %s", why.text);
        return;
    }
    c->up = true;
    c->sittings++;
    sim_say(c->sim, "controller: sitting %u", c->sittings);
    go(c, (struct bench_event){.what = BENCH_TICK, .now_ns = c->sim->now_ns});
}

void clerk_interrupt(struct clerk *c)
{
    if (c->up)
        go(c, (struct bench_event){.what = BENCH_INTERRUPT,
                                   .now_ns = c->sim->now_ns});
}

void clerk_answer(struct clerk *c, unsigned site, const struct packet *p)
{
    struct clerk_line *line = &c->lines[site];
    if (!c->up || !line->open || p->seq != line->request.seq)
        return; /* of a connection that was given up */
    line->open = false;
    const struct msg_ping_reply ping = {.mono_ns = p->mono_ns};
    const struct msg_chunk chunk = {
        .offset = p->offset, .total = p->total, .data = {p->bytes, p->len}};
    go(c, (struct bench_event){.what = p->op == MSG_OP_LAST ? BENCH_UNHEARD
                                                            : BENCH_ANSWERED,
                               .agent = site,
                               .now_ns = c->sim->now_ns,
                               .err = p->err,
                               .text = p->err ? p->text : NULL,
                               .sent_ns = line->sent_ns,
                               .ping = &ping,
                               .lease = &p->lease,
                               .status = &p->status,
                               .chunk = &chunk});
}

void clerk_wake(struct clerk *c)
{
    struct bench_event ev = {.what = BENCH_UNHEARD,
                             .now_ns = c->sim->now_ns,
                             .err = ERR_TIMEOUT,
                             .text = "no answer within 3 s"};
    c->due_ns = UINT64_MAX;
    for (unsigned i = 0; c->up && i < c->sim->n_sites; i++) {
        struct clerk_line *line = &c->lines[i];
        if (!line->open || line->due_ns > c->sim->now_ns)
            continue;
        line->open = false;
        ev.agent = i;
        go(c, ev);
    }
    ev.what = BENCH_TICK;
    if (c->up)
        go(c, ev);
}
