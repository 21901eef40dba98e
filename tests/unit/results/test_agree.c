/* A miscount by any one source is seen; what only differs in its edges is
 * not. */
#include <math.h>
#include <stdio.h>

#include "results/agree.h"
#include "results/gc_log.h"
#include "tests/lib/check.h"

/* 10 s, 1000 documents of 100 bytes; 4 collections of 1 ms, 2 in the window. */
static struct agree_facts facts(void)
{
    struct agree_facts f;
    agree_facts_init(&f);
    f.window_s = 10;
    f.docs_acked = f.docs_counted = f.index_docs = 1000;
    f.docs_unknown = 0;
    f.body_bytes = f.target_body_bytes = 100000;
    f.read_bytes = 120000;
    f.received_bytes = 20000;
    f.link_bytes = 120500;
    f.collections = f.log_collections = 4;
    f.window_collections = 2;
    f.pause_ns = 2e6;
    f.log_pause_ns = 4e6;
    f.pause_max_ns = f.log_pause_max_ns = 1e6;
    f.hiccup_max_ns = 1.5e6;
    f.service_max_ns = 9e6;
    f.service_mean_ns = 2e6;
    f.target_mean_ns = 1e6;
    const struct agree_jvm_source jvm = {20, 100e6, 1, 50e6};
    f.jvm = (struct agree_jvm){.log = jvm,
                               .recording = jvm,
                               .counters = jvm,
                               .statistics = jvm,
                               .log_concurrent_ns = 400e6,
                               .recording_elapsed_ns = 390e6,
                               .recording_max_ns = 1e6,
                               .log_stops_ns = 165e6,
                               .log_reaching_ns = 10e6,
                               .counters_stops_ns = 155e6};
    return f;
}

static struct agree judged(const struct agree_facts *f,
                           enum agree_figure figure)
{
    struct agree a;
    agree_judge(&a, f, figure);
    return a;
}

/* Only this figure differs, and says so. */
static void only(const struct agree_facts *f, enum agree_figure figure,
                 const char *says)
{
    for (int i = 0; i < AGREE_FIGURES; i++) {
        struct agree a = judged(f, (enum agree_figure)i);
        assert_int_equal(a.verdict, i == (int)figure ? AGREE_NO : AGREE_YES);
        if (i == (int)figure && !strstr(a.words, says))
            fail_msg("\"%s\" does not say \"%s\"", a.words, says);
    }
}

static void sources_that_agree_are_said_to(void **state)
{
    (void)state;
    struct agree_facts f = facts();
    for (int i = 0; i < AGREE_FIGURES; i++)
        assert_int_equal(judged(&f, (enum agree_figure)i).verdict, AGREE_YES);
    assert_true(judged(&f, AGREE_DOCS).difference == 0);
    /* 120500 / 120000 - 1 */
    check_near(judged(&f, AGREE_TRAFFIC).difference, 0.0041667, 1e-6);
    assert_true(isnan(judged(&f, AGREE_LONGEST).difference));
}

/* 18450 young collections and 500 others of one benchmark under CMS, as people
 * measured them: statistics, log and command line agree, the flight recording
 * does not; and what it calls the time of an old collection is no pause. */
static void a_recording_that_people_found_off_is_seen(void **state)
{
    (void)state;
    struct agree_facts f = facts();
    f.pause_max_ns = f.jvm.recording_max_ns = 60e6;
    f.jvm.log = (struct agree_jvm_source){18451, 80853e6, 500, 23989e6};
    f.jvm.counters = (struct agree_jvm_source){18450, 79416e6, 500, 23964e6};
    f.jvm.statistics = (struct agree_jvm_source){18450, 79452e6, 500, 23964e6};
    f.jvm.recording = (struct agree_jvm_source){18450, 89003e6, 500, 24031e6};
    f.jvm.recording_elapsed_ns = 156630e6;
    assert_int_equal(judged(&f, AGREE_YOUNG).verdict, AGREE_YES);
    struct agree a = judged(&f, AGREE_YOUNG_PAUSES);
    assert_int_equal(a.verdict, AGREE_NO);
    assert_string_equal(a.words, "recording more than gc log by 8150 ms");
    /* 89003 / 79416 - 1 */
    check_near(a.difference, 0.12072, 1e-5);
    f.jvm.recording.young_ns = NAN;
    assert_int_equal(judged(&f, AGREE_YOUNG_PAUSES).verdict, AGREE_YES);
    assert_int_equal(judged(&f, AGREE_OLD_PAUSES).verdict, AGREE_YES);
    a = judged(&f, AGREE_OLD_ELAPSED);
    assert_int_equal(a.verdict, AGREE_YES);
    assert_string_equal(a.words,
                        "from begin to end; 24031.0 ms of it were pauses");
    /* Taken for a pause it is seen: 2 % and 0.1 ms each are 530 ms. */
    f.jvm.recording.old_ns = 156630e6;
    a = judged(&f, AGREE_OLD_PAUSES);
    assert_string_equal(a.words, "recording more than gc log by 132641 ms");
    f.jvm.recording.old_ns = 23288e6; /* without the initial marks: 701 less */
    assert_int_equal(judged(&f, AGREE_OLD_PAUSES).verdict, AGREE_NO);
}

