/* Findings as people read them: signs always, few digits, words and not
 * colours. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/finding.h"

#define NARROW 0.005 /* an interval that wants two decimals */
#define DIGITS 3     /* of plain differences */
#define WHOLE  1000  /* from here on without a fraction */

static int decimals(const struct finding_change *c)
{
    return c->high - c->low < NARROW ? 2 : 1;
}

/* "+0" for what rounds to -0. */
static double unsigned_zero(double v, int digits)
{
    return fabs(v) < 0.5 * pow(10, -digits) ? 0 : v;
}

static int percent(char *buf, size_t size, double ratio, int digits)
{
    return snprintf(buf, size, "%+.*f%%", digits,
                    unsigned_zero(100 * ratio, digits));
}

/* Three digits, but whole numbers whole: no exponents. */
static int plain(char *buf, size_t size, double v)
{
    if (fabs(v) >= WHOLE)
        return snprintf(buf, size, "%+.0f", v);
    return snprintf(buf, size, "%+.*g", DIGITS, v + 0.0);
}

const char *finding_show_change(const struct finding *f, double factor,
                                char *buf, size_t size)
{
    struct finding_change c = finding_change(f);
    if (!isfinite(c.change))
        (void)snprintf(buf, size, "-");
    else if (f->rule.ratio)
        (void)percent(buf, size, c.change, decimals(&c));
    else
        (void)plain(buf, size, factor * c.change);
    return buf;
}

const char *finding_show_interval(const struct finding *f, double factor,
                                  char *buf, size_t size)
{
    char low[40], high[40];
    struct finding_change c = finding_change(f);
    if (f->rule.exact || f->test.n < STAT_BLOCKS_MIN || !isfinite(c.low) ||
        !isfinite(c.high)) {
        (void)snprintf(buf, size, "-");
        return buf;
    }
    if (f->rule.ratio) {
        (void)percent(low, sizeof low, c.low, decimals(&c));
        (void)percent(high, sizeof high, c.high, decimals(&c));
    } else {
        (void)plain(low, sizeof low, factor * c.low);
        (void)plain(high, sizeof high, factor * c.high);
    }
    (void)snprintf(buf, size, "[%s, %s]", low, high);
    return buf;
}

const char *finding_show_p(double p, char *buf, size_t size)
{
    if (isnan(p))
        (void)snprintf(buf, size, "-");
    else if (p < 0.001)
        (void)snprintf(buf, size, "<0.001");
    else if (p > 0.995)
        (void)snprintf(buf, size, "1");
    else
        (void)snprintf(buf, size, "%.2g", p);
    return buf;
}

const char *finding_word(const struct finding *f)
{
    if (f->rule.exact)
        return f->equal ? "equal" : "unequal";
    if (!f->rule.judged && f->verdict.outcome == STAT_IMPROVED)
        return "higher";
    if (!f->rule.judged && f->verdict.outcome == STAT_REGRESSED)
        return "lower";
    return stat_outcome_name(f->verdict.outcome);
}

static int words(const struct finding *f, char *buf, size_t size)
{
    const char *word = finding_word(f);
    double margin = 100 * f->rule.margin_ratio;
    if (f->rule.exact)
        return snprintf(buf, size, "%s", f->test.n ? word : "-");
    switch (f->verdict.outcome) {
    case STAT_NO_VERDICT:
        if (!f->test.n)
            return snprintf(buf, size, "not measured");
        return snprintf(buf, size, "no verdict (n=%zu, need %u)", f->test.n,
                        STAT_BLOCKS_MIN);
    case STAT_EQUIVALENT:
        if (f->equal)
            return snprintf(buf, size, "equal");
        return snprintf(buf, size, "%s within %.3g%%%s", word, margin,
                        f->verdict.within ? ", a real difference but less"
                                          : "");
    case STAT_IMPROVED:
    case STAT_REGRESSED:
        if (f->verdict.beyond)
            return snprintf(buf, size, "%s, >= %.3g%%", word, margin);
        return snprintf(buf, size, "%s", word);
    case STAT_INCONCLUSIVE:
        break;
    }
    if (!f->paired)
        return snprintf(buf, size, "%s", word);
    if (!f->more)
        return snprintf(buf, size, "%s: not with %zu blocks either", word,
                        f->cap);
    return snprintf(buf, size, "%s: about %zu more block%s", word, f->more,
                    f->more == 1 ? "" : "s");
}

const char *finding_words(const struct finding *f, char *buf, size_t size)
{
    static const char *const marks[] = {
        [FINDING_FEW] = " (few)",       [FINDING_DISAGREE] = " !",
        [FINDING_LONE] = " +",          [FINDING_CHANGES] = " (changes)",
        [FINDING_NARROW] = " (narrow)", [FINDING_UNSTEADY] = " ?"};
    int n = words(f, buf, size);
    for (int m = 0; m < FINDING_MARKS; m++)
        if (finding_marked(f, (enum finding_mark)m) && (size_t)n < size)
            n += snprintf(buf + n, size - (size_t)n, "%s", marks[m]);
    return buf;
}

const char *finding_legend(enum finding_mark mark)
{
    static const char *const legends[] = {
        [FINDING_FEW] = "(few): three or four blocks",
        [FINDING_DISAGREE] =
            "!: a test by ranks disagrees: look for single odd trials",
        [FINDING_LONE] = "+: would be a difference were it the only "
                         "comparison of this metric",
        [FINDING_CHANGES] =
            "(changes): the difference grows or shrinks from the first block "
            "to the last",
        [FINDING_NARROW] = "(narrow): blocks take after the one before: the "
                           "interval is too narrow",
        [FINDING_UNSTEADY] =
            "?: more than one trial in four of a cell had no steady state "
            "(`pitwall check`): warm up or measure for longer"};
    return mark < FINDING_MARKS ? legends[mark] : "";
}
