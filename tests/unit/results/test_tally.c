#include <math.h>
#include <stdio.h>

#include "results/metric.h"
#include "tests/unit/results/lab.h"

static struct why why;

static struct tally *fresh(void)
{
    struct tally *t = NULL;
    check_ok(tally_new(&t, &why), why);
    return t;
}

static void load(struct tally *t, const char *task, int64_t second,
                 uint64_t docs, bool second_pass)
{
    struct record r = {.kind = RECORD_IS_sample_load,
                       .as.sample_load = {.second = second, .docs = docs}};
    (void)snprintf(r.as.sample_load.task, sizeof r.as.sample_load.task, "%s",
                   task);
    check_ok(second_pass ? tally_sample(t, &r, &why) : tally_total(t, &r, &why),
             why);
}

static void task_at(struct tally *t, const char *name, uint64_t begin_ns,
                    uint64_t window_ns, uint64_t docs)
{
    struct record r = {.kind = RECORD_IS_task,
                       .as.task = {.unit = "docs",
                                   .begin_ns = begin_ns,
                                   .window_ns = window_ns,
                                   .docs = docs}};
    (void)snprintf(r.as.task.task, sizeof r.as.task.task, "%s", name);
    check_ok(tally_total(t, &r, &why), why);
}

static void task(struct tally *t, const char *name, uint64_t window_ns,
                 uint64_t docs)
{
    task_at(t, name, 0, window_ns, docs);
}

/* The trial's figure, NAN where there is none. */
static double figure(const struct tally *t, const char *name)
{
    const struct metric *m = metric_find(name);
    assert_non_null(m);
    return m->derive(t, &t->all, m->arg);
}

static void tasks_side_by_side_share_one_window(void **state)
{
    (void)state;
    struct tally *t = fresh();
    task(t, "a", 2000000000, 1000);
    task(t, "b", 2000000000, 500);
    load(t, "a", 0, 0, false);
    load(t, "b", 1, 0, false); /* slow to answer at first */
    tally_window(t);
    check_ok(tally_end(t, &why), why);
    assert_int_equal(t->window_ns, 2000000000);
    assert_int_equal(t->whole_s, 2);
    check_near(figure(t, "throughput"), 750, 0); /* 1500 / 2 s */
    tally_free(t);
}

static void hidden_tasks_are_in_no_figure_of_the_trial(void **state)
{
    (void)state;
    struct tally *t = fresh();
    struct record r = {.kind = RECORD_IS_task,
                       .as.task = {.task = "b",
                                   .unit = "docs",
                                   .window_ns = 9000000000,
                                   .docs = 77,
                                   .errors = 3,
                                   .hidden = 1}};
    task(t, "a", 2000000000, 1000);
    check_ok(tally_total(t, &r, &why), why);
    load(t, "a", 0, 0, false);
    tally_window(t);
    check_ok(tally_end(t, &why), why);
    assert_int_equal(t->window_ns, 2000000000);
    assert_int_equal(t->all.errors, 0);
    check_near(figure(t, "throughput"), 500, 0); /* 1000 / 2 s */
    tally_free(t);
}

static void windows_of_tasks_in_turn_add_up(void **state)
{
    (void)state;
    struct tally *t = fresh();
    task_at(t, "b", 2000000000, 1000000000, 500);
    task(t, "a", 2000000000, 1000);
    tally_window(t);
    check_ok(tally_end(t, &why), why);
    assert_int_equal(t->window_ns, 3000000000);
    assert_int_equal(t->whole_s, 3);
    check_near(figure(t, "throughput"), 500, 0); /* 1500 / 3 s, never 750 */
    tally_free(t);
}

/* Half a second has one sample, which is of half a second. */
static void rates_of_a_short_window_are_per_second(void **state)
{
    (void)state;
    struct tally *t = fresh();
    task(t, "a", 500000000, 10);
    tally_window(t);
    struct record r = {.kind = RECORD_IS_sample_link,
                       .as.sample_link = {.side = "target",
                                          .iface = "veth0",
                                          .rx_bytes = 1000}};
    check_ok(tally_sample(t, &r, &why), why);
    check_near(figure(t, "link_rx_bit_s"), 16000, 1e-9); /* 8000 / 0.5 s */
    tally_free(t);
}

