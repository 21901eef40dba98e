/* Figures of others: long form, published tables, races. */
#include <stdio.h>
#include <stdlib.h>

#include "results/foreign_read.h"
#include "results/foreign_unit.h"
#include "results/foreign_word.h"
#include "tests/lib/check.h"

static struct why why;
static struct foreign f;

static enum err read(const char *text, const char *factors)
{
    foreign_fini(&f);
    return foreign_read(&f, "t", text, strlen(text), factors, &why);
}

static void read_published(const char *name)
{
    char path[400], text[20000];
    (void)snprintf(path, sizeof path, "%s/%s", PUBLISHED, name);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    size_t len = fread(text, 1, sizeof text - 1, in);
    text[len] = '\0';
    assert_int_equal(fclose(in), 0);
    check_ok(read(text, NULL), why);
}

/* The only value of this cell, metric and task; NaN without one. */
static double value(const char *cell, const char *metric, const char *task)
{
    double found = strtod("nan", NULL);
    for (size_t i = 0; i < f.n_values; i++) {
        const struct foreign_value *v = &f.values[i];
        if (!strcmp(f.cells.texts[f.trials[v->trial].cell], cell) &&
            !strcmp(f.metrics.texts[v->metric], metric) &&
            !strcmp(f.tasks.texts[v->task], task))
            found = v->value;
    }
    return found;
}

static void long_form_has_factors_blocks_outcomes_and_tasks(void **state)
{
    (void)state;
    check_ok(
        read("block,heap,track.bulk_size,task,metric,value,outcome,invalid\n"
             "b1,1g,500,,throughput,10,,\n"
             "b1,1g,500,index,throughput,11,ok,\n"
             "b2,1g,500,,throughput,12.5 docs/s,ok,\"steal_cpu, dropped\"\n"
             "b1,2g,500,,,,oom,\n"
             "b1,1g,500,,latency_p50,1.5 ms,,\n",
             NULL),
        why);
    assert_string_equal(f.form, "csv");
    assert_int_equal(f.n_factors, 2);
    assert_string_equal(f.factors[1].name, "track.bulk_size");
    assert_int_equal(f.factors[0].levels.n, 2);
    assert_int_equal(f.cells.n, 2);
    assert_int_equal(f.blocks.n, 2);
    assert_int_equal(f.n_trials, 3);
    assert_int_equal(f.n_values, 4);
    assert_int_equal(f.trials[2].outcome, OUTCOME_OOM);
    assert_string_equal(f.rules.texts[f.trials[1].invalid],
                        "steal_cpu, dropped");
    check_near(value("heap=1g,track.bulk_size=500", "latency_p50", ""), 1.5e6,
               0);
    check_near(value("heap=1g,track.bulk_size=500", "throughput", "index"), 11,
               0);
}

static void an_empty_block_is_paired_with_nothing(void **state)
{
    (void)state;
    check_ok(read("heap,block,metric,value,outcome\n"
                  "1g,,throughput,10,\n1g,,throughput,11,\n"
                  "1g,,latency_p50,5,\n1g,,throughput,3,oom\n1g,,,,failed\n"
                  "1g,,,,failed\n",
                  NULL),
             why);
    /* Two ok (the latency is the first one's), one oom, two failed. */
    assert_int_equal(f.n_trials, 5);
    assert_int_equal(f.values[2].trial, 0);
    assert_int_equal(f.values[1].trial, 1);
    for (size_t i = 0; i < f.n_trials; i++)
        assert_true(f.trials[i].block == SIZE_MAX);
}

