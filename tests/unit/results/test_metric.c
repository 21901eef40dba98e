#include "results/metric.h"
#include "tests/lib/check.h"

static void every_metric_is_defined_once(void **state)
{
    (void)state;
    const struct metric *m;
    size_t n = 0;
    for (; (m = metric_at(n)); n++) {
        assert_ptr_equal(metric_find(m->name), m);
        assert_true(strlen(m->definition) > 5);
        assert_true(strlen(m->source) > 3);
        assert_non_null(m->derive);
    }
    assert_true(n > 60);
    assert_null(metric_at(n + 1));
    assert_null(metric_find("speed"));
}

static void times_and_rates_are_shown_in_units_for_people(void **state)
{
    (void)state;
    double factor = 0;
    assert_string_equal(metric_unit(metric_find("latency_p99.9"), &factor),
                        "ms");
    check_near(factor, 1e-6, 0);
    assert_string_equal(metric_unit(metric_find("link_rx_bit_s"), &factor),
                        "Mbit/s");
    assert_string_equal(metric_unit(metric_find("error_rate"), &factor), "%");
    check_near(factor, 100, 0);
    assert_string_equal(metric_unit(metric_find("throughput"), &factor),
                        "docs/s");
    check_near(factor, 1, 0);
}

static void metric_show_keeps_four_digits(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } shown[] = {{0, "0"},
                 {1000, "1000"},
                 {123456.7, "123457"},
                 {12.3456, "12.35"},
                 {1.5, "1.500"},
                 {0.0123456, "0.01235"},
                 {0.000000123, "0.000000"},
                 {-2.5, "-2.500"},
                 {999.96, "1000.0"},
                 {65536, "65536"}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        char buf[32];
        assert_string_equal(metric_show(shown[i].value, buf, sizeof buf),
                            shown[i].text);
    }
}

static void words_of_direction_and_kind(void **state)
{
    (void)state;
    const struct metric *m = metric_find("throughput");
    assert_string_equal(metric_direction_name(m->direction), "higher");
    assert_string_equal(metric_kind_name(m->kind), "ratio");
    m = metric_find("old_count");
    assert_string_equal(metric_direction_name(m->direction), "lower");
    assert_string_equal(metric_kind_name(m->kind), "abs");
    m = metric_find("docs_acked");
    assert_string_equal(metric_direction_name(m->direction), "neither");
    assert_string_equal(metric_kind_name(m->kind), "exact");
}

/* What people look up must say all by itself. */
static void every_metric_says_what_it_is(void **state)
{
    (void)state;
    static const char *const vague[] = {"likewise", "of them", "their bytes",
                                        "of those "};
    const struct metric *m;
    for (size_t i = 0; (m = metric_at(i)); i++) {
        if (!m->name[0] || !m->unit[0] || !m->source[0] || !m->definition[0])
            fail_msg("metric %s lacks a word", m->name);
        if (metric_find(m->name) != m)
            fail_msg("two metrics %s", m->name);
        for (size_t v = 0; v < sizeof vague / sizeof *vague; v++)
            if (strstr(m->definition, vague[v]))
                fail_msg("%s: \"%s\"", m->name, m->definition);
    }
}

static double told(const struct tally *t, const char *name)
{
    const struct metric *m = metric_find(name);
    assert_non_null(m);
    return m->derive(t, NULL, m->arg);
}

/* 2 MB of bodies; 6 ms of indexing, 4 ms of merging: 3 and 2 ms per MB. */
static void figures_of_the_index_are_its_last_word(void **state)
{
    (void)state;
    static struct tally t;
    struct why why = {0};
    static const char json[] =
        "{\"total\":{\"body_bytes\":2000000},\"index\":{\"docs\":7,"
        "\"segments\":3,\"indexing_ns\":6000000,\"indexing_median_ns\":"
        "1000,\"merge_ns\":4000000,\"merge_count\":2,\"store_bytes\":9}}";
    final_init(&t.final);
    check_ok(final_read(&t.final, (const uint8_t *)json, sizeof json - 1, &why),
             why);
    check_near(told(&t, "index_docs"), 7, 0);
    check_near(told(&t, "segment_count"), 3, 0);
    check_near(told(&t, "store_bytes"), 9, 0);
    check_near(told(&t, "indexing_time_median_ns"), 1000, 0);
    check_near(told(&t, "merge_count"), 2, 0);
    check_near(told(&t, "indexing_time_per_mb"), 3e6, 0);
    check_near(told(&t, "merge_time_per_mb"), 2e6, 0);
    /* What the target does not tell is not known. */
    assert_true(told(&t, "flush_time_ns") != told(&t, "flush_time_ns"));
    final_fini(&t.final);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_metric_is_defined_once),
        cmocka_unit_test(figures_of_the_index_are_its_last_word),
        cmocka_unit_test(times_and_rates_are_shown_in_units_for_people),
        cmocka_unit_test(metric_show_keeps_four_digits),
        cmocka_unit_test(words_of_direction_and_kind),
        cmocka_unit_test(every_metric_says_what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
