/* The counters of the Java virtual machine in the cage, found by its file and
 * read each second: what jstat shows. */
#ifndef PITWALL_AGENT_WATCH_JVM_COUNTERS_H
#define PITWALL_AGENT_WATCH_JVM_COUNTERS_H

#include "agent/watch/emit.h"

#define JVM_COUNTERS_MAX 32u

struct jvm_counters {
    const char *tmp_dir; /* "/tmp"; borrowed */
    bool own_pgrp;       /* no pid namespace: only the own process group */
    int pid;             /* 0: none found yet */
    char path[320];      /* of its file */
    bool has_base;
    uint64_t base[JVM_COUNTERS_MAX];
    char why[200]; /* the last thing that went wrong */
};

/* Nothing is found yet. */
void jvm_counters_init(struct jvm_counters *c, const char *tmp_dir,
                       bool own_pgrp);

/* Take the base of differences from the machine that is found: of several, as
 * where a launcher is one too, that with the largest heap. */
void jvm_counters_prime(struct jvm_counters *c);

/* Emit what was counted since the time before as of second. */
void jvm_counters_sample(struct jvm_counters *c, int64_t second,
                         struct emit *emit);

/* Emit what the machine says of itself: version, collector, options. */
void jvm_counters_facts(struct jvm_counters *c, struct emit *emit);

#endif
