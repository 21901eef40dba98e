#include <math.h>
#include <string.h>

#include "results/compare.h"
#include "tests/unit/results/field.h"

#define MAX_CONTENDERS 3

static struct why why;

static enum err compare_with(struct lab *lab, const struct compare_options *in,
                             struct grid *g, struct compare_found *found)
{
    struct compare_options o = *in;
    o.margin_ratio = COMPARE_MARGIN;
    o.alpha = COMPARE_ALPHA;
    while (o.n_contenders < MAX_CONTENDERS && o.contenders[o.n_contenders])
        o.n_contenders++;
    grid_init(g);
    return answer_compare(lab->store, &o, g, found, &why);
}

static void compare(struct lab *lab, const struct compare_options *in,
                    struct grid *g, struct compare_found *found)
{
    check_ok(compare_with(lab, in, g, found), why);
}

static const char *at(const struct grid *g, size_t row, const char *column)
{
    for (size_t c = 0; c < g->n_columns; c++)
        if (!strcmp(g->columns[c].name, column))
            return g->cells[row * g->n_columns + c].text;
    fail_msg("no column %s", column);
    return "";
}

static double number_at(const struct grid *g, size_t row, const char *column)
{
    for (size_t c = 0; c < g->n_columns; c++)
        if (!strcmp(g->columns[c].name, column))
            return g->cells[row * g->n_columns + c].value;
    fail_msg("no column %s", column);
    return NAN;
}

static bool noted(const struct grid *g, const char *text)
{
    for (size_t i = 0; i < g->n_notes; i++)
        if (strstr(g->notes[i], text))
            return true;
    return false;
}

/* Vector paired-6, ten times as fast. */
static const struct field two = {"two", 2, 1, 6, false, 0};
static const double six[] = {11873, 12195, 12038, 12312, 11791, 12047,
                             11956, 12263, 12104, 12489, 11849, 12131};

static struct lab shared; /* that has run, for tests that only look */

static int begin(void **state)
{
    (void)state;
    lab_open(&shared);
    field_plan(&shared, &two);
    field_run(&shared, &two, six);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lab_fini(&shared);
    return 0;
}

static void cells_are_compared_block_by_block(void **state)
{
    (void)state;
    struct grid g;
    struct compare_found found;
    static const char *const up[] = {"1:heap=h1", NULL};
    static const char *const down[] = {"1:heap=h0", NULL};
    compare(&shared,
            &(struct compare_options){.base = "1:heap=h0",
                                      .contenders = up,
                                      .metrics = "throughput",
                                      .gated = true},
            &g, &found);
    assert_int_equal(g.n_rows, 1);
    assert_string_equal(at(&g, 0, "metric"), "throughput");
    assert_string_equal(at(&g, 0, "base"), "11935");
    assert_string_equal(at(&g, 0, "change"), "+2.5%");
    assert_string_equal(at(&g, 0, "95% interval"), "[+2.2%, +2.9%]");
    assert_string_equal(at(&g, 0, "p"), "<0.001");
    assert_string_equal(at(&g, 0, "blocks"), "6");
    assert_string_equal(at(&g, 0, "verdict"), "improved, >= 2%");
    assert_true(noted(&g, "base 1:heap=h0: 1 cell, 6 trials: 6 ok"));
    assert_true(noted(&g, "seed 42"));
    assert_string_equal(g.facts[0].name, "seed");
    assert_string_equal(g.facts[0].text, "42");
    assert_string_equal(g.facts[4].name, "looks");
    check_near(g.facts[4].value, 0, 0);
    assert_false(found.regressed || found.oom || found.failed);
    grid_fini(&g);
    compare(&shared,
            &(struct compare_options){.base = "two:heap=h1",
                                      .contenders = down,
                                      .metrics = "throughput"},
            &g, &found);
    assert_string_equal(at(&g, 0, "verdict"), "regressed, >= 2%");
    assert_true(found.regressed);
    grid_fini(&g);
}

