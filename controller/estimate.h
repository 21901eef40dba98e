/* How long it will still take, by the lengths of the trials so far. Pure. */
#ifndef PITWALL_CONTROLLER_ESTIMATE_H
#define PITWALL_CONTROLLER_ESTIMATE_H

#include <stdint.h>

/* What a trial takes beside warm-up and measuring, before one was seen. */
#define ESTIMATE_OVERHEAD_NS 700000000ull

struct estimate {
    uint64_t guess_ns; /* of one trial, before any is measured */
    uint64_t total_ns; /* of the measured ones */
    uint32_t n;
};

/* Start with a trial's warm-up and measured time. */
void estimate_init(struct estimate *e, uint64_t warmup_ns, uint64_t measure_ns);

/* n trials of an earlier sitting took mean_ns each. */
void estimate_recall(struct estimate *e, uint64_t mean_ns, uint32_t n);

/* One trial took length_ns from its beginning to the next one's. */
void estimate_add(struct estimate *e, uint64_t length_ns);

/* Length of one trial to expect: the mean of those measured, else the guess. */
uint64_t estimate_trial_ns(const struct estimate *e);

/* Time left with this many trials not begun, and one under way since spent_ns
 * (running: 0 or 1 of them). */
uint64_t estimate_left_ns(const struct estimate *e, uint32_t trials,
                          uint32_t running, uint64_t spent_ns);

#endif
