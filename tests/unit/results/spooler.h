/* Builds spool files as the executor and its children would, for tests. */
#ifndef PITWALL_TESTS_RESULTS_SPOOLER_H
#define PITWALL_TESTS_RESULTS_SPOOLER_H

#include "common/record.h"
#include "common/spool.h"

struct spooler {
    struct wire_buf spool;
    uint64_t seq;
};

/* Append bytes of a stream as one spool record (cut at SPOOL_RECORD_MAX). */
void spooler_bytes(struct spooler *s, enum spool_stream stream,
                   const void *data, size_t len);

/* Append a text. */
void spooler_text(struct spooler *s, enum spool_stream stream,
                  const char *text);

/* Append one record with its length before it; in is the kind's struct. */
void spooler_record(struct spooler *s, enum spool_stream stream,
                    enum record_kind kind, const void *in);

/* Append a histogram record of n values, second RECORD_WHOLE_WINDOW or that
 * second's. */
void spooler_hist(struct spooler *s, const char *task, const char *kind,
                  int64_t second, const uint64_t *values, size_t n);

/* A whole trial that went well: one task "index" of 2 s, 3 measured seconds of
 * samples of both sides, the target's last word, the executor's settings; 20
 * requests of 100 documents. The numbers stand in spooler.c. */
void spooler_trial(struct spooler *s);

/* Its two halves, as agents on two machines would write them. */
void spooler_target(struct spooler *s);
void spooler_load(struct spooler *s);

/* A trial of one second: docs documents acknowledged and counted (counted: by
 * the target), read in 10 reads of docs bytes each. */
void spooler_docs(struct spooler *s, uint64_t docs, uint64_t counted);

/* Give back the memory and start over. */
void spooler_free(struct spooler *s);

#endif
