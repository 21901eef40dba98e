#include "results/look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "results/effects.h"
#include "results/handle.h"
#include "results/stat_look.h"

#define ALPHA      0.05
#define MARGIN     0.02
#define BLOCKS_MAX 10000u

enum err look_parse_planned(struct look_rule *rule, const char *text,
                            struct why *why)
{
    static const char form[] =
        "numbers of blocks, rising, from 3 on, such as 6,12,24";
    const char *at = text;
    *rule = (struct look_rule){.kind = LOOK_PLANNED};
    while (*at) {
        char word[16];
        uint64_t n = 0;
        size_t len = strcspn(at, ",");
        (void)snprintf(word, sizeof word, "%.*s", (int)len, at);
        if (rule->n == LOOK_MAX)
            return err_set(why, ERR_USAGE, "\"%s\": more than %u looks", text,
                           LOOK_MAX);
        if (len >= sizeof word || units_u64(word, BLOCKS_MAX, &n, NULL) ||
            n < STAT_BLOCKS_MIN || (rule->n && n <= rule->at[rule->n - 1]))
            return err_set(why, ERR_USAGE, "\"%s\": %s", text, form);
        rule->at[rule->n++] = (uint32_t)n;
        at += len + (at[len] == ',');
    }
    return rule->n ? ERR_OK : err_set(why, ERR_USAGE, "\"%s\": %s", text, form);
}

enum err look_parse_width(struct look_rule *rule, const char *text,
                          struct why *why)
{
    *rule = (struct look_rule){.kind = LOOK_WIDTH};
    enum err e = units_ratio(text, &rule->width_ratio, why);
    if (!e && rule->width_ratio <= 0)
        e = err_set(why, ERR_USAGE, "\"%s\": a share above 0, such as 2%%",
                    text);
    return e;
}

const char *look_show(const struct look_rule *rule, char *buf, size_t size)
{
    size_t n = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < rule->n && n < size; i++)
        n += (size_t)snprintf(buf + n, size - n, "%s%u", i ? "," : "",
                              rule->at[i]);
    if (rule->kind == LOOK_WIDTH)
        (void)snprintf(buf, size, "%.12g%%", 100 * rule->width_ratio);
    return buf;
}

bool look_due(const struct look_rule *rule, uint32_t n_blocks)
{
    for (size_t i = 0; i < rule->n; i++)
        if (rule->at[i] == n_blocks)
            return true;
    return rule->kind == LOOK_WIDTH && n_blocks > STAT_WIDTH_BLOCKS_MIN;
}

/* Which of the planned looks it is, from 1. */
static size_t number_of(const struct look_rule *rule, uint32_t n_blocks)
{
    for (size_t i = 0; i < rule->n; i++)
        if (rule->at[i] == n_blocks)
            return i + 1;
    return 0;
}

static double alpha_of(const struct look_rule *rule, uint32_t n_blocks)
{
    return rule->kind == LOOK_PLANNED
               ? stat_look_alpha(ALPHA, number_of(rule, n_blocks), rule->n)
               : STAT_WIDTH_ALPHA;
}

/* Whether an effect asks for no more blocks by this rule. */
static enum err settled(const struct effects *x, const struct effect *effect,
                        const struct look_rule *rule, bool *yes,
                        struct why *why)
{
    enum stat_outcome o = effect->finding.verdict.outcome;
    *yes = o != STAT_NO_VERDICT && o != STAT_INCONCLUSIVE;
    if (rule->kind == LOOK_PLANNED)
        return ERR_OK;
    double *d = calloc(x->field.grid.n_blocks + 1, sizeof *d);
    if (!d)
        return err_set(why, ERR_NOMEM, "look");
    (void)stat_contrast_of(&x->field.grid, &effect->contrast, d);
    *yes = stat_width_reached(d, x->field.grid.n_blocks, rule->width_ratio);
    free(d);
    return ERR_OK;
}

/* Main effects that can be measured: how many, and how many are settled. */
static enum err count(const struct effects *x, const struct look_rule *rule,
                      size_t *all, size_t *done, struct why *why)
{
    enum err e = ERR_OK;
    *all = *done = 0;
    for (size_t i = 0; !e && i < x->n; i++) {
        bool yes = false;
        if (x->list[i].kind != EFFECT_MAIN || !x->list[i].matched.used)
            continue;
        ++*all;
        e = settled(x, &x->list[i], rule, &yes, why);
        *done += yes;
    }
    return e;
}

static void tell(const struct look_rule *rule, uint32_t n_blocks, size_t all,
                 size_t done, struct look *out)
{
    char which[64];
    if (rule->kind == LOOK_PLANNED)
        (void)snprintf(which, sizeof which, "look %zu of %zu, alpha %.3g%%",
                       number_of(rule, n_blocks), rule->n,
                       100 * alpha_of(rule, n_blocks));
    else
        (void)snprintf(which, sizeof which, "width %.3g%%",
                       100 * rule->width_ratio);
    out->stop = all && done == all;
    (void)snprintf(out->words, sizeof out->words,
                   "%s: after %u blocks %zu of %zu effects on %s %s%s", which,
                   n_blocks, done, all, rule->metric,
                   rule->kind == LOOK_PLANNED ? "have a verdict"
                                              : "are that narrow",
                   out->stop ? ": enough" : "");
}

