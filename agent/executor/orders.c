#include "agent/executor/orders.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "agent/executor/counter.h"
#include "agent/executor/line.h"
#include "agent/executor/machine_facts.h"
#include "agent/executor/nic_facts.h"
#include "agent/executor/target.h"
#include "agent/executor/tenure.h"
#include "common/clock.h"
#include "common/log.h"

#define FREE_MIN_BYTES (64ull << 20) /* an attempt is not begun with less */
#define PORTS_TRIED    100u

/* The longest text that a reply may carry on the wire. */
#define TEXT_MAX 500u

void orders_terminate(struct port_request *q)
{
#define END_STR(at, max) (at)[max] = '\0';
#define END_U32(at, max)
#define END_U64(at, max)
#define END_SPEC(type, name, max, need)  END_##type(q->as.spec.name, max)
#define END_OWNER(type, name, max, need) END_##type(q->as.acquire.name, max)
#define END_STOP(type, name, max, need)  END_##type(q->as.stop.name, max)
    q->eid[sizeof q->eid - 1] = '\0';
    if (q->op == MSG_PREPARE) {
        TRIAL_SPEC(END_SPEC)
    } else if (q->op == MSG_ACQUIRE) {
        MSG_BODY_ACQUIRE(END_OWNER)
    } else if (q->op == MSG_STOP) {
        MSG_BODY_STOP(END_STOP)
    }
#undef END_STR
#undef END_U32
#undef END_U64
#undef END_SPEC
#undef END_OWNER
#undef END_STOP
}

static void answer_facts(struct executor *x, struct port_facts *out)
{
    facts_nic(&x->facts, x->config->interface, x->config->listen);
    (void)snprintf(out->name, sizeof out->name, "%s", x->config->name);
    (void)snprintf(out->roles, sizeof out->roles, "%s", x->config->roles);
    target_list(&x->config->targets, out->targets, sizeof out->targets);
    target_maps(&x->config->targets, out->target_maps, sizeof out->target_maps);
    facts_features(&x->facts, out->features, sizeof out->features);
    facts_missing(&x->facts, out->missing, sizeof out->missing);
    out->limit_memory_bytes = x->config->target_limits.memory_bytes;
    out->limit_cpus_milli = x->config->target_limits.cpus_milli;
    out->limit_pids = x->config->target_limits.pids;
    struct notes notes = {0};
    struct why why = {""};
    if (x->facts.nic.dev[0] &&
        nic_facts_of(NULL, x->facts.nic.dev, &notes, &why))
        notes_add(&notes, "interface.dev", "%s", why.text);
    machine_facts_add(&notes, "");
    (void)snprintf(out->told, sizeof out->told, "%s", notes.text);
}

/* Lease -------------------------------------------------------------------- */

static void answer_lease(const struct executor *x, struct port_reply *reply)
{
    reply->as.lease.token = x->lease.token;
    reply->as.lease.left_ns = lease_left_ns(&x->lease, clock_boot_ns());
}

static enum err acquire(struct executor *x, const struct port_request *q,
                        struct port_reply *reply, struct why *why)
{
    const struct msg_acquire *want = &q->as.acquire;
    uint64_t token = 0;
    enum err e = lease_allows(&x->lease, want->owner, want->ttl_ns,
                              clock_boot_ns(), why);
    char held[400];
    if (!e && !live_busy(&x->live) && host_held(&x->host, held, sizeof held))
        e = err_set(why, ERR_STATE,
                    "no lease is given: %s; \"pitwall agents release\" shows "
                    "what it would do, and ends this",
                    held);
    if (!e)
        e = counter_next(x->home.state, "epoch", &token, why);
    if (e)
        return e;
    bool same = !strcmp(x->lease.owner, want->owner);
    if (!same && live_busy(&x->live))
        live_tell(&x->live, EVENT_STOP, "another experiment has the lease now");
    lease_grant(&x->lease, want->owner, token, want->ttl_ns, clock_boot_ns());
    x->host.token = token;
    log_info("lease owner=%s token=%llu", x->lease.owner,
             (unsigned long long)token);
    answer_lease(x, reply);
    return ERR_OK;
}

static enum err renew(struct executor *x, const struct port_request *q,
                      struct port_reply *reply, struct why *why)
{
    enum err e = lease_renew(&x->lease, q->token, q->as.renew.ttl_ns,
                             clock_boot_ns(), why);
    answer_lease(x, reply);
    return e;
}

static enum err release(struct executor *x, const struct port_request *q,
                        struct why *why)
{
    enum err e = lease_check(&x->lease, q->token, clock_boot_ns(), why);
    if (e)
        return e;
    if (live_busy(&x->live))
        live_tell(&x->live, EVENT_STOP, "the lease was released");
    lease_release(&x->lease);
    tenure_undo(x);
    return ERR_OK;
}

/* For an operator, who needs no lease: what is changed, and on demand the end
 * of whatever keeps this machine from the next experiment. */
