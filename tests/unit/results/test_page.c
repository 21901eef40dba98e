#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/json.h"
#include "results/page.h"
#include "results/page_frame.h"
#include "results/page_heat.h"
#include "results/page_hist.h"
#include "results/page_write.h"
#include "tests/unit/results/lab.h"

static struct why why;

static char *page(struct lab *lab, const struct page_options *options)
{
    char *html = NULL;
    check_ok(page_report(lab->store, lab->experiment, options, &html, &why),
             why);
    return html;
}

/* The data that the page's scripts get. */
static struct jv *data_of(const char *html)
{
    static const char begin[] =
        "<script type=\"application/json\" id=\"data\">";
    struct jv *root = NULL;
    const char *from = strstr(html, begin);
    assert_non_null(from);
    from += strlen(begin);
    const char *end = strstr(from, "</script>");
    assert_non_null(end);
    check_ok(jv_parse(&root, "data", from, (size_t)(end - from), &why), why);
    return root;
}

/* What an array has; where it has null -1 is wanted. */
static void is_numbers(const struct jv *array, size_t n, const double *want)
{
    assert_int_equal(jv_size(array), n);
    for (size_t i = 0; i < n; i++)
        check_near(jv_number(jv_at(array, i), -1), want[i], 1e-9);
}

/* Trials 1 and 10 are of 256m over loopback: spooler.c says what they did. */
static void a_page_has_each_cells_curves(void **state)
{
    (void)state;
    struct lab lab;
    struct spooler spool = {0};
    lab_open(&lab);
    lab_plan(&lab);
    spooler_trial(&spool);
    (void)lab_end(&lab, 1, OUTCOME_OK, &spool);
    (void)lab_end(&lab, 10, OUTCOME_OK, &spool);
    lab_exec(&lab, "delete from invalid");
    lab_exec(&lab, "update sample_load set docs = 1000 where second = 1 and "
                   "attempt = 2");
    char *html = page(&lab, &(struct page_options){.live = false});
    struct jv *root = data_of(html);
    const struct jv *time = jv_get(root, "time");
    check_near(jv_number(jv_get(time, "first"), NAN), -1, 0);
    check_near(jv_number(jv_get(time, "points"), NAN), 3, 0);
    const struct jv *cell = jv_at(jv_get(root, "cells"), 0);
    assert_string_equal(jv_text(jv_get(cell, "label"), ""), "256m loopback");
    const struct jv *rate = jv_get(cell, "rate");
    is_numbers(jv_get(rate, "least"), 3, (const double[]){500, 800, 1000});
    is_numbers(jv_get(rate, "mean"), 3, (const double[]){500, 800, 1050});
    is_numbers(jv_get(rate, "most"), 3, (const double[]){500, 800, 1100});
    /* 21 latencies of 1..21 us, twice: the median is the 11th. */
    const struct jv *latency = jv_get(cell, "latency");
    bool median = false;
    for (size_t i = 0; i < jv_size(latency); i++)
        if (jv_number(jv_at(jv_at(latency, i), 0), 0) == 50) {
            median = true;
            check_near(jv_number(jv_at(jv_at(latency, i), 1), 0), 0.01101,
                       1e-9);
        }
    assert_true(median);
    /* 30 of 40 reads had 16000 bytes, 10 had 64 KiB. */
    const struct jv *reads = jv_get(cell, "reads");
    is_numbers(jv_at(reads, 0), 2, (const double[]){16384, 75});
    is_numbers(jv_at(reads, jv_size(reads) - 1), 2,
               (const double[]){65536, 25});
    jv_free(root);
    free(html);
    spooler_free(&spool);
    lab_fini(&lab);
}

/* A JVM's own words stand before its server's; what nobody told of a second is
 * unknown of collections and links, and nothing of compilations. */
