/* The field lists of what the watch finds out about a target that is a Java
 * virtual machine ("jvm": true). Seen through common/record.h.
 *
 * The same collections are told by three sources: the log (gc.log), a flight
 * recording and the counters that the machine keeps in shared memory. Each is
 * kept for itself. "ns" of collections is time that the threads were stopped
 * for, "elapsed" from begin to end of a collection, of one that works beside
 * the threads too. An event belongs to the moment when it ended. */
#ifndef PITWALL_COMMON_SAMPLE_JVM_H
#define PITWALL_COMMON_SAMPLE_JVM_H

/* The counters over a second; differences but for levels. */
#define SAMPLE_JVM(F)                                                          \
    F(I64, second, 0, KEY)                                                     \
    F(U64, young_count, 0, REQ)                                                \
    F(U64, young_ns, 0, REQ)                                                   \
    F(U64, old_count, 0, REQ) /* all other collections' stops */               \
    F(U64, old_ns, 0, REQ)                                                     \
    F(U64, safepoints, 0, REQ)                                                 \
    F(U64, safepoint_ns, 0, REQ)                                               \
    F(U64, compiles, 0, REQ)                                                   \
    F(U64, compile_ns, 0, REQ)    /* of all compiling threads together */      \
    F(U64, heap_used, 0, REQ)     /* level */                                  \
    F(U64, heap_capacity, 0, REQ) /* level */                                  \
    F(U64, code_bytes, 0, REQ)    /* level: of compiled methods */             \
    F(U64, classes, 0, REQ)       /* loaded */                                 \
    F(U64, threads, 0, REQ)       /* level */

/* Compilations that ended in a second, by the recording: of the quick compiler
 * (levels 1 to 3) and of the thorough one (4). */
#define SAMPLE_JIT(F)                                                          \
    F(I64, second, 0, KEY)                                                     \
    F(U64, quick_count, 0, REQ)                                                \
    F(U64, quick_ns, 0, REQ)                                                   \
    F(U64, thorough_count, 0, REQ)                                             \
    F(U64, thorough_ns, 0, REQ)

/* Log and recording over the window. */
#define RECORD_JVM(F)                                                          \
    F(STR, side, 8, KEY)                                                       \
    F(U64, begin_ns, 0, REQ) /* of the window, CLOCK_MONOTONIC */              \
    F(U64, end_ns, 0, REQ)   /* cut where the trial ended within it */         \
    F(U64, log, 0, REQ)      /* 1: the log was read, whole */                  \
    F(U64, log_young_count, 0, OPT)                                            \
    F(U64, log_young_ns, 0, OPT)                                               \
    F(U64, log_old_count, 0, OPT) /* collections; one may stop twice */        \
    F(U64, log_old_ns, 0, OPT)                                                 \
    F(U64, log_concurrent_ns, 0, OPT) /* elapsed, of work beside threads */    \
    F(U64, log_pause_max_ns, 0, OPT)                                           \
    F(U64, log_young_total, 0, OPT)   /* since the start */                    \
    F(U64, log_before_max, 0, OPT)    /* bytes in use before a collection */   \
    F(U64, log_after_max, 0, OPT)     /* ... and after one */                  \
    F(U64, safepoints, 0, OPT)        /* by the log */                         \
    F(U64, safepoint_ns, 0, OPT)      /* stopped, for whatever reason */       \
    F(U64, safepoint_wait_ns, 0, OPT) /* of it until all had stopped */        \
    F(U64, recording, 0, REQ)         /* 1: a recording was read, whole */     \
    F(U64, recording_bytes, 0, OPT)                                            \
    F(U64, jfr_young_count, 0, OPT)                                            \
    F(U64, jfr_young_ns, 0, OPT)                                               \
    F(U64, jfr_young_elapsed_ns, 0, OPT)                                       \
    F(U64, jfr_old_count, 0, OPT)                                              \
    F(U64, jfr_old_ns, 0, OPT)                                                 \
    F(U64, jfr_old_elapsed_ns, 0, OPT)                                         \
    F(U64, jfr_pause_max_ns, 0, OPT)                                           \
    F(U64, tlab_count, 0, OPT)                                                 \
    F(U64, tlab_bytes, 0, OPT)                                                 \
    F(U64, tlab_min_bytes, 0, OPT)                                             \
    F(U64, tlab_max_bytes, 0, OPT)                                             \
    F(U64, outside_count, 0, OPT)                                              \
    F(U64, outside_bytes, 0, OPT)                                              \
    F(U64, outside_min_bytes, 0, OPT)                                          \
    F(U64, outside_max_bytes, 0, OPT)                                          \
    F(U64, worker_outside_bytes, 0, OPT) /* of the event loops */              \
    F(U64, compiles, 0, OPT)                                                   \
    F(U64, compile_ns, 0, OPT)

#endif
