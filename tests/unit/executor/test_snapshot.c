#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/executor/snapshot.h"
#include "tests/lib/check.h"

static char told[4][200];
static unsigned n_told;

static void tell(void *ctx, const char *difference)
{
    (void)ctx;
    if (n_told < 4)
        (void)snprintf(told[n_told], sizeof told[0], "%s", difference);
    n_told++;
}

static unsigned compare(const char *a, const char *b)
{
    const struct snapshot x = {.text = (char *)(uintptr_t)a};
    const struct snapshot y = {.text = (char *)(uintptr_t)b};
    n_told = 0;
    unsigned n = snapshot_compare(&x, &y, tell, NULL);
    assert_int_equal(n, n_told);
    return n;
}

static void snapshot_compare_tells_each_difference_once(void **state)
{
    (void)state;
    assert_int_equal(compare("", ""), 0);
    assert_int_equal(compare("a=1\nb=2\n", "b=2\na=1\n"), 0);
    assert_int_equal(compare("a=1\nab=2\nc=3\n", "a=10\nab=2\nd=4\n"), 3);
    assert_string_equal(told[0], "a: \"1\" -> \"10\"");
    assert_string_equal(told[1], "c: is gone");
    assert_string_equal(told[2], "d: was not there before");
}

static struct snapshot take(const struct config *config)
{
    struct snapshot s;
    struct why why = {0};
    check_ok(snapshot_take(&s, config, &why), why);
    return s;
}

static void snapshot_has_what_the_configuration_allows_and_links(void **state)
{
    const struct config config = {
        .sysctls = {"net.ipv4.tcp_s*", "net.ipv4.conf.lo.*", "kernel.*"},
        .n_sysctls = 3};
    (void)state;
    struct snapshot s = take(&config), again = take(&config);
    assert_non_null(strstr(s.text, "net.ipv4.tcp_sack="));
    assert_non_null(strstr(s.text, "net.ipv4.conf.lo.rp_filter="));
    assert_non_null(strstr(s.text, "link lo=mtu 65536 "));
    assert_null(strstr(s.text, "net.ipv4.tcp_rmem="));
    assert_null(strstr(s.text, "ns_last_pid"));
    assert_null(strstr(s.text, "kernel.random."));
    assert_false(s.cut);
    n_told = 0;
    assert_int_equal(snapshot_compare(&s, &again, tell, NULL), 0);
    snapshot_free(&s);
    snapshot_free(&again);
}

/* In a namespace of its own: a setting and a link that stay changed. */
static int changes_are_seen(void)
{
    const struct config config = {.sysctls = {"net.ipv4.tcp_*"},
                                  .n_sysctls = 1};
    struct snapshot before = take(&config);
    if (system("sysctl -qw net.ipv4.tcp_sack=0 && "
               "ip link set lo mtu 1500"))
        return 1;
    struct snapshot after = take(&config);
    n_told = 0;
    (void)snapshot_compare(&before, &after, tell, NULL);
    snapshot_free(&before);
    snapshot_free(&after);
    return n_told == 2 &&
                   !strcmp(told[0], "net.ipv4.tcp_sack: \"1\" -> \"0\"") &&
                   strstr(told[1], "link lo: \"mtu 65536 ") &&
                   strstr(told[1], "-> \"mtu 1500 ")
               ? 0
               : 2;
}

static void snapshot_sees_what_was_not_put_back(void **state)
{
    int status = 0;
    (void)state;
    pid_t pid = fork();
    if (pid == 0)
        _exit(unshare(CLONE_NEWNET) ? 77 : changes_are_seen());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WEXITSTATUS(status) == 77) {
        print_message("SKIPPED: no right to make namespaces here\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snapshot_compare_tells_each_difference_once),
        cmocka_unit_test(snapshot_has_what_the_configuration_allows_and_links),
        cmocka_unit_test(snapshot_sees_what_was_not_put_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
