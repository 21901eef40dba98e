#include "results/effect_level.h"

#include <math.h>
#include <string.h>

#include "common/units.h"

bool effect_level_means(const struct effect_field *x, size_t f, const bool *out,
                        double *mean)
{
    const struct stat_grid *g = &x->grid;
    size_t n_levels = g->levels[f], stride = 1, groups = 0;
    for (size_t k = f + 1; k < g->n_factors; k++)
        stride *= g->levels[k];
    for (size_t i = 0; i < g->n_blocks * n_levels; i++)
        mean[i] = out[i % n_levels] ? NAN : 0;
    for (size_t c = 0; g->n_blocks && c < g->n_cells; c++) {
        bool whole = c / stride % n_levels == 0;
        for (size_t l = 0; whole && l < n_levels; l++)
            whole = out[l] || !isnan(g->y[c + l * stride]);
        if (!whole)
            continue;
        groups++;
        for (size_t b = 0; b < g->n_blocks; b++)
            for (size_t l = 0; l < n_levels; l++)
                mean[b * n_levels + l] += g->y[b * g->n_cells + c + l * stride];
    }
    for (size_t i = 0; groups && i < g->n_blocks * n_levels; i++)
        mean[i] /= (double)groups;
    return groups > 0;
}

size_t effect_level_preferred(const struct matrix_factor *factor,
                              const bool *stays)
{
    bool heap = !strcmp(factor->name, "heap");
    size_t best = SIZE_MAX;
    uint64_t least = 0;
    for (size_t l = 0; l < factor->n_levels; l++) {
        uint64_t bytes = l;
        if (!stays[l])
            continue;
        if (heap && units_bytes(factor->labels[l], &bytes, NULL))
            bytes = l;
        if (best == SIZE_MAX || bytes < least) {
            best = l;
            least = bytes;
        }
    }
    return best;
}

double effect_level_centre(const struct effect_field *x, size_t f, size_t level)
{
    size_t stride = 1, n = 0;
    double sum = 0;
    for (size_t k = f + 1; k < x->grid.n_factors; k++)
        stride *= x->grid.levels[k];
    for (size_t i = 0; i < x->grid.n_blocks * x->grid.n_cells; i++)
        if (i % x->grid.n_cells / stride % x->grid.levels[f] == level &&
            !isnan(x->y[i])) {
            sum += x->rule.sign * x->y[i];
            n++;
        }
    sum /= (double)n;
    return n ? x->rule.ratio ? exp(sum) : sum : NAN;
}
