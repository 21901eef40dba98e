/* What a track declares beside its corpora: indices, data streams, templates,
 * whose bodies may stand in files beside it. */
#ifndef PITWALL_TRACKS_DECLARED_H
#define PITWALL_TRACKS_DECLARED_H

#include "tracks/expand.h"
#include "tracks/render.h"

/* Bodies read from files; start with {0}. */
struct declared {
    struct jv *bodies[RENDER_INDICES_MAX + RENDER_TEMPLATES_MAX];
    size_t n_bodies;
};

/* Read what r->root declares into r; its texts and bodies belong to the root
 * and to d.
 * Errors  ERR_INVALID; of a body's file also ERR_NOTFOUND and others. */
CHECKED enum err declared_read(struct declared *d, struct render *r,
                               struct expand *expand, struct why *why);
void declared_free(struct declared *d);

#endif
