/* A target that is a Java virtual machine and was started with "jvm": true: its
 * counters each second, at the end its log and its flight recording. */
#ifndef PITWALL_AGENT_WATCH_JVM_H
#define PITWALL_AGENT_WATCH_JVM_H

#include "agent/watch/emit.h"
#include "common/measure.h"

struct jvm_args {
    const char *proc_dir, *tmp_dir; /* "/proc", "/tmp" of the cage */
    bool own_pgrp;                  /* see cage.h */
};

struct jvm;

/* Its files are those of the current folder: gc.log, recording.jfr, and
 * recording/ with what of that is not finished. Owns: *out, for jvm_close. */
CHECKED enum err jvm_open(struct jvm **out, const struct jvm_args *args,
                          struct why *why);
void jvm_close(struct jvm *jvm);

/* The window is known: what is found from now on is held against it. */
void jvm_window(struct jvm *jvm, const struct measure_window *window);

/* Take the base of the counters; emit a second's, and read what of the log has
 * come. */
void jvm_prime(struct jvm *jvm);
void jvm_sample(struct jvm *jvm, int64_t second, struct emit *emit);

/* The trial ends now: have the machine end its recording, read it and the log,
 * and emit what they add up to. Takes 20 s at most. */
void jvm_end(struct jvm *jvm, uint64_t now_ns, struct emit *emit);

#endif
