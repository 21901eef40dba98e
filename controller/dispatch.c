#include "controller/dispatch.h"

#include <stdio.h>
#include <string.h>

#define COLLECT_BYTES 131072 /* of one piece, as the agent's gate reads */

union bodies {
    struct msg_hello hello;
    struct msg_ping ping;
    struct msg_acquire acquire;
    struct msg_renew renew;
    struct msg_prepare prepare;
    struct msg_start_at start_at;
    struct msg_meet meet;
    struct msg_stop stop;
    struct msg_collect collect;
    struct msg_ack ack;
};

/* Where load is apart, each agent has one role, and each load its share. */
static void give_role(const struct bench *b, unsigned agent,
                      struct trial_spec *spec)
{
    if (!b->apart)
        return;
    (void)snprintf(spec->role, sizeof spec->role, agent ? "load" : "target");
    if (!agent)
        return;
    (void)snprintf(spec->target_url, sizeof spec->target_url, "%s",
                   b->seats[0].status.target_url);
    spec->share_index = agent - 1;
    spec->share_of = b->n_seats - 1;
}

static enum err fill_prepare(const struct dispatch *d, unsigned agent,
                             struct msg_prepare *out, struct wire_buf *bytes,
                             struct why *why)
{
    struct trial_spec spec = d->setup->spec;
    size_t n = 0;
    const struct wire_field *fields = spec_fields(&n);
    give_role(d->bench, agent, &spec);
    enum err e = wire_encode(fields, n, &spec, bytes, why);
    out->spec = (struct wire_blob){.data = bytes->data, .len = bytes->len};
    out->plan = (struct wire_blob){.data = (const uint8_t *)d->plan,
                                   .len = strlen(d->plan)};
    return e;
}

static void fill_body(const struct dispatch *d, const struct bench_action *a,
                      union bodies *out)
{
    const struct bench *b = d->bench;
    switch (a->op) {
    case MSG_HELLO:
        out->hello.proto_min = MSG_PROTO_MIN;
        out->hello.proto_max = MSG_PROTO_MAX;
        (void)snprintf(out->hello.version, sizeof out->hello.version, "%s",
                       PITWALL_VERSION);
        break;
    case MSG_ACQUIRE:
        out->acquire.ttl_ns = a->ttl_ns;
        (void)snprintf(out->acquire.owner, sizeof out->acquire.owner, "%s",
                       d->uuid);
        break;
    case MSG_RENEW:
        out->renew.ttl_ns = a->ttl_ns;
        break;
    case MSG_START_AT:
        out->start_at = a->start_at;
        break;
    case MSG_MEET:
        out->meet = a->meet;
        break;
    case MSG_STOP:
        out->stop.done = a->done;
        (void)snprintf(out->stop.reason, sizeof out->stop.reason, "%.190s",
                       b->interrupted ? "interrupted" : b->text);
        break;
    case MSG_COLLECT:
        out->collect.offset = a->offset;
        out->collect.max = COLLECT_BYTES;
        break;
    case MSG_ACK:
        out->ack.bytes = a->ack_bytes;
        out->ack.crc = a->ack_crc;
        break;
    case MSG_PING:
    case MSG_RELEASE:
    case MSG_PREPARE:
    case MSG_ARM:
    case MSG_STATUS:
    case MSG_SETTLE:
    case MSG_OP_LAST:
        break;
    }
}

enum err dispatch_encode(const struct dispatch *d, const struct bench_action *a,
                         uint64_t seq, struct request *request,
                         struct wire_buf *wire, struct why *why)
{
    const struct bench *b = d->bench;
    bool active = bench_active(b) || b->phase == BENCH_SETTLE;
    union bodies body;
    struct wire_buf spec = {0};
    enum err e = ERR_OK;
    memset(&body, 0, sizeof body);
    if (a->op == MSG_PREPARE)
        e = fill_prepare(d, a->agent, &body.prepare, &spec, why);
    else
        fill_body(d, a, &body);
    *request = (struct request){.op = a->op,
                                .eid = d->uuid,
                                .tid = active ? d->tid : 0,
                                .att = active ? b->att : 0,
                                .token = b->seats[a->agent].token,
                                .seq = seq,
                                .body = &body};
    if (!e)
        e = request_encode(request, wire, why);
    request->body = NULL;
    wire_buf_free(&spec);
    return e;
}
