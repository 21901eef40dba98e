/* Lists of what telemetry watches, comma separated: "link,tcp", or "none". */
#ifndef PITWALL_CONTROLLER_DEVICES_H
#define PITWALL_CONTROLLER_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

#define DEVICES_MAX 128u

/* Known ones, each once, or none alone. ERR_INVALID: names the word. */
CHECKED enum err devices_check(const char *list, struct why *why);

/* Whether any of them slows a trial down, and so has trials of its own. */
bool devices_extra(const char *list);

/* Into out: all of list, or all but those of extra trials. ERR_RANGE: no room.
 */
CHECKED enum err devices_keep(const char *list, bool extra, char *out,
                              size_t size, struct why *why);

/* A level of the factor telemetry, "link+tcp" or "none", as a list into out.
 * ERR_INVALID: also one that has trials of its own; ERR_RANGE: no room. */
CHECKED enum err devices_level(const char *level, char *out, size_t size,
                               struct why *why);

#endif
