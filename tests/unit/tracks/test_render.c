/* Schedules and corpora of Rally's shape as plans. */
#include "tests/lib/check.h"
#include "tests/unit/tracks/rendered.h"

static void render_throughput_takes_a_number_or_a_rate(void **state)
{
    (void)state;
    struct plan *p = rendered(SCHEDULE(
        "{\"operation\": \"fill\", \"target-throughput\": \"5000 docs/s\", "
        "\"schedule\": \"poisson\"}"));
    check_near(p->steps[0].tasks->rate_s, 5000, 0);
    assert_true(p->steps[0].tasks->rate_docs);
    assert_true(p->steps[0].tasks->poisson);
    plan_free(p);
    p = rendered(
        SCHEDULE("{\"operation\": \"fill\", \"target-throughput\": 12.5}"));
    check_near(p->steps[0].tasks->rate_s, 12.5, 0);
    assert_false(p->steps[0].tasks->rate_docs);
    plan_free(p);
    p = rendered(
        SCHEDULE("{\"operation\": \"fill\", \"target-interval\": 0.25}"));
    check_near(p->steps[0].tasks->rate_s, 4, 0); /* 1 / 0.25 s */
    plan_free(p);
    p = rendered(
        SCHEDULE("{\"operation\": \"fill\", \"target-throughput\": 0}"));
    check_near(p->steps[0].tasks->rate_s, 0, 0);
    plan_free(p);
    refuses(SCHEDULE("{\"operation\": \"index-stats\", "
                     "\"target-throughput\": \"5 docs/s\"}"),
            "schedule[0].target-throughput: \"5 docs/s\" is not accepted "
            "here; accepted: \"N ops/s\"");
    /* 30 pages a second of scrolls of 6 */
    p = rendered(SCHEDULE(
        "{\"operation\": {\"operation-type\": \"scroll-search\", \"body\": {}, "
        "\"pages\": 6}, \"target-throughput\": \"30 pages/s\"}"));
    check_near(p->steps[0].tasks->rate_s, 5, 0);
    assert_false(p->steps[0].tasks->rate_docs);
    plan_free(p);
    refuses(
        SCHEDULE("{\"operation\": {\"operation-type\": \"search\", \"body\": "
                 "{}, \"pages\": 6}, \"target-throughput\": \"5 docs/s\"}"),
        "accepted: \"N pages/s\", \"N ops/s\"");
    refuses(
        SCHEDULE("{\"operation\": {\"operation-type\": \"search\", \"body\": "
                 "{}, \"pages\": \"all\"}, \"target-throughput\": \"5 "
                 "pages/s\"}"),
        "\"5 pages/s\" is not accepted here; accepted: \"N ops/s\"");
    refuses(SCHEDULE("{\"operation\": \"fill\", \"target-throughput\": "
                     "\"5 MB/s\"}"),
            "\"5 MB/s\" is not accepted here");
    refuses(SCHEDULE("{\"operation\": \"fill\", \"target-throughput\": -5}"),
            "must be 0 to 1e9");
}

static void render_goes_by_a_time_and_not_by_iterations(void **state)
{
    (void)state;
    struct plan *p = rendered(
        SCHEDULE("{\"parallel\": {\"iterations\": 3, \"tasks\": [\n"
                 " {\"operation\": \"fill\", \"time-period\": 4}]}},"
                 "{\"operation\": \"fill\", \"name\": \"again\", "
                 "\"warmup-iterations\": 7, \"warmup-time-period\": 2}"));
    const struct plan_task *t = p->steps[0].tasks;
    assert_int_equal(t->measure_ns, 4000000000);
    assert_int_equal(t->iterations, 0);
    t = p->steps[1].tasks;
    assert_int_equal(t->warmup_ns, 2000000000);
    assert_int_equal(t->warmup_iterations, 0);
    plan_free(p);
}

