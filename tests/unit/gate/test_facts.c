#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/gate/facts.h"
#include "tests/lib/check.h"
#include "tests/unit/gate/tree.h"

static void write_machine(const char *root)
{
    char link[256];
    tree_write(root, "proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    tree_write(root, "proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
    tree_write(root, "proc/sys/net/ipv4/tcp_congestion_control", "bbr\n");
    tree_write(root, "proc/cpuinfo",
               "processor : 0\nmodel name : Xeon\nprocessor : 1\n");
    tree_write(root, "proc/meminfo", "MemTotal: 2 kB\nSwapTotal: 0 kB\n");
    tree_write(root, "etc/os-release", "PRETTY_NAME=\"Debian 12\"\n");
    tree_write(root, "sys/kernel/mm/transparent_hugepage/enabled",
               "always [madvise] never\n");
    tree_write(root, "sys/devices/system/node/online", "0-1\n");
    tree_write(root, "sys/class/net/eth0/mtu", "1500\n");
    tree_write(root, "sys/class/net/eth0/speed", "10000\n");
    tree_write(root, "sys/class/net/eth0/device/x", "x");
    tree_write(root, "sys/class/net/lo/mtu", "65536\n");
    tree_write(root, "sys/class/net/lo/speed", "-1\n");
    (void)snprintf(link, sizeof link, "%s/sys/class/net/eth0/device/driver",
                   root);
    assert_int_equal(symlink("../../../bus/pci/drivers/ixgbe", link), 0);
}

static void facts_collect_reads_a_machine(void **state)
{
    (void)state;
    char *root = tree_make();
    struct facts *f = calloc(1, sizeof *f);
    write_machine(root);
    facts_collect(f, root);
    assert_int_equal(f->cpus, 2);
    assert_int_equal(f->memory_bytes, 2048);
    assert_string_equal(f->text, "kernel=6.1.0-18-amd64\n"
                                 "tcp_rmem=4096 131072 6291456\n"
                                 "congestion=bbr\n"
                                 "cpu_model=Xeon\n"
                                 "cpus=2\n"
                                 "hypervisor=no\n"
                                 "memory_bytes=2048\n"
                                 "swap_bytes=0\n"
                                 "distribution=Debian 12\n"
                                 "thp=madvise\n"
                                 "numa_nodes=2\n"
                                 "nic.eth0=mtu=1500 speed=10000 driver=ixgbe\n"
                                 "nic.lo=mtu=65536\n");
    assert_int_equal(f->len, strlen(f->text));
    free(f);
    tree_remove(root);
}

static void facts_collect_leaves_out_what_is_not_there(void **state)
{
    (void)state;
    char *root = tree_make();
    struct facts *f = calloc(1, sizeof *f);
    facts_collect(f, root);
    assert_int_equal(f->cpus, 1);
    assert_int_equal(f->memory_bytes, 0);
    assert_string_equal(f->text, "");
    free(f);
    tree_remove(root);
}

static void facts_collect_reads_this_machine(void **state)
{
    (void)state;
    struct facts *f = calloc(1, sizeof *f);
    facts_collect(f, "");
    assert_true(f->cpus >= 1);
    assert_true(f->memory_bytes > 1 << 20);
    assert_non_null(strstr(f->text, "kernel="));
    assert_non_null(strstr(f->text, "\ntcp_rmem="));
    assert_non_null(strstr(f->text, "\ncongestion="));
    free(f);
}

static void facts_add_keeps_to_one_line(void **state)
{
    (void)state;
    struct facts *f = calloc(1, sizeof *f);
    facts_add(f, "a", " \tx\ny\x01z \n");
    facts_add(f, "empty", "");
    facts_add(f, "blank", " \n");
    assert_string_equal(f->text, "a=x y z\n");
    free(f);
}

static void facts_add_lines_takes_those_with_a_name_and_a_value(void **state)
{
    (void)state;
    struct facts *f = calloc(1, sizeof *f);
    facts_add_lines(f, "a.b=1 = 2\nno value\n\nc=\n=d\ne=last");
    assert_string_equal(f->text, "a.b=1 = 2\ne=last\n");
    free(f);
}

static void facts_add_cuts_values_and_stops_when_full(void **state)
{
    (void)state;
    struct facts *f = calloc(1, sizeof *f);
    char value[2000];
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    /* Each line is n= and 1000 bytes and an end: 16 of 1003 fit into 16384. */
    for (int i = 0; i < 100; i++)
        facts_add(f, "n", value);
    assert_int_equal(f->len, 16 * 1003);
    facts_add(f, "last", "fits");
    assert_int_equal(f->len, 16 * 1003 + 10);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_collect_reads_a_machine),
        cmocka_unit_test(facts_collect_leaves_out_what_is_not_there),
        cmocka_unit_test(facts_collect_reads_this_machine),
        cmocka_unit_test(facts_add_keeps_to_one_line),
        cmocka_unit_test(facts_add_lines_takes_those_with_a_name_and_a_value),
        cmocka_unit_test(facts_add_cuts_values_and_stops_when_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
