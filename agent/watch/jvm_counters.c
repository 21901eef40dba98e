#include "agent/watch/jvm_counters.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/watch/counter.h"
#include "agent/watch/perfdata.h"
#include "common/clock.h"

#define FILES_MAX 64 /* looked at, of all users together */

#define GC  "sun.gc.collector."
#define GEN "sun.gc.generation."

enum place {
    FREQUENCY,
    YOUNG_COUNT,
    YOUNG_TICKS,
    FULL_COUNT,
    FULL_TICKS,
    CYCLE_COUNT,
    CYCLE_TICKS,
    SAFEPOINTS,
    SAFEPOINT_TICKS,
    COMPILES,
    COMPILE_TICKS,
    CODE,
    LOADED,
    SHARED,
    THREADS,
    EDEN,
    FROM,
    TO,
    OLD,
    YOUNG_CAPACITY,
    OLD_CAPACITY,
    PLACES
};

/* Collector 2 is G1's, ZGC's and Shenandoah's stops beside those of 0 and 1. */
static const char *const names[PLACES] = {
    [FREQUENCY] = "sun.os.hrt.frequency",
    [YOUNG_COUNT] = GC "0.invocations",
    [YOUNG_TICKS] = GC "0.time",
    [FULL_COUNT] = GC "1.invocations",
    [FULL_TICKS] = GC "1.time",
    [CYCLE_COUNT] = GC "2.invocations",
    [CYCLE_TICKS] = GC "2.time",
    [SAFEPOINTS] = "sun.rt.safepoints",
    [SAFEPOINT_TICKS] = "sun.rt.safepointTime",
    [COMPILES] = "sun.ci.totalCompiles",
    [COMPILE_TICKS] = "java.ci.totalTime",
    [CODE] = "sun.ci.nmethodCodeSize",
    [LOADED] = "java.cls.loadedClasses",
    [SHARED] = "java.cls.sharedLoadedClasses",
    [THREADS] = "java.threads.live",
    [EDEN] = GEN "0.space.0.used",
    [FROM] = GEN "0.space.1.used",
    [TO] = GEN "0.space.2.used",
    [OLD] = GEN "1.space.0.used",
    [YOUNG_CAPACITY] = GEN "0.capacity",
    [OLD_CAPACITY] = GEN "1.capacity",
};

static_assert(PLACES <= JVM_COUNTERS_MAX, "a place for each");

void jvm_counters_init(struct jvm_counters *c, const char *tmp_dir,
                       bool own_pgrp)
{
    *c = (struct jvm_counters){.tmp_dir = tmp_dir, .own_pgrp = own_pgrp};
    (void)snprintf(c->why, sizeof c->why, "no JVM of the target has any");
}

/* The file whole, malloc'ed; NULL, and why in text. */
static uint8_t *load(const char *path, size_t *len, char *text, size_t size)
{
    struct stat st;
    uint8_t *data = NULL;
    ssize_t n = 0;
    *len = 0;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
        !(data = malloc(PERFDATA_BYTES_MAX))) {
        (void)snprintf(text, size, "%.120s: %s", path,
                       fd < 0 || !data ? strerror(errno) : "no plain file");
    } else {
        while (*len < PERFDATA_BYTES_MAX &&
               (n = pread(fd, data + *len, PERFDATA_BYTES_MAX - *len,
                          (off_t)*len)) > 0)
            *len += (size_t)n;
    }
    if (fd >= 0)
        (void)close(fd);
    return data;
}

/* The counters of the file at path as they are; false: why says. */
static bool read_values(struct jvm_counters *c, const char *path,
                        uint64_t out[PLACES])
{
    struct perfdata_want wants[PLACES];
    struct why why = {0};
    size_t len = 0;
    uint8_t *data = load(path, &len, c->why, sizeof c->why);
    if (!data)
        return false;
    for (unsigned i = 0; i < PLACES; i++)
        wants[i] = (struct perfdata_want){.name = names[i]};
    enum err e = perfdata_read(data, len, wants, PLACES, &why);
    free(data);
    if (e) {
        (void)snprintf(c->why, sizeof c->why, "%.199s", why.text);
        return false;
    }
    for (unsigned i = 0; i < PLACES; i++)
        out[i] = wants[i].value;
    return true;
}

/* Finding ----------------------------------------------------------------- */

/* A file by its process's number, if it is one of ours. */
static int pid_of(const struct jvm_counters *c, const char *name)
{
    char *end;
    long pid = strtol(name, &end, 10);
    if (*end || end == name || pid <= 0 || pid > 1 << 30)
        return 0;
    return c->own_pgrp && getpgid((pid_t)pid) != getpgrp() ? 0 : (int)pid;
}

