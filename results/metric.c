#include "results/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct metric_group *const groups[] = {
    &metric_load,  &metric_target,  &metric_index, &metric_machine,
    &metric_limit, &metric_foreign, &metric_jvm};

const struct metric *metric_at(size_t i)
{
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        if (i < groups[g]->n)
            return &groups[g]->rows[i];
        i -= groups[g]->n;
    }
    return NULL;
}

const struct metric *metric_find(const char *name)
{
    const struct metric *m;
    for (size_t i = 0; (m = metric_at(i)); i++)
        if (!strcmp(m->name, name))
            return m;
    return NULL;
}

const char *metric_direction_name(enum metric_direction direction)
{
    static const char *const names[] = {"higher", "lower", "neither"};
    return names[direction];
}

const char *metric_kind_name(enum metric_kind kind)
{
    static const char *const names[] = {"ratio", "abs", "exact"};
    return names[kind];
}

const char *metric_unit(const struct metric *metric, double *factor)
{
    static const struct {
        const char *unit, *shown;
        double factor;
    } units[] = {{"ns", "ms", 1e-6},
                 {"ns/MB", "ms/MB", 1e-6},
                 {"bit/s", "Mbit/s", 1e-6},
                 {"share", "%", 100}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].unit, metric->unit)) {
            *factor = units[i].factor;
            return units[i].shown;
        }
    *factor = 1;
    return metric->unit;
}

const char *metric_show(double value, char *buf, size_t size)
{
    double size_of = fabs(value);
    int decimals = 0;
    if (value != floor(value) && size_of < 1000 && size_of > 0) {
        decimals = 3 - (int)floor(log10(size_of));
        if (decimals > 6)
            decimals = 6;
    }
    (void)snprintf(buf, size, "%.*f", decimals, value);
    return buf;
}
