#include "controller/run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "controller/allot.h"
#include "controller/interrupt.h"
#include "controller/runner.h"

#define REDRAW_NS (250 * NS_PER_MS)
#define TURN_NS   (2 * NS_PER_S) /* one bench's on the progress line */
#define WISH_NS   NS_PER_S
#define LINES_MAX (LAB_FILE_BENCHES_MAX * BENCH_AGENTS_MAX)

static double docs_s(const struct bench *b)
{
    double sum = 0;
    for (unsigned i = 0; i < b->n_seats; i++)
        if (b->seats[i].takes_part && b->seats[i].phase == SEAT_RUNNING)
            sum += b->seats[i].status.docs_s;
    return sum;
}

/* What the bench is at: its phase, or what a load says beyond that. */
static const char *doing(const struct bench *b)
{
    for (unsigned i = 0; i < b->n_seats; i++)
        if (b->seats[i].takes_part && b->seats[i].phase == SEAT_PREPARING &&
            b->seats[i].status.task[0])
            return b->seats[i].status.task;
    return bench_phase_name(b);
}

/* Benches that are at a trial take turns on the line. */
static const struct runner *shown_now(const struct run *run, uint64_t now_ns)
{
    unsigned turn = (unsigned)(now_ns / TURN_NS);
    for (unsigned i = 0; i < run->n; i++) {
        const struct runner *r = run->runners[(turn + i) % run->n];
        if (!r->done && bench_active(&r->bench))
            return r;
    }
    return NULL;
}

static void show(struct run *run)
{
    uint64_t now = clock_mono_ns();
    char prefix[80];
    const struct runner *r = shown_now(run, now);
    if (!r)
        return;
    const struct bench *b = &r->bench;
    uint32_t left = share_left(&run->share), at_once = 0;
    for (unsigned i = 0; i < run->n; i++)
        at_once += !run->runners[i]->done;
    left = left > at_once ? left : at_once;
    struct progress_now view = {
        .bench = runner_prefix(r, prefix, sizeof prefix),
        .trial = bench_is_extra(b) ? 0 : b->trial + 1,
        .n_trials = bench_trials(b),
        .attempt = b->att,
        .cell = r->setup.spec.cell,
        .phase = doing(b),
        .docs_s = docs_s(b),
        .left_ns = estimate_left_ns(&run->estimate, (left - at_once) / at_once,
                                    1, now - r->begun_ns)};
    if (now - run->shown_ns < REDRAW_NS && view.phase == run->shown)
        return;
    progress_show(run->in->progress, &view);
    run->shown_ns = now;
    run->shown = view.phase;
}

/* By Ctrl-C here, or by whoever left a wish. */
static enum wish wanted(const struct run *run)
{
    if (run->interrupts)
        return WISH_NOW;
    return run->aborting && !run->wish ? WISH_STOP : run->wish;
}

/* Every line of every bench that has a request on its way. */
struct watch {
    struct pollfd fds[1 + LINES_MAX]; /* the first is of Ctrl-C */
    nfds_t n;
    uint64_t until_ns;
};

static void watch_runner(struct watch *w, const struct runner *r)
{
    if (r->action.due_ns < w->until_ns)
        w->until_ns = r->action.due_ns;
    for (unsigned i = 0; i < r->bench.n_seats; i++) {
        const struct line *line = &r->lines[i];
        w->fds[w->n++] = (struct pollfd){
            .fd = line->open ? chan_fd(line->chan) : -1, .events = POLLIN};
        if (line->open && chan_due_ns(line->chan) < w->until_ns)
            w->until_ns = chan_due_ns(line->chan);
    }
}

static enum err ask_wish(struct run *run, uint64_t now_ns, struct why *why)
{
    run->interrupts += interrupt_take(run->in->interrupt_fd);
    if (run->interrupts > 1)
        return err_set(why, ERR_INTERRUPTED, "interrupted twice: left at once");
    if (now_ns - run->asked_ns < WISH_NS)
        return ERR_OK;
    run->asked_ns = now_ns;
    return sitting_wished(run->in->store, run->in->sitting->experiment,
                          &run->wish, why);
}

