#include "common/msg.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"
#include "tests/unit/wire/fill.h"

/* Room for any message's struct. */
union any {
#define X(name, LIST) struct msg_##name name;
    MSG_LISTS(X)
#undef X
};

static union any in, out;

static void msg_decode_gives_back_every_message_at_its_limits(void **state)
{
    (void)state;
    for (unsigned k = 0; k < MSG_KIND_LAST; k++) {
        size_t n = 0;
        const struct wire_field *f = msg_fields((enum msg_kind)k, &n);
        struct wire_buf buf = {0};
        struct why why = {0};
        fill_most(f, n, &in);
        check_ok(msg_encode((enum msg_kind)k, &in, &buf, &why), why);
        check_ok(msg_decode((enum msg_kind)k, buf.data, buf.len, &out, &why),
                 why);
        fill_same(f, n, &in, &out);
        wire_buf_free(&buf);
    }
}

static void msg_decode_refuses_every_prefix_of_a_request(void **state)
{
    (void)state;
    struct msg_request req = {.v = 1,
                              .op = "ARM",
                              .eid = "e",
                              .tid = 3,
                              .att = 1,
                              .token = 1ull << 40,
                              .seq = 9,
                              .body = {(const uint8_t *)"\x80", 1}};
    struct wire_buf buf = {0};
    struct why why = {0};
    check_ok(msg_encode(MSG_IS_request, &req, &buf, &why), why);
    for (size_t cut = 0; cut < buf.len; cut++) {
        char *copy = guard_copy(buf.data, cut);
        check_err(msg_decode(MSG_IS_request, copy, cut, &out, &why),
                  ERR_PROTOCOL);
        check_says(why, "message request: ");
        guard_free(copy, cut);
    }
    wire_buf_free(&buf);
}

/* The largest request and reply fit the channel's bounds. */
static void msg_encode_stays_below_the_bounds_of_the_channel(void **state)
{
    (void)state;
    static const struct {
        enum msg_kind kind;
        size_t most;
    } cases[] = {{MSG_IS_prepare, 655360},
                 {MSG_IS_chunk, 2097152},
                 {MSG_IS_hello_reply, 2097152},
                 {MSG_IS_request, MSG_REQUEST_MAX},
                 {MSG_IS_reply, MSG_REPLY_MAX}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = 0;
        const struct wire_field *f = msg_fields(cases[i].kind, &n);
        struct wire_buf buf = {0};
        struct why why = {0};
        fill_most(f, n, &in);
        check_ok(msg_encode(cases[i].kind, &in, &buf, &why), why);
        assert_true(buf.len <= cases[i].most);
        wire_buf_free(&buf);
    }
}

static void msg_encode_names_the_message_and_the_key(void **state)
{
    (void)state;
    struct msg_collect c = {.max = 131073};
    struct wire_buf buf = {0};
    struct why why = {0};
    check_err(msg_encode(MSG_IS_collect, &c, &buf, &why), ERR_RANGE);
    check_says(why, "message collect: \"max\" is 131073, at most 131072");
    wire_buf_free(&buf);
}

static void msg_op_parse_knows_every_word(void **state)
{
    (void)state;
    struct why why = {0};
    for (unsigned i = 0; i < MSG_OP_LAST; i++) {
        enum msg_op op = MSG_OP_LAST;
        check_ok(msg_op_parse(msg_op_name((enum msg_op)i), &op, &why), why);
        assert_int_equal(op, i);
    }
    enum msg_op op = MSG_ACK;
    assert_string_equal(msg_op_name(MSG_START_AT), "START_AT");
    check_err(msg_op_parse("REBOOT", &op, &why), ERR_PROTOCOL);
    check_says(why, "\"REBOOT\" is no operation");
    check_err(msg_op_parse("", &op, &why), ERR_PROTOCOL);
}

static void msg_name_is_the_lists_own(void **state)
{
    (void)state;
    assert_string_equal(msg_name(MSG_IS_hello_reply), "hello_reply");
    assert_string_equal(msg_name(MSG_KIND_LAST), "unknown");
    assert_string_equal(msg_op_name(MSG_OP_LAST), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(msg_decode_gives_back_every_message_at_its_limits),
        cmocka_unit_test(msg_decode_refuses_every_prefix_of_a_request),
        cmocka_unit_test(msg_encode_stays_below_the_bounds_of_the_channel),
        cmocka_unit_test(msg_encode_names_the_message_and_the_key),
        cmocka_unit_test(msg_op_parse_knows_every_word),
        cmocka_unit_test(msg_name_is_the_lists_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
