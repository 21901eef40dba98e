#include <stdio.h>

#include "agent/gate/request.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"
#include "tests/unit/gate/requests.h"

/* Decode and free. What points into the bytes is not looked at afterwards. */
static enum err decode(struct wire_buf bytes, struct request *out,
                       struct why *why)
{
    enum err e = request_decode(bytes.data, bytes.len, out, why);
    wire_buf_free(&bytes);
    return e;
}

static void check_ids(const struct request *r, enum msg_op op)
{
    assert_int_equal(r->op, op);
    assert_int_equal(r->port.op, op);
    assert_int_equal(r->seq, 7);
    assert_int_equal(r->port.token, 99);
    assert_string_equal(r->port.eid, REQUESTS_EID);
    assert_int_equal(r->port.tid, 3);
    assert_int_equal(r->port.att, 1);
}

static void request_decode_reads_ops_without_a_body(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        enum msg_op op;
    } ops[] = {{"ARM", MSG_ARM}, {"STATUS", MSG_STATUS}, {"STOP", MSG_STOP}};
    struct request r;
    struct why why = {0};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct msg_request m = requests_envelope(ops[i].word);
        check_ok(decode(requests_plain(&m), &r, &why), why);
        check_ids(&r, ops[i].op);
    }
    struct msg_request m = requests_envelope("RELEASE");
    check_ok(decode(requests_plain(&m), &r, &why), why);
    assert_int_equal(r.op, MSG_RELEASE);
    assert_int_equal(r.port.token, 99);
    m = requests_envelope("PING");
    check_ok(decode(requests_plain(&m), &r, &why), why);
    assert_int_equal(r.op, MSG_PING);
}

static void request_decode_reads_a_prepare(void **state)
{
    (void)state;
    struct trial_spec spec = requests_spec();
    struct wire_buf bytes = requests_prepare(&spec, "{\"tasks\":[]}");
    struct request r;
    struct why why = {0};
    check_ok(request_decode(bytes.data, bytes.len, &r, &why), why);
    check_ids(&r, MSG_PREPARE);
    assert_memory_equal(&r.port.as.spec, &spec, sizeof spec);
    assert_int_equal(r.as.plan.len, 12);
    assert_memory_equal(r.as.plan.data, "{\"tasks\":[]}", 12);
    /* The plan is not copied. */
    assert_true(r.as.plan.data > bytes.data &&
                r.as.plan.data < bytes.data + bytes.len);
    wire_buf_free(&bytes);
}

static void request_decode_reads_the_other_bodies(void **state)
{
    (void)state;
    struct request r;
    struct why why = {0};
    const struct msg_acquire acquire = {.owner = REQUESTS_EID, .ttl_ns = 15};
    check_ok(
        decode(requests_with("ACQUIRE", MSG_IS_acquire, &acquire), &r, &why),
        why);
    assert_string_equal(r.port.as.acquire.owner, REQUESTS_EID);
    assert_int_equal(r.port.as.acquire.ttl_ns, 15);
    const struct msg_renew renew = {.ttl_ns = 16};
    check_ok(decode(requests_with("RENEW", MSG_IS_renew, &renew), &r, &why),
             why);
    assert_int_equal(r.port.as.renew.ttl_ns, 16);
    const struct msg_start_at start = {1000, 0, 5};
    check_ok(
        decode(requests_with("START_AT", MSG_IS_start_at, &start), &r, &why),
        why);
    check_ids(&r, MSG_START_AT);
    assert_memory_equal(&r.port.as.start_at, &start, sizeof start);
    const struct msg_meet meet = {.meet = 3, .from_ns = 7};
    check_ok(decode(requests_with("MEET", MSG_IS_meet, &meet), &r, &why), why);
    check_ids(&r, MSG_MEET);
    assert_memory_equal(&r.port.as.meet, &meet, sizeof meet);
    const struct msg_stop stop = {.reason = "Ctrl-C"};
    check_ok(decode(requests_with("STOP", MSG_IS_stop, &stop), &r, &why), why);
    assert_string_equal(r.port.as.stop.reason, "Ctrl-C");
    const struct msg_collect collect = {.offset = 4096, .max = 100};
    check_ok(
        decode(requests_with("COLLECT", MSG_IS_collect, &collect), &r, &why),
        why);
    check_ids(&r, MSG_COLLECT);
    assert_int_equal(r.as.collect.offset, 4096);
    const struct msg_ack ack = {.bytes = 9, .crc = 0xdeadbeef};
    check_ok(decode(requests_with("ACK", MSG_IS_ack, &ack), &r, &why), why);
    assert_int_equal(r.port.as.ack.crc, 0xdeadbeef);
}

