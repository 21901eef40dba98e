/* Corpora: the documents of one set (plan.h), generated or read from a file,
 * as the lines of a bulk request. */
#ifndef PITWALL_TRACKS_CORPUS_H
#define PITWALL_TRACKS_CORPUS_H

#include "tracks/plan.h"

struct corpus;

#define CORPUS_LOOK_BYTES ((uint64_t)4 << 20) /* from telling to telling */

/* Told how far a file is read, each time after CORPUS_LOOK_BYTES or more;
 * false: give up. */
struct corpus_watch {
    bool (*goes_on)(void *ctx, uint64_t bytes, uint64_t of_bytes);
    void *ctx;
};

/* Open a document set; documents (borrowed) must outlive it. watch may be NULL.
 * A file is mapped,
 * its lines are counted and looked at: each one must be a JSON object from its
 * first character to its last, action lines must be where the set says.
 * Errors  ERR_NOTFOUND, ERR_PERMISSION. ERR_INVALID ("corpus FILE:LINE: what"),
 *         also for fewer documents in the file than the set says.
 *         ERR_INTERRUPTED: given up. Owns: *out, for corpus_close. */
CHECKED enum err corpus_open(struct corpus **out,
                             const struct plan_documents *documents,
                             const struct corpus_watch *watch, struct why *why);
void corpus_close(struct corpus *corpus);

/* The bytes of a file's documents, as far as the set takes them; valid as long
 * as the corpus. Not for generators. */
const char *corpus_bytes(const struct corpus *corpus, size_t *len);

/* A walk over a corpus; a plain value. Thread: one each. */
struct corpus_reader {
    const struct corpus *corpus;
    uint64_t next;   /* number of the next document */
    uint64_t offset; /* of it in the file */
};

/* Stand before document number at (below the set's docs). */
void corpus_seek(struct corpus_reader *reader, const struct corpus *corpus,
                 uint64_t at);

/* Write the next document to buf, action line and source line each with its
 * newline, and step on; after the last comes the first. Returns the length; 0
 * when it takes more than room bytes, and then does not step. */
size_t corpus_next(struct corpus_reader *reader, char *buf, size_t room);

/* Client client's part of docs documents shared by n_clients, as Rally cuts a
 * file: from round(docs / n * client) on, *n of them, halves rounded to even
 * as Python does. */
void corpus_slice(uint64_t docs, uint32_t n_clients, uint32_t client,
                  uint64_t *from, uint64_t *n);

#endif
