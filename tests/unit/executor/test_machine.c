/* A machine whose /sys/devices/system/cpu is a file system of the test's own,
 * in a mount namespace. Its governors' names are of one length, since a file
 * keeps what is longer than a write. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/machine.h"
#include "agent/executor/machine_facts.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

#define CPU  "/sys/devices/system/cpu"
#define BOOT "11111111-2222-3333-4444-555555555555"

static void write_governor(unsigned policy, const char *value)
{
    char path[100];
    (void)snprintf(path, sizeof path, CPU "/cpufreq/policy%u", policy);
    (void)mkdir(CPU "/cpufreq", 0755);
    (void)mkdir(path, 0755);
    (void)strcat(path, "/scaling_governor");
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_int_equal(write(fd, value, strlen(value)), (ssize_t)strlen(value));
    (void)close(fd);
}

static bool governor_is(unsigned policy, const char *value)
{
    char path[100], text[40] = "";
    (void)snprintf(path, sizeof path, CPU "/cpufreq/policy%u/scaling_governor",
                   policy);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(read(fd, text, sizeof text - 1) > 0);
    (void)close(fd);
    return !strcmp(text, value);
}

static void machine_settle_sets_governors_until_they_are_undone(void **state)
{
    struct scratch *s = *state;
    struct config config = {.governor = "powersave"};
    struct host h;
    struct why why = {0};
    write_governor(0, "schedutil");
    write_governor(1, "schedutil");
    check_ok(host_open(&h, s->fd, BOOT, 1, 0, &why), why);
    check_ok(machine_settle(&config, &h, s->fd, &why), why);
    assert_true(governor_is(0, "powersave") && governor_is(1, "powersave"));
    host_close(&h);
    check_ok(host_open(&h, s->fd, BOOT, 2, 0, &why), why);
    assert_true(governor_is(0, "schedutil") && governor_is(1, "schedutil"));
    host_close(&h);
}

static void write_switch(const char *path, const char *value)
{
    char folder[100];
    (void)snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    (void)mkdir(folder, 0755);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_int_equal(write(fd, value, strlen(value)), (ssize_t)strlen(value));
    (void)close(fd);
}

static char read_switch(const char *path)
{
    char c = '?';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, &c, 1), 1);
    (void)close(fd);
    return c;
}

static void machine_settle_sets_turbo_by_whichever_switch_there_is(void **state)
{
    struct scratch *s = *state;
    struct config config = {.turbo = "off"};
    struct host h;
    struct why why = {0};
    write_switch(MACHINE_BOOST, "1");
    check_ok(host_open(&h, s->fd, BOOT, 1, 0, &why), why);
    check_ok(machine_settle(&config, &h, s->fd, &why), why);
    assert_int_equal(read_switch(MACHINE_BOOST), '0');
    check_ok(host_undo(&h, &why), why);
    assert_int_equal(read_switch(MACHINE_BOOST), '1');
    /* The other way round, and first where both are there. */
    write_switch(MACHINE_NO_TURBO, "0");
    check_ok(machine_settle(&config, &h, s->fd, &why), why);
    assert_int_equal(read_switch(MACHINE_NO_TURBO), '1');
    assert_int_equal(read_switch(MACHINE_BOOST), '1');
    host_close(&h);
    check_ok(host_open(&h, s->fd, BOOT, 2, 0, &why), why);
    assert_int_equal(read_switch(MACHINE_NO_TURBO), '0');
    host_close(&h);
}

/* A file of the test's own is laid over the kernel's, which stays as it is. */
static void machine_settle_sets_swappiness_and_numa_balancing(void **state)
{
    static const char *const files[] = {"/proc/sys/vm/swappiness",
                                        "/proc/sys/kernel/numa_balancing"};
    struct scratch *s = *state;
    struct config config = {.swappiness = "1", .numa_balancing = "off"};
    struct host h;
    struct why why = {0};
    char path[100];
    for (int i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof path, "%s/file%d", s->path, i);
        write_switch(path, "9");
        assert_int_equal(mount(path, files[i], NULL, MS_BIND, NULL), 0);
    }
    check_ok(host_open(&h, s->fd, BOOT, 1, 0, &why), why);
    check_ok(machine_settle(&config, &h, s->fd, &why), why);
    assert_int_equal(read_switch(files[0]), '1');
    assert_int_equal(read_switch(files[1]), '0');
    check_ok(host_undo(&h, &why), why);
    assert_int_equal(read_switch(files[0]), '9');
    assert_int_equal(read_switch(files[1]), '9');
    host_close(&h);
    for (int i = 0; i < 2; i++)
        assert_int_equal(umount(files[i]), 0);
}

static void machine_settle_names_what_is_not_there(void **state)
{
    struct scratch *s = *state;
    struct config config = {.governor = "powersave"};
    struct host h;
    struct why why = {0};
    assert_int_equal(umount(CPU), 0);
    assert_int_equal(mount("none", CPU, "tmpfs", 0, NULL), 0);
    check_ok(host_open(&h, s->fd, BOOT, 1, 0, &why), why);
    check_err(machine_settle(&config, &h, s->fd, &why), ERR_NOTFOUND);
    check_says(why, "governor powersave: this machine has no processor");
    config = (struct config){.turbo = "off"};
    check_err(machine_settle(&config, &h, s->fd, &why), ERR_NOTFOUND);
    check_says(why, "turbo off: this machine has no processor whose turbo");
    config = (struct config){.governor = ""};
    check_ok(machine_settle(&config, &h, s->fd, &why), why);
    assert_int_equal(h.journal.bytes, 0);
    host_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            machine_settle_sets_governors_until_they_are_undone, scratch_open,
            scratch_close),
        cmocka_unit_test_setup_teardown(
            machine_settle_sets_turbo_by_whichever_switch_there_is,
            scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(
            machine_settle_sets_swappiness_and_numa_balancing, scratch_open,
            scratch_close),
        cmocka_unit_test_setup_teardown(machine_settle_names_what_is_not_there,
                                        scratch_open, scratch_close),
    };
    if (unshare(CLONE_NEWNS) ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", CPU, "tmpfs", 0, NULL)) {
        (void)fprintf(stderr, "SKIPPED: no right to make namespaces here; run "
                              "as root\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
