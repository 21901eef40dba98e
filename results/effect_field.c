#include "results/effect_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum err nomem(struct why *why)
{
    return err_set(why, ERR_NOMEM, "effects");
}

/* The grid's factors and levels, and the number of its cells. */
static enum err choose_factors(struct effect_field *x, const struct matrix *m,
                               struct why *why)
{
    size_t n = 0, cells = 1;
    x->levels = calloc(m->n_factors + 1, sizeof *x->levels);
    x->factor = calloc(m->n_factors + 1, sizeof *x->factor);
    if (!x->levels || !x->factor)
        return nomem(why);
    for (size_t f = 0; f < m->n_factors; f++) {
        if (m->factors[f].n_levels < 2)
            continue;
        x->factor[n] = f;
        x->levels[n++] = m->factors[f].n_levels;
        cells *= m->factors[f].n_levels;
        if (n > STAT_FACTORS_MAX || cells > EFFECT_VALUES_MAX)
            return err_set(why, ERR_RANGE,
                           "effects of more than %u factors, or of %u cells",
                           STAT_FACTORS_MAX, EFFECT_VALUES_MAX);
    }
    if (!n)
        return err_set(why, ERR_NOTFOUND,
                       "no factor has several levels: there is no effect to "
                       "tell");
    x->grid = (struct stat_grid){
        .n_cells = cells, .levels = x->levels, .n_factors = n};
    return ERR_OK;
}

static size_t grid_cell(const struct effect_field *x,
                        const struct matrix_cell *cell)
{
    size_t at = 0;
    for (size_t f = 0; f < x->grid.n_factors; f++)
        at = at * x->levels[f] + cell->levels[x->factor[f]];
    return at;
}

static enum err place_cells(struct effect_field *x, const struct matrix *m,
                            struct why *why)
{
    x->cell = calloc(x->grid.n_cells, sizeof *x->cell);
    x->planned = calloc(x->grid.n_cells, sizeof *x->planned);
    x->ended = calloc(m->n_cells + 1, sizeof *x->ended);
    if (!x->cell || !x->planned || !x->ended)
        return nomem(why);
    for (size_t i = 0; i < x->grid.n_cells; i++) {
        x->cell[i] = SIZE_MAX;
        x->planned[i] = NAN;
    }
    for (size_t c = 0; c < m->n_cells; c++)
        if (m->cells[c].purpose == PURPOSE_MEASURE) {
            size_t at = grid_cell(x, &m->cells[c]);
            x->cell[at] = c;
            x->planned[at] = 0;
        }
    for (size_t t = 0; t < m->n_trials; t++)
        if (m->trials[t].end == MATRIX_OOM || m->trials[t].end == MATRIX_FAILED)
            x->ended[m->trials[t].cell] = true;
    return ERR_OK;
}

static void set_rule(struct effect_field *x, const struct matrix *m,
                     const struct effect_question *q)
{
    double sum = 0;
    size_t n = 0;
    x->rule = (struct finding_rule){
        .ratio = q->metric->kind == METRIC_RATIO,
        .exact = q->metric->kind == METRIC_EXACT,
        .judged = q->metric->direction != METRIC_NEITHER,
        .sign = q->metric->direction == METRIC_LOWER ? -1 : 1,
        .margin_ratio = q->margin_ratio,
        .alpha = q->alpha,
        .confidence = 1 - q->alpha};
    for (size_t t = 0; t < m->n_trials; t++) {
        double v = m->trials[t].end == MATRIX_OK ? q->values[t] : NAN;
        if (v <= 0)
            x->rule.ratio = false;
        sum += isnan(v) ? 0 : v;
        n += isnan(v) ? 0 : 1;
    }
    x->rule.margin = x->rule.ratio ? stat_margin(q->margin_ratio)
                     : n           ? q->margin_ratio * fabs(sum / (double)n)
                                   : 0;
}

