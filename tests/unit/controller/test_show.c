#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "controller/interrupt.h"
#include "controller/show.h"
#include "tests/lib/check.h"

static struct grid grid;
static struct why why;

static int begin(void **state)
{
    (void)state;
    grid_init(&grid);
    grid_column(&grid, "n", "", true);
    grid_value(&grid, grid_row(&grid), 0, 18, "18");
    return 0;
}

static int end(void **state)
{
    (void)state;
    grid_fini(&grid);
    return 0;
}

static void file_is(const char *path, const char *want)
{
    char got[256];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    got[fread(got, 1, sizeof got - 1, f)] = '\0';
    (void)fclose(f);
    assert_string_equal(got, want);
}

static void a_grid_goes_into_a_file(void **state)
{
    (void)state;
    check_ok(show_grid(&grid, TABLE_CSV, "out.csv", &why), why);
    file_is("out.csv", "n\n18\n");
    assert_int_equal(access("out.csv.part", F_OK), -1);
}

static void a_file_is_replaced_whole(void **state)
{
    (void)state;
    FILE *f = fopen("out.csv", "w");
    assert_non_null(f);
    (void)fputs("something longer that stood there before\n", f);
    (void)fclose(f);
    check_ok(show_grid(&grid, TABLE_CSV, "out.csv", &why), why);
    file_is("out.csv", "n\n18\n");
    (void)unlink("out.csv");
}

static void a_file_that_cannot_be_written_leaves_nothing(void **state)
{
    (void)state;
    check_err(show_grid(&grid, TABLE_CSV, "nowhere/out.csv", &why),
              ERR_NOTFOUND);
    assert_string_equal(why.text,
                        "write nowhere/out.csv: No such file or directory");
    check_err(show_grid(&grid, TABLE_CSV, "/dev/full/x", &why), ERR_IO);
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    assert_int_equal(symlink("/dev/full", "full.part"), 0);
    check_err(show_grid(&grid, TABLE_CSV, "full", &why), ERR_NOSPACE);
    assert_string_equal(why.text, "write full: No space left on device");
    assert_int_equal(access("full", F_OK), -1);
    assert_int_equal(access("full.part", F_OK), -1);
}

static void signals_are_counted_not_obeyed(void **state)
{
    (void)state;
    int fd = -1;
    check_ok(interrupt_open(&fd, &why), why);
    assert_int_equal(interrupt_take(fd), 0);
    (void)raise(SIGINT);
    (void)raise(SIGTERM);
    (void)raise(SIGPIPE);
    assert_int_equal(interrupt_take(fd), 2);
    assert_int_equal(interrupt_take(fd), 0);
    (void)close(fd);
}

int main(void)
{
    char folder[] = "/tmp/pitwall-show-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder))
        return 1;
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(a_grid_goes_into_a_file),
        CASE(a_file_is_replaced_whole),
        CASE(a_file_that_cannot_be_written_leaves_nothing),
        CASE(a_full_disk_is_told),
        CASE(signals_are_counted_not_obeyed),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    return rmdir(folder) ? 1 : rc;
}