static void a_series_has_the_windows_whole_seconds_only(void **state)
{
    (void)state;
    struct tally *t = fresh();
    task(t, "a", 3500000000, 600);
    for (int64_t second = -1; second <= 4; second++)
        if (second != 1) /* nothing was answered in that one */
            load(t, "a", second, 100, false);
    tally_window(t);
    for (int64_t second = -1; second <= 4; second++)
        if (second != 1)
            load(t, "a", second, 100 + (uint64_t)(second + 1), true);
    check_ok(tally_end(t, &why), why);
    /* Seconds 0, 1, 2: 101, 0, 103. */
    check_near(figure(t, "throughput_min"), 0, 0);
    check_near(figure(t, "throughput_median"), 101, 0);
    check_near(figure(t, "throughput_max"), 103, 0);
    /* One second of warm-up had 100: 201 / 2, 201 / 3, 304 / 4. */
    check_near(figure(t, "throughput_running_min"), 67, 1e-9);
    check_near(figure(t, "throughput_running_median"), 76, 1e-9);
    check_near(figure(t, "throughput_running_max"), 100.5, 1e-9);
    tally_free(t);
}

static void series_of_tasks_side_by_side_are_added(void **state)
{
    (void)state;
    struct tally *t = fresh();
    task(t, "a", 2000000000, 10);
    task(t, "b", 2000000000, 10);
    load(t, "a", 0, 0, false);
    load(t, "b", 0, 0, false);
    tally_window(t);
    load(t, "a", 0, 5, true);
    load(t, "b", 0, 7, true);
    load(t, "b", 1, 1, true);
    check_ok(tally_end(t, &why), why);
    check_near(figure(t, "throughput_max"), 12, 0); /* 5 + 7 */
    check_near(figure(t, "throughput_min"), 1, 0);
    tally_free(t);
}

static void series_of_tasks_in_turn_give_none(void **state)
{
    (void)state;
    struct tally *t = fresh();
    task(t, "a", 2000000000, 10);
    task_at(t, "b", 2000000000, 2000000000, 10);
    load(t, "a", 0, 0, false);
    load(t, "b", 2, 0, false);
    tally_window(t);
    load(t, "a", 0, 5, true);
    load(t, "b", 2, 7, true);
    check_ok(tally_end(t, &why), why);
    assert_true(figure(t, "throughput_max") != figure(t, "throughput_max"));
    const struct metric *m = metric_find("throughput_max");
    check_near(m->derive(t, &t->tasks[1], m->arg), 7, 0);
    tally_free(t);
}

/* Its window, from 1.5 s to 4.25 s, has the seconds 2 and 3 whole. */
static void a_window_in_between_has_the_trials_whole_seconds(void **state)
{
    (void)state;
    struct tally *t = fresh();
    task_at(t, "a", 1500000000, 2750000000, 10);
    tally_window(t);
    for (int64_t second = 0; second < 6; second++)
        load(t, "a", second, 10 + (uint64_t)second, true);
    check_ok(tally_end(t, &why), why);
    check_near(figure(t, "throughput_min"), 12, 0);
    check_near(figure(t, "throughput_max"), 13, 0);
    tally_free(t);
}

/* The trial's own figures are those of the first measured step. */
static void later_steps_have_figures_of_their_own_only(void **state)
{
    (void)state;
    struct tally *t = fresh();
    struct record later = {.kind = RECORD_IS_task,
                           .as.task = {.task = "find",
                                       .unit = "ops",
                                       .step = 1,
                                       .begin_ns = 5000000000,
                                       .window_ns = 60000000000,
                                       .ops = 600}};
    task(t, "fill", 2000000000, 1000);
    check_ok(tally_total(t, &later, &why), why);
    tally_window(t);
    check_ok(tally_end(t, &why), why);
    assert_int_equal(t->window_ns, 2000000000);
    assert_int_equal(t->whole_s, 2);
    check_near(figure(t, "throughput"), 500, 0); /* 1000 / 2 s */
    check_near(figure(t, "ops_s"), 0, 0);
    const struct metric *m = metric_find("ops_s");
    check_near(m->derive(t, &t->tasks[1], m->arg), 10, 0); /* 600 / 60 s */
    tally_free(t);
}

