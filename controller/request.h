/* Requests to an agent and its replies, as bytes: the envelope and each op's
 * body, by common/msg.h. No socket. */
#ifndef PITWALL_CONTROLLER_REQUEST_H
#define PITWALL_CONTROLLER_REQUEST_H

#include "common/msg.h"

/* One request; bodies by op, NULL where the op has none. */
struct request {
    enum msg_op op;
    const char *eid; /* NULL: of no experiment */
    uint32_t tid, att;
    uint64_t token, seq;
    const void *body; /* the struct of request_body(op) */
};

/* Kind of the op's body in a request and in its reply; MSG_KIND_LAST: none. */
enum msg_kind request_body(enum msg_op op);
enum msg_kind request_reply_body(enum msg_op op);

/* Encode into out (emptied first). ERR_RANGE: larger than MSG_REQUEST_MAX. */
CHECKED enum err request_encode(const struct request *request,
                                struct wire_buf *out, struct why *why);

union request_body {
    struct msg_hello_reply hello;
    struct msg_ping_reply ping;
    struct msg_lease lease;
    struct msg_status_reply status;
    struct msg_chunk chunk;
    struct msg_settled settled;
};

/* Decode the reply to request into head and, when head->err is 0, body. BLOBs
 * point into data. ERR_PROTOCOL: malformed, or the answer to another one. */
CHECKED enum err request_decode(const struct request *request, const void *data,
                                size_t len, struct msg_reply *head,
                                union request_body *body, struct why *why);

#endif
