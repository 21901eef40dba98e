#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/executor/children.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

static pid_t sleeper(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        (void)setsid();
        (void)sleep(60);
        _exit(0);
    }
    assert_true(pid > 0);
    return pid;
}

static void children_that_live_are_ended_once(void **state)
{
    const struct scratch *s = *state;
    char text[200];
    int status = 0;
    pid_t one = sleeper(), two = sleeper();
    children_note(s->fd, one);
    children_note(s->fd, two);
    assert_int_equal(children_end(s->fd), 2);
    assert_int_equal(waitpid(one, &status, 0), one);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    assert_int_equal(waitpid(two, &status, 0), two);
    scratch_read(s, CHILDREN_NAME, text, sizeof text);
    assert_string_equal(text, "");
    assert_int_equal(children_end(s->fd), 0);
}

static void children_that_have_ended_are_not_others(void **state)
{
    const struct scratch *s = *state;
    char text[200], other[300];
    pid_t gone = sleeper(), lives = sleeper();
    children_note(s->fd, gone);
    (void)kill(gone, SIGKILL);
    /* A zombie is nobody to end, and nobody to note. */
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)gone, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(children_end(s->fd), 0);
    children_note(s->fd, gone);
    scratch_read(s, CHILDREN_NAME, text, sizeof text);
    assert_string_equal(text, "");
    (void)waitpid(gone, NULL, 0);
    /* The number of one that lives, but of another start, another boot; a
     * torn line; none at all. */
    children_note(s->fd, lives);
    scratch_read(s, CHILDREN_NAME, text, sizeof text);
    size_t n = strlen(text);
    (void)snprintf(other, sizeof other, "%.*s9\n", (int)n - 1, text);
    scratch_write(s, CHILDREN_NAME, other, strlen(other));
    assert_int_equal(children_end(s->fd), 0);
    (void)snprintf(other, sizeof other, "%c%s", text[0] == 'a' ? 'b' : 'a',
                   text + 1);
    scratch_write(s, CHILDREN_NAME, other, strlen(other));
    assert_int_equal(children_end(s->fd), 0);
    scratch_write(s, CHILDREN_NAME, text, n - 1);
    assert_int_equal(children_end(s->fd), 0);
    scratch_write(s, CHILDREN_NAME, "no line of ours\n\n1 2 3 4\n", 26);
    assert_int_equal(children_end(s->fd), 0);
    assert_int_equal(kill(lives, 0), 0);
    (void)kill(lives, SIGKILL);
    (void)waitpid(lives, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(children_that_live_are_ended_once,
                                        scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(children_that_have_ended_are_not_others,
                                        scratch_open, scratch_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
