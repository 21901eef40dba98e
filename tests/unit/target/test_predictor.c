/* Sequences worked out by hand from target-memory.md section a and its size
 * table: index 0..30 are 16, 32 ... 496, then 31 is 512, 32 is 1024, 36 is
 * 16384, 40 is 262144, 41 is 524288. */
#include "target/predictor.h"
#include "tests/lib/check.h"

static struct predictor_spec spec_of(const char *text,
                                     enum predictor_rules rules, uint32_t reads)
{
    struct predictor_spec s = {.rules = rules, .reads_per_wakeup = reads};
    struct why why = {0};
    check_ok(predictor_parse(text, &s, &why), why);
    return s;
}

/* One wake-up with one read of n bytes (no more than the buffer); returns the
 * buffer that it was read into. */
static uint32_t read_once(struct predictor *p, uint32_t n)
{
    predictor_begin(p);
    uint32_t guess = predictor_guess(p);
    predictor_told(p, n < guess ? n : guess);
    predictor_end(p);
    return guess;
}

static void predictor_parse_reads_the_three_forms(void **state)
{
    (void)state;
    struct predictor_spec s = spec_of("fixed:64k", PREDICTOR_4_1_48, 1);
    assert_false(s.adaptive);
    assert_int_equal(s.max, 65536);
    s = spec_of("adaptive:1k-512k", PREDICTOR_4_1_48, 1);
    assert_true(s.adaptive);
    assert_int_equal(s.min, 1024);
    assert_int_equal(s.initial, 1024); /* = min, as Elasticsearch sets it */
    assert_int_equal(s.max, 524288);
    s = spec_of("adaptive:64-2k-64k", PREDICTOR_4_1_48, 1);
    assert_int_equal(s.min, 64);
    assert_int_equal(s.initial, 2048);
    assert_int_equal(s.max, 65536);
}

static void predictor_parse_refuses_what_is_malformed_and_says_why(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "64k",
                                      "fixed",
                                      "fixed:",
                                      "fixed:0",
                                      "fixed:1k-2k",
                                      "fixed:2g",
                                      "fixed:64q",
                                      "adaptive:",
                                      "adaptive:1k",
                                      "adaptive:2k-1k",
                                      "adaptive:1k-",
                                      "adaptive:-1k",
                                      "adaptive:1k-2k-1k",
                                      "adaptive:1k-2k-3k-4k",
                                      "Fixed:64k",
                                      "fixed:64k ",
                                      "adaptive:00000000000000000000000001-2k"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct predictor_spec s = {0};
        struct why why = {0};
        check_err(predictor_parse(bad[i], &s, &why), ERR_USAGE);
        check_says(why, bad[i]);
        check_says(why, "fixed:64k or adaptive:1k-512k");
    }
}

static void predictor_show_prints_what_was_parsed(void **state)
{
    (void)state;
    static const char *const texts[] = {"fixed:64k", "adaptive:1k-512k",
                                        "adaptive:1k-2k-512k", "fixed:1000"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char buf[64];
        struct predictor_spec s = spec_of(texts[i], PREDICTOR_4_1_48, 1);
        assert_string_equal(predictor_show(&s, buf, sizeof buf), texts[i]);
    }
}

static void fixed_predictor_ignores_what_was_read(void **state)
{
    (void)state;
    struct predictor_spec s = spec_of("fixed:1000", PREDICTOR_4_1_48, 1);
    struct predictor p;
    predictor_init(&p, &s);
    assert_int_equal(read_once(&p, 1000), 1000);
    assert_int_equal(read_once(&p, 1), 1000);
    assert_int_equal(read_once(&p, 0), 1000);
}

/* Full reads: 1024 (32) -> 16384 (36) -> 262144 (40) -> 524288 (44, clamped to
 * 41). The measured JVM's run 113 shows the same: 8 buffers each of 1024, 16384
 * and 262144 on 8 connections, then only 524288. */