/* Rows by iteration, from the first to the last that the trials have. */
static enum err fill(struct effect_field *x, const struct matrix *m,
                     const struct effect_question *q, struct why *why)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t t = 0; t < m->n_trials; t++) {
        int64_t i = m->trials[t].iteration;
        first = i < first ? i : first;
        last = i > last ? i : last;
    }
    size_t n_cells = x->grid.n_cells;
    uint64_t rows = first <= last ? (uint64_t)last - (uint64_t)first + 1 : 0;
    if (rows > EFFECT_VALUES_MAX / n_cells)
        return err_set(why, ERR_RANGE, "effects of more than %u values",
                       EFFECT_VALUES_MAX);
    x->grid.n_blocks = rows;
    x->y = calloc(rows * n_cells + 1, sizeof *x->y);
    x->iteration = calloc(rows + 1, sizeof *x->iteration);
    if (!x->y || !x->iteration)
        return nomem(why);
    for (size_t b = 0; b < rows; b++)
        x->iteration[b] = first + (int64_t)b;
    x->grid.y = x->y;
    for (size_t i = 0; i < rows * n_cells; i++)
        x->y[i] = NAN;
    for (size_t t = 0; t < m->n_trials; t++) {
        const struct matrix_trial *trial = &m->trials[t];
        if (m->cells[trial->cell].purpose != PURPOSE_MEASURE ||
            trial->end != MATRIX_OK || x->ended[trial->cell])
            continue;
        double v = x->rule.ratio ? log(q->values[t]) : q->values[t];
        if (isfinite(v))
            x->y[(uint64_t)(trial->iteration - first) * n_cells +
                 grid_cell(x, &m->cells[trial->cell])] = x->rule.sign * v;
    }
    return ERR_OK;
}

/* Where a value is due: a planned cell that did not end. */
static bool due(const struct effect_field *x, size_t cell)
{
    return x->cell[cell] != SIZE_MAX && !x->ended[x->cell[cell]];
}

static size_t holes_in_block(const struct effect_field *x, size_t block,
                             size_t *n_due)
{
    size_t holes = 0;
    *n_due = 0;
    for (size_t c = 0; c < x->grid.n_cells; c++)
        if (due(x, c)) {
            ++*n_due;
            holes += isnan(x->y[block * x->grid.n_cells + c]) ? 1 : 0;
        }
    return holes;
}

static bool hole_in_cell(const struct effect_field *x, size_t cell)
{
    for (size_t b = 0; b < x->grid.n_blocks; b++)
        if (isnan(x->y[b * x->grid.n_cells + cell]))
            return true;
    return false;
}

/* Keep the blocks with at most so many holes. */
static void keep_blocks(struct effect_field *x, size_t most)
{
    size_t kept = 0, width = x->grid.n_cells, n_due;
    for (size_t b = 0; b < x->grid.n_blocks; b++) {
        size_t holes = holes_in_block(x, b, &n_due);
        if (holes > most || holes == n_due)
            continue;
        x->iteration[kept] = x->iteration[b];
        memmove(x->y + kept++ * width, x->y + b * width, width * sizeof *x->y);
    }
    x->grid.n_blocks = kept;
}

static void drop_holes(struct effect_field *x)
{
    size_t cells = 0, whole_cells = 0, whole_blocks = 0, n_due;
    keep_blocks(x, SIZE_MAX); /* those that were begun */
    size_t begun = x->grid.n_blocks;
    for (size_t b = 0; b < begun; b++)
        whole_blocks += !holes_in_block(x, b, &n_due);
    for (size_t c = 0; c < x->grid.n_cells; c++)
        if (due(x, c)) {
            cells++;
            whole_cells += !hole_in_cell(x, c);
        }
    if (whole_cells * begun <= whole_blocks * cells)
        keep_blocks(x, 0);
    x->n_dropped = begun - x->grid.n_blocks;
    for (size_t c = 0; c < x->grid.n_cells; c++)
        if (hole_in_cell(x, c))
            for (size_t b = 0; b < x->grid.n_blocks; b++)
                x->y[b * x->grid.n_cells + c] = NAN;
}

enum err effect_field_make(struct effect_field *out, const struct matrix *m,
                           const struct effect_question *question,
                           struct why *why)
{
    *out = (struct effect_field){.y = NULL};
    set_rule(out, m, question);
    enum err e = choose_factors(out, m, why);
    if (!e)
        e = place_cells(out, m, why);
    if (!e)
        e = fill(out, m, question, why);
    if (!e)
        drop_holes(out);
    if (e)
        effect_field_fini(out);
    return e;
}

void effect_field_fini(struct effect_field *x)
{
    free(x->y);
    free(x->iteration);
    free(x->levels);
    free(x->factor);
    free(x->cell);
    free(x->planned);
    free(x->ended);
    *x = (struct effect_field){.y = NULL};
}

enum err effect_contrast(const struct effect_field *x,
                         const struct stat_contrast *contrast,
                         struct finding *out, struct stat_matched *matched,
                         struct why *why)
{
    double none = 0;
    struct stat_grid planned = x->grid;
    planned.y = x->planned;
    planned.n_blocks = 1;
    double *d = calloc(x->grid.n_blocks + 1, sizeof *d);
    if (!d)
        return nomem(why);
    matched->groups = stat_contrast_of(&planned, contrast, &none).used;
    matched->used = stat_contrast_of(&x->grid, contrast, d).used;
    enum err e = finding_blocks(out, &x->rule, d,
                                matched->used ? x->grid.n_blocks : 0, why);
    free(d);
    return e;
}