static void render_hands_on_tags_and_meta(void **state)
{
    (void)state;
    struct plan *p = rendered(
        HEAD "\"meta\": {\"a\": 1, \"b\": 1, \"c\": 1, \"d\": 1},\n"
             "\"challenge\": {\"name\": \"x\", \"meta\": {\"b\": 2, \"c\": 2, "
             "\"d\": 2}, \"schedule\": [{\"operation\": {\"operation-type\": "
             "\"bulk\", \"bulk-size\": 1, \"tags\": \"slow\", \"meta\": "
             "{\"c\": 3, \"d\": 3}}, \"tags\": [\"one\", \"slow\"], \"meta\": "
             "{\"d\": [4]}}]}}");
    assert_string_equal(p->steps[0].tasks->tags, "slow, one");
    assert_string_equal(p->steps[0].tasks->meta,
                        "{\"a\":1,\"b\":2,\"c\":3,\"d\":[4]}");
    plan_free(p);
    p = rendered(SCHEDULE("{\"operation\": \"fill\"}"));
    assert_null(p->steps[0].tasks->tags);
    assert_null(p->steps[0].tasks->meta);
    plan_free(p);
    refuses(SCHEDULE("{\"operation\": \"fill\", \"tags\": [\"a\\nb\"]}"),
            "schedule[0].tags[0]: has a control character");
}

/* The clients of a parallel element's step that says more. */
static uint32_t p_clients(const char *more)
{
    char text[1024];
    (void)snprintf(text, sizeof text,
                   SCHEDULE("{\"parallel\": {%s\"tasks\": [{\"operation\": "
                            "\"fill\", \"clients\": 4}]}}"),
                   more);
    struct plan *p = rendered(text);
    uint32_t clients = p->steps[0].clients;
    plan_free(p);
    return clients;
}

static void render_parallel_hands_its_times_to_its_tasks(void **state)
{
    (void)state;
    struct plan *p = rendered(SCHEDULE(
        "{\"operation\": \"refresh\"},\n"
        "{\"parallel\": {\"warmup-time-period\": 2, \"time-period\": 10, "
        "\"clients\": 5, \"tasks\": [\n"
        " {\"operation\": \"fill\", \"clients\": 4},\n"
        " {\"operation\": \"node-stats\", \"time-period\": 3}]}}"));
    assert_int_equal(p->measured, 1);
    const struct plan_task *t = p->steps[1].tasks;
    assert_int_equal(p->steps[1].n_tasks, 2);
    assert_int_equal(t[0].clients, 4);
    assert_int_equal(t[0].warmup_ns, 2000000000);
    assert_int_equal(t[0].measure_ns, 10000000000);
    assert_int_equal(t[1].clients, 1);
    assert_int_equal(t[1].measure_ns, 3000000000);
    plan_free(p);
    assert_int_equal(p_clients("\"clients\": 3, "), 3); /* of 4 */
    assert_int_equal(p_clients(""), 0);
}

static void
render_parallel_hands_its_iterations_on_and_is_completed(void **state)
{
    (void)state;
    struct plan *p = rendered(SCHEDULE(
        "{\"parallel\": {\"warmup-iterations\": 2, \"iterations\": 10, "
        "\"completed-by\": \"fill\", \"tasks\": [\n"
        " {\"operation\": \"fill\", \"iterations\": 3},\n"
        " {\"operation\": \"refresh\"},\n"
        " {\"operation\": \"node-stats\", \"warmup-iterations\": 0}]}}"));
    const struct plan_task *t = p->steps[0].tasks;
    assert_true(p->steps[0].measured);
    assert_string_equal(p->steps[0].completed_by, "fill");
    assert_int_equal(t[0].iterations, 3);
    assert_int_equal(t[0].warmup_iterations, 2);
    assert_int_equal(t[1].iterations, 10);
    assert_true(t[1].hidden); /* administration */
    assert_false(t[2].hidden);
    assert_int_equal(t[2].warmup_iterations, 0);
    plan_free(p);
    refuses(SCHEDULE("{\"parallel\": {\"completed-by\": \"x\", \"tasks\": [\n"
                     " {\"operation\": \"fill\"}]}}"),
            "t.json:9: schedule[0].parallel.completed-by: \"x\" is none of its "
            "tasks; accepted: a task's name, any");
    refuses(SCHEDULE("{\"parallel\": {\"iterations\": 3, \"tasks\": [\n"
                     " {\"operation\": \"fill\", \"warmup-time-period\": "
                     "4}]}}"),
            "t.json:10: schedule[0].parallel.tasks[0]: "
            "\"warmup-time-period\" cannot be mixed with \"iterations\"");
    refuses(SCHEDULE("{\"parallel\": {\"tasks\": [{\"operation\": "
                     "{\"operation-type\": \"sleep\", \"duration\": 1}}]}}"),
            "tasks[0]: a sleep is done once");
    refuses(SCHEDULE("{\"parallel\": {\"tasks\": [{\"parallel\": {}}]}}"),
            "tasks[0].parallel: unknown key \"parallel\"");
    refuses(SCHEDULE("{\"parallel\": {\"tasks\": [{\"operation\": "
                     "{\"operation-type\": \"cluster-health\", "
                     "\"retry-until-success\": true}}]}}"),
            "cannot have \"retry-until-success\"");
}

