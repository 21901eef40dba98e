/* What the threads of one measured step agree upon: the windows of its tasks,
 * and when one task's end (`completed-by`) or a stop ends all of them. */
#ifndef PITWALL_LOAD_STAGE_H
#define PITWALL_LOAD_STAGE_H

#include "load/span.h"
#include "load/work.h"

/* How long to drive: t0, and the window by START_AT, which the tasks' own
 * times and iterations give way to; measure_ns 0: each task's own. drain_ns:
 * how long an abort waits for what is under way. */
struct stage_run {
    uint64_t t0_ns, warmup_ns, measure_ns, drain_ns;
    uint64_t origin_ns; /* where seconds are counted from; 0: the first begin */
    bool meets; /* completed-by counts the clients of other load agents too */
};

/* How long one task is driven, by the run or by itself. */
struct stage_term {
    uint64_t warmup_ns, measure_ns; /* measure 0: no end by time */
    uint64_t warm_ops, ops;         /* of each client; ops 0: no end by them */
};

struct stage_task {
    struct stage_term term;
    struct span span;
    atomic_uint clients; /* not over yet */
    atomic_uint_least64_t last_ns;
};

struct stage {
    const struct step *step;
    struct stage_run run;
    uint64_t origin_ns;
    struct stage_task *tasks; /* [step->n_works] */
    atomic_uint_least64_t stop_ns, give_up_ns;
    atomic_bool completed; /* of completed-by, as far as it is ours */
};

/* Begin a step's stage; tasks [step->n_works] is the caller's. */
void stage_init(struct stage *s, const struct step *step,
                struct stage_task *tasks, const struct stage_run *run);

/* Whether a client of task i has a slot to itself when the step begins. */
bool stage_is_first(const struct stage *s, size_t i, uint32_t client);

/* A client of task i is over at at_ns: this may complete the step, and stop it
 * unless others have to be asked, but not if it had nothing to do (idle) and is
 * only one of them. Thread: any. */
void stage_over(struct stage *s, size_t i, uint64_t at_ns, bool idle);

/* Whether completed-by's task is over here: all its clients of this process, or
 * any. Thread: any. */
bool stage_completed(const struct stage *s);

/* The first begin and the last end of the windows, as far as they are known.
 * Thread: any. */
void stage_edges(const struct stage *s, uint64_t *begin_ns, uint64_t *end_ns);

/* Nothing starts from at_ns on. Thread: any. */
void stage_stop(struct stage *s, uint64_t at_ns);

/* A stop at at_ns, after which what is under way is not waited for longer than
 * the drain. Thread: any. */
void stage_abort(struct stage *s, uint64_t at_ns);

/* The stop, and when what is under way is given up, whatever its timeout;
 * UINT64_MAX: none came yet. Thread: any. */
uint64_t stage_stopped(const struct stage *s);
uint64_t stage_given_up(const struct stage *s);

#endif
