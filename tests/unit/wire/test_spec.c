#include "common/spec.h"
#include "tests/lib/check.h"
#include "tests/unit/wire/fill.h"

static void spec_travels_whole_inside_a_prepare(void **state)
{
    (void)state;
    static struct trial_spec in, out;
    size_t n = 0;
    const struct wire_field *f = spec_fields(&n);
    struct wire_buf buf = {0};
    struct why why = {0};
    fill_most(f, n, &in);
    check_ok(wire_encode(f, n, &in, &buf, &why), why);
    assert_true(buf.len <= 65536); /* MSG_BODY_PREPARE's bound */
    check_ok(wire_decode(f, n, buf.data, buf.len, &out, &why), why);
    fill_same(f, n, &in, &out);
    wire_buf_free(&buf);
}

static void spec_leaves_defaults_out(void **state)
{
    (void)state;
    struct trial_spec in = {.cell = "heap=1g",
                            .role = "both",
                            .link_kind = "loopback",
                            .target = "pitwall"},
                      out;
    size_t n = 0;
    const struct wire_field *f = spec_fields(&n);
    struct wire_buf buf = {0};
    struct why why = {0};
    check_ok(wire_encode(f, n, &in, &buf, &why), why);
    assert_int_equal(buf.data[0], 0x86); /* four texts and two deadlines */
    check_ok(wire_decode(f, n, buf.data, buf.len, &out, &why), why);
    fill_same(f, n, &in, &out);
    wire_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spec_travels_whole_inside_a_prepare),
        cmocka_unit_test(spec_leaves_defaults_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
