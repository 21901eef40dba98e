/* The grammar of levels on the command line: "LEVEL,LEVEL,...", each
 * "label@value" or "value" (cli.md, "Factors"). What a value means is the
 * factor's affair. */
#ifndef PITWALL_CONTROLLER_LEVEL_H
#define PITWALL_CONTROLLER_LEVEL_H

#include "controller/setup.h"

#define LEVEL_LABEL_MAX SETUP_VALUE_MAX
#define LEVEL_LIST_MAX  64u

struct level {
    char label[LEVEL_LABEL_MAX + 1]; /* heads its column */
    char value[SETUP_VALUE_MAX + 1]; /* as written, without the label */
};

/* Parse one level. A label is 1..40 of [A-Za-z0-9_.-]; without one the value
 * is its own. ERR_INVALID: empty, bad label; ERR_RANGE: too long. */
CHECKED enum err level_parse(const char *text, struct level *out,
                             struct why *why);

/* Parse a comma-separated list into levels [max]; their number to *n. Errors
 * as level_parse; ERR_RANGE: more than max. */
CHECKED enum err level_list(const char *text, struct level *levels, size_t max,
                            size_t *n, struct why *why);

/* Split "NAME=REST" at the first '=': the name is copied into name (size
 * bytes), *rest points behind it. ERR_INVALID names what is missing. */
CHECKED enum err level_split(const char *text, char *name, size_t size,
                             const char **rest, struct why *why);

#endif
