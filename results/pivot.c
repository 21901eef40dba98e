#include "results/pivot.h"

#include <stdlib.h>
#include <string.h>

#include "results/slice.h"

void pivot_fini(struct pivot *p)
{
    free(p->rows.factors);
    free(p->rows.levels);
    free(p->cols.factors);
    free(p->cols.levels);
    free(p->group);
    *p = (struct pivot){.group = NULL};
}

static enum err axis_add(struct pivot_axis *axis, size_t factor,
                         const struct matrix *m, struct why *why)
{
    for (size_t i = 0; i < axis->n_factors; i++)
        if (axis->factors[i] == factor)
            return err_set(why, ERR_USAGE, "factor %s is named twice",
                           m->factors[factor].name);
    axis->factors[axis->n_factors++] = factor;
    return ERR_OK;
}

static enum err axis_parse(struct pivot_axis *axis, const struct matrix *m,
                           const char *names, struct why *why)
{
    enum err e = ERR_OK;
    while (!e && *names) {
        size_t len = strcspn(names, ",");
        size_t f = matrix_factor_find(m, names, len);
        e = f == SIZE_MAX ? matrix_no_factor(m, names, len, why)
                          : axis_add(axis, f, m, why);
        names += len + (names[len] == ',');
    }
    return e;
}

static bool axis_has(const struct pivot_axis *axis, size_t factor)
{
    for (size_t i = 0; i < axis->n_factors; i++)
        if (axis->factors[i] == factor)
            return true;
    return false;
}

static enum err axes_parse(struct pivot *p, const struct matrix *m,
                           const char *rows, const char *cols, struct why *why)
{
    size_t link = matrix_factor_find(m, "link", 4);
    enum err e = ERR_OK;
    if (rows)
        e = axis_parse(&p->rows, m, rows, why);
    if (!e && cols)
        e = axis_parse(&p->cols, m, cols, why);
    else if (!e && link != SIZE_MAX && m->n_factors > 1 &&
             !axis_has(&p->rows, link))
        e = axis_add(&p->cols, link, m, why);
    /* A factor of one level tells no rows apart. */
    for (size_t f = 0; !e && !rows && f < m->n_factors; f++)
        if (!axis_has(&p->cols, f) && m->factors[f].n_levels > 1)
            e = axis_add(&p->rows, f, m, why);
    for (size_t i = 0; !e && i < p->cols.n_factors; i++)
        if (axis_has(&p->rows, p->cols.factors[i]))
            e = err_set(why, ERR_USAGE, "factor %s is in rows and columns",
                        m->factors[p->cols.factors[i]].name);
    return e;
}

/* Which cells pass: marked by group 0, the others SIZE_MAX. */
static enum err where_apply(struct pivot *p, const struct matrix *m,
                            const char *where, struct why *why)
{
    struct slice slice;
    enum err e = slice_parse(&slice, m, where, why);
    for (size_t c = 0; !e && c < m->n_cells; c++)
        p->group[c] = slice_has(&slice, &m->cells[c]) ? 0 : SIZE_MAX;
    slice_fini(&slice);
    return e;
}

/* The cell's levels on this axis, as many numbers as it has factors. */
static void combination(const struct pivot_axis *axis,
                        const struct matrix_cell *cell, uint32_t *out)
{
    for (size_t i = 0; i < axis->n_factors; i++)
        out[i] = cell->levels[axis->factors[i]];
}

static int compare(const void *a, const void *b, void *width)
{
    const uint32_t *x = a, *y = b;
    for (size_t i = 0; i < *(const size_t *)width; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Fill levels with the distinct combinations of the shown cells, sorted. */
static enum err axis_fill(struct pivot_axis *axis, const struct pivot *p,
                          const struct matrix *m, struct why *why)
{
    size_t width = axis->n_factors;
    axis->levels = calloc(m->n_cells * width + 1, sizeof *axis->levels);
    if (!axis->levels)
        return err_set(why, ERR_NOMEM, "report");
    size_t n = 0;
    for (size_t c = 0; c < m->n_cells; c++)
        if (p->group[c] != SIZE_MAX)
            combination(axis, &m->cells[c], axis->levels + n++ * width);
    if (!width) {
        axis->n = n > 0;
        return ERR_OK;
    }
    qsort_r(axis->levels, n, width * sizeof *axis->levels, compare, &width);
    for (size_t i = 0; i < n; i++) {
        const uint32_t *at = axis->levels + i * width;
        const uint32_t *last = axis->levels + (axis->n - 1) * width;
        if (axis->n && !compare(at, last, &width))
            continue;
        memmove(axis->levels + axis->n++ * width, at,
                width * sizeof *axis->levels);
    }
    return ERR_OK;
}

static size_t axis_find(const struct pivot_axis *axis,
                        const struct matrix_cell *cell, uint32_t *scratch)
{
    size_t width = axis->n_factors, low = 0, high = axis->n;
    combination(axis, cell, scratch);
    while (low + 1 < high) {
        size_t mid = (low + high) / 2;
        if (compare(axis->levels + mid * width, scratch, &width) <= 0)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static enum err make(struct pivot *p, const struct matrix *m, const char *rows,
                     const char *cols, struct why *why)
{
    enum err e = axes_parse(p, m, rows, cols, why);
    if (!e)
        e = axis_fill(&p->rows, p, m, why);
    if (!e)
        e = axis_fill(&p->cols, p, m, why);
    uint32_t *scratch = calloc(m->n_factors + 1, sizeof *scratch);
    if (!e && !scratch)
        e = err_set(why, ERR_NOMEM, "report");
    for (size_t c = 0; !e && c < m->n_cells; c++)
        if (p->group[c] != SIZE_MAX)
            p->group[c] =
                axis_find(&p->rows, &m->cells[c], scratch) * p->cols.n +
                axis_find(&p->cols, &m->cells[c], scratch);
    free(scratch);
    return e;
}

enum err pivot_make(struct pivot *out, const struct matrix *matrix,
                    const char *rows, const char *cols, const char *where,
                    struct why *why)
{
    size_t n = matrix->n_factors + 1;
    *out = (struct pivot){.group = NULL};
    out->rows.factors = calloc(n, sizeof *out->rows.factors);
    out->cols.factors = calloc(n, sizeof *out->cols.factors);
    out->group = calloc(matrix->n_cells + 1, sizeof *out->group);
    enum err e = ERR_OK;
    if (!out->rows.factors || !out->cols.factors || !out->group)
        e = err_set(why, ERR_NOMEM, "report");
    if (!e)
        e = where_apply(out, matrix, where, why);
    if (!e)
        e = make(out, matrix, rows, cols, why);
    if (e)
        pivot_fini(out);
    return e;
}
