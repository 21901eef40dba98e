/* What an attempt's processes do, in place of agent/executor/stage.c and of
 * what else it makes on a machine. They are no part of what is tested: they
 * answer, are late, fail, and write what can be told apart. */
#include "agent/executor/stage.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "agent/executor/children.h"
#include "agent/executor/gc_log.h"
#include "agent/executor/knob.h"
#include "agent/executor/recording.h"
#include "common/meet.h"
#include "tests/sim/shim.h"
#include "tests/sim/sim.h"
#include "tests/sim/stage_event.h"

static const char *name_here(void)
{
    return site_current()->x->live.name;
}

static struct deed *deed_here(void)
{
    struct site *s = site_current();
    return judge_named(s->sim, s->number, name_here());
}

/* A word of a part in so much time, unless the attempt is over by then. */
static struct sim_event *say_later(enum part part, enum child_kind kind,
                                   uint64_t ns)
{
    struct site *s = site_current();
    struct sim_event *ev = sim_later(s->sim, ns, SIM_PART, s->number);
    ev->generation = stage_generation(s);
    ev->part = part;
    ev->msg.kind = (uint32_t)kind;
    return ev;
}

static void exit_later(enum part part, int status, uint64_t ns)
{
    struct sim_event *ev = say_later(part, CHILD_DONE, ns);
    ev->exits = true;
    ev->status = status;
}

uint64_t stage_generation(const struct site *s)
{
    return s->generation << 32 | s->children;
}

/* Open and build ---------------------------------------------------------- */

void stage_init(struct stage *s)
{
    memset(s, 0, sizeof *s);
    s->dir = s->plan = -1;
    spool_file_init(&s->spool, -1);
}

enum err stage_open(struct stage *s, const struct setup *setup,
                    const struct home *home, const char *name, int plan,
                    struct why *why)
{
    int spool = -1;
    stage_init(s);
    s->setup = setup;
    s->plan = plan;
    enum err e = attempt_dir_create(home->attempts, name, &s->dir, &spool, why);
    spool_file_init(&s->spool, spool);
    if (e) {
        (void)shim_close(plan);
        s->plan = -1;
    }
    return e;
}

enum err stage_build(struct stage *s, struct setup *setup, struct why *why)
{
    char value[CHANGE_VALUE_MAX] = "4096 262144 8388608";
    struct site *site = site_current();
    (void)setup;
    deed_here()->built++;
    site->children++;
    enum err e =
        host_set(s->host, CHANGE_SYSCTL, "net.ipv4.tcp_rmem", value, why);
    return e ? e
             : spool_file_append(&s->spool, SPOOL_EXECUTOR, name_here(),
                                 strlen(name_here()), why);
}

/* Actions ------------------------------------------------------------------ */

enum err stage_spawn(struct stage *s, enum part part, struct why *why)
{
    struct sim *sim = site_current()->sim;
    uint64_t ns = sim_between(sim, 5 * NS_PER_MS, 120 * NS_PER_MS);
    (void)s;
    if (!sim->calm && sim_happens(sim, 0.01))
        return err_set(why, ERR_NOMEM, "fork: no memory");
    if (sim_happens(sim, 0.01)) { /* it dies, now or in the trial */
        exit_later(part, sim_happens(sim, 0.5) ? SIGKILL : 1 << 8,
                   sim_between(sim, NS_PER_MS, 2 * NS_PER_S));
    }
    if (sim_happens(sim, 0.005))
        return ERR_OK; /* it will never be ready */
    struct sim_event *ev = say_later(part, CHILD_READY, ns);
    (void)snprintf(ev->msg.text, sizeof ev->msg.text, "http://10.0.0.1:9200");
    return ERR_OK;
}

/* The load's course, once it knows when to begin. */
static void start_load(const struct child_msg *msg)
{
    struct site *s = site_current();
    struct sim *sim = s->sim;
    uint64_t now_ns = site_mono_ns(s);
    uint64_t window_ns = msg->t_ns + msg->warmup_ns + msg->measure_ns - now_ns;
    say_later(PART_LOAD, CHILD_STARTED, msg->t_ns - now_ns);
    if (s->x->live.setup.spec.share_of > 1 && s->meets)
        say_later(PART_LOAD, CHILD_MEET, window_ns)->msg.meet =
            meet_number(0, MEET_OVER);
    else
        say_later(PART_LOAD, CHILD_DONE,
                  window_ns + sim_between(sim, 0, 200 * NS_PER_MS));
}

/* From the end of one measured step it goes to the start of the next, and from
 * there to its end. */
static void go_on(const struct child_msg *msg)
{
    struct site *s = site_current();
    if (meet_kind(msg->meet) == MEET_OVER) {
        say_later(PART_LOAD, CHILD_MEET, 5 * NS_PER_MS)->msg.meet =
            meet_number(1, MEET_START);
        return;
    }
    say_later(PART_LOAD, CHILD_DONE,
              msg->t_ns - site_mono_ns(s) + 300 * NS_PER_MS);
}