static void adaptive_predictor_grows_four_steps_per_full_read(void **state)
{
    (void)state;
    struct predictor_spec s = spec_of("adaptive:1k-512k", PREDICTOR_4_1_48, 1);
    struct predictor p;
    predictor_init(&p, &s);
    assert_int_equal(read_once(&p, UINT32_MAX), 1024);
    assert_int_equal(read_once(&p, UINT32_MAX), 16384);
    assert_int_equal(read_once(&p, UINT32_MAX), 262144);
    assert_int_equal(read_once(&p, UINT32_MAX), 524288);
    assert_int_equal(read_once(&p, UINT32_MAX), 524288);
}

/* 4.1.48 records a full read at once and again at the wake-up's end, where it
 * is small against the buffer it has just caused: 1024 <= T[35] = 8192 marks
 * the decrease, and one small read later 16384 shrinks to 8192. */
static void second_record_of_a_full_read_counts_as_a_small_one(void **state)
{
    (void)state;
    struct predictor_spec s = spec_of("adaptive:1k-512k", PREDICTOR_4_1_48, 1);
    struct predictor p;
    predictor_init(&p, &s);
    (void)read_once(&p, UINT32_MAX);
    assert_true(p.decrease_now);
    assert_int_equal(read_once(&p, 100), 16384);
    assert_int_equal(read_once(&p, 100), 8192); /* shrunk by the first */
    assert_int_equal(read_once(&p, 100), 8192); /* marked by the second */
    assert_int_equal(read_once(&p, 100), 4096);
}

/* 4.1.7 records once, at the end: the same full read leaves no mark, and its
 * comparison is one size lower: 16384 shrinks only below T[34] = 4096. */
static void older_rules_record_once_and_compare_one_size_lower(void **state)
{
    (void)state;
    struct predictor_spec s = spec_of("adaptive:1k-512k", PREDICTOR_4_1_7, 1);
    struct predictor p;
    predictor_init(&p, &s);
    assert_int_equal(read_once(&p, UINT32_MAX), 1024);
    assert_false(p.decrease_now);
    assert_int_equal(read_once(&p, 8192), 16384); /* fits: no mark */
    assert_false(p.decrease_now);
    assert_int_equal(read_once(&p, 4096), 16384); /* small: mark */
    assert_true(p.decrease_now);
    assert_int_equal(read_once(&p, 4096), 16384); /* small: shrink */
    assert_int_equal(p.next, 8192);
}

/* The newer rules at 16384: 8192 = T[35] is small, 8193 fits. */
static void newer_rules_compare_with_the_next_smaller_size(void **state)
{
    (void)state;
    struct predictor_spec s =
        spec_of("adaptive:1k-16k-512k", PREDICTOR_4_1_48, 1);
    struct predictor p;
    predictor_init(&p, &s);
    (void)read_once(&p, 8193);
    assert_false(p.decrease_now);
    (void)read_once(&p, 8192);
    assert_true(p.decrease_now);
}

static void small_reads_need_not_follow_one_another(void **state)
{
    (void)state;
    struct predictor_spec s =
        spec_of("adaptive:1k-16k-512k", PREDICTOR_4_1_48, 1);
    struct predictor p;
    predictor_init(&p, &s);
    (void)read_once(&p, 10);    /* mark */
    (void)read_once(&p, 10000); /* fits, the mark stays */
    (void)read_once(&p, 10);    /* shrink */
    assert_int_equal(p.next, 8192);
}

static void adaptive_predictor_never_goes_below_its_minimum(void **state)
{
    (void)state;
    struct predictor_spec s = spec_of("adaptive:16k-64k", PREDICTOR_4_1_48, 1);
    struct predictor p;
    predictor_init(&p, &s);
    for (int i = 0; i < 20; i++)
        assert_int_equal(read_once(&p, 1), 16384);
}

/* Sizes between those of the table: min 1000 -> 1024 (the smallest that holds
 * it), max 100000 -> 65536 (the largest that is not above). */
