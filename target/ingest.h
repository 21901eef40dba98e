/* One bulk request: its documents are checked, counted and answered item by
 * item. With --index none that is all that happens to them; with fts they are
 * committed first, all or none. */
#ifndef PITWALL_TARGET_INGEST_H
#define PITWALL_TARGET_INGEST_H

#include "target/body.h"
#include "target/catalog.h"
#include "target/indices.h"
#include "target/reply.h"
#include "target/route.h"
#include "target/slow.h"

/* What a bulk thread works with; its own, but for what is shared. */
struct ingest {
    struct mutator *mutator;
    struct pages *pages;     /* shared */
    struct catalog *catalog; /* shared */
    struct indices *indices; /* shared; NULL: --index none */
    uint32_t parse_work;     /* parse.h; 0: nothing is copied */
    struct slow slow;        /* of the thread */
    uint64_t id_counter, id_seed;
};

/* Process body, sent to route, and seal the answer in reply (empty; its docs
 * and docs_failed are set). A malformed action line refuses the request as a
 * whole: nothing of it counts. False: out of memory, reply is to be cleared.
 * close: as reply_seal. */
CHECKED bool ingest_bulk(struct ingest *in, const struct body *body,
                         const struct route *route, struct reply *reply,
                         bool close);

#endif
