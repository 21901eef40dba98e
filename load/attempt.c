/* The life of a child:
 *
 *   plan read, corpora in the cache -> READY; PROGRESS as that gets on
 *   ARM: leading tasks, bodies, connections -> ARMED
 *   START{t0, warm-up, measure}     -> STARTED at t0, PROGRESS each second
 *   window and drain over, or STOP  -> trailing tasks, records, DONE
 *
 * STOP, or the end of the control socket, may come at any moment. Before START
 * there is nothing to report; during the load it ends the window; afterwards
 * the trailing tasks are left out. */
#include "load/attempt.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/child.h"
#include "common/clock.h"
#include "load/report.h"

#define PIPE_BYTES  ((size_t)4 << 20)
#define FLUSH_NS    (10 * NS_PER_S)
#define LATE_NS_MAX NS_PER_S /* a START this long ago is refused */

struct attempt {
    struct job job;
    struct course course;
    struct child_pipe pipe;
    bool stopped; /* STOP was said, or nobody is there any more */
    bool unheard; /* nobody reads the records */
    bool started; /* STARTED was said */
    struct child_msg start;
    struct session_progress last; /* when PROGRESS was said last */
    uint32_t gone;         /* the last meeting that it may go on from ... */
    uint64_t gone_from_ns; /* ... and from when */
    uint64_t made_due_ns;  /* when PROGRESS of a corpus is to be said next */
};

/* Handle what was said on the control socket so far; wanted goes to *msg. */
static bool heard(struct attempt *a, enum child_kind wanted,
                  struct child_msg *msg)
{
    enum err e;
    while (!(e = child_receive(CHILD_FD_CONTROL, msg, NULL))) {
        if (msg->kind == CHILD_STOP)
            a->stopped = true;
        if (msg->kind == CHILD_GO && msg->meet > a->gone) {
            a->gone = msg->meet;
            a->gone_from_ns = msg->t_ns;
        }
        if (msg->kind == wanted)
            return true;
    }
    if (e != ERR_AGAIN)
        a->stopped = true;
    return false;
}

static bool stopped(void *ctx)
{
    struct attempt *a = ctx;
    struct child_msg msg;
    if (!a->stopped)
        (void)heard(a, CHILD_STOP, &msg);
    return a->stopped;
}

/* Wait for one kind of packet; false: stopped instead. */
static bool await(struct attempt *a, enum child_kind wanted,
                  struct child_msg *msg)
{
    struct pollfd fd = {.fd = CHILD_FD_CONTROL, .events = POLLIN};
    while (!a->stopped) {
        if (heard(a, wanted, msg))
            return true;
        if (!a->stopped)
            (void)poll(&fd, 1, -1);
    }
    return false;
}

