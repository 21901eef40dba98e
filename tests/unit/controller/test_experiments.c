/* Every shipped experiment can be read and planned: argv[1] is the source
 * tree. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "controller/options.h"
#include "controller/trials.h"
#include "tests/lib/check.h"

static const char *root;

/* Nothing that is shipped is more than a quarter of an hour's trials. */
#define TRIALS_MOST 140

static void plan(const char *path, bool test_mode)
{
    const struct options o = {.file = path};
    struct experiment *ex = NULL;
    struct trials *trials = NULL;
    struct why why = {""};
    check_ok(options_experiment(&o, &ex, &why), why);
    const char *base = strrchr(path, '/') + 1;
    assert_int_equal(strlen(base), strlen(ex->name) + strlen(".json"));
    assert_memory_equal(base, ex->name, strlen(ex->name));
    check_ok(trials_make(&trials, ex, test_mode, &why), why);
    assert_in_range(trials_count(trials), 1, TRIALS_MOST);
    trials_free(trials);
    free(ex);
}

static void every_shipped_experiment_can_be_planned(void **state)
{
    (void)state;
    char pattern[1024];
    glob_t found;
    (void)snprintf(pattern, sizeof pattern, "%s/tracks/experiments/*.json",
                   root);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_in_range(found.gl_pathc, 19, 100);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        plan(found.gl_pathv[i], false);
        plan(found.gl_pathv[i], true);
    }
    globfree(&found);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shipped_experiment_can_be_planned)};
    if (argc < 2)
        return 1;
    root = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
