/* What a track says about its tasks for people and not for the load: tags and
 * meta data. */
#ifndef PITWALL_TRACKS_LABELS_H
#define PITWALL_TRACKS_LABELS_H

#include "tracks/render.h"

/* Put those of a task and its operation op into out, the plan's task. "tags" is
 * one text, separated by ", "; "meta" an object's JSON: of the track, the
 * challenge, op and the task, a later one's word over an earlier one's.
 * ERR_INVALID: another type, longer than PLAN_LABELS_MAX. */
CHECKED enum err labels_render(const struct render *r, const struct jv *op,
                               const struct jv *task, struct jv *out,
                               struct why *why);

#endif
