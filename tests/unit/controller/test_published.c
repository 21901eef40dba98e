/* What is held against ours stands in the published tables: argv[1] is the
 * source tree. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "controller/file.h"
#include "controller/published.h"
#include "results/foreign_read.h"
#include "results/metric.h"
#include "tests/lib/check.h"

static const char *root;

static double value(const struct published *p, const char *cell)
{
    struct why why = {""};
    struct foreign table;
    char path[1024], *text = NULL;
    size_t len = 0;
    (void)snprintf(path, sizeof path, "%s/tracks/published/%s.csv", root,
                   p->table);
    check_ok(file_read(path, FOREIGN_FILE_MAX, &text, &len, &why), why);
    check_ok(foreign_read(&table, path, text, len, NULL, &why), why);
    double v = published_value(&table, cell, p->metric);
    foreign_fini(&table);
    free(text);
    return v;
}

static void every_figure_stands_in_its_table(void **state)
{
    (void)state;
    const struct published *p;
    char path[1024];
    for (size_t i = 0; (p = published_at(i)); i++) {
        (void)snprintf(path, sizeof path, "%s/tracks/experiments/%s.json", root,
                       p->experiment);
        assert_int_equal(access(path, R_OK), 0);
        assert_non_null(metric_find(p->our_metric));
        if (p->table &&
            (isnan(value(p, p->base)) || isnan(value(p, p->contender))))
            fail_msg("%s: %s", p->experiment, p->says);
    }
}

static void figures_are_those_of_the_table(void **state)
{
    (void)state;
    const struct published *p = published_at(0);
    assert_string_equal(p->experiment, "loopback-vs-ethernet");
    assert_true(value(p, p->base) == 78e9);
    assert_true(value(p, p->contender) == 2.13e12);
    assert_true(isnan(value(p, "link=loopback")));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_stands_in_its_table),
        cmocka_unit_test(figures_are_those_of_the_table)};
    if (argc < 2)
        return 1;
    root = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