static void sizes_are_taken_from_the_table(void **state)
{
    (void)state;
    struct predictor_spec s =
        spec_of("adaptive:1000-100000", PREDICTOR_4_1_48, 1);
    struct predictor p;
    predictor_init(&p, &s);
    assert_int_equal(read_once(&p, UINT32_MAX), 1024);
    (void)read_once(&p, UINT32_MAX);
    assert_int_equal(read_once(&p, UINT32_MAX), 65536);
    /* In the linear part: 17 -> 32, four steps up is 96. */
    s = spec_of("adaptive:17-1k", PREDICTOR_4_1_48, 1);
    predictor_init(&p, &s);
    assert_int_equal(read_once(&p, UINT32_MAX), 32);
    assert_int_equal(read_once(&p, UINT32_MAX), 96);
}

/* A wake-up of three reads at 16 per wake-up: two fill their buffers (1024,
 * then 16384), the third brings 100 of 262144. The total 17508 at the end is
 * small against T[39] = 131072: marked, not grown. */
static void reads_of_one_wakeup_grow_at_once(void **state)
{
    (void)state;
    struct predictor_spec s = spec_of("adaptive:1k-512k", PREDICTOR_4_1_48, 16);
    struct predictor p;
    predictor_init(&p, &s);
    predictor_begin(&p);
    assert_int_equal(predictor_guess(&p), 1024);
    predictor_told(&p, 1024);
    assert_true(predictor_more(&p));
    assert_int_equal(predictor_guess(&p), 16384);
    predictor_told(&p, 16384);
    assert_true(predictor_more(&p));
    assert_int_equal(predictor_guess(&p), 262144);
    predictor_told(&p, 100);
    assert_false(predictor_more(&p));
    predictor_end(&p);
    assert_int_equal(p.next, 262144);
    assert_true(p.decrease_now);
}

static void predictor_more_ends_at_the_allowed_reads(void **state)
{
    (void)state;
    struct predictor_spec s = spec_of("fixed:10", PREDICTOR_4_1_48, 1);
    struct predictor p;
    predictor_init(&p, &s);
    predictor_begin(&p);
    (void)predictor_guess(&p);
    predictor_told(&p, 10);
    assert_false(predictor_more(&p)); /* one read per wake-up */
    s.reads_per_wakeup = 16;
    predictor_begin(&p);
    for (int i = 0; i < 16; i++) {
        (void)predictor_guess(&p);
        predictor_told(&p, 10);
        assert_int_equal(predictor_more(&p), i < 15);
    }
}

static void predictor_more_ends_at_a_read_that_found_nothing(void **state)
{
    (void)state;
    struct predictor_spec s = spec_of("fixed:10", PREDICTOR_4_1_48, 16);
    struct predictor p;
    predictor_init(&p, &s);
    predictor_begin(&p);
    (void)predictor_guess(&p);
    predictor_told(&p, 0);
    assert_false(predictor_more(&p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictor_parse_reads_the_three_forms),
        cmocka_unit_test(
            predictor_parse_refuses_what_is_malformed_and_says_why),
        cmocka_unit_test(predictor_show_prints_what_was_parsed),
        cmocka_unit_test(fixed_predictor_ignores_what_was_read),
        cmocka_unit_test(adaptive_predictor_grows_four_steps_per_full_read),
        cmocka_unit_test(second_record_of_a_full_read_counts_as_a_small_one),
        cmocka_unit_test(older_rules_record_once_and_compare_one_size_lower),
        cmocka_unit_test(newer_rules_compare_with_the_next_smaller_size),
        cmocka_unit_test(small_reads_need_not_follow_one_another),
        cmocka_unit_test(adaptive_predictor_never_goes_below_its_minimum),
        cmocka_unit_test(sizes_are_taken_from_the_table),
        cmocka_unit_test(reads_of_one_wakeup_grow_at_once),
        cmocka_unit_test(predictor_more_ends_at_the_allowed_reads),
        cmocka_unit_test(predictor_more_ends_at_a_read_that_found_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