static enum err read_plan(char **text, size_t *len, struct why *why)
{
    *text = malloc(PLAN_BYTES_MAX + 1);
    *len = 0;
    if (!*text)
        return err_set(why, ERR_NOMEM, "plan: out of memory");
    for (;;) {
        /* A memfd may have been written through the same offset. */
        ssize_t n = pread(CHILD_FD_PLAN, *text + *len,
                          PLAN_BYTES_MAX + 1 - *len, (off_t)*len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_errno(why, errno, "plan on descriptor %d",
                             CHILD_FD_PLAN);
        *len += (size_t)n;
        if (!n || *len > PLAN_BYTES_MAX)
            return ERR_OK; /* plan_parse says what is too long */
    }
}

/* A full pipe at the end waits for its reader; before, nothing is written. */
static bool put(void *ctx, const void *data, size_t len)
{
    struct attempt *a = ctx;
    if (!a->unheard && len + 4 > a->pipe.size - a->pipe.len)
        a->unheard = child_pipe_flush(&a->pipe, clock_mono_ns() + FLUSH_NS,
                                      NULL) != ERR_OK;
    return !a->unheard && child_pipe_put(&a->pipe, data, len);
}

static enum err once(void *ctx, const struct plan_task *task,
                     const struct once_result *result, struct why *why)
{
    return report_once(task, result, put, ctx, why);
}

static void say(enum child_kind kind, const struct session_progress *p,
                double docs_s, const char *text)
{
    struct child_msg msg = {.kind = kind,
                            .t_ns = clock_mono_ns(),
                            .docs = p->docs,
                            .bytes = p->bytes,
                            .errors = p->errors,
                            .docs_s = docs_s};
    (void)snprintf(msg.text, sizeof msg.text, "%s", text);
    enum err gone = child_send(CHILD_FD_CONTROL, &msg, NULL);
    (void)gone; /* shows as end of file too */
}

/* Told often while a corpus is read or grows: said once a second. */
static void told(void *ctx, const struct corpus_news *news)
{
    struct attempt *a = ctx;
    const struct session_progress none = {0};
    char text[CORPUS_NEWS_SIZE];
    uint64_t now_ns = clock_mono_ns();
    if (now_ns < a->made_due_ns)
        return;
    a->made_due_ns = now_ns + NS_PER_S;
    corpus_news_text(news, text);
    say(CHILD_PROGRESS, &none, 0, text);
}

static void come(void *ctx, uint32_t number, bool any)
{
    const struct child_msg msg = {.kind = CHILD_MEET,
                                  .t_ns = clock_mono_ns(),
                                  .meet = number,
                                  .any = any};
    (void)ctx;
    enum err gone = child_send(CHILD_FD_CONTROL, &msg, NULL);
    (void)gone; /* shows as end of file too */
}

/* A later meeting's word is for those who have come to that: it says that all
 * have left this one. */
static bool gone(void *ctx, uint32_t number, uint64_t *from_ns)
{
    const struct attempt *a = ctx;
    *from_ns = a->gone == number ? a->gone_from_ns : 0;
    return a->gone >= number;
}

static void second(void *ctx)
{
    struct attempt *a = ctx;
    struct session_progress p = course_progress(&a->course);
    if (a->started)
        say(CHILD_PROGRESS, &p, (double)(p.docs - a->last.docs),
            a->course.task);
    else
        child_report(CHILD_FD_CONTROL, CHILD_STARTED, NULL);
    a->started = true;
    a->last = p;
}

/* From START until everything has ended. What was measured is reported whatever
 * becomes of what comes after it. */
static enum err drive(struct attempt *a, struct why *why)
{
    const struct stage_run run = {.t0_ns = a->start.t_ns,
                                  .warmup_ns = a->start.warmup_ns,
                                  .measure_ns = a->start.measure_ns,
                                  .drain_ns = WORKER_DRAIN_NS};
    struct why cause = {0};
    uint64_t now_ns = clock_mono_ns();
    if (now_ns > run.t0_ns + LATE_NS_MAX)
        return err_set(why, ERR_LATE, "START came %.3f s after its t0",
                       (double)(now_ns - run.t0_ns) / 1e9);
    enum err failed = course_run(&a->course, &run, &cause);
    enum err e = report_course(&a->course, put, a, why);
    if (!e)
        e = child_pipe_flush(&a->pipe, clock_mono_ns() + FLUSH_NS, why);
    if (e || !failed || failed == ERR_INTERRUPTED)
        return e;
    *why = cause;
    return failed;
}

static enum err run(struct attempt *a, struct why *why)
{
    struct child_msg msg;
    if (!await(a, CHILD_ARM, &msg))
        return ERR_OK;
    enum err e = course_arm(&a->course, why);
    if (e)
        return e;
    child_report(CHILD_FD_CONTROL, CHILD_ARMED, NULL);
    if (!await(a, CHILD_START, &a->start))
        return ERR_OK;
    return drive(a, why);
}

enum err attempt_run(const struct options *options, struct why *why)
{
    struct attempt a = {0};
    struct session_progress total;
    char *plan = NULL;
    size_t len = 0;
    uint8_t *ring = malloc(PIPE_BYTES);
    enum err e = ring ? read_plan(&plan, &len, why)
                      : err_set(why, ERR_NOMEM, "records: out of memory");
    if (!e) {
        child_pipe_init(&a.pipe, CHILD_FD_DATA, ring, PIPE_BYTES);
        e = job_open(&a.job, plan, len, options, why);
    }
    if (!e)
        e = job_corpora(&a.job, stopped, told, &a, why);
    if (!e) {
        bool several = options->share.of > 1;
        course_init(&a.course,
                    &(struct course_config){.job = &a.job,
                                            .fd = CHILD_FD_CONTROL,
                                            .stopped = stopped,
                                            .second = second,
                                            .once = once,
                                            .come = several ? come : NULL,
                                            .gone = several ? gone : NULL,
                                            .ctx = &a});
        child_report(CHILD_FD_CONTROL, CHILD_READY, a.job.address.text);
        e = run(&a, why);
    }
    if (e == ERR_INTERRUPTED && a.stopped)
        e = ERR_OK;
    total = course_progress(&a.course);
    if (e)
        child_fail(CHILD_FD_CONTROL, e, why);
    else
        say(CHILD_DONE, &total, 0, "");
    course_fini(&a.course);
    job_close(&a.job);
    free(plan);
    free(ring);
    return e;
}
