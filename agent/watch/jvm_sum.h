/* What the log and the recording of a Java virtual machine add up to over the
 * window. Pure. */
#ifndef PITWALL_AGENT_WATCH_JVM_SUM_H
#define PITWALL_AGENT_WATCH_JVM_SUM_H

#include "agent/watch/gclog.h"
#include "agent/watch/jfr.h"
#include "common/measure.h"
#include "common/record.h"

#define JVM_SUM_SECONDS_MAX 90000 /* of a series; later ones are left out */

struct jvm_sum {
    struct measure_window window;
    struct record_jvm record;
    bool any_old;                  /* in the log, its number: */
    uint64_t last_old;             /* a collection may stop threads twice */
    struct record_sample_jit *jit; /* [n_jit], from second first_jit on */
    size_t n_jit;
    int64_t first_jit;
};

/* Start with nothing for this window. Owns: jvm_sum_fini. */
void jvm_sum_init(struct jvm_sum *sum, const struct measure_window *window);
void jvm_sum_fini(struct jvm_sum *sum);

/* The trial ended at now_ns: a window that was to last longer ends there. For
 * before anything is added that ended later. */
void jvm_sum_cut(struct jvm_sum *sum, uint64_t now_ns);

/* Add a line of the log. */
void jvm_sum_line(struct jvm_sum *sum, const struct gclog_line *line);

/* Add an event of the recording; its times are CLOCK_MONOTONIC. ERR_NOMEM. */
CHECKED enum err jvm_sum_event(struct jvm_sum *sum,
                               const struct jfr_event *event, struct why *why);

#endif
