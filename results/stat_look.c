#include "results/stat_look.h"

#include "results/stat_test.h"

/* 1 + 3 + ... + n (n + 1) / 2 */
static double tetrahedral(double n)
{
    return n * (n + 1) * (n + 2) / 6;
}

double stat_look_alpha(double alpha, size_t look, size_t n_looks)
{
    double i = (double)look;
    return alpha * (i * (i + 1) / 2) / tetrahedral((double)n_looks);
}

static bool narrow(const double *d, size_t n, double width_ratio)
{
    struct stat_test test = stat_test_blocks(d, n, 0, 0);
    return stat_test_half(&test, 1 - STAT_WIDTH_ALPHA) <=
           stat_margin(width_ratio);
}

bool stat_width_reached(const double *d, size_t n, double width_ratio)
{
    return n > STAT_WIDTH_BLOCKS_MIN && narrow(d, n, width_ratio) &&
           narrow(d, n - 1, width_ratio);
}