static void a_closed_task_leaves_the_whole_without_an_offer(void **state)
{
    (void)state;
    struct tally *t = fresh();
    struct record r = {.kind = RECORD_IS_task,
                       .as.task = {.task = "open",
                                   .window_ns = 1000000000,
                                   .ops = 9,
                                   .offered_s = 10}};
    check_ok(tally_total(t, &r, &why), why);
    tally_window(t);
    check_ok(tally_end(t, &why), why);
    check_near(figure(t, "offered_s"), 10, 0);
    check_near(figure(t, "achieved_s"), 9, 0);
    tally_free(t);
    t = fresh();
    check_ok(tally_total(t, &r, &why), why);
    task(t, "closed", 1000000000, 10);
    tally_window(t);
    check_ok(tally_end(t, &why), why);
    assert_true(figure(t, "offered_s") != figure(t, "offered_s"));
    assert_true(figure(t, "achieved_s") != figure(t, "achieved_s"));
    tally_free(t);
}

static void nothing_measured_gives_no_figure(void **state)
{
    (void)state;
    struct tally *t = fresh();
    tally_window(t);
    check_ok(tally_end(t, &why), why);
    const struct metric *m;
    for (size_t i = 0; (m = metric_at(i)); i++) {
        double v = m->derive(t, &t->all, m->arg);
        if (v - v == 0)
            fail_msg("%s is %g", m->name, v);
    }
    tally_free(t);
}

static void the_first_of_two_equal_records_counts(void **state)
{
    (void)state;
    struct tally *t = fresh();
    struct record driver = {.kind = RECORD_IS_driver,
                            .as.driver = {.docs_acked = 7}};
    task(t, "a", 1000000000, 10);
    task(t, "a", 1000000000, 99);
    check_ok(tally_total(t, &driver, &why), why);
    driver.as.driver.docs_acked = 8;
    check_ok(tally_total(t, &driver, &why), why);
    /* A histogram of one value, 5: total, sum, min, max, over, 5 empty buckets
     * (5 << 1 | 1), one of 1 (1 << 1). */
    static const uint8_t five[] = {1, 1, 5, 5, 5, 0, 11, 2};
    struct record hist = {.kind = RECORD_IS_hist,
                          .as.hist = {.task = "a",
                                      .kind = "latency",
                                      .second = RECORD_WHOLE_WINDOW,
                                      .blob = {five, sizeof five}}};
    check_ok(tally_total(t, &hist, &why), why);
    check_ok(tally_total(t, &hist, &why), why);
    tally_window(t);
    check_ok(tally_end(t, &why), why);
    assert_int_equal(t->all.latency->total, 1);
    check_near(figure(t, "throughput"), 10, 0);
    check_near(figure(t, "docs_acked"), 7, 0);
    tally_free(t);
}

static void senseless_statements_are_refused(void **state)
{
    (void)state;
    struct tally *t = fresh();
    struct record r = {.kind = RECORD_IS_task,
                       .as.task = {.task = "a", .window_ns = UINT64_MAX}};
    check_err(tally_total(t, &r, &why), ERR_RANGE);
    check_says(why, "task \"a\": its window is 18446744073709551615 ns");
    r = (struct record){.kind = RECORD_IS_hist,
                        .as.hist = {.task = "a",
                                    .kind = "latency",
                                    .second = RECORD_WHOLE_WINDOW,
                                    .blob = {(const uint8_t *)"\1\5", 2}}};
    check_err(tally_total(t, &r, &why), ERR_CORRUPT);
    for (unsigned i = 0; i < TALLY_TASKS_MAX; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "t%u", i);
        task(t, name, 1, 1);
    }
    r = (struct record){.kind = RECORD_IS_task, .as.task = {.task = "last"}};
    check_err(tally_total(t, &r, &why), ERR_RANGE);
    check_says(why, "task \"last\": more than 64 tasks");
    tally_window(t);
    for (unsigned i = 0; i <= TALLY_LINKS_MAX; i++) {
        r = (struct record){.kind = RECORD_IS_sample_link,
                            .as.sample_link = {.side = "target"}};
        (void)snprintf(r.as.sample_link.iface, sizeof r.as.sample_link.iface,
                       "eth%u", i);
        check_err(tally_sample(t, &r, &why),
                  i < TALLY_LINKS_MAX ? ERR_OK : ERR_RANGE);
    }
    tally_free(t);
}

