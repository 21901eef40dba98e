#include <math.h>

#include "results/finding.h"
#include "tests/lib/check.h"

static const struct finding_rule ratio = {.ratio = true,
                                          .judged = true,
                                          .sign = 1,
                                          .margin = 0.0198026272961797,
                                          .margin_ratio = 0.02,
                                          .alpha = 0.05,
                                          .confidence = 0.95};

/* tests/data/stat-vectors.json, paired-6. */
static const double six_new[] = {1219.5, 1231.2, 1204.7,
                                 1226.3, 1248.9, 1213.1};
static const double six_base[] = {1187.3, 1203.8, 1179.1,
                                  1195.6, 1210.4, 1184.9};

static void judge(struct finding *f, const struct finding_rule *rule,
                  const double *d, size_t n)
{
    struct why why = {0};
    check_ok(finding_blocks(f, rule, d, n, &why), why);
    check_ok(finding_family(f, 1, FINDING_HOLM, &why), why);
}

static void logs_of_six(double *d, double sign)
{
    for (size_t i = 0; i < 6; i++)
        d[i] = sign * log(six_new[i] / six_base[i]);
}

static void reads(const struct finding *f, const char *change,
                  const char *interval, const char *words)
{
    char text[160];
    assert_string_equal(finding_show_change(f, 1, text, sizeof text), change);
    assert_string_equal(finding_show_interval(f, 1, text, sizeof text),
                        interval);
    assert_string_equal(finding_words(f, text, sizeof text), words);
}

static void a_gain_beyond_the_margin_is_told_so(void **state)
{
    (void)state;
    double d[6];
    struct finding f;
    logs_of_six(d, 1);
    judge(&f, &ratio, d, 6);
    reads(&f, "+2.5%", "[+2.2%, +2.9%]", "improved, >= 2%");
    f.unsteady = true;
    reads(&f, "+2.5%", "[+2.2%, +2.9%]", "improved, >= 2% ?");
    assert_true(f.ranked);
    assert_true(fabs(f.p_rank - 2.0 / 64) < 1e-12); /* all six of one sign */
    /* Lower is better: gains are mirrored, the change is the metric's own. */
    struct finding_rule lower = ratio;
    lower.sign = -1;
    logs_of_six(d, -1);
    judge(&f, &lower, d, 6);
    reads(&f, "+2.5%", "[+2.2%, +2.9%]", "regressed, >= 2%");
    /* No better direction. */
    struct finding_rule plain = ratio;
    plain.judged = false;
    logs_of_six(d, 1);
    judge(&f, &plain, d, 6);
    reads(&f, "+2.5%", "[+2.2%, +2.9%]", "higher, >= 2%");
    assert_string_equal(finding_word(&f), "higher");
}

static void few_blocks_give_less(void **state)
{
    (void)state;
    /* Vector paired-seed-3: p 0.128, 6 blocks in all. */
    static const double d[] = {0.032165823, 0.032665218, 0.004764125};
    struct finding f;
    judge(&f, &ratio, d, 3);
    reads(&f, "+2.3%", "[-1.6%, +6.5%]",
          "inconclusive: about 3 more blocks (few)");
    judge(&f, &ratio, d, 2);
    reads(&f, "+3.3%", "-", "no verdict (n=2, need 3)");
    judge(&f, &ratio, d, 1);
    reads(&f, "+3.3%", "-", "no verdict (n=1, need 3)");
    judge(&f, &ratio, d, 0);
    reads(&f, "-", "-", "not measured");
}

static void equal_values_are_equal(void **state)
{
    (void)state;
    static const double none[6] = {0};
    struct finding f;
    struct finding_rule counts = ratio;
    counts.ratio = false;
    counts.margin = 0;
    judge(&f, &counts, none, 6);
    reads(&f, "+0", "[+0, +0]", "equal");
    assert_string_equal(finding_word(&f), "equivalent");
}

static void exact_figures_have_no_statistics(void **state)
{
    (void)state;
    static const double same[3] = {0}, other[3] = {0, 1, 0};
    struct finding f;
    struct finding_rule exact = ratio;
    exact.ratio = false;
    exact.exact = true;
    judge(&f, &exact, same, 3);
    reads(&f, "+0", "-", "equal");
    judge(&f, &exact, other, 3);
    reads(&f, "+0.333", "-", "unequal");
    assert_true(isnan(f.p_adjusted));
}

static void plain_differences_are_in_the_shown_unit(void **state)
{
    (void)state;
    /* Mean 2.5e6 ns less, standard error 0.5e6 / sqrt 4; t(.975, 3) = 3.182. */
    static const double gains[] = {2e6, 2.5e6, 3e6, 2.5e6};
    char text[80];
    struct finding f;
    struct finding_rule rule = ratio;
    rule.ratio = false;
    rule.sign = -1;
    rule.margin = 1e5;
    judge(&f, &rule, gains, 4);
    assert_string_equal(finding_show_change(&f, 1e-6, text, sizeof text),
                        "-2.5");
    /* sd = sqrt(2 * 0.25e12 / 3) = 4.08e5, half = 3.182 * 2.04e5 = 6.5e5 */
    assert_string_equal(finding_show_interval(&f, 1e-6, text, sizeof text),
                        "[-3.15, -1.85]");
    assert_string_equal(finding_words(&f, text, sizeof text),
                        "improved, >= 2% (few)");
}

