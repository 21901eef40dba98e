/* The order of checks matters to a peer of another version: version, sequence
 * number and op are read alone first, so that it gets an answer it understands
 * before anything of its own age is complained of. HELLO is the one op that is
 * read whatever version its envelope names: its body tells which versions the
 * peer speaks beside that one. */
#include "agent/gate/request.h"

#include <string.h>

#include "agent/gate/rules.h"
#include "common/spool.h"

#define REQUEST_HEAD(F)                                                        \
    F(U32, v, 0, REQ)                                                          \
    F(STR, op, 16, REQ)                                                        \
    F(U64, seq, 0, OPT)

struct request_head {
    WIRE_FIELDS(REQUEST_HEAD)
};

static enum err read_head(const void *data, size_t len, struct request_head *h,
                          struct why *why)
{
    typedef struct request_head wire_this;
    static const struct wire_field rows[] = {WIRE_ROWS(REQUEST_HEAD)};
    return wire_decode(rows, sizeof rows / sizeof *rows, data, len, h, why);
}

static enum err check_version(const struct request_head *h, struct why *why)
{
    if (h->v >= MSG_PROTO_MIN && h->v <= MSG_PROTO_MAX)
        return ERR_OK;
    if (!strcmp(h->op, msg_op_name(MSG_HELLO)))
        return ERR_OK;
    return err_set(why, ERR_VERSION,
                   "the request speaks version %u, this agent (pitwall %s) "
                   "versions %d to %d",
                   h->v, PITWALL_VERSION, MSG_PROTO_MIN, MSG_PROTO_MAX);
}

/* Pick the highest version that both speak. */
static enum err take_hello(const struct wire_blob *body, struct request *out,
                           struct why *why)
{
    struct msg_hello hello;
    enum err e = msg_decode(MSG_IS_hello, body->data, body->len, &hello, why);
    if (e)
        return e;
    if (hello.proto_min > MSG_PROTO_MAX || hello.proto_max < MSG_PROTO_MIN ||
        hello.proto_min > hello.proto_max)
        return err_set(why, ERR_VERSION,
                       "the controller (pitwall %s) speaks versions %u to %u, "
                       "this agent (pitwall %s) versions %d to %d",
                       hello.version, hello.proto_min, hello.proto_max,
                       PITWALL_VERSION, MSG_PROTO_MIN, MSG_PROTO_MAX);
    out->as.proto =
        hello.proto_max < MSG_PROTO_MAX ? hello.proto_max : MSG_PROTO_MAX;
    return ERR_OK;
}

static enum err take_prepare(const struct wire_blob *body, struct request *out,
                             struct why *why)
{
    struct msg_prepare prepare;
    size_t n = 0;
    const struct wire_field *fields = spec_fields(&n);
    enum err e =
        msg_decode(MSG_IS_prepare, body->data, body->len, &prepare, why);
    if (e)
        return e;
    e = wire_decode(fields, n, prepare.spec.data, prepare.spec.len,
                    &out->port.as.spec, why);
    if (e)
        return err_wrap(why, e, "spec");
    e = rules_spec(&out->port.as.spec, why);
    if (e)
        return e;
    if (!prepare.plan.len)
        return err_set(why, ERR_PROTOCOL, "plan: empty");
    out->as.plan = prepare.plan;
    return ERR_OK;
}

static enum err take_acquire(const struct wire_blob *body, struct request *out,
                             struct why *why)
{
    struct msg_acquire *acquire = &out->port.as.acquire;
    enum err e =
        msg_decode(MSG_IS_acquire, body->data, body->len, acquire, why);
    if (!e)
        e = rules_uuid("owner", acquire->owner, why);
    if (!e && !acquire->ttl_ns)
        e = err_set(why, ERR_RANGE, "ttl_ns 0: a lease lasts longer");
    return e;
}

static enum err take_collect(const struct wire_blob *body, struct request *out,
                             struct why *why)
{
    struct msg_collect *collect = &out->as.collect;
    enum err e =
        msg_decode(MSG_IS_collect, body->data, body->len, collect, why);
    if (!e && !collect->max)
        e = err_set(why, ERR_RANGE, "max 0: 1 to %u bytes", SPOOL_CHUNK_MAX);
    return e;
}

