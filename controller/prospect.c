#include "controller/prospect.h"

#include <math.h>
#include <stdio.h>

#include "results/noise.h"
#include "results/stat_verdict.h"

#define ALPHA  0.05
#define TARGET 0.02 /* the margin of comparisons unless another is given */

/* The least difference, as a share, that blocks show between means of n_pairs
 * pairs of cells. */
static double visible(const struct noise *noise, size_t n_blocks,
                      size_t n_pairs)
{
    double sd = noise->sd * sqrt(2 / (double)n_pairs);
    return expm1(stat_detectable(sd, n_blocks, ALPHA));
}

/* Blocks to show the target between two cells, 0: more than the cap. */
static size_t blocks_for_target(const struct noise *noise)
{
    for (size_t n = STAT_BLOCKS_MIN; n <= STAT_BLOCKS_CAP; n++)
        if (visible(noise, n, 1) <= TARGET)
            return n;
    return 0;
}

static void note_factors(const struct prospect *p, const struct noise *noise,
                         struct grid *grid)
{
    const struct experiment *ex = p->trials->ex;
    char line[300] = "";
    size_t len = 0;
    for (size_t a = 0; a < ex->n_axes && len < sizeof line; a++) {
        size_t pairs = p->trials->matrix.n_cells / ex->axes[a].n_levels;
        if (ex->axes[a].n_levels < 2 || pairs < 2)
            continue;
        len += (size_t)snprintf(
            line + len, sizeof line - len, "%s%s %.2g%%", len ? ", " : "",
            ex->axes[a].name, 100 * visible(noise, p->trials->n_blocks, pairs));
    }
    if (len)
        grid_note(grid, "  of a factor's level, over all cells: %s", line);
}

static void note_blocks(const struct prospect *p, const struct noise *noise,
                        struct grid *grid)
{
    uint32_t n = p->trials->n_blocks;
    size_t needed = blocks_for_target(noise);
    grid_note(grid,
              "noise seen before on bench %s: %s %.2g%% from trial to trial "
              "(experiment %lld \"%s\")",
              noise->bench, p->metric, 100 * expm1(noise->sd),
              (long long)noise->experiment, noise->name);
    if (n < STAT_BLOCKS_MIN) {
        grid_note(grid, "fewer than %u blocks give no verdict",
                  STAT_BLOCKS_MIN);
        return;
    }
    grid_note(grid,
              "%u blocks show, four times in five, a difference of %.2g%% "
              "between two cells",
              n, 100 * visible(noise, n, 1));
    note_factors(p, noise, grid);
    if (needed)
        grid_note(grid, "  to show %.2g%% between two cells: about %zu blocks",
                  100 * TARGET, needed);
    else
        grid_note(grid,
                  "  to show %.2g%% between two cells: more than %u blocks; "
                  "cut the noise",
                  100 * TARGET, STAT_BLOCKS_CAP);
}

void prospect_note(const struct prospect *p, struct grid *grid)
{
    struct why why = {""};
    struct store *store = NULL;
    struct noise noise;
    enum err e = store_open(&store, p->db, STORE_READ, &why);
    if (!e)
        e = noise_seen(store, p->bench, metric_find(p->metric), &noise, &why);
    if (!e)
        note_blocks(p, &noise, grid);
    else
        grid_note(grid,
                  "no noise seen before%s%s in %s: what %u blocks can show is "
                  "not known (%s)",
                  p->bench ? " on bench " : "", p->bench ? p->bench : "", p->db,
                  p->trials->n_blocks, why.text);
    store_close(store);
}
