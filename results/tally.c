#include "results/tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"

/* Sanity of what a stranger states: a year. */
#define SECOND_MAX    (366 * 86400)
#define WINDOW_MAX_NS (SECOND_MAX * NS_PER_S)

enum err tally_new(struct tally **out, struct why *why)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return err_set(why, ERR_NOMEM, "tally");
    final_init(&(*out)->final);
    accept_off(&(*out)->accept);
    return ERR_OK;
}

static void task_fini(struct tally_task *task)
{
    free(task->series);
    free(task->latency);
    free(task->service);
}

void tally_free(struct tally *tally)
{
    if (!tally)
        return;
    for (size_t i = 0; i < tally->n_tasks; i++)
        task_fini(&tally->tasks[i]);
    free(tally->all.series);
    free(tally->latency_sum);
    free(tally->service_sum);
    free(tally->kernel_reads);
    final_fini(&tally->final);
    free(tally);
}

static enum err task_of(struct tally *tally, const char *name,
                        struct tally_task **out, struct why *why)
{
    for (size_t i = 0; i < tally->n_tasks; i++)
        if (!strcmp(tally->tasks[i].name, name)) {
            *out = &tally->tasks[i];
            return ERR_OK;
        }
    if (tally->n_tasks == TALLY_TASKS_MAX)
        return err_set(why, ERR_RANGE, "task \"%s\": more than %u tasks", name,
                       TALLY_TASKS_MAX);
    *out = &tally->tasks[tally->n_tasks++];
    (void)snprintf((*out)->name, sizeof(*out)->name, "%s", name);
    return ERR_OK;
}

static enum err add_task(struct tally *tally, const struct record_task *r,
                         struct why *why)
{
    struct tally_task *task = NULL;
    if (r->window_ns > WINDOW_MAX_NS || r->begin_ns > WINDOW_MAX_NS)
        return err_set(why, ERR_RANGE,
                       "task \"%s\": its window is %llu ns from %llu ns on",
                       r->task, (unsigned long long)r->window_ns,
                       (unsigned long long)r->begin_ns);
    enum err e = task_of(tally, r->task, &task, why);
    if (e || task->ended) /* the first one counts */
        return e;
    task->ended = true;
    task->docs_unit = !strcmp(r->unit, "docs");
    task->hidden = r->hidden;
    task->ops = r->ops;
    task->docs = r->docs;
    task->bytes = r->bytes;
    task->errors = r->errors;
    task->docs_failed = r->docs_failed;
    task->late = r->late;
    task->dropped = r->dropped;
    task->offered_s = r->offered_s;
    task->window_ns = r->window_ns;
    task->step = r->step;
    task->begin_ns = r->begin_ns;
    task->driver_share = r->driver_share;
    (void)snprintf(task->error_text, sizeof task->error_text, "%s",
                   r->error_text);
    return ERR_OK;
}

/* Where it goes: the whole window's of a task or of the kernel, the first of
 * each; *slot is NULL where there is no need of it. */
static enum err slot_of(struct tally *tally, const struct record_hist *r,
                        struct hist ***slot, struct why *why)
{
    bool latency = !strcmp(r->kind, "latency");
    struct tally_task *task = NULL;
    *slot = NULL;
    if (!strcmp(r->kind, "kernel_reads"))
        *slot = &tally->kernel_reads;
    if (r->second == RECORD_WHOLE_WINDOW &&
        (latency || !strcmp(r->kind, "service"))) {
        enum err e = task_of(tally, r->task, &task, why);
        if (e)
            return e;
        *slot = latency ? &task->latency : &task->service;
    }
    if (*slot && **slot)
        *slot = NULL;
    return ERR_OK;
}

static enum err add_hist(struct tally *tally, const struct record_hist *r,
                         struct why *why)
{
    struct hist **slot = NULL;
    enum err e = hist_check(r->blob.data, r->blob.len, why);
    if (!e)
        e = slot_of(tally, r, &slot, why);
    if (e || !slot)
        return e;
    struct hist *h = malloc(sizeof *h);
    if (!h)
        return err_set(why, ERR_NOMEM, "histogram");
    e = hist_decode(h, r->blob.data, r->blob.len, why);
    if (e)
        free(h);
    else
        *slot = h;
    return e;
}

enum err tally_total(struct tally *tally, const struct record *record,
                     struct why *why)
{
    struct tally_task *task = NULL;
    switch (record->kind) {
    case RECORD_IS_task:
        return add_task(tally, &record->as.task, why);
    case RECORD_IS_hist:
        return add_hist(tally, &record->as.hist, why);
    case RECORD_IS_driver:
        if (!tally->driver_known)
            tally->driver = record->as.driver;
        tally->driver_known = true;
        return ERR_OK;
    case RECORD_IS_sample_load:
        return task_of(tally, record->as.sample_load.task, &task, why);
    case RECORD_IS_sample_link:
    case RECORD_IS_sample_tcp:
    case RECORD_IS_sample_cpu:
    case RECORD_IS_sample_disk:
    case RECORD_IS_sample_pressure:
    case RECORD_IS_stack:
    case RECORD_IS_sample_proc:
    case RECORD_IS_sample_target:
    case RECORD_IS_sample_jvm:
    case RECORD_IS_sample_jit:
    case RECORD_IS_jvm:
    case RECORD_IS_driver_host:
    case RECORD_IS_fact:
    case RECORD_KIND_LAST:
        return ERR_OK;
    }
    return ERR_OK;
}

