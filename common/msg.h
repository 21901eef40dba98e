/* The control messages between pitwall and an agent: one field list each.
 *
 * An NNG request is one REQUEST map whose body is the op's own map; the answer
 * is one REPLY map. Ops and their answers:
 *
 *   HELLO    -> HELLO_REPLY   versions, name, roles, features, facts
 *   PING     -> PING_REPLY    the agent's CLOCK_MONOTONIC
 *   ACQUIRE  -> LEASE         token issued by the agent
 *   RENEW    -> LEASE
 *   RELEASE  -> (empty)
 *   PREPARE, ARM, START_AT, STOP -> STATUS_REPLY   "reach at least state X"
 *   MEET     -> STATUS_REPLY  several loads: "go on from at least meeting n"
 *   STATUS   -> STATUS_REPLY
 *   COLLECT  -> CHUNK
 *   ACK      -> (empty)       the spool may be deleted
 *   SETTLE   -> SETTLED       what is changed on the machine; for an operator:
 *                             release what stands in the way of new leases
 *
 * A reply with err != 0 has no body; text says why. */
#ifndef PITWALL_COMMON_MSG_H
#define PITWALL_COMMON_MSG_H

#include "common/body.h"
#include "common/spec.h"
#include "common/wire.h"

#define MSG_PROTO_MIN   1
#define MSG_PROTO_MAX   1
#define MSG_REQUEST_MAX (1u << 20) /* bytes, both are checked by sender too */
#define MSG_REPLY_MAX   (4u << 20)
#define MSG_PLAN_MAX    (256u << 10)

#define MSG_OPS(X)                                                             \
    X(HELLO, "HELLO")                                                          \
    X(PING, "PING")                                                            \
    X(ACQUIRE, "ACQUIRE")                                                      \
    X(RENEW, "RENEW")                                                          \
    X(RELEASE, "RELEASE")                                                      \
    X(PREPARE, "PREPARE")                                                      \
    X(ARM, "ARM")                                                              \
    X(START_AT, "START_AT")                                                    \
    X(STATUS, "STATUS")                                                        \
    X(STOP, "STOP")                                                            \
    X(COLLECT, "COLLECT")                                                      \
    X(ACK, "ACK")                                                              \
    X(SETTLE, "SETTLE")                                                        \
    X(MEET, "MEET")

enum msg_op {
#define X(name, word) MSG_##name,
    MSG_OPS(X)
#undef X
        MSG_OP_LAST
};

#define MSG_LISTS(X)                                                           \
    X(request, MSG_REQUEST)                                                    \
    X(reply, MSG_REPLY)                                                        \
    X(hello, MSG_BODY_HELLO)                                                   \
    X(hello_reply, MSG_BODY_HELLO_REPLY)                                       \
    X(ping, MSG_BODY_PING)                                                     \
    X(ping_reply, MSG_BODY_PING_REPLY)                                         \
    X(acquire, MSG_BODY_ACQUIRE)                                               \
    X(renew, MSG_BODY_RENEW)                                                   \
    X(lease, MSG_BODY_LEASE)                                                   \
    X(prepare, MSG_BODY_PREPARE)                                               \
    X(start_at, MSG_BODY_START_AT)                                             \
    X(stop, MSG_BODY_STOP)                                                     \
    X(status_reply, MSG_BODY_STATUS_REPLY)                                     \
    X(collect, MSG_BODY_COLLECT)                                               \
    X(chunk, MSG_BODY_CHUNK)                                                   \
    X(ack, MSG_BODY_ACK)                                                       \
    X(settle, MSG_BODY_SETTLE)                                                 \
    X(settled, MSG_BODY_SETTLED)                                               \
    X(meet, MSG_BODY_MEET)

#define X(name, LIST)                                                          \
    struct msg_##name {                                                        \
        WIRE_FIELDS(LIST)                                                      \
    };
MSG_LISTS(X)
#undef X

enum msg_kind {
#define X(name, LIST) MSG_IS_##name,
    MSG_LISTS(X)
#undef X
        MSG_KIND_LAST
};

/* An op's word ("START_AT"), and back; unknown: ERR_PROTOCOL naming it. */
const char *msg_op_name(enum msg_op op);
CHECKED enum err msg_op_parse(const char *word, enum msg_op *op,
                              struct why *why);

/* Word and fields of a map; valid for ever. */
const char *msg_name(enum msg_kind kind);
const struct wire_field *msg_fields(enum msg_kind kind, size_t *n_fields);

/* Encode and decode by kind; in/out is the kind's struct. As wire_*. */
CHECKED enum err msg_encode(enum msg_kind kind, const void *in,
                            struct wire_buf *out, struct why *why);
CHECKED enum err msg_decode(enum msg_kind kind, const void *data, size_t len,
                            void *out, struct why *why);

#endif
