/* Tasks that are done once, before or after the measured one: create an index,
 * wait for it, merge it, sleep. */
#ifndef PITWALL_LOAD_ONCE_H
#define PITWALL_LOAD_ONCE_H

#include "load/engine.h"
#include "tracks/plan.h"

struct once_config {
    const struct engine_ops *ops;
    const struct address *address;
    struct engine_http http;
    const char *headers; /* more of them, or "" */
    const char *congestion;
    bool (*stopped)(void *ctx); /* asked now and then: give up? */
    void *ctx;
};

/* How it ended, also where that was not fatal. */
struct once_result {
    unsigned status; /* of the last request; 0: not answered */
    uint64_t took_ns;
    bool failed;
    char text[200]; /* why it failed */
};

/* Do the task; its requests one after another.
 * Errors  ERR_INTERRUPTED: stopped. ERR_REFUSED and others: no connection.
 *         ERR_CHILD ("TASK: METHOD /path: answered 500: ..."): a request failed
 *         and the task is not lenient. */
CHECKED enum err once_run(const struct once_config *config,
                          const struct plan_task *task, struct once_result *out,
                          struct why *why);

#endif