static void render_ramp_up_lies_within_the_warm_up(void **state)
{
    (void)state;
    struct plan *p = rendered(
        SCHEDULE("{\"operation\": \"fill\", \"ramp-up-time-period\": 3, "
                 "\"warmup-time-period\": 4, \"time-period\": 5}"));
    assert_int_equal(p->steps[0].tasks->ramp_up_ns, 3000000000);
    plan_free(p);
    refuses(SCHEDULE("{\"operation\": \"fill\", \"ramp-up-time-period\": 3, "
                     "\"warmup-time-period\": 2}"),
            "\"warmup-time-period\" must be at least as long as");
    refuses(SCHEDULE("{\"operation\": \"fill\", \"ramp-up-time-period\": 3}"),
            "\"warmup-time-period\" must be at least as long as");
    refuses(SCHEDULE("{\"parallel\": {\"tasks\": [{\"operation\": \"fill\", "
                     "\"ramp-up-time-period\": 3, \"warmup-time-period\": "
                     "3}]}}"),
            "ramp-up-time-period: is for the \"parallel\" element only");
}

static void render_measures_whatever_lasts(void **state)
{
    (void)state;
    struct plan *p = rendered(SCHEDULE(
        "{\"operation\": \"node-stats\"}, {\"operation\": \"fill\"}, "
        "{\"operation\": \"refresh\", \"clients\": 1, \"iterations\": 1}, "
        "{\"operation\": \"index-stats\", \"iterations\": 100}, "
        "{\"operation\": \"flush\", \"clients\": 2}"));
    assert_int_equal(p->measured, 1);
    assert_false(p->steps[0].measured);
    assert_true(p->steps[1].measured);
    assert_false(p->steps[2].measured);
    assert_true(p->steps[3].measured);
    assert_true(p->steps[4].measured);
    plan_free(p);
    p = rendered(SCHEDULE("{\"operation\": \"node-stats\"}, {\"operation\": "
                          "\"index-stats\"}, {\"operation\": \"refresh\"}"));
    assert_int_equal(p->measured, 1); /* the last that may be */
    plan_free(p);
    refuses(SCHEDULE("{\"operation\": \"refresh\"}"), "nothing to measure");
    refuses(SCHEDULE("{\"operation\": {\"operation-type\": \"index-stats\", "
                     "\"condition\": {\"path\": \"a\", \"expected-value\": "
                     "1}}}"),
            "nothing to measure");
}

static void render_refuses_what_would_never_end(void **state)
{
    (void)state;
    static const char part[] = "schedule[0]: nothing ends it";
    refuses(SCHEDULE("{\"operation\": \"node-stats\", \"warmup-time-period\": "
                     "3}"),
            part);
    refuses(SCHEDULE("{\"operation\": {\"operation-type\": \"bulk\", "
                     "\"bulk-size\": 1, \"looped\": true}}"),
            part);
    struct plan *p = rendered(SCHEDULE(
        "{\"parallel\": {\"completed-by\": \"fill\", \"warmup-time-period\": "
        "3, \"tasks\": [{\"operation\": \"fill\"}, {\"operation\": "
        "\"node-stats\"}]}}"));
    assert_int_equal(p->steps[0].tasks[0].measure_ns, 0);
    assert_int_equal(p->steps[0].tasks[1].measure_ns,
                     86400000000000); /* 24 h */
    plan_free(p);
}

