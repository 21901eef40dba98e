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
    refuses(SCHEDULE("{\"operation\": \"fill\", \"target-throughput\": "
                     "\"5 MB/s\"}"),
            "\"5 MB/s\" is not accepted here");
    refuses(SCHEDULE("{\"operation\": \"fill\", \"target-throughput\": -5}"),
            "must be 0 to 1e9");
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
    refuses(SCHEDULE("{\"parallel\": {\"clients\": 3, \"tasks\": [\n"
                     " {\"operation\": \"fill\", \"clients\": 4}]}}"),
            "t.json:9: schedule[0].parallel.clients: 3, and its tasks have 4");
    refuses(SCHEDULE("{\"parallel\": {\"tasks\": [\n"
                     " {\"operation\": \"refresh\"}]}}"),
            "t.json:10: schedule[0].parallel.tasks[0]: this operation cannot");
    refuses(SCHEDULE("{\"parallel\": {\"completed-by\": \"any\", \"tasks\": []"
                     "}}"),
            "unknown key \"completed-by\"");
}

static void render_measures_the_one_task_that_lasts(void **state)
{
    (void)state;
    struct plan *p = rendered(
        SCHEDULE("{\"operation\": \"node-stats\"}, {\"operation\": \"fill\"}, "
                 "{\"operation\": \"index-stats\"}"));
    assert_int_equal(p->measured, 1);
    plan_free(p);
    p = rendered(SCHEDULE("{\"operation\": \"node-stats\"}, {\"operation\": "
                          "\"index-stats\"}, {\"operation\": \"refresh\"}"));
    assert_int_equal(p->measured, 1); /* the last that may be */
    plan_free(p);
    p = rendered(SCHEDULE("{\"operation\": \"node-stats\", \"time-period\": "
                          "3}, {\"operation\": \"index-stats\"}"));
    assert_int_equal(p->measured, 0);
    plan_free(p);
    refuses(SCHEDULE("{\"operation\": \"refresh\"}"), "nothing to measure");
    refuses(SCHEDULE("{\"operation\": \"fill\"},\n{\"name\": \"again\", "
                     "\"operation\": \"fill\"}"),
            "t.json:10: schedule[1]: a second measured task");
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
    refuses(FILES("{\"source-file\": \"d.json.bz2\", \"document-count\": 7}"),
            "t.json:3: corpora[0].documents[0].source-file: \"d.json.bz2\" is "
            "compressed");
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
        cmocka_unit_test(render_parallel_hands_its_times_to_its_tasks),
        cmocka_unit_test(render_measures_the_one_task_that_lasts),
        cmocka_unit_test(render_source_files_become_absolute),
        cmocka_unit_test(render_throughput_takes_a_number_or_a_rate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