static void long_form_names_line_column_value_and_what_is_accepted(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        enum err e;
    } bad[] = {
        {"metric,value\n", "t: no row with a figure", ERR_INVALID},
        {"metric,value,value\nx,1,1\n", "t:1: column \"value\" twice",
         ERR_EXISTS},
        {"metric,value,a b\n", "t:1: factor \"a b\": a name has", ERR_INVALID},
        {"metric,value,heap,heap\n", "t:1: factor \"heap\" twice", ERR_EXISTS},
        {"metric,value\nx,1\nx\n", "t:3: 1 fields, the first row has 2",
         ERR_INVALID},
        {"metric,value\nx,fast\n",
         "t:2: value \"fast\": a finite decimal number is accepted",
         ERR_INVALID},
        {"metric,value\nx,nan\n", "t:2: value \"nan\"", ERR_INVALID},
        {"metric,value\nx,inf\n", "t:2: value \"inf\"", ERR_INVALID},
        {"metric,value\nx,0x10\n", "t:2: value \"0x10\"", ERR_INVALID},
        {"metric,value\nx,1e999\n", "t:2: value \"1e999\"", ERR_INVALID},
        {"metric,value\nx,\n", "t:2: value \"\"", ERR_INVALID},
        {"metric,value\nx,5 furlongs\n", "unit \"furlongs\": ns us ms",
         ERR_INVALID},
        {"metric,value\nx y,1\n", "t:2: metric \"x y\": a name has",
         ERR_INVALID},
        {"metric,value\n,1\n", "value \"1\" without the name of a metric",
         ERR_INVALID},
        {"metric,value\n,\n", "t:2: no metric: that is for trials",
         ERR_INVALID},
        {"metric,value,outcome\nx,1,fine\n",
         "t:2: outcome \"fine\": ok, oom, failed and aborted are accepted",
         ERR_INVALID},
        {"metric,value,heap\nx,1,\n", "t:2: heap: a level is missing",
         ERR_INVALID},
        {"block,metric,value,heap\n1,x,1,1g\n1,x,2,1g\n",
         "t:3: a second value of x for block \"1\" and cell heap=1g",
         ERR_EXISTS},
        {"block,metric,value,outcome\n1,x,1,ok\n1,y,2,oom\n",
         "t:3: outcome oom (valid), of the same trial it was ok (valid) before",
         ERR_EXISTS}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_err(read(bad[i].text, NULL), bad[i].e);
        check_says(why, bad[i].says);
    }
    check_err(read("metric,value\nx,1\n", "heap"), ERR_USAGE);
    check_err(read("", NULL), ERR_INVALID);
    check_says(why, "t: empty: CSV or a race.json is accepted");
}

static void numbers_have_units(void **state)
{
    (void)state;
    static const struct {
        const char *text, *unit;
        double want;
    } good[] = {{"46.57 MB", "", 46570000},    {"16 bytes", "", 16},
                {"3.07 kB", "bytes", 3070},    {"188.15 GB", "", 188.15e9},
                {"135.44 MB/s", "", 135.44e6}, {"58.9725", "min", 3538.35e9},
                {"35.272", "s", 35.272e9},     {"69.49", "%", 0.6949},
                {"2.13e12", "bytes", 2.13e12}, {"-1.5", "", -1.5},
                {"47.4", "Gbit/s", 47.4e9},    {"1KiB", "", 1024}};
    double v = 0;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        check_ok(foreign_number(good[i].text, good[i].unit, &v, &why), why);
        check_near(v, good[i].want, 1e-12 * (good[i].want + 2));
    }
    check_err(foreign_number("1 ", "parsec", &v, &why), ERR_INVALID);
    check_err(foreign_number("1,5", "", &v, &why), ERR_INVALID);
}

static void rows_of_rallys_summary_have_our_names(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"Indexing time", "indexing_time_ns"},
        {"Median Throughput", "throughput_running_median"},
        {"50th percentile service time", "service_p50"},
        {"50.0th percentile latency", "latency_p50"},
        {"99.9th percentile latency", "latency_p99.9"},
        {"100th percentile service time", "service_max"},
        {"total old gen GC time", "old_pause_ns"},
        {" Odd: name! ", "odd_name"}};
    char buf[65];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(foreign_word_row(rows[i][0], buf, sizeof buf),
                            rows[i][1]);
    assert_null(foreign_word_unit("furlongs"));
}

