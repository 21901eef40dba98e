/* The records inside load and watch streams: u32 little-endian length, then one
 * msgpack map with "k" (the kind's word) and the kind's fields.
 *
 * Each list (here and in common/sample*.h) makes struct, encoder, decoder,
 * columns and documentation. */
#ifndef PITWALL_COMMON_RECORD_H
#define PITWALL_COMMON_RECORD_H

#include "common/sample.h"
#include "common/sample_jvm.h"
#include "common/wire.h"

/* One task over the whole window. */
#define RECORD_TASK(F)                                                         \
    F(STR, task, 64, KEY)                                                      \
    F(STR, operation, 32, REQ)                                                 \
    F(STR, unit, 16, REQ) /* "docs", "ops" */                                  \
    F(U64, clients, 0, REQ)                                                    \
    F(U64, window_ns, 0, REQ) /* length that the counts below belong to */     \
    F(U64, ops, 0, REQ)       /* answered 2xx in the window */                 \
    F(U64, docs, 0, REQ)      /* by these, as bytes and received */            \
    F(U64, bytes, 0, REQ)                                                      \
    F(U64, received, 0, REQ) /* response body bytes */                         \
    F(U64, errors, 0, REQ)   /* due in the window, as all that follow */       \
    F(U64, docs_failed, 0, REQ)                                                \
    F(F64, offered_s, 0, OPT)    /* ops/s asked for; 0: closed loop */         \
    F(U64, late, 0, REQ)         /* started > 1 ms after the intended start */ \
    F(U64, dropped, 0, REQ)      /* due in the window, never started */        \
    F(STR, error_text, 200, OPT) /* the first failure, as it was answered */   \
    F(U64, step, 0, OPT)         /* measured steps before its own */           \
    F(U64, begin_ns, 0, OPT)     /* of its window, from the first step's */    \
    F(F64, driver_share, 0, OPT) /* of it the busiest thread had a CPU */      \
    F(U64, hidden, 0, OPT)       /* 1: kept out of reports, had errors */

/* The driver itself, one per load process. */
#define RECORD_DRIVER(F)                                                       \
    F(STR, engine, 8, REQ)                                                     \
    F(U64, threads, 0, REQ)                                                    \
    F(U64, docs_acked, 0, REQ)    /* total: warm-up + window + drain */        \
    F(U64, docs_refused, 0, REQ)  /* total, answered but not acknowledged */   \
    F(U64, docs_unknown, 0, REQ)  /* total, sent, never answered */            \
    F(U64, requests, 0, REQ)      /* total, sent */                            \
    F(U64, body_bytes, 0, REQ)    /* total, sent */                            \
    F(U64, connects, 0, REQ)      /* total */                                  \
    F(U64, connects_lost, 0, REQ) /* closed by the peer before an answer */    \
    F(U64, retried, 0, REQ)       /* total: sent again without being asked */  \
    F(U64, cpu_user_ns, 0, REQ)   /* in the window */                          \
    F(U64, cpu_system_ns, 0, REQ)                                              \
    F(U64, loop_lag_max_ns, 0, REQ)                                            \
    F(U64, send_blocked_ns, 0, REQ) /* some body waited for the socket */      \
    F(U64, records_blocked, 0, REQ)                                            \
    F(U64, window_ns, 0, OPT)       /* that CPU, lags and waits belong to */   \
    F(U64, cpu_max_ns, 0, OPT)      /* of the busiest thread */                \
    F(U64, loop_lag_p75_ns, 0, OPT) /* in 75 % of the window: back by then */  \
    F(U64, loop_lag_p99_ns, 0, OPT)                                            \
    F(U64, loop_lag_mean_ns, 0, OPT) /* mean wait of a ready socket */         \
    F(U64, late_p99_ns, 0, OPT)      /* from when an operation could start */  \
    F(U64, starts, 0, OPT)           /* operations that this is of */          \
    F(U64, docs_assumed, 0, OPT)     /* of docs_acked: no answer named them */

/* The same of one host where several drove: side is "load", "load2", ... The
 * store makes these rows from each host's driver record. */
#define RECORD_DRIVER_HOST(F)                                                  \
    F(STR, side, 8, KEY)                                                       \
    RECORD_DRIVER(F)

/* kind "latency", "service" or "read_bytes"; second -1000000: whole window. */
#define RECORD_HIST(F)                                                         \
    F(STR, task, 64, KEY)                                                      \
    F(STR, kind, 16, KEY)                                                      \
    F(I64, second, 0, KEY)                                                     \
    F(BLOB, blob, 400000, REQ) /* hist_encode */

#define RECORD_WHOLE_WINDOW (-1000000)
/* A stack that was found running, in extra trials: process's name, then frames
 * from the outermost to the running one, joined by semicolons. */
#define RECORD_STACK(F)                                                        \
    F(STR, side, 8, KEY)                                                       \
    F(STR, stack, 8191, KEY)                                                   \
    F(U64, samples, 0, REQ)

/* A fact about the machine, the link or the settings in force. */
#define RECORD_FACT(F)                                                         \
    F(STR, side, 8, KEY)                                                       \
    F(STR, name, 64, KEY)                                                      \
    F(STR, value, 1024, REQ)

#define RECORD_KINDS(X)                                                        \
    X(sample_load, SAMPLE_LOAD)                                                \
    X(sample_link, SAMPLE_LINK)                                                \
    X(sample_tcp, SAMPLE_TCP)                                                  \
    X(sample_cpu, SAMPLE_CPU)                                                  \
    X(sample_disk, SAMPLE_DISK)                                                \
    X(sample_pressure, SAMPLE_PRESSURE)                                        \
    X(sample_proc, SAMPLE_PROC)                                                \
    X(sample_target, SAMPLE_TARGET)                                            \
    X(sample_jvm, SAMPLE_JVM)                                                  \
    X(sample_jit, SAMPLE_JIT)                                                  \
    X(jvm, RECORD_JVM)                                                         \
    X(task, RECORD_TASK)                                                       \
    X(driver, RECORD_DRIVER)                                                   \
    X(driver_host, RECORD_DRIVER_HOST)                                         \
    X(hist, RECORD_HIST)                                                       \
    X(stack, RECORD_STACK)                                                     \
    X(fact, RECORD_FACT)

#define X(name, LIST)                                                          \
    struct record_##name {                                                     \
        WIRE_FIELDS(LIST)                                                      \
    };
RECORD_KINDS(X)
#undef X

enum record_kind {
#define X(name, LIST) RECORD_IS_##name,
    RECORD_KINDS(X)
#undef X
        RECORD_KIND_LAST
};

/* Any record, decoded. */
struct record {
    enum record_kind kind;
    union {
#define X(name, LIST) struct record_##name name;
        RECORD_KINDS(X)
#undef X
    } as;
};

/* The kind's word ("sample_link", the SQL table's name) and fields; valid for
 * ever. */
const char *record_name(enum record_kind kind);
const struct wire_field *record_fields(enum record_kind kind, size_t *n_fields);

/* Append a record's map (no u32 length) to out; in is the kind's struct. Errors
 * as wire_encode. */
CHECKED enum err record_encode(enum record_kind kind, const void *in,
                               struct wire_buf *out, struct why *why);

/* The kind, without decoding, of a map whose first pair names it; false: only
 * record_decode can tell. */
bool record_peek(const void *data, size_t len, enum record_kind *kind);

/* Decode one map. ERR_NOTFOUND: an unknown kind (skip it). Else as wire_decode.
 * Blobs point into data. */
CHECKED enum err record_decode(const void *data, size_t len, struct record *out,
                               struct why *why);

#endif
