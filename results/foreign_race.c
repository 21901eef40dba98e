/* What a race has: whose it is at the top, and in "results" the rows of its
 * summary, "op_metrics" those of its tasks. Races of the pipeline multi-cluster
 * have one such object per cluster, or the cluster's name with each task.
 *
 * Rally's throughput is a running average since its task began, warm-up
 * included: throughput_running_*. The rest of
 * the summary are the metrics of the same rows here. */
#include "results/foreign_race.h"

#include <stdio.h>
#include <string.h>

#include "results/foreign_unit.h"

/* A row of the whole race. spread: it also has min, median and max per shard,
 * in member_per_shard. */
static const struct {
    const char *member, *metric, *unit;
    bool spread;
} totals[] = {{"total_time", "indexing_time", "ms", true},
              {"indexing_throttle_time", "indexing_throttle_time", "ms", true},
              {"merge_time", "merge_time", "ms", true},
              {"merge_throttle_time", "merge_throttle_time", "ms", true},
              {"refresh_time", "refresh_time", "ms", true},
              {"flush_time", "flush_time", "ms", true},
              {"merge_count", "merge_count", "", false},
              {"refresh_count", "refresh_count", "", false},
              {"flush_count", "flush_count", "", false},
              {"young_gc_time", "young_pause_ns", "ms", false},
              {"young_gc_count", "young_count", "", false},
              {"old_gc_time", "old_pause_ns", "ms", false},
              {"old_gc_count", "old_count", "", false},
              {"store_size", "store_bytes", "bytes", false},
              {"dataset_size", "dataset_bytes", "bytes", false},
              {"translog_size", "translog_bytes", "bytes", false},
              {"segment_count", "segment_count", "", false}};

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct race {
    struct foreign *out;
    const char *cluster; /* NULL: there is one only */
    const char *task;    /* of the values that are added */
    bool alone;          /* the task is the only one: the race's figures too */
};

static const char *type_name(const struct jv *v)
{
    static const char *const names[] = {
        [JV_NULL] = "null",       [JV_BOOL] = "a bool",
        [JV_NUMBER] = "a number", [JV_STRING] = "a text",
        [JV_ARRAY] = "a list",    [JV_OBJECT] = "an object"};
    return names[jv_type(v)];
}

/* A figure; null stands for one that is not known. */
static enum err add(const struct race *race, const char *metric,
                    const struct jv *v, const char *unit, struct why *why)
{
    char number[40];
    const char *levels[] = {race->cluster};
    struct foreign_row row = {.levels = levels,
                              .block = "race",
                              .outcome = OUTCOME_OK,
                              .invalid = "",
                              .task = race->task,
                              .metric = metric};
    if (jv_type(v) == JV_NULL)
        return ERR_OK;
    if (jv_type(v) != JV_NUMBER)
        return err_set(why, ERR_INVALID, "%s: a number is accepted",
                       type_name(v));
    (void)snprintf(number, sizeof number, "%.17g", jv_number(v, 0));
    enum err e = foreign_number(number, unit, &row.value, why);
    if (!e)
        e = foreign_add(race->out, &row, why);
    if (!e && race->alone) {
        row.task = "";
        e = foreign_add(race->out, &row, why);
    }
    return e;
}

static enum err add_throughput(const struct race *race, const struct jv *of,
                               struct why *why)
{
    static const char *const members[][2] = {
        {"min", "throughput_running_min"},
        {"mean", "throughput_running_mean"},
        {"median", "throughput_running_median"},
        {"max", "throughput_running_max"}};
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < COUNT(members); i++) {
        e = add(race, members[i][1], jv_get(of, members[i][0]), "", why);
        if (e)
            e = err_wrap(why, e, "throughput.%s", members[i][0]);
    }
    return e;
}

/* "50_0" is p50, "99_9" is p99.9, "100_0" the largest; "mean", "unit". */
static enum err add_times(const struct race *race, const struct jv *of,
                          const char *member, const char *metric,
                          struct why *why)
{
    const char *key, *unit = jv_text(jv_get(of, "unit"), "ms");
    const struct jv *v;
    enum err e = ERR_OK;
    for (size_t i = 0; !e && (v = jv_member(of, i, &key)); i++) {
        char name[65];
        size_t whole = strspn(key, "0123456789");
        const char *part = key[whole] == '_' ? key + whole + 1 : "";
        if (!strcmp(key, "unit"))
            continue;
        if (!strcmp(part, "0"))
            part = "";
        if (!strncmp(key, "100", whole) && whole == 3)
            (void)snprintf(name, sizeof name, "%s_max", metric);
        else if (whole)
            (void)snprintf(name, sizeof name, "%s_p%.*s%s%s", metric,
                           (int)whole, key, *part ? "." : "", part);
        else
            (void)snprintf(name, sizeof name, "%s_%s", metric, key);
        e = add(race, name, v, unit, why);
        if (e)
            e = err_wrap(why, e, "%s.%.40s", member, key);
    }
    return e;
}

