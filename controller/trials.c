#include "controller/trials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/json.h"
#include "common/place.h"
#include "controller/factor.h"
#include "controller/param.h"
#include "tracks/track.h"

enum trials_kind trials_kind(const struct trials *t, uint32_t cell)
{
    uint32_t n = (uint32_t)t->matrix.n_cells;
    if (cell < n)
        return TRIALS_PLAIN;
    return t->canary && cell == n ? TRIALS_CANARY : TRIALS_EXTRA;
}

uint32_t trials_source(const struct trials *t, uint32_t cell)
{
    switch (trials_kind(t, cell)) {
    case TRIALS_CANARY:
        return 0;
    case TRIALS_EXTRA:
        return cell - (uint32_t)t->matrix.n_cells - t->canary;
    case TRIALS_PLAIN:
        break;
    }
    return cell;
}

const char *trials_more(const struct trials *t, const char *canary, char *buf,
                        size_t size)
{
    char extra[32] = "";
    if (t->extra)
        (void)snprintf(extra, sizeof extra, " + %zu extra", t->matrix.n_cells);
    (void)snprintf(buf, size, "%s%s", t->canary ? canary : "", extra);
    return buf;
}

uint32_t trials_level(const struct trials *t, uint32_t cell, size_t axis)
{
    return t->matrix.levels[trials_source(t, cell) * t->matrix.n_axes + axis];
}

uint32_t trials_count(const struct trials *t)
{
    return t->ends[t->n_blocks - 1];
}

const char *trials_plan(const struct trials *t, uint32_t cell)
{
    return t->plans[t->plan_of[cell]];
}

const char *trials_challenge(const struct trials *t, char *buf, size_t size)
{
    struct jv *plan = NULL;
    enum err e =
        jv_parse(&plan, "plan", t->plans[0], strlen(t->plans[0]), NULL);
    (void)snprintf(buf, size, "%s",
                   e ? "" : jv_text(jv_get(plan, "challenge"), ""));
    jv_free(plan);
    return buf;
}

const char *trials_label(const struct trials *t, uint32_t cell, char *buf,
                         size_t size)
{
    size_t used = 0;
    (void)snprintf(buf, size, "base");
    for (size_t a = 0; a < t->ex->n_axes && used < size; a++) {
        const struct axis *axis = &t->ex->axes[a];
        if (axis->n_levels < 2)
            continue;
        int n =
            snprintf(buf + used, size - used, "%s%s=%s", used ? "," : "",
                     axis->name, axis->levels[trials_level(t, cell, a)].label);
        used += n > 0 ? (size_t)n : 0;
    }
    return buf;
}

/* Levels were parsed when their axes were added; what can still fail is a list
 * that grows too long or a track parameter too many. */
static enum err setup_cell(const struct trials *t, uint32_t cell,
                           struct setup *setup, struct why *why)
{
    const struct experiment *ex = t->ex;
    struct trial_spec *spec = &setup->spec;
    factor_defaults(setup);
    enum err e = setup_copy(spec->target, sizeof spec->target, "target",
                            ex->target, why);
    if (!e)
        e = setup_copy(setup->challenge, sizeof setup->challenge, "challenge",
                       ex->challenge, why);
    if (!e)
        e = experiment_devices(ex, trials_kind(t, cell) == TRIALS_EXTRA,
                               spec->telemetry, sizeof spec->telemetry, why);
    for (size_t a = 0; !e && a < ex->n_axes; a++)
        e = factor_set(ex->axes[a].name,
                       ex->axes[a].levels[trials_level(t, cell, a)].value,
                       setup, why);
    /* Extra trials are there for what they watch. */
    if (!e && trials_kind(t, cell) == TRIALS_EXTRA)
        e = experiment_devices(ex, true, spec->telemetry,
                               sizeof spec->telemetry, why);
    if (!e && !strcmp(spec->target, "pitwall"))
        e = param_check(spec, why);
    (void)trials_label(t, cell, spec->cell, sizeof spec->cell);
    (void)snprintf(spec->role, sizeof spec->role, "both");
    spec->ready_ns = TRIALS_READY_NS;
    spec->drain_ns = TRIALS_DRAIN_NS;
    return e;
}

void trials_setup(const struct trials *t, uint32_t cell, struct setup *setup)
{
    enum err e = setup_cell(t, cell, setup, NULL);
    (void)e; /* trials_make has seen every cell */
}

static bool readable(const char *path)
{
    return access(path, R_OK) == 0;
}

enum err trials_track_path(const char *folder, const char *track, char *buf,
                           size_t size, struct why *why)
{
    static const char *const shapes[] = {"%s", "tracks/%s.json"};
    char name[EXPERIMENT_PATH_MAX];
    bool absolute = track[0] == '/';
    int n = snprintf(buf, size, "%s%s%s", absolute ? "" : folder,
                     folder[0] && !absolute ? "/" : "", track);
    if (n > 0 && (size_t)n < size && readable(buf))
        return ERR_OK;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && !absolute; i++) {
        n = i == 0 ? snprintf(name, sizeof name, "%s", track)
                   : snprintf(name, sizeof name, "tracks/%s.json", track);
        if (n > 0 && (size_t)n < sizeof name &&
            !place_data(name, buf, size, NULL))
            return ERR_OK;
    }
    return err_set(why, ERR_NOTFOUND,
                   "track \"%s\": no such file%s%s, nor a shipped track of "
                   "that name",
                   track, folder[0] && !absolute ? " in " : "",
                   absolute ? "" : folder);
}

