#include <stdio.h>

#include "agent/watch/listeners.h"
#include "agent/watch/stats_map.h"
#include "tests/lib/check.h"

static struct stats_map map_of(const char *a, const char *b)
{
    struct stats_map map = {.n = 0};
    struct why why = {0};
    check_ok(stats_map_add(&map, a, &why), why);
    if (b)
        check_ok(stats_map_add(&map, b, &why), why);
    return map;
}

static void fails(const struct stats_map *map, const char *text,
                  const char *says)
{
    struct record_sample_target out;
    struct why why = {0};
    check_err(stats_map_read(map, text, strlen(text), &out, &why), ERR_INVALID);
    check_says(why, says);
}

static void stats_map_follows_pointers(void **state)
{
    static const char text[] = "{\"a\":{\"b/c\":[1,2,30]},\"gc\":{\"ms\":1.5}}";
    struct stats_map map = map_of("docs=/a/b~1c/2", "young_ns=1000000*/gc/ms");
    struct record_sample_target out;
    struct why why = {0};
    char names[40];
    (void)state;
    check_ok(stats_map_read(&map, text, strlen(text), &out, &why), why);
    assert_int_equal(out.docs, 30);
    assert_int_equal(out.young_ns, 1500000); /* 1.5 ms */
    assert_int_equal(out.reads, 0);
    assert_string_equal(stats_map_names(&map, names, sizeof names),
                        "docs,young_ns");
    assert_true(stats_map_has(&map, "docs"));
    assert_false(stats_map_has(&map, "reads"));
}

static void stats_map_adds_up_what_a_star_stands_for(void **state)
{
    static const char text[] = "{\"nodes\":{\"x1\":{\"n\":[3,4]},"
                               "\"y2\":{\"n\":[5]}}}";
    struct stats_map map = map_of("docs=/nodes/*/n/*", NULL);
    struct record_sample_target out;
    struct why why = {0};
    (void)state;
    check_ok(stats_map_read(&map, text, strlen(text), &out, &why), why);
    assert_int_equal(out.docs, 12); /* 3 + 4 + 5 */
    fails(&map, "{\"nodes\":{}}", "no number from 0 up at /nodes/*/n/*");
}

static void stats_map_says_what_came_instead(void **state)
{
    struct stats_map map = map_of("docs=/docs", NULL);
    (void)state;
    fails(&map, "<html>\n<b>no</b>", "no JSON: \"<html> <b>no</b>\"");
    fails(&map, "", "no JSON: \"\"");
    fails(&map, "{\"docs\":\"5\"}", "docs: the answer has no number");
    fails(&map, "{\"docs\":-1}", "docs: the answer has no number");
    fails(&map, "{}", "at /docs");
    fails(&map, "[]", "at /docs");
}

static void stats_map_refuses_what_it_cannot_map(void **state)
{
    static const char *const bad[] = {
        "docs",  "docks=/a",  "second=/a",         "docs=a",
        "docs=", "docs=0*/a", "docs=2000000000*/a"};
    struct stats_map map = {.n = 0};
    struct why why;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_err(stats_map_add(&map, bad[i], &why), ERR_USAGE);
    assert_int_equal(map.n, 0);
}

static void listeners_are_the_ports_in_state_listen(void **state)
{
    static const char tcp[] =
        "  sl  local_address rem_address   st tx_queue\n"
        "   0: 0100007F:2454 00000000:0000 0A 00000000:00000000\n" /* 9300 */
        "   1: 0100007F:23F0 0100007F:D431 01 00000000:00000000\n"
        "   2: 00000000:2454 00000000:0000 0A 00000000:00000000\n";
    static const char tcp6[] =
        "  sl  local_address\n"
        "   0: 00000000000000000000000000000000:2455 "
        "00000000000000000000000000000000:0000 0A 00000000\n"; /* 9301 */
    char list[40] = "";
    (void)state;
    listeners_add(tcp, list, sizeof list);
    listeners_add(tcp6, list, sizeof list);
    assert_string_equal(list, "9300, 9301");
    assert_string_equal(listeners_show("/nowhere", list, sizeof list), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stats_map_follows_pointers),
        cmocka_unit_test(stats_map_adds_up_what_a_star_stands_for),
        cmocka_unit_test(stats_map_says_what_came_instead),
        cmocka_unit_test(stats_map_refuses_what_it_cannot_map),
        cmocka_unit_test(listeners_are_the_ports_in_state_listen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
