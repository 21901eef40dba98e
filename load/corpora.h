/* The corpora of a plan, mapped and ready to be cut into bulks. */
#ifndef PITWALL_LOAD_CORPORA_H
#define PITWALL_LOAD_CORPORA_H

#include "load/cache.h"

struct corpora {
    const struct plan *plan;  /* borrowed */
    struct bulk_file **files; /* [n_files], in the order of the plan; NULL: no
                                 task needs it */
    size_t n_files;
};

/* Get all document sets that some bulk of the plan sends.
 * Errors  as cache_get. Owns: what is in c is for corpora_close, after a
 * failure too. */
CHECKED enum err corpora_open(struct corpora *c, const struct plan *plan,
                              const struct cache_config *config,
                              struct why *why);
void corpora_close(struct corpora *c);

/* Document set d of corpus i; NULL where no task needs it. */
const struct bulk_file *corpora_file(const struct corpora *c, size_t i,
                                     size_t d);

/* SHA-256 of the bytes of corpus i: of its document set, or, of several, of
 * their SHA-256 one after another. Empty where no task needs it. ERR_NOMEM. */
CHECKED enum err corpora_sha256(const struct corpora *c, size_t i,
                                char hex[CORPUS_HEX_SIZE], struct why *why);

#endif
