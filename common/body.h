/* The field lists of the control messages: the request and the reply that
 * frame them, and each op's own body. Seen through common/msg.h, which says who
 * sends what and makes structs, tables and codecs of them. */
#ifndef PITWALL_COMMON_BODY_H
#define PITWALL_COMMON_BODY_H

#define MSG_REQUEST(F)                                                         \
    F(U32, v, 255, REQ)                                                        \
    F(STR, op, 16, REQ)                                                        \
    F(STR, eid, 36, OPT)  /* experiment's uuid */                              \
    F(U32, tid, 0, OPT)   /* trial number in the experiment, from 1 */         \
    F(U32, att, 100, OPT) /* attempt, from 1 */                                \
    F(U64, token, 0, OPT) /* of ACQUIRE */                                     \
    F(U64, seq, 0, OPT)                                                        \
    F(BLOB, body, 655360, OPT)

#define MSG_REPLY(F)                                                           \
    F(U32, v, 255, REQ)                                                        \
    F(U64, seq, 0, OPT)                                                        \
    F(U32, err, 255, OPT)                                                      \
    F(STR, text, 500, OPT)                                                     \
    F(STR, boot_id, 36, OPT)                                                   \
    F(U64, incarnation, 0, OPT) /* counts the executor's starts */             \
    F(U64, lease_left_ns, 0, OPT)                                              \
    F(BLOB, body, 2097152, OPT)

#define MSG_BODY_HELLO(F)                                                      \
    F(U32, proto_min, 255, REQ)                                                \
    F(U32, proto_max, 255, REQ)                                                \
    F(STR, version, 32, REQ)

#define MSG_BODY_HELLO_REPLY(F)                                                \
    F(U32, proto, 255, REQ)                                                    \
    F(STR, version, 32, REQ)                                                   \
    F(STR, name, 64, REQ)                                                      \
    F(STR, roles, 16, REQ)     /* both | target | load */                      \
    F(STR, targets, 1024, REQ) /* names, comma separated */                    \
    F(STR, features, 512,                                                      \
      REQ) /* netns, userns, tbf, netem: comma separated */                    \
    F(STR, missing, 1024, OPT) /* what it cannot do; how to allow it */        \
    F(U32, cpus, 0, REQ)                                                       \
    F(U64, memory_bytes, 0, REQ)                                               \
    F(STR, facts, 16384, OPT) /* "name=value" lines */                         \
    /* lines "NAME=FACTOR FACTOR:FORM", "NAME=!why not" */                     \
    F(STR, target_maps, 8192, OPT)                                             \
    F(U64, limit_memory_bytes, 0, OPT) /* of a target, as configured; 0: */    \
    F(U32, limit_cpus_milli, 0, OPT)   /* no limit */                          \
    F(U32, limit_pids, 0, OPT)

#define MSG_BODY_PING(F) F(U64, sent_ns, 0, OPT)
#define MSG_BODY_PING_REPLY(F)                                                 \
    F(U64, mono_ns, 0, REQ)                                                    \
    F(U64, wall_ns, 0, OPT) /* CLOCK_REALTIME, for people alone */

#define MSG_BODY_ACQUIRE(F)                                                    \
    F(STR, owner, 36, REQ) /* the experiment's uuid */                         \
    F(U64, ttl_ns, 0, REQ)

#define MSG_BODY_RENEW(F) F(U64, ttl_ns, 0, REQ)

#define MSG_BODY_LEASE(F)                                                      \
    F(U64, token, 0, REQ)                                                      \
    F(U64, left_ns, 0, REQ)

#define MSG_BODY_PREPARE(F)                                                    \
    F(BLOB, spec, 65536, REQ)  /* a map of TRIAL_SPEC */                       \
    F(BLOB, plan, 262144, REQ) /* JSON, tracks/plan.h */

#define MSG_BODY_START_AT(F)                                                   \
    F(U64, t0_ns, 0, REQ) /* the agent's CLOCK_MONOTONIC */                    \
    F(U64, warmup_ns, 0, REQ)                                                  \
    F(U64, measure_ns, 0, REQ)

#define MSG_BODY_MEET(F)                                                       \
    F(U32, meet, 0, REQ)    /* common/meet.h */                                \
    F(U64, from_ns, 0, OPT) /* its instant, the agent's clock; 0: at once */

#define MSG_BODY_STOP(F)                                                       \
    F(STR, reason, 200, OPT)                                                   \
    F(U32, done, 1, OPT) /* load, on other machines, ended well */

#define MSG_BODY_STATUS_REPLY(F)                                               \
    F(STR, state, 16, REQ)   /* common/state.h */                              \
    F(STR, outcome, 16, OPT) /* once sealed */                                 \
    F(STR, text, 500, OPT)   /* of a failure */                                \
    F(STR, task, 64, OPT)                                                      \
    F(U64, mono_ns, 0, REQ) /* now, the agent's clock */                       \
    F(U64, docs, 0, OPT)    /* progress so far */                              \
    F(U64, bytes, 0, OPT)                                                      \
    F(U64, errors, 0, OPT)                                                     \
    F(F64, docs_s, 0, OPT) /* over the last second */                          \
    F(U32, meet, 0, OPT)   /* where the load has come to: common/meet.h */     \
    F(U32, meet_any, 1, OPT)                                                   \
    F(STR, target_url, 256, OPT)                                               \
    F(U32, target_pid, 0, OPT)  /* in its network, where it has its own */     \
    F(U64, spool_bytes, 0, OPT) /* once sealed: size, records, crc32c */       \
    F(U64, spool_records, 0, OPT)                                              \
    F(U32, spool_crc, 0, OPT)

#define MSG_BODY_COLLECT(F)                                                    \
    F(U64, offset, 0, REQ)                                                     \
    F(U32, max, 131072, REQ)

#define MSG_BODY_CHUNK(F)                                                      \
    F(U64, offset, 0, REQ)                                                     \
    F(U64, total, 0, REQ)                                                      \
    F(BLOB, data, 131072, REQ)

#define MSG_BODY_SETTLE(F)                                                     \
    F(U32, release, 1, OPT) /* end lease and hold; 0: only tell */

#define MSG_BODY_SETTLED(F)                                                    \
    F(STR, owner, 36, OPT)     /* of the lease; "": nobody */                  \
    F(U64, left_ns, 0, OPT)    /* of the lease */                              \
    F(STR, attempt, 64, OPT)   /* that is under way */                         \
    F(STR, held, 400, OPT)     /* why no lease is given; "": it is */          \
    F(STR, changes, 8192, OPT) /* of the machine, one a line, and what undoing \
                                  each would do */

#define MSG_BODY_ACK(F)                                                        \
    F(U64, bytes, 0, REQ)                                                      \
    F(U32, crc, 0, REQ)

#endif
