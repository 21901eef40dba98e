/* Each metric's differences, judged. */
#include "results/compare_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum finding_adjust compare_adjust(const struct compare *c,
                                   const struct compare_line *line)
{
    if (c->options->adjust)
        return strcmp(c->options->adjust, "bh") ? FINDING_HOLM : FINDING_BH;
    return line->declared ? FINDING_HOLM : FINDING_BH;
}

bool compare_lost(const struct compare *c, size_t contender)
{
    const struct pairing *p = &c->pairings[contender];
    return p->n_ended == p->n_groups;
}

static const double *values_of(const struct compare *c, size_t part,
                               size_t line)
{
    return c->parts[part].experiment->figures.values[line];
}

/* A ratio needs values above 0 on all sides, and any value at all. */
static bool all_positive(const struct compare *c, size_t line)
{
    for (size_t x = 0; x < c->n_experiments; x++) {
        const struct compare_experiment *e = &c->experiments[x];
        for (size_t t = 0; t < e->matrix.n_trials; t++)
            if (e->figures.values[line][t] <= 0)
                return false;
    }
    return true;
}

static double mean_of(const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += y[i];
    return n ? sum / (double)n : NAN;
}

static enum err judge_paired(struct finding *f, const struct finding_rule *rule,
                             const struct pairing_numbers *n, struct why *why)
{
    double *d = calloc(n->n[0] + 1, sizeof *d);
    if (!d)
        return err_set(why, ERR_NOMEM, "compare");
    for (size_t i = 0; i < n->n[0]; i++)
        d[i] =
            rule->sign * (n->y[PAIRING_CONTENDER][i] - n->y[PAIRING_BASE][i]);
    enum err e = finding_blocks(f, rule, d, n->n[0], why);
    free(d);
    return e;
}

/* One contender's row of one line. */
static enum err judge_row(const struct compare *c, size_t line,
                          struct compare_row *row, struct why *why)
{
    const struct metric *metric = row->line->metric;
    const struct pairing *p = &c->pairings[row->contender];
    const double *const values[] = {values_of(c, 0, line),
                                    values_of(c, row->contender + 1, line)};
    struct pairing_numbers n;
    struct finding_rule rule = {
        .ratio = metric->kind == METRIC_RATIO && all_positive(c, line),
        .exact = metric->kind == METRIC_EXACT,
        .judged = metric->direction != METRIC_NEITHER,
        .sign = metric->direction == METRIC_LOWER ? -1 : 1,
        .margin_ratio = c->options->margin_ratio,
        .alpha = c->alpha,
        .confidence = 1 - c->alpha};
    enum err e = pairing_numbers(&n, p, values, rule.ratio, why);
    if (e)
        return e;
    double base = mean_of(n.y[PAIRING_BASE], n.n[PAIRING_BASE]);
    double value = mean_of(n.y[PAIRING_CONTENDER], n.n[PAIRING_CONTENDER]);
    /* Of plain differences the margin is a share of the base's own size. */
    rule.margin = rule.ratio ? stat_margin(rule.margin_ratio)
                             : rule.margin_ratio * fabs(base);
    row->base = row->line->factor * (rule.ratio ? exp(base) : base);
    row->value = row->line->factor * (rule.ratio ? exp(value) : value);
    row->n_groups = n.n_groups;
    if (p->paired)
        e = judge_paired(&row->finding, &rule, &n, why);
    else
        e = finding_samples(
            &row->finding, &rule,
            &(struct stat_samples){.x = n.y[PAIRING_CONTENDER],
                                   .n_x = n.n[PAIRING_CONTENDER],
                                   .y = n.y[PAIRING_BASE],
                                   .n_y = n.n[PAIRING_BASE]},
            why);
    row->finding.unsteady =
        c->parts[0].unsteady || c->parts[row->contender + 1].unsteady;
    pairing_numbers_fini(&n);
    return e;
}

/* The family of a line: a finding of each contender that has any. */
static enum err judge_line(struct compare *c, size_t line, struct why *why)
{
    const struct compare_line *l = &c->lines.lines[line];
    struct compare_row *first = &c->rows[c->n_rows];
    struct finding *family = calloc(c->n_parts, sizeof *family);
    size_t n = 0;
    bool known = l->declared;
    enum err e = family ? ERR_OK : err_set(why, ERR_NOMEM, "compare");
    for (size_t i = 0; !e && i + 1 < c->n_parts; i++) {
        if (compare_lost(c, i))
            continue;
        first[n] = (struct compare_row){.line = l, .contender = i};
        e = judge_row(c, line, &first[n], why);
        known |= !isnan(first[n].base) || !isnan(first[n].value);
        family[n] = first[n].finding;
        n++;
    }
    if (!e)
        e = finding_family(family, n, compare_adjust(c, l), why);
    for (size_t i = 0; !e && i < n; i++)
        first[i].finding = family[i];
    c->n_rows += known ? n : 0;
    free(family);
    return e;
}

enum err compare_judge(struct compare *c, struct why *why)
{
    c->rows = calloc(c->lines.n * c->n_parts + 1, sizeof *c->rows);
    if (!c->rows)
        return err_set(why, ERR_NOMEM, "compare");
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < c->lines.n; i++)
        e = judge_line(c, i, why);
    return e;
}
