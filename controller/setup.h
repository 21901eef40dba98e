/* One cell's settings while levels are put into them: the trial spec that goes
 * to the agent, and what chooses and fills its track. A plain value. */
#ifndef PITWALL_CONTROLLER_SETUP_H
#define PITWALL_CONTROLLER_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/spec.h"

#define SETUP_NAME_MAX   64u
#define SETUP_VALUE_MAX  192u
#define SETUP_PARAMS_MAX 16u

struct setup_param {
    char name[SETUP_NAME_MAX + 1];
    char value[SETUP_VALUE_MAX + 1];
};

struct setup {
    struct trial_spec spec;
    char track[SETUP_VALUE_MAX + 1];    /* as written */
    char challenge[SETUP_NAME_MAX + 1]; /* "": the track's default one */
    struct setup_param params[SETUP_PARAMS_MAX]; /* of the track */
    size_t n_params;
};

/* Set parameter name of the track. ERR_RANGE: too many or too long. */
CHECKED enum err setup_param(struct setup *setup, const char *name,
                             const char *value, struct why *why);

/* Copy text into a field of size bytes; ERR_RANGE names what and the limit. */
CHECKED enum err setup_copy(char *field, size_t size, const char *what,
                            const char *text, struct why *why);

/* Append "name=value\n" to one of the spec's lists of size bytes. ERR_INVALID:
 * a value that is empty or holds control characters; ERR_RANGE: list full. */
CHECKED enum err setup_line(char *list, size_t size, const char *name,
                            const char *value, struct why *why);

/* Whether two setups ask for the same, whatever they were written like. */
bool setup_equal(const struct setup *a, const struct setup *b);

#endif
