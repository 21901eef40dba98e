/* A bulk operation of a track as the "bulk" of a plan's task. */
#ifndef PITWALL_TRACKS_BULK_RENDER_H
#define PITWALL_TRACKS_BULK_RENDER_H

#include "tracks/render.h"

/* Put bulk operation op into task; where it takes but some of a corpus'
 * document sets, these become a corpus of their own in the plan. ERR_INVALID.
 */
CHECKED enum err bulk_render(const struct render *r, const struct jv *op,
                             struct jv *task, struct why *why);

#endif
