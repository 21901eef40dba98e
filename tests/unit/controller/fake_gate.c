#include "tests/unit/controller/fake_gate.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "tests/lib/check.h"

static union {
    struct msg_hello_reply hello;
    struct msg_lease lease;
    struct msg_status_reply status;
    struct msg_chunk chunk;
} body;

static void say_hello(const struct fake_gate *g)
{
    body.hello = (struct msg_hello_reply){.proto = 1, .cpus = 2};
    (void)snprintf(body.hello.version, sizeof body.hello.version, "0.1.0");
    (void)snprintf(body.hello.name, sizeof body.hello.name, "fake");
    (void)snprintf(body.hello.roles, sizeof body.hello.roles, "%s",
                   g->roles ? g->roles : "both");
    (void)snprintf(body.hello.targets, sizeof body.hello.targets, "pitwall");
    (void)snprintf(body.hello.features, sizeof body.hello.features, "netns");
    (void)snprintf(body.hello.facts, sizeof body.hello.facts, "kernel=6.1\n");
}

static void say_status(struct fake_gate *g)
{
    uint64_t now = clock_mono_ns();
    if (g->state == ATTEMPT_RUNNING && now >= g->sealed_at_ns)
        g->state = ATTEMPT_SEALED;
    body.status = (struct msg_status_reply){.mono_ns = now};
    (void)snprintf(body.status.state, sizeof body.status.state, "%s",
                   state_name(g->state));
    if (g->state != ATTEMPT_SEALED)
        return;
    (void)snprintf(body.status.outcome, sizeof body.status.outcome, "%s",
                   outcome_name(g->outcome));
    (void)snprintf(body.status.text, sizeof body.status.text, "%s",
                   g->text ? g->text : "");
}

static void prepare(struct fake_gate *g, const struct msg_request *head)
{
    static struct msg_prepare in;
    static struct trial_spec spec;
    size_t n = 0, used = strlen(g->cells);
    const struct wire_field *fields = spec_fields(&n);
    if (msg_decode(MSG_IS_prepare, head->body.data, head->body.len, &in,
                   NULL) ||
        wire_decode(fields, n, in.spec.data, in.spec.len, &spec, NULL))
        abort();
    (void)snprintf(g->cells + used, sizeof g->cells - used, "%s%s",
                   used ? " " : "", spec.cell);
    g->prepared++;
    g->state = ATTEMPT_PREPARED;
}

static void act(struct fake_gate *g, enum msg_op op,
                const struct msg_request *head, struct msg_reply *reply)
{
    if (op == MSG_PREPARE)
        prepare(g, head);
    if (op == MSG_ARM)
        g->state = ATTEMPT_ARMED;
    if (op == MSG_START_AT) {
        g->state = ATTEMPT_RUNNING;
        g->sealed_at_ns = clock_mono_ns() + g->run_ns;
    }
    if (op == MSG_STOP) {
        g->stopped++;
        g->state = ATTEMPT_SEALED;
        g->outcome = OUTCOME_ABORTED;
    }
    g->acked += op == MSG_ACK;
    g->released += op == MSG_RELEASE;
    if (op == MSG_ACQUIRE && g->held) {
        reply->err = ERR_HELD;
        (void)snprintf(reply->text, sizeof reply->text,
                       "held by another for 12 s");
    }
}

static void fill(struct fake_gate *g, enum msg_op op)
{
    enum msg_kind kind = request_reply_body(op);
    memset(&body, 0, sizeof body);
    if (kind == MSG_IS_hello_reply)
        say_hello(g);
    else if (kind == MSG_IS_lease)
        body.lease = (struct msg_lease){.token = 7, .left_ns = 15 * NS_PER_S};
    else if (kind == MSG_IS_status_reply)
        say_status(g);
}

static void serve(struct fake_gate *g, unsigned slot, const void *data,
                  size_t len)
{
    struct msg_request head;
    struct msg_reply reply = {.v = 1};
    struct wire_buf inner = {0}, out = {0};
    enum msg_op op = MSG_OP_LAST;
    if (msg_decode(MSG_IS_request, data, len, &head, NULL) ||
        msg_op_parse(head.op, &op, NULL))
        abort();
    act(g, op, &head, &reply);
    reply.seq = head.seq;
    fill(g, op);
    enum msg_kind kind = request_reply_body(op);
    if (!reply.err && kind != MSG_KIND_LAST &&
        msg_encode(kind, &body, &inner, NULL))
        abort();
    reply.body = (struct wire_blob){.data = inner.data, .len = inner.len};
    if (msg_encode(MSG_IS_reply, &reply, &out, NULL) ||
        chan_server_answer(g->server, slot, out.data, out.len, NULL))
        abort();
    wire_buf_free(&inner);
    wire_buf_free(&out);
}

static void *live(void *arg)
{
    struct fake_gate *g = arg;
    while (!g->ends) {
        struct pollfd fd = {.fd = chan_server_fd(g->server), .events = POLLIN};
        const void *data = NULL;
        unsigned slot = 0;
        size_t len = 0;
        (void)poll(&fd, 1, 10);
        if (!chan_server_take(g->server, &slot, &data, &len, NULL))
            serve(g, slot, data, len);
    }
    chan_server_close(g->server);
    return NULL;
}

void fake_gate_begin(struct fake_gate *g)
{
    struct why why = {""};
    check_ok(chan_listen(&g->server, g->url, false, 0600, &why), why);
    assert_int_equal(pthread_create(&g->thread, NULL, live, g), 0);
}

void fake_gate_end(struct fake_gate *g)
{
    g->ends = true;
    (void)pthread_join(g->thread, NULL);
}
