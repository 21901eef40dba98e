#include "results/stat_verdict.h"

#include <math.h>

#include "results/stat_dist.h"

#define POWER      0.8
#define CONFIDENCE 0.95

const char *stat_outcome_name(enum stat_outcome outcome)
{
    static const char *const names[] = {
        [STAT_NO_VERDICT] = "no-verdict",     [STAT_EQUIVALENT] = "equivalent",
        [STAT_IMPROVED] = "improved",         [STAT_REGRESSED] = "regressed",
        [STAT_INCONCLUSIVE] = "inconclusive",
    };
    return names[outcome];
}

struct stat_verdict stat_verdict_of(const struct stat_test *test, double margin,
                                    double p_diff, double alpha)
{
    struct stat_verdict v = {.outcome = STAT_INCONCLUSIVE};
    if (test->n < STAT_BLOCKS_MIN) {
        v.outcome = STAT_NO_VERDICT;
    } else if (test->p_equal <= alpha) {
        v.outcome = STAT_EQUIVALENT;
        v.within = p_diff <= alpha;
    } else if (p_diff <= alpha) {
        v.outcome = test->mean > 0 ? STAT_IMPROVED : STAT_REGRESSED;
        v.beyond = fabs(test->mean) - stat_test_half(test, CONFIDENCE) > margin;
    }
    return v;
}

size_t stat_plan_blocks(const struct stat_plan *plan, size_t cap)
{
    double size = fabs(plan->mean);
    for (size_t n = plan->n; n <= cap; n++) {
        double df = (double)n - 1, se = plan->sd / sqrt((double)n);
        double power = stat_t_quantile(POWER, df) * se;
        if (size >= stat_t_quantile(1 - plan->alpha_diff / 2, df) * se + power)
            return n;
        if (plan->margin - size >=
            stat_t_quantile(1 - plan->alpha_equal, df) * se + power)
            return n;
    }
    return 0;
}

double stat_plan_alpha(double alpha, size_t n_different, size_t n_rows)
{
    return fmin(alpha, alpha * (double)(n_different + 1) / (double)n_rows);
}

double stat_detectable(double sd, size_t n, double alpha)
{
    double df = (double)n - 1;
    return (stat_t_quantile(1 - alpha / 2, df) + stat_t_quantile(POWER, df)) *
           sd / sqrt((double)n);
}
