#include "controller/request.h"

#include <assert.h>
#include <stdio.h>

static const struct {
    enum msg_kind request, reply;
} bodies[MSG_OP_LAST] = {
    [MSG_HELLO] = {MSG_IS_hello, MSG_IS_hello_reply},
    [MSG_PING] = {MSG_IS_ping, MSG_IS_ping_reply},
    [MSG_ACQUIRE] = {MSG_IS_acquire, MSG_IS_lease},
    [MSG_RENEW] = {MSG_IS_renew, MSG_IS_lease},
    [MSG_RELEASE] = {MSG_KIND_LAST, MSG_KIND_LAST},
    [MSG_PREPARE] = {MSG_IS_prepare, MSG_IS_status_reply},
    [MSG_ARM] = {MSG_KIND_LAST, MSG_IS_status_reply},
    [MSG_START_AT] = {MSG_IS_start_at, MSG_IS_status_reply},
    [MSG_STATUS] = {MSG_KIND_LAST, MSG_IS_status_reply},
    [MSG_STOP] = {MSG_IS_stop, MSG_IS_status_reply},
    [MSG_COLLECT] = {MSG_IS_collect, MSG_IS_chunk},
    [MSG_ACK] = {MSG_IS_ack, MSG_KIND_LAST},
    [MSG_MEET] = {MSG_IS_meet, MSG_IS_status_reply},
    [MSG_SETTLE] = {MSG_IS_settle, MSG_IS_settled},
};

enum msg_kind request_body(enum msg_op op)
{
    assert(op < MSG_OP_LAST);
    return bodies[op].request;
}

enum msg_kind request_reply_body(enum msg_op op)
{
    assert(op < MSG_OP_LAST);
    return bodies[op].reply;
}

enum err request_encode(const struct request *rq, struct wire_buf *out,
                        struct why *why)
{
    struct wire_buf body = {0};
    enum err e = ERR_OK;
    struct msg_request head = {.v = MSG_PROTO_MAX,
                               .tid = rq->tid,
                               .att = rq->att,
                               .token = rq->token,
                               .seq = rq->seq};
    (void)snprintf(head.op, sizeof head.op, "%s", msg_op_name(rq->op));
    if (rq->eid)
        (void)snprintf(head.eid, sizeof head.eid, "%s", rq->eid);
    if (request_body(rq->op) != MSG_KIND_LAST && rq->body)
        e = msg_encode(request_body(rq->op), rq->body, &body, why);
    head.body = (struct wire_blob){.data = body.data, .len = body.len};
    out->len = 0;
    if (!e)
        e = msg_encode(MSG_IS_request, &head, out, why);
    if (!e && out->len > MSG_REQUEST_MAX)
        e = err_set(why, ERR_RANGE, "%zu bytes are more than %u", out->len,
                    MSG_REQUEST_MAX);
    wire_buf_free(&body);
    return e ? err_wrap(why, e, "request %s", msg_op_name(rq->op)) : ERR_OK;
}

enum err request_decode(const struct request *rq, const void *data, size_t len,
                        struct msg_reply *head, union request_body *body,
                        struct why *why)
{
    enum msg_kind kind = request_reply_body(rq->op);
    enum err e = msg_decode(MSG_IS_reply, data, len, head, why);
    if (!e && head->seq && head->seq != rq->seq)
        e = err_set(why, ERR_PROTOCOL, "the answer to another request");
    if (!e && head->err >= ERR_LAST)
        head->err = ERR_INTERNAL;
    if (!e && !head->err && kind != MSG_KIND_LAST)
        e = msg_decode(kind, head->body.data, head->body.len, body, why);
    return e ? err_wrap(why, e, "answer to %s", msg_op_name(rq->op)) : ERR_OK;
}