static void programs_get_every_number(void **state)
{
    (void)state;
    struct grid g;
    struct compare_found found;
    static const char *const up[] = {"1:heap=h1", NULL};
    compare(&shared,
            &(struct compare_options){.base = "1:heap=h0",
                                      .contenders = up,
                                      .metrics = "throughput",
                                      .machine = true},
            &g, &found);
    /* The vector's, of values rounded to a tenth. */
    assert_true(fabs(number_at(&g, 0, "change") - 0.0254741689) < 1e-6);
    assert_true(fabs(number_at(&g, 0, "low") - 0.0216394315) < 1e-6);
    assert_true(fabs(number_at(&g, 0, "high") - 0.0293233243) < 1e-6);
    assert_true(fabs(number_at(&g, 0, "p") - 1.1957e-5) < 1e-7);
    assert_string_equal(at(&g, 0, "verdict"), "improved");
    assert_string_equal(at(&g, 0, "seed"), "42");
    assert_string_equal(at(&g, 0, "adjust"), "holm");
    assert_true(number_at(&g, 0, "margin") == 0.02);
    assert_true(number_at(&g, 0, "rank_low") > 0);
    grid_fini(&g);
}

/* h0 and h1 over l0, l1: ln ratios of h1 to h0 0.1 over l0 and -0.1 over l1. */
static const struct field four = {"four", 2, 2, 3, false, 0};

static void slices_pair_cells_alike_in_the_rest(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    struct compare_found found;
    double y[12];
    for (size_t b = 0; b < 3; b++) {
        double drift = 1 + 0.1 * (double)b;
        y[4 * b] = 100000 * drift;
        y[4 * b + 1] = 50000 * drift;
        y[4 * b + 2] = 110000 * drift * (1 + 0.001 * (double)b);
        y[4 * b + 3] = 50000 / 1.1 * drift;
    }
    lab_open(&lab);
    field_plan(&lab, &four);
    field_run(&lab, &four, y);
    static const char *const up[] = {"1:heap=h1", NULL};
    compare(&lab,
            &(struct compare_options){
                .base = "1:heap=h0", .contenders = up, .metrics = "throughput"},
            &g, &found);
    /* (ln 1.1 - ln 1.1) / 2 and half of ln 1.001, ln 1.002 */
    assert_string_equal(at(&g, 0, "change"), "+0.05%");
    assert_string_equal(at(&g, 0, "verdict"),
                        "equivalent within 2% (few) (changes)");
    assert_true(noted(&g, "2 pairs of cells, alike in link"));
    grid_fini(&g);
    lab_fini(&lab);
}

static void cells_that_ran_out_of_memory_leave_their_pair_out(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    struct compare_found found;
    static const double y[] = {10000, 5000, 0,    6000, 10100, 5050,
                               11000, 6060, 9900, 4950, 12000, 5940};
    lab_open(&lab);
    field_plan(&lab, &four);
    field_run(&lab, &four, y);
    static const char *const up[] = {"1:heap=h1", "1:heap=h1,link=l0", NULL};
    compare(&lab,
            &(struct compare_options){
                .base = "1:heap=h0", .contenders = up, .metrics = "throughput"},
            &g, &found);
    /* l1: 1.2 in each block. The second contender has nothing left. */
    assert_int_equal(g.n_rows, 1);
    assert_string_equal(at(&g, 0, "change"), "+20.00%");
    assert_true(noted(&g, "over 1 of the pairs: in 1 a trial failed or ran "
                          "out of memory"));
    assert_true(noted(&g, "1:heap=h1,link=l0: not compared"));
    assert_true(noted(&g, "contender 1:heap=h1,link=l0: 1 cell, 3 trials: 2 "
                          "ok, 1 oom"));
    assert_true(found.oom);
    assert_true(found.regressed); /* where the base did not */
    grid_fini(&g);
    lab_fini(&lab);
}

static void a_block_without_one_side_is_left_out(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    struct compare_found found;
    double y[12];
    memcpy(y, six, sizeof y);
    y[5] = NAN;
    lab_open(&lab);
    field_plan(&lab, &two);
    field_run(&lab, &two, y);
    static const char *const up[] = {"1:heap=h1", NULL};
    compare(&lab,
            &(struct compare_options){
                .base = "1:heap=h0", .contenders = up, .metrics = "throughput"},
            &g, &found);
    assert_string_equal(at(&g, 0, "blocks"), "5");
    assert_true(noted(&g, "5 ok, 1 open"));
    grid_fini(&g);
    lab_fini(&lab);
}