/* Wait for an answer, a signal or what is due first. */
static enum err wait_all(struct run *run, struct watch *w, struct why *why)
{
    uint64_t now = clock_mono_ns();
    w->fds[0] = (struct pollfd){.fd = run->in->interrupt_fd, .events = POLLIN};
    w->n = 1;
    w->until_ns = now + REDRAW_NS;
    for (unsigned i = 0; i < run->n; i++)
        if (!run->runners[i]->done)
            watch_runner(w, run->runners[i]);
    if (poll(w->fds, w->n, clock_poll_ms(now, w->until_ns)) < 0 &&
        errno != EINTR)
        return err_errno(why, errno, "poll");
    enum err e = ask_wish(run, clock_mono_ns(), why);
    if (!e)
        show(run);
    return e;
}

/* What this bench should know, if anything, into its event; fds are those of
 * its lines. */
static bool news(struct runner *r, const struct pollfd *fds)
{
    uint64_t now = clock_mono_ns();
    r->event = (struct bench_event){.what = BENCH_TICK, .now_ns = now};
    if (wanted(r->run) > r->told) {
        r->told = wanted(r->run);
        r->event.what = r->told == WISH_NOW ? BENCH_INTERRUPT : BENCH_ENOUGH;
        return true;
    }
    for (unsigned i = 0; i < r->bench.n_seats; i++) {
        const struct line *line = &r->lines[i];
        if (line->open &&
            ((fds[i].revents & POLLIN) || now >= chan_due_ns(line->chan)) &&
            runner_take(r, i))
            return true;
    }
    return now >= r->action.due_ns;
}

static enum err work(struct run *run, struct watch *w, struct why *why)
{
    enum err e = ERR_OK;
    unsigned at_work = run->n;
    for (unsigned i = 0; !e && i < run->n; i++)
        e = runner_go(run->runners[i], why);
    while (!e && at_work) {
        e = wait_all(run, w, why);
        const struct pollfd *fds = w->fds + 1;
        at_work = 0;
        for (unsigned i = 0; !e && i < run->n; i++) {
            struct runner *r = run->runners[i];
            if (r->done)
                continue;
            if (news(r, fds))
                e = runner_go(r, why);
            fds += r->bench.n_seats;
            at_work += !r->done;
        }
    }
    return e;
}

static enum err start(struct run *run, const struct run_setup *in,
                      struct why *why)
{
    const struct experiment *ex = in->trials->ex;
    enum err e = ERR_OK;
    run->in = in;
    run->n = in->labs->n;
    run->die_at = getenv("PITWALL_TEST_DIE_AT");
    estimate_init(&run->estimate, ex->warmup_ns, ex->measure_ns);
    estimate_recall(&run->estimate, in->pace.trial_ns, in->pace.n);
    for (unsigned i = 0; !e && i < run->n; i++)
        e = runner_new(&run->runners[i], run, i, why);
    return e ? e : allot_begin(run, why);
}

/* What one bench ended with; broken: an error has ended the run. */
static void add_end(const struct runner *r, bool broken, struct run_end *end)
{
    const struct bench *b = &r->bench;
    char prefix[80];
    bool unstored = b->left_open || (broken && bench_active(b)) ||
                    b->harvested < b->config.n_left;
    end->n_open += unstored;
    end->n_left -= bench_has_trial(b) && end->n_left; /* it was tried */
    end->unstored |= unstored;
    if (b->error[0] && !end->text[0])
        (void)snprintf(end->text, sizeof end->text, "%s%s",
                       runner_prefix(r, prefix, sizeof prefix), b->error);
}

static void conclude(const struct run *run, enum err e, struct run_end *end)
{
    end->interrupted = run->interrupts > 0;
    end->stopped = !run->interrupts && run->wish;
    end->n_left = share_left(&run->share);
    for (unsigned i = 0; i < run->n; i++)
        if (run->runners[i])
            add_end(run->runners[i], e != ERR_OK, end);
    /* others have done what a lost bench was to do */
    if (!share_left(&run->share) && !run->aborting && run->n > 1)
        end->text[0] = '\0';
    if (run->enough && !end->interrupted && !end->stopped && !end->text[0])
        end->enough = share_done(&run->share);
}

enum err run_trials(const struct run_setup *in, struct run_end *end,
                    struct why *why)
{
    memset(end, 0, sizeof *end);
    struct run *run = calloc(1, sizeof *run);
    struct watch *w = calloc(1, sizeof *w);
    enum err e =
        run && w ? start(run, in, why) : err_set(why, ERR_NOMEM, "run");
    if (!e)
        e = work(run, w, why);
    progress_clear(in->progress);
    if (run)
        conclude(run, e, end);
    for (unsigned i = 0; run && i < run->n; i++)
        if (run->runners[i])
            runner_free(run->runners[i]);
    if (run)
        share_fini(&run->share);
    free(run);
    free(w);
    return e;
}
