#include "results/stat_best.h"

#include <math.h>

#include "results/stat_test.h"

static double gain(const struct stat_field *field, size_t block, size_t cell)
{
    return field->gain[block * field->n_cells + cell];
}

/* Sum of the gains: NAN or infinite when the cell is not eligible. */
static double sum_of(const struct stat_field *field, size_t cell)
{
    double sum = 0;
    for (size_t b = 0; b < field->n_blocks; b++)
        sum += gain(field, b, cell);
    return sum;
}

/* One-sided p of better being no better than cell. */
static double p_beats(const struct stat_field *field, size_t better,
                      size_t cell, double *d)
{
    for (size_t b = 0; b < field->n_blocks; b++)
        d[b] = gain(field, b, better) - gain(field, b, cell);
    return stat_test_blocks(d, field->n_blocks, 0, 0).p_lower;
}

size_t stat_best(const struct stat_field *field, double alpha, bool *stays,
                 double *least_p, double *room)
{
    size_t n = field->n_cells, top = n, eligible = 0;
    for (size_t i = 0; i < n; i++) {
        stays[i] = field->n_blocks >= 2 && isfinite(sum_of(field, i));
        least_p[i] = stays[i] ? 1 : NAN;
        if (!stays[i])
            continue;
        eligible++;
        if (top == n || sum_of(field, i) > sum_of(field, top))
            top = i;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j && !isnan(least_p[i]) && !isnan(least_p[j]))
                least_p[i] = fmin(least_p[i], p_beats(field, j, i, room));
    for (size_t i = 0; i < n; i++)
        if (eligible > 1)
            stays[i] = least_p[i] > alpha / (double)(eligible - 1);
    return top;
}
