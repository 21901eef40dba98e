#include "results/pairing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIKE_MAX 64u /* factors */

/* The factors by which groups are made: their index on each side. */
struct alike {
    size_t factor[ALIKE_MAX][PAIRING_SIDES];
    size_t n;
};

static enum err nomem(struct why *why)
{
    return err_set(why, ERR_NOMEM, "pair the blocks");
}

/* Whether both slices ask the same of a factor: nothing, or the same labels. */
static bool asks_alike(const struct pairing_part *a, size_t fa,
                       const struct pairing_part *b, size_t fb)
{
    const struct matrix_factor *x = &a->matrix->factors[fa];
    const struct matrix_factor *y = &b->matrix->factors[fb];
    if (!a->slice->levels[fa] || !b->slice->levels[fb])
        return !a->slice->levels[fa] && !b->slice->levels[fb];
    size_t n = 0, m = 0;
    for (size_t l = 0; l < y->n_levels; l++)
        m += slice_wants(b->slice, fb, l);
    for (size_t l = 0; l < x->n_levels; l++) {
        size_t other = matrix_level_find(y, x->labels[l]);
        bool wants = slice_wants(a->slice, fa, l);
        n += wants;
        if (wants && (other == SIZE_MAX || !slice_wants(b->slice, fb, other)))
            return false;
    }
    return n == m;
}

static void find_alike(struct pairing *p, struct alike *out)
{
    const struct pairing_part *a = &p->part[PAIRING_BASE];
    const struct pairing_part *b = &p->part[PAIRING_CONTENDER];
    size_t len = 0;
    out->n = 0;
    for (size_t f = 0; f < a->matrix->n_factors && out->n < ALIKE_MAX; f++) {
        const struct matrix_factor *factor = &a->matrix->factors[f];
        size_t g =
            matrix_factor_find(b->matrix, factor->name, strlen(factor->name));
        if (g == SIZE_MAX || !asks_alike(a, f, b, g))
            continue;
        out->factor[out->n][PAIRING_BASE] = f;
        out->factor[out->n++][PAIRING_CONTENDER] = g;
        bool told = factor->n_levels > 1 || b->matrix->factors[g].n_levels > 1;
        if (told && len < sizeof p->alike)
            len += (size_t)snprintf(p->alike + len, sizeof p->alike - len,
                                    "%s%s", len ? ", " : "", factor->name);
    }
}

/* A cell's levels of the alike factors, as the base numbers them; false: one
 * that the base does not have. */
static bool key_of(const struct pairing *p, const struct alike *alike,
                   enum pairing_side side, size_t cell, uint32_t *key)
{
    const struct matrix *base = p->part[PAIRING_BASE].matrix;
    const struct matrix *m = p->part[side].matrix;
    for (size_t i = 0; i < alike->n; i++) {
        size_t f = alike->factor[i][side];
        size_t level = m->cells[cell].levels[f];
        if (m != base)
            level = matrix_level_find(
                &base->factors[alike->factor[i][PAIRING_BASE]],
                m->factors[f].labels[level]);
        if (level == SIZE_MAX)
            return false;
        key[i] = (uint32_t)level;
    }
    return true;
}

/* One cell's key, to sort all of them by. */
struct tagged {
    const uint32_t *key;
    size_t cell, n;
    enum pairing_side side;
};

