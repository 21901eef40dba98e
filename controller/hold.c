#include "controller/hold.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "controller/interrupt.h"
#include "controller/needs.h"
#include "controller/seat.h"

#define LOOK_NS (100 * NS_PER_MS)

/* Of the one attempt that a hold is. */
struct held {
    const struct hold *in;
    struct agent *agent;
    struct msg_status_reply status;
    uint64_t renew_ns;
};

static enum err ask(struct held *h, enum msg_op op, const void *body,
                    struct why *why)
{
    struct request rq = {.op = op,
                         .eid = h->in->uuid,
                         .tid = 1,
                         .att = 1,
                         .token = h->agent->token,
                         .seq = ++h->agent->seq,
                         .body = body};
    struct wire_buf out = {0};
    struct msg_reply head;
    struct wire_blob reply = {0};
    union request_body answer;
    enum err e = request_encode(&rq, &out, why);
    if (!e)
        e = chan_call(h->agent->chan, out.data, out.len, AGENT_REPLY_NS, &reply,
                      why);
    if (!e)
        e = request_decode(&rq, reply.data, reply.len, &head, &answer, why);
    if (!e && head.err)
        e = err_set(why, (enum err)head.err, "%s",
                    head.text[0] ? head.text : err_text((enum err)head.err));
    if (!e && op != MSG_ACK && op != MSG_RENEW)
        h->status = answer.status;
    wire_buf_free(&out);
    return e;
}

static enum err prepare(struct held *h, struct why *why)
{
    struct setup setup;
    struct wire_buf spec = {0};
    size_t n = 0;
    const struct wire_field *fields = spec_fields(&n);
    const char *plan = trials_plan(h->in->trials, h->in->cell);
    trials_setup(h->in->trials, h->in->cell, &setup);
    if (needs_apart(&setup.spec))
        (void)snprintf(setup.spec.role, sizeof setup.spec.role, "target");
    enum err e = wire_encode(fields, n, &setup.spec, &spec, why);
    const struct msg_prepare body = {
        .spec = {.data = spec.data, .len = spec.len},
        .plan = {.data = (const uint8_t *)plan, .len = strlen(plan)}};
    if (!e)
        e = ask(h, MSG_PREPARE, &body, why);
    wire_buf_free(&spec);
    return e;
}

/* One look at it; the lease is renewed when that is due. */
static enum err look(struct held *h, struct why *why)
{
    const struct msg_renew renew = {.ttl_ns = SEAT_TTL_NS};
    enum err e = ERR_OK;
    if (clock_mono_ns() >= h->renew_ns) {
        h->renew_ns = clock_mono_ns() + SEAT_RENEW_NS;
        e = ask(h, MSG_RENEW, &renew, why);
    }
    return e ? e : ask(h, MSG_STATUS, NULL, why);
}

static bool is(const struct held *h, enum attempt_state state)
{
    return !strcmp(h->status.state, state_name(state));
}

/* Look again and again until it is in this state; Ctrl-C (*cut, NULL: it is
 * not heard) and due_ns end that, too. */
static enum err until(struct held *h, enum attempt_state state, uint64_t due_ns,
                      bool *cut, struct why *why)
{
    enum err e = look(h, why);
    while (!e && !is(h, state) && !is(h, ATTEMPT_SEALED) &&
           clock_mono_ns() < due_ns && !(cut && *cut)) {
        struct pollfd fd = {.fd = cut ? h->in->interrupt_fd : -1,
                            .events = POLLIN};
        uint64_t now_ns = clock_mono_ns();
        (void)poll(&fd, 1, clock_poll_ms(now_ns, now_ns + LOOK_NS));
        if (cut)
            *cut = interrupt_take(h->in->interrupt_fd) > 0;
        e = look(h, why);
    }
    return e;
}

/* The way into the target's network, where it has one of its own. Whoever is
 * not root made it in a user namespace. */
static void tell_way(const struct held *h)
{
    if (h->status.target_pid)
        (void)printf("It listens in a network namespace; on that machine: "
                     "nsenter -t %u %s-n curl %s\n",
                     h->status.target_pid,
                     geteuid() ? "-U --preserve-credentials " : "",
                     h->status.target_url);
}

static void tell(const struct held *h)
{
    struct setup setup;
    trials_setup(h->in->trials, h->in->cell, &setup);
    (void)printf("%s is up on %s: %s\n", setup.spec.cell, h->agent->hello.name,
                 h->status.target_url);
    tell_way(h);
    (void)printf("It is kept until Ctrl-C.\n");
    (void)fflush(stdout);
}

/* Stop it and drop what it has recorded: nobody asked for that. */
static enum err tear_down(struct held *h, struct why *why)
{
    const struct msg_stop stop = {.reason = "the hold is over"};
    enum err e = is(h, ATTEMPT_SEALED) ? ERR_OK : ask(h, MSG_STOP, &stop, why);
    if (!e)
        e = until(h, ATTEMPT_SEALED,
                  clock_mono_ns() + TRIALS_DRAIN_NS + SEAT_GRACE_NS, NULL, why);
    if (!e && !is(h, ATTEMPT_SEALED))
        e = err_set(why, ERR_TIMEOUT,
                    "it is still %s: the agent did not stop it in time",
                    h->status.state);
    const struct msg_ack ack = {.bytes = h->status.spool_bytes,
                                .crc = h->status.spool_crc};
    return e ? e : ask(h, MSG_ACK, &ack, why);
}

static enum err keep(struct held *h, struct why *why)
{
    bool cut = false;
    uint64_t now_ns = clock_mono_ns();
    enum err e = until(h, ATTEMPT_PREPARED,
                       now_ns + TRIALS_READY_NS + SEAT_GRACE_NS, &cut, why);
    if (e || cut)
        return e;
    if (is(h, ATTEMPT_SEALED))
        return err_set(why, ERR_CHILD, "%s", h->status.text);
    if (!is(h, ATTEMPT_PREPARED))
        return err_set(why, ERR_TIMEOUT, "the target was not ready in time");
    tell(h);
    e = until(h, ATTEMPT_SEALED, clock_mono_ns() + h->in->for_ns, &cut, why);
    if (!e && is(h, ATTEMPT_SEALED))
        e = err_set(why, ERR_CHILD, "it ended by itself: %s", h->status.text);
    return e;
}

enum err hold_run(const struct hold *in, struct why *why)
{
    struct held h = {.in = in, .agent = in->lab->agents[0]};
    struct why second = {""};
    enum err e = prepare(&h, why);
    if (e)
        return e;
    e = keep(&h, why);
    enum err down = tear_down(&h, &second);
    if (!e && down)
        *why = second;
    return e ? e : down;
}