/* A look at so many blocks that stands in the store. */
static enum err recall(struct db *db, int64_t experiment, uint32_t n_blocks,
                       struct look *out, bool *there, struct why *why)
{
    struct db_stmt *stmt = NULL;
    enum err e = db_prepare(db, &stmt,
                            "select stop, words from look where experiment = ? "
                            "and blocks = ?",
                            DB_VALUES(DB_I(experiment), DB_I(n_blocks)), why);
    if (!e)
        e = db_step(stmt, there, why);
    if (!e && *there) {
        struct db_value words = db_column(stmt, 1);
        out->stop = db_column(stmt, 0).i != 0;
        (void)snprintf(out->words, sizeof out->words, "%s",
                       words.type == DB_TEXT ? (const char *)words.data : "");
    }
    db_finish(stmt);
    return e;
}

static enum err take(struct db *db, int64_t experiment,
                     const struct look_rule *rule, uint32_t n_blocks,
                     struct look *out, struct why *why)
{
    struct effects x = {.list = NULL};
    size_t all = 0, done = 0;
    char text[LOOK_WORD_BYTES];
    const struct effects_options options = {.metric = rule->metric,
                                            .margin_ratio = MARGIN,
                                            .alpha = alpha_of(rule, n_blocks)};
    enum err e = effects_load(&x, db, experiment, &options, why);
    if (!e)
        e = count(&x, rule, &all, &done, why);
    effects_fini(&x);
    if (e && e != ERR_NOTFOUND)
        return e;
    tell(rule, n_blocks, all, done, out);
    return db_run(db,
                  "insert into look (experiment, blocks, rule, alpha, share, "
                  "stop, words) values (?, ?, ?, ?, ?, ?, ?)",
                  DB_VALUES(DB_I(experiment), DB_I(n_blocks),
                            DB_T(look_show(rule, text, sizeof text)),
                            DB_F(alpha_of(rule, n_blocks)),
                            DB_F(alpha_of(rule, n_blocks) / ALPHA),
                            DB_I(out->stop), DB_T(out->words)),
                  NULL, why);
}

enum err look_take(struct store *store, int64_t experiment,
                   const struct look_rule *rule, uint32_t n_blocks,
                   struct look *out, struct why *why)
{
    bool there = false;
    *out = (struct look){.stop = false};
    enum err e = db_begin(store->db, true, why);
    if (e)
        return e;
    e = recall(store->db, experiment, n_blocks, out, &there, why);
    if (!e && !there)
        e = take(store->db, experiment, rule, n_blocks, out, why);
    e = db_end(store->db, e, why);
    return e ? err_wrap(why, e, "look at experiment %lld",
                        (long long)experiment)
             : ERR_OK;
}

enum err look_settle(struct store *store, int64_t experiment, uint32_t n_blocks,
                     struct why *why)
{
    static const char *const changes[] = {
        "delete from trial where experiment = ?1 and iteration > ?2 and not "
        "exists (select 1 from attempt a where a.trial = trial.id)",
        "delete from block where experiment = ?1 and iteration > ?2 and not "
        "exists (select 1 from trial t where t.block = block.id)",
        "update experiment set iterations = ?2 where id = ?1"};
    enum err e = db_begin(store->db, true, why);
    if (e)
        return e;
    for (size_t i = 0; !e && i < sizeof changes / sizeof *changes; i++)
        e = db_run(store->db, changes[i],
                   DB_VALUES(DB_I(experiment), DB_I(n_blocks)), NULL, why);
    return db_end(store->db, e, why);
}

enum err look_alpha(struct db *db, int64_t experiment, double alpha,
                    double *out, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    *out = alpha;
    enum err e = db_prepare(db, &stmt,
                            "select share from look where experiment = ? "
                            "order by blocks desc limit 1",
                            DB_VALUES(DB_I(experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && row)
        *out = alpha * db_column(stmt, 0).f;
    db_finish(stmt);
    return e;
}

enum err look_count(struct db *db, int64_t experiment, int64_t *out,
                    struct why *why)
{
    return db_run(db, "select count(*) from look where experiment = ?",
                  DB_VALUES(DB_I(experiment)), out, why);
}

enum err look_notes(struct db *db, int64_t experiment, struct grid *grid,
                    struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(db, &stmt,
                            "select words from look where experiment = ? "
                            "order by blocks",
                            DB_VALUES(DB_I(experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        struct db_value v = db_column(stmt, 0);
        grid_note(grid, "%s", v.type == DB_TEXT ? (const char *)v.data : "");
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}
