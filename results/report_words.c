#include "results/report_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool report_number_has_unit(const char *unit)
{
    return !strcmp(unit, "bytes") || !strcmp(unit, "bytes/s");
}

/* Four significant digits, no zeros behind the point of a whole number. */
static void digits(double value, char *buf, size_t size)
{
    double size_of = fabs(value);
    int decimals = 0;
    if (value != floor(value) && size_of > 0) {
        decimals = 3 - (int)floor(log10(size_of));
        decimals = decimals < 0 ? 0 : decimals > 6 ? 6 : decimals;
    }
    (void)snprintf(buf, size, "%.*f", decimals, value);
}

/* The prefix that leaves fewer than `most` before it, and the factor. */
static const char *prefix_of(double value, double most, double *factor)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    size_t i = 0;
    double size_of = fabs(value);
    for (*factor = 1; size_of / *factor >= most && i < 5; i++)
        *factor *= 1000;
    return prefixes[i];
}

const char *report_number(double value, const char *unit, char *buf,
                          size_t size)
{
    char number[32];
    double factor = 1;
    if (report_number_has_unit(unit)) {
        const char *prefix = prefix_of(value, 999.95, &factor);
        digits(value / factor, number, sizeof number);
        (void)snprintf(buf, size, "%s %s%s%s", number, prefix,
                       *prefix ? "B" : "bytes", unit[5] ? "/s" : "");
        return buf;
    }
    const char *prefix = prefix_of(value, 9999.5, &factor);
    digits(value / factor, number, sizeof number);
    (void)snprintf(buf, size, "%s%s", number, prefix);
    return buf;
}

/* "±8.8%", or the range where there is one: of what is not averaged, and of
 * values of which some are 0. */
static void spread(const struct centre *c, const struct metric *metric,
                   struct report_words *out)
{
    char least[32], most[32];
    double factor = 1, percent = 100 * c->cv;
    const char *unit = metric_unit(metric, &factor);
    if (metric->kind != METRIC_EXACT && isfinite(percent)) {
        (void)snprintf(out->spread, sizeof out->spread, "±%.*f%%",
                       percent < 9.95 ? 1 : 0, percent);
        return;
    }
    if (!(c->min < c->max))
        return;
    (void)report_number(c->min * factor, unit, least, sizeof least);
    (void)report_number(c->max * factor, unit, most, sizeof most);
    if (metric->kind == METRIC_EXACT)
        (void)snprintf(out->value, sizeof out->value, "%s..%s", least, most);
    else
        (void)snprintf(out->spread, sizeof out->spread, "(%s..%s)", least,
                       most);
}

void report_words(const struct report_entry *entry, const struct metric *metric,
                  struct report_words *out)
{
    *out = (struct report_words){.ended = false};
    if (!entry->n_trials)
        return;
    out->ended = report_ended(entry, out->value, sizeof out->value);
    if (out->ended)
        return;
    const struct centre *c = &entry->centre;
    double factor = 1;
    const char *unit = metric_unit(metric, &factor);
    (void)report_number(c->value * factor, unit, out->value, sizeof out->value);
    spread(c, metric, out);
    size_t n = 0;
    if (entry->n_driver && !strcmp(metric->source, "load"))
        n = (size_t)snprintf(out->mark, sizeof out->mark, "%s",
                             REPORT_MARK_DRIVER);
    if (c->n < entry->n_trials)
        (void)snprintf(out->mark + n, sizeof out->mark - n, "%sn=%zu/%zu",
                       n ? " " : "", c->n, entry->n_trials);
}