static enum err settle(struct executor *x, const struct port_request *q,
                       struct port_reply *reply, struct why *why)
{
    struct msg_settled *out = &reply->as.settled;
    enum err e = ERR_OK;
    if (q->as.settle.release && live_busy(&x->live)) {
        live_tell(&x->live, EVENT_STOP, "the agent was released");
        lease_release(&x->lease);
        return err_set(why, ERR_BUSY,
                       "attempt %s is being stopped; release again when it has "
                       "ended",
                       x->live.name);
    }
    if (q->as.settle.release) {
        if (x->lease.held)
            log_warn("lease released by an operator owner=%s", x->lease.owner);
        lease_release(&x->lease);
        e = host_release(&x->host, why);
    }
    out->left_ns = lease_left_ns(&x->lease, clock_boot_ns());
    if (out->left_ns)
        (void)snprintf(out->owner, sizeof out->owner, "%s", x->lease.owner);
    if (live_busy(&x->live))
        (void)snprintf(out->attempt, sizeof out->attempt, "%.64s",
                       x->live.name);
    else
        (void)host_held(&x->host, out->held, sizeof out->held);
    host_describe(&x->host, out->changes, sizeof out->changes);
    return e;
}

/* Attempts ----------------------------------------------------------------- */

/* Status of attempt name from memory or its folder. */
static enum err status(struct executor *x, const char *name,
                       struct msg_status_reply *out, struct why *why)
{
    if (x->live.any && !strcmp(name, x->live.name)) {
        live_status(&x->live, out);
        /* Acknowledged since? The folder knows. */
        if (live_busy(&x->live))
            return ERR_OK;
    }
    enum attempt_state state;
    struct manifest m;
    enum err e = attempt_dir_look(x->home.attempts, name, &state, &m, why);
    if (!e && x->live.any && !strcmp(name, x->live.name))
        (void)snprintf(out->state, sizeof out->state, "%s", state_name(state));
    else if (!e)
        live_status_of(state, &m, out);
    else if (x->live.any && !strcmp(name, x->live.name))
        e = ERR_OK; /* sealed in memory only: its disk failed */
    return e;
}

/* A free port for a target that has no network namespace of its own. */
static unsigned free_port(const char *address)
{
    struct in_addr in = {htonl(INADDR_LOOPBACK)};
    (void)inet_pton(AF_INET, address, &in);
    for (unsigned port = SETUP_PORT; port < SETUP_PORT + PORTS_TRIED; port++) {
        struct sockaddr_in a = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr = in};
        int sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        int on = 1;
        if (sock < 0)
            break;
        (void)setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        int taken = bind(sock, (struct sockaddr *)&a, sizeof a);
        (void)close(sock);
        if (!taken)
            return port;
    }
    return SETUP_PORT; /* the target will say that it is taken */
}

static enum err room_for_spool(const struct executor *x, struct why *why)
{
    struct statvfs st;
    if (fstatvfs(x->home.attempts, &st))
        return err_errno(why, errno, "%s", x->home.attempts_path);
    uint64_t free_bytes = (uint64_t)st.f_bavail * st.f_frsize;
    if (free_bytes < FREE_MIN_BYTES)
        return err_set(
            why, ERR_NOSPACE, "%s: %llu MiB are free; an attempt needs 64",
            x->home.attempts_path, (unsigned long long)(free_bytes >> 20));
    return ERR_OK;
}

static enum err prepare(struct executor *x, const struct port_request *q,
                        const char *name, int *plan, struct why *why)
{
    struct msg_status_reply known;
    enum err e = status(x, name, &known, NULL);
    if (!e)
        return ERR_OK; /* it is there: its state is the answer */
    if (e != ERR_NOTFOUND)
        return err_set(why, e, "attempt %s is damaged on this agent", name);
    if (live_busy(&x->live))
        return err_set(why, ERR_BUSY, "attempt %s is %s here", x->live.name,
                       state_name(x->live.attempt.state));
    if (*plan < 0)
        return err_set(why, ERR_INVALID, "prepare: the plan is missing");
    e = room_for_spool(x, why);
    bool ethernet = !strcmp(q->as.spec.link_kind, "ethernet");
    facts_nic(&x->facts, x->config->interface, x->config->listen);
    unsigned port = SETUP_PORT;
    if (ethernet || x->facts.mode == FACTS_PLAIN)
        port = free_port(ethernet ? x->facts.nic.address : "");
    char work[PATH_MAX];
    (void)snprintf(work, sizeof work, "%.3900s/%s/work", x->home.attempts_path,
                   name);
    const struct setup_place place = {.work = work, .port = port};
    if (!e)
        e = setup_make(&x->live.setup, &q->as.spec, &x->facts, x->config,
                       &place, why);
    if (e)
        return e;
    int taken = *plan;
    *plan = -1;
    return live_begin(&x->live, &x->home, name, taken, why);
}

/* Commands to the attempt that is under way; what they want of a sealed one has
 * been reached already. */