static void published_tables_are_read_as_they_stand(void **state)
{
    (void)state;
    read_published("heap-predictor.csv");
    assert_string_equal(f.form, "table");
    assert_int_equal(f.n_trials, 12);
    check_near(
        value("heap=4g,predictor=fixed:32k", "throughput_running_median", ""),
        1228, 0);
    check_near(value("heap=4g,predictor=fixed:32k", "outside_bytes", ""),
               121.24e9, 1);
    assert_int_equal(f.trials[1].outcome, OUTCOME_OOM);
    read_published("rmem.csv");
    check_near(value("rmem=low", "merge_time_ns", ""), 116.911 * 60e9, 1);
    check_near(value("rmem=high", "service_p99", ""), 6687.75e6, 1);
    read_published("fixed-vs-adaptive.csv");
    check_near(value("workload=append-and-search,predictor=adaptive:1k-512k",
                     "throughput_running_median", ""),
               1402, 0);
    read_published("gc-cross-validation.csv");
    check_near(
        value("generation=old,source=flight recorder", "gc_elapsed_ns", ""),
        156630e6, 0);
    assert_int_equal(f.n_trials, 14);
    read_published("initial-buffer.csv");
    check_near(value("scenario=server only; a couple of big headers,"
                     "target.initial_buffer=4096",
                     "header_parse_share", ""),
               0.5122, 1e-12);
    read_published("loopback-vs-ethernet.csv");
    check_near(value("link=ethernet,predictor=512k", "outside_bytes", ""),
               2.13e12, 0);
    read_published("segment-counts.csv");
    assert_int_equal(f.blocks.n, 5);
    read_published("driver-bottlenecks.csv");
    check_near(
        value("check=progress output on,setting=run 2", "throughput", ""),
        67151, 0);
}

static void other_tables_say_which_columns_are_factors(void **state)
{
    (void)state;
    check_ok(read("size,Docs per s,run\n1,10,1\n2,20,1\n", "size"), why);
    check_near(value("size=2", "docs_per_s", ""), 20, 0);
    assert_int_equal(f.blocks.n, 1);
    check_err(read("size,rate\n1,10\n", NULL), ERR_INVALID);
    check_says(why, "t:1: column \"size\" is not known: say which columns are "
                    "factors (--factors)");
    check_err(read("size,rate\n1,10\n", "sise"), ERR_NOTFOUND);
    check_says(why, "--factors: there is no column \"sise\"");
    check_err(read("size,rate\n1,x\n", "size"), ERR_INVALID);
    check_says(why, "t:2: column rate: value \"x\"");
    check_err(read("check,value,unit\n1,2,apples\n", NULL), ERR_INVALID);
    check_says(why, "unit \"apples\"");
    check_err(read("run,segments,oom\n1,2,yes\n", NULL), ERR_INVALID);
    check_says(why, "oom \"yes\": 0 and 1 are accepted");
}

#define RACE                                                                   \
    "\"rally-version\":\"2.7.1\",\"race-id\":\"6ebc6e53\",\"race-timestamp\":" \
    "\"20230405T062922Z\",\"track\":\"pmc\",\"challenge\":\"append\","         \
    "\"car\":[\"4gheap\"],\"cluster\":{\"distribution-version\":\"8.7.0\"},"   \
    "\"user-tags\":{\"who\":\"me\"}"
#define TASK                                                                   \
    "{\"task\":\"index\",\"operation\":\"index\",\"throughput\":{\"min\":1093" \
    ".17,\"mean\":1105,\"median\":1110.63,\"max\":1133.78,\"unit\":\"docs/s\"" \
    "},\"latency\":{\"50_0\":3270.25,\"99_9\":5451.14,\"100_0\":5905.43,"      \
    "\"mean\":3300,\"unit\":\"ms\"},\"service_time\":{\"50_0\":3270,\"unit\":" \
    "\"ms\"},\"error_rate\":0.0,\"duration\":1000"

static void a_race_is_one_trial_with_its_tasks(void **state)
{
    (void)state;
    check_ok(read("{" RACE ",\"results\":{\"op_metrics\":[" TASK "},{\"task\":"
                  "\"search\",\"throughput\":{\"min\":2,\"max\":null,\"unit\":"
                  "\"ops/s\"}}],\"merge_time\":2724408,\"merge_time_per_shard\""
                  ":{\"min\":1,\"median\":2,\"max\":3,\"unit\":\"ms\"},"
                  "\"young_gc_time\":35272,\"segment_count\":123,"
                  "\"ml_processing_time\":[]}}",
                  NULL),
             why);
    assert_string_equal(f.form, "rally");
    assert_string_equal(f.name, "6ebc6e53");
    assert_string_equal(f.track, "pmc");
    assert_string_equal(f.target, "8.7.0 4gheap");
    assert_string_equal(f.started, "2023-04-05T06:29:22Z");
    assert_string_equal(f.tags.texts[0], "who=me");
    assert_int_equal(f.n_trials, 1);
    check_near(value("", "throughput_running_median", "index"), 1110.63, 0);
    /* The only task that indexes: the race's figure too. */
    check_near(value("", "throughput_running_median", ""), 1110.63, 0);
    check_near(value("", "latency_p99.9", "index"), 5451.14e6, 1);
    check_near(value("", "latency_max", ""), 5905.43e6, 1);
    check_near(value("", "throughput_running_min", "search"), 2, 0);
    check_near(value("", "merge_time_ns", ""), 2724408e6, 0);
    check_near(value("", "merge_time_max_ns", ""), 3e6, 0);
    check_near(value("", "young_pause_ns", ""), 35272e6, 0);
    assert_false(f.died);
}

