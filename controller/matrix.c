#include "controller/matrix.h"

#include <stdlib.h>
#include <string.h>

/* A wheel turns one axis, or all axes of one zip at once. */
struct wheel {
    uint32_t axes; /* a bit each */
    uint32_t n_levels, at;
};

static size_t make_wheels(const struct experiment *ex,
                          struct wheel wheels[EXPERIMENT_AXES_MAX])
{
    uint32_t done = 0;
    size_t n = 0;
    for (size_t i = 0; i < ex->n_axes; i++) {
        if (done & 1u << i)
            continue;
        uint32_t axes = 1u << i;
        for (size_t z = 0; z < ex->n_zips; z++)
            if (ex->zips[z].axes & 1u << i)
                axes = ex->zips[z].axes;
        wheels[n++] = (struct wheel){
            .axes = axes, .n_levels = (uint32_t)ex->axes[i].n_levels};
        done |= axes;
    }
    return n;
}

/* Next combination, the last wheel fastest; false when all are through. */
static bool turn(struct wheel *wheels, size_t n)
{
    while (n-- > 0) {
        if (++wheels[n].at < wheels[n].n_levels)
            return true;
        wheels[n].at = 0;
    }
    return false;
}

static void read_wheels(const struct wheel *wheels, size_t n, uint32_t *levels)
{
    for (size_t w = 0; w < n; w++)
        for (size_t a = 0; a < EXPERIMENT_AXES_MAX; a++)
            if (wheels[w].axes & 1u << a)
                levels[a] = wheels[w].at;
}

static bool matches(const struct exclude *x, const uint32_t *levels,
                    size_t n_axes)
{
    for (size_t a = 0; a < n_axes; a++)
        if (x->levels[a] && !(x->levels[a] & 1ull << levels[a]))
            return false;
    return true;
}

/* Whether an exclude matches; each that does is counted in used. */
static bool excluded(const struct experiment *ex, const uint32_t *levels,
                     bool *used)
{
    bool out = false;
    for (size_t i = 0; i < ex->n_excludes; i++)
        if (matches(&ex->excludes[i], levels, ex->n_axes)) {
            used[i] = true;
            out = true;
        }
    return out;
}

static enum err append(struct matrix *m, const uint32_t *levels,
                       struct why *why)
{
    if (m->n_cells == MATRIX_CELLS_MAX)
        return err_set(why, ERR_RANGE, "more than %u cells", MATRIX_CELLS_MAX);
    if (m->n_axes)
        memcpy(m->levels + m->n_cells * m->n_axes, levels,
               m->n_axes * sizeof *levels);
    m->n_cells++;
    return ERR_OK;
}

static enum err check_product(const struct wheel *wheels, size_t n,
                              struct why *why)
{
    uint64_t product = 1;
    for (size_t w = 0; w < n; w++) {
        product *= wheels[w].n_levels;
        if (product > MATRIX_PRODUCT_MAX)
            return err_set(why, ERR_RANGE,
                           "the factors make more than %u combinations; at "
                           "most %u cells can be run",
                           MATRIX_PRODUCT_MAX, MATRIX_CELLS_MAX);
    }
    return ERR_OK;
}

static enum err check_used(const struct experiment *ex, const bool *used,
                           const struct matrix *m, struct why *why)
{
    for (size_t i = 0; i < ex->n_excludes; i++)
        if (!used[i])
            return err_set(why, ERR_INVALID, "exclude %s matches no cell",
                           ex->excludes[i].text);
    if (!m->n_cells)
        return err_set(why, ERR_INVALID, "the excludes leave no cell");
    return ERR_OK;
}

enum err matrix_expand(const struct experiment *ex, struct matrix *out,
                       struct why *why)
{
    struct wheel wheels[EXPERIMENT_AXES_MAX];
    uint32_t levels[EXPERIMENT_AXES_MAX] = {0};
    bool used[EXPERIMENT_EXCLUDES_MAX] = {false};
    size_t n = make_wheels(ex, wheels);
    *out = (struct matrix){.n_axes = ex->n_axes};
    enum err e = check_product(wheels, n, why);
    if (e)
        return e;
    out->levels = calloc(MATRIX_CELLS_MAX * (ex->n_axes + 1), sizeof *levels);
    if (!out->levels)
        return err_set(why, ERR_NOMEM, "cells");
    do {
        read_wheels(wheels, n, levels);
        if (!excluded(ex, levels, used))
            e = append(out, levels, why);
    } while (!e && turn(wheels, n));
    if (!e)
        e = check_used(ex, used, out, why);
    if (e)
        matrix_free(out);
    return e;
}

void matrix_free(struct matrix *matrix)
{
    free(matrix->levels);
    *matrix = (struct matrix){0};
}
