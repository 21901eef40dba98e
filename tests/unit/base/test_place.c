#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/place.h"
#include "tests/lib/check.h"

/* This test's own program stands beside itself. */
static void place_program_finds_what_stands_beside(void **state)
{
    (void)state;
    char path[PATH_MAX];
    struct why why = {0};
    check_ok(place_program("test_place", path, sizeof path, &why), why);
    assert_int_equal(path[0], '/');
    assert_int_equal(access(path, X_OK), 0);
    assert_string_equal(strrchr(path, '/'), "/test_place");
}

static void place_program_names_what_it_cannot_find(void **state)
{
    (void)state;
    char path[PATH_MAX];
    struct why why = {0};
    check_err(place_program("pitwall-nothing", path, sizeof path, &why),
              ERR_NOTFOUND);
    check_says(why, "pitwall-nothing");
    check_says(why, "not found from /");
    /* Found, but the caller's buffer is too small. */
    check_err(place_program("test_place", path, 4, &why), ERR_NOTFOUND);
}

static void place_data_prefers_the_working_directory(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_place.XXXXXX", path[PATH_MAX];
    char file[sizeof folder + 16], before[PATH_MAX];
    struct why why = {0};
    assert_non_null(getcwd(before, sizeof before));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    (void)snprintf(file, sizeof file, "%s/README.md", folder);
    int fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    (void)close(fd);
    check_ok(place_data("README.md", path, sizeof path, &why), why);
    assert_string_equal(path, file);
    assert_int_equal(unlink(file), 0);
    check_err(place_data("no/such.json", path, sizeof path, &why),
              ERR_NOTFOUND);
    check_says(why, "no/such.json");
    why = (struct why){0};
    /* From an empty place: the source tree that this was built from. */
    check_ok(place_data("meson.build", path, sizeof path, &why), why);
    assert_int_equal(access(path, R_OK), 0);
    assert_string_equal(why.text, ""); /* of the places tried before */
    assert_int_equal(chdir(before), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(place_program_finds_what_stands_beside),
        cmocka_unit_test(place_program_names_what_it_cannot_find),
        cmocka_unit_test(place_data_prefers_the_working_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
