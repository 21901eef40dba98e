/* The spool of one attempt while it is written: what children's pipes gave,
 * unread, in the framing of common/spool.h. */
#ifndef PITWALL_AGENT_EXECUTOR_SPOOL_FILE_H
#define PITWALL_AGENT_EXECUTOR_SPOOL_FILE_H

#include <stdbool.h>

#include "common/spool.h"

/* A plain value; fd is the caller's. */
struct spool_file {
    int fd;
    uint64_t records, bytes; /* whole records in the file, and their size */
    uint32_t crc;            /* crc32c of those bytes */
    uint64_t stream_bytes[SPOOL_STREAM_LAST]; /* payload, as it came */
    bool broken; /* a write failed: nothing is added any more */
};

/* Begin an empty spool on fd, which must be an empty file open for writing. */
void spool_file_init(struct spool_file *f, int fd);

/* Keep room on the disk for an attempt's usual results and its manifest, so
 * that what others write meanwhile does not cost them; nothing where the file
 * system cannot. ERR_NOSPACE: there is none. release gives back what is left of
 * it. */
#define SPOOL_RESERVED_BYTES (16u << 20)
CHECKED enum err spool_file_reserve(int fd, struct why *why);
void spool_file_release(const struct spool_file *f);

/* Append data (at most SPOOL_RECORD_MAX) as one record. Streams with a cap
 * (GC_LOG, RECORDING, STDERR_*) lose what is beyond it; stream_bytes tells how
 * much came. Of STDERR_* room is left for the line of spool_file_end. After a
 * failure the file ends with the last whole record. Errors  ERR_NOSPACE,
 * ERR_IO; also at every later call. */
CHECKED enum err spool_file_append(struct spool_file *f,
                                   enum spool_stream stream, const void *data,
                                   size_t len, struct why *why);

/* Append len bytes of the file fd, from place from on, in as many records as
 * they take. Errors  those of spool_file_append; ERR_IO: fewer are there;
 * errno's.
 */
CHECKED enum err spool_file_copy(struct spool_file *f, enum spool_stream stream,
                                 int fd, uint64_t from, uint64_t len,
                                 struct why *why);

/* The last record: where what a program said was cut, a line says so. */
CHECKED enum err spool_file_end(struct spool_file *f, struct why *why);

#endif