static void the_carrier_is_the_busiest_but_for_a_lone_loopback(void **state)
{
    (void)state;
    static const struct {
        const char *iface;
        uint64_t rx;
    } links[] = {{"lo", 900}, {"eth0", 100}, {"eth1", 200}};
    struct tally *t = fresh();
    tally_window(t);
    double want[] = {7200, 800, 1600}; /* 8 * what the best one got */
    for (size_t i = 0; i < 3; i++) {
        struct record r = {
            .kind = RECORD_IS_sample_link,
            .as.sample_link = {.side = "target", .rx_bytes = links[i].rx}};
        (void)snprintf(r.as.sample_link.iface, sizeof r.as.sample_link.iface,
                       "%s", links[i].iface);
        check_ok(tally_sample(t, &r, &why), why);
        check_near(figure(t, "link_rx_bit_s"), want[i], 0);
    }
    tally_free(t);
}

static void a_silent_target_is_known_by_its_polls(void **state)
{
    (void)state;
    struct tally *t = fresh();
    tally_window(t);
    struct record r = {.kind = RECORD_IS_sample_target,
                       .as.sample_target = {.second = 0,
                                            .reads = 4,
                                            .read_bytes = 1000,
                                            .buffer_bytes = 4000,
                                            .outside_bytes = 500}};
    check_ok(tally_sample(t, &r, &why), why);
    r.as.sample_target.second = 1; /* after the window of one second */
    check_ok(tally_sample(t, &r, &why), why);
    check_near(figure(t, "bytes_per_read"), 250, 0);
    check_near(figure(t, "waste"), 4, 0);
    check_near(figure(t, "outside_bytes_per_byte"), 0.5, 0);
    /* Its own word is better. */
    t->final.known = true;
    t->final.window_reads = 10;
    t->final.window_read_bytes = 5000;
    check_near(figure(t, "bytes_per_read"), 500, 0);
    tally_free(t);
}

static void stack(struct tally *t, const char *side, const char *text,
                  uint64_t samples)
{
    struct record r = {.kind = RECORD_IS_stack, .as.stack.samples = samples};
    (void)snprintf(r.as.stack.side, sizeof r.as.stack.side, "%s", side);
    (void)snprintf(r.as.stack.stack, sizeof r.as.stack.stack, "%s", text);
    check_ok(tally_sample(t, &r, &why), why);
}

/* 10 + 5 + 3 of 10 + 5 + 3 + 40 + 2 = 60 are in frames of these names. */
static void heads_are_parsed_in_whole_frames_of_the_target(void **state)
{
    (void)state;
    struct tally *t = fresh();
    assert_true(isnan(figure(t, "header_parse_share")));
    stack(t, "target", "pitwall-target;run;decode_line;header_append", 10);
    stack(t, "target", "pitwall-target;run;decode_line", 5);
    stack(t, "target", "pitwall-target;[unknown];http_parser_execute", 3);
    stack(t, "target", "pitwall-target;run;epoll_wait;do_epoll_wait_[k]", 40);
    stack(t, "target", "pitwall-target;decode_line_of_another", 2);
    stack(t, "target", "java;decode_line", 100);
    stack(t, "load", "pitwall-load;http_parser_execute", 100);
    check_near(figure(t, "header_parse_share"), 0.3, 1e-12);
    tally_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_side_by_side_share_one_window),
        cmocka_unit_test(hidden_tasks_are_in_no_figure_of_the_trial),
        cmocka_unit_test(windows_of_tasks_in_turn_add_up),
        cmocka_unit_test(rates_of_a_short_window_are_per_second),
        cmocka_unit_test(a_series_has_the_windows_whole_seconds_only),
        cmocka_unit_test(series_of_tasks_side_by_side_are_added),
        cmocka_unit_test(series_of_tasks_in_turn_give_none),
        cmocka_unit_test(a_window_in_between_has_the_trials_whole_seconds),
        cmocka_unit_test(later_steps_have_figures_of_their_own_only),
        cmocka_unit_test(a_closed_task_leaves_the_whole_without_an_offer),
        cmocka_unit_test(nothing_measured_gives_no_figure),
        cmocka_unit_test(the_first_of_two_equal_records_counts),
        cmocka_unit_test(senseless_statements_are_refused),
        cmocka_unit_test(the_carrier_is_the_busiest_but_for_a_lone_loopback),
        cmocka_unit_test(a_silent_target_is_known_by_its_polls),
        cmocka_unit_test(heads_are_parsed_in_whole_frames_of_the_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
