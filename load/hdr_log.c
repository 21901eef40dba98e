#include "load/hdr_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/hdr.h"

/* The log under way. */
struct log {
    FILE *to;
    uint64_t base_ns;  /* of the first window, CLOCK_MONOTONIC */
    struct hist *hist; /* decoded last */
    struct why *why;
};

static enum err write_interval(struct log *log, const struct session_task *t,
                               uint64_t begin_ns, const char *kind,
                               const struct series_blob *blob)
{
    if (!blob->len)
        return ERR_OK;
    enum err e = hist_decode(log->hist, blob->data, blob->len, log->why);
    if (e)
        return e;
    uint64_t end_ns = begin_ns + NS_PER_S, done_ns = t->sum->last_done_ns;
    if (done_ns > begin_ns && done_ns < end_ns)
        end_ns = done_ns; /* the last one */
    const struct hdr_interval interval = {
        .name = t->work->name,
        .kind = kind,
        .begin_s = ((double)begin_ns - (double)log->base_ns) / 1e9,
        .length_s = (double)(end_ns - begin_ns) / 1e9};
    return hdr_line(log->to, &interval, log->hist, log->why);
}

static enum err write_task(struct log *log, const struct session *s,
                           const struct session_task *t)
{
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < t->series.n; i++) {
        const struct series_second *second = &t->series.seconds[i];
        uint64_t begin_ns =
            session_origin(s) + (uint64_t)second->second * (uint64_t)NS_PER_S;
        if (second->second < 0)
            continue;
        e = write_interval(log, t, begin_ns, "latency", &second->latency);
        if (!e)
            e = write_interval(log, t, begin_ns, "service", &second->service);
    }
    if (t->series.lost)
        (void)fprintf(log->to, "#[%s: %llu seconds found no memory]\n",
                      t->work->name, (unsigned long long)t->series.lost);
    return e;
}

static void write_head(struct log *log)
{
    double ago_s = (double)(clock_mono_ns() - log->base_ns) / 1e9;
    hdr_head(log->to, "pitwall-load", (double)clock_wall_ns() / 1e9 - ago_s);
}

enum err hdr_log_write(FILE *to, const char *name, const struct course *c,
                       struct why *why)
{
    struct log log = {.to = to, .base_ns = clock_mono_ns(), .why = why};
    enum err e = ERR_OK;
    log.hist = malloc(sizeof *log.hist);
    if (!log.hist)
        return err_set(why, ERR_NOMEM, "histogram: out of memory");
    if (c->n_sessions)
        log.base_ns = session_origin(c->sessions[0]);
    write_head(&log);
    for (size_t i = 0; !e && i < c->n_sessions; i++)
        for (size_t t = 0; !e && t < session_tasks(c->sessions[i]); t++)
            if (session_task(c->sessions[i], t)->told)
                e = write_task(&log, c->sessions[i],
                               session_task(c->sessions[i], t));
    if (!e && (fflush(to) || ferror(to)))
        e = err_errno(why, errno, "--hdr %s", name);
    free(log.hist);
    return e;
}
