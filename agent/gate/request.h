/* One request off the wire, checked: from bytes to the fixed structs that the
 * executor acts on. Pure: no socket, no clock, nothing kept. */
#ifndef PITWALL_AGENT_GATE_REQUEST_H
#define PITWALL_AGENT_GATE_REQUEST_H

#include "agent/port.h"

struct request {
    enum msg_op op;
    uint64_t seq;             /* the sender's, for the answer */
    struct port_request port; /* what is forwarded; op and ids always set */
    union {
        uint32_t proto;             /* HELLO: the highest that both speak */
        struct wire_blob plan;      /* PREPARE: lies in the request's bytes */
        struct msg_collect collect; /* COLLECT: max is at least 1 */
    } as;
};

/* Decode and check data[0..len). *out is defined on failure too: seq as far as
 * it could be read. The plan lives as long as data.
 * Errors  ERR_PROTOCOL: malformed, an unknown op, a field that is missing or
 *         not of the shape; ERR_VERSION: speaks another version (the text
 *         names both); ERR_RANGE: a number that is never right. */
CHECKED enum err request_decode(const void *data, size_t len,
                                struct request *out, struct why *why);

#endif
