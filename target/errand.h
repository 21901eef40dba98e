/* The answers that take a while: with an index, everything about indices but
 * bulks. They are given by threads of their own, in native memory. */
#ifndef PITWALL_TARGET_ERRAND_H
#define PITWALL_TARGET_ERRAND_H

#include "target/decoder.h"
#include "target/indices.h"
#include "target/reply.h"
#include "target/route.h"

#define ERRAND_BODY_MAX (1u << 20)

/* Whether a route is one, when there is an index. */
bool errand_is(enum route_kind kind);

struct errand {
    struct indices *indices;
    struct templates *templates;
    struct pages *pages;
    struct mutator *mutator;
};

/* Answer the request that d holds, found at route; close as in reply_seal.
 * False: out of memory. */
CHECKED bool errand_answer(const struct errand *e, const struct decoder *d,
                           const struct route *route, struct reply *reply,
                           bool close);

#endif
