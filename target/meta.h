/* The answers about what indices are: mappings, settings, templates. */
#ifndef PITWALL_TARGET_META_H
#define PITWALL_TARGET_META_H

#include <stdio.h>

#include "target/indices.h"
#include "target/route.h"

/* What is asked; all borrowed. */
struct meta {
    struct index *index; /* of mappings and settings, else NULL */
    struct templates *templates;
    const struct route *route;
    enum http1_method method;
    const char *body; /* [body_len] */
    size_t body_len;
};

/* Do it and write the answer. *status changes for answers without a failure
 * (404 of HEAD). ERR_NOTFOUND: no such template, its text says which; and those
 * of index_map, templates_put. Thread: native. */
CHECKED enum err meta_answer(const struct meta *meta, FILE *out,
                             unsigned *status, struct why *why);

#endif
