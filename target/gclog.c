#include "target/gclog.h"

#include <stdarg.h>
#include <stdio.h>

#define K(bytes) ((unsigned long long)((bytes) / 1024))
#define M(bytes) ((unsigned long long)(((bytes) + (1u << 19)) >> 20))

struct lines {
    char *to;
    size_t size, len;
    double uptime_s;
};

__attribute__((format(printf, 3, 4))) static void
line(struct lines *l, const char *tags, const char *fmt, ...)
{
    int n = snprintf(l->to + l->len, l->size - l->len, "[%.3fs][info][%-8s] ",
                     l->uptime_s, tags);
    l->len += (size_t)n < l->size - l->len ? (size_t)n : 0;
    va_list ap;
    va_start(ap, fmt);
    n = vsnprintf(l->to + l->len, l->size - l->len, fmt, ap);
    va_end(ap);
    l->len += (size_t)n < l->size - l->len ? (size_t)n : 0;
    if (l->len + 1 < l->size)
        l->to[l->len++] = '\n';
}

/* What can be used at once: one survivor space is always empty. */
static uint64_t capacity(const struct heap_stats *s)
{
    return s->heap_bytes - s->survivor_bytes;
}

size_t gclog_head(const struct heap_stats *sizes, char *to, size_t size)
{
    struct lines l = {.to = to, .size = size};
    line(&l, "gc", "Using Serial");
    line(&l, "gc,init", "Version: pitwall-target %s", PITWALL_VERSION);
    line(&l, "gc,init", "Heap Min Capacity: %lluM", M(sizes->heap_bytes));
    line(&l, "gc,init", "Heap Max Capacity: %lluM", M(sizes->heap_bytes));
    return l.len;
}

static void heap_lines(struct lines *l, const struct heap_gc *gc, uint64_t id,
                       const struct heap_stats *s)
{
    unsigned long long n = id;
    uint64_t young = s->eden_bytes + s->survivor_bytes;
    line(l, "gc,heap",
         "GC(%llu) DefNew: %lluK(%lluK)->%lluK(%lluK) "
         "Eden: %lluK(%lluK)->%lluK(%lluK) From: %lluK(%lluK)->%lluK(%lluK)",
         n, K(gc->eden_before_bytes + gc->survivor_before_bytes), K(young),
         K(gc->eden_after_bytes + gc->survivor_after_bytes), K(young),
         K(gc->eden_before_bytes), K(s->eden_bytes), K(gc->eden_after_bytes),
         K(s->eden_bytes), K(gc->survivor_before_bytes), K(s->survivor_bytes),
         K(gc->survivor_after_bytes), K(s->survivor_bytes));
    line(l, "gc,heap", "GC(%llu) Tenured: %lluK(%lluK)->%lluK(%lluK)", n,
         K(gc->old_before_bytes), K(s->old_bytes), K(gc->old_after_bytes),
         K(s->old_bytes));
}

size_t gclog_lines(const struct heap_gc *gc, uint64_t id, uint64_t start_ns,
                   const struct heap_stats *sizes, char *to, size_t size)
{
    struct lines l = {.to = to,
                      .size = size,
                      .uptime_s = (double)(gc->begin_ns - start_ns) / 1e9};
    unsigned long long n = id;
    const char *what = gc->kind == HEAP_GC_YOUNG ? "Pause Young" : "Pause Full";
    uint64_t before = gc->eden_before_bytes + gc->survivor_before_bytes +
                      gc->old_before_bytes;
    uint64_t after =
        gc->eden_after_bytes + gc->survivor_after_bytes + gc->old_after_bytes;
    double pause_s = (double)gc->pause_ns / 1e9;
    line(&l, "gc,start", "GC(%llu) %s (Allocation Failure)", n, what);
    l.uptime_s += pause_s;
    heap_lines(&l, gc, id, sizes);
    if (gc->promotion_failed)
        line(&l, "gc", "GC(%llu) Promotion failed", n);
    line(&l, "gc",
         "GC(%llu) %s (Allocation Failure) %lluM->%lluM(%lluM) %.3fms", n, what,
         M(before), M(after), M(capacity(sizes)), pause_s * 1e3);
    line(&l, "gc,cpu", "GC(%llu) User=%.2fs Sys=0.00s Real=%.2fs", n, pause_s,
         pause_s);
    return l.len;
}
