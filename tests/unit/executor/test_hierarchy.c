#include "agent/executor/hierarchy.h"
#include "tests/lib/check.h"

static struct hierarchy found[HIERARCHIES_MAX];

#define V2_MOUNT                                                               \
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"                                    \
    "25 22 0:22 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 "        \
    "rw,nsdelegate\n"

/* As Debian 12 boots. */
static void hierarchy_is_the_unified_one_where_there_is_no_other(void **state)
{
    (void)state;
    assert_int_equal(hierarchy_find("0::/system.slice/pitwall-agent.service\n",
                                    V2_MOUNT, found),
                     1);
    assert_true(found[0].v2);
    assert_int_equal(found[0].can, 0);
    assert_string_equal(found[0].path, "/sys/fs/cgroup/system.slice/"
                                       "pitwall-agent.service");
    assert_int_equal(found[0].mount, 14); /* "/sys/fs/cgroup" */
    assert_int_equal(hierarchy_find("0::/\n", V2_MOUNT, found), 1);
    assert_string_equal(found[0].path, "/sys/fs/cgroup");
}

static void hierarchy_finds_controllers_of_a_hybrid_machine(void **state)
{
    (void)state;
    assert_int_equal(
        hierarchy_find(
            "9:name=systemd:/\n8:pids:/\n6:freezer:/\n5:devices:/\n"
            "4:memory:/a/b\n2:cpuacct,cpu:/\n0::/\n",
            "32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
            "35 31 0:32 / /cg/memory rw,relatime - cgroup cgroup rw,memory\n"
            "37 31 0:34 / /cg/freezer rw - cgroup cgroup rw,freezer\n"
            "39 31 0:36 / /cg/pids rw - cgroup cgroup rw,pids\n"
            "40 31 0:37 / /cg/systemd rw - cgroup cgroup rw,name=systemd\n"
            "41 31 0:38 / /cg/unified rw - cgroup2 cgroup2 rw\n",
            found),
        5);
    assert_true(found[0].v2);
    assert_string_equal(found[0].path, "/cg/unified");
    assert_int_equal(found[1].can, HIERARCHY_PIDS);
    assert_int_equal(found[2].can, HIERARCHY_FREEZER);
    assert_int_equal(found[3].can, HIERARCHY_MEMORY);
    assert_string_equal(found[3].path, "/cg/memory/a/b");
    assert_int_equal(found[4].can, HIERARCHY_CPU);
    assert_string_equal(found[4].path, "/cg/cpu");
}

/* A container: the mount shows the hierarchy from the container's group on. */
static void hierarchy_takes_the_mounts_root_off_our_group(void **state)
{
    static const char mount[] = "50 22 0:22 /docker/1 /sys/fs/cg\\040a ro - "
                                "cgroup2 cgroup rw\n";
    (void)state;
    assert_int_equal(hierarchy_find("0::/docker/1/x\n", mount, found), 1);
    assert_string_equal(found[0].path, "/sys/fs/cg a/x");
    assert_int_equal(hierarchy_find("0::/docker/1\n", mount, found), 1);
    assert_string_equal(found[0].path, "/sys/fs/cg a");
    /* Others are not seen through it. */
    assert_int_equal(hierarchy_find("0::/docker/12\n", mount, found), 0);
    assert_int_equal(hierarchy_find("0::/user.slice\n", mount, found), 0);
    assert_int_equal(hierarchy_find("0::/../x\n", V2_MOUNT, found), 0);
}

static void hierarchy_passes_over_what_it_does_not_understand(void **state)
{
    static const char *const bad[] = {
        "", "\n\n", "0\n", "0:\n", "0::\n", ":::", "1:memory:", "7:memory:/a"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(hierarchy_find(bad[i], V2_MOUNT, found), 0);
    assert_int_equal(hierarchy_find("0::/\n", "", found), 0);
    assert_int_equal(
        hierarchy_find("0::/\n", "1 2 3 4 - cgroup2\n- - -", found), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hierarchy_is_the_unified_one_where_there_is_no_other),
        cmocka_unit_test(hierarchy_finds_controllers_of_a_hybrid_machine),
        cmocka_unit_test(hierarchy_takes_the_mounts_root_off_our_group),
        cmocka_unit_test(hierarchy_passes_over_what_it_does_not_understand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
