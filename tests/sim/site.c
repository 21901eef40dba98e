#include "tests/sim/site.h"

#include <assert.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/executor/config.h"
#include "agent/executor/counter.h"
#include "agent/executor/orders.h"
#include "agent/executor/tenure.h"
#include "agent/executor/tree.h"
#include "tests/sim/shim.h"
#include "tests/sim/stage_event.h"

static struct site *current;
static const struct sim_event *heard;

struct site *site_current(void)
{
    return current;
}

const struct sim_event *stage_heard(void)
{
    return heard;
}

uint64_t site_mono_ns(const struct site *s)
{
    return s->sim->now_ns + s->mono_off_ns;
}

uint64_t site_boot_ns(const struct site *s)
{
    return s->sim->now_ns + s->boot_off_ns;
}

uint64_t shim_mono_ns(void)
{
    return site_mono_ns(current);
}

uint64_t shim_boot_ns(void)
{
    return site_boot_ns(current);
}

void shim_log(const char *fmt, ...)
{
    char text[400];
    va_list ap;
    if (!current->sim->verbose)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    sim_say(current->sim, "site %u: %s", current->number, text);
}

/* The machine is started anew: so are its clocks and its settings. */
static void power_on(struct site *s)
{
    s->boots++;
    s->mono_off_ns = sim_between(s->sim, NS_PER_S, 100000 * NS_PER_S);
    s->boot_off_ns = s->mono_off_ns + sim_between(s->sim, 0, 1000 * NS_PER_S);
    (void)snprintf(s->knob, sizeof s->knob, SITE_KNOB);
}

void site_init(struct site *s, struct sim *sim, unsigned number)
{
    s->sim = sim;
    s->number = number;
    disk_init(&s->disk);
    s->disk.die = &s->die;
    s->disk.lies = sim->mutation == MUTATION_LYING_DISK;
    power_on(s);
}

void site_fini(struct site *s)
{
    free(s->x);
    disk_fini(&s->disk);
}

/* Life and death ----------------------------------------------------------- */

void site_kill(struct site *s, bool power)
{
    struct sim *sim = s->sim;
    if (!s->x)
        return;
    sim_say(sim, "site %u: dies, %s", s->number,
            power ? "power lost" : "killed");
    shim_forget();
    free(s->x);
    s->x = NULL;
    s->generation++;
    s->children++;
    sim->judge.expires[s->number] = 0; /* its memory is gone */
    s->disk.die_in = 0;
    s->stopped_ns = 0;
    if (power) {
        disk_lose_power(&s->disk, &sim->chance);
        power_on(s);
    } else {
        disk_close_all(&s->disk);
    }
    sim_later(sim, sim_between(sim, 100 * NS_PER_MS, 3 * NS_PER_S), SIM_BOOT,
              s->number);
}

void site_die_in(struct site *s, unsigned steps, bool power)
{
    s->disk.die_in = s->x ? steps : 0;
    s->loses_power = power;
}

/* When the executor's poll would return by itself. */
static void plan_tick(struct site *s)
{
    const struct executor *x = s->x;
    uint64_t mono_ns = site_mono_ns(s), due_ns = UINT64_MAX;
    uint64_t left_ns = lease_left_ns(&x->lease, site_boot_ns(s));
    if (x->lease.held)
        due_ns = mono_ns + left_ns;
    if (live_busy(&x->live) && x->live.attempt.deadline_ns &&
        x->live.attempt.deadline_ns < due_ns)
        due_ns = x->live.attempt.deadline_ns;
    if (due_ns == UINT64_MAX)
        return;
    uint64_t in_ns = due_ns > mono_ns ? due_ns - mono_ns : 0;
    if (s->due_ns > s->sim->now_ns && s->due_ns <= s->sim->now_ns + in_ns)
        return; /* an earlier one is on its way */
    s->due_ns = s->sim->now_ns + in_ns;
    sim_later(s->sim, in_ns, SIM_TICK, s->number)->generation = s->generation;
}

typedef void act(struct site *s, const void *arg);

