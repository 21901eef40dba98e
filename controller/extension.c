#include "controller/extension.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "controller/entry.h"
#include "controller/sequel.h"

static enum err count_blocks(const struct extension *x,
                             const struct experiment *ex, uint32_t *blocks,
                             struct why *why)
{
    uint64_t n = ex->iterations;
    if (!x->blocks && !x->n_levels)
        return err_set(why, ERR_USAGE,
                       "nothing to add: give -n +6 or -m NAME+=LEVEL,...");
    if (x->blocks && x->blocks[0] != '+')
        return err_set(why, ERR_USAGE,
                       "-n: \"%s\" is not +N, such as +6 for six iterations "
                       "more",
                       x->blocks);
    enum err e = ERR_OK;
    if (x->blocks) {
        e = units_u64(x->blocks + 1, EXPERIMENT_ITERATIONS_MAX, &n, why);
        if (!e && !n)
            e = err_set(why, ERR_RANGE, "\"+0\" adds nothing");
    }
    if (!e && ex->iterations + n > EXPERIMENT_ITERATIONS_MAX)
        e = err_set(why, ERR_RANGE, "%u iterations and %llu more are over %u",
                    ex->iterations, (unsigned long long)n,
                    EXPERIMENT_ITERATIONS_MAX);
    *blocks = (uint32_t)n;
    return e ? err_wrap(why, e, "-n") : ERR_OK;
}

static struct axis *find_axis(struct experiment *ex, const char *name)
{
    for (size_t a = 0; a < ex->n_axes; a++)
        if (!strcmp(ex->axes[a].name, name))
            return &ex->axes[a];
    return NULL;
}

/* "NAME+=LEVEL,...": the levels of before, then these. */
static enum err add_levels(struct experiment *ex, const char *text,
                           struct why *why)
{
    char name[SETUP_NAME_MAX + 16];
    const char *rest = NULL;
    size_t n = 0;
    enum err e = level_split(text, name, sizeof name, &rest, why);
    if (e)
        return e;
    size_t len = strlen(name);
    if (len < 2 || name[len - 1] != '+')
        return err_set(why, ERR_USAGE, "\"%s\" is not NAME+=LEVEL,...", text);
    name[len - 1] = '\0';
    const struct axis *axis = find_axis(ex, name);
    if (!axis)
        return err_set(why, ERR_INVALID,
                       "\"%s\" is no factor of this experiment: what level its "
                       "trials had is not known",
                       name);
    struct level *all = calloc(2 * LEVEL_LIST_MAX, sizeof *all);
    if (!all)
        return err_set(why, ERR_NOMEM, "levels");
    memcpy(all, axis->levels, axis->n_levels * sizeof *all);
    e = level_list(rest, all + axis->n_levels, LEVEL_LIST_MAX, &n, why);
    if (!e)
        e = experiment_axis(ex, name, all, axis->n_levels + n, why);
    free(all);
    return e;
}

static enum err check_zips(const struct experiment *ex, struct why *why)
{
    for (size_t z = 0; z < ex->n_zips; z++) {
        const struct axis *first = NULL;
        for (size_t a = 0; a < ex->n_axes; a++) {
            const struct axis *axis = &ex->axes[a];
            if (!(ex->zips[z].axes & 1u << a))
                continue;
            if (first && axis->n_levels != first->n_levels)
                return err_set(why, ERR_INVALID,
                               "%s and %s are zipped: add as many levels to "
                               "both",
                               first->name, axis->name);
            first = axis;
        }
    }
    return ERR_OK;
}

enum err extension_apply(const struct extension *x, struct experiment *ex,
                         uint32_t *blocks, struct why *why)
{
    enum err e = count_blocks(x, ex, blocks, why);
    if (e)
        return e;
    for (size_t i = 0; i < x->n_levels; i++) {
        e = add_levels(ex, x->levels[i], why);
        if (e)
            return err_wrap(why, e, "-m");
    }
    ex->iterations += *blocks;
    return check_zips(ex, why);
}

/* Levels are only ever added at an axis's end, so that a cell of before has the
 * same ones by number. */
static bool is_same(const struct trials *before, uint32_t a,
                    const struct trials *after, uint32_t b)
{
    if (trials_kind(before, a) != trials_kind(after, b))
        return false;
    for (size_t i = 0; i < before->ex->n_axes; i++)
        if (trials_level(before, a, i) != trials_level(after, b, i))
            return false;
    return true;
}

/* Place in the store of each cell of after; false: one of before is missing. */
static bool place_cells(const struct extension_entry *x, uint32_t *positions)
{
    uint32_t next = x->before->n_cells, found = 0;
    for (uint32_t b = 0; b < x->after->n_cells; b++) {
        uint32_t a = 0;
        while (a < x->before->n_cells && !is_same(x->before, a, x->after, b))
            a++;
        bool old = a < x->before->n_cells;
        found += old;
        positions[b] = old ? sequel_position(x->before, a) : next++;
    }
    return found == x->before->n_cells;
}

enum err extension_enter(struct store *store, const struct extension_entry *x,
                         struct why *why)
{
    const struct trials *t = x->after;
    uint32_t *positions = calloc(t->n_cells, sizeof *positions);
    uint32_t *order = calloc((size_t)t->n_cells * x->blocks, sizeof *order);
    char *conduct = NULL;
    enum err e =
        positions && order ? ERR_OK : err_set(why, ERR_NOMEM, "more cells");
    if (!e && !place_cells(x, positions))
        e = err_set(why, ERR_INVALID,
                    "a cell that was measured would not be one any more");
    if (!e)
        e = conduct_digest(t, x->conduct->plans, why);
    if (!e) {
        order_fill(t->ex->order, t->ex->seed + x->past->n_trials, t->n_cells,
                   x->blocks, order);
        conduct = conduct_print(x->conduct);
        const struct entry_more more = {.experiment = x->past->experiment,
                                        .positions = positions,
                                        .n_old = x->before->n_cells,
                                        .order = order,
                                        .n_blocks = x->blocks};
        const struct entry entry = {.trials = t, .conduct = conduct};
        e = entry_extend(store, &entry, &more, why);
    }
    free(conduct);
    free(positions);
    free(order);
    return e;
}
