#include <stdlib.h>

#include "controller/request.h"
#include "tests/lib/check.h"

static struct msg_request head;
static struct msg_reply reply;
static union request_body body;

/* A reply's bytes with seq, and a body of kind (MSG_KIND_LAST: none). */
static void encode_reply(struct wire_buf *out, struct msg_reply *r,
                         enum msg_kind kind, const void *in)
{
    struct why why = {""};
    struct wire_buf inner = {0};
    if (kind != MSG_KIND_LAST)
        check_ok(msg_encode(kind, in, &inner, &why), why);
    r->v = 1;
    r->body = (struct wire_blob){.data = inner.data, .len = inner.len};
    check_ok(msg_encode(MSG_IS_reply, r, out, &why), why);
    wire_buf_free(&inner);
}

static void a_request_carries_envelope_and_body(void **state)
{
    (void)state;
    struct msg_start_at start = {
        .t0_ns = 7, .warmup_ns = 200000000, .measure_ns = 1000000000};
    struct request rq = {.op = MSG_START_AT,
                         .eid = "11111111-2222-4333-8444-555555555555",
                         .tid = 17,
                         .att = 2,
                         .token = 99,
                         .seq = 5,
                         .body = &start};
    struct wire_buf out = {0};
    struct msg_start_at got;
    struct why why = {""};
    check_ok(request_encode(&rq, &out, &why), why);
    check_ok(msg_decode(MSG_IS_request, out.data, out.len, &head, &why), why);
    assert_string_equal(head.op, "START_AT");
    assert_string_equal(head.eid, "11111111-2222-4333-8444-555555555555");
    assert_int_equal(head.tid, 17);
    assert_int_equal(head.att, 2);
    assert_int_equal(head.token, 99);
    assert_int_equal(head.seq, 5);
    check_ok(
        msg_decode(MSG_IS_start_at, head.body.data, head.body.len, &got, &why),
        why);
    assert_int_equal(got.t0_ns, 7);
    assert_int_equal(got.measure_ns, 1000000000);
    wire_buf_free(&out);
}

static void a_reply_is_decoded_by_the_requests_op(void **state)
{
    (void)state;
    struct request rq = {.op = MSG_ACQUIRE, .seq = 3};
    struct msg_lease lease = {.token = 12, .left_ns = 15};
    struct wire_buf out = {0};
    struct why why = {""};
    struct msg_reply r = {.seq = 3};
    encode_reply(&out, &r, MSG_IS_lease, &lease);
    check_ok(request_decode(&rq, out.data, out.len, &reply, &body, &why), why);
    assert_int_equal(body.lease.token, 12);
    wire_buf_free(&out);
}

static void a_refusal_has_no_body(void **state)
{
    (void)state;
    struct request rq = {.op = MSG_PREPARE, .seq = 3};
    struct wire_buf out = {0};
    struct why why = {""};
    struct msg_reply r = {.seq = 3, .err = ERR_BUSY, .text = "in use"};
    encode_reply(&out, &r, MSG_KIND_LAST, NULL);
    check_ok(request_decode(&rq, out.data, out.len, &reply, &body, &why), why);
    assert_int_equal(reply.err, ERR_BUSY);
    assert_string_equal(reply.text, "in use");
    wire_buf_free(&out);
}

static void an_error_of_a_newer_agent_becomes_internal(void **state)
{
    (void)state;
    struct request rq = {.op = MSG_ARM, .seq = 3};
    struct wire_buf out = {0};
    struct why why = {""};
    struct msg_reply r = {.seq = 3, .err = 200, .text = "new"};
    encode_reply(&out, &r, MSG_KIND_LAST, NULL);
    check_ok(request_decode(&rq, out.data, out.len, &reply, &body, &why), why);
    assert_int_equal(reply.err, ERR_INTERNAL);
    wire_buf_free(&out);
}

static void another_requests_answer_is_refused(void **state)
{
    (void)state;
    struct request rq = {.op = MSG_RELEASE, .seq = 4};
    struct wire_buf out = {0};
    struct why why = {""};
    struct msg_reply r = {.seq = 3};
    encode_reply(&out, &r, MSG_KIND_LAST, NULL);
    check_err(request_decode(&rq, out.data, out.len, &reply, &body, &why),
              ERR_PROTOCOL);
    assert_string_equal(why.text,
                        "answer to RELEASE: the answer to another request");
    wire_buf_free(&out);
}

static void a_reply_without_the_body_it_owes_is_refused(void **state)
{
    (void)state;
    struct request rq = {.op = MSG_STATUS, .seq = 3};
    struct wire_buf out = {0};
    struct why why = {""};
    struct msg_reply r = {.seq = 3};
    encode_reply(&out, &r, MSG_KIND_LAST, NULL);
    check_err(request_decode(&rq, out.data, out.len, &reply, &body, &why),
              ERR_PROTOCOL);
    check_says(why, "answer to STATUS: ");
    check_err(request_decode(&rq, "\xc1", 1, &reply, &body, &why),
              ERR_PROTOCOL);
    wire_buf_free(&out);
}

static void a_request_larger_than_the_wire_allows_is_refused(void **state)
{
    (void)state;
    size_t size = 300000;
    uint8_t *plan = calloc(1, size);
    struct msg_prepare prepare = {.plan = {.data = plan, .len = size}};
    struct request rq = {.op = MSG_PREPARE, .body = &prepare};
    struct wire_buf out = {0};
    struct why why = {""};
    assert_non_null(plan);
    check_err(request_encode(&rq, &out, &why), ERR_RANGE);
    check_says(why, "request PREPARE: ");
    wire_buf_free(&out);
    free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_carries_envelope_and_body),
        cmocka_unit_test(a_reply_is_decoded_by_the_requests_op),
        cmocka_unit_test(a_refusal_has_no_body),
        cmocka_unit_test(an_error_of_a_newer_agent_becomes_internal),
        cmocka_unit_test(another_requests_answer_is_refused),
        cmocka_unit_test(a_reply_without_the_body_it_owes_is_refused),
        cmocka_unit_test(a_request_larger_than_the_wire_allows_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
