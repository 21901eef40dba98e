/* Tasks and the driver are few and merged as they come. Seconds and histograms
 * are kept in lists, sorted by key, then host, when the first is asked for; a
 * run of equal keys is one merged record. */
#include "results/merge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/hist.h"
#include "results/tally.h"

struct second {
    unsigned host;
    size_t seq; /* as it came */
    struct record_sample_load r;
};

struct histogram {
    unsigned host;
    size_t seq;
    struct record_hist r;
};

struct task {
    uint64_t hosts; /* a bit each */
    double rate;    /* sum of the hosts', of what the task counts, per ns */
    struct record_task r;
};

struct merge {
    struct task tasks[TALLY_TASKS_MAX];
    size_t n_tasks;
    uint64_t driver_hosts;
    struct record_driver driver;
    struct second *seconds;
    size_t n_seconds, cap_seconds;
    struct histogram *hists;
    size_t n_hists, cap_hists;
    bool sorted;
    size_t task, second, hist; /* where merge_next stands */
    bool driver_told;
    struct adder *adder; /* NULL until histograms of several hosts meet */
};

struct adder {
    struct hist sum, one;
    uint8_t blob[HIST_BLOB_MAX];
};

enum err merge_new(struct merge **out, struct why *why)
{
    *out = calloc(1, sizeof **out);
    return *out ? ERR_OK : err_set(why, ERR_NOMEM, "merge of the hosts");
}

void merge_free(struct merge *m)
{
    if (!m)
        return;
    free(m->seconds);
    free(m->hists);
    free(m->adder);
    free(m);
}

bool merge_takes(enum record_kind kind)
{
    return kind == RECORD_IS_task || kind == RECORD_IS_driver ||
           kind == RECORD_IS_hist || kind == RECORD_IS_sample_load;
}

