#include "results/foreign_unit.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    double factor;
} units[] = {
    {"", 1},         {"ns", 1},     {"us", 1e3},      {"ms", 1e6},
    {"s", 1e9},      {"min", 60e9}, {"h", 3600e9},    {"%", 0.01},
    {"share", 1},    {"bytes", 1},  {"byte", 1},      {"B", 1},
    {"kB", 1e3},     {"KB", 1e3},   {"MB", 1e6},      {"GB", 1e9},
    {"TB", 1e12},    {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824},
    {"bytes/s", 1},  {"B/s", 1},    {"kB/s", 1e3},    {"MB/s", 1e6},
    {"GB/s", 1e9},   {"bit/s", 1},  {"kbit/s", 1e3},  {"Mbit/s", 1e6},
    {"Gbit/s", 1e9}, {"docs/s", 1}, {"ops/s", 1},     {"pages/s", 1},
    {"docs", 1},     {"ops", 1}};

#define ACCEPTED                                                               \
    "ns us ms s min h, % share, bytes kB MB GB TB KiB MiB GiB, the same per "  \
    "second, bit/s to Gbit/s, docs/s ops/s"

enum err foreign_number(const char *text, const char *unit, double *out,
                        struct why *why)
{
    char *end = NULL;
    errno = 0;
    double value = strtod(text, &end);
    bool number =
        end != text && strspn(text, "0123456789+-.eE") >= (size_t)(end - text);
    if (!number || !isfinite(value))
        return err_set(why, ERR_INVALID,
                       "value \"%.60s\": a finite decimal number is accepted",
                       text);
    end += strspn(end, " \t");
    const char *own = *end ? end : unit;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(own, units[i].name)) {
            *out = value * units[i].factor;
            return ERR_OK;
        }
    return err_set(why, ERR_INVALID,
                   "value \"%.60s\": unit \"%.20s\": %s are "
                   "accepted",
                   text, own, ACCEPTED);
}