static enum err add_task(struct race *race, const struct jv *op,
                         struct why *why)
{
    race->task =
        jv_text(jv_get(op, "task"), jv_text(jv_get(op, "operation"), ""));
    if (jv_type(op) != JV_OBJECT || !*race->task)
        return err_set(why, ERR_INVALID,
                       "%s without \"task\": an object with the task's name is "
                       "accepted",
                       type_name(op));
    enum err e = add_throughput(race, jv_get(op, "throughput"), why);
    if (!e)
        e = add_times(race, jv_get(op, "latency"), "latency", "latency", why);
    if (!e)
        e = add_times(race, jv_get(op, "service_time"), "service_time",
                      "service", why);
    if (!e)
        e = add_times(race, jv_get(op, "processing_time"), "processing_time",
                      "processing", why);
    if (!e)
        e = add(race, "error_rate", jv_get(op, "error_rate"), "", why);
    if (e)
        return err_wrap(why, e, "task \"%.60s\"", race->task);
    return ERR_OK;
}

static enum err add_total(const struct race *race, const struct jv *results,
                          size_t i, struct why *why)
{
    static const char *const parts[] = {"min", "median", "max"};
    char name[64], member[64];
    bool spread = totals[i].spread;
    (void)snprintf(name, sizeof name, "%s%s", totals[i].metric,
                   spread ? "_ns" : "");
    (void)snprintf(member, sizeof member, "%s_per_shard", totals[i].member);
    enum err e =
        add(race, name, jv_get(results, totals[i].member), totals[i].unit, why);
    if (e)
        return err_wrap(why, e, "%s", totals[i].member);
    const struct jv *shards = jv_get(results, member);
    for (size_t p = 0; !e && spread && p < COUNT(parts); p++) {
        (void)snprintf(name, sizeof name, "%s_%s_ns", totals[i].metric,
                       parts[p]);
        e = add(race, name, jv_get(shards, parts[p]),
                jv_text(jv_get(shards, "unit"), "ms"), why);
        if (e)
            e = err_wrap(why, e, "%s.%s", member, parts[p]);
    }
    return e;
}

/* How many tasks index documents: of one alone the figures are the race's. */
static size_t docs_tasks(const struct jv *ops)
{
    size_t n = 0;
    for (size_t i = 0; i < jv_size(ops); i++)
        n += !strcmp(
            "docs/s",
            jv_text(jv_get(jv_get(jv_at(ops, i), "throughput"), "unit"), ""));
    return n;
}

static const char *cluster_of(const struct jv *op)
{
    return jv_text(jv_get(op, "cluster"),
                   jv_text(jv_get(op, "cluster_name"), NULL));
}

/* The results of one cluster; those of a task may name another. */
static enum err add_results(struct race *race, const struct jv *results,
                            struct why *why)
{
    const struct jv *ops = jv_get(results, "op_metrics");
    const char *cluster = race->cluster;
    if (jv_type(ops) != JV_ARRAY)
        return err_set(why, ERR_INVALID,
                       "op_metrics: %s, a list of the tasks' figures is "
                       "accepted",
                       type_name(ops));
    enum err e = ERR_OK;
    bool one = docs_tasks(ops) == 1;
    for (size_t i = 0; !e && i < jv_size(ops); i++) {
        const struct jv *op = jv_at(ops, i);
        const struct jv *throughput = jv_get(op, "throughput");
        if (race->out->n_factors && cluster_of(op))
            race->cluster = cluster_of(op);
        race->alone =
            one && !strcmp(jv_text(jv_get(throughput, "unit"), ""), "docs/s");
        e = add_task(race, op, why);
        if (e)
            e = err_wrap(why, e, "op_metrics[%zu]", i);
        race->cluster = cluster;
    }
    race->alone = false;
    race->task = "";
    for (size_t i = 0; !e && i < COUNT(totals); i++)
        e = add_total(race, results, i, why);
    return e;
}

/* Whether the results are an object per cluster. */
static bool per_cluster(const struct jv *results)
{
    const char *key;
    const struct jv *v = jv_member(results, 0, &key);
    return v && !jv_get(results, "op_metrics") && jv_type(v) == JV_OBJECT;
}

static bool tasks_name_clusters(const struct jv *results)
{
    return cluster_of(jv_at(jv_get(results, "op_metrics"), 0)) != NULL;
}

static enum err add_clusters(struct race *race, const struct jv *results,
                             struct why *why)
{
    const char *key;
    const struct jv *v;
    enum err e = ERR_OK;
    for (size_t i = 0; !e && (v = jv_member(results, i, &key)); i++) {
        race->cluster = key;
        e = add_results(race, v, why);
        if (e)
            e = err_wrap(why, e, "%.60s", key);
    }
    return e;
}

