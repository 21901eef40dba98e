/* A job's steps, one after another: what is done once, and the measured ones,
 * each a session of its own with windows of its own. The sessions stay, to be
 * reported when all is over. */
#ifndef PITWALL_LOAD_COURSE_H
#define PITWALL_LOAD_COURSE_H

#include "load/once.h"
#include "load/session.h"

struct course_config {
    struct job *job; /* borrowed */
    int fd;          /* wakes the course while it drives; -1: none */
    /* Asked now and then: give up? */
    bool (*stopped)(void *ctx);
    /* At t0 of the first measured step and each second from then on. */
    void (*second)(void *ctx);
    /* A task that is done once has ended. */
    CHECKED enum err (*once)(void *ctx, const struct plan_task *task,
                             const struct once_result *result, struct why *why);
    /* One of several load agents (NULL: alone, and so are the next): it has
     * come to a meeting (common/meet.h). */
    void (*come)(void *ctx, uint32_t number, bool any);
    /* Whether it may go on from there, and from when; of what fd told so far.
     */
    bool (*gone)(void *ctx, uint32_t number, uint64_t *from_ns);
    void *ctx;
};

struct course {
    struct course_config config;
    struct session **sessions; /* [n_sessions], in their order */
    size_t n_sessions;
    size_t at;        /* the next step */
    bool told;        /* of the end: fd stays readable */
    uint32_t come;    /* the last meeting that it said it had come to */
    uint64_t next_ns; /* of the next second */
    const char *task; /* what is under way, for people */
};

/* Nothing is done yet; and close all sessions. */
void course_init(struct course *c, const struct course_config *config);
void course_fini(struct course *c);

/* Everything before the first measured step, and its bodies and connections.
 * Errors  those of once_run, job_render, session_open; ERR_INTERRUPTED. */
CHECKED enum err course_arm(struct course *c, struct why *why);

/* The first measured step, then all the others. measure_ns of run is for the
 * first; the others have their tracks' own. Several load agents meet before,
 * in and after the steps, so that each begins and ends for all at once.
 * Errors  as course_arm and session_start; ERR_INTERRUPTED: stopped in what is
 *         done once or in a meeting, while a measured step just ends. What was
 *         measured until then stays. */
CHECKED enum err course_run(struct course *c, const struct stage_run *run,
                            struct why *why);

/* Of all sessions so far. */
struct session_progress course_progress(const struct course *c);

/* After course_run, of at least one session: totals and counts of all of them,
 * times of the first. */
struct session_driver course_driver(const struct course *c);

#endif
