/* Putting one HTTP request of a plan together. */
#ifndef PITWALL_TRACKS_REQUEST_H
#define PITWALL_TRACKS_REQUEST_H

#include "common/json.h"
#include "tracks/plan.h"

/* A request's path and query; start with {0}. What exceeds it is cut, and
 * request_path_params then says so. */
struct request_path {
    char text[PLAN_PATH_MAX + 1];
    size_t len;
};

/* Append text as it is. */
void request_path_add(struct request_path *p, const char *text);

/* Append key=value to the query. */
void request_path_query(struct request_path *p, const char *key,
                        const char *value);

/* Append op's "request-params", if any, as a query.
 * Errors  ERR_INVALID: a value that is no text, number or bool; the whole is
 *         too long. */
CHECKED enum err request_path_params(const struct jv *op,
                                     struct request_path *p, struct why *why);

/* Append a request to the list out and return it, valid as long as out. body
 * may be NULL, an object, a text, or a list of lines. */
struct jv *request_add(struct jv *out, const char *method, const char *path,
                       const struct jv *body);

/* Let request take an answer of this status as good too. */
void request_ignore(struct jv *request, unsigned status);

#endif
