#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/counter.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

static void counter_begins_at_one_and_grows(void **state)
{
    const struct scratch *s = *state;
    struct why why;
    uint64_t n = 0;
    char text[40];
    check_ok(counter_next(s->fd, "epoch", &n, &why), why);
    assert_int_equal(n, 1);
    check_ok(counter_next(s->fd, "epoch", &n, &why), why);
    assert_int_equal(n, 2);
    scratch_read(s, "epoch", text, sizeof text);
    assert_string_equal(text, "2\n");
    scratch_read(s, "epoch.new", text, sizeof text);
    assert_string_equal(text, "");
}

static void counter_refuses_a_file_without_a_number(void **state)
{
    static const char *const bad[] = {"", "x\n", "-1\n", "1 2\n",
                                      "18446744073709551615\n"};
    const struct scratch *s = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct why why;
        uint64_t n = 77;
        scratch_write(s, "epoch", bad[i], strlen(bad[i]));
        check_err(counter_next(s->fd, "epoch", &n, &why), ERR_CORRUPT);
        check_says(why, "epoch: \"");
        assert_int_equal(n, 77);
    }
}

static void counter_replace_swaps_the_whole_file(void **state)
{
    const struct scratch *s = *state;
    struct why why;
    char text[40];
    scratch_write(s, "f", "old and longer", 14);
    check_ok(counter_replace(s->fd, "f", "new", 3, &why), why);
    scratch_read(s, "f", text, sizeof text);
    assert_string_equal(text, "new");
}

static void counter_replace_leaves_the_old_file_when_it_fails(void **state)
{
    const struct scratch *s = *state;
    struct why why;
    /* A folder of the new file's name is in the way. */
    assert_int_equal(mkdirat(s->fd, "f.new", 0700), 0);
    scratch_write(s, "f", "old", 3);
    char text[40];
    assert_int_not_equal(counter_replace(s->fd, "f", "new", 3, &why), ERR_OK);
    check_says(why, "create f.new: Is a directory");
    scratch_read(s, "f", text, sizeof text);
    assert_string_equal(text, "old");
}

#define IN_SCRATCH(test)                                                       \
    cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(counter_begins_at_one_and_grows),
        IN_SCRATCH(counter_refuses_a_file_without_a_number),
        IN_SCRATCH(counter_replace_swaps_the_whole_file),
        IN_SCRATCH(counter_replace_leaves_the_old_file_when_it_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
