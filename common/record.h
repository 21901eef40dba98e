/* The records inside load and watch streams: u32 little-endian length, then one
 * msgpack map with "k" (the kind's word) and the kind's fields.
 *
 * Each list makes the struct, the encoder, the decoder, the table's columns and
 * the documentation. Counters are differences over the second unless the
 * comment says "level" or "total". `second` counts from the window's begin;
 * negative is warm-up (measure_second). `side` is "target" or "load": whose
 * namespace was watched. */
#ifndef PITWALL_COMMON_RECORD_H
#define PITWALL_COMMON_RECORD_H

#include "common/wire.h"

/* One second of one task as the driver saw it, by completion time. */
#define SAMPLE_LOAD(F)                                                         \
    F(I64, second, 0, KEY)                                                     \
    F(STR, task, 64, KEY)                                                      \
    F(U64, ops, 0, REQ)         /* requests answered 2xx */                    \
    F(U64, docs, 0, REQ)        /* documents acknowledged */                   \
    F(U64, bytes, 0, REQ)       /* body bytes of those requests */             \
    F(U64, errors, 0, REQ)      /* requests failed or not 2xx */               \
    F(U64, docs_failed, 0, REQ) /* documents refused, one by one or all */     \
    F(U64, late, 0, REQ)        /* started > 1 ms after the intended start */  \
    F(U64, in_flight, 0, REQ)   /* level at the second's end */

/* One interface, one second. */
#define SAMPLE_LINK(F)                                                         \
    F(I64, second, 0, KEY)                                                     \
    F(STR, side, 8, KEY)                                                       \
    F(STR, iface, 16, KEY)                                                     \
    F(U64, rx_bytes, 0, REQ)                                                   \
    F(U64, rx_packets, 0, REQ)                                                 \
    F(U64, rx_dropped, 0, REQ)                                                 \
    F(U64, rx_errors, 0, REQ)                                                  \
    F(U64, tx_bytes, 0, REQ)                                                   \
    F(U64, tx_packets, 0, REQ)                                                 \
    F(U64, tx_dropped, 0, REQ)                                                 \
    F(U64, tx_errors, 0, REQ)

/* TCP of the namespace (/proc/net/snmp, netstat) and of the target's or the
 * load's established sockets (inet_diag). */
#define SAMPLE_TCP(F)                                                          \
    F(I64, second, 0, KEY)                                                     \
    F(STR, side, 8, KEY)                                                       \
    F(U64, segs_in, 0, REQ)                                                    \
    F(U64, segs_out, 0, REQ)                                                   \
    F(U64, segs_retrans, 0, REQ)                                               \
    F(U64, timeouts, 0, REQ)                                                   \
    F(U64, rcvq_pruned, 0, REQ)    /* TcpExt PruneCalled */                    \
    F(U64, rcvq_collapsed, 0, REQ) /* TcpExt TCPRcvCollapsed */                \
    F(U64, listen_drops, 0, REQ)                                               \
    F(U64, sockets, 0, REQ)    /* level */                                     \
    F(U64, rcvq_bytes, 0, REQ) /* level: sum of receive queues */              \
    F(U64, sndq_bytes, 0, REQ) /* level: sum of send queues */                 \
    F(U64, rcvbuf_min, 0, REQ) /* level: SK_MEMINFO_RCVBUF, smallest ... */    \
    F(U64, rcvbuf_max, 0, REQ) /* ... and largest; 0 without sockets */        \
    F(U64, rtt_ns, 0, OPT)     /* level: mean of TCP_INFO rtt */               \
    F(U64, cwnd, 0, OPT)       /* level: mean, segments */                     \
    F(U64, rwnd_limited_ns, 0, OPT)                                            \
    F(U64, busy_ns, 0, OPT)

/* The whole machine (/proc/stat). */
#define SAMPLE_CPU(F)                                                          \
    F(I64, second, 0, KEY)                                                     \
    F(STR, side, 8, KEY)                                                       \
    F(U64, user_ns, 0, REQ)                                                    \
    F(U64, system_ns, 0, REQ)                                                  \
    F(U64, irq_ns, 0, REQ)                                                     \
    F(U64, softirq_ns, 0, REQ)                                                 \
    F(U64, steal_ns, 0, REQ)                                                   \
    F(U64, iowait_ns, 0, REQ)                                                  \
    F(U64, idle_ns, 0, REQ)

