#include <stdio.h>

#include "agent/gate/rules.h"
#include "tests/lib/check.h"
#include "tests/unit/gate/requests.h"

static void rules_uuid_takes_lower_case_hex_only(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "0b5e7c1a",
        "0B5E7C1A-1111-4222-8333-444455556666",
        "0b5e7c1a-1111-4222-8333-44445555666",   /* 35 */
        "0b5e7c1a-1111-4222-8333-4444555566667", /* 37 */
        "0b5e7c1a-1111-4222-83333444455556666-", /* dash elsewhere */
        "0b5e7c1a/1111-4222-8333-444455556666",
        "..5e7c1a-1111-4222-8333-444455556666"};
    struct why why = {0};
    check_ok(rules_uuid("eid", REQUESTS_EID, &why), why);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_err(rules_uuid("eid", bad[i], &why), ERR_PROTOCOL);
        check_says(why, "eid \"");
        check_says(why, bad[i]);
    }
}

static void rules_name_takes_what_is_safe_in_a_path(void **state)
{
    (void)state;
    static const char *const good[] = {"pitwall", "es-base", "a.b", "X_1", "7"};
    static const char *const bad[] = {"",   ".",   "..",  "a..b", "-x",
                                      ".x", "a/b", "a b", "a\n",  "\xc3\xa9"};
    struct why why = {0};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        check_ok(rules_name("target", good[i], &why), why);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_err(rules_name("target", bad[i], &why), ERR_PROTOCOL);
    check_says(why, "target \"");
}

static void rules_lines_take_names_and_any_value(void **state)
{
    (void)state;
    struct why why = {0};
    check_ok(rules_lines("params", "", &why), why);
    check_ok(rules_lines("params", "a=", &why), why);
    check_ok(rules_lines("params", "a_b.c1=x=y /..\nb=2\n", &why), why);
    check_ok(rules_lines("params", "ab=1\na=2\nabc=3", &why), why);
}

static void rules_lines_name_the_line_that_is_wrong(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "a",      "=1",   "A=1",         "-a=1",    " a=1",   "a =1",
        "a..b=1", ".a=1", "ok=1\n\nb=2", "ok=1\nb", "../x=1", "net/ipv4=1"};
    struct why why = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_err(rules_lines("params", bad[i], &why), ERR_PROTOCOL);
        check_says(why, "a line is name=value");
    }
    check_err(rules_lines("params", "ok=1\nb", &why), ERR_PROTOCOL);
    check_says(why, "params \"b\"");
    check_err(rules_lines("params", "a=1\nb=2\na=3", &why), ERR_PROTOCOL);
    check_says(why, "params \"a=3\": given twice");
}

static void rules_spec_takes_a_good_one(void **state)
{
    (void)state;
    struct trial_spec s = requests_spec();
    struct why why = {0};
    check_ok(rules_spec(&s, &why), why);
    /* And the least there can be. */
    struct trial_spec least = {
        .role = "load", .link_kind = "loopback", .target = "x", .ready_ns = 1};
    check_ok(rules_spec(&least, &why), why);
}

/* A good spec with one text changed. */
#define refuse(field, value, says)                                             \
    do {                                                                       \
        struct trial_spec s_ = requests_spec();                                \
        struct why why_ = {0};                                                 \
        (void)snprintf(s_.field, sizeof s_.field, "%s", value);                \
        check_err(rules_spec(&s_, &why_), ERR_PROTOCOL);                       \
        check_says(why_, says);                                                \
    } while (0)

static void rules_spec_names_the_text_that_is_wrong(void **state)
{
    (void)state;
    refuse(role, "", "spec role \"\": one of: both target load");
    refuse(role, "both target", "spec role");
    refuse(link_kind, "wifi", "one of: loopback veth ethernet");
    refuse(link_offloads, "of", "one of: on off");
    refuse(target, "../sh", "spec target \"../sh\"");
    refuse(congestion, "a b", "spec congestion");
    refuse(predictor, "fixed:64k --x", "spec predictor");
    refuse(predictor, "--x", "spec predictor");
    refuse(pin, "0;1", "spec pin");
    refuse(telemetry, "../x", "spec telemetry");
    refuse(target_url, "file:///etc", "http://HOST:PORT");
    refuse(target_url, "http://a b", "spec target_url");
    refuse(target_params, "x", "spec target_params");
    refuse(load_params, "x y=1", "spec load_params");
    refuse(sysctls, "net..x=1", "spec sysctls");
    refuse(nic, "=", "spec nic");
}

static void rules_spec_names_the_number_that_is_wrong(void **state)
{
    (void)state;
    struct why why = {0};
    struct trial_spec s = requests_spec();
    s.rmem_min = 0;
    check_err(rules_spec(&s, &why), ERR_RANGE);
    check_says(why, "rmem 0:87380:16777216: three ordered numbers");
    s = requests_spec();
    s.rmem_max = 87379;
    check_err(rules_spec(&s, &why), ERR_RANGE);
    s = requests_spec();
    s.drain_ns = 5000000001;
    check_err(rules_spec(&s, &why), ERR_RANGE);
    check_says(why, "drain_ns 5000000001: at most 5000000000");
    s = requests_spec();
    s.ready_ns = 0;
    check_err(rules_spec(&s, &why), ERR_RANGE);
    check_says(why, "ready_ns");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_uuid_takes_lower_case_hex_only),
        cmocka_unit_test(rules_name_takes_what_is_safe_in_a_path),
        cmocka_unit_test(rules_lines_take_names_and_any_value),
        cmocka_unit_test(rules_lines_name_the_line_that_is_wrong),
        cmocka_unit_test(rules_spec_takes_a_good_one),
        cmocka_unit_test(rules_spec_names_the_text_that_is_wrong),
        cmocka_unit_test(rules_spec_names_the_number_that_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