static struct wire_buf hello(uint32_t v, uint32_t min, uint32_t max)
{
    const struct msg_hello body = {min, max, "9.9"};
    struct wire_buf inner = {0};
    struct why why = {0};
    check_ok(msg_encode(MSG_IS_hello, &body, &inner, &why), why);
    struct msg_request m = {
        .v = v, .op = "HELLO", .seq = 7, .body = {inner.data, inner.len}};
    struct wire_buf out = requests_plain(&m);
    wire_buf_free(&inner);
    return out;
}

static void request_decode_picks_the_highest_common_version(void **state)
{
    (void)state;
    struct request r;
    struct why why = {0};
    check_ok(decode(hello(1, 1, 1), &r, &why), why);
    assert_int_equal(r.as.proto, 1);
    /* A later controller that still speaks ours, in an envelope of its own. */
    check_ok(decode(hello(3, 1, 3), &r, &why), why);
    assert_int_equal(r.as.proto, 1);
}

static void request_decode_names_both_sides_versions(void **state)
{
    (void)state;
    struct request r;
    struct why why = {0};
    check_err(decode(hello(2, 2, 3), &r, &why), ERR_VERSION);
    check_says(why, "the controller (pitwall 9.9) speaks versions 2 to 3");
    check_says(why, "this agent (pitwall " PITWALL_VERSION ") versions 1 to 1");
    check_err(decode(hello(1, 2, 1), &r, &why), ERR_VERSION); /* upside down */
    struct msg_request m = requests_envelope("STATUS");
    m.v = 2;
    check_err(decode(requests_plain(&m), &r, &why), ERR_VERSION);
    check_says(why, "speaks version 2");
    check_says(why, "versions 1 to 1");
    assert_int_equal(r.seq, 7);
}

static void request_decode_asks_for_the_version_before_all_else(void **state)
{
    (void)state;
    /* {"v":2,"op":"FLY","eid":5}: nothing of it is of our age. */
    const char bytes[] = "\x83\xa1v\x02\xa2op\xa3"
                         "FLY\xa3"
                         "eid\x05";
    struct request r;
    struct why why = {0};
    check_err(request_decode(bytes, sizeof bytes - 1, &r, &why), ERR_VERSION);
}

static void request_decode_refuses_an_unknown_op(void **state)
{
    (void)state;
    struct msg_request m = requests_envelope("FLY");
    struct request r;
    struct why why = {0};
    check_err(decode(requests_plain(&m), &r, &why), ERR_PROTOCOL);
    check_says(why, "request: \"FLY\" is no operation");
    assert_int_equal(r.seq, 7); /* so that the answer can carry it */
    assert_int_equal(r.op, MSG_OP_LAST);
}

static void request_decode_needs_the_ids_of_an_attempt(void **state)
{
    (void)state;
    static const char *const ops[] = {"ARM", "STATUS", "STOP"};
    struct request r;
    struct why why = {0};
    for (size_t i = 0; i < 3; i++) {
        struct msg_request m = requests_envelope(ops[i]);
        m.eid[0] = '\0';
        check_err(decode(requests_plain(&m), &r, &why), ERR_PROTOCOL);
        check_says(why, ops[i]);
        m = requests_envelope(ops[i]);
        m.tid = 0;
        check_err(decode(requests_plain(&m), &r, &why), ERR_PROTOCOL);
        check_says(why, "tid 0: counted from 1");
        m = requests_envelope(ops[i]);
        m.att = 0;
        check_err(decode(requests_plain(&m), &r, &why), ERR_PROTOCOL);
        check_says(why, "att 0: counted from 1");
    }
}

static void request_decode_refuses_an_eid_that_is_a_path(void **state)
{
    (void)state;
    struct msg_request m = requests_envelope("STATUS");
    struct request r;
    struct why why = {0};
    (void)snprintf(m.eid, sizeof m.eid, "../../../../../../../etc/passwd/////");
    check_err(decode(requests_plain(&m), &r, &why), ERR_PROTOCOL);
    check_says(why, "STATUS: eid \"../../");
}

