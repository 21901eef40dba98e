#include "controller/experiment.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/units.h"
#include "controller/devices.h"
#include "controller/factor.h"

static const char devices[] = "link,tcp,cpu,disk,proc,target";
void experiment_init(struct experiment *ex)
{
    memset(ex, 0, sizeof *ex);
    ex->iterations = 6; /* fewer cannot tell 5 % in a matrix apart */
    ex->order = ORDER_BLOCKS;
    ex->warmup_ns = 2 * NS_PER_S;
    ex->measure_ns = 10 * NS_PER_S;
    ex->canary = CANARY_AUTO;
    accept_init(&ex->accept);
    (void)snprintf(ex->target, sizeof ex->target, "pitwall");
    (void)snprintf(ex->telemetry, sizeof ex->telemetry, "%s", devices);
}

/* Index of the axis, or n_axes. */
static size_t find_axis(const struct experiment *ex, const char *name)
{
    size_t i = 0;
    while (i < ex->n_axes && strcmp(ex->axes[i].name, name))
        i++;
    return i;
}

/* Index of the level by label or value, or n_levels. */
static size_t find_level(const struct axis *axis, const char *word)
{
    for (size_t i = 0; i < axis->n_levels; i++)
        if (!strcmp(axis->levels[i].label, word))
            return i;
    size_t i = 0;
    while (i < axis->n_levels && strcmp(axis->levels[i].value, word))
        i++;
    return i;
}

/* Parse every level on an empty setup each and compare them in pairs: two that
 * mean the same would be one cell measured under two names. */
static enum err check_levels(const char *name, const struct level *levels,
                             size_t n, struct why *why)
{
    struct setup *setups = calloc(n, sizeof *setups);
    if (!setups)
        return err_set(why, ERR_NOMEM, "levels of %s", name);
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < n; i++) {
        e = factor_set(name, levels[i].value, &setups[i], why);
        for (size_t j = 0; !e && j < i; j++)
            if (!strcmp(levels[i].label, levels[j].label))
                e = err_set(why, ERR_INVALID,
                            "%s: level \"%s\" stands there twice", name,
                            levels[i].label);
            else if (setup_equal(&setups[i], &setups[j]))
                e = err_set(why, ERR_INVALID,
                            "%s: levels \"%s\" and \"%s\" mean the same", name,
                            levels[j].label, levels[i].label);
    }
    free(setups);
    return e;
}

enum err experiment_axis(struct experiment *ex, const char *name,
                         const struct level *levels, size_t n, struct why *why)
{
    const struct factor *factor = NULL;
    const char *param = "";
    enum err e = factor_find(name, &factor, &param, why);
    if (e)
        return e;
    if (!n)
        return err_set(why, ERR_INVALID, "%s: no level", name);
    if (n > LEVEL_LIST_MAX)
        return err_set(why, ERR_RANGE, "%s: more than %u levels", name,
                       LEVEL_LIST_MAX);
    e = check_levels(name, levels, n, why);
    if (e)
        return e;
    size_t i = find_axis(ex, name);
    if (i == EXPERIMENT_AXES_MAX)
        return err_set(why, ERR_RANGE, "%s: more than %u factors", name,
                       EXPERIMENT_AXES_MAX);
    struct axis *axis = &ex->axes[i];
    (void)snprintf(axis->name, sizeof axis->name, "%s", name);
    memcpy(axis->levels, levels, n * sizeof *levels);
    axis->n_levels = n;
    if (i == ex->n_axes)
        ex->n_axes++;
    return ERR_OK;
}

enum err experiment_option(struct experiment *ex, const char *text,
                           struct why *why)
{
    char name[SETUP_NAME_MAX + 16];
    const char *rest = NULL;
    size_t n = 0;
    struct level *levels = calloc(LEVEL_LIST_MAX, sizeof *levels);
    if (!levels)
        return err_set(why, ERR_NOMEM, "levels");
    enum err e = level_split(text, name, sizeof name, &rest, why);
    if (!e) {
        e = level_list(rest, levels, LEVEL_LIST_MAX, &n, why);
        if (e)
            e = err_wrap(why, e, "%s", name);
    }
    if (!e)
        e = experiment_axis(ex, name, levels, n, why);
    free(levels);
    return e;
}

/* The levels of an axis for a message. */
static const char *list_levels(const struct axis *axis, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < axis->n_levels && used < size; i++) {
        int n = snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
                         axis->levels[i].label);
        used += n > 0 ? (size_t)n : 0;
    }
    return buf;
}

