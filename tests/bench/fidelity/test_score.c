#include <string.h>

#include "tests/bench/fidelity/score.h"
#include "tests/lib/check.h"

static struct row make_row(void)
{
    return (struct row){.link = "lo",
                        .rmem = "default",
                        .gc = "serial",
                        .predictor = "fixed64k",
                        .outcome = "ok",
                        .max_components = 69905,
                        .bytes_ingested = 1000,
                        .out_tlab_bytes = 2000,
                        .out_tlab_max = 65552,
                        .tlab_bytes = 1000,
                        .tlab_count = 4,
                        .gc_young_count = 3,
                        .eden_bytes = 80,
                        .survivor_bytes = 10,
                        .old_bytes = 200};
}

static struct figures make_figures(uint64_t outside, uint64_t tlab)
{
    return (struct figures){.runs = 3,
                            .bytes = 3000,
                            .heap = {.eden_bytes = 80,
                                     .survivor_bytes = 10,
                                     .old_bytes = 200,
                                     .outside_bytes = outside,
                                     .outside_max_bytes = 65552,
                                     .tlab_bytes = tlab,
                                     .tlab_count = 6,
                                     .young_count = 9}};
}

static struct score judge(const struct row *row, struct figures figures)
{
    struct score s;
    score_row(row, &figures, &s);
    return s;
}

/* The JVM: 2 bytes outside and 1 in buffers per byte. */
static void score_takes_both_figures_per_ingested_byte(void **state)
{
    (void)state;
    struct row row = make_row();
    struct score s = judge(&row, make_figures(7500, 3000));
    check_near(s.outside.ours, 2.5, 1e-9); /* 25 % more: 7500 / 3000 */
    check_near(s.outside.jvm, 2.0, 1e-9);
    check_near(s.tlab.ours, 1.0, 1e-9);
    check_near(s.tlab_avg.ours, 500, 1e-9);
    check_near(s.tlab_avg.jvm, 250, 1e-9);
    check_near(s.young.ours, 3, 1e-9); /* of three replays */
    assert_true(s.within && s.scored && s.sizes_agree);
    assert_false(judge(&row, make_figures(7530, 3000)).within);
    assert_false(judge(&row, make_figures(6000, 3765)).within); /* 1.255 */
}

static void
score_lets_small_figures_be_off_by_their_absolute_bound(void **state)
{
    (void)state;
    assert_true(score_near(0.14, 0));
    assert_false(score_near(0.16, 0));
    assert_true(score_near(0.35, 0.21));
    assert_true(score_near(80, 100));
    assert_false(score_near(74, 100));
}

static void score_compares_the_outcome_of_what_ran_out_of_memory(void **state)
{
    (void)state;
    struct row row = make_row(), oom = make_row();
    struct figures figures = make_figures(0, 0);
    oom.outcome[0] = 'o';
    oom.outcome[1] = 'o';
    oom.outcome[2] = 'm';
    figures.ooms = 1;
    assert_false(score_oom(&figures)); /* one of three */
    assert_false(judge(&oom, figures).within);
    figures.ooms = 2;
    assert_true(judge(&oom, figures).within);
    assert_false(judge(&row, figures).within);
}

static void score_counts_only_serial_rows_of_the_robust_links(void **state)
{
    (void)state;
    struct row row = make_row();
    row.gc[0] = 'p';
    assert_false(row_scored(&row));
    row = make_row();
    row.link[0] = 'x';
    assert_false(row_scored(&row));
    memcpy(row.rmem, "low", 4);
    assert_true(row_scored(&row));
}

static void
score_knows_the_largest_object_of_fixed_predictors_only(void **state)
{
    (void)state;
    struct row row = make_row();
    assert_true(judge(&row, make_figures(1, 1)).largest_known);
    assert_true(judge(&row, make_figures(1, 1)).largest_agrees);
    row.out_tlab_max = 65560;
    assert_false(judge(&row, make_figures(1, 1)).largest_agrees);
    row.es_body_copy = 1;
    assert_false(judge(&row, make_figures(1, 1)).largest_known);
}

static void score_tells_other_reads_by_buffers_per_byte(void **state)
{
    (void)state;
    struct row row = make_row();
    struct figures figures = make_figures(1, 1);
    row.recv_buf_alloc_bytes = 4000; /* 4 per byte; near: 3 to 5 */
    figures.buffers = 3 * 5000;
    assert_true(judge(&row, figures).reads_agree);
    figures.buffers = 3 * 5100;
    assert_false(judge(&row, figures).reads_agree);
    /* The JVM: 2 outside, 1 in allocation buffers. Twice the buffers, and both
     * figures with them: the same by a byte of buffers. */
    figures = make_figures(3 * 4000, 3 * 2000);
    figures.buffers = 3 * 8000;
    assert_false(judge(&row, figures).within);
    assert_true(judge(&row, figures).per_buffer);
    figures.heap.outside_bytes = 3 * 6000; /* 3 for 2 */
    assert_false(judge(&row, figures).per_buffer);
    figures.bytes = 0; /* of runs that ended otherwise nothing is known */
    assert_true(judge(&row, figures).reads_agree);
}

static void score_repeats_are_pairs_of_the_same_settings(void **state)
{
    (void)state;
    struct row of[4] = {make_row(), make_row(), make_row(), make_row()};
    struct rows rows = {of, 4};
    of[1].out_tlab_bytes = 2400; /* near the first */
    of[2].out_tlab_bytes = 9000; /* near none */
    of[3].heap_mb = 512;         /* another cell */
    struct repeats r = score_repeats(&rows);
    assert_int_equal(r.pairs, 3);
    assert_int_equal(r.agree, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(score_takes_both_figures_per_ingested_byte),
        cmocka_unit_test(
            score_lets_small_figures_be_off_by_their_absolute_bound),
        cmocka_unit_test(score_compares_the_outcome_of_what_ran_out_of_memory),
        cmocka_unit_test(score_counts_only_serial_rows_of_the_robust_links),
        cmocka_unit_test(
            score_knows_the_largest_object_of_fixed_predictors_only),
        cmocka_unit_test(score_tells_other_reads_by_buffers_per_byte),
        cmocka_unit_test(score_repeats_are_pairs_of_the_same_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
