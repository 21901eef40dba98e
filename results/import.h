/* Storing an experiment that others measured: to be read beside our own, never
 * to be gated on. */
#ifndef PITWALL_RESULTS_IMPORT_H
#define PITWALL_RESULTS_IMPORT_H

#include "results/db.h"
#include "results/foreign.h"
#include "results/store.h"

/* What the importer says beside the file. */
struct import_words {
    const char *file;        /* its name, for the record */
    const char *sha256;      /* of its content */
    const char *name;        /* NULL: the file's own, else its base name */
    const char *version;     /* of pitwall */
    const char *const *tags; /* "k=v" [n_tags] */
    size_t n_tags;
};

/* Store it whole or not at all; experiment id to *id. What its file does not
 * tell (track, challenge, target) is "-". Values without a block are each in a
 * block of their own that is paired with nothing.
 * Errors  ERR_EXISTS: the same content was imported before, names the
 *         experiment. ERR_INVALID: a tag. */
CHECKED enum err import_store(struct store *store,
                              const struct foreign *foreign,
                              const struct import_words *words, int64_t *id,
                              struct why *why);

/* The name that the experiment gets; lives as long as what it is taken from. */
const char *import_name(const struct foreign *foreign,
                        const struct import_words *words);

/* The form of the file that an experiment came from into buf, "" where it was
 * measured here. ERR_NOTFOUND: no such experiment. */
CHECKED enum err import_form(struct db *db, int64_t experiment, char *buf,
                             size_t size, struct why *why);

#endif
