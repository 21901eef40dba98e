/* Placeholders of a track: `{{ name }}` and `{{ name | default(x) }}`, put in
 * as text, as Rally's Jinja would. The rest of Jinja is refused by name, never
 * passed on. Lines keep their numbers, so that later complaints about the
 * expanded text point into the file that the user wrote. */
#ifndef PITWALL_TRACKS_EXPAND_H
#define PITWALL_TRACKS_EXPAND_H

#include <stdbool.h>

#include "common/err.h"
#include "tracks/track.h"

#define EXPAND_PARAMS_MAX 64
#define EXPAND_VALUE_MAX  4096

/* The params of one track, and which of them a placeholder named so far. */
struct expand {
    const struct track_param *params;
    size_t n_params;
    bool used[EXPAND_PARAMS_MAX];
};

/* Take params [n], borrowed for the struct's life.
 * Errors  ERR_USAGE: too many, one twice, a name that is no word, a value with
 *         control characters or longer than EXPAND_VALUE_MAX. */
CHECKED enum err expand_init(struct expand *e, const struct track_param *params,
                             size_t n_params, struct why *why);

/* Expand text (len bytes; name heads the errors) into a malloc'ed text, the
 * caller's to free; at most four times max(len, 64 KiB) long.
 * Errors  ERR_INVALID "NAME:LINE: ...": other Jinja, a placeholder without
 *         value, a NUL byte. ERR_RANGE: the result is too long. */
CHECKED enum err expand_text(struct expand *e, const char *name,
                             const char *text, size_t len, char **out,
                             struct why *why);

/* Refuse params that no placeholder named, as Rally does. ERR_USAGE. */
CHECKED enum err expand_check_used(const struct expand *e, struct why *why);

#endif
