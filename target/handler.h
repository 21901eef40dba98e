/* The answers that a worker gives at once: everything but bulk requests. */
#ifndef PITWALL_TARGET_HANDLER_H
#define PITWALL_TARGET_HANDLER_H

#include "target/decoder.h"
#include "target/node.h"
#include "target/reply.h"
#include "target/route.h"

#define HANDLER_TEXT_MAX 16384u /* of an answer */

/* What an answer is made with; a worker's own. */
struct handler {
    struct node *node;
    struct mutator *mutator;
    char *text; /* [HANDLER_TEXT_MAX] */
};

/* Answer the request that d holds, found at route; close as in reply_seal.
 * False: out of memory. */
CHECKED bool handler_answer(const struct handler *h, const struct decoder *d,
                            const struct route *route, struct reply *reply,
                            bool close);

/* Answer with an error in Elasticsearch's shape. False: out of memory. */
CHECKED bool handler_refuse(const struct handler *h, struct reply *reply,
                            unsigned status, const char *type,
                            const char *reason);

/* Answer with 429: the bulk queue is full. */
CHECKED bool handler_reject(const struct handler *h, struct reply *reply,
                            bool close);

#endif