static void a_dead_race_has_an_aborted_trial(void **state)
{
    (void)state;
    static const char *const dead[] = {"{" RACE "}",
                                       "{" RACE ",\"results\":null}",
                                       "{" RACE ",\"results\":{}}"};
    for (size_t i = 0; i < 3; i++) {
        check_ok(read(dead[i], NULL), why);
        assert_true(f.died);
        assert_int_equal(f.n_trials, 1);
        assert_int_equal(f.trials[0].outcome, OUTCOME_ABORTED);
        assert_int_equal(f.n_values, 0);
        assert_non_null(f.note);
    }
}

static void a_race_of_several_clusters_has_them_as_levels(void **state)
{
    (void)state;
    check_ok(read("{" RACE ",\"results\":{\"a\":{\"op_metrics\":[" TASK "}]},"
                  "\"b\":{\"op_metrics\":[" TASK "}],\"segment_count\":7}}}",
                  NULL),
             why);
    assert_int_equal(f.n_trials, 2);
    check_near(value("cluster=b", "segment_count", ""), 7, 0);
    check_near(value("cluster=a", "throughput_running_max", "index"), 1133.78,
               0);
    check_ok(read("{" RACE ",\"results\":{\"op_metrics\":[" TASK ",\"cluster\":"
                  "\"x\"}," TASK ",\"cluster\":\"y\"}]}}",
                  NULL),
             why);
    assert_int_equal(f.cells.n, 2);
    check_near(value("cluster=y", "service_p50", "index"), 3270e6, 0);
}

static void what_is_no_race_is_refused_by_name(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"{}", "t: no race of Rally: it has no race-id and track"},
        {"{\"a\":1", "t:1: "},
        {"{" RACE ",\"results\":[1]}", "results: a list, an object is"},
        {"{" RACE ",\"results\":{\"op_metrics\":{}}}",
         "results: op_metrics: an object, a list of the tasks' figures"},
        {"{" RACE ",\"results\":{\"op_metrics\":[]}}",
         "results: no figure: tasks in op_metrics"},
        {"{" RACE ",\"results\":{\"op_metrics\":[5]}}",
         "op_metrics[0]: a number without \"task\""},
        {"{" RACE ",\"results\":{\"op_metrics\":[{\"task\":\"x\","
         "\"error_rate\":\"low\"}]}}",
         "op_metrics[0]: task \"x\": a text: a number is accepted"},
        {"{" RACE ",\"results\":{\"op_metrics\":[" TASK "}," TASK "}]}}",
         "a second value of throughput_running_min"},
        {"{" RACE ",\"results\":{\"op_metrics\":[],\"merge_time\":true}}",
         "results: merge_time: a bool: a number is accepted"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(read(bad[i][0], NULL));
        check_says(why, bad[i][1]);
    }
    check_err(read("{}", "heap"), ERR_USAGE);
}

static int end(void **state)
{
    (void)state;
    foreign_fini(&f);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_form_has_factors_blocks_outcomes_and_tasks),
        cmocka_unit_test(an_empty_block_is_paired_with_nothing),
        cmocka_unit_test(
            long_form_names_line_column_value_and_what_is_accepted),
        cmocka_unit_test(numbers_have_units),
        cmocka_unit_test(rows_of_rallys_summary_have_our_names),
        cmocka_unit_test(published_tables_are_read_as_they_stand),
        cmocka_unit_test(other_tables_say_which_columns_are_factors),
        cmocka_unit_test(a_race_is_one_trial_with_its_tasks),
        cmocka_unit_test(a_dead_race_has_an_aborted_trial),
        cmocka_unit_test(a_race_of_several_clusters_has_them_as_levels),
        cmocka_unit_test(what_is_no_race_is_refused_by_name)};
    return cmocka_run_group_tests(tests, NULL, end);
}
