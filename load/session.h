/* A job being driven: threads, their start, and what they bring home. The
 * calling thread owns it; it only waits, collects full seconds and adds up. */
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
    uint64_t window_ns; /* the length that the counts belong to */
};

/* What the driver knows about itself; CPU within the window. */
struct session_driver {
    const char *engine;
    uint32_t threads;
    struct recorder_totals totals; /* of all tasks */
    struct engine_stats stats;
    uint64_t loop_lag_max_ns, send_blocked_ns; /* of the worst thread */
    uint64_t cpu_user_ns, cpu_system_ns;
    uint64_t seconds_lost;
};

struct session_progress {
    uint64_t docs, bytes, errors;
};

struct session;

/* Make the threads' workers for a rendered job (borrowed) and connect every
 * client. Errors  ERR_REFUSED and others of connecting, ERR_NOMEM. */
CHECKED enum err session_open(struct session **out, const struct job *job,
                              struct why *why);
void session_close(struct session *s);

/* Start the threads; they wait for t0 by themselves. measure_ns 0: each task's
 * own times; ERR_STATE where it has none and memory holds not all its bodies.*/
CHECKED enum err session_start(struct session *s, const struct worker_run *run,
                               struct why *why);

/* Wait for at most wait_ns, or until fd (-1: none) can be read, or all threads
 * have ended; collect what is full. Returns whether they have ended. */
bool session_step(struct session *s, uint64_t wait_ns, int fd);

/* Start nothing more from now on. */
void session_stop(struct session *s);

/* So far. */
struct session_progress session_progress(const struct session *s);

/* Join the threads and add up; once, after session_step said so. */
void session_finish(struct session *s);

/* After session_finish; valid until session_close. */
const struct session_task *session_task(const struct session *s, size_t i);
const struct session_driver *session_driver(const struct session *s);

/* Operations a second that its open loop asked for; 0 in a closed loop. */
double session_offered(const struct session_task *t);

/* The times that were really in force: t0, first begin, last end. */
struct measure_window session_window(const struct session *s);

#endif
