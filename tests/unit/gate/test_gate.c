#include <stdio.h>
#include <stdlib.h>

#include "agent/gate/gate.h"
#include "tests/lib/check.h"
#include "tests/unit/gate/requests.h"

#define BOOT "11111111-2222-4333-8444-555555555555"

/* A world with everything in it, on the heap since facts are large. */
struct world {
    struct gate_world gate;
    struct facts facts;
    struct port_facts executor;
};

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    w->facts = (struct facts){.cpus = 2, .memory_bytes = 25276502016};
    facts_add(&w->facts, "kernel", "6.1.0-18-amd64");
    w->executor = (struct port_facts){.name = "lab-1",
                                      .roles = "both",
                                      .targets = "pitwall",
                                      .features = "netns,tbf",
                                      .missing = "netem",
                                      .limit_memory_bytes = 8589934592,
                                      .limit_cpus_milli = 1500,
                                      .limit_pids = 4096};
    w->gate = (struct gate_world){.mono_ns = 123456789,
                                  .facts = &w->facts,
                                  .executor = &w->executor,
                                  .boot_id = BOOT,
                                  .incarnation = 5};
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

static enum gate_way handle(const struct world *w, struct wire_buf request,
                            struct request *out, struct wire_buf *reply)
{
    enum gate_way way =
        gate_handle(&w->gate, request.data, request.len, out, reply);
    wire_buf_free(&request);
    return way;
}

static void gate_answers_hello_alone(void **state)
{
    struct world *w = *state;
    struct request request;
    struct wire_buf reply = {0};
    struct msg_hello_reply hello;
    struct why why = {0};
    const struct msg_hello ask = {1, 1, "0.1.0"};
    assert_int_equal(
        handle(w, requests_with("HELLO", MSG_IS_hello, &ask), &request, &reply),
        GATE_ANSWERED);
    struct msg_reply r = requests_reply(reply.data, reply.len);
    assert_int_equal(r.err, 0);
    assert_int_equal(r.v, 1);
    assert_int_equal(r.seq, 7);
    assert_int_equal(r.incarnation, 5);
    assert_string_equal(r.boot_id, BOOT);
    check_ok(
        msg_decode(MSG_IS_hello_reply, r.body.data, r.body.len, &hello, &why),
        why);
    assert_int_equal(hello.proto, 1);
    assert_string_equal(hello.version, PITWALL_VERSION);
    assert_string_equal(hello.name, "lab-1");
    assert_string_equal(hello.roles, "both");
    assert_string_equal(hello.targets, "pitwall");
    assert_string_equal(hello.features, "netns,tbf");
    assert_string_equal(hello.missing, "netem");
    assert_int_equal(hello.cpus, 2);
    assert_int_equal(hello.memory_bytes, 25276502016);
    assert_string_equal(hello.facts, "kernel=6.1.0-18-amd64\n");
    assert_int_equal(hello.limit_memory_bytes, 8589934592);
    assert_int_equal(hello.limit_cpus_milli, 1500);
    assert_int_equal(hello.limit_pids, 4096);
    wire_buf_free(&reply);
}

static void gate_answers_ping_alone(void **state)
{
    struct world *w = *state;
    struct request request;
    struct wire_buf reply = {0};
    struct msg_ping_reply ping;
    struct why why = {0};
    struct msg_request m = requests_envelope("PING");
    assert_int_equal(handle(w, requests_plain(&m), &request, &reply),
                     GATE_ANSWERED);
    struct msg_reply r = requests_reply(reply.data, reply.len);
    check_ok(
        msg_decode(MSG_IS_ping_reply, r.body.data, r.body.len, &ping, &why),
        why);
    assert_int_equal(ping.mono_ns, 123456789);
    wire_buf_free(&reply);
}

