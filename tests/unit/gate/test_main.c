/* The real program's command line and what it needs to start. */
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/port.h"
#include "tests/lib/check.h"

/* Exit status of a gate with this command line and this port (-1: none). */
static int status_of(char **argv, int port)
{
    pid_t pid = 0;
    int status = -1, high = port < 0 ? -1 : fcntl(port, F_DUPFD_CLOEXEC, 20);
    posix_spawn_file_actions_t actions;
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(
        high < 0 ? posix_spawn_file_actions_addclose(&actions, PORT_FD)
                 : posix_spawn_file_actions_adddup2(&actions, high, PORT_FD),
        0);
    assert_int_equal(posix_spawn(&pid, getenv("PITWALL_GATE"), &actions, NULL,
                                 argv, environ),
                     0);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (high >= 0)
        (void)close(high);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void gate_refuses_command_lines_that_are_wrong(void **state)
{
    (void)state;
    char *none[] = {"pitwall-gate", NULL};
    char *more[] = {"pitwall-gate", "--listen", "ipc:///x", "y", NULL};
    char *unknown[] = {"pitwall-gate", "--listen", "ipc:///x", "--fast", NULL};
    char *help[] = {"pitwall-gate", "--help", NULL};
    char *version[] = {"pitwall-gate", "--version", NULL};
    assert_int_equal(status_of(none, -1), 2);
    assert_int_equal(status_of(more, -1), 2);
    assert_int_equal(status_of(unknown, -1), 2);
    assert_int_equal(status_of(help, -1), 0);
    assert_int_equal(status_of(version, -1), 0);
}

static void gate_needs_its_port(void **state)
{
    (void)state;
    char *argv[] = {"pitwall-gate", "--listen", "ipc:///tmp/pitwall-no", NULL};
    assert_int_equal(status_of(argv, -1), 1);
}

/* The executor's answer waits in the socket already. */
static int status_with_url(char *url)
{
    int pair[2];
    struct why why = {0};
    const struct port_reply facts = {.incarnation = 1};
    char *argv[] = {"pitwall-gate", "--listen", url, NULL};
    assert_int_equal(
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    check_ok(port_send(pair[0], &facts, sizeof facts, -1, &why), why);
    int status = status_of(argv, pair[1]);
    (void)close(pair[0]);
    (void)close(pair[1]);
    return status;
}

static void gate_refuses_urls_that_it_may_not_listen_on(void **state)
{
    (void)state;
    assert_int_equal(status_with_url("tcp://127.0.0.1:7411"), 2);
    assert_int_equal(status_with_url("tls+tcp://127.0.0.1:7411"), 2);
    assert_int_equal(status_with_url("ipc:///nonexistent/folder/s"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gate_refuses_command_lines_that_are_wrong),
        cmocka_unit_test(gate_needs_its_port),
        cmocka_unit_test(gate_refuses_urls_that_it_may_not_listen_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
