#include "results/stat_factor.h"

#include <assert.h>
#include <math.h>

#include "results/stat_dist.h"

/* Cells between neighbours of a factor's levels. */
static size_t stride_of(const struct stat_grid *grid, size_t factor)
{
    size_t stride = 1;
    for (size_t f = factor + 1; f < grid->n_factors; f++)
        stride *= grid->levels[f];
    return stride;
}

static size_t level_of(const struct stat_grid *grid, size_t cell, size_t factor)
{
    return cell / stride_of(grid, factor) % grid->levels[factor];
}

/* The cell that differs in this factor's level alone. */
static size_t moved(const struct stat_grid *grid, size_t cell, size_t factor,
                    size_t level)
{
    size_t stride = stride_of(grid, factor);
    return cell - level_of(grid, cell, factor) * stride + level * stride;
}

static bool complete(const struct stat_grid *grid, size_t cell)
{
    for (size_t b = 0; b < grid->n_blocks; b++)
        if (!isfinite(grid->y[b * grid->n_cells + cell]))
            return false;
    return true;
}

/* The cells of one group: [0] less [1], and less ([2] less [3]) when n is 4. */
struct group {
    size_t cell[4], n;
};

static struct group group_of(const struct stat_grid *grid,
                             const struct stat_contrast *c, size_t cell)
{
    struct group g = {
        .cell = {cell, moved(grid, cell, c->factor, c->reference)}, .n = 2};
    if (c->by != STAT_NO_FACTOR && c->by_reference != STAT_NO_FACTOR)
        for (; g.n < 4; g.n++)
            g.cell[g.n] = moved(grid, g.cell[g.n - 2], c->by, c->by_reference);
    return g;
}

static bool leads_group(const struct stat_grid *grid,
                        const struct stat_contrast *c, size_t cell)
{
    return level_of(grid, cell, c->factor) == c->level &&
           (c->by == STAT_NO_FACTOR ||
            level_of(grid, cell, c->by) == c->by_level);
}

struct stat_matched stat_contrast_of(const struct stat_grid *grid,
                                     const struct stat_contrast *contrast,
                                     double *per_block)
{
    static const double sign[] = {1, -1, -1, 1};
    struct stat_matched m = {0, 0};
    for (size_t b = 0; b < grid->n_blocks; b++)
        per_block[b] = 0;
    for (size_t cell = 0; cell < grid->n_cells; cell++) {
        if (!leads_group(grid, contrast, cell))
            continue;
        struct group g = group_of(grid, contrast, cell);
        bool whole = true;
        for (size_t i = 0; i < g.n; i++)
            whole = whole && complete(grid, g.cell[i]);
        m.groups++;
        if (!whole)
            continue;
        m.used++;
        for (size_t b = 0; b < grid->n_blocks; b++)
            for (size_t i = 0; i < g.n; i++)
                per_block[b] +=
                    sign[i] * grid->y[b * grid->n_cells + g.cell[i]];
    }
    for (size_t b = 0; b < grid->n_blocks; b++)
        per_block[b] = m.used ? per_block[b] / (double)m.used : NAN;
    return m;
}

static double grand_mean(const struct stat_grid *grid)
{
    double sum = 0;
    size_t n = grid->n_blocks * grid->n_cells;
    for (size_t i = 0; i < n; i++)
        sum += grid->y[i];
    return sum / (double)n;
}

static bool same_group(const struct stat_grid *grid, unsigned factors, size_t a,
                       size_t b)
{
    for (size_t f = 0; f < grid->n_factors; f++)
        if (factors >> f & 1 && level_of(grid, a, f) != level_of(grid, b, f))
            return false;
    return true;
}

/* Sum over all values of the square of their group's mean, where a group is
 * what agrees in the levels of these factors; y less mean. */
static double between(const struct stat_grid *grid, unsigned factors,
                      double mean)
{
    double square = 0;
    for (size_t c = 0; c < grid->n_cells; c++) {
        double sum = 0, n = 0;
        for (size_t k = 0; k < grid->n_cells; k++) {
            if (!same_group(grid, factors, c, k))
                continue;
            for (size_t b = 0; b < grid->n_blocks; b++)
                sum += grid->y[b * grid->n_cells + k] - mean;
            n += (double)grid->n_blocks;
        }
        square += sum / n * (sum / n) * (double)grid->n_blocks;
    }
    return square;
}

static double between_blocks(const struct stat_grid *grid, double mean)
{
    double square = 0, n = (double)grid->n_cells;
    for (size_t b = 0; b < grid->n_blocks; b++) {
        double sum = 0;
        for (size_t c = 0; c < grid->n_cells; c++)
            sum += grid->y[b * grid->n_cells + c] - mean;
        square += sum / n * sum;
    }
    return square;
}

static double total_of(const struct stat_grid *grid, double mean)
{
    double square = 0;
    for (size_t i = 0; i < grid->n_blocks * grid->n_cells; i++)
        square += (grid->y[i] - mean) * (grid->y[i] - mean);
    return square;
}

/* A term's own part: what its groups explain less what its lower terms do. */
static void own_part(struct stat_anova *out, const struct stat_grid *grid,
                     unsigned factors, double mean)
{
    struct stat_term *t = &out->term[factors - 1];
    *t = (struct stat_term){.factors = factors, .df = 1};
    t->ss = between(grid, factors, mean);
    for (unsigned lower = 1; lower < factors; lower++)
        if ((lower & factors) == lower)
            t->ss -= out->term[lower - 1].ss;
    for (size_t f = 0; f < grid->n_factors; f++)
        if (factors >> f & 1)
            t->df *= (double)grid->levels[f] - 1;
}

static void judge(struct stat_term *t, const struct stat_term *residual,
                  double total)
{
    t->ss = fmax(t->ss, 0);
    t->share = total > 0 ? t->ss / total : 0;
    t->f = t->p = NAN;
    if (t == residual || !(t->df > 0) || !(residual->df > 0))
        return;
    t->f = t->ss / t->df / (residual->ss / residual->df);
    t->p = isnan(t->f) ? 1 : stat_f_upper(t->f, t->df, residual->df);
}

bool stat_anova_of(struct stat_anova *out, const struct stat_grid *grid,
                   bool blocked)
{
    assert(grid->n_factors <= STAT_FACTORS_MAX);
    if (grid->n_blocks < 2)
        return false;
    for (size_t c = 0; c < grid->n_cells; c++)
        if (!complete(grid, c))
            return false;
    double mean = grand_mean(grid), total = total_of(grid, mean);
    *out = (struct stat_anova){.n_terms = (1u << grid->n_factors) - 1};
    out->residual.ss = total;
    out->residual.df = (double)(grid->n_blocks * grid->n_cells) - 1;
    if (blocked) {
        out->blocks.ss = between_blocks(grid, mean);
        out->blocks.df = (double)grid->n_blocks - 1;
        out->residual.ss -= out->blocks.ss;
        out->residual.df -= out->blocks.df;
    }
    for (unsigned t = 1; t <= out->n_terms; t++) {
        own_part(out, grid, t, mean);
        out->residual.ss -= out->term[t - 1].ss;
        out->residual.df -= out->term[t - 1].df;
    }
    judge(&out->residual, &out->residual, total);
    judge(&out->blocks, &out->residual, total);
    for (unsigned t = 0; t < out->n_terms; t++)
        judge(&out->term[t], &out->residual, total);
    return true;
}