static enum err no_axis(const struct experiment *ex, const char *name,
                        struct why *why)
{
    char names[256] = "none";
    size_t used = 0;
    for (size_t i = 0; i < ex->n_axes && used < sizeof names; i++) {
        int n = snprintf(names + used, sizeof names - used, "%s%s",
                         i ? ", " : "", ex->axes[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
    return err_set(why, ERR_INVALID,
                   "\"%s\" is not a factor of this experiment; it has: %s",
                   name, names);
}

static enum err exclude_part(const struct experiment *ex, char *part,
                             struct exclude *out, struct why *why)
{
    char name[SETUP_NAME_MAX + 16], levels[160];
    const char *word = NULL;
    enum err e = level_split(part, name, sizeof name, &word, why);
    if (e)
        return e;
    size_t axis = find_axis(ex, name);
    if (axis == ex->n_axes)
        return no_axis(ex, name, why);
    size_t level = find_level(&ex->axes[axis], word);
    if (level == ex->axes[axis].n_levels)
        return err_set(why, ERR_INVALID, "%s has no level \"%s\"; it has: %s",
                       name, word,
                       list_levels(&ex->axes[axis], levels, sizeof levels));
    out->levels[axis] |= 1ull << level;
    return ERR_OK;
}

enum err experiment_exclude(struct experiment *ex, const char *text,
                            struct why *why)
{
    struct exclude x = {0};
    char copy[sizeof x.text];
    if (ex->n_excludes == EXPERIMENT_EXCLUDES_MAX)
        return err_set(why, ERR_RANGE, "more than %u excludes",
                       EXPERIMENT_EXCLUDES_MAX);
    enum err e = setup_copy(x.text, sizeof x.text, "exclude", text, why);
    if (e)
        return e;
    memcpy(copy, x.text, sizeof copy);
    for (char *at = copy; at;) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        e = exclude_part(ex, at, &x, why);
        if (e)
            return err_wrap(why, e, "exclude %s", text);
        at = comma ? comma + 1 : NULL;
    }
    ex->excludes[ex->n_excludes++] = x;
    return ERR_OK;
}

/* Put the axis called name into zip; all must have as many levels as *n. */
static enum err zip_part(const struct experiment *ex, const char *name,
                         struct zip *zip, size_t *n, struct why *why)
{
    size_t axis = find_axis(ex, name);
    if (axis == ex->n_axes)
        return no_axis(ex, name, why);
    uint32_t taken = zip->axes;
    for (size_t i = 0; i < ex->n_zips; i++)
        taken |= ex->zips[i].axes;
    if (taken & 1u << axis)
        return err_set(why, ERR_INVALID, "%s is zipped twice", name);
    size_t levels = ex->axes[axis].n_levels;
    if (zip->axes && levels != *n)
        return err_set(why, ERR_INVALID,
                       "%s has %zu levels, the others have %zu", name, levels,
                       *n);
    *n = levels;
    zip->axes |= 1u << axis;
    return ERR_OK;
}

enum err experiment_zip(struct experiment *ex, const char *text,
                        struct why *why)
{
    struct zip zip = {0};
    char copy[256];
    size_t n = 0, names = 0;
    if (ex->n_zips == EXPERIMENT_ZIPS_MAX)
        return err_set(why, ERR_RANGE, "more than %u zips",
                       EXPERIMENT_ZIPS_MAX);
    enum err e = setup_copy(copy, sizeof copy, "zip", text, why);
    for (char *at = copy; !e && at; names++) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        e = zip_part(ex, at, &zip, &n, why);
        at = comma ? comma + 1 : NULL;
    }
    if (!e && names < 2)
        e = err_set(why, ERR_INVALID, "a zip joins two factors or more");
    if (e)
        return err_wrap(why, e, "zip %s", text);
    ex->zips[ex->n_zips++] = zip;
    return ERR_OK;
}

void experiment_drop(struct experiment *ex, size_t axis, size_t level)
{
    struct axis *a = &ex->axes[axis];
    uint64_t below = (1ull << level) - 1;
    size_t kept = 0;
    assert(!ex->n_zips && a->n_levels > 1 && level < a->n_levels);
    a->n_levels--;
    memmove(&a->levels[level], &a->levels[level + 1],
            (a->n_levels - level) * sizeof *a->levels);
    for (size_t i = 0; i < ex->n_excludes; i++) {
        struct exclude x = ex->excludes[i];
        uint64_t bits = x.levels[axis];
        x.levels[axis] = (bits & below) | (bits >> 1 & ~below);
        if (!bits || x.levels[axis])
            ex->excludes[kept++] = x;
    }
    ex->n_excludes = kept;
}

enum err experiment_telemetry(struct experiment *ex, const char *text,
                              struct why *why)
{
    enum err e = devices_check(text, why);
    return e ? e
             : setup_copy(ex->telemetry, sizeof ex->telemetry, "telemetry",
                          text, why);
}

bool experiment_extra(const struct experiment *ex)
{
    return devices_extra(ex->telemetry);
}

enum err experiment_devices(const struct experiment *ex, bool extra, char *list,
                            size_t size, struct why *why)
{
    return devices_keep(ex->telemetry, extra, list, size, why);
}

enum err experiment_order(struct experiment *ex, const char *text,
                          struct why *why)
{
    return order_parse(text, &ex->order, why);
}

enum err experiment_canary(struct experiment *ex, const char *text,
                           struct why *why)
{
    if (!strcmp(text, "auto"))
        ex->canary = CANARY_AUTO;
    else if (!strcmp(text, "on"))
        ex->canary = CANARY_ON;
    else if (!strcmp(text, "off"))
        ex->canary = CANARY_OFF;
    else
        return err_set(why, ERR_INVALID, "\"%s\" is not auto, on or off", text);
    return ERR_OK;
}

enum err experiment_iterations(struct experiment *ex, const char *text,
                               struct why *why)
{
    uint64_t v = 0;
    enum err e = units_u64(text, EXPERIMENT_ITERATIONS_MAX, &v, why);
    if (!e && !v)
        e = err_set(why, ERR_RANGE, "\"0\" measures nothing");
    if (e)
        return e;
    ex->iterations = (uint32_t)v;
    return ERR_OK;
}
