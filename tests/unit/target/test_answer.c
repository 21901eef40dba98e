/* The JSON that goes out, literally. */
#include <string.h>

#include "common/clock.h"
#include "target/answer.h"
#include "target/final.h"
#include "target/stats.h"
#include "tests/lib/check.h"

static char buf[16384];

static struct out begin(void)
{
    memset(buf, 0, sizeof buf);
    return out_to(buf, sizeof buf - 1);
}

static void errors_have_a_root_cause(void **state)
{
    (void)state;
    struct out o = begin();
    answer_error(&o, 404, "index_not_found_exception", "no such \"index\"");
    assert_string_equal(
        buf, "{\"error\":{\"root_cause\":[{\"type\":"
             "\"index_not_found_exception\",\"reason\":\"no such "
             "\\\"index\\\"\"}],\"type\":\"index_not_found_exception\","
             "\"reason\":\"no such \\\"index\\\"\"},\"status\":404}");
}

static void the_banner_is_what_clients_look_for(void **state)
{
    (void)state;
    struct out o = begin();
    answer_banner(&o);
    assert_string_equal(
        buf, "{\"name\":\"pitwall-target\",\"cluster_name\":\"pitwall\","
             "\"cluster_uuid\":\"pitwall-target-0000000\",\"version\":{"
             "\"number\":\"6.8.0\",\"build_flavor\":\"pitwall\","
             "\"build_type\":\"pitwall " PITWALL_VERSION "\","
             "\"build_snapshot\":false,"
             "\"minimum_wire_compatibility_version\":\"5.6.0\","
             "\"minimum_index_compatibility_version\":\"5.0.0\"},"
             "\"tagline\":\"You Know, for Search\"}");
}

static void health_is_green(void **state)
{
    (void)state;
    struct out o = begin();
    answer_health(&o, 0);
    assert_non_null(strstr(buf, "\"status\":\"green\",\"timed_out\":false,"
                                "\"number_of_nodes\":1"));
}

static void small_answers_have_elasticsearchs_shape(void **state)
{
    (void)state;
    struct out o = begin();
    answer_created(&o, "geo");
    assert_string_equal(buf, "{\"acknowledged\":true,\"shards_acknowledged\":"
                             "true,\"index\":\"geo\"}");
    o = begin();
    answer_acknowledged(&o);
    assert_string_equal(buf, "{\"acknowledged\":true}");
    o = begin();
    answer_shards(&o);
    assert_string_equal(
        buf, "{\"_shards\":{\"total\":0,\"successful\":0,\"failed\":0}}");
}

static void unknown_paths_and_methods_are_told_apart(void **state)
{
    (void)state;
    struct out o = begin();
    struct route none = route_of(HTTP1_GET, "/_cat/x", 7);
    assert_int_equal(answer_no_route(&o, &none, HTTP1_GET, "/_cat/x", 7), 400);
    assert_string_equal(buf, "{\"error\":\"no handler found for uri [/_cat/x] "
                             "and method [GET]\",\"status\":400}");
    o = begin();
    struct route wrong = route_of(HTTP1_DELETE, "/_bulk", 6);
    assert_int_equal(answer_no_route(&o, &wrong, HTTP1_DELETE, "/_bulk", 6),
                     405);
    assert_string_equal(
        buf, "{\"error\":\"Incorrect HTTP method for uri [/_bulk] and method "
             "[DELETE], allowed: [POST, PUT]\",\"status\":405}");
}

static void a_long_path_is_shown_in_part(void **state)
{
    (void)state;
    static char path[4000];
    struct out o = begin();
    struct route none = {.kind = ROUTE_NONE};
    memset(path, '"', sizeof path);
    assert_int_equal(answer_no_route(&o, &none, HTTP1_OTHER, path, sizeof path),
                     400);
    assert_false(o.cut);
    assert_non_null(strstr(buf, "\\\"] and method [OTHER]\""));
    assert_true(o.len < 1200); /* 512 escaped to 1,024, and the words */
}

static void rejection_names_the_queue(void **state)
{
    (void)state;
    struct out o = begin();
    answer_rejected(&o, 4, 200);
    assert_non_null(
        strstr(buf, "\"type\":\"es_rejected_execution_exception\",\"reason\":"
                    "\"rejected execution of bulk on EsThreadPoolExecutor[name "
                    "= pitwall-target/write, queue capacity = 200, pool size = "
                    "4, queued tasks = 200]\"}"));
    assert_non_null(strstr(buf, "\"status\":429}"));
}

