#include "target/heaplog.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "target/gclog.h"

#define GC_RING    4096u  /* collections between two writes */
#define ALLOC_RING 65536u /* allocations, 2 MiB */
#define PERIOD_NS  (50 * NS_PER_MS)

struct allocation {
    uint64_t t_ns, object_bytes, tlab_bytes;
    const char *mutator;
};

struct heaplog {
    struct heap_sink sink;
    FILE *gc_file, *alloc_file;
    uint64_t start_ns, gc_id;
    struct heap_stats sizes;
    pthread_t thread;
    bool started;
    atomic_bool stopping;
    /* One producer (collections are serialized), one consumer. */
    struct heap_gc gcs[GC_RING];
    _Atomic uint64_t gc_head, gc_tail, gc_lost;
    /* Many producers: under the lock, which nobody holds while writing. */
    pthread_mutex_t lock;
    struct allocation allocations[ALLOC_RING];
    uint64_t alloc_head, alloc_tail, alloc_lost;
};

static void on_gc(void *ctx, const struct heap_gc *gc)
{
    struct heaplog *log = ctx;
    uint64_t head = atomic_load(&log->gc_head);
    if (head - atomic_load(&log->gc_tail) == GC_RING) {
        atomic_fetch_add(&log->gc_lost, 1);
        return;
    }
    log->gcs[head % GC_RING] = *gc;
    atomic_store(&log->gc_head, head + 1);
}

static void on_allocation(void *ctx, const struct heap_allocation *a)
{
    struct heaplog *log = ctx;
    uint64_t now_ns = clock_mono_ns();
    (void)pthread_mutex_lock(&log->lock);
    if (log->alloc_head - log->alloc_tail == ALLOC_RING)
        log->alloc_lost++;
    else
        log->allocations[log->alloc_head++ % ALLOC_RING] = (struct allocation){
            now_ns, a->object_bytes, a->tlab_bytes, a->mutator};
    (void)pthread_mutex_unlock(&log->lock);
}

static void write_gcs(struct heaplog *log)
{
    char text[GCLOG_LINES_MAX];
    uint64_t tail = atomic_load(&log->gc_tail);
    for (; tail < atomic_load(&log->gc_head); tail++) {
        size_t n = gclog_lines(&log->gcs[tail % GC_RING], log->gc_id++,
                               log->start_ns, &log->sizes, text, sizeof text);
        (void)fwrite(text, 1, n, log->gc_file);
        atomic_store(&log->gc_tail, tail + 1);
    }
    (void)fflush(log->gc_file);
}

/* seconds  mutator  tlab|outside  object bytes  buffer bytes (0: outside) */
static void write_allocations(struct heaplog *log)
{
    for (;;) {
        struct allocation batch[256];
        size_t n = 0;
        (void)pthread_mutex_lock(&log->lock);
        while (n < 256 && log->alloc_tail < log->alloc_head)
            batch[n++] = log->allocations[log->alloc_tail++ % ALLOC_RING];
        (void)pthread_mutex_unlock(&log->lock);
        if (!n)
            break;
        for (size_t i = 0; i < n; i++)
            (void)fprintf(log->alloc_file, "%.6f %s %s %llu %llu\n",
                          (double)(batch[i].t_ns - log->start_ns) / 1e9,
                          batch[i].mutator,
                          batch[i].tlab_bytes ? "tlab" : "outside",
                          (unsigned long long)batch[i].object_bytes,
                          (unsigned long long)batch[i].tlab_bytes);
    }
    (void)fflush(log->alloc_file);
}

static void write_all(struct heaplog *log)
{
    if (log->gc_file)
        write_gcs(log);
    if (log->alloc_file)
        write_allocations(log);
}

static void *run(void *arg)
{
    struct heaplog *log = arg;
    while (!atomic_load(&log->stopping)) {
        write_all(log);
        clock_sleep_until(clock_mono_ns() + PERIOD_NS);
    }
    return NULL;
}

static enum err open_file(FILE **out, const char *option, const char *path,
                          struct why *why)
{
    if (!path || !path[0])
        return ERR_OK;
    *out = fopen(path, "we");
    return *out ? ERR_OK : err_errno(why, errno, "%s %s", option, path);
}

enum err heaplog_open(struct heaplog **out, const char *gc_path,
                      const char *alloc_path, uint64_t start_ns,
                      struct why *why)
{
    *out = NULL;
    struct heaplog *log = calloc(1, sizeof *log);
    if (!log)
        return err_set(why, ERR_NOMEM, "logs of the heap");
    log->start_ns = start_ns;
    (void)pthread_mutex_init(&log->lock, NULL);
    enum err e = open_file(&log->gc_file, "--gc-log", gc_path, why);
    if (!e)
        e = open_file(&log->alloc_file, "--alloc-log", alloc_path, why);
    if (e) {
        heaplog_close(log);
        return e;
    }
    log->sink.ctx = log;
    log->sink.gc = log->gc_file ? on_gc : NULL;
    log->sink.allocation = log->alloc_file ? on_allocation : NULL;
    *out = log;
    return ERR_OK;
}

const struct heap_sink *heaplog_sink(const struct heaplog *log)
{
    return &log->sink;
}

enum err heaplog_start(struct heaplog *log, struct heap *heap, struct why *why)
{
    char text[GCLOG_LINES_MAX];
    heap_stats(heap, NULL, &log->sizes);
    if (log->gc_file) {
        size_t n = gclog_head(&log->sizes, text, sizeof text);
        (void)fwrite(text, 1, n, log->gc_file);
    }
    int errnum = pthread_create(&log->thread, NULL, run, log);
    if (errnum)
        return err_errno(why, errnum, "thread of the heap's logs");
    log->started = true;
    return ERR_OK;
}

static void tell_lost(FILE *file, uint64_t lost)
{
    if (file && lost)
        (void)fprintf(file, "lost %llu\n", (unsigned long long)lost);
    if (file)
        (void)fclose(file);
}

void heaplog_close(struct heaplog *log)
{
    if (!log)
        return;
    if (log->started) {
        atomic_store(&log->stopping, true);
        (void)pthread_join(log->thread, NULL);
        write_all(log);
    }
    tell_lost(log->gc_file, atomic_load(&log->gc_lost));
    tell_lost(log->alloc_file, log->alloc_lost);
    (void)pthread_mutex_destroy(&log->lock);
    free(log);
}
