#include "agent/executor/limit.h"
#include "tests/lib/check.h"

static struct why why;

static enum err reads(struct limits *out, const char *text)
{
    struct jv *root = NULL;
    *out = (struct limits){0};
    check_ok(jv_parse(&root, "agent.json", text, strlen(text), &why), why);
    enum err e = limit_read(out, root, &why);
    jv_free(root);
    return e;
}

static void limit_takes_sizes_processors_and_numbers(void **state)
{
    struct limits l;
    (void)state;
    check_ok(reads(&l, "{\"memory\":\"2g\",\"cpus\":1.5,\"pids\":4096}"), why);
    assert_int_equal(l.memory_bytes, 2147483648u); /* 2 * 2^30 */
    assert_int_equal(l.cpus_milli, 1500);
    assert_int_equal(l.pids, 4096);
    check_ok(reads(&l, "{}"), why);
    assert_int_equal(l.memory_bytes + l.cpus_milli + l.pids, 0);
    /* 100000 bytes are 24 pages of 4096 and a rest. */
    check_ok(reads(&l, "{\"memory\":\"100000\"}"), why);
    assert_int_equal(l.memory_bytes, 98304);
}

static void limit_refuses_by_line_and_key(void **state)
{
    static const char *const bad[][2] = {
        {"{\"memory\":\"4k\"}", "agent.json:1: memory: accepted is a size"},
        {"{\"memory\":1}", "memory: accepted is a size such as \"512m\""},
        {"{\"cpus\":0.001}", "cpus: accepted is a number of processors"},
        {"{\"cpus\":\"2\"}", "cpus: accepted"},
        {"{\"pids\":1.5}", "pids: accepted is a whole number"},
        {"{\"pids\":0}", "pids: accepted"},
        {"{\"disk\":1}", "disk"},
        {"[]", "accepted is an object of memory, cpus and pids"}};
    struct limits l;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(reads(&l, bad[i][0]), ERR_INVALID);
        if (!strstr(why.text, bad[i][1]))
            fail_msg("%s: \"%s\"", bad[i][0], why.text);
    }
}

static void limit_of_a_trial_lies_within_the_configured_one(void **state)
{
    struct limits l = {.memory_bytes = 1u << 30, .cpus_milli = 2000};
    const struct limits less = {.memory_bytes = 1u << 29, .pids = 100};
    const struct limits more = {.memory_bytes = 1ull << 31};
    const struct limits faster = {.cpus_milli = 2500};
    const struct limits none = {0}, tiny = {.memory_bytes = 4096};
    (void)state;
    check_ok(limit_wish(&l, &none, &why), why);
    assert_int_equal(l.memory_bytes, 1u << 30);
    check_ok(limit_wish(&l, &less, &why), why);
    assert_int_equal(l.memory_bytes, 1u << 29);
    assert_int_equal(l.cpus_milli, 2000);
    assert_int_equal(l.pids, 100);
    assert_int_equal(limit_wish(&l, &more, &why), ERR_PERMISSION);
    assert_string_equal(why.text, "limit.memory: 2g; the agent's configuration "
                                  "gives the target 512m");
    assert_int_equal(limit_wish(&l, &faster, &why), ERR_PERMISSION);
    assert_string_equal(why.text, "limit.cpus: 2.5; the agent's configuration "
                                  "gives the target 2");
    assert_int_equal(limit_wish(&l, &tiny, &why), ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limit_takes_sizes_processors_and_numbers),
        cmocka_unit_test(limit_refuses_by_line_and_key),
        cmocka_unit_test(limit_of_a_trial_lies_within_the_configured_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