static enum err command(struct executor *x, const struct port_request *q,
                        const char *name, struct why *why)
{
    struct msg_status_reply known;
    bool here = x->live.any && !strcmp(name, x->live.name);
    if (!here)
        return status(x, name, &known, why);
    struct attempt_event ev = {.now_ns = clock_mono_ns()};
    if (q->op == MSG_ARM) {
        ev.kind = EVENT_ARM;
    } else if (q->op == MSG_START_AT) {
        ev.kind = EVENT_START;
        ev.t0_ns = q->as.start_at.t0_ns;
        ev.warmup_ns = q->as.start_at.warmup_ns;
        ev.measure_ns = q->as.start_at.measure_ns;
    } else if (q->op == MSG_MEET) {
        ev.kind = EVENT_MEET;
        ev.meet = q->as.meet.meet;
        ev.t0_ns = q->as.meet.from_ns;
    } else {
        ev.kind = EVENT_STOP;
        ev.text = q->as.stop.reason;
        ev.done = q->as.stop.done;
    }
    return live_step(&x->live, &ev, why);
}

static enum err collect(struct executor *x, const char *name, int *fd,
                        struct why *why)
{
    if (live_busy(&x->live) && !strcmp(name, x->live.name))
        return err_set(why, ERR_STATE, "attempt %s is %s, not sealed", name,
                       state_name(x->live.attempt.state));
    return attempt_dir_open_spool(x->home.attempts, name, fd, why);
}

static enum err acknowledge(struct executor *x, const struct port_request *q,
                            const char *name, struct why *why)
{
    /* Results may be fetched after the lease is over, by whoever asks; but
     * while one is held, only its holder deletes. */
    if (lease_left_ns(&x->lease, clock_boot_ns()) && q->token != x->lease.token)
        return lease_check(&x->lease, q->token, clock_boot_ns(), why);
    return attempt_dir_ack(x->home.attempts, name, q->as.ack.bytes,
                           q->as.ack.crc, why);
}

static bool needs_lease(uint32_t op)
{
    return op == MSG_PREPARE || op == MSG_ARM || op == MSG_START_AT ||
           op == MSG_MEET || op == MSG_STOP;
}

static enum err of_attempt(struct executor *x, const struct port_request *q,
                           int *plan, struct port_reply *reply, int *fd,
                           struct why *why)
{
    char name[ATTEMPT_DIR_NAME_MAX];
    struct attempt_id id = {.tid = q->tid, .att = q->att};
    memcpy(id.eid, q->eid, sizeof id.eid);
    enum err e = attempt_dir_name(&id, name, why);
    if (!e && needs_lease(q->op))
        e = lease_check(&x->lease, q->token, clock_boot_ns(), why);
    if (e)
        return e;
    switch (q->op) {
    case MSG_PREPARE:
        e = prepare(x, q, name, plan, why);
        break;
    case MSG_COLLECT:
        return collect(x, name, fd, why);
    case MSG_ACK:
        return acknowledge(x, q, name, why);
    case MSG_STATUS:
        break;
    default:
        e = command(x, q, name, why);
        break;
    }
    return e ? e : status(x, name, &reply->as.status, why);
}

static enum err carry_out(struct executor *x, const struct port_request *q,
                          int *plan, struct port_reply *reply, int *fd,
                          struct why *why)
{
    switch (q->op) {
    case MSG_HELLO:
        answer_facts(x, &reply->as.facts);
        return ERR_OK;
    case MSG_ACQUIRE:
        return acquire(x, q, reply, why);
    case MSG_RENEW:
        return renew(x, q, reply, why);
    case MSG_RELEASE:
        return release(x, q, why);
    case MSG_SETTLE:
        return settle(x, q, reply, why);
    case MSG_PREPARE:
    case MSG_ARM:
    case MSG_START_AT:
    case MSG_MEET:
    case MSG_STATUS:
    case MSG_STOP:
    case MSG_COLLECT:
    case MSG_ACK:
        return of_attempt(x, q, plan, reply, fd, why);
    default:
        return err_set(why, ERR_PROTOCOL, "op %u is not the executor's", q->op);
    }
}

void orders_answer(struct executor *x, const struct port_request *request,
                   int plan, struct port_reply *reply, int *fd)
{
    struct port_request q = *request;
    struct why why = {0};
    memset(reply, 0, sizeof *reply);
    *fd = -1;
    orders_terminate(&q);
    enum err e = carry_out(x, &q, &plan, reply, fd, &why);
    if (plan >= 0)
        (void)close(plan);
    reply->err = (uint32_t)e;
    line_copy(reply->text, TEXT_MAX + 1, why.text);
    memcpy(reply->boot_id, x->facts.boot_id, sizeof reply->boot_id);
    reply->incarnation = x->incarnation;
    reply->lease_left_ns = lease_left_ns(&x->lease, clock_boot_ns());
    if (e)
        memset(&reply->as, 0, sizeof reply->as);
}