static void render_failures_are_ranked_and_retried(void **state)
{
    (void)state;
    struct plan *p = rendered(SCHEDULE(
        "{\"operation\": \"fill\", \"ignore-response-error-level\": "
        "\"non-fatal\", \"tags\": [\"a\"], \"meta\": {\"b\": 1}},\n"
        "{\"operation\": {\"operation-type\": \"refresh\", \"retries\": 3, "
        "\"retry-wait-period\": 0.25, \"retry-on-timeout\": false, "
        "\"include-in-reporting\": true}},\n"
        "{\"operation\": {\"operation-type\": \"force-merge\", \"mode\": "
        "\"polling\"}},\n"
        "{\"operation\": {\"operation-type\": \"index-stats\", "
        "\"condition\": {\"path\": \"a\", \"expected-value\": 1}, "
        "\"retry-until-success\": true}}"));
    assert_true(p->steps[0].tasks->lenient);
    assert_int_equal(p->steps[1].tasks->retries, 3);
    assert_int_equal(p->steps[1].tasks->retry_wait_ns, 250000000);
    assert_true(p->steps[1].tasks->no_retry_on_timeout);
    assert_true(p->steps[1].tasks->no_retry_on_error);
    assert_false(p->steps[1].tasks->hidden);
    assert_int_equal(p->steps[1].tasks->timeout_ns, 60000000000);
    assert_int_equal(p->steps[2].tasks->timeout_ns, 86400000000000); /* 24 h */
    assert_int_equal(p->steps[3].tasks->timeout_ns, 7200000000000);  /* 2 h */
    assert_true(p->steps[3].tasks->until_success);
    assert_false(p->steps[3].tasks->no_retry_on_timeout);
    assert_false(p->steps[3].tasks->no_retry_on_error);
    assert_int_equal(p->steps[3].tasks->retry_wait_ns, 0);
    assert_string_equal(p->steps[3].tasks->requests->want_path, "a");
    plan_free(p);
    refuses(SCHEDULE("{\"operation\": \"fill\", \"tags\": [1]}"),
            "tags: must be a text or a list of texts");
    refuses(SCHEDULE("{\"operation\": \"fill\", \"meta\": 1}"),
            "meta: must be an object");
}

#define FILES(documents)                                                       \
    "{\"indices\": [{\"name\": \"a\"}, {\"name\": \"b\"}],\n"                  \
    " \"corpora\": [{\"name\": \"f\", \"target-index\": \"b\", "               \
    "\"documents\": [\n" documents "]}],\n"                                    \
    " \"schedule\": [{\"operation\": {\"operation-type\": \"bulk\", "          \
    "\"bulk-size\": 5}}]}"

static void render_source_files_become_absolute(void **state)
{
    (void)state;
    struct plan *p = rendered(
        FILES("{\"source-file\": \"d.json\", \"document-count\": 7},\n"
              "{\"source-file\": \"/abs.json\", \"document-count\": 8, "
              "\"target-index\": \"a\", \"compressed-bytes\": 1},\n"
              "{\"source-file\": \"/act.json\", \"document-count\": 9, "
              "\"includes-action-and-meta-data\": true}"));
    const struct plan_documents *d = p->corpora[0].documents;
    assert_int_equal(*d[0].file, '/');
    assert_string_equal(strrchr(d[0].file, '/'), "/d.json");
    assert_string_equal(d[0].index, "b");
    assert_int_equal(d[0].docs, 7);
    assert_string_equal(d[1].file, "/abs.json");
    assert_string_equal(d[1].index, "a");
    assert_null(d[2].index);
    plan_free(p);
    p = rendered(
        FILES("{\"source-file\": \"d/e.json.bz2\", \"document-count\": 7, "
              "\"base-url\": \"https://x/y\"},\n"
              "{\"source-file\": \"d/e.json.bz2\", \"document-count\": 7}"));
    d = p->corpora[0].documents;
    assert_string_equal(strrchr(d[0].file, '/'), "/e.json");
    assert_string_equal(d[0].origin, "https://x/y/e.json.bz2");
    assert_string_equal(d[1].origin, "d/e.json.bz2");
    plan_free(p);
    refuses(FILES("{\"source-file\": \"d.json\"}"),
            "\"document-count\" is missing");
    refuses(FILES("{\"document-count\": 7}"),
            "needs either \"source-file\" or \"generator\"");
    refuses(FILES("{\"generator\": \"pmcx\", \"document-count\": 7}"),
            "\"pmcx\" is unknown; accepted: geonames");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(render_goes_by_a_time_and_not_by_iterations),
        cmocka_unit_test(render_hands_on_tags_and_meta),
        cmocka_unit_test(render_parallel_hands_its_times_to_its_tasks),
        cmocka_unit_test(
            render_parallel_hands_its_iterations_on_and_is_completed),
        cmocka_unit_test(render_ramp_up_lies_within_the_warm_up),
        cmocka_unit_test(render_measures_whatever_lasts),
        cmocka_unit_test(render_refuses_what_would_never_end),
        cmocka_unit_test(render_failures_are_ranked_and_retried),
        cmocka_unit_test(render_source_files_become_absolute),
        cmocka_unit_test(render_throughput_takes_a_number_or_a_rate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
