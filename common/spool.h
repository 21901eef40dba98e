/* The framing of an attempt's spool file: what the executor writes, the gate
 * sends and results/ reads.
 *
 * A record: 20 bytes of header, little-endian
 *     u32 len | u32 crc32c | u64 seq | u8 stream | u8 version | u16 zero
 * and len bytes as read from a child's pipe (a stream's pieces in order; cuts
 * anywhere). crc32c covers the header with a zero crc field, then the bytes.
 * seq counts 0, 1, 2 ... over the whole file. */
#ifndef PITWALL_COMMON_SPOOL_H
#define PITWALL_COMMON_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define SPOOL_HEADER_BYTES  20u
#define SPOOL_VERSION       1u
#define SPOOL_RECORD_MAX    65536u  /* payload bytes of one record */
#define SPOOL_CHUNK_MAX     131072u /* bytes of one COLLECT reply */
#define SPOOL_GC_LOG_MAX    (16u << 20)
#define SPOOL_RECORDING_MAX (16u << 20)
#define SPOOL_STDERR_MAX    (64u << 10)

#define SPOOL_STREAMS(X)                                                       \
    X(LOAD, "load")                                                            \
    X(WATCH_TARGET, "watch-target")                                            \
    X(WATCH_LOAD, "watch-load")                                                \
    X(TARGET_FINAL, "target-final")                                            \
    X(GC_LOG, "gc-log")                                                        \
    X(STDERR_TARGET, "stderr-target")                                          \
    X(STDERR_LOAD, "stderr-load")                                              \
    X(EXECUTOR, "executor")   /* JSON: effective settings and command lines */ \
    X(CLOSING, "closing")     /* JSON: what was found at the end */            \
    X(RECORDING, "recording") /* of a Java virtual machine */

enum spool_stream {
    SPOOL_NONE,
#define X(name, text) SPOOL_##name,
    SPOOL_STREAMS(X)
#undef X
        SPOOL_STREAM_LAST
};

struct spool_header {
    uint32_t len, crc;
    uint64_t seq;
    uint8_t stream, version;
};

/* Word of a stream ("watch-target"); "unknown" outside the list. */
const char *spool_stream_name(enum spool_stream stream);

/* Fill out with the header of payload. */
void spool_header_make(uint8_t out[SPOOL_HEADER_BYTES],
                       enum spool_stream stream, uint64_t seq,
                       const void *payload, uint32_t len);

/* Read one record at data[0..len): header to *h, payload (h->len bytes of data)
 * to *payload; the next begins at SPOOL_HEADER_BYTES + h->len. ERR_AGAIN: not
 * all there yet; ERR_CORRUPT: length, version, stream, sequence (expected seq)
 * or crc is wrong. */
CHECKED enum err spool_record_read(const uint8_t *data, size_t len,
                                   uint64_t seq, struct spool_header *h,
                                   const uint8_t **payload, struct why *why);

#endif