/* Figures that tell each field from every other. */
static struct stats some_stats(void)
{
    struct stats s = {.heap = {.heap_bytes = 1000,
                               .used_bytes = 250,
                               .used_max_bytes = 400,
                               .tlab_bytes = 21,
                               .outside_bytes = 22,
                               .young_count = 23,
                               .young_pause_ns = 24 * NS_PER_MS,
                               .old_count = 25,
                               .old_pause_ns = 26 * NS_PER_MS},
                      .pool = {.threads = 2,
                               .queued = 3,
                               .active = 1,
                               .completed = 6,
                               .rejected = 7},
                      .open = 8,
                      .uptime_ns = 9 * NS_PER_MS,
                      .cpu_ns = 10 * NS_PER_MS,
                      .wall_ns = 11 * NS_PER_MS};
    for (size_t i = 0; i < TALLY_LAST; i++)
        s.counts.of[i] = 100 + i;
    s.counts.of[TALLY_bulk_ns] = 12 * NS_PER_MS;
    return s;
}

/* Tally fields in their order: docs 100, requests 103, rejected 104, errors
 * 105, connections 107, reads 108, read_bytes 109, buffer_bytes 112,
 * bulk_docs 113, bulk_failed 114. */
static void our_own_statistics_are_flat(void **state)
{
    (void)state;
    struct out o = begin();
    struct stats s = some_stats();
    stats_write_pitwall(&s, &o);
    assert_string_equal(
        buf, "{\"docs\":100,\"requests\":103,\"rejected\":104,\"errors\":105,"
             "\"reads\":108,\"read_bytes\":109,\"buffer_bytes\":112,"
             "\"tlab_bytes\":21,\"outside_bytes\":22,\"heap_used\":250,"
             "\"heap_max\":1000,\"young_count\":23,\"young_ns\":24000000,"
             "\"old_count\":25,\"old_ns\":26000000,\"queued\":3}");
}

static void node_statistics_have_elasticsearchs_shape(void **state)
{
    (void)state;
    struct out o = begin();
    struct stats s = some_stats();
    stats_write_nodes(&s, &o);
    assert_string_equal(
        buf,
        "{\"_nodes\":{\"total\":1,\"successful\":1,\"failed\":0},"
        "\"cluster_name\":\"pitwall\",\"nodes\":{\"pitwall-target\":{"
        "\"timestamp\":11,\"name\":\"pitwall-target\",\"roles\":[\"master\","
        "\"data\",\"ingest\"],\"indices\":{\"docs\":{\"count\":0,\"deleted\":"
        "0},\"store\":{\"size_in_bytes\":0},\"indexing\":{\"index_total\":113,"
        "\"index_time_in_millis\":12,\"index_current\":1,\"index_failed\":"
        "114},\"merges\":{\"current\":0}},"
        "\"process\":{\"cpu\":{\"total_in_millis\":10}},\"jvm\":{"
        "\"timestamp\":11,\"uptime_in_millis\":9,\"mem\":{"
        "\"heap_used_in_bytes\":250,\"heap_used_percent\":25,"
        "\"heap_committed_in_bytes\":1000,\"heap_max_in_bytes\":1000,"
        "\"pools\":{\"heap\":{\"used_in_bytes\":250,\"max_in_bytes\":1000,"
        "\"peak_used_in_bytes\":400}}},\"gc\":{"
        "\"collectors\":{\"young\":{\"collection_count\":23,"
        "\"collection_time_in_millis\":24},\"old\":{\"collection_count\":25,"
        "\"collection_time_in_millis\":26}}}},\"thread_pool\":{\"bulk\":{"
        "\"threads\":2,\"queue\":3,\"active\":1,\"rejected\":7,\"largest\":2,"
        "\"completed\":6},\"write\":{\"threads\":2,\"queue\":3,\"active\":1,"
        "\"rejected\":7,\"largest\":2,\"completed\":6}},\"ingest\":{"
        "\"total\":{\"count\":0,\"time_in_millis\":0,\"current\":0,"
        "\"failed\":0},\"pipelines\":{}},\"http\":{"
        "\"current_open\":8,\"total_opened\":107}}}}");
}

