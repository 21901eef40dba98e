/* The field lists of the samples: what driver, watch and target say about each
 * second. Seen through common/record.h, which makes structs, tables and codecs
 * of them.
 *
 * Counters are differences over the second unless the comment says "level" or
 * "total". `second` counts from the window's begin; negative is warm-up
 * (measure_second). `side` is "target" or "load": whose namespace was watched.
 */
#ifndef PITWALL_COMMON_SAMPLE_H
#define PITWALL_COMMON_SAMPLE_H

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
    F(U64, zero_windows, 0, OPT)    /* TcpExt TCPToZeroWindowAdv */            \
    F(U64, sockets, 0, REQ)         /* level */                                \
    F(U64, rcvq_bytes, 0, REQ)      /* level: sum of receive queues */         \
    F(U64, rcvq_peak_bytes, 0, OPT) /* largest such sum of all looks */        \
    F(U64, rcvq_mean_bytes, 0, OPT) /* mean of such sums */                    \
    F(U64, sndq_bytes, 0, REQ)      /* level: sum of send queues */            \
    F(U64, rcvbuf_min, 0, REQ) /* level: SK_MEMINFO_RCVBUF, smallest ... */    \
    F(U64, rcvbuf_max, 0, REQ) /* ... and largest; 0 without sockets */        \
    F(U64, rtt_ns, 0, OPT)     /* level: mean of TCP_INFO rtt */               \
    F(U64, cwnd, 0, OPT)       /* level: mean, segments */                     \
    F(U64, delivery_rate_bit_s, 0, OPT) /* level: sum of TCP_INFO's */         \
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

/* Time that tasks of the whole machine waited (/proc/pressure): some: at least
 * one did; full: all that could have run. */
#define SAMPLE_PRESSURE(F)                                                     \
    F(I64, second, 0, KEY)                                                     \
    F(STR, side, 8, KEY)                                                       \
    F(U64, cpu_some_ns, 0, REQ)                                                \
    F(U64, io_some_ns, 0, REQ)                                                 \
    F(U64, io_full_ns, 0, REQ)                                                 \
    F(U64, memory_some_ns, 0, REQ)                                             \
    F(U64, memory_full_ns, 0, REQ)

/* One process of the cage (/proc/PID/stat, statm). */
#define SAMPLE_PROC(F)                                                         \
    F(I64, second, 0, KEY)                                                     \
    F(STR, side, 8, KEY)                                                       \
    F(STR, name, 32, KEY) /* "target", "load", "watch", else comm.pid */       \
    F(U64, user_ns, 0, REQ)                                                    \
    F(U64, system_ns, 0, REQ)                                                  \
    F(U64, rss_bytes, 0, REQ) /* level */                                      \
    F(U64, threads, 0, REQ)   /* level */                                      \
    F(U64, majflt, 0, REQ)                                                     \
    F(U64, wait_ns, 0, OPT) /* its threads together: ready, without a CPU */   \
    F(STR, top, 16, OPT)    /* the thread that had one for longest: name, */   \
    F(U64, top_ns, 0, OPT)  /* its time on one ... */                          \
    F(U64, top_wait_ns, 0, OPT) /* ... and its waiting for one */

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
    F(U64, old_ns, 0, OPT)                                                     \
    F(U64, queued, 0, OPT) /* level: requests that wait for a thread */

#endif
