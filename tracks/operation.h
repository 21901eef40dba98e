/* Operation types: what the files operation*.c share. Each family of types has
 * a table in its own file; operation.c finds a type in them. */
#ifndef PITWALL_TRACKS_OPERATION_H
#define PITWALL_TRACKS_OPERATION_H

#include "tracks/render.h"
#include "tracks/request.h"

struct operation_type;

/* One operation of a track. */
struct operation {
    const struct render *r;
    const struct jv *v; /* an object; or a text: a bare type */
    const struct operation_type *type;
    bool nested; /* in a composite operation */
};

struct operation_type {
    const char *word;
    enum plan_kind kind;
    enum render_rank rank;
    bool admin; /* not reported unless it says otherwise */
    /* out: the list of requests, or the task of other kinds */
    enum err (*render)(const struct operation *o, struct jv *out,
                       struct why *why);
    const char *keys[20]; /* beside those of every type */
};

/* The families; each ends with a row without a word. */
extern const struct operation_type operations_load[];     /* operation_load.c */
extern const struct operation_type operations_index[];    /* ..._index.c */
extern const struct operation_type operations_template[]; /* ..._template.c */
extern const struct operation_type operations_admin[];    /* ..._admin.c */

/* Put what the operation does into task or, of requests, into the list out.
 * Errors  ERR_INVALID. (operation.c) */
CHECKED enum err operation_put(const struct operation *o, struct jv *out,
                               struct why *why);

/* The type called word, NULL: there is none; ERR_INVALID with all that there
 * are, about v. */
const struct operation_type *operation_find(const char *word);
CHECKED enum err operation_unknown(const struct jv *v, const char *word,
                                   struct why *why);

/* Append the names that member key of op has, a text or a list of texts,
 * separated by commas, to path; otherwise (NULL: nothing) when it is absent.
 * ERR_INVALID: what cannot stand in a path. */
CHECKED enum err operation_names(const struct jv *op, const char *key,
                                 const char *otherwise,
                                 struct request_path *path, struct why *why);

/* Add a request to path with op's "request-params". ERR_INVALID: too long. */
CHECKED enum err operation_request(const struct operation *o,
                                   const char *method,
                                   struct request_path *path,
                                   const struct jv *body, struct jv *out,
                                   struct why *why);

#endif
