/* How an experiment is run, to its text and back; and who sits at it. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "controller/conduct.h"
#include "controller/guard.h"
#include "tests/lib/check.h"

static struct why why;

static void what_was_said_is_read_back(void **state)
{
    (void)state;
    struct options o = {
        .agents = {.items = {"ipc:///a.sock", "ipc:///b.sock"}, .n = 2},
        .tls = "/op",
        .insecure_plain = true,
        .no_ceiling = true,
        .retries = "3",
        .on_error = "abort"};
    struct conduct c, d;
    check_ok(conduct_take(&o, &c, &why), why);
    (void)snprintf(c.plans, sizeof c.plans, "0123");
    char *json = conduct_print(&c);
    check_ok(conduct_parse(&d, json, &why), why);
    free(json);
    assert_int_equal(d.places.items[0].n, 2);
    assert_string_equal(d.places.items[0].agents[1].url, "ipc:///b.sock");
    assert_string_equal(d.tls.ca, "/op/ca.pem");
    assert_string_equal(d.tls.key, "/op/key.pem");
    assert_true(d.insecure_plain && d.no_ceiling && d.abort_on_error);
    assert_false(d.test_mode);
    assert_int_equal(d.retries, 3);
    assert_string_equal(d.plans, "0123");
}

static void several_benches_are_kept(void **state)
{
    (void)state;
    struct conduct c = {.places.n = 2}, d;
    (void)snprintf(c.places.items[0].bench, 8, "rack1");
    c.places.items[0].n = 1;
    (void)snprintf(c.places.items[1].bench, 8, "rack2");
    c.places.items[1].n = 2;
    (void)snprintf(c.places.items[1].agents[1].name, 8, "gen");
    (void)snprintf(c.places.items[1].agents[1].url, 16, "ipc:///g.sock");
    char *json = conduct_print(&c);
    check_ok(conduct_parse(&d, json, &why), why);
    free(json);
    assert_int_equal(d.places.n, 2);
    assert_string_equal(d.places.items[0].bench, "rack1");
    assert_int_equal(d.places.items[1].n, 2);
    assert_string_equal(d.places.items[1].bench, "rack2");
    assert_string_equal(d.places.items[1].agents[1].url, "ipc:///g.sock");
}

static void stores_of_before_have_the_defaults(void **state)
{
    (void)state;
    struct conduct c;
    check_ok(conduct_parse(&c, "", &why), why);
    assert_int_equal(c.retries, 1);
    assert_int_equal(c.places.items[0].n, 0);
    check_err(conduct_parse(&c, "{", &why), ERR_CORRUPT);
    check_says(why, "how the experiment is run: ");
}

static void later_options_change_what_they_name(void **state)
{
    (void)state;
    struct options first = {.agents = {.items = {"ipc:///a.sock"}, .n = 1},
                            .retries = "2",
                            .on_error = "abort"};
    const struct options quiet = {.quiet = true};
    const struct options other = {
        .agents = {.items = {"ipc:///c.sock"}, .n = 1}, .retries = "0"};
    const struct options own = {.local = true};
    struct conduct c;
    check_ok(conduct_take(&first, &c, &why), why);
    check_ok(conduct_change(&c, &quiet, &why), why);
    assert_string_equal(c.places.items[0].agents[0].url, "ipc:///a.sock");
    check_ok(conduct_change(&c, &other, &why), why);
    assert_string_equal(c.places.items[0].agents[0].url, "ipc:///c.sock");
    assert_int_equal(c.retries, 0);
    assert_true(c.abort_on_error);
    const struct options papers = {.tls = "papers"};
    check_ok(conduct_change(&c, &papers, &why), why);
    assert_int_equal(c.tls.cert[0], '/');
    assert_non_null(strstr(c.tls.cert, "/papers/cert.pem"));
    check_ok(conduct_change(&c, &own, &why), why);
    assert_int_equal(c.places.items[0].n, 0);
}

static void one_pitwall_sits_at_an_experiment(void **state)
{
    (void)state;
    char path[] = "/tmp/pitwall-guard-XXXXXX";
    int file = mkstemp(path), first = -1, second = -1, other = -1;
    assert_true(file >= 0);
    assert_false(guard_held(path, 7));
    check_ok(guard_take(path, 7, &first, &why), why);
    assert_true(guard_held(path, 7));
    check_err(guard_take(path, 7, &second, &why), ERR_BUSY);
    check_says(why, "experiment 7 is being run by another pitwall");
    check_ok(guard_take(path, 8, &other, &why), why);
    (void)close(first);
    assert_false(guard_held(path, 7));
    check_ok(guard_take(path, 7, &second, &why), why);
    (void)close(second);
    (void)close(other);
    (void)close(file);
    (void)unlink(path);
    check_err(guard_take(path, 7, &first, &why), ERR_NOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_benches_are_kept),
        cmocka_unit_test(what_was_said_is_read_back),
        cmocka_unit_test(stores_of_before_have_the_defaults),
        cmocka_unit_test(later_options_change_what_they_name),
        cmocka_unit_test(one_pitwall_sits_at_an_experiment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