static enum err take_start_at(const struct wire_blob *body, struct request *out,
                              struct why *why)
{
    struct msg_start_at *start = &out->port.as.start_at;
    enum err e = msg_decode(MSG_IS_start_at, body->data, body->len, start, why);
    if (e)
        return e;
    if (!start->t0_ns || !start->measure_ns)
        return err_set(why, ERR_RANGE, "%s 0: above 0",
                       start->t0_ns ? "measure_ns" : "t0_ns");
    /* The window's end must exist as a number. */
    uint64_t end = 0;
    if (__builtin_add_overflow(start->t0_ns, start->warmup_ns, &end) ||
        __builtin_add_overflow(end, start->measure_ns, &end))
        return err_set(why, ERR_RANGE,
                       "t0_ns + warmup_ns + measure_ns: "
                       "beyond the clock");
    return ERR_OK;
}

static enum err take_meet(const struct wire_blob *body, struct request *out,
                          struct why *why)
{
    struct msg_meet *meet = &out->port.as.meet;
    enum err e = msg_decode(MSG_IS_meet, body->data, body->len, meet, why);
    if (!e && !meet->meet)
        e = err_set(why, ERR_RANGE, "meet 0: that is START_AT's");
    return e;
}

/* The op's own map; ops without one ignore what is there, so that a later
 * version may say more. */
static enum err take_body(const struct wire_blob *body, struct request *out,
                          struct why *why)
{
    struct msg_ping ping;
    switch (out->op) {
    case MSG_HELLO:
        return take_hello(body, out, why);
    case MSG_PING:
        if (!body->len)
            return ERR_OK;
        return msg_decode(MSG_IS_ping, body->data, body->len, &ping, why);
    case MSG_ACQUIRE:
        return take_acquire(body, out, why);
    case MSG_RENEW:
        return msg_decode(MSG_IS_renew, body->data, body->len,
                          &out->port.as.renew, why);
    case MSG_PREPARE:
        return take_prepare(body, out, why);
    case MSG_START_AT:
        return take_start_at(body, out, why);
    case MSG_MEET:
        return take_meet(body, out, why);
    case MSG_STOP:
        if (!body->len)
            return ERR_OK;
        return msg_decode(MSG_IS_stop, body->data, body->len,
                          &out->port.as.stop, why);
    case MSG_COLLECT:
        return take_collect(body, out, why);
    case MSG_ACK:
        return msg_decode(MSG_IS_ack, body->data, body->len, &out->port.as.ack,
                          why);
    case MSG_SETTLE:
        if (!body->len)
            return ERR_OK;
        return msg_decode(MSG_IS_settle, body->data, body->len,
                          &out->port.as.settle, why);
    case MSG_RELEASE:
    case MSG_ARM:
    case MSG_STATUS:
    case MSG_OP_LAST:
        break;
    }
    return ERR_OK;
}

static bool names_attempt(enum msg_op op)
{
    return op == MSG_PREPARE || op == MSG_ARM || op == MSG_START_AT ||
           op == MSG_STATUS || op == MSG_STOP || op == MSG_MEET ||
           op == MSG_COLLECT || op == MSG_ACK;
}

static enum err take_ids(const struct msg_request *m, struct request *out,
                         struct why *why)
{
    out->port.op = (uint32_t)out->op;
    out->port.token = m->token;
    if (!names_attempt(out->op))
        return ERR_OK;
    enum err e = rules_uuid("eid", m->eid, why);
    if (e)
        return e;
    if (!m->tid || !m->att)
        return err_set(why, ERR_PROTOCOL, "%s 0: counted from 1",
                       m->tid ? "att" : "tid");
    memcpy(out->port.eid, m->eid, sizeof out->port.eid);
    out->port.tid = m->tid;
    out->port.att = m->att;
    return ERR_OK;
}

enum err request_decode(const void *data, size_t len, struct request *out,
                        struct why *why)
{
    struct request_head head;
    struct msg_request m;

    memset(out, 0, sizeof *out);
    out->op = MSG_OP_LAST;
    enum err e = read_head(data, len, &head, why);
    if (e)
        return err_wrap(why, e, "request");
    out->seq = head.seq;
    e = check_version(&head, why);
    if (e)
        return e;
    e = msg_decode(MSG_IS_request, data, len, &m, why);
    if (!e)
        e = msg_op_parse(m.op, &out->op, why);
    if (e)
        return err_wrap(why, e, "request");
    e = take_ids(&m, out, why);
    if (!e)
        e = take_body(&m.body, out, why);
    if (e)
        return err_wrap(why, e, "%s", m.op);
    return ERR_OK;
}