/* One block device (/proc/diskstats); devices that did nothing are left out. */
#define SAMPLE_DISK(F)                                                         \
    F(I64, second, 0, KEY)                                                     \
    F(STR, side, 8, KEY)                                                       \
    F(STR, device, 32, KEY)                                                    \
    F(U64, read_bytes, 0, REQ)                                                 \
    F(U64, write_bytes, 0, REQ)                                                \
    F(U64, busy_ns, 0, REQ)

/* One process of the cage (/proc/PID/stat, statm). */
#define SAMPLE_PROC(F)                                                         \
    F(I64, second, 0, KEY)                                                     \
    F(STR, side, 8, KEY)                                                       \
    F(STR, name, 32, KEY) /* "target", "load", "watch", else comm.pid */       \
    F(U64, user_ns, 0, REQ)                                                    \
    F(U64, system_ns, 0, REQ)                                                  \
    F(U64, rss_bytes, 0, REQ) /* level */                                      \
    F(U64, threads, 0, REQ)   /* level */                                      \
    F(U64, majflt, 0, REQ)

/* The target's own statistics, polled over HTTP. Differences, but for heap. */
#define SAMPLE_TARGET(F)                                                       \
    F(I64, second, 0, KEY)                                                     \
    F(U64, docs, 0, REQ)                                                       \
    F(U64, requests, 0, REQ)                                                   \
    F(U64, rejected, 0, REQ)                                                   \
    F(U64, errors, 0, REQ)                                                     \
    F(U64, reads, 0, REQ)                                                      \
    F(U64, read_bytes, 0, REQ)                                                 \
    F(U64, buffer_bytes, 0, REQ) /* receive buffers allocated */               \
    F(U64, tlab_bytes, 0, OPT)                                                 \
    F(U64, outside_bytes, 0, OPT)                                              \
    F(U64, heap_used, 0, REQ) /* level */                                      \
    F(U64, heap_max, 0, REQ)  /* level */                                      \
    F(U64, young_count, 0, OPT)                                                \
    F(U64, young_ns, 0, OPT)                                                   \
    F(U64, old_count, 0, OPT)                                                  \
    F(U64, old_ns, 0, OPT)

/* One task over the whole window. */
#define RECORD_TASK(F)                                                         \
    F(STR, task, 64, KEY)                                                      \
    F(STR, operation, 32, REQ)                                                 \
    F(STR, unit, 16, REQ) /* "docs", "ops" */                                  \
    F(U64, clients, 0, REQ)                                                    \
    F(U64, window_ns, 0, REQ) /* length that the counts below belong to */     \
    F(U64, ops, 0, REQ)       /* intended in the window, answered 2xx */       \
    F(U64, docs, 0, REQ)                                                       \
    F(U64, bytes, 0, REQ)                                                      \
    F(U64, received, 0, REQ) /* response body bytes */                         \
    F(U64, errors, 0, REQ)                                                     \
    F(U64, docs_failed, 0, REQ)                                                \
    F(F64, offered_s, 0, OPT)    /* ops/s asked for; 0: closed loop */         \
    F(U64, late, 0, REQ)         /* started > 1 ms after the intended start */ \
    F(U64, dropped, 0, REQ)      /* due in the window, never started */        \
    F(STR, error_text, 200, OPT) /* the first failure, as it was answered */

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
    F(U64, records_blocked, 0, REQ)

/* A histogram: kind "latency", "service" or "read_bytes"; second -1000000 is
 * the whole window, else that second's. */
#define RECORD_HIST(F)                                                         \
    F(STR, task, 64, KEY)                                                      \
    F(STR, kind, 16, KEY)                                                      \
    F(I64, second, 0, KEY)                                                     \
    F(BLOB, blob, 400000, REQ) /* hist_encode */

#define RECORD_WHOLE_WINDOW (-1000000)

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
    X(sample_proc, SAMPLE_PROC)                                                \
    X(sample_target, SAMPLE_TARGET)                                            \
    X(task, RECORD_TASK)                                                       \
    X(driver, RECORD_DRIVER)                                                   \
    X(hist, RECORD_HIST)                                                       \
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

/* The kind's word ("sample_link", also the SQL table's name) and its fields;
 * valid for ever. */
const char *record_name(enum record_kind kind);
const struct wire_field *record_fields(enum record_kind kind, size_t *n_fields);

/* Append one record's map (without the u32 length) to out. in is the kind's
 * struct. Errors as wire_encode. */
CHECKED enum err record_encode(enum record_kind kind, const void *in,
                               struct wire_buf *out, struct why *why);

/* Decode one map. ERR_NOTFOUND: a kind that this build does not know (skip
 * it). Else as wire_decode. Blobs point into data. */
CHECKED enum err record_decode(const void *data, size_t len, struct record *out,
                               struct why *why);

#endif