static void a_page_has_what_went_on_each_second(void **state)
{
    (void)state;
    static const struct record_sample_jvm jvm = {.second = 0,
                                                 .young_count = 2,
                                                 .young_ns = 30000000,
                                                 .old_count = 1,
                                                 .old_ns = 10000000};
    static const struct record_sample_jit jit = {.second = -1,
                                                 .quick_count = 90,
                                                 .quick_ns = 400000000,
                                                 .thorough_count = 10,
                                                 .thorough_ns = 100000000};
    struct lab lab;
    struct spooler spool = {0};
    lab_open(&lab);
    lab_plan(&lab);
    spooler_trial(&spool);
    (void)lab_end(&lab, 2, OUTCOME_OK, &spool); /* 256m over eth200 */
    spooler_record(&spool, SPOOL_WATCH_TARGET, RECORD_IS_sample_jvm, &jvm);
    spooler_record(&spool, SPOOL_WATCH_TARGET, RECORD_IS_sample_jit, &jit);
    (void)lab_end(&lab, 1, OUTCOME_OK, &spool);
    (void)lab_end(&lab, 10, OUTCOME_OK, &spool);
    lab_exec(&lab, "delete from invalid");
    /* 500000 bytes are 4 Mbit. */
    lab_exec(&lab, "insert into metric select attempt, 'link_capacity', '', "
                   "'libiperf', 8e6, 0 from sample_jit");
    lab_exec(&lab, "update sample_link set rx_bytes = 1000000 where second = 1 "
                   "and attempt = 3");
    lab_exec(&lab, "update sample_target set young_count = 4, young_ns = "
                   "8000000 where attempt = 1 and second = 1");
    char *html = page(&lab, &(struct page_options){.live = false});
    struct jv *root = data_of(html);
    const struct jv *cell = jv_at(jv_get(root, "cells"), 0);
    const struct jv *link = jv_get(cell, "traffic");
    is_numbers(jv_get(jv_get(cell, "pauses"), "mean"), 3,
               (const double[]){-1, 40, -1});
    is_numbers(jv_get(jv_get(cell, "collections"), "most"), 3,
               (const double[]){-1, 3, -1});
    is_numbers(jv_get(jv_get(cell, "compiles"), "mean"), 3,
               (const double[]){100, 0, 0});
    is_numbers(jv_get(jv_get(cell, "compiling"), "least"), 3,
               (const double[]){500, 0, 0});
    is_numbers(jv_get(link, "least"), 3, (const double[]){50, 50, 50});
    is_numbers(jv_get(link, "most"), 3, (const double[]){50, 50, 100});
    cell = jv_at(jv_get(root, "cells"), 1);
    is_numbers(jv_get(jv_get(cell, "pauses"), "mean"), 3,
               (const double[]){0, 0, 8});
    assert_null(jv_get(cell, "compiles"));
    assert_null(jv_get(cell, "traffic"));
    jv_free(root);
    free(html);
    spooler_free(&spool);
    lab_fini(&lab);
}

static void names_of_others_stay_text(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    lab_measure(&lab);
    lab_exec(&lab, "update level set label = '</script><script>evil()' where "
                   "label = '1g'");
    lab_exec(&lab, "update experiment set name = '<img src=x onerror=evil()>'"
                   ", json = '</pre><script>evil()</script>'");
    lab_exec(&lab, "insert into note(experiment, text) values (1, "
                   "'\"><script>evil()</script>')");
    check_ok(store_facts_add(lab.store, 1, "<b>", "cpu=<script>evil()", &why),
             why);
    char *html = page(&lab, &(struct page_options){.live = false});
    assert_null(strstr(html, "<script>evil"));
    assert_null(strstr(html, "<img"));
    assert_non_null(strstr(html, "&lt;script&gt;evil()"));
    struct jv *root = data_of(html);
    assert_string_equal(
        jv_text(jv_get(jv_at(jv_get(root, "cells"), 2), "label"), ""),
        "</script><script>evil() loopback");
    jv_free(root);
    free(html);
    lab_fini(&lab);
}

static void a_page_says_its_answer_in_words(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    lab_measure(&lab);
    char *html = page(&lab, &(struct page_options){.live = false});
    assert_non_null(strstr(html, "is highest at <b>256m loopback</b>: 1100 "
                                 "docs/s ±14%; lowest at <b>1g eth200</b>: "
                                 "900 docs/s"));
    assert_non_null(strstr(html, "Out of memory: <b>256m eth200</b> (1 of 2)"));
    assert_non_null(strstr(html, "Failed: <b>1g loopback</b> (1 of 2)"));
    assert_non_null(strstr(html, "differed from itself by +0.5&nbsp;%"));
    assert_non_null(strstr(html, "5 of 8 trials are valid; in 1 the target "
                                 "ran out of memory; 1 failed; 1 broke a "
                                 "rule"));
    /* Nothing is fetched: every address is a place in the page. */
    for (const char *p = html; (p = strstr(p, "href=\"")); p++)
        assert_int_equal(p[6], '#');
    free(html);
    lab_fini(&lab);
}