static int by_key(const void *a, const void *b)
{
    const struct tagged *x = a, *y = b;
    for (size_t i = 0; i < x->n; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return 0;
}

/* Number the groups: runs of one key that has cells of both sides. */
static void number_groups(struct pairing *p, struct tagged *tags, size_t n)
{
    qsort(tags, n, sizeof *tags, by_key);
    for (size_t i = 0, end; i < n; i = end) {
        size_t has[PAIRING_SIDES] = {0};
        for (end = i; end < n && !by_key(&tags[i], &tags[end]); end++)
            has[tags[end].side]++;
        if (!has[PAIRING_BASE] || !has[PAIRING_CONTENDER])
            continue;
        for (size_t k = i; k < end; k++)
            p->part[tags[k].side].group[tags[k].cell] = p->n_groups;
        for (int s = 0; s < PAIRING_SIDES; s++)
            p->part[s].sizes[p->n_groups] = has[s];
        p->n_groups++;
    }
}

static enum err make_groups(struct pairing *p, struct why *why)
{
    struct alike alike;
    find_alike(p, &alike);
    size_t most = p->part[0].matrix->n_cells + p->part[1].matrix->n_cells;
    uint32_t *keys = calloc(most * alike.n + 1, sizeof *keys);
    struct tagged *tags = calloc(most + 1, sizeof *tags);
    p->ended = calloc(most + 1, sizeof *p->ended);
    enum err e = keys && tags && p->ended ? ERR_OK : nomem(why);
    size_t n = 0;
    for (int s = 0; !e && s < PAIRING_SIDES; s++) {
        struct pairing_part *part = &p->part[s];
        size_t n_cells = part->matrix->n_cells;
        part->group = calloc(n_cells + 1, sizeof *part->group);
        part->sizes = calloc(most + 1, sizeof *part->sizes);
        if (!part->group || !part->sizes)
            e = nomem(why);
        for (size_t c = 0; !e && c < n_cells; c++) {
            uint32_t *key = keys + n * alike.n;
            part->group[c] = SIZE_MAX;
            if (slice_has(part->slice, &part->matrix->cells[c]) &&
                key_of(p, &alike, (enum pairing_side)s, c, key))
                tags[n++] =
                    (struct tagged){key, c, alike.n, (enum pairing_side)s};
        }
    }
    if (!e)
        number_groups(p, tags, n);
    free(keys);
    free(tags);
    if (!e && !p->n_groups)
        e = err_set(why, ERR_NOTFOUND,
                    "no cell of one has a counterpart in the other%s%s%s: "
                    "name the levels on both sides",
                    *p->alike ? " (with equal levels of " : "", p->alike,
                    *p->alike ? ")" : "");
    return e;
}

static int by_iteration(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The distinct iterations, paired of the whole experiment, so that both sides
 * have the same; which groups ended. */
static enum err read_trials(struct pairing *p, struct pairing_part *part,
                            struct why *why)
{
    const struct matrix *m = part->matrix;
    part->iterations = calloc(m->n_trials + 1, sizeof *part->iterations);
    if (!part->iterations)
        return nomem(why);
    size_t n = 0;
    for (size_t t = 0; t < m->n_trials; t++) {
        size_t g = part->group[m->trials[t].cell];
        if (g != SIZE_MAX || p->paired)
            part->iterations[n++] = m->trials[t].iteration;
        if (g == SIZE_MAX)
            continue;
        enum matrix_end end = m->trials[t].end;
        p->n_ended +=
            !p->ended[g] && (end == MATRIX_OOM || end == MATRIX_FAILED);
        p->ended[g] |= end == MATRIX_OOM || end == MATRIX_FAILED;
    }
    qsort(part->iterations, n, sizeof *part->iterations, by_iteration);
    for (size_t i = 0; i < n; i++)
        if (!i || part->iterations[i] != part->iterations[part->n_blocks - 1])
            part->iterations[part->n_blocks++] = part->iterations[i];
    return ERR_OK;
}

enum err pairing_make(struct pairing *out, const struct pairing_part *base,
                      const struct pairing_part *contender, struct why *why)
{
    *out = (struct pairing){.paired = base->matrix == contender->matrix &&
                                      !base->matrix->loose,
                            .part = {*base, *contender}};
    enum err e = make_groups(out, why);
    for (int s = 0; !e && s < PAIRING_SIDES; s++)
        e = read_trials(out, &out->part[s], why);
    if (e)
        pairing_fini(out);
    return e;
}

void pairing_fini(struct pairing *p)
{
    for (int s = 0; s < PAIRING_SIDES; s++) {
        free(p->part[s].group);
        free(p->part[s].sizes);
        free(p->part[s].iterations);
    }
    free(p->ended);
    *p = (struct pairing){.n_groups = 0};
}