static void collections_of_a_jvm_may_differ_at_the_edges(void **state)
{
    (void)state;
    struct agree_facts f = facts();
    f.jvm.counters.young = 22; /* each of them as long as the longest: 1 ms */
    f.jvm.counters.young_ns = 107e6; /* 2 % + 20 x 0.1 + 2 + 2 x 1 = 8 ms */
    for (int i = 0; i < AGREE_FIGURES; i++)
        assert_int_equal(judged(&f, (enum agree_figure)i).verdict, AGREE_YES);
    f.jvm.counters.young_ns = 109e6;
    only(&f, AGREE_YOUNG_PAUSES, "counters more than gc log by 9 ms");
    f = facts();
    f.jvm.statistics.young = 17;
    only(&f, AGREE_YOUNG, "statistics less than gc log by 3 collections");
    f = facts();
    f.jvm.statistics.old = 4;
    only(&f, AGREE_OLD, "statistics more than gc log by 3 collections");
    f = facts();
    f.jvm.counters_stops_ns = 140e6; /* 5 % of 155 + 21 x 0.1 + 2 = 11.9 ms */
    only(&f, AGREE_STOPS, "counters less than gc log by 15 ms");
    f = facts();
    f.jvm.log_stops_ns = 140e6; /* 130 of stops for 150 of collections */
    f.jvm.counters_stops_ns = 130e6;
    only(&f, AGREE_STOPS, "stops are shorter than its collections by 20 ms");
    f = facts();
    f.jvm.recording_max_ns = 3e6;
    only(&f, AGREE_LONGEST, "the recording's longest is another by 2 ms");
    f = facts();
    f.jvm.recording_elapsed_ns = 40e6;
    only(&f, AGREE_OLD_ELAPSED, "shorter than their pauses by 10 ms");
}

static void a_miscount_of_any_source_is_seen(void **state)
{
    (void)state;
    struct agree_facts f = facts();
    f.docs_acked = 1001;
    only(&f, AGREE_DOCS, "fewer than were acknowledged by 1 docs");
    f = facts();
    f.docs_counted = f.index_docs = 1001;
    only(&f, AGREE_DOCS, "more than were sent by 1 docs");
    f = facts();
    f.index_docs = 999;
    only(&f, AGREE_DOCS, "the index has fewer (or ids came twice) by 1");
    f.index_docs = 1002;
    only(&f, AGREE_DOCS, "the index has more than the target counted by 2");
    f = facts();
    f.target_body_bytes = 99999;
    only(&f, AGREE_BODIES, "read less than was sent by 1 bytes");
    f.target_body_bytes = 2e6;
    only(&f, AGREE_BODIES, "read more than was sent");
    f = facts();
    f.link_bytes = 126000; /* 5 %, of which 4 are allowed in 10 s */
    only(&f, AGREE_TRAFFIC, "differ by 5 %");
    f = facts();
    f.log_collections = 3;
    only(&f, AGREE_COLLECTIONS, "the log has fewer by 1");
    f.log_collections = 9;
    only(&f, AGREE_COLLECTIONS, "the log has more by 5");
    f = facts();
    f.log_pause_ns = 1.9e6;
    only(&f, AGREE_PAUSES, "less than the window's by 0.1 ms");
    f.window_collections = 4;
    f.log_pause_ns = 2.1e6;
    only(&f, AGREE_PAUSES, "the log has more by 0.1 ms");
    f = facts();
    f.pause_max_ns = f.log_pause_max_ns = 8e6; /* 7.2 - 1 > 1.5 */
    only(&f, AGREE_LONGEST, "the waiting thread missed");
    f.hiccup_max_ns = 8e6;
    f.service_max_ns = 3e6;
    only(&f, AGREE_LONGEST, "the driver had no answer that took as long");
    f = facts();
    f.log_pause_max_ns = 9e5;
    only(&f, AGREE_LONGEST, "the log's longest is shorter by 0.1 ms");
    f = facts();
    f.target_mean_ns = 3e6;
    only(&f, AGREE_SERVICE, "longer than its client waited by 1 ms");
}

