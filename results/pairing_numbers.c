/* What each block says of a pairing's groups in one metric. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/pairing.h"

/* Means of the groups in the blocks, and which of both are taken. */
struct board {
    const struct pairing *pairing;
    double *mean[PAIRING_SIDES]; /* [n_groups][n_blocks], NAN: a hole */
    bool *takes_group;           /* [n_groups] */
    bool *takes_block[PAIRING_SIDES];
};

static size_t block_of(const struct pairing_part *part, int64_t iteration)
{
    size_t low = 0, high = part->n_blocks;
    while (low + 1 < high) {
        size_t mid = (low + high) / 2;
        if (part->iterations[mid] <= iteration)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* Sums of a group's trials; a hole where one of its cells has no value. */
static enum err fill(struct board *b, int side, const double *values, bool logs,
                     struct why *why)
{
    const struct pairing_part *part = &b->pairing->part[side];
    const struct matrix *m = part->matrix;
    size_t n = b->pairing->n_groups * part->n_blocks;
    size_t *count = calloc(n + 1, sizeof *count);
    b->mean[side] = calloc(n + 1, sizeof *b->mean[side]);
    b->takes_block[side] = calloc(part->n_blocks + 1, 1);
    if (!count || !b->mean[side] || !b->takes_block[side]) {
        free(count);
        return err_set(why, ERR_NOMEM, "pair the blocks");
    }
    for (size_t t = 0; t < m->n_trials; t++) {
        size_t g = part->group[m->trials[t].cell];
        double v = logs ? log(values[t]) : values[t];
        if (g == SIZE_MAX || !isfinite(v))
            continue;
        size_t at = g * part->n_blocks + block_of(part, m->trials[t].iteration);
        b->mean[side][at] += v / (double)part->sizes[g];
        count[at]++;
    }
    for (size_t i = 0; i < n; i++)
        if (count[i] != part->sizes[i / part->n_blocks])
            b->mean[side][i] = NAN;
    free(count);
    return ERR_OK;
}

static bool hole(const struct board *b, int side, size_t group, size_t block)
{
    return isnan(
        b->mean[side][group * b->pairing->part[side].n_blocks + block]);
}

static bool hole_of_pair(const struct board *b, size_t group, size_t block)
{
    return hole(b, PAIRING_BASE, group, block) ||
           hole(b, PAIRING_CONTENDER, group, block);
}

/* Blocks in which any group, or every group that is taken, is whole. */
static size_t take_blocks(struct board *b, bool every)
{
    size_t n = 0;
    for (size_t k = 0; k < b->pairing->part[0].n_blocks; k++) {
        bool any = false, all = true;
        for (size_t g = 0; g < b->pairing->n_groups; g++) {
            if (!b->takes_group[g])
                continue;
            any |= !hole_of_pair(b, g, k);
            all &= !hole_of_pair(b, g, k);
        }
        b->takes_block[0][k] = every ? any && all : any;
        n += b->takes_block[0][k];
    }
    return n;
}

static bool whole(const struct board *b, size_t group)
{
    for (size_t k = 0; k < b->pairing->part[0].n_blocks; k++)
        if (b->takes_block[0][k] && hole_of_pair(b, group, k))
            return false;
    return true;
}

/* Leave out the groups with holes, or the blocks, whichever keeps more. */
static void take_paired(struct board *b)
{
    size_t groups = 0, kept_groups = 0;
    size_t blocks = take_blocks(b, true);
    size_t begun = take_blocks(b, false);
    for (size_t g = 0; g < b->pairing->n_groups; g++) {
        groups += b->takes_group[g];
        kept_groups += b->takes_group[g] && whole(b, g);
    }
    if (kept_groups * begun >= blocks * groups && kept_groups)
        for (size_t g = 0; g < b->pairing->n_groups; g++)
            b->takes_group[g] = b->takes_group[g] && whole(b, g);
    else
        (void)take_blocks(b, true);
    memcpy(b->takes_block[1], b->takes_block[0],
           b->pairing->part[0].n_blocks * sizeof **b->takes_block);
}

/* Groups that both sides have some block of; of those the whole blocks. */
static void take_unpaired(struct board *b)
{
    for (size_t g = 0; g < b->pairing->n_groups; g++)
        for (int s = 0; s < PAIRING_SIDES; s++) {
            bool any = false;
            for (size_t k = 0; k < b->pairing->part[s].n_blocks; k++)
                any |= !hole(b, s, g, k);
            b->takes_group[g] = b->takes_group[g] && any;
        }
    for (int s = 0; s < PAIRING_SIDES; s++)
        for (size_t k = 0; k < b->pairing->part[s].n_blocks; k++) {
            b->takes_block[s][k] = true;
            for (size_t g = 0; g < b->pairing->n_groups; g++)
                if (b->takes_group[g] && hole(b, s, g, k))
                    b->takes_block[s][k] = false;
        }
}

static enum err collect(const struct board *b, struct pairing_numbers *out,
                        struct why *why)
{
    const struct pairing *p = b->pairing;
    for (size_t g = 0; g < p->n_groups; g++)
        out->n_groups += b->takes_group[g];
    for (int s = 0; s < PAIRING_SIDES; s++) {
        size_t n_blocks = p->part[s].n_blocks;
        out->y[s] = calloc(n_blocks + 1, sizeof *out->y[s]);
        if (!out->y[s])
            return err_set(why, ERR_NOMEM, "pair the blocks");
        for (size_t k = 0; out->n_groups && k < n_blocks; k++) {
            double sum = 0;
            if (!b->takes_block[s][k])
                continue;
            for (size_t g = 0; g < p->n_groups; g++)
                if (b->takes_group[g])
                    sum += b->mean[s][g * n_blocks + k];
            out->y[s][out->n[s]++] = sum / (double)out->n_groups;
        }
    }
    return ERR_OK;
}

enum err pairing_numbers(struct pairing_numbers *out,
                         const struct pairing *pairing,
                         const double *const values[PAIRING_SIDES], bool logs,
                         struct why *why)
{
    struct board b = {.pairing = pairing,
                      .takes_group = calloc(pairing->n_groups + 1, 1)};
    *out = (struct pairing_numbers){.n_groups = 0};
    enum err e =
        b.takes_group ? ERR_OK : err_set(why, ERR_NOMEM, "pair the blocks");
    for (int s = 0; !e && s < PAIRING_SIDES; s++)
        e = fill(&b, s, values[s], logs, why);
    for (size_t g = 0; !e && g < pairing->n_groups; g++)
        b.takes_group[g] = !pairing->ended[g];
    if (!e && pairing->paired)
        take_paired(&b);
    else if (!e)
        take_unpaired(&b);
    if (!e)
        e = collect(&b, out, why);
    for (int s = 0; s < PAIRING_SIDES; s++) {
        free(b.mean[s]);
        free(b.takes_block[s]);
    }
    free(b.takes_group);
    if (e)
        pairing_numbers_fini(out);
    return e;
}

void pairing_numbers_fini(struct pairing_numbers *numbers)
{
    for (int s = 0; s < PAIRING_SIDES; s++)
        free(numbers->y[s]);
    *numbers = (struct pairing_numbers){.n_groups = 0};
}
