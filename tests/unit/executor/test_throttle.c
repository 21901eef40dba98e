#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/throttle.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

static void make(const struct scratch *s, const char *name, const char *text)
{
    char folder[200];
    for (const char *at = name; (at = strchr(at, '/')); at++) {
        (void)snprintf(folder, sizeof folder, "%.*s", (int)(at - name), name);
        (void)mkdirat(s->fd, folder, 0700);
    }
    scratch_write(s, name, text, strlen(text));
}

static void throttle_adds_heat_of_all_processors(void **state)
{
    const struct scratch *s = *state;
    struct throttle t;
    make(s, "devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
         "2\n");
    make(s, "devices/system/cpu/cpu1/thermal_throttle/core_throttle_count",
         "3\n");
    make(s, "devices/system/cpu/cpu1/thermal_throttle/package_throttle_count",
         "10\n");
    throttle_read(&t, NULL, s->path);
    assert_int_equal(t.thermal, 15);
    assert_int_equal(t.quota_ns, 0);
    throttle_read(&t, NULL, "/nowhere");
    assert_int_equal(t.thermal, 0);
}

static void throttle_adds_quotas_from_our_group_up_to_the_mount(void **state)
{
    const struct scratch *s = *state;
    struct groups g = {.n = 1};
    struct throttle t;
    make(s, "cpu.stat", "nr_throttled 1\nthrottled_time 1\n");
    make(s, "mount/cpu.stat", "nr_throttled 1\nthrottled_time 20\n");
    make(s, "mount/a/cpu.stat", "nr_throttled 1\nthrottled_time 300\n");
    make(s, "mount/a/b/cpu.stat", "nr_throttled 1\nthrottled_time 4000\n");
    g.trees[0].can = HIERARCHY_CPU;
    (void)snprintf(g.trees[0].path, sizeof g.trees[0].path, "%s/mount/a/b",
                   s->path);
    g.trees[0].mount = strlen(s->path) + strlen("/mount");
    throttle_read(&t, &g, "/nowhere");
    assert_int_equal(t.quota_ns, 4320);
    /* v2 tells microseconds. */
    make(s, "mount/a/b/cpu.stat", "throttled_usec 7\n");
    g.trees[0].v2 = true;
    throttle_read(&t, &g, "/nowhere");
    assert_int_equal(t.quota_ns, 7000);
}

static void throttle_since_counts_what_came_after(void **state)
{
    const struct throttle a = {5, 100}, b = {7, 90};
    (void)state;
    struct throttle d = throttle_since(&a, &b);
    assert_int_equal(d.thermal, 2);
    assert_int_equal(d.quota_ns, 0); /* another group, of the same name */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(throttle_adds_heat_of_all_processors,
                                        scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(
            throttle_adds_quotas_from_our_group_up_to_the_mount, scratch_open,
            scratch_close),
        cmocka_unit_test(throttle_since_counts_what_came_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