/* One turn of the executor's loop around what happened. */
static void turn(struct site *s, act *what, const void *arg)
{
    current = s;
    s->disk.now_ns = s->sim->now_ns;
    disk_use(&s->disk);
    if (setjmp(s->die)) {
        site_kill(s, s->loses_power);
        return;
    }
    what(s, arg);
    tenure_tick(s->x);
    live_finish(&s->x->live);
    if (s->due_ns <= s->sim->now_ns)
        s->due_ns = 0;
    plan_tick(s);
    judge_rest(s->sim, s);
}

/* As home.c and executor.c begin. */
static enum err begin(struct site *s, struct why *why)
{
    struct executor *x = s->x;
    unsigned sealed = 0;
    s->disk.fds[0] = (struct disk_fd){.open = true, .node = DISK_ROOT};
    x->home.state = DISK_FD0;
    if (!shim_mkdirat(x->home.state, "attempts", 0700))
        (void)shim_fsync(x->home.state);
    x->home.attempts = shim_openat(x->home.state, "attempts", O_DIRECTORY);
    enum err e = attempt_dir_recover(x->home.attempts, &sealed, why);
    if (!e)
        e = counter_next(x->home.state, "incarnation", &x->incarnation, why);
    (void)snprintf(x->facts.boot_id, sizeof x->facts.boot_id, "boot-%llu",
                   (unsigned long long)s->boots);
    if (s->sim->mutation == MUTATION_NO_RESTORE)
        (void)shim_unlinkat(x->home.state, JOURNAL_NAME, 0);
    if (!e)
        e = host_open(&x->host, x->home.state, x->facts.boot_id, x->incarnation,
                      0, why);
    return e;
}

static void boot(struct site *s, const void *arg)
{
    struct why why = {""};
    (void)arg;
    if (begin(s, &why))
        judge_blame(s->sim, "I6: agent %u does not start: %s", s->number,
                    why.text);
    judge_started(s->sim, s);
}

void site_boot(struct site *s)
{
    static const struct config config;
    s->x = calloc(1, sizeof *s->x);
    assert(s->x);
    s->x->config = &config;
    s->x->home = HOME_NONE;
    s->x->host = HOST_NONE;
    s->x->facts.mode = FACTS_NETNS;
    s->due_ns = 0;
    live_init(&s->x->live, &s->x->host, &s->x->groups);
    turn(s, boot, NULL);
}

/* Orders ------------------------------------------------------------------- */

union bodies {
    struct msg_acquire acquire;
    struct msg_renew renew;
    struct msg_prepare prepare;
    struct msg_start_at start_at;
    struct msg_meet meet;
    struct msg_stop stop;
    struct msg_collect collect;
    struct msg_ack ack;
};

static enum err read_spec(const struct msg_prepare *prepare,
                          struct trial_spec *out, struct why *why)
{
    size_t n = 0;
    const struct wire_field *fields = spec_fields(&n);
    return wire_decode(fields, n, prepare->spec.data, prepare->spec.len, out,
                       why);
}

/* What the gate makes of bytes. */
static enum err read_request(const struct packet *p, struct port_request *q,
                             union bodies *body, struct why *why)
{
    struct msg_request head;
    enum msg_op op = MSG_OP_LAST;
    enum err e = msg_decode(MSG_IS_request, p->bytes, p->len, &head, why);
    if (!e)
        e = msg_op_parse(head.op, &op, why);
    if (e)
        return e;
    q->op = op;
    q->tid = head.tid;
    q->att = head.att;
    q->token = head.token;
    (void)snprintf(q->eid, sizeof q->eid, "%s", head.eid);
    enum msg_kind kind = request_body(op);
    if (kind == MSG_KIND_LAST || op == MSG_HELLO || op == MSG_PING)
        return ERR_OK;
    e = msg_decode(kind, head.body.data, head.body.len, body, why);
    if (e)
        return e;
    if (op == MSG_PREPARE)
        return read_spec(&body->prepare, &q->as.spec, why);
    if (op == MSG_ACQUIRE)
        q->as.acquire = body->acquire;
    else if (op == MSG_RENEW)
        q->as.renew = body->renew;
    else if (op == MSG_START_AT)
        q->as.start_at = body->start_at;
    else if (op == MSG_MEET)
        q->as.meet = body->meet;
    else if (op == MSG_STOP)
        q->as.stop = body->stop;
    else if (op == MSG_ACK)
        q->as.ack = body->ack;
    return ERR_OK;
}