/* 1g is better than 256m by 10 % in both blocks, over both links. */
static void a_page_has_the_effects_of_whole_blocks(void **state)
{
    (void)state;
    static const uint64_t docs[] = {1000, 2000, 1100, 2200, 1010,
                                    1010, 2210, 1110, 2010, 1001};
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    for (uint32_t tid = 1; tid <= 10; tid++)
        (void)lab_docs(&lab, tid, docs[tid - 1], docs[tid - 1]);
    char *html = page(&lab, &(struct page_options){.live = false});
    assert_non_null(strstr(html, "id=\"chart-effects\""));
    struct jv *root = data_of(html);
    const struct jv *effect = jv_at(jv_get(root, "effects"), 0);
    assert_string_equal(jv_text(jv_get(effect, "label"), ""), "heap 1g : 256m");
    check_near(jv_number(jv_get(effect, "change"), 0), 10, 0.5);
    assert_true(jv_number(jv_get(effect, "low"), 0) < 10);
    jv_free(root);
    free(html);
    lab_fini(&lab);
}

static void a_page_of_an_untried_plan_is_a_page(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    char *html = page(&lab, &(struct page_options){.live = false});
    assert_non_null(strstr(html, "8 have not run yet"));
    assert_non_null(strstr(html, "</html>"));
    free(html);
    html = NULL;
    check_err(page_report(lab.store, lab.experiment,
                          &(struct page_options){.report.rows = "metric"},
                          &html, &why),
              ERR_USAGE);
    assert_null(html);
    lab_fini(&lab);
}

static void page_text_escapes_what_is_markup_or_no_text(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    page_text(out, "a<b> & \"c\" 'd' ±\n\x01\xff\xc0\x80\xed\xa0\x80\xe2\x80");
    assert_int_equal(fclose(out), 0);
    /* One replacement for each byte that is part of no character. */
    assert_string_equal(text, "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; ±\n"
                              "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"
                              "\ufffd");
    free(text);
}

static void a_page_lets_nothing_else_in(void **state)
{
    (void)state;
    char policy[PAGE_POLICY_BYTES];
    assert_true(!strncmp(page_policy(false, policy),
                         "default-src 'none'; style-src 'sha256-", 38));
    assert_null(strstr(policy, "unsafe"));
    assert_true(strlen(policy) < PAGE_POLICY_BYTES - 1);
}

static void heat_follows_the_logarithm(void **state)
{
    (void)state;
    assert_int_equal(page_heat_step(1, 1, 128), 1);
    assert_int_equal(page_heat_step(2.1, 1, 128), 2); /* 128 = 2^7 */
    assert_int_equal(page_heat_step(128, 1, 128), 7);
    assert_int_equal(page_heat_step(0, 0, 5), 0);
    /* ln 1.01 / ln 1.1 = 0.104 of seven steps */
    assert_int_equal(page_heat_step(1.01, 1, 1.01), 1);
    assert_int_equal(page_heat_step(5, 5, 5), 1);
}

/* 1000 values: 99 % has ten beyond it, 99.5 % has five. */
static void percentiles_end_where_ten_samples_are_beyond(void **state)
{
    (void)state;
    struct hist *h = calloc(1, sizeof *h);
    struct jv *points = jv_new(JV_ARRAY);
    assert_non_null(h);
    for (uint64_t i = 1; i <= 1000; i++)
        hist_record(h, 1000 * i);
    page_hist_percentiles(h, points);
    const struct jv *last = jv_at(points, jv_size(points) - 1);
    check_near(jv_number(jv_at(last, 0), 0), 99, 0);
    check_near(jv_number(jv_at(last, 1), 0), 0.99, 0.001);
    jv_free(points);
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_each_cells_curves),
        cmocka_unit_test(a_page_has_what_went_on_each_second),
        cmocka_unit_test(names_of_others_stay_text),
        cmocka_unit_test(a_page_says_its_answer_in_words),
        cmocka_unit_test(a_page_has_the_effects_of_whole_blocks),
        cmocka_unit_test(a_page_of_an_untried_plan_is_a_page),
        cmocka_unit_test(page_text_escapes_what_is_markup_or_no_text),
        cmocka_unit_test(a_page_lets_nothing_else_in),
        cmocka_unit_test(heat_follows_the_logarithm),
        cmocka_unit_test(percentiles_end_where_ten_samples_are_beyond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
