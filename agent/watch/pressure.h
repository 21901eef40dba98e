/* /proc/pressure/{cpu,io,memory}: for how long tasks waited. */
#ifndef PITWALL_AGENT_WATCH_PRESSURE_H
#define PITWALL_AGENT_WATCH_PRESSURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PRESSURE_CPU, PRESSURE_IO, PRESSURE_MEMORY, PRESSURES };

/* Their names below /proc. */
extern const char *const pressure_files[PRESSURES];

/* Totals since the machine was started. */
struct pressure {
    uint64_t some_ns, full_ns;
};

/* Read the text; a line that is missing counts 0. False, and zeros, when there
 * is no "some" line or a total that is no number of the right size. */
bool pressure_parse(const char *text, size_t len, struct pressure *out);

/* What was waited from before to now. */
struct pressure pressure_since(const struct pressure *before,
                               const struct pressure *now);

#endif
