#include "tests/unit/gate/requests.h"

#include <stdio.h>

#include "tests/lib/check.h"

struct trial_spec requests_spec(void)
{
    return (struct trial_spec){
        .cell = "heap=1g,link=veth:mtu=1500",
        .role = "both",
        .link_kind = "veth",
        .link_mtu = 1500,
        .link_rate_bit = 200000000,
        .link_offloads = "off",
        .rmem_min = 10240,
        .rmem_default = 87380,
        .rmem_max = 16777216,
        .congestion = "cubic",
        .pin = "0,2-3",
        .target = "pitwall",
        .heap_bytes = 1073741824,
        .predictor = "adaptive:1k-512k",
        .target_params = "bulk_queue=200\nmode=proxy:http://127.0.0.1:1",
        .load_params = "clients=8",
        .telemetry = "cpu,tcp",
        .ready_ns = 10000000000,
        .drain_ns = 5000000000,
    };
}

struct msg_request requests_envelope(const char *op)
{
    struct msg_request m = {.v = 1, .tid = 3, .att = 1, .token = 99, .seq = 7};
    (void)snprintf(m.op, sizeof m.op, "%s", op);
    (void)snprintf(m.eid, sizeof m.eid, "%s", REQUESTS_EID);
    return m;
}

struct wire_buf requests_plain(const struct msg_request *envelope)
{
    struct wire_buf out = {0};
    struct why why = {0};
    check_ok(msg_encode(MSG_IS_request, envelope, &out, &why), why);
    return out;
}

static struct wire_buf wrap(const char *op, struct wire_buf *body)
{
    struct msg_request m = requests_envelope(op);
    m.body = (struct wire_blob){body->data, body->len};
    struct wire_buf out = requests_plain(&m);
    wire_buf_free(body);
    return out;
}

struct wire_buf requests_with(const char *op, enum msg_kind kind,
                              const void *in)
{
    struct wire_buf body = {0};
    struct why why = {0};
    check_ok(msg_encode(kind, in, &body, &why), why);
    return wrap(op, &body);
}

struct wire_buf requests_prepare(const struct trial_spec *spec,
                                 const char *plan)
{
    struct wire_buf body = {0}, inner = {0};
    struct why why = {0};
    size_t n = 0;
    const struct wire_field *fields = spec_fields(&n);
    check_ok(wire_encode(fields, n, spec, &inner, &why), why);
    const struct msg_prepare m = {
        .spec = {inner.data, inner.len},
        .plan = {(const uint8_t *)plan, strlen(plan)}};
    check_ok(msg_encode(MSG_IS_prepare, &m, &body, &why), why);
    wire_buf_free(&inner);
    return wrap("PREPARE", &body);
}

struct msg_reply requests_reply(const void *data, size_t len)
{
    struct msg_reply reply;
    struct why why = {0};
    check_ok(msg_decode(MSG_IS_reply, data, len, &reply, &why), why);
    return reply;
}