static void experiments_are_compared_with_a_warning(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    struct compare_found found;
    static const struct field old = {"old", 1, 1, 3, false, 0};
    static const struct field new = {"new", 1, 1, 3, false, 0};
    static const double before[] = {68035, 67151, 67846};
    static const double after[] = {70259, 69379, 68170};
    lab_open(&lab);
    field_plan(&lab, &old);
    field_run(&lab, &old, before);
    field_plan(&lab, &new);
    field_run(&lab, &new, after);
    static const char *const up[] = {"new", NULL};
    compare(&lab,
            &(struct compare_options){
                .base = "old", .contenders = up, .metrics = "throughput"},
            &g, &found);
    assert_string_equal(at(&g, 0, "change"), "+2.3%");
    assert_string_equal(at(&g, 0, "95% interval"), "[-0.9%, +5.7%]");
    assert_string_equal(at(&g, 0, "p"), "0.1");
    assert_string_equal(at(&g, 0, "verdict"), "inconclusive (few)");
    assert_true(noted(&g, "not interleaved: drift between the two sittings "
                          "can produce this"));
    grid_fini(&g);
    check_err(compare_with(&lab,
                           &(struct compare_options){
                               .base = "old", .contenders = up, .gated = true},
                           &g, &found),
              ERR_USAGE);
    check_says(why, "--fail-on is refused for \"old\" and \"new\"");
    grid_fini(&g);
    lab_fini(&lab);
}

static void the_summarys_rows_come_in_their_order(void **state)
{
    (void)state;
    struct grid g;
    struct compare_found found;
    static const char *const up[] = {"1:heap=h1", NULL};
    compare(&shared,
            &(struct compare_options){.base = "1:heap=h0", .contenders = up},
            &g, &found);
    assert_string_equal(at(&g, 0, "metric"), "Mean Throughput");
    assert_string_equal(at(&g, 0, "verdict"), "improved, >= 2%");
    size_t last = g.n_rows - 1;
    assert_string_equal(at(&g, last, "metric"), "Bytes per read");
    assert_string_equal(at(&g, last, "verdict"), "higher, >= 2%");
    grid_fini(&g);
}

static void what_cannot_be_compared_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *base, *contender, *metrics, *adjust;
        enum err e;
        const char *says;
    } bad[] = {
        {"1:heap=h0", "1:heap=h0", NULL, NULL, ERR_USAGE, "are the same cells"},
        {"1:heap=h0", "9", NULL, NULL, ERR_NOTFOUND, "no experiment \"9\""},
        {"1:heap=h0", "1:heap=h9", NULL, NULL, ERR_NOTFOUND,
         "\"1:heap=h9\": factor heap has no level \"h9\""},
        {"1:heap=h0", "1:heap=h1", "speed", NULL, ERR_NOTFOUND,
         "no metric \"speed\""},
        {"1:heap=h0", "1:heap=h1", "", NULL, ERR_USAGE, "names no metric"},
        {"1:heap=h0", "1:heap=h1", NULL, "none", ERR_USAGE,
         "--adjust \"none\": it is holm or bh"}};
    struct grid g;
    struct compare_found found;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *const contenders[] = {bad[i].contender, NULL};
        check_err(
            compare_with(&shared,
                         &(struct compare_options){.base = bad[i].base,
                                                   .contenders = contenders,
                                                   .metrics = bad[i].metrics,
                                                   .adjust = bad[i].adjust},
                         &g, &found),
            bad[i].e);
        check_says(why, bad[i].says);
        grid_fini(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_compared_block_by_block),
        cmocka_unit_test(programs_get_every_number),
        cmocka_unit_test(slices_pair_cells_alike_in_the_rest),
        cmocka_unit_test(cells_that_ran_out_of_memory_leave_their_pair_out),
        cmocka_unit_test(a_block_without_one_side_is_left_out),
        cmocka_unit_test(experiments_are_compared_with_a_warning),
        cmocka_unit_test(the_summarys_rows_come_in_their_order),
        cmocka_unit_test(what_cannot_be_compared_is_named),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