/* A piece of a spool, as the gate reads it. */
static void read_chunk(struct packet *answer, int fd,
                       const struct msg_collect *want)
{
    struct stat st;
    free(answer->bytes);
    answer->bytes = malloc(want->max);
    assert(answer->bytes);
    (void)shim_fstat(fd, &st);
    answer->total = (uint64_t)st.st_size;
    answer->offset = want->offset;
    answer->len =
        (size_t)shim_pread(fd, answer->bytes, want->max, (off_t)want->offset);
    (void)shim_close(fd);
}

/* Bugs that are asked for. */
static void mutate(struct site *s, struct port_request *q)
{
    struct executor *x = s->x;
    if (s->sim->mutation == MUTATION_NO_FENCING && q->token)
        q->token = x->lease.token;
    if (s->sim->mutation == MUTATION_AMNESIA && q->op == MSG_PREPARE &&
        !live_busy(&x->live)) {
        char name[ATTEMPT_DIR_NAME_MAX];
        (void)snprintf(name, sizeof name, "%s-%u-%u", q->eid, q->tid, q->att);
        (void)!tree_remove(x->home.attempts, name, NULL);
        x->live.any = false;
    }
}

static void answer(struct site *s, const void *arg)
{
    static struct port_reply reply; /* large, of one call */
    const struct packet *p = arg;
    static struct port_request q, asked; /* likewise */
    union bodies body;
    struct why why = {""};
    int fd = -1, plan = -1;
    struct packet *out = net_packet(NULL, 0);
    out->seq = p->seq;
    out->stranger = p->stranger;
    if (read_request(p, &asked, &body, &why))
        judge_blame(s->sim, "a request cannot be read: %s", why.text);
    out->op = asked.op;
    out->mono_ns = site_mono_ns(s);
    s->answer = out;
    if (asked.op == MSG_PREPARE)
        plan = shim_openat(s->x->home.state, ".", O_RDONLY);
    if (asked.op != MSG_HELLO && asked.op != MSG_PING) {
        q = asked;
        mutate(s, &q);
        orders_answer(s->x, &q, plan, &reply, &fd);
        out->err = (enum err)reply.err;
        (void)snprintf(out->text, sizeof out->text, "%.190s", reply.text);
        if (asked.op == MSG_ACQUIRE || asked.op == MSG_RENEW)
            out->lease = reply.as.lease;
        else
            out->status = reply.as.status;
        judge_order(s->sim, s, &asked, &reply);
    }
    if (fd >= 0)
        read_chunk(out, fd, &body.collect);
    sim_say(s->sim, "site %u: %s %u-%u token=%llu: %s %s", s->number,
            msg_op_name(asked.op), asked.tid, asked.att,
            (unsigned long long)asked.token, err_name(out->err),
            out->err ? out->text : out->status.state);
    s->answer = NULL;
    net_answer(s->sim, s->number, out);
}

void site_request(struct site *s, const struct packet *p)
{
    if (s->x) {
        turn(s, answer, p);
        net_drop(s->answer); /* it died over it */
        s->answer = NULL;
        return;
    }
    if (p->stranger)
        return;
    struct packet *refused = net_packet(NULL, 0);
    refused->seq = p->seq;
    refused->op = MSG_OP_LAST;
    refused->err = sim_happens(s->sim, 0.5) ? ERR_REFUSED : ERR_GONE;
    net_answer(s->sim, s->number, refused);
}

/* The rest ------------------------------------------------------------------
 */

static void hear(struct site *s, const void *arg)
{
    struct pollfd fds[STAGE_FDS];
    memset(fds, 0, sizeof fds);
    heard = arg;
    live_hear(&s->x->live, fds);
}

void site_part(struct site *s, const struct sim_event *ev)
{
    if (s->x && ev->generation == stage_generation(s))
        turn(s, hear, ev);
}

static void nothing(struct site *s, const void *arg)
{
    (void)s;
    (void)arg;
}

static void look(struct site *s, const void *arg)
{
    (void)arg;
    judge_started(s->sim, s);
}

void site_rest(struct site *s)
{
    turn(s, look, NULL);
}

void site_tick(struct site *s)
{
    if (s->x)
        turn(s, nothing, NULL);
}