/* Lengths and extremes, by what their names say. */
static bool takes_largest(const char *name)
{
    static const char *const words[] = {"window_ns",  "max",   "lag",
                                        "blocked_ns", "_p99",  "step",
                                        "begin_ns",   "share", "hidden"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

static uint64_t combine_u64(const char *name, uint64_t a, uint64_t b)
{
    uint64_t sum;
    if (takes_largest(name))
        return a > b ? a : b;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Add the record at from to the one at into, field by field; keys are equal. */
static void combine(enum record_kind kind, void *into, const void *from)
{
    size_t n = 0;
    const struct wire_field *fields = record_fields(kind, &n);
    for (size_t i = 0; i < n; i++) {
        void *a = (char *)into + fields[i].offset;
        const void *b = (const char *)from + fields[i].offset;
        const char *name = fields[i].name;
        if (fields[i].need == WIRE_KEY)
            continue;
        switch (fields[i].type) {
        case WIRE_U64:
            *(uint64_t *)a =
                combine_u64(name, *(uint64_t *)a, *(const uint64_t *)b);
            break;
        case WIRE_F64:
            if (takes_largest(name) && *(const double *)b > *(double *)a)
                *(double *)a = *(const double *)b;
            else if (!takes_largest(name))
                *(double *)a += *(const double *)b;
            break;
        case WIRE_STR:
            if (!*(char *)a)
                memcpy(a, b, fields[i].max + 1);
            break;
        case WIRE_U32:
        case WIRE_I64:
        case WIRE_BLOB:
            break;
        }
    }
}

/* What a task counts. */
static uint64_t count_of(const struct record_task *r)
{
    return strcmp(r->unit, "docs") ? r->ops : r->docs;
}

/* Windows that were found out on the way (the first client of each host that
 * ran out of work ends its own) differ: all counts over one window are then the
 * sum of the hosts' rates, each over its own. */
static void add_window(struct task *t, const struct record_task *r, bool differ)
{
    if (r->window_ns)
        t->rate += (double)count_of(r) / (double)r->window_ns;
    if (differ && t->rate > 0)
        t->r.window_ns = (uint64_t)((double)count_of(&t->r) / t->rate + 0.5);
}

static enum err twice(const char *what, const char *name, struct why *why)
{
    return err_set(why, ERR_EXISTS, "%s \"%s\": a second time", what, name);
}

static enum err add_task(struct merge *m, unsigned host,
                         const struct record_task *r, struct why *why)
{
    struct task *t = m->tasks;
    while (t < m->tasks + m->n_tasks && strcmp(t->r.task, r->task) != 0)
        t++;
    if (t == m->tasks + TALLY_TASKS_MAX)
        return err_set(why, ERR_RANGE, "task \"%s\": more than %u tasks",
                       r->task, TALLY_TASKS_MAX);
    if (t->hosts & 1ull << host)
        return twice("task", r->task, why);
    bool differ = t->hosts && t->r.window_ns != r->window_ns;
    if (!t->hosts) {
        t->r = *r;
        m->n_tasks++;
    } else {
        combine(RECORD_IS_task, &t->r, r);
    }
    add_window(t, r, differ);
    t->hosts |= 1ull << host;
    return ERR_OK;
}

static enum err add_driver(struct merge *m, unsigned host,
                           const struct record_driver *r, struct why *why)
{
    if (m->driver_hosts & 1ull << host)
        return twice("driver", r->engine, why);
    if (!m->driver_hosts)
        m->driver = *r;
    else
        combine(RECORD_IS_driver, &m->driver, r);
    m->driver_hosts |= 1ull << host;
    return ERR_OK;
}

/* Room for one more item of size bytes; NULL: no memory. */
static void *grown(void *items, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return items;
    size_t more = *cap ? 2 * *cap : 64;
    void *to = realloc(items, more * size);
    if (to)
        *cap = more;
    return to;
}

static enum err add_second(struct merge *m, unsigned host,
                           const struct record_sample_load *r, struct why *why)
{
    struct second *to =
        grown(m->seconds, m->n_seconds, &m->cap_seconds, sizeof *to);
    if (!to)
        return err_set(why, ERR_NOMEM, "seconds of the load");
    m->seconds = to;
    m->seconds[m->n_seconds] =
        (struct second){.host = host, .seq = m->n_seconds, .r = *r};
    m->n_seconds++;
    return ERR_OK;
}

static enum err add_hist(struct merge *m, unsigned host,
                         const struct record_hist *r, struct why *why)
{
    struct histogram *to =
        grown(m->hists, m->n_hists, &m->cap_hists, sizeof *to);
    if (!to)
        return err_set(why, ERR_NOMEM, "histograms of the load");
    m->hists = to;
    m->hists[m->n_hists] =
        (struct histogram){.host = host, .seq = m->n_hists, .r = *r};
    m->n_hists++;
    return ERR_OK;
}

enum err merge_add(struct merge *m, unsigned host, const struct record *record,
                   struct why *why)
{
    assert(host < MERGE_HOSTS_MAX && !m->sorted);
    if (record->kind == RECORD_IS_task)
        return add_task(m, host, &record->as.task, why);
    if (record->kind == RECORD_IS_driver)
        return add_driver(m, host, &record->as.driver, why);
    if (record->kind == RECORD_IS_hist)
        return add_hist(m, host, &record->as.hist, why);
    assert(record->kind == RECORD_IS_sample_load);
    return add_second(m, host, &record->as.sample_load, why);
}

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int same_second(const struct second *x, const struct second *y)
{
    int by_task = strcmp(x->r.task, y->r.task);
    return by_task ? by_task : order(x->r.second, y->r.second);
}

static int same_hist(const struct histogram *x, const struct histogram *y)
{
    int by_task = strcmp(x->r.task, y->r.task);
    int by_kind = strcmp(x->r.kind, y->r.kind);
    if (by_task || by_kind)
        return by_task ? by_task : by_kind;
    return order(x->r.second, y->r.second);
}

static int by_second(const void *a, const void *b)
{
    const struct second *x = a, *y = b;
    int by_key = same_second(x, y);
    if (by_key || x->host != y->host)
        return by_key ? by_key : order(x->host, y->host);
    return order((int64_t)x->seq, (int64_t)y->seq);
}

static int by_hist(const void *a, const void *b)
{
    const struct histogram *x = a, *y = b;
    int by_key = same_hist(x, y);
    if (by_key || x->host != y->host)
        return by_key ? by_key : order(x->host, y->host);
    return order((int64_t)x->seq, (int64_t)y->seq);
}

static void sort(struct merge *m)
{
    m->sorted = true;
    if (m->n_seconds)
        qsort(m->seconds, m->n_seconds, sizeof *m->seconds, by_second);
    if (m->n_hists)
        qsort(m->hists, m->n_hists, sizeof *m->hists, by_hist);
}

/* A host's second word on a key is passed over, and said. */
static enum err next_second(struct merge *m, struct record *out,
                            struct why *why)
{
    const struct second *at = &m->seconds[m->second];
    enum err e = ERR_OK;
    out->kind = RECORD_IS_sample_load;
    out->as.sample_load = at->r;
    for (m->second++; m->second < m->n_seconds; m->second++) {
        const struct second *s = &m->seconds[m->second];
        if (same_second(s, at))
            break;
        if (s->host == s[-1].host)
            e = twice("a second of task", s->r.task, why);
        else
            combine(RECORD_IS_sample_load, &out->as.sample_load, &s->r);
    }
    return e;
}

static enum err start_sum(struct merge *m, struct why *why)
{
    if (!m->adder)
        m->adder = malloc(sizeof *m->adder);
    if (!m->adder)
        return err_set(why, ERR_NOMEM, "histograms of several hosts");
    hist_reset(&m->adder->sum);
    return ERR_OK;
}

static enum err add_blob(struct merge *m, const struct record_hist *r,
                         struct why *why)
{
    struct hist *one = &m->adder->one;
    enum err e = hist_decode(one, r->blob.data, r->blob.len, why);
    if (!e)
        hist_merge(&m->adder->sum, one);
    return e;
}

static enum err next_hist(struct merge *m, struct record *out, struct why *why)
{
    const struct histogram *at = &m->hists[m->hist];
    enum err e = ERR_OK;
    size_t n = 1;
    out->kind = RECORD_IS_hist;
    out->as.hist = at->r;
    for (m->hist++; m->hist < m->n_hists; m->hist++) {
        const struct histogram *h = &m->hists[m->hist];
        enum err one = ERR_OK;
        if (same_hist(h, at))
            break;
        if (h->host == h[-1].host) {
            e = twice("a histogram of task", h->r.task, why);
            continue;
        }
        if (n++ == 1) {
            one = start_sum(m, why);
            if (one)
                return one;
            one = add_blob(m, &at->r, why);
        }
        if (!one)
            one = add_blob(m, &h->r, why);
        e = one ? one : e;
    }
    if (n > 1)
        out->as.hist.blob = (struct wire_blob){
            m->adder->blob,
            hist_encode(&m->adder->sum, m->adder->blob, sizeof m->adder->blob)};
    return e;
}

void merge_again(struct merge *m)
{
    m->task = m->second = m->hist = 0;
    m->driver_told = false;
}

enum err merge_next(struct merge *m, struct record *out, bool *more,
                    struct why *why)
{
    if (!m->sorted)
        sort(m);
    *more = true;
    if (m->task < m->n_tasks) {
        *out = (struct record){.kind = RECORD_IS_task,
                               .as.task = m->tasks[m->task++].r};
        return ERR_OK;
    }
    if (m->driver_hosts && !m->driver_told) {
        m->driver_told = true;
        *out =
            (struct record){.kind = RECORD_IS_driver, .as.driver = m->driver};
        return ERR_OK;
    }
    if (m->second < m->n_seconds)
        return next_second(m, out, why);
    if (m->hist < m->n_hists)
        return next_hist(m, out, why);
    *more = false;
    return ERR_OK;
}