/* p = 0.01, 0.03 and 1, nearly: Holm makes 0.03 of three comparisons 0.06. */
static void a_family_is_adjusted_and_marked(void **state)
{
    (void)state;
    static const double noise[] = {-0.01, 0.01, -0.01, 0.01, -0.01, 0.01};
    struct why why = {0};
    struct finding f[3];
    double d[6];
    const double shifts[] = {0.0175, 0.0125, 0};
    for (size_t i = 0; i < 3; i++) {
        for (size_t b = 0; b < 6; b++)
            d[b] = noise[b] + shifts[i];
        check_ok(finding_blocks(&f[i], &ratio, d, 6, &why), why);
    }
    check_ok(finding_family(f, 3, FINDING_HOLM, &why), why);
    /* sd = 0.010954, se = 0.004472: t = 3.913, 2.795, 0; df 5 */
    assert_true(fabs(f[0].test.p_diff - 0.01125) < 1e-4);
    assert_true(fabs(f[1].test.p_diff - 0.03821) < 1e-4);
    assert_true(fabs(f[0].p_adjusted - 3 * f[0].test.p_diff) < 1e-12);
    assert_true(fabs(f[1].p_adjusted - 2 * f[1].test.p_diff) < 1e-12);
    assert_int_equal(f[0].verdict.outcome, STAT_IMPROVED);
    assert_int_equal(f[1].verdict.outcome, STAT_INCONCLUSIVE);
    assert_true(finding_marked(&f[1], FINDING_LONE));
    assert_false(finding_marked(&f[0], FINDING_LONE));
    assert_int_equal(f[2].verdict.outcome, STAT_EQUIVALENT);
    check_ok(finding_family(f, 3, FINDING_BH, &why), why);
    assert_true(fabs(f[1].p_adjusted - 1.5 * f[1].test.p_diff) < 1e-12);
}

/* Vectors welch-seed-quiet-log and mwu-seed-3x3. */
static void samples_without_blocks_get_welchs_test(void **state)
{
    (void)state;
    const double x[] = {log(70259), log(69379), log(68170)};
    const double y[] = {log(68035), log(67151), log(67846)};
    struct why why = {0};
    struct finding f;
    const struct stat_samples up = {.x = x, .y = y, .n_x = 3, .n_y = 3};
    check_ok(finding_samples(&f, &ratio, &up, &why), why);
    check_ok(finding_family(&f, 1, FINDING_HOLM, &why), why);
    assert_true(fabs(f.test.p_diff - 0.10123159115566) < 1e-9);
    assert_true(fabs(f.p_rank - 0.1) < 1e-9);
    reads(&f, "+2.3%", "[-0.9%, +5.7%]", "inconclusive (few)");
    struct finding_rule lower = ratio;
    lower.sign = -1;
    check_ok(finding_samples(&f, &lower, &up, &why), why);
    check_ok(finding_family(&f, 1, FINDING_HOLM, &why), why);
    reads(&f, "+2.3%", "[-0.9%, +5.7%]", "inconclusive (few)");
    assert_true(f.shift.shift < 0);
    const struct stat_samples lone = {.x = x, .y = y, .n_x = 1, .n_y = 3};
    check_ok(finding_samples(&f, &ratio, &lone, &why), why);
    check_ok(finding_family(&f, 1, FINDING_HOLM, &why), why);
    assert_int_equal(f.verdict.outcome, STAT_NO_VERDICT);
}

static void p_values_have_two_digits(void **state)
{
    (void)state;
    char text[16];
    assert_string_equal(finding_show_p(0.00075, text, sizeof text), "<0.001");
    assert_string_equal(finding_show_p(0.0075, text, sizeof text), "0.0075");
    assert_string_equal(finding_show_p(0.346, text, sizeof text), "0.35");
    assert_string_equal(finding_show_p(0.9999, text, sizeof text), "1");
    assert_string_equal(finding_show_p(NAN, text, sizeof text), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gain_beyond_the_margin_is_told_so),
        cmocka_unit_test(few_blocks_give_less),
        cmocka_unit_test(equal_values_are_equal),
        cmocka_unit_test(exact_figures_have_no_statistics),
        cmocka_unit_test(plain_differences_are_in_the_shown_unit),
        cmocka_unit_test(a_family_is_adjusted_and_marked),
        cmocka_unit_test(samples_without_blocks_get_welchs_test),
        cmocka_unit_test(p_values_have_two_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
