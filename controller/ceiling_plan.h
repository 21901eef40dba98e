/* The calibrations of an experiment: for each distinct load and link one short
 * run of the same load, over the same link, against a target that only reads
 * and answers, with answers of real size. Pure. */
#ifndef PITWALL_CONTROLLER_CEILING_PLAN_H
#define PITWALL_CONTROLLER_CEILING_PLAN_H

#include "controller/bench.h"
#include "controller/trials.h"

#define CEILING_LINK_MAX 192u
#define CEILING_LOAD_MAX 512u

struct ceiling_plan {
    uint32_t number; /* among all of the experiment, from 0 */
    uint32_t *cells; /* [n_cells] that it is for; the first one is run */
    size_t n_cells;
    char link[CEILING_LINK_MAX + 1]; /* words for both: their levels */
    char load[CEILING_LOAD_MAX + 1];
    char *json; /* the plan: the measured step alone */
    uint64_t answer_bytes;
    bool capacity; /* the first over its link: that is measured too */
};

struct ceiling_plans {
    struct ceiling_plan *items; /* [n] */
    uint32_t n;
    struct bench_times times;
};

/* Find them. brief: half a second each (test mode). Owns: ceiling_plans_fini.
 */
CHECKED enum err ceiling_plans_make(struct ceiling_plans *out,
                                    const struct trials *trials, bool brief,
                                    struct why *why);
void ceiling_plans_fini(struct ceiling_plans *plans);

/* What is set up for one. */
void ceiling_plan_setup(const struct ceiling_plan *plan,
                        const struct trials *trials, struct setup *setup);

/* How long they take, with what each costs beside. */
uint64_t ceiling_plans_ns(const struct ceiling_plans *plans);

#endif
