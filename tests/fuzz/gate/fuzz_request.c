/* Whatever a peer sends is answered with something a controller can read, or
 * forwarded as a request that every rule accepted. */
#include <stdlib.h>
#include <string.h>

#include "agent/gate/gate.h"
#include "agent/gate/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_reply(const struct wire_buf *reply)
{
    struct msg_reply r;
    if (!reply->len ||
        msg_decode(MSG_IS_reply, reply->data, reply->len, &r, NULL))
        abort();
    if (r.err && (r.body.len || !r.text[0]))
        abort();
}

static void check_forwarded(const struct request *r, const uint8_t *data,
                            size_t size)
{
    if (r->port.op != (uint32_t)r->op || r->op >= MSG_OP_LAST)
        abort();
    if (r->port.eid[0] && rules_uuid("eid", r->port.eid, NULL))
        abort();
    if (r->op == MSG_PREPARE &&
        (rules_spec(&r->port.as.spec, NULL) || !r->as.plan.len ||
         r->as.plan.data < data ||
         r->as.plan.data + r->as.plan.len > data + size))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct facts facts = {.cpus = 1};
    static struct port_facts executor;
    static struct request request;
    static struct wire_buf reply;
    const struct gate_world world = {
        .mono_ns = 1, .facts = &facts, .executor = &executor, .boot_id = "b"};
    switch (gate_handle(&world, data, size, &request, &reply)) {
    case GATE_ANSWERED:
        check_reply(&reply);
        break;
    case GATE_FORWARD:
    case GATE_COLLECT:
        check_forwarded(&request, data, size);
        break;
    }
    return 0;
}
