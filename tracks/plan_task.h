/* Reading one task of a plan; internal to plan.c and the files beside it. */
#ifndef PITWALL_TRACKS_PLAN_TASK_H
#define PITWALL_TRACKS_PLAN_TASK_H

#include "common/json.h"
#include "tracks/plan.h"

/* Read v into *t (zeroed). What is allocated before a failure stays in *t, for
 * plan_free. Errors  ERR_INVALID, ERR_NOMEM. */
CHECKED enum err plan_task_read(const struct jv *v, struct plan_task *t,
                                size_t n_corpora, struct why *why);

/* Read the object "bulk" into *t, whose kind it then is. ERR_INVALID.
 * (plan_bulk.c) */
CHECKED enum err plan_bulk_read(const struct jv *v, struct plan_task *t,
                                size_t n_corpora, struct why *why);

/* Read the list "requests", or the lists of "streams", of v into *t, whose
 * kind it then is. Errors  ERR_INVALID, ERR_NOMEM. (plan_request.c) */
CHECKED enum err plan_requests_read(const struct jv *v, struct plan_task *t,
                                    struct why *why);
CHECKED enum err plan_streams_read(const struct jv *v, struct plan_task *t,
                                   struct why *why);

/* n zeroed elements into *out. ERR_NOMEM. */
CHECKED enum err plan_array(void **out, size_t n, size_t size, struct why *why);

#endif