static void index_statistics_claim_no_documents(void **state)
{
    (void)state;
    struct out o = begin();
    struct stats s = some_stats();
    stats_write_indices(&s, &o);
    assert_string_equal(
        buf, "{\"_shards\":{\"total\":0,\"successful\":0,\"failed\":0},"
             "\"_all\":{\"primaries\":{\"docs\":{\"count\":0,\"deleted\":0},"
             "\"store\":{\"size_in_bytes\":0},\"indexing\":{\"index_total\":"
             "113,\"index_time_in_millis\":12,\"index_current\":1,"
             "\"index_failed\":114},\"merges\":{\"current\":0}},"
             "\"total\":{\"docs\":{\"count\":0,"
             "\"deleted\":0},\"store\":{\"size_in_bytes\":0},\"indexing\":{"
             "\"index_total\":113,\"index_time_in_millis\":12,"
             "\"index_current\":1,\"index_failed\":114},"
             "\"merges\":{\"current\":0}}},\"indices\":{}}");
}

/* What two threads saw of a window from 100 to 200. */
static void count_something(struct tally **t)
{
    tally_add(t[0], TALLY_docs, 5, 50);   /* before the window */
    tally_add(t[0], TALLY_docs, 7, 100);  /* in it */
    tally_add(t[1], TALLY_docs, 11, 199); /* in it */
    tally_add(t[1], TALLY_docs, 13, 200); /* after it */
    hist_record(&t[0]->read_bytes, 65536);
    hist_record(&t[1]->read_bytes, 65536);
    hist_record(&t[1]->read_bytes, 0);
    hist_record(&t[1]->reads_per_loop, 1);
    hist_record(&t[0]->service_ns, 1023);
}

/* Two threads, a window from 100 to 200, settings of the defaults. */
static void the_final_record_is_what_the_threads_counted(void **state)
{
    (void)state;
    struct window window;
    struct settings settings;
    struct final *f = final_new();
    struct gauge_window g = {
        .t0_ns = 100, .t1_ns = 200, .whole = true, .cpu_ns = 77};
    size_t len;
    assert_non_null(f);
    window_init(&window, 100);
    atomic_store(&window.t1_ns, 200);
    struct tally *t[] = {tally_new(&window), tally_new(&window)};
    assert_non_null(t[0]);
    assert_non_null(t[1]);
    count_something(t);
    settings_default(&settings);
    settings.threads = settings.bulk_threads = 2;
    g.heap.all.outside_bytes = 1;
    g.heap.worker.outside_bytes = 2;
    g.heap.bulk.outside_bytes = 3;
    struct final_facts facts = {
        .window = &g, .tallies = t, .n_tallies = 2, .settings = &settings};
    const char *text = final_write(f, &facts, &len);
    static const char begins[] =
        "{\"version\":1,\"outcome\":\"ok\",\"partial\":false,\"total\":{"
        "\"docs\":36,\"docs_failed\":0,\"docs_lost\":0,\"requests\":0,"
        "\"rejected\":0,\"errors\":0,\"connections\":0,\"body_bytes\":0,"
        "\"reads\":0,\"read_bytes\":0},\"window\":{\"t0_ns\":100,\"t1_ns\":200,"
        "\"docs\":18,\"docs_failed\":0,\"requests\":0,\"rejected\":0,"
        "\"errors\":0,\"body_bytes\":0,\"reads\":0,\"read_bytes\":0,"
        "\"zero_reads\":0,\"buffer_count\":0,\"buffer_bytes\":0,\"bulk_ns\":0,"
        "\"wait_ns\":0,\"queue_full\":0,\"cpu_ns\":77,\"disk_ns\":0,"
        "\"disk_syncs\":0},"
        "\"heap\":{\"heap_bytes\":0,\"eden_bytes\":0,\"survivor_bytes\":0,"
        "\"old_bytes\":0,\"used_bytes\":0,\"live_bytes\":0,\"used_max_bytes\":"
        "0,\"alloc_count\":0,\"alloc_bytes\":0,\"tlab_count\":0,\"tlab_bytes\":"
        "0,\"tlab_min_bytes\":0,\"tlab_max_bytes\":0,\"outside_count\":0,"
        "\"outside_bytes\":1,\"outside_min_bytes\":0,\"outside_max_bytes\":0,"
        "\"young_count\":0,\"young_pause_ns\":0,\"old_count\":0,"
        "\"old_pause_ns\":0,\"pause_max_ns\":0,\"safepoint_ns\":0,"
        "\"safepoint_max_ns\":0,\"promoted_bytes\":0,\"promotion_failed\":0,"
        "\"young_since_start\":0,\"oom_count\":0,\"oom_bytes\":0},"
        "\"heap_worker\":{";
    static const char ends[] =
        "\"read_bytes\":[[0,1],[65536,2]],\"reads_per_loop\":[[1,1]],"
        "\"service_ns\":[[1023,1]],\"settings\":{\"listen\":\"127.0.0.1:9200\","
        "\"heap\":1073741824,\"young\":0,\"min_tlab\":0,"
        "\"pretouch\":\"young\",\"predictor\":\"fixed:64k\","
        "\"netty_rules\":\"4.1.48\",\"reads_per_wakeup\":1,"
        "\"initial_buffer\":128,\"max_components\":1024,\"body_copy\":\"off\","
        "\"index\":\"none\",\"durability\":\"async\",\"shards\":5,"
        "\"native_limit\":0,\"threads\":2,\"bulk_threads\":2,\"bulk_queue\":"
        "200,\"parse_work\":0,\"data\":\"\",\"gc_log\":\"\",\"alloc_log\":\"\","
        "\"mode\":\"ingest\",\"static_bytes\":64,\"stall_ns\":0,"
        "\"stall_period_ns\":0,\"slow_ns\":0,\"slow_share\":\"0%\"}}\n";
    assert_true(len > sizeof begins + sizeof ends);
    assert_memory_equal(text, begins, sizeof begins - 1);
    assert_memory_equal(text + len - (sizeof ends - 1), ends, sizeof ends - 1);
    /* Once more, out of memory and cut short. */
    facts.oom = true;
    g.whole = false;
    text = final_write(f, &facts, &len);
    static const char oom[] =
        "{\"version\":1,\"outcome\":\"oom\",\"partial\":true,\"total\":";
    assert_memory_equal(text, oom, sizeof oom - 1);
    tally_free(t[0]);
    tally_free(t[1]);
    final_free(f);
}