/* The files of one user. */
static void look_in(struct jvm_counters *c, const char *folder, int *files,
                    uint64_t *most)
{
    DIR *dir = opendir(folder);
    const struct dirent *d;
    while (dir && (d = readdir(dir))) {
        char path[sizeof c->path];
        uint64_t values[PLACES];
        int pid = pid_of(c, d->d_name);
        if (!pid || ++*files > FILES_MAX)
            continue;
        (void)snprintf(path, sizeof path, "%.200s/%.100s", folder, d->d_name);
        if (!read_values(c, path, values))
            continue;
        uint64_t heap = values[YOUNG_CAPACITY] + values[OLD_CAPACITY];
        if (c->pid && heap <= *most)
            continue;
        *most = heap;
        c->pid = pid;
        memcpy(c->path, path, sizeof path);
    }
    if (dir)
        (void)closedir(dir);
}

static void look(struct jvm_counters *c)
{
    static const char prefix[] = "hsperfdata_";
    DIR *dir = opendir(c->tmp_dir);
    const struct dirent *d;
    uint64_t most = 0;
    int files = 0;
    c->pid = 0;
    while (dir && (d = readdir(dir))) {
        char folder[256];
        if (strncmp(d->d_name, prefix, strlen(prefix)) != 0)
            continue;
        (void)snprintf(folder, sizeof folder, "%.100s/%.150s", c->tmp_dir,
                       d->d_name);
        look_in(c, folder, &files, &most);
    }
    if (dir)
        (void)closedir(dir);
}

void jvm_counters_prime(struct jvm_counters *c)
{
    look(c);
    c->has_base = c->pid && read_values(c, c->path, c->base);
}

/* Samples ----------------------------------------------------------------- */

static uint64_t since(const struct jvm_counters *c, const uint64_t *now,
                      enum place at)
{
    return counter_since(c->base[at], now[at]);
}

static uint64_t ns_since(const struct jvm_counters *c, const uint64_t *now,
                         enum place at)
{
    uint64_t ticks = since(c, now, at), hz = now[FREQUENCY];
    if (hz == NS_PER_S || !hz)
        return ticks;
    return (uint64_t)((double)ticks * ((double)NS_PER_S / (double)hz));
}

void jvm_counters_sample(struct jvm_counters *c, int64_t second,
                         struct emit *emit)
{
    uint64_t now[PLACES];
    if (!c->has_base) {
        jvm_counters_prime(c);
        return;
    }
    if (!read_values(c, c->path, now)) {
        c->has_base = false;
        return;
    }
    const struct record_sample_jvm r = {
        .second = second,
        .young_count = since(c, now, YOUNG_COUNT),
        .young_ns = ns_since(c, now, YOUNG_TICKS),
        .old_count = since(c, now, FULL_COUNT) + since(c, now, CYCLE_COUNT),
        .old_ns = ns_since(c, now, FULL_TICKS) + ns_since(c, now, CYCLE_TICKS),
        .safepoints = since(c, now, SAFEPOINTS),
        .safepoint_ns = ns_since(c, now, SAFEPOINT_TICKS),
        .compiles = since(c, now, COMPILES),
        .compile_ns = ns_since(c, now, COMPILE_TICKS),
        .heap_used = now[EDEN] + now[FROM] + now[TO] + now[OLD],
        .heap_capacity = now[YOUNG_CAPACITY] + now[OLD_CAPACITY],
        .code_bytes = now[CODE],
        .classes = since(c, now, LOADED) + since(c, now, SHARED),
        .threads = now[THREADS],
    };
    emit_record(emit, RECORD_IS_sample_jvm, &r);
    memcpy(c->base, now, sizeof now);
}

void jvm_counters_facts(struct jvm_counters *c, struct emit *emit)
{
    static const struct {
        const char *fact, *counter;
    } texts[] = {{"jvm.version", "java.property.java.vm.version"},
                 {"jvm.collector", "sun.gc.policy.name"},
                 {"jvm.options", "java.rt.vmArgs"}};
    char text[1024];
    size_t len = 0;
    if (!c->pid)
        look(c);
    uint8_t *data = c->pid ? load(c->path, &len, c->why, sizeof c->why) : NULL;
    if (!data) {
        emit_fact(emit, "jvm.counters", c->why);
        return;
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (perfdata_text(data, len, texts[i].counter, text, sizeof text))
            emit_fact(emit, texts[i].fact, text);
    free(data);
}
