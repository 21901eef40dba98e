#include "tracks/generator.h"

#include <stdio.h>
#include <string.h>

static const struct generator *const generators[] = {
    &generator_geonames, &generator_http_logs, &generator_nyc_taxis,
    &generator_pmc};

const struct generator *generator_at(size_t i)
{
    return i < sizeof generators / sizeof *generators ? generators[i] : NULL;
}

const struct generator *generator_find(const char *name)
{
    const struct generator *g;
    for (size_t i = 0; (g = generator_at(i)); i++)
        if (!strcmp(g->name, name))
            return g;
    return NULL;
}

const char *generator_names(char *buf, size_t size)
{
    const struct generator *g;
    size_t at = 0;
    *buf = 0;
    for (size_t i = 0; (g = generator_at(i)) && at < size; i++)
        at += (size_t)snprintf(buf + at, size - at, "%s%s", i ? ", " : "",
                               g->name);
    return buf;
}