static void gate_forwards_the_rest(void **state)
{
    struct world *w = *state;
    static const char *const ops[] = {"ARM", "STATUS", "STOP", "RELEASE"};
    struct request request;
    struct wire_buf reply = {0};
    for (size_t i = 0; i < 4; i++) {
        struct msg_request m = requests_envelope(ops[i]);
        assert_int_equal(handle(w, requests_plain(&m), &request, &reply),
                         GATE_FORWARD);
        assert_int_equal(reply.len, 0);
        assert_string_equal(msg_op_name((enum msg_op)request.port.op), ops[i]);
    }
    const struct msg_collect collect = {.offset = 0, .max = 5};
    assert_int_equal(handle(w,
                            requests_with("COLLECT", MSG_IS_collect, &collect),
                            &request, &reply),
                     GATE_COLLECT);
    wire_buf_free(&reply);
}

static void gate_answers_what_is_malformed(void **state)
{
    struct world *w = *state;
    static const char *const bytes[] = {"", "GET / HTTP/1.1\r\n\r\n", "\xc1",
                                        "\x80", "\xdf\xff\xff\xff\xff"};
    struct request request;
    struct wire_buf reply = {0};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        assert_int_equal(
            gate_handle(&w->gate, bytes[i], strlen(bytes[i]), &request, &reply),
            GATE_ANSWERED);
        struct msg_reply r = requests_reply(reply.data, reply.len);
        assert_int_equal(r.err, ERR_PROTOCOL);
        assert_memory_equal(r.text, "request: ", 9);
        assert_int_equal(r.body.len, 0);
        assert_int_equal(r.incarnation, 5);
    }
    wire_buf_free(&reply);
}

static void gate_answer_carries_a_status(void **state)
{
    (void)state;
    static const enum msg_op ops[] = {MSG_PREPARE, MSG_ARM, MSG_START_AT,
                                      MSG_STOP, MSG_STATUS};
    const struct port_reply said = {
        .boot_id = BOOT,
        .incarnation = 6,
        .lease_left_ns = 15000000000,
        .as.status = {.state = "running",
                      .task = "index",
                      .mono_ns = 77,
                      .docs = 1000,
                      .docs_s = 512.5},
    };
    struct wire_buf reply = {0};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        const struct request request = {.op = ops[i], .seq = 8};
        struct msg_status_reply status;
        struct why why = {0};
        gate_answer(&request, &said, &reply);
        struct msg_reply r = requests_reply(reply.data, reply.len);
        assert_int_equal(r.seq, 8);
        assert_int_equal(r.incarnation, 6);
        assert_int_equal(r.lease_left_ns, 15000000000);
        assert_string_equal(r.boot_id, BOOT);
        check_ok(msg_decode(MSG_IS_status_reply, r.body.data, r.body.len,
                            &status, &why),
                 why);
        assert_string_equal(status.state, "running");
        assert_string_equal(status.task, "index");
        assert_int_equal(status.docs, 1000);
        check_near(status.docs_s, 512.5, 0);
    }
    wire_buf_free(&reply);
}

static void gate_answer_carries_a_lease_or_nothing(void **state)
{
    (void)state;
    const struct port_reply said = {.as.lease = {.token = 12, .left_ns = 13}};
    struct wire_buf reply = {0};
    struct msg_lease lease;
    struct why why = {0};
    struct request request = {.op = MSG_ACQUIRE};
    gate_answer(&request, &said, &reply);
    struct msg_reply r = requests_reply(reply.data, reply.len);
    check_ok(msg_decode(MSG_IS_lease, r.body.data, r.body.len, &lease, &why),
             why);
    assert_int_equal(lease.token, 12);
    assert_int_equal(lease.left_ns, 13);
    request.op = MSG_ACK;
    gate_answer(&request, &said, &reply);
    r = requests_reply(reply.data, reply.len);
    assert_int_equal(r.err, 0);
    assert_int_equal(r.body.len, 0);
    wire_buf_free(&reply);
}