static enum err render(const struct trials *t, const struct setup *setup,
                       bool test_mode, char **plan, struct why *why)
{
    struct track_param params[SETUP_PARAMS_MAX];
    char path[2 * EXPERIMENT_PATH_MAX];
    struct track *track = NULL;
    const char *written = setup->track[0] ? setup->track : t->ex->track;
    for (size_t i = 0; i < setup->n_params; i++)
        params[i] =
            (struct track_param){setup->params[i].name, setup->params[i].value};
    if (!written[0])
        return err_set(why, ERR_USAGE, "no track; give --track FILE or NAME");
    enum err e =
        trials_track_path(t->ex->folder, written, path, sizeof path, why);
    if (!e)
        e = track_open(&track, path, params, setup->n_params, why);
    struct track_options options = {
        .challenge = setup->challenge[0] ? setup->challenge : NULL,
        .test_mode = test_mode};
    if (!e)
        e = track_render(track, &options, plan, why);
    track_close(track);
    return e;
}

/* Whether two cells choose and fill their tracks alike. */
static bool same_track(const struct setup *a, const struct setup *b)
{
    return !strcmp(a->track, b->track) && !strcmp(a->challenge, b->challenge) &&
           a->n_params == b->n_params &&
           !memcmp(a->params, b->params, sizeof a->params);
}

/* Render what this cell needs unless an earlier cell needed the same; firsts
 * [n_plans] holds the first cell of each plan. */
static enum err plan_cell(struct trials *t, uint32_t cell, uint32_t *firsts,
                          bool test_mode, struct why *why)
{
    struct setup *setups = calloc(2, sizeof *setups);
    if (!setups)
        return err_set(why, ERR_NOMEM, "setups");
    enum err e = setup_cell(t, cell, &setups[0], why);
    for (size_t i = 0; !e && i < t->n_plans; i++) {
        trials_setup(t, firsts[i], &setups[1]);
        if (same_track(&setups[0], &setups[1])) {
            t->plan_of[cell] = (uint32_t)i;
            goto out;
        }
    }
    char *plan = NULL;
    if (!e)
        e = render(t, &setups[0], test_mode, &plan, why);
    if (!e) {
        firsts[t->n_plans] = cell;
        t->plan_of[cell] = (uint32_t)t->n_plans;
        t->plans[t->n_plans++] = plan;
    }
out:
    free(setups);
    return e;
}

static enum err render_all(struct trials *t, bool test_mode, struct why *why)
{
    uint32_t *firsts = calloc(t->n_cells, sizeof *firsts);
    enum err e = firsts ? ERR_OK : err_set(why, ERR_NOMEM, "plans");
    for (uint32_t c = 0; !e && c < t->n_cells; c++)
        e = plan_cell(t, c, firsts, test_mode, why);
    free(firsts);
    return e;
}

static enum err allocate(struct trials *t, struct why *why)
{
    uint64_t count = (uint64_t)t->n_cells * t->n_blocks;
    if (count > TRIALS_MAX)
        return err_set(why, ERR_RANGE,
                       "%u cells x %u iterations are more than %u trials",
                       t->n_cells, t->n_blocks, TRIALS_MAX);
    t->order = calloc(count, sizeof *t->order);
    t->ends = calloc(t->n_blocks, sizeof *t->ends);
    t->plans = calloc(t->n_cells, sizeof *t->plans);
    t->plan_of = calloc(t->n_cells, sizeof *t->plan_of);
    if (!t->order || !t->ends || !t->plans || !t->plan_of)
        return err_set(why, ERR_NOMEM, "%u cells", t->n_cells);
    for (uint32_t b = 0; b < t->n_blocks; b++)
        t->ends[b] = t->n_cells * (b + 1);
    return ERR_OK;
}

enum err trials_make(struct trials **out, const struct experiment *ex,
                     bool test_mode, struct why *why)
{
    *out = NULL;
    struct trials *t = calloc(1, sizeof *t);
    if (!t)
        return err_set(why, ERR_NOMEM, "trials");
    t->ex = ex;
    t->n_blocks = ex->iterations;
    enum err e = matrix_expand(ex, &t->matrix, why);
    if (e)
        goto out;
    t->canary =
        ex->canary == CANARY_ON ||
        (ex->canary == CANARY_AUTO && t->matrix.n_cells >= TRIALS_CANARY_CELLS);
    t->extra = experiment_extra(ex);
    t->n_cells = (uint32_t)t->matrix.n_cells * (1 + t->extra) + t->canary;
    e = allocate(t, why);
    if (!e)
        e = render_all(t, test_mode, why);
    if (e)
        goto out;
    order_fill(ex->order, ex->seed, t->n_cells, t->n_blocks, t->order);
    *out = t;
    t = NULL;
out:
    trials_free(t);
    return e;
}

void trials_free(struct trials *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n_plans; i++)
        free(t->plans[i]);
    free(t->plans);
    free(t->plan_of);
    free(t->order);
    free(t->ends);
    free(t->positions);
    matrix_free(&t->matrix);
    free(t);
}