static int by_begin(const void *a, const void *b)
{
    const struct tally_task *x = *(const struct tally_task *const *)a;
    const struct tally_task *y = *(const struct tally_task *const *)b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Whether the task is of the step that the trial's own figures are of: the
 * first, whose window the target's and the machines' figures have too. */
/* Without errors a hidden task would not be known here: with them it is no more
 * part of the trial's figures. */
static bool is_counted(const struct tally_task *task)
{
    return task->ended && !task->step && !task->hidden;
}

/* The time that the first step's tasks cover together: once where they ran side
 * by side, added up where one waited for another, so that documents over
 * window_ns is a rate that was really seen. */
void tally_window(struct tally *tally)
{
    struct tally_task *tasks[TALLY_TASKS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < tally->n_tasks; i++)
        if (is_counted(&tally->tasks[i]))
            tasks[n++] = &tally->tasks[i];
    qsort(tasks, n, sizeof *tasks, by_begin);
    uint64_t covered_ns = 0, end_ns = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t begin_ns = tasks[i]->begin_ns;
        uint64_t until_ns = begin_ns + tasks[i]->window_ns;
        if (until_ns <= end_ns)
            continue;
        covered_ns += until_ns - (begin_ns > end_ns ? begin_ns : end_ns);
        end_ns = until_ns;
    }
    tally->window_ns = covered_ns;
    tally->whole_s = (int64_t)(end_ns / NS_PER_S);
    if (tally->whole_s < 1)
        tally->whole_s = 1;
}

/* The trial's series is the sum of its tasks' where they lie side by side;
 * false: they do not. */
static bool add_series(struct tally_task *all, const struct tally_task *task)
{
    if (all->n_series &&
        (task->n_series != all->n_series || task->begin_ns != all->begin_ns))
        return false;
    if (!all->series)
        all->series = calloc(task->n_series, sizeof *all->series);
    if (!all->series)
        return false;
    all->n_series = task->n_series;
    all->begin_ns = task->begin_ns;
    for (size_t i = 0; i < task->n_series; i++)
        all->series[i] += task->series[i];
    all->lead_docs += task->lead_docs;
    if (task->lead_s > all->lead_s)
        all->lead_s = task->lead_s;
    return true;
}

/* Add one to those that *all stands for: the first one itself, then *sum. */
static enum err merge(struct hist **all, struct hist **sum, struct hist *one,
                      struct why *why)
{
    if (!one)
        return ERR_OK;
    if (!*all) {
        *all = one;
        return ERR_OK;
    }
    if (!*sum) {
        *sum = malloc(sizeof **sum);
        if (!*sum)
            return err_set(why, ERR_NOMEM, "histogram");
        **sum = **all;
        *all = *sum;
    }
    hist_merge(*sum, one);
    return ERR_OK;
}

static enum err add_all(struct tally *tally, const struct tally_task *task,
                        struct why *why)
{
    struct tally_task *all = &tally->all;
    all->ended = true;
    all->docs_unit |= task->docs_unit;
    all->ops += task->ops;
    all->docs += task->docs;
    all->bytes += task->bytes;
    all->errors += task->errors;
    all->docs_failed += task->docs_failed;
    all->late += task->late;
    all->dropped += task->dropped;
    all->offered_s += task->offered_s;
    enum err e = merge(&all->latency, &tally->latency_sum, task->latency, why);
    return e ? e
             : merge(&all->service, &tally->service_sum, task->service, why);
}

enum err tally_end(struct tally *tally, struct why *why)
{
    struct tally_task *all = &tally->all;
    enum err e = ERR_OK;
    bool aligned = true, closed = false;
    for (size_t i = 0; !e && i < tally->n_tasks; i++) {
        const struct tally_task *task = &tally->tasks[i];
        if (!is_counted(task))
            continue;
        e = add_all(tally, task, why);
        closed |= !(task->offered_s > 0);
        if (task->series && task->docs_unit)
            aligned = aligned && add_series(all, task);
    }
    if (!aligned)
        all->n_series = 0;
    if (closed) /* nothing was asked for of the whole */
        all->offered_s = 0;
    all->window_ns = tally->window_ns;
    return e;
}

double tally_watched_ns(const struct tally *tally, uint64_t n)
{
    uint64_t ns = tally->window_ns;
    if (!ns || ns > NS_PER_S)
        ns = NS_PER_S;
    return n ? (double)n * (double)ns : NAN;
}

bool tally_missed(const struct tally_task *task)
{
    if (!(task->offered_s > 0))
        return false;
    double due = task->offered_s * (double)task->window_ns / NS_PER_S;
    double done = (double)(task->ops + task->errors);
    double dropped = (double)task->dropped;
    return done < 0.99 * due - 3 * sqrt(due) ||
           dropped > 0.01 * (done + dropped);
}
