/* Reading tracks: Rally's rendered JSON with `{{ name | default(x) }}`
 * (rally.md section 3), checked, and rendered to a plan for one challenge. */
#ifndef PITWALL_TRACKS_TRACK_H
#define PITWALL_TRACKS_TRACK_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

struct track;

struct track_param {
    const char *name, *value;
};

struct track_options {
    const char *challenge; /* NULL: the default one */
    bool test_mode;        /* Rally's: small corpus, no warm-up, <= 10 s */
};

/* Read the track at path with params [n] put into its placeholders. A param
 * that no placeholder names is refused, as in Rally.
 * Errors  ERR_NOTFOUND, ERR_INVALID ("FILE:LINE: field: ..."). Owns: *out. */
CHECKED enum err track_open(struct track **out, const char *path,
                            const struct track_param *params, size_t n_params,
                            struct why *why);
void track_close(struct track *track);

/* The track's name (file name without .json; for "x/track.json" x) and its
 * description; valid as long as the track. */
const char *track_name(const struct track *track);
const char *track_description(const struct track *track);

/* Challenge i's name, NULL past the last. */
const char *track_challenge(const struct track *track, size_t i);

/* Render one challenge as a plan (plan.h reads it) into a malloc'ed JSON text
 * of at most MSG_PLAN_MAX bytes, the caller's to free; options NULL: the
 * default challenge as it is. Nothing in it refers to
 * a file beside user corpora by absolute path.
 * Errors  ERR_NOTFOUND: no such challenge, with those that exist. ERR_INVALID
 *         ("FILE:LINE: field: ..."): something in this one is not supported. */
CHECKED enum err track_render(const struct track *track,
                              const struct track_options *options,
                              char **plan_json, struct why *why);

#endif
