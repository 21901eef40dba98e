/* What a trial is, for the machine that prepares it: one fixed struct, which
 * PREPARE carries and the executor acts on without decoding anything. */
#ifndef PITWALL_COMMON_SPEC_H
#define PITWALL_COMMON_SPEC_H

#include "common/wire.h"

/* Lists inside texts are "name=value" lines, names [a-z0-9_.-]+, in the order
 * they are applied. */
#define TRIAL_SPEC(F)                                                          \
    F(STR, cell, 512, REQ)        /* "heap=1g,link=loopback", for logs */      \
    F(STR, role, 8, REQ)          /* both | target | load */                   \
    F(STR, link_kind, 16, REQ)    /* loopback | veth | ethernet */             \
    F(U32, link_mtu, 65536, OPT)  /* 0: the kind's default */                  \
    F(U64, link_rate_bit, 0, OPT) /* 0: no shaper */                           \
    F(U32, link_burst_bytes, 0, OPT)                                           \
    F(U64, link_latency_ns, 0, OPT) /* tbf's queue bound; 0: 10 ms */          \
    F(U64, link_delay_ns, 0, OPT)   /* netem */                                \
    F(STR, link_offloads, 4, OPT)   /* "" as they are | on | off */            \
    F(U32, rmem_min, 0, OPT)        /* three zeros: the machine's own */       \
    F(U32, rmem_default, 0, OPT)                                               \
    F(U32, rmem_max, 0, OPT)                                                   \
    F(STR, congestion, 16, OPT)        /* set by the sender on its sockets */  \
    F(STR, pin, 64, OPT)               /* auto | none | cpu list */            \
    F(U64, limit_memory_bytes, 0, OPT) /* of the target; 0: as configured */   \
    F(U32, limit_cpus_milli, 0, OPT)                                           \
    F(U32, limit_pids, 0, OPT)                                                 \
    F(STR, target, 64, REQ) /* a name in the agent's configuration */          \
    F(U64, heap_bytes, 0, OPT)                                                 \
    F(STR, predictor, 48, OPT)                                                 \
    F(STR, target_params, 2048, OPT)                                           \
    F(STR, load_params, 2048, OPT)                                             \
    F(STR, sysctls, 2048, OPT)   /* of the target's namespace or machine */    \
    F(STR, nic, 1024, OPT)       /* of ethernet's interface, on each side */   \
    F(STR, telemetry, 256, OPT)  /* devices, comma separated */                \
    F(STR, target_url, 256, OPT) /* role load: where the target listens */     \
    F(U32, share_index, 63, OPT) /* role load: which one of ... */             \
    F(U32, share_of, 64, OPT)    /* ... how many load agents; 0: alone */      \
    F(U64, ready_ns, 0, REQ)     /* deadline of target and corpus */           \
    F(U64, drain_ns, 0, REQ)     /* of requests under way at STOP, <= 5 s */

struct trial_spec {
    WIRE_FIELDS(TRIAL_SPEC)
};

/* The spec's field table. */
const struct wire_field *spec_fields(size_t *n_fields);

#endif
