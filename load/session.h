/* A measured step being driven: threads, their start, and what they bring home.
 * The calling thread owns it; it only waits, collects full seconds and adds up.
 */
#ifndef PITWALL_LOAD_SESSION_H
#define PITWALL_LOAD_SESSION_H

#include "load/job.h"
#include "load/series.h"
#include "load/worker.h"

/* What came of one task, over all threads. */
struct session_task {
    const struct work *work;
    struct recorder *sum; /* window, counts, totals, histograms */
    struct series series;
    struct measure_window window; /* that the counts belong to */
    uint64_t window_ns;           /* its length */
    double offered_s; /* operations that an open loop asked for; else 0 */
    bool told;        /* wanted by the track: hidden ones if some failed */
};

/* What the driver knows about itself. Times are of the step's windows, from
 * their first begin to their last end. */
struct session_driver {
    const char *engine;
    uint32_t threads;
    struct totals totals; /* of all tasks */
    struct engine_stats stats;
    uint64_t seconds_lost;
    uint64_t window_ns;
    uint64_t cpu_user_ns, cpu_system_ns;
    uint64_t cpu_max_ns; /* of the busiest thread */
    uint64_t loop_lag_max_ns, loop_lag_p99_ns,
        loop_lag_p75_ns; /* load/self.h */
    uint64_t loop_lag_mean_ns;
    uint64_t late_p99_ns; /* of `starts` operations */
    uint64_t starts;
    uint64_t send_blocked_ns; /* of the worst thread */
};

struct session_progress {
    uint64_t requests, docs, bytes, errors;
    bool completed; /* what completes the step, if the plan says so, is over */
};

struct session;

/* Make the threads' workers for a measured step of a rendered job (borrowed)
 * and connect every client.
 * Errors  ERR_REFUSED and others of connecting, ERR_NOMEM. */
CHECKED enum err session_open(struct session **out, const struct job *job,
                              const struct step *step, struct why *why);
void session_close(struct session *s);

/* Start the threads; they wait for t0 by themselves.
 * Errors  ERR_STATE: a task that would never end, or whose documents memory
 *         does not hold; ERR_INVALID: a ramp-up longer than the warm-up. */
CHECKED enum err session_start(struct session *s, const struct stage_run *run,
                               struct why *why);

/* Wait for at most wait_ns, or until fd (-1: none) can be read, or all threads
 * have ended; collect what is full. Returns whether they have ended. */
bool session_step(struct session *s, uint64_t wait_ns, int fd);

/* Start nothing more from at_ns on, or from now on, if that is later; what is
 * under way has its timeouts. at_ns 0: an abort, which waits for it no longer
 * than the run's drain. */
void session_stop(struct session *s, uint64_t at_ns);

/* So far. */
struct session_progress session_progress(const struct session *s);

/* Join the threads, add up, close the connections; once, after session_step
 * said so. */
void session_finish(struct session *s);

/* After session_finish; valid until session_close. */
size_t session_tasks(const struct session *s);
const struct session_task *session_task(const struct session *s, size_t i);
const struct session_driver *session_driver(const struct session *s);

/* CPU time of one of the driver's threads, as cpu_max_ns. */
uint64_t session_thread_cpu(const struct session *s, uint32_t thread);

/* Where its seconds are counted from. */
uint64_t session_origin(const struct session *s);

#endif
