#include "results/report_metrics.h"

#include <stdio.h>
#include <string.h>

/* allocation: the columns of a flight recording's summary, as they are pasted
 * below each other. rally: its summary's rows in its order, both definitions
 * of throughput. gc: what settings of a receive buffer are judged by. */
static const struct {
    const char *name, *metrics;
} sets[] = {
    {"summary", "throughput,bytes_per_read,latency_p50,latency_p99"},
    {"allocation",
     "throughput_median,outside_count,outside_max_bytes,outside_min_bytes,"
     "outside_avg_bytes,outside_bytes,outside_bytes_s,tlab_count,"
     "tlab_max_bytes,tlab_min_bytes,tlab_avg_bytes,tlab_bytes,tlab_bytes_s"},
    {"rally",
     "indexing_time_ns,merge_time_ns,refresh_time_ns,flush_time_ns,"
     "young_pause_ns,old_pause_ns,throughput_min,throughput_median,"
     "throughput_max,throughput_running_min,throughput_running_median,"
     "throughput_running_max,latency_p50,latency_p90,latency_p99,latency_max,"
     "service_p50,service_p90,service_p99,service_max,error_rate"},
    {"gc",
     "throughput_median,throughput_running_median,young_pause_ns,old_pause_ns,"
     "young_count,old_count,pause_max_ns"},
};

struct list {
    const struct metric **out;
    size_t n, max;
};

static enum err add_metric(struct list *list, const struct metric *metric,
                           struct why *why)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->out[i] == metric)
            return ERR_OK;
    if (list->n == list->max)
        return err_set(why, ERR_USAGE, "--metric: more than %zu metrics",
                       list->max);
    list->out[list->n++] = metric;
    return ERR_OK;
}

static const char *set_find(const char *word)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (!strcmp(sets[i].name, word))
            return sets[i].metrics;
    return NULL;
}

/* One name of len bytes; sets have names of metrics only. */
static enum err add_name(struct list *list, const char *name, size_t len,
                         struct why *why)
{
    char word[64];
    enum err e = ERR_OK;
    (void)snprintf(word, sizeof word, "%.*s", (int)len, name);
    const struct metric *metric = metric_find(word);
    if (metric)
        return add_metric(list, metric, why);
    const char *rest = set_find(word);
    if (!rest)
        return err_set(why, ERR_NOTFOUND,
                       "there is no metric \"%s\" (`pitwall metrics` lists "
                       "them; summary, allocation, rally and gc are sets)",
                       word);
    while (!e && *rest) {
        size_t n = strcspn(rest, ",");
        (void)snprintf(word, sizeof word, "%.*s", (int)n, rest);
        e = add_metric(list, metric_find(word), why);
        rest += n + (rest[n] == ',');
    }
    return e;
}

enum err report_metrics(const char *names, const struct metric **out,
                        size_t max, size_t *n, struct why *why)
{
    struct list list = {.out = out, .max = max};
    enum err e = ERR_OK;
    for (const char *rest = names ? names : "summary"; !e && *rest;) {
        size_t len = strcspn(rest, ",");
        e = add_name(&list, rest, len, why);
        rest += len + (rest[len] == ',');
    }
    *n = list.n;
    return e;
}
