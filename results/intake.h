/* An attempt's spool, taken apart: frames to streams, streams to records.
 * Every length is checked; nothing here trusts what was collected. */
#ifndef PITWALL_RESULTS_INTAKE_H
#define PITWALL_RESULTS_INTAKE_H

#include "common/record.h"
#include "common/spool.h"

#define INTAKE_RECORD_MAX (1u << 20) /* bytes of one record's map */

struct intake {
    uint8_t *bytes; /* all payloads, stream after stream */
    struct wire_blob streams[SPOOL_STREAM_LAST];
};

/* Take the spool's frames apart.
 * Errors  ERR_CORRUPT: length, order or checksum of a frame; it ends within
 *         one. *out is empty then.
 * Owns    intake_close (an empty one is fine). */
CHECKED enum err intake_open(struct intake *out, const uint8_t *spool,
                             size_t len, struct why *why);
void intake_close(struct intake *intake);

/* A walk over the records of load and both watches; start with the intake, what
 * is wanted, and the rest zero. Two walks, of wants and of others, see each
 * record once: what names no kind is counted by the first alone. */
struct intake_walk {
    const struct intake *intake;
    bool (*wants)(enum record_kind kind); /* NULL: all */
    bool others;                          /* those that wants does not take */
    size_t stream, at;                    /* where the walk stands */
    uint64_t unknown, damaged; /* passed over so far: kinds that this build
                                  does not know, maps that do not decode or
                                  are cut short */
    struct why damage;         /* the first damaged one's complaint */
};

/* The next wanted record that decodes; false at the end. A damaged map is
 * passed over by its length; a length that cannot be ends its stream. */
bool intake_next(struct intake_walk *walk, struct record *out);

#endif