static void started(enum part part, const struct child_msg *msg)
{
    const struct site *s = site_current();
    bool load = s->x->live.attempt.parts & PART_BIT(PART_LOAD);
    if (part == PART_LOAD)
        start_load(msg);
    if (part != (load ? PART_LOAD : PART_WATCH_TARGET))
        return;
    deed_here()->started++;
    deed_here()->t0_ns = msg->t_ns - s->mono_off_ns;
}

enum err stage_send(struct stage *s, enum part part,
                    const struct child_msg *msg, struct why *why)
{
    struct sim *sim = site_current()->sim;
    uint64_t soon_ns = sim_between(sim, NS_PER_MS, 30 * NS_PER_MS);
    (void)s;
    (void)why;
    switch (msg->kind) {
    case CHILD_ARM:
        deed_here()->armed++;
        say_later(part, CHILD_ARMED, soon_ns);
        break;
    case CHILD_START:
        started(part, msg);
        break;
    case CHILD_GO:
        go_on(msg);
        break;
    case CHILD_STOP:
        if (!sim_happens(sim, 0.01)) /* else it does not hear */
            say_later(part, CHILD_DONE, soon_ns);
        break;
    default:
        judge_blame(sim, "a part is told what it cannot know");
    }
    return ERR_OK;
}

void stage_kill(struct stage *s, enum part part)
{
    (void)s;
    exit_later(part, SIGKILL, NS_PER_MS);
}

/* What it says is in the spool before it is heard; it exits after its last
 * word. */
void stage_hear(struct stage *s, const struct pollfd fds[STAGE_FDS],
                uint64_t now_ns, stage_event *event, void *ctx)
{
    const struct sim_event *heard = stage_heard();
    struct site *site = site_current();
    struct why why = {""};
    struct attempt_event ev = {.kind = heard->exits ? EVENT_EXIT : EVENT_MSG,
                               .part = (enum part)heard->part,
                               .status = heard->status,
                               .now_ns = now_ns,
                               .msg = &heard->msg};
    (void)fds;
    if (!site->x->live.attempt.part[heard->part].alive)
        return;
    if (!heard->exits && s->dir >= 0 &&
        spool_file_append(&s->spool, SPOOL_LOAD, &heard->msg, 64, &why))
        judge_blame(site->sim, "spool: %s", why.text);
    if (!heard->exits && heard->msg.kind == CHILD_DONE)
        exit_later(ev.part, 0, 2 * NS_PER_MS);
    event(ctx, &ev);
}

enum err stage_seal(struct stage *s, struct manifest *m, struct why *why)
{
    struct site *site = site_current();
    struct deed *deed = deed_here();
    site->children++;
    if (host_undo(s->host, why))
        judge_blame(site->sim, "I3: %s", why->text);
    m->records = s->spool.records;
    m->bytes = s->spool.bytes;
    m->crc = s->spool.crc;
    enum err e = attempt_dir_seal(s->dir, &s->spool, m, why);
    const int fds[] = {s->dir, s->plan, s->spool.fd};
    for (int i = 0; i < 3; i++)
        (void)shim_close(fds[i]);
    stage_init(s);
    deed->sealed = !e;
    deed->outcome = m->outcome;
    deed->bytes = m->bytes;
    deed->crc = m->crc;
    return e;
}

/* The machine -------------------------------------------------------------- */

enum err knob_get(enum change_kind kind, const char *target,
                  char value[CHANGE_VALUE_MAX], struct why *why)
{
    (void)kind;
    (void)target;
    (void)why;
    (void)snprintf(value, CHANGE_VALUE_MAX, "%s", site_current()->knob);
    return ERR_OK;
}

enum err knob_put(enum change_kind kind, const char *target, const char *value,
                  struct why *why)
{
    struct site *s = site_current();
    (void)kind;
    (void)target;
    (void)why;
    disk_step(&s->disk);
    (void)snprintf(s->knob, sizeof s->knob, "%s", value);
    return ERR_OK;
}

enum err setup_make(struct setup *out, const struct trial_spec *spec,
                    const struct facts *facts, const struct config *config,
                    const struct setup_place *place, struct why *why)
{
    const unsigned target = PART_BIT(PART_TARGET) | PART_BIT(PART_WATCH_TARGET);
    const unsigned load = PART_BIT(PART_LOAD) | PART_BIT(PART_WATCH_LOAD);
    (void)facts;
    (void)config;
    (void)place;
    (void)why;
    out->spec = *spec;
    out->silent = false;
    out->parts = !strcmp(spec->role, "target") ? target
                 : !strcmp(spec->role, "load") ? load
                                               : target | load;
    return ERR_OK;
}

/* No Java here. */
enum err gc_log_take(int dir, struct spool_file *spool, struct why *why)
{
    (void)dir;
    (void)spool;
    (void)why;
    return ERR_OK;
}

enum err recording_take(int dir, struct spool_file *spool, struct why *why)
{
    return gc_log_take(dir, spool, why);
}

void gc_log_trim(int dir)
{
    (void)dir;
}

/* A killed executor's children are gone with it. */
unsigned children_end(int dir)
{
    (void)dir;
    return 0;
}
