/* Facts of the loopback of this machine and of a veth in a cage, and of a /sys
 * that is a tree of files of the test's own. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/link.h"
#include "agent/executor/machine_facts.h"
#include "agent/executor/nic_facts.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

static struct notes notes;

static const char *value_of(const char *name)
{
    static char value[NOTE_VALUE_MAX];
    char found[NOTE_NAME_MAX];
    size_t at = 0;
    while (notes_next(&notes, &at, found, value))
        if (!strcmp(found, name))
            return value;
    fail_msg("there is no %s in\n%s", name, notes.text);
    return NULL;
}

static void is(const char *name, const char *value)
{
    assert_string_equal(value_of(name), value);
}

/* A file below the scratch folder, with the folders on the way. */
static void write_file(const struct scratch *s, const char *path,
                       const char *text)
{
    char full[512];
    (void)snprintf(full, sizeof full, "%s%s", s->path, path);
    for (char *c = full + strlen(s->path) + 1; *c; c++)
        if (*c == '/') {
            *c = '\0';
            (void)mkdir(full, 0755);
            *c = '/';
        }
    FILE *out = fopen(full, "we");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void notes_are_read_back_as_they_were_added(void **state)
{
    (void)state;
    char name[NOTE_NAME_MAX], value[NOTE_VALUE_MAX], word[NOTE_VALUE_MAX] = "";
    size_t at = 0;
    notes.used = 0;
    notes_add(&notes, "a", "%d = %s", 1, "two\nlines");
    notes_add(&notes, "b", "%s", "");
    assert_true(notes_next(&notes, &at, name, value));
    assert_string_equal(name, "a");
    assert_string_equal(value, "1 = two lines");
    assert_true(notes_next(&notes, &at, name, value));
    assert_string_equal(name, "b");
    assert_string_equal(value, "");
    assert_false(notes_next(&notes, &at, name, value));
    /* A list that is too long says so, a list of lists is bounded. */
    for (int i = 0; i < 500; i++)
        (void)notes_word(word, "%s", "abc");
    assert_true(strlen(word) < NOTE_VALUE_MAX);
    assert_string_equal(word + strlen(word) - 8, " abc ...");
    for (int i = 0; i < 20; i++)
        notes_add(&notes, "list", "%s", word);
    assert_true(notes.used < NOTES_MAX);
    assert_int_equal(notes.text[notes.used - 1], '\n');
}

static void
nic_facts_of_a_card_come_from_its_queues_and_interrupts(void **state)
{
    const struct scratch *s = *state;
    char link[600];
    write_file(s, "/sys/class/net/lo/queues/rx-0/rps_cpus", "3\n");
    write_file(s, "/sys/class/net/lo/queues/rx-10/rps_cpus", "0\n");
    write_file(s, "/sys/class/net/lo/queues/rx-2/rps_cpus", "c\n");
    write_file(s, "/sys/class/net/lo/queues/tx-0/xps_cpus", "f\n");
    write_file(s, "/sys/bus/virtio2/name", "");
    write_file(s, "/sys/bus/msi_irqs/38", "msix\n");
    write_file(s, "/sys/bus/msi_irqs/39", "msix\n");
    write_file(s, "/proc/irq/38/smp_affinity_list", "0-1\n");
    write_file(s, "/proc/irq/39/smp_affinity_list", "1\n");
    (void)snprintf(link, sizeof link, "%s/sys/class/net/lo/device", s->path);
    assert_int_equal(symlink("../../../bus/virtio2", link), 0);
    notes.used = 0;
    nic_facts_add(&notes, "lo", s->path);
    is("interface.dev", "lo");
    is("interface.mtu", "65536");
    is("interface.rps", "rx-0=3 rx-2=c rx-10=0");
    is("interface.irq", "38=0-1 39=1");
    /* What lo's driver does not have. */
    is("interface.speed", "not supported");
    is("interface.duplex", "not supported");
    is("interface.rings", "not supported");
    is("interface.coalesce", "not supported");
    assert_non_null(
        strstr(value_of("interface.offloads"), "tx-tcp-segmentation"));
    assert_non_null(strstr(value_of("interface.features"), "loopback"));
}

static void nic_facts_of_no_interface_say_why_there_are_none(void **state)
{
    const struct scratch *s = *state;
    notes.used = 0;
    nic_facts_add(&notes, "nosuch0", s->path);
    is("interface.mtu", "No such device");
    is("interface.driver", "No such device");
    is("interface.rps", "/sys does not show this interface");
    is("interface.irq", "not supported");
}

static void nic_facts_of_a_veth_are_those_of_its_own_network(void **state)
{
    (void)state;
    struct trial_spec spec = {.link_kind = "veth", .link_mtu = 1400};
    struct cage target = CAGE_NONE, load = CAGE_NONE;
    struct link_plan plan;
    struct link_state made;
    struct why why = {0};
    if (cage_open(&target, CAGE_NAMESPACES, NULL, NULL, &why) ||
        cage_open(&load, CAGE_NAMESPACES, NULL, NULL, &why)) {
        print_message("SKIPPED: no namespaces here: %s\n", why.text);
        cage_close(&target);
        skip();
    }
    check_ok(link_plan_make(&plan, &spec, &why), why);
    check_ok(link_make(&plan, &target, &load, &made, &why), why);
    notes.used = 0;
    check_ok(nic_facts_of(&load, "veth1", &notes, &why), why);
    is("interface.mtu", "1400");
    assert_non_null(strstr(value_of("interface.driver"), "veth "));
    is("interface.rings", "not supported");
    is("interface.irq", "not supported");
    assert_int_equal(strncmp(value_of("interface.rps"), "rx-0=0", 6), 0);
    cage_close(&load);
    cage_close(&target);
}

static void machine_facts_say_what_is_not_there(void **state)
{
    const struct scratch *s = *state;
    static const char *const names[] = {
        "machine.governor",      "machine.turbo",      "machine.thp",
        "machine.swap",          "machine.swappiness", "machine.numa_nodes",
        "machine.numa_balancing"};
    notes.used = 0;
    machine_facts_add(&notes, s->path);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is(names[i], "not there");
}

#define CPU  "/sys/devices/system/cpu"
#define NODE "/sys/devices/system/node"

static void machine_facts_read_what_is_in_force(void **state)
{
    const struct scratch *s = *state;
    static const char swaps[] = "Filename Type Size Used Priority\n";
    write_file(s, CPU "/cpufreq/policy0/scaling_governor", "powersave\n");
    write_file(s, CPU "/cpufreq/policy1/scaling_governor", "powersave\n");
    write_file(s, CPU "/intel_pstate/no_turbo", "1\n");
    write_file(s, "/sys/kernel/mm/transparent_hugepage/enabled",
               "always [madvise] never\n");
    write_file(s, "/proc/swaps", swaps);
    write_file(s, "/proc/sys/vm/swappiness", "60\n");
    write_file(s, "/proc/sys/kernel/numa_balancing", "0\n");
    write_file(s, NODE "/node0/cpulist", "0-3\n");
    write_file(s, NODE "/node1/cpulist", "4-7\n");
    notes.used = 0;
    machine_facts_add(&notes, s->path);
    is("machine.governor", "powersave");
    is("machine.turbo", "off");
    is("machine.thp", "madvise");
    is("machine.swap", "none");
    is("machine.swappiness", "60");
    is("machine.numa_nodes", "node0=0-3 node1=4-7");
    is("machine.numa_balancing", "0");
    /* The other way to switch turbo, policies that differ, and swap. */
    char path[600];
    (void)snprintf(path, sizeof path, "%s%s", s->path,
                   CPU "/intel_pstate/no_turbo");
    assert_int_equal(unlink(path), 0);
    write_file(s, CPU "/cpufreq/boost", "1\n");
    write_file(s, CPU "/cpufreq/policy1/scaling_governor", "schedutil\n");
    write_file(s, "/proc/swaps",
               "Filename Type Size Used Priority\n"
               "/dev/vdb partition 2097148 512 -2\n"
               "/swap\\040file file 1024 0 -3\n");
    notes.used = 0;
    machine_facts_add(&notes, s->path);
    is("machine.governor", "powersave schedutil");
    is("machine.turbo", "on");
    is("machine.swap", "/dev/vdb (2097148 KiB, 512 used) "
                       "/swap\\040file (1024 KiB, 0 used)");
}

#define IN_SCRATCH(test)                                                       \
    cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_are_read_back_as_they_were_added),
        IN_SCRATCH(nic_facts_of_a_card_come_from_its_queues_and_interrupts),
        IN_SCRATCH(nic_facts_of_no_interface_say_why_there_are_none),
        cmocka_unit_test(nic_facts_of_a_veth_are_those_of_its_own_network),
        IN_SCRATCH(machine_facts_say_what_is_not_there),
        IN_SCRATCH(machine_facts_read_what_is_in_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
