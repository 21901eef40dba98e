#include "controller/entry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "controller/experiment_file.h"
#include "controller/factor.h"
#include "results/extend.h"

enum err entry_uuid(char uuid[37], struct why *why)
{
    uint8_t b[16];
    if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b)
        return err_errno(why, errno, "draw a uuid");
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    (void)snprintf(uuid, 37,
                   "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
                   "%02x%02x%02x%02x%02x%02x",
                   b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9],
                   b[10], b[11], b[12], b[13], b[14], b[15]);
    return ERR_OK;
}

/* Everything that store_plan points to. */
struct pages {
    struct store_factor factors[EXPERIMENT_AXES_MAX];
    struct store_level levels[EXPERIMENT_AXES_MAX][LEVEL_LIST_MAX];
    struct store_cell *cells;             /* [n_cells] */
    uint32_t *cell_levels;                /* [n_cells][n_axes] */
    char (*labels)[TRIALS_LABEL_MAX + 1]; /* [n_cells] */
    char *json;
    char challenge[SETUP_NAME_MAX + 1];
};

static void fill_factors(const struct experiment *ex, struct pages *p)
{
    for (size_t a = 0; a < ex->n_axes; a++) {
        const struct axis *axis = &ex->axes[a];
        const struct factor *factor = NULL;
        const char *param = "";
        enum err e = factor_find(axis->name, &factor, &param, NULL);
        (void)e; /* axes hold known factors only */
        for (size_t i = 0; i < axis->n_levels; i++)
            p->levels[a][i] = (struct store_level){axis->levels[i].label,
                                                   axis->levels[i].value};
        p->factors[a] = (struct store_factor){
            .name = axis->name,
            .kind = factor ? factor_kind_name(factor->kind) : "",
            .levels = p->levels[a],
            .n_levels = axis->n_levels};
    }
}

static enum purpose purpose_of(enum trials_kind kind)
{
    static const enum purpose of[] = {[TRIALS_PLAIN] = PURPOSE_MEASURE,
                                      [TRIALS_CANARY] = PURPOSE_CANARY,
                                      [TRIALS_EXTRA] = PURPOSE_PROFILE};
    return of[kind];
}

static enum err fill_cells(const struct trials *t, struct pages *p,
                           struct why *why)
{
    size_t n_axes = t->ex->n_axes;
    p->cells = calloc(t->n_cells, sizeof *p->cells);
    p->cell_levels =
        calloc((size_t)t->n_cells * (n_axes + 1), sizeof *p->cell_levels);
    p->labels = calloc(t->n_cells, sizeof *p->labels);
    if (!p->cells || !p->cell_levels || !p->labels)
        return err_set(why, ERR_NOMEM, "%u cells", t->n_cells);
    for (uint32_t c = 0; c < t->n_cells; c++) {
        uint32_t *levels = p->cell_levels + c * n_axes;
        for (size_t a = 0; a < n_axes; a++)
            levels[a] = trials_level(t, c, a);
        p->cells[c] = (struct store_cell){
            .label = trials_label(t, c, p->labels[c], sizeof p->labels[c]),
            .levels = levels,
            .purpose = purpose_of(trials_kind(t, c)),
            .repeats = trials_source(t, c)};
    }
    return ERR_OK;
}

/* The plan of in's trials, on pages (free_pages). */
static enum err fill_plan(const struct entry *in, struct pages *p,
                          struct store_plan *plan, struct why *why)
{
    const struct trials *t = in->trials;
    const struct experiment *ex = t->ex;
    fill_factors(ex, p);
    p->json = experiment_file_print(ex);
    (void)trials_challenge(t, p->challenge, sizeof p->challenge);
    enum err e = fill_cells(t, p, why);
    *plan = (struct store_plan){.uuid = in->uuid,
                                .name = ex->name,
                                .track = ex->track,
                                .challenge = p->challenge,
                                .target = ex->target,
                                .json = p->json,
                                .conduct = in->conduct,
                                .version = PITWALL_VERSION,
                                .seed = ex->seed,
                                .order_kind = order_name(ex->order),
                                .warmup_ns = ex->warmup_ns,
                                .measure_ns = ex->measure_ns,
                                .accept = &ex->accept,
                                .factors = p->factors,
                                .n_factors = ex->n_axes,
                                .cells = p->cells,
                                .n_cells = t->n_cells,
                                .order = t->order,
                                .n_blocks = t->n_blocks,
                                .benches = in->benches,
                                .n_benches = in->n_benches,
                                .tags = in->tags,
                                .n_tags = in->n_tags};
    return e;
}

static void free_pages(struct pages *p)
{
    free(p->cells);
    free(p->cell_levels);
    free(p->labels);
    free(p->json);
    free(p);
}

enum err entry_add(struct store *store, const struct entry *in,
                   int64_t *experiment, struct why *why)
{
    struct store_plan plan;
    struct pages *p = calloc(1, sizeof *p);
    if (!p)
        return err_set(why, ERR_NOMEM, "enter the experiment");
    enum err e = fill_plan(in, p, &plan, why);
    if (!e)
        e = store_plan_add(store, &plan, experiment, why);
    free_pages(p);
    return e;
}

enum err entry_extend(struct store *store, const struct entry *in,
                      const struct entry_more *more, struct why *why)
{
    struct store_plan plan;
    struct pages *p = calloc(1, sizeof *p);
    if (!p)
        return err_set(why, ERR_NOMEM, "extend the experiment");
    enum err e = fill_plan(in, p, &plan, why);
    plan.order = more->order;
    plan.n_blocks = more->n_blocks;
    const struct extend extend = {.experiment = more->experiment,
                                  .plan = &plan,
                                  .positions = more->positions,
                                  .n_old = more->n_old};
    if (!e)
        e = store_extend(store, &extend, why);
    free_pages(p);
    return e;
}
