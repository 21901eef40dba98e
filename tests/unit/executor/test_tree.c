#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/tree.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

static void tree_remove_takes_all_but_what_links_lead_to(void **state)
{
    const struct scratch *s = *state;
    struct why why;
    struct stat st;
    char text[10];
    scratch_write(s, "kept", "x", 1);
    assert_int_equal(mkdirat(s->fd, "outside", 0700), 0);
    scratch_write(s, "outside/kept", "y", 1);
    assert_int_equal(mkdirat(s->fd, "t", 0700), 0);
    assert_int_equal(mkdirat(s->fd, "t/sub", 0700), 0);
    scratch_write(s, "t/sub/file", "z", 1);
    assert_int_equal(symlinkat("../outside", s->fd, "t/link"), 0);
    check_ok(tree_remove(s->fd, "t", &why), why);
    assert_int_equal(fstatat(s->fd, "t", &st, 0), -1);
    scratch_read(s, "kept", text, sizeof text);
    assert_string_equal(text, "x");
    scratch_read(s, "outside/kept", text, sizeof text);
    assert_string_equal(text, "y");
}

static void tree_remove_of_nothing_is_fine(void **state)
{
    const struct scratch *s = *state;
    struct why why;
    check_ok(tree_remove(s->fd, "absent", &why), why);
}

static void tree_remove_refuses_what_is_too_deep(void **state)
{
    const struct scratch *s = *state;
    struct why why;
    char path[256] = "d";
    for (int i = 0; i < 40; i++) {
        assert_int_equal(mkdirat(s->fd, path, 0700), 0);
        strcat(path, "/d");
    }
    check_err(tree_remove(s->fd, "d", &why), ERR_RANGE);
    check_says(why, "more than 32 folders deep");
    /* So that the scratch folder can go: the lower part first. */
    path[2 * 20 - 1] = '\0';
    check_ok(tree_remove(s->fd, path, &why), why);
}

#define IN_SCRATCH(test)                                                       \
    cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(tree_remove_takes_all_but_what_links_lead_to),
        IN_SCRATCH(tree_remove_of_nothing_is_fine),
        IN_SCRATCH(tree_remove_refuses_what_is_too_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
