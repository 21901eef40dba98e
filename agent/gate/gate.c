#include "agent/gate/gate.h"

#include <assert.h>
#include <string.h>

/* Copy a text that need not end within max bytes; what does not fit is cut.
 * What a text may not carry is wire_encode's to replace. */
static void copy(char *out, size_t size, const char *text, size_t max)
{
    assert(size > 0);
    size_t len = strnlen(text, max);
    if (len >= size)
        len = size - 1;
    memcpy(out, text, len);
    out[len] = '\0';
}

/* Write head and body as one reply; an answer that cannot be encoded becomes
 * an internal fault, and without memory none at all. */
static void put_reply(struct msg_reply *head, const struct wire_buf *body,
                      struct wire_buf *reply)
{
    struct why why = {0};
    reply->len = 0;
    head->v = MSG_PROTO_MAX;
    head->body.data = body ? body->data : NULL;
    head->body.len = body ? body->len : 0;
    enum err e = msg_encode(MSG_IS_reply, head, reply, &why);
    if (!e)
        return;
    struct msg_reply fault = {.v = MSG_PROTO_MAX, .seq = head->seq, .err = e};
    copy(fault.text, sizeof fault.text, why.text, sizeof why.text);
    reply->len = 0;
    if (msg_encode(MSG_IS_reply, &fault, reply, NULL))
        reply->len = 0;
}

/* A reply with a body of this kind, or the error of encoding it. */
static void put_body(struct msg_reply *head, enum msg_kind kind, const void *in,
                     struct wire_buf *reply)
{
    struct why why = {0};
    struct wire_buf body = {0};
    enum err e = msg_encode(kind, in, &body, &why);
    if (e) {
        head->err = e;
        copy(head->text, sizeof head->text, why.text, sizeof why.text);
        body.len = 0;
    }
    put_reply(head, &body, reply);
    wire_buf_free(&body);
}

static struct msg_reply own_head(const struct gate_world *world,
                                 const struct request *request)
{
    struct msg_reply head = {.seq = request->seq,
                             .incarnation = world->incarnation};
    copy(head.boot_id, sizeof head.boot_id, world->boot_id,
         sizeof head.boot_id);
    return head;
}

void gate_refuse(const struct gate_world *world, const struct request *request,
                 enum err e, const struct why *why, struct wire_buf *reply)
{
    assert(e != ERR_OK);
    struct msg_reply head = own_head(world, request);
    head.err = e;
    copy(head.text, sizeof head.text, why->text, sizeof why->text);
    put_reply(&head, NULL, reply);
}

static void answer_hello(const struct gate_world *world,
                         const struct request *request, struct wire_buf *reply)
{
    const struct port_facts *x = world->executor;
    struct msg_hello_reply hello = {
        .proto = request->as.proto,
        .version = PITWALL_VERSION,
        .cpus = world->facts->cpus,
        .memory_bytes = world->facts->memory_bytes,
        .limit_memory_bytes = x->limit_memory_bytes,
        .limit_cpus_milli = x->limit_cpus_milli,
        .limit_pids = x->limit_pids,
    };
    copy(hello.name, sizeof hello.name, x->name, sizeof x->name);
    copy(hello.roles, sizeof hello.roles, x->roles, sizeof x->roles);
    copy(hello.targets, sizeof hello.targets, x->targets, sizeof x->targets);
    copy(hello.target_maps, sizeof hello.target_maps, x->target_maps,
         sizeof x->target_maps);
    copy(hello.features, sizeof hello.features, x->features,
         sizeof x->features);
    copy(hello.missing, sizeof hello.missing, x->missing, sizeof x->missing);
    copy(hello.facts, sizeof hello.facts, world->facts->text,
         sizeof world->facts->text);
    struct msg_reply head = own_head(world, request);
    put_body(&head, MSG_IS_hello_reply, &hello, reply);
}

static void answer_ping(const struct gate_world *world,
                        const struct request *request, struct wire_buf *reply)
{
    struct msg_ping_reply ping = {.mono_ns = world->mono_ns,
                                  .wall_ns = world->wall_ns};
    struct msg_reply head = own_head(world, request);
    put_body(&head, MSG_IS_ping_reply, &ping, reply);
}

enum gate_way gate_handle(const struct gate_world *world, const void *data,
                          size_t len, struct request *request,
                          struct wire_buf *reply)
{
    struct why why = {0};
    reply->len = 0;
    enum err e = request_decode(data, len, request, &why);
    if (e) {
        gate_refuse(world, request, e, &why, reply);
        return GATE_ANSWERED;
    }
    if (request->op == MSG_HELLO) {
        answer_hello(world, request, reply);
        return GATE_ANSWERED;
    }
    if (request->op == MSG_PING) {
        answer_ping(world, request, reply);
        return GATE_ANSWERED;
    }
    return request->op == MSG_COLLECT ? GATE_COLLECT : GATE_FORWARD;
}

/* A status whose texts end. */
static void copy_status(struct msg_status_reply *out,
                        const struct msg_status_reply *in)
{
    *out = *in;
#define COPY(field)                                                            \
    copy(out->field, sizeof out->field, in->field, sizeof in->field)
    COPY(state);
    COPY(outcome);
    COPY(text);
    COPY(task);
    COPY(target_url);
}

/* The same of what is changed. */
static void copy_settled(struct msg_settled *out, const struct msg_settled *in)
{
    *out = *in;
    COPY(owner);
    COPY(attempt);
    COPY(held);
    COPY(changes);
#undef COPY
}

void gate_answer(const struct request *request, const struct port_reply *said,
                 struct wire_buf *reply)
{
    struct msg_settled settled;
    struct msg_status_reply status;
    struct msg_reply head = {
        .seq = request->seq,
        .err = said->err < ERR_LAST ? said->err : ERR_INTERNAL,
        .incarnation = said->incarnation,
        .lease_left_ns = said->lease_left_ns,
    };
    copy(head.text, sizeof head.text, said->text, sizeof said->text);
    copy(head.boot_id, sizeof head.boot_id, said->boot_id,
         sizeof said->boot_id);
    if (head.err) {
        put_reply(&head, NULL, reply);
        return;
    }
    switch (request->op) {
    case MSG_ACQUIRE:
    case MSG_RENEW:
        put_body(&head, MSG_IS_lease, &said->as.lease, reply);
        break;
    case MSG_PREPARE:
    case MSG_ARM:
    case MSG_START_AT:
    case MSG_STATUS:
    case MSG_STOP:
    case MSG_MEET:
        copy_status(&status, &said->as.status);
        put_body(&head, MSG_IS_status_reply, &status, reply);
        break;
    case MSG_SETTLE:
        copy_settled(&settled, &said->as.settled);
        put_body(&head, MSG_IS_settled, &settled, reply);
        break;
    case MSG_HELLO:
    case MSG_PING:
    case MSG_RELEASE:
    case MSG_COLLECT:
    case MSG_ACK:
    case MSG_OP_LAST:
        put_reply(&head, NULL, reply);
        break;
    }
}

void gate_chunk(const struct gate_world *world, const struct request *request,
                const struct wire_blob *data, uint64_t total,
                struct wire_buf *reply)
{
    struct msg_chunk chunk = {
        .offset = request->as.collect.offset, .total = total, .data = *data};
    struct msg_reply head = own_head(world, request);
    put_body(&head, MSG_IS_chunk, &chunk, reply);
}
