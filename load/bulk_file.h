/* A corpus as a file in bulk form: each document's action line and source line,
 * one after another as they are sent, so that a mapping of it can be sent as it
 * lies. Behind them stand the offsets of some documents, and a trailer with
 * length, checksums and names, by which a file that is not whole is known. */
#ifndef PITWALL_LOAD_BULK_FILE_H
#define PITWALL_LOAD_BULK_FILE_H

#include <stdint.h>

#include "load/corpus.h"
#include "tracks/corpus.h"

struct bulk_file {
    const char *data; /* [bytes], mapped */
    uint64_t bytes, docs;
    const uint64_t *offsets;      /* of each BULK_FILE_STRIDE-th document */
    char sha256[CORPUS_HEX_SIZE]; /* of data */
    const void *map;
    size_t map_bytes;
};

#define BULK_FILE_STRIDE 16u

/* Map a file and read all of it once, telling watch (may be NULL): what it
 * should be is checked, and it is in memory afterwards as far as there is room.
 * key names what it must hold. Errors  ERR_NOTFOUND and others of opening.
 * ERR_CORRUPT: it is not whole. ERR_INTERRUPTED: given up. Owns: *out, for
 * bulk_file_close. */
CHECKED enum err bulk_file_open(struct bulk_file **out, const char *path,
                                const char *key,
                                const struct corpus_watch *watch,
                                struct why *why);
void bulk_file_close(struct bulk_file *file);

/* Where document doc begins; for the number of documents, where the last one
 * ends. */
uint64_t bulk_file_at(const struct bulk_file *file, uint64_t doc);

struct bulk_writer;

/* Write such a file to fd (borrowed, empty). name is for errors.
 * Errors  ERR_NOMEM. Owns: *out, for bulk_writer_free. */
CHECKED enum err bulk_writer_new(struct bulk_writer **out, int fd,
                                 const char *name, struct why *why);
void bulk_writer_free(struct bulk_writer *w);

/* Add one document, its lines with their newlines. ERR_NOSPACE and others of
 * writing. */
CHECKED enum err bulk_writer_add(struct bulk_writer *w, const char *doc,
                                 size_t len, struct why *why);

/* Bytes of documents so far. */
uint64_t bulk_writer_bytes(const struct bulk_writer *w);

/* Write the rest, and see it to the disk. */
CHECKED enum err bulk_writer_end(struct bulk_writer *w, const char *key,
                                 struct why *why);

#endif
