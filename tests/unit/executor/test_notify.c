#include <stdio.h>
#include <unistd.h>

#include "agent/executor/notify.h"
#include "common/clock.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

/* A manager's socket in the test's folder. */
static int listens(const struct scratch *s, char *path, size_t size)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    (void)snprintf(path, size, "%s/notify", s->path);
    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s/notify", s->path);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static void hears(int fd, const char *text)
{
    char got[100] = "";
    ssize_t n = recv(fd, got, sizeof got - 1, 0);
    if (n < 0)
        got[0] = '\0';
    assert_string_equal(got, text);
}

static void notify_says_ready_once_and_lives_by_the_clock(void **state)
{
    struct notify n;
    char path[100];
    int fd = listens(*state, path, sizeof path);
    notify_open(&n, path, "4000000");
    hears(fd, "");
    notify_ready(&n);
    notify_ready(&n);
    hears(fd, "READY=1");
    hears(fd, "");
    notify_alive(&n, 10 * NS_PER_S);
    hears(fd, "WATCHDOG=1");
    assert_true(n.due_ns == 12 * NS_PER_S); /* half of 4 s */
    notify_alive(&n, 12 * NS_PER_S - 1);
    hears(fd, "");
    notify_alive(&n, 12 * NS_PER_S);
    hears(fd, "WATCHDOG=1");
    notify_stopping(&n);
    hears(fd, "STOPPING=1");
    notify_close(&n);
    (void)close(fd);
}

static void notify_without_a_manager_says_nothing(void **state)
{
    static const char *const bad[] = {NULL, "", "x", "relative", "/"};
    struct notify n;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        notify_open(&n, bad[i], "1000000");
        assert_int_equal(n.fd, -1);
        assert_true(n.due_ns == UINT64_MAX);
        notify_ready(&n);
        notify_alive(&n, NS_PER_S);
        notify_close(&n);
    }
    /* A manager that wants no signs of life. */
    notify_open(&n, "@pitwall-test", "no number");
    assert_true(n.fd >= 0);
    assert_true(n.due_ns == UINT64_MAX);
    notify_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            notify_says_ready_once_and_lives_by_the_clock, scratch_open,
            scratch_close),
        cmocka_unit_test(notify_without_a_manager_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
