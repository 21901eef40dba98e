#include "tests/sim/sim.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALM_NS   (1800 * NS_PER_S) /* all must be over so long after faults */
#define STEPS_MAX 2000000u

bool sim_happens(struct sim *sim, double p)
{
    return rand_unit(&sim->chance) < p;
}

uint64_t sim_between(struct sim *sim, uint64_t low, uint64_t high)
{
    return low + rand_bounded(&sim->chance, high - low + 1);
}

void sim_say(const struct sim *sim, const char *fmt, ...)
{
    if (!sim->verbose)
        return;
    va_list ap;
    va_start(ap, fmt);
    (void)printf("%12.6f ", (double)sim->now_ns / 1e9);
    (void)vprintf(fmt, ap);
    (void)printf("\n");
    va_end(ap);
}

/* Events --------------------------------------------------------------------
 */

static bool before(const struct sim_event *a, const struct sim_event *b)
{
    return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->order < b->order);
}

static void insert(struct sim *sim, struct sim_event *ev)
{
    if (sim->n_heap == sim->heap_size) {
        sim->heap_size = 2 * sim->heap_size + 64;
        sim->heap = realloc(sim->heap, sim->heap_size * sizeof(void *));
        assert(sim->heap);
    }
    size_t at = sim->n_heap++;
    for (; at && before(ev, sim->heap[(at - 1) / 2]); at = (at - 1) / 2)
        sim->heap[at] = sim->heap[(at - 1) / 2];
    sim->heap[at] = ev;
}

static struct sim_event *take(struct sim *sim)
{
    struct sim_event *first = sim->heap[0], *last = sim->heap[--sim->n_heap];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < sim->n_heap; at = child) {
        if (child + 1 < sim->n_heap &&
            before(sim->heap[child + 1], sim->heap[child]))
            child++;
        if (!before(sim->heap[child], last))
            break;
        sim->heap[at] = sim->heap[child];
    }
    sim->heap[at] = last;
    return first;
}

struct sim_event *sim_later(struct sim *sim, uint64_t ns, enum event_what what,
                            unsigned site)
{
    struct sim_event *ev = calloc(1, sizeof *ev);
    assert(ev);
    ev->at_ns = sim->now_ns + ns;
    ev->order = ++sim->order;
    ev->what = what;
    ev->site = site;
    insert(sim, ev);
    return ev;
}

static void forget(struct sim_event *ev)
{
    net_drop(ev->packet);
    free(ev);
}

/* Whether it is for one that is stopped now: then it waits. */
static bool waits(struct sim *sim, struct sim_event *ev)
{
    bool of_site =
        ev->what == SIM_REQUEST || ev->what == SIM_PART || ev->what == SIM_TICK;
    bool of_clerk = ev->what == SIM_ANSWER || ev->what == SIM_WAKE;
    uint64_t until_ns = of_site    ? sim->sites[ev->site].stopped_ns
                        : of_clerk ? sim->clerk.stopped_ns
                                   : 0;
    if (until_ns <= sim->now_ns)
        return false;
    ev->at_ns = until_ns;
    ev->order = ++sim->order;
    insert(sim, ev);
    return true;
}

static void heal(struct sim *sim)
{
    sim_say(sim, "faults stop");
    sim->calm = true;
    for (unsigned i = 0; i < sim->n_sites; i++) {
        sim->cut_to_ns[i] = sim->cut_from_ns[i] = 0;
        sim->sites[i].disk.full = false;
    }
}

static void happen(struct sim *sim, const struct sim_event *ev)
{
    struct site *s = &sim->sites[ev->site];
    switch (ev->what) {
    case SIM_REQUEST:
        site_request(s, ev->packet);
        break;
    case SIM_ANSWER:
        clerk_answer(&sim->clerk, ev->site, ev->packet);
        break;
    case SIM_PART:
        site_part(s, ev);
        break;
    case SIM_TICK:
        if (ev->generation == s->generation)
            site_tick(s);
        break;
    case SIM_BOOT:
        site_boot(s);
        break;
    case SIM_WAKE:
        if (ev->generation == sim->clerk.generation)
            clerk_wake(&sim->clerk);
        break;
    case SIM_SIT:
        clerk_sit(&sim->clerk);
        break;
    case SIM_FAULT:
        faults_happen(sim);
        break;
    case SIM_HEAL:
        heal(sim);
        break;
    }
}

static void begin(struct sim *sim)
{
    sim->n_sites = (unsigned)sim_between(sim, 1, SITES_MAX);
    for (unsigned i = 0; i < sim->n_sites; i++) {
        site_init(&sim->sites[i], sim, i);
        sim->sites[i].meets = sim->seed % 3 == 0;
        sim_later(sim, 0, SIM_BOOT, i);
    }
    clerk_init(&sim->clerk, sim);
    sim_later(sim, NS_PER_MS, SIM_SIT, 0);
    faults_plan(sim);
}

bool sim_run(struct sim *sim, uint64_t seed, enum mutation mutation,
             bool verbose)
{
    memset(sim, 0, sizeof *sim);
    sim->seed = sim->chance.state = seed;
    sim->mutation = mutation;
    sim->verbose = verbose;
    begin(sim);
    while (sim->n_heap && !sim->judge.text[0]) {
        struct sim_event *ev = take(sim);
        sim->now_ns = ev->at_ns;
        if (waits(sim, ev))
            continue;
        happen(sim, ev);
        forget(ev);
        if (++sim->steps > STEPS_MAX || sim->now_ns > CALM_NS)
            judge_blame(sim, "I6: no end after %llu events and %llu s",
                        (unsigned long long)sim->steps,
                        (unsigned long long)(sim->now_ns / NS_PER_S));
    }
    if (!sim->judge.text[0])
        judge_end(sim);
    return !sim->judge.text[0];
}

void sim_fini(struct sim *sim)
{
    while (sim->n_heap)
        forget(take(sim));
    free(sim->heap);
    clerk_fini(&sim->clerk);
    for (unsigned i = 0; i < sim->n_sites; i++)
        site_fini(&sim->sites[i]);
}
