/* Statistics of targets that others wrote: any JSON, in which pointers say
 * where our figures are. */
#ifndef PITWALL_AGENT_WATCH_STATS_MAP_H
#define PITWALL_AGENT_WATCH_STATS_MAP_H

#include <stdbool.h>

#include "common/record.h"

#define STATS_MAP_MAX 24u

/* Texts are borrowed. */
struct stats_map {
    struct stats_map_row {
        const struct wire_field *field;
        uint64_t times;
        const char *pointer;
    } rows[STATS_MAP_MAX];
    size_t n;
};

/* Add "FIGURE=POINTER" or "FIGURE=TIMES*POINTER", the figure a field of
 * SAMPLE_TARGET. ERR_USAGE. */
CHECKED enum err stats_map_add(struct stats_map *map, const char *text,
                               struct why *why);

/* Read text[0..len) into out's fields that are mapped (the others are 0). A
 * pointer's "*" stands for every member or item, whose numbers are added up;
 * fractions are cut after multiplying.
 * Errors  ERR_INVALID: no JSON (says what came instead); nothing, or no number
 *         from 0 up, where a pointer points. */
CHECKED enum err stats_map_read(const struct stats_map *map, const char *text,
                                size_t len, struct record_sample_target *out,
                                struct why *why);

/* Is this figure mapped? */
bool stats_map_has(const struct stats_map *map, const char *figure);

/* The mapped figures' names, comma separated, into buf (returned). */
const char *stats_map_names(const struct stats_map *map, char *buf,
                            size_t size);

#endif
