/* All reading is done here and not by the agent: what a target writes is for no
 * process to parse that may change the machine.
 *
 * A recording is ended by a wish (attach.h), so that it is whole while the
 * machine still runs. One that has died, for want of heap perhaps, has left its
 * chunks in recording/, which are good up to some second before. */
#include "agent/watch/jvm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/watch/attach.h"
#include "agent/watch/jvm_counters.h"
#include "agent/watch/jvm_log.h"
#include "common/clock.h"

#define LOG        "gc.log"
#define RECORDING  "recording.jfr"
#define CHUNKS     "recording"
#define CHUNKS_MAX 4096
#define LOG_TURN   (4ull << 20) /* bytes of the log in a second */
#define LOG_WHOLE  (1ull << 30)
#define ATTACH_NS  (5 * NS_PER_S)
#define READ_NS    (12 * NS_PER_S)
#define FLUSH_NS   (2 * NS_PER_S)
#define FLUSH_EACH 512

struct jvm {
    struct jvm_args args;
    bool started; /* the window is known */
    struct jvm_sum sum;
    struct jvm_log log;
    struct jvm_counters counters;
    struct jfr_sum read;
};

enum err jvm_open(struct jvm **out, const struct jvm_args *args,
                  struct why *why)
{
    struct jvm *j = calloc(1, sizeof *j);
    *out = j;
    if (!j)
        return err_set(why, ERR_NOMEM, "a JVM's figures");
    j->args = *args;
    jvm_log_init(&j->log, LOG);
    jvm_counters_init(&j->counters, args->tmp_dir, args->own_pgrp);
    return ERR_OK;
}

void jvm_close(struct jvm *j)
{
    if (!j)
        return;
    jvm_log_close(&j->log);
    jvm_sum_fini(&j->sum);
    free(j);
}

void jvm_window(struct jvm *j, const struct measure_window *window)
{
    jvm_sum_init(&j->sum, window);
    j->started = true;
}

void jvm_prime(struct jvm *j)
{
    jvm_counters_prime(&j->counters);
}

void jvm_sample(struct jvm *j, int64_t second, struct emit *emit)
{
    jvm_counters_sample(&j->counters, second, emit);
    jvm_log_read(&j->log, LOG_TURN, &j->sum);
}

/* The recording ----------------------------------------------------------- */

static enum err take(void *ctx, const struct jfr_event *event, struct why *why)
{
    return jvm_sum_event(ctx, event, why);
}

static enum err read_file(struct jvm *j, int dir, const char *name,
                          uint64_t due_ns, struct why *why)
{
    const struct jfr_plan plan = {
        .wall_ahead_ns = (int64_t)(clock_wall_ns() - clock_mono_ns()),
        .due_ns = due_ns,
        .take = take,
        .ctx = &j->sum};
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return err_errno(why, errno, "%.100s", name);
    enum err e = jfr_read(fd, &plan, &j->read, why);
    (void)close(fd);
    return e ? err_wrap(why, e, "%.100s", name) : ERR_OK;
}