static void edges_and_unanswered_requests_are_allowed_for(void **state)
{
    (void)state;
    struct agree_facts f = facts();
    f.docs_unknown = 5;
    f.docs_counted = f.index_docs = 1005;
    assert_int_equal(judged(&f, AGREE_DOCS).verdict, AGREE_YES);
    f.docs_counted = f.index_docs = 1006;
    assert_int_equal(judged(&f, AGREE_DOCS).verdict, AGREE_NO);
    f = facts();
    f.link_both = true;
    assert_int_equal(judged(&f, AGREE_TRAFFIC).verdict, AGREE_NO);
    f.link_bytes = 141000;
    assert_int_equal(judged(&f, AGREE_TRAFFIC).verdict, AGREE_YES);
    f = facts();
    f.link_bytes = 126000;
    f.queued_bytes = 1300; /* 1.1 % of 120000 */
    assert_int_equal(judged(&f, AGREE_TRAFFIC).verdict, AGREE_YES);
}

static void a_single_source_is_not_judged(void **state)
{
    (void)state;
    struct agree_facts f;
    agree_facts_init(&f);
    for (int i = 0; i < AGREE_FIGURES; i++)
        assert_int_equal(judged(&f, (enum agree_figure)i).verdict,
                         AGREE_UNKNOWN);
    f.docs_acked = 5;
    f.link_bytes = 7;
    assert_int_equal(judged(&f, AGREE_DOCS).verdict, AGREE_UNKNOWN);
    assert_int_equal(judged(&f, AGREE_TRAFFIC).verdict, AGREE_UNKNOWN);
    f.index_docs = 4; /* the target does not count */
    assert_string_equal(judged(&f, AGREE_DOCS).name, "documents");
}

/* The seed's four sources of one run (tracks/published). */
static void the_seeds_log_and_statistics_differ_as_they_did(void **state)
{
    (void)state;
    struct agree_facts f;
    agree_facts_init(&f);
    f.collections = f.window_collections = 18450;
    f.log_collections = 18451;
    f.pause_ns = 79452e6;
    f.log_pause_ns = 80853e6;
    struct agree a = judged(&f, AGREE_PAUSES);
    check_near(a.difference, 80853.0 / 79452 - 1, 1e-9);
    assert_int_equal(a.verdict, AGREE_YES); /* one collection more */
    f.log_pause_ns = 79400e6;
    assert_int_equal(judged(&f, AGREE_PAUSES).verdict, AGREE_NO);
}

static void a_collectors_log_is_added_up(void **state)
{
    (void)state;
    static const char text[] =
        "[0.376s][info][gc,start] GC(0) Pause Young (Allocation Failure)\n"
        "[0.376s][info][gc      ] GC(0) Pause Young (Allocation Failure) "
        "17M->2M(62M) 0.607ms\r\n"
        "[0.5s][info][gc] GC(1) Pause Full (System.gc()) 5M->1M(9M) 12.5ms\n"
        "[0.6s][info][gc] GC(2) Concurrent Mark 3.000ms\n"
        "Pause 9 9ms9\nPause 1.2.3.4.5.6.7.8.9.0.1.2.3.4ms\nPause ms\n"
        "[0.7s][info][gc] GC(3) Pause Young (Normal) 1.000ms";
    struct gc_log log = gc_log_read(text, sizeof text - 1);
    assert_int_equal(log.young, 2);
    assert_int_equal(log.other, 1);
    check_near(log.pause_ns, 0.607e6 + 12.5e6 + 1e6, 1);
    check_near(log.max_ns, 12.5e6, 1);
    log = gc_log_read("", 0);
    assert_int_equal(log.young + log.other, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_that_agree_are_said_to),
        cmocka_unit_test(a_recording_that_people_found_off_is_seen),
        cmocka_unit_test(collections_of_a_jvm_may_differ_at_the_edges),
        cmocka_unit_test(a_miscount_of_any_source_is_seen),
        cmocka_unit_test(edges_and_unanswered_requests_are_allowed_for),
        cmocka_unit_test(a_single_source_is_not_judged),
        cmocka_unit_test(the_seeds_log_and_statistics_differ_as_they_did),
        cmocka_unit_test(a_collectors_log_is_added_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
