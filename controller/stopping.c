#include "controller/stopping.h"

#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "controller/progress.h"
#include "results/metric.h"

#define WIDTH_BLOCKS 60u /* at most, where -n says nothing */
#define METRIC       "throughput"

enum { KEY_LOOKS = 2048, KEY_WIDTH, KEY_BUDGET, KEY_METRIC };

static const struct argp_option options[] = {
    {"looks", KEY_LOOKS, "N,N,...", 0,
     "stop after so many blocks where every factor's effect has its verdict "
     "(improved, regressed, equivalent), such as 6,12,24; the last one is the "
     "number of iterations. Each look spends a share of alpha, so that looking "
     "is no way to find something",
     0},
    {"until-width", KEY_WIDTH, "SHARE", 0,
     "stop when the interval of every factor's effect is at most so wide to "
     "either side at two blocks running, such as 2% (at most 60 blocks unless "
     "-n says so)",
     0},
    {"time-budget", KEY_BUDGET, "TIME", 0,
     "begin no block that would end later than that, such as 2h", 0},
    {"metric", KEY_METRIC, "NAME", 0,
     "whose effects --looks and --until-width look at (default: throughput)",
     0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct stopping_words *w = state->input;
    switch (key) {
    case KEY_LOOKS:
        w->looks = arg;
        return 0;
    case KEY_WIDTH:
        w->width = arg;
        return 0;
    case KEY_BUDGET:
        w->budget = arg;
        return 0;
    case KEY_METRIC:
        w->metric = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp stopping_argp = {.options = options, .parser = parse};

static enum err take_metric(const char *name, struct look_rule *rule,
                            struct why *why)
{
    const struct metric *m = metric_find(name ? name : METRIC);
    if (!m)
        return err_set(why, ERR_USAGE,
                       "--metric: there is no \"%s\" (`pitwall metrics` lists "
                       "them)",
                       name);
    if (m->kind == METRIC_EXACT)
        return err_set(why, ERR_USAGE,
                       "--metric: \"%s\" is exact: it has no effect to look at",
                       name);
    (void)snprintf(rule->metric, sizeof rule->metric, "%s", m->name);
    return ERR_OK;
}

enum err stopping_take(const struct stopping_words *w, struct stopping *out,
                       struct why *why)
{
    enum err e = ERR_OK;
    *out = (struct stopping){.budget_ns = 0};
    if (w->looks && w->width)
        return err_set(why, ERR_USAGE,
                       "--looks and --until-width exclude each other");
    if (w->metric && !w->looks && !w->width)
        return err_set(why, ERR_USAGE,
                       "--metric \"%s\": only with --looks or --until-width",
                       w->metric);
    if (w->looks && (e = look_parse_planned(&out->rule, w->looks, why)))
        return err_wrap(why, e, "--looks");
    if (w->width && (e = look_parse_width(&out->rule, w->width, why)))
        return err_wrap(why, e, "--until-width");
    if (w->budget && (e = units_duration(w->budget, &out->budget_ns, why)))
        return err_wrap(why, e, "--time-budget");
    return take_metric(w->metric, &out->rule, why);
}

enum err stopping_plan(const struct stopping_words *w, const char *iterations,
                       struct experiment *ex, struct why *why)
{
    struct stopping s;
    enum err e = stopping_take(w, &s, why);
    if (e)
        return e;
    if ((w->looks || w->width) && ex->order != ORDER_BLOCKS)
        return err_set(why, ERR_USAGE,
                       "--%s: only in --order blocks, not %s: a look wants "
                       "every cell as often as the others",
                       w->looks ? "looks" : "until-width",
                       order_name(ex->order));
    if (w->looks) {
        uint32_t last = s.rule.at[s.rule.n - 1];
        if (iterations && ex->iterations != last)
            return err_set(why, ERR_USAGE,
                           "--looks \"%s\" ends after %u blocks, -n \"%s\" "
                           "does not: leave out -n",
                           w->looks, last, iterations);
        ex->iterations = last;
    }
    if (w->width && !iterations)
        ex->iterations = WIDTH_BLOCKS;
    return ERR_OK;
}

void stopping_note(const struct stopping *s, struct grid *grid)
{
    char text[160];
    (void)look_show(&s->rule, text, sizeof text);
    if (s->rule.kind == LOOK_PLANNED)
        grid_note(grid,
                  "may end after %s blocks: where every effect on %s has its "
                  "verdict",
                  text, s->rule.metric);
    if (s->rule.kind == LOOK_WIDTH)
        grid_note(grid,
                  "may end from 7 blocks on: when every effect on %s is known "
                  "to within %s",
                  s->rule.metric, text);
    if (s->budget_ns)
        grid_note(grid, "begins no block that would end after %s",
                  progress_time(s->budget_ns, text, sizeof text));
}

bool stopping_spent(const struct stopping *s, uint32_t n_blocks,
                    uint64_t elapsed_ns)
{
    return s->budget_ns && n_blocks &&
           elapsed_ns + elapsed_ns / n_blocks > s->budget_ns;
}

void stopping_print(const struct stopping *s, struct jv *object)
{
    char text[160];
    if (s->rule.kind != LOOK_NONE)
        jv_add_text(object,
                    s->rule.kind == LOOK_WIDTH ? "until_width" : "looks",
                    look_show(&s->rule, text, sizeof text));
    jv_add_text(object, "metric", s->rule.metric);
    jv_add_u64(object, "time_budget_ns", s->budget_ns);
}

enum err stopping_parse(struct stopping *out, const struct jv *object,
                        struct why *why)
{
    struct stopping_words w = {
        .looks = jv_text(jv_get(object, "looks"), NULL),
        .width = jv_text(jv_get(object, "until_width"), NULL)};
    if (w.looks || w.width)
        w.metric = jv_text(jv_get(object, "metric"), NULL);
    enum err e = stopping_take(&w, out, why);
    out->budget_ns = jv_u64(jv_get(object, "time_budget_ns"), 0);
    return e;
}