/* It died, or is not over: one trial without figures. */
static enum err add_death(struct foreign *out, struct why *why)
{
    const struct foreign_row row = {.block = "race",
                                    .outcome = OUTCOME_ABORTED,
                                    .invalid = "",
                                    .task = "",
                                    .metric = ""};
    out->died = true;
    enum err e = foreign_text(&out->note,
                              "the race has no results: it died, or was not "
                              "over when the file was written",
                              why);
    return e ? e : foreign_add(out, &row, why);
}

static const char *first_of(const struct jv *root, const char *const *members)
{
    for (; *members; members++) {
        const struct jv *v = jv_get(root, *members);
        if (jv_type(v) == JV_ARRAY)
            v = jv_at(v, 0);
        if (jv_text(v, NULL))
            return jv_text(v, NULL);
    }
    return NULL;
}

/* Rally's names, then those of OpenSearch Benchmark. */
static const char *const ids[] = {"race-id", "trial-id", "test-run-id",
                                  "test-execution-id", NULL};
static const char *const tracks[] = {"track", "workload", NULL};
static const char *const challenges[] = {"challenge", "test_procedure",
                                         "test-procedure", NULL};
static const char *const cars[] = {"car", "cluster-config-instance",
                                   "provision-config-instance", NULL};
static const char *const times[] = {"race-timestamp", "trial-timestamp",
                                    "test-run-timestamp",
                                    "test-execution-timestamp", NULL};

/* "20170405T062922Z" as the store has times. */
static enum err read_time(struct foreign *out, const char *text,
                          struct why *why)
{
    char time[24];
    if (!text || strlen(text) != 16 || text[8] != 'T' ||
        strspn(text, "0123456789") != 8)
        return ERR_OK;
    (void)snprintf(time, sizeof time, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", text,
                   text + 4, text + 6, text + 9, text + 11, text + 13);
    return foreign_text(&out->started, time, why);
}

static enum err read_words(struct foreign *out, const struct jv *root,
                           struct why *why)
{
    char target[200];
    const struct jv *cluster = jv_get(root, "cluster");
    const char *version = jv_text(jv_get(cluster, "distribution-version"), "");
    const char *car = first_of(root, cars);
    (void)snprintf(target, sizeof target, "%s%s%s", *version ? version : "",
                   *version && car ? " " : "", car ? car : "");
    enum err e = foreign_text(&out->name, first_of(root, ids), why);
    if (!e)
        e = foreign_text(&out->track, first_of(root, tracks), why);
    if (!e)
        e = foreign_text(&out->challenge, first_of(root, challenges), why);
    if (!e)
        e = read_time(out, first_of(root, times), why);
    if (!e && *target)
        e = foreign_text(&out->target, target, why);
    const struct jv *tags = jv_get(root, "user-tags"), *v;
    const char *key;
    for (size_t i = 0; !e && (v = jv_member(tags, i, &key)); i++) {
        char tag[256];
        size_t unused;
        (void)snprintf(tag, sizeof tag, "%.80s=%.160s", key, jv_text(v, ""));
        if (*key && !strchr(key, '='))
            e = names_put(&out->tags, tag, &unused, NULL, why);
    }
    return e;
}

enum err foreign_race_read(struct foreign *out, const char *name,
                           const struct jv *root, struct why *why)
{
    struct race race = {.out = out, .task = ""};
    const struct jv *results = jv_get(root, "results");
    foreign_init(out, "rally");
    if (!first_of(root, ids) || !first_of(root, tracks))
        return err_set(why, ERR_INVALID,
                       "%s: no race of Rally: it has no race-id and track; a "
                       "race.json, a test run of OpenSearch Benchmark and CSV "
                       "are accepted",
                       name);
    if (jv_type(results) != JV_OBJECT && jv_type(results) != JV_NULL)
        return err_set(why, ERR_INVALID,
                       "%s: results: %s, an object is accepted", name,
                       type_name(results));
    enum err e = read_words(out, root, why);
    bool clusters = per_cluster(results);
    if (!e && (clusters || tasks_name_clusters(results)))
        e = foreign_factor(out, "cluster", why);
    if (e)
        return err_wrap(why, e, "%s", name);
    if (!jv_size(results))
        return add_death(out, why);
    if (clusters) {
        e = add_clusters(&race, results, why);
    } else {
        race.cluster = "all";
        e = add_results(&race, results, why);
    }
    if (!e && !out->n_values)
        e = err_set(why, ERR_INVALID,
                    "no figure: tasks in op_metrics, or rows of the summary "
                    "are accepted");
    return e ? err_wrap(why, e, "%s: results", name) : ERR_OK;
}