static int is_chunk(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

/* The chunks of a folder, in order. The last may just have been begun when the
 * machine died: it has nothing that could be read. */
static enum err read_chunks(struct jvm *j, int parent, const char *name,
                            uint64_t due_ns, struct why *why)
{
    struct dirent **found = NULL;
    enum err e = ERR_OK;
    int dir =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int n = dir < 0 ? -1 : scandirat(dir, ".", &found, is_chunk, alphasort);
    if (n < 0)
        e = err_errno(why, errno, "%.100s", name);
    for (int i = 0; i < n; i++) {
        if (!e && i < CHUNKS_MAX)
            e = read_file(j, dir, found[i]->d_name, due_ns, why);
        if (e == ERR_CORRUPT && i == n - 1 && j->read.chunks)
            e = ERR_OK;
        free(found[i]);
    }
    free(found);
    if (dir >= 0)
        (void)close(dir);
    return e;
}

/* recording/DATE_PID/CHUNK.jfr */
static enum err read_folder(struct jvm *j, uint64_t due_ns, struct why *why)
{
    struct dirent **found = NULL;
    enum err e = ERR_OK;
    int dir = open(CHUNKS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int n = dir < 0 ? -1 : scandirat(dir, ".", &found, is_chunk, alphasort);
    if (n < 0)
        e = err_errno(why, errno, CHUNKS);
    for (int i = 0; i < n; i++) {
        if (!e && i < CHUNKS_MAX)
            e = read_chunks(j, dir, found[i]->d_name, due_ns, why);
        free(found[i]);
    }
    free(found);
    if (dir >= 0)
        (void)close(dir);
    return e;
}

static enum err read_recording(struct jvm *j, uint64_t due_ns, struct why *why)
{
    struct stat st;
    struct record_jvm *r = &j->sum.record;
    bool ended = !stat(RECORDING, &st) && st.st_size > 0;
    enum err e = ended ? read_file(j, AT_FDCWD, RECORDING, due_ns, why)
                       : read_folder(j, due_ns, why);
    r->recording_bytes = j->read.bytes;
    if (!e && !j->read.chunks)
        e = err_set(why, ERR_NOTFOUND, "there is none");
    if (!e && j->read.begin_ns > r->begin_ns)
        e = err_set(why, ERR_RANGE,
                    "its oldest part was dropped, beyond 512 MiB: it begins "
                    "%.3f s after the window",
                    (double)(j->read.begin_ns - r->begin_ns) / 1e9);
    return e;
}

/* The end ----------------------------------------------------------------- */

static void end_recording(struct jvm *j, struct emit *emit)
{
    struct record_jvm *r = &j->sum.record;
    struct why why = {0};
    char text[64];
    uint64_t now_ns = clock_mono_ns();
    if (!j->counters.pid)
        emit_fact(emit, "jvm.attach", "no JVM was found");
    else if (attach_ask(j->args.proc_dir, j->counters.pid,
                        "JFR.stop name=pitwall", now_ns + ATTACH_NS, &why))
        emit_fact(emit, "jvm.attach", why.text);
    r->recording = !read_recording(j, clock_mono_ns() + READ_NS, &why);
    if (!r->recording)
        emit_fact(emit, "jvm.recording", why.text);
    if (j->read.clock_ratio > 0) {
        (void)snprintf(text, sizeof text, "%.5f", j->read.clock_ratio);
        emit_fact(emit, "jvm.recording.clock", text);
    }
}

static void end_log(struct jvm *j, struct emit *emit)
{
    jvm_log_read(&j->log, LOG_WHOLE, &j->sum);
    if (j->log.cut)
        (void)snprintf(j->log.why, sizeof j->log.why,
                       "it was cut before it was read");
    j->sum.record.log = j->log.at && !j->log.why[0];
    if (j->log.why[0])
        emit_fact(emit, "jvm.log", j->log.why);
}

/* Up to the second in which the trial ended. */
static void emit_jit(const struct jvm *j, uint64_t now_ns, struct emit *emit)
{
    int64_t last = measure_second(&j->sum.window, now_ns);
    for (size_t i = 0; i < j->sum.n_jit && j->sum.jit[i].second <= last; i++) {
        emit_record(emit, RECORD_IS_sample_jit, &j->sum.jit[i]);
        if (i % FLUSH_EACH)
            continue;
        enum err e =
            child_pipe_flush(&emit->pipe, clock_mono_ns() + FLUSH_NS, NULL);
        (void)e; /* what finds no room is counted */
    }
}

void jvm_end(struct jvm *j, uint64_t now_ns, struct emit *emit)
{
    if (!j->started)
        return;
    jvm_sum_cut(&j->sum, now_ns);
    jvm_counters_facts(&j->counters, emit);
    end_recording(j, emit);
    end_log(j, emit);
    emit_side(emit, j->sum.record.side);
    emit_record(emit, RECORD_IS_jvm, &j->sum.record);
    emit_jit(j, now_ns, emit);
}