static void gate_answer_carries_an_error_and_no_body(void **state)
{
    (void)state;
    const struct request request = {.op = MSG_STATUS, .seq = 8};
    struct port_reply said = {.err = ERR_HELD,
                              .text = "held by 0b5e7c1a, 12 s left",
                              .as.status = {.state = "running"}};
    struct wire_buf reply = {0};
    gate_answer(&request, &said, &reply);
    struct msg_reply r = requests_reply(reply.data, reply.len);
    assert_int_equal(r.err, ERR_HELD);
    assert_string_equal(r.text, "held by 0b5e7c1a, 12 s left");
    assert_int_equal(r.body.len, 0);
    said.err = 4000; /* no error of ours */
    gate_answer(&request, &said, &reply);
    r = requests_reply(reply.data, reply.len);
    assert_int_equal(r.err, ERR_INTERNAL);
    wire_buf_free(&reply);
}

static void gate_answer_ends_and_cleans_texts(void **state)
{
    (void)state;
    const struct request request = {.op = MSG_STATUS};
    struct port_reply said = {.as.status.mono_ns = 1};
    struct wire_buf reply = {0};
    struct msg_status_reply status;
    struct why why = {0};
    memset(said.as.status.state, 'x', sizeof said.as.status.state);
    memset(said.text, 'y', sizeof said.text);
    (void)snprintf(said.as.status.text, sizeof said.as.status.text,
                   "exit\x01 of \xff");
    gate_answer(&request, &said, &reply);
    struct msg_reply r = requests_reply(reply.data, reply.len);
    assert_int_equal(r.err, 0);
    assert_int_equal(strlen(r.text), 500); /* what a reply holds */
    check_ok(
        msg_decode(MSG_IS_status_reply, r.body.data, r.body.len, &status, &why),
        why);
    assert_int_equal(strlen(status.state), 16);
    assert_string_equal(status.text, "exit? of ?");
    wire_buf_free(&reply);
}

static void gate_refuse_tells_the_gates_own_error(void **state)
{
    struct world *w = *state;
    const struct request request = {.op = MSG_ARM, .seq = 9};
    const struct why why = {"the executor did not answer"};
    struct wire_buf reply = {0};
    gate_refuse(&w->gate, &request, ERR_TIMEOUT, &why, &reply);
    struct msg_reply r = requests_reply(reply.data, reply.len);
    assert_int_equal(r.err, ERR_TIMEOUT);
    assert_string_equal(r.text, "the executor did not answer");
    assert_int_equal(r.seq, 9);
    assert_string_equal(r.boot_id, BOOT);
    wire_buf_free(&reply);
}

static void gate_chunk_carries_bytes_offset_and_total(void **state)
{
    struct world *w = *state;
    const struct request request = {.op = MSG_COLLECT,
                                    .as.collect = {.offset = 10, .max = 3}};
    const struct wire_blob data = {(const uint8_t *)"\x00\xff\x7f", 3};
    struct wire_buf reply = {0};
    struct msg_chunk chunk;
    struct why why = {0};
    gate_chunk(&w->gate, &request, &data, 4000, &reply);
    struct msg_reply r = requests_reply(reply.data, reply.len);
    check_ok(msg_decode(MSG_IS_chunk, r.body.data, r.body.len, &chunk, &why),
             why);
    assert_int_equal(chunk.offset, 10);
    assert_int_equal(chunk.total, 4000);
    assert_int_equal(chunk.data.len, 3);
    assert_memory_equal(chunk.data.data, data.data, 3);
    wire_buf_free(&reply);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(gate_answers_hello_alone),
        CASE(gate_answers_ping_alone),
        CASE(gate_forwards_the_rest),
        CASE(gate_answers_what_is_malformed),
        CASE(gate_answer_carries_a_status),
        CASE(gate_answer_carries_a_lease_or_nothing),
        CASE(gate_answer_carries_an_error_and_no_body),
        CASE(gate_answer_ends_and_cleans_texts),
        CASE(gate_refuse_tells_the_gates_own_error),
        CASE(gate_chunk_carries_bytes_offset_and_total),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
