/* Rendering: what the files behind track.h share. A challenge of Rally's shape
 * becomes a plan (plan.h), every field checked on the way. */
#ifndef PITWALL_TRACKS_RENDER_H
#define PITWALL_TRACKS_RENDER_H

#include <stdbool.h>

#include "common/json.h"
#include "tracks/plan.h"

#define RENDER_INDICES_MAX   64
#define RENDER_TEMPLATES_MAX 64 /* of all kinds together */

/* Whether a task is measured: done once by its nature; done once unless nothing
 * else is measured; measured. */
enum render_rank { RENDER_ONCE, RENDER_MAYBE, RENDER_MEASURED };

struct render_index {
    const char *name;
    const struct jv *body; /* settings and mappings; NULL: none */
};

enum render_template_kind {
    RENDER_TEMPLATE_INDEX,
    RENDER_TEMPLATE_COMPOSABLE,
    RENDER_TEMPLATE_COMPONENT
};

struct render_template {
    enum render_template_kind kind;
    const char *name;
    const char *pattern; /* of the indices; NULL: a component */
    bool delete_matching;
    const struct jv *content;
};

/* A track, read but not yet rendered. */
struct render {
    const struct jv *root;
    const struct jv *challenge; /* while it is rendered */
    const char *name;
    const char *dir; /* absolute: files are relative to it */
    bool test_mode;
    struct render_index indices[RENDER_INDICES_MAX];
    size_t n_indices;
    const char *streams[RENDER_INDICES_MAX]; /* data streams */
    size_t n_streams;
    struct render_template templates[RENDER_TEMPLATES_MAX];
    size_t n_templates;
    struct jv *corpora; /* the plan's, while one is made */
};

/* Add the track's corpora to r->corpora. ERR_INVALID. (render_corpora.c) */
CHECKED enum err render_corpora(const struct render *r, struct why *why);

/* Add one task, as schedule or a parallel element lists it, to tasks. parallel
 * holds defaults for it; NULL: none. ERR_INVALID. (render_task.c) */
CHECKED enum err render_task(const struct render *r, const struct jv *task,
                             const struct jv *parallel, struct jv *tasks,
                             enum render_rank *rank, struct why *why);

/* Put what operation op of the type called word does into task, and its type
 * into *type. ERR_INVALID, for a type that there is none of with those that
 * there are. (operation.c) */
struct operation_type;
CHECKED enum err operation_render(const struct render *r, const struct jv *op,
                                  const char *word, struct jv *task,
                                  const struct operation_type **type,
                                  struct why *why);

/* Render a challenge, or the track's own schedule where challenge is the root,
 * under name into a new plan, for jv_free. (render.c) */
CHECKED enum err render_challenge(const struct render *r,
                                  const struct jv *challenge, const char *name,
                                  struct jv **plan, struct why *why);

#endif