/* Even when every bucket of all three histograms is used. */
static void the_final_record_fits_the_memory_reserved(void **state)
{
    (void)state;
    struct window window;
    struct settings settings;
    struct final *f = final_new();
    struct gauge_window g = {.whole = true};
    size_t len;
    window_init(&window, 0);
    struct tally *t = tally_new(&window);
    assert_non_null(f);
    assert_non_null(t);
    (void)tally_counts(t, 1);
    struct hist *hists[] = {&t->read_bytes, &t->reads_per_loop, &t->service_ns};
    for (size_t h = 0; h < 3; h++)
        for (uint32_t i = 0; i < HIST_BUCKETS; i++)
            hist_record_n(hists[h], hist_bucket_high(i), 9999999);
    memset(&g.heap, 0xff, sizeof g.heap);
    settings_default(&settings);
    struct final_facts facts = {
        .window = &g, .tallies = &t, .n_tallies = 1, .settings = &settings};
    const char *text = final_write(f, &facts, &len);
    assert_memory_equal(text + len - 3, "}}\n", 3);
    tally_free(t);
    final_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_have_a_root_cause),
        cmocka_unit_test(the_banner_is_what_clients_look_for),
        cmocka_unit_test(health_is_green),
        cmocka_unit_test(small_answers_have_elasticsearchs_shape),
        cmocka_unit_test(unknown_paths_and_methods_are_told_apart),
        cmocka_unit_test(a_long_path_is_shown_in_part),
        cmocka_unit_test(rejection_names_the_queue),
        cmocka_unit_test(our_own_statistics_are_flat),
        cmocka_unit_test(node_statistics_have_elasticsearchs_shape),
        cmocka_unit_test(index_statistics_claim_no_documents),
        cmocka_unit_test(the_final_record_is_what_the_threads_counted),
        cmocka_unit_test(the_final_record_fits_the_memory_reserved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