static void request_decode_refuses_bodies_that_are_wrong(void **state)
{
    (void)state;
    struct request r;
    struct why why = {0};
    const struct msg_acquire acquire = {.owner = "me", .ttl_ns = 15};
    check_err(
        decode(requests_with("ACQUIRE", MSG_IS_acquire, &acquire), &r, &why),
        ERR_PROTOCOL);
    check_says(why, "ACQUIRE: owner \"me\"");
    const struct msg_acquire brief = {.owner = REQUESTS_EID};
    check_err(
        decode(requests_with("ACQUIRE", MSG_IS_acquire, &brief), &r, &why),
        ERR_RANGE);
    const struct msg_collect none = {.offset = 0, .max = 0};
    check_err(decode(requests_with("COLLECT", MSG_IS_collect, &none), &r, &why),
              ERR_RANGE);
    check_says(why, "max 0: 1 to 131072 bytes");
    const struct msg_start_at early = {0, 1, 1}, nothing = {1, 1, 0},
                              beyond = {UINT64_MAX - 5, 3, 3};
    check_err(
        decode(requests_with("START_AT", MSG_IS_start_at, &early), &r, &why),
        ERR_RANGE);
    check_says(why, "t0_ns 0");
    check_err(
        decode(requests_with("START_AT", MSG_IS_start_at, &nothing), &r, &why),
        ERR_RANGE);
    check_says(why, "measure_ns 0");
    check_err(
        decode(requests_with("START_AT", MSG_IS_start_at, &beyond), &r, &why),
        ERR_RANGE);
    check_says(why, "beyond the clock");
    const struct msg_meet zero = {.meet = 0};
    check_err(decode(requests_with("MEET", MSG_IS_meet, &zero), &r, &why),
              ERR_RANGE);
    check_says(why, "meet 0: that is START_AT's");
    /* An op that needs a body, without one. */
    struct msg_request m = requests_envelope("RENEW");
    check_err(decode(requests_plain(&m), &r, &why), ERR_PROTOCOL);
    /* A body of another op. */
    check_err(decode(requests_with("ACK", MSG_IS_renew,
                                   &(struct msg_renew){.ttl_ns = 1}),
                     &r, &why),
              ERR_PROTOCOL);
}

static void request_decode_refuses_a_prepare_that_is_wrong(void **state)
{
    (void)state;
    struct trial_spec spec = requests_spec();
    struct request r;
    struct why why = {0};
    check_err(decode(requests_prepare(&spec, ""), &r, &why), ERR_PROTOCOL);
    check_says(why, "PREPARE: plan: empty");
    (void)snprintf(spec.target, sizeof spec.target, "a/b");
    check_err(decode(requests_prepare(&spec, "{}"), &r, &why), ERR_PROTOCOL);
    check_says(why, "PREPARE: spec target \"a/b\"");
    const struct msg_prepare broken = {.spec = {(const uint8_t *)"\x80", 1},
                                       .plan = {(const uint8_t *)"{}", 2}};
    check_err(
        decode(requests_with("PREPARE", MSG_IS_prepare, &broken), &r, &why),
        ERR_PROTOCOL);
    check_says(why, "PREPARE: spec: ");
}

static void request_decode_survives_every_beginning(void **state)
{
    (void)state;
    struct trial_spec spec = requests_spec();
    struct wire_buf bytes = requests_prepare(&spec, "{}");
    struct request r;
    for (size_t n = 0; n < bytes.len; n++) {
        char *copy = guard_copy(bytes.data, n);
        struct why why = {0};
        check_err(request_decode(copy, n, &r, &why), ERR_PROTOCOL);
        guard_free(copy, n);
    }
    wire_buf_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request_decode_reads_ops_without_a_body),
        cmocka_unit_test(request_decode_reads_a_prepare),
        cmocka_unit_test(request_decode_reads_the_other_bodies),
        cmocka_unit_test(request_decode_picks_the_highest_common_version),
        cmocka_unit_test(request_decode_names_both_sides_versions),
        cmocka_unit_test(request_decode_asks_for_the_version_before_all_else),
        cmocka_unit_test(request_decode_refuses_an_unknown_op),
        cmocka_unit_test(request_decode_needs_the_ids_of_an_attempt),
        cmocka_unit_test(request_decode_refuses_an_eid_that_is_a_path),
        cmocka_unit_test(request_decode_refuses_bodies_that_are_wrong),
        cmocka_unit_test(request_decode_refuses_a_prepare_that_is_wrong),
        cmocka_unit_test(request_decode_survives_every_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
