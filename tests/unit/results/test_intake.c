#include <stdlib.h>

#include "results/intake.h"
#include "tests/lib/guard.h"
#include "tests/unit/results/lab.h"

static struct why why;

static const struct record_fact fact = {
    .side = "load", .name = "a", .value = "1"};

static enum err open_spool(struct intake *in, const struct spooler *s)
{
    return intake_open(in, s->spool.data, s->spool.len, &why);
}

static void streams_are_put_together_in_order(void **state)
{
    (void)state;
    struct spooler s = {0};
    struct intake in;
    spooler_text(&s, SPOOL_STDERR_LOAD, "one ");
    spooler_text(&s, SPOOL_STDERR_TARGET, "other");
    spooler_text(&s, SPOOL_STDERR_LOAD, "two");
    check_ok(open_spool(&in, &s), why);
    assert_int_equal(in.streams[SPOOL_STDERR_LOAD].len, 7);
    assert_memory_equal(in.streams[SPOOL_STDERR_LOAD].data, "one two", 7);
    assert_int_equal(in.streams[SPOOL_STDERR_TARGET].len, 5);
    assert_int_equal(in.streams[SPOOL_GC_LOG].len, 0);
    intake_close(&in);
    spooler_free(&s);
}

static void an_empty_spool_has_empty_streams(void **state)
{
    (void)state;
    struct intake in;
    struct record r;
    check_ok(intake_open(&in, (const uint8_t *)"", 0, &why), why);
    struct intake_walk walk = {.intake = &in};
    assert_false(intake_next(&walk, &r));
    assert_int_equal(walk.damaged, 0);
    intake_close(&in);
}

static void records_may_be_cut_anywhere_between_frames(void **state)
{
    (void)state;
    struct spooler whole = {0}, cut = {0};
    struct intake in;
    struct record r;
    spooler_record(&whole, SPOOL_LOAD, RECORD_IS_fact, &fact);
    const uint8_t *bytes = whole.spool.data + SPOOL_HEADER_BYTES;
    size_t len = whole.spool.len - SPOOL_HEADER_BYTES;
    for (size_t i = 0; i < len; i++)
        spooler_bytes(&cut, SPOOL_WATCH_LOAD, bytes + i, 1);
    check_ok(open_spool(&in, &cut), why);
    struct intake_walk walk = {.intake = &in};
    assert_true(intake_next(&walk, &r));
    assert_int_equal(r.kind, RECORD_IS_fact);
    assert_string_equal(r.as.fact.value, "1");
    assert_false(intake_next(&walk, &r));
    intake_close(&in);
    spooler_free(&whole);
    spooler_free(&cut);
}

/* Only the cut at a frame's end is a spool; what is there is then read. */
static void every_prefix_within_a_frame_is_damaged(void **state)
{
    (void)state;
    struct spooler s = {0};
    size_t ends[3] = {0};
    spooler_text(&s, SPOOL_STDERR_LOAD, "hello");
    ends[1] = s.spool.len;
    spooler_record(&s, SPOOL_LOAD, RECORD_IS_fact, &fact);
    ends[2] = s.spool.len;
    for (size_t len = 0; len <= s.spool.len; len++) {
        struct intake in;
        char *copy = guard_copy(s.spool.data, len);
        enum err e = intake_open(&in, (const uint8_t *)copy, len, &why);
        bool at_end = len == ends[0] || len == ends[1] || len == ends[2];
        check_err(e, at_end ? ERR_OK : ERR_CORRUPT);
        intake_close(&in);
        guard_free(copy, len);
    }
    spooler_free(&s);
}

static void every_flipped_bit_is_seen(void **state)
{
    (void)state;
    struct spooler s = {0};
    spooler_record(&s, SPOOL_LOAD, RECORD_IS_fact, &fact);
    spooler_text(&s, SPOOL_STDERR_LOAD, "hello");
    for (size_t bit = 0; bit < 8 * s.spool.len; bit++) {
        struct intake in;
        s.spool.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        check_err(open_spool(&in, &s), ERR_CORRUPT);
        s.spool.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    spooler_free(&s);
}

static void unknown_kinds_are_passed_over_and_counted(void **state)
{
    (void)state;
    /* {"k": "future"} */
    static const uint8_t future[] = "\x0a\0\0\0\x81\xa1k\xa6"
                                    "future";
    struct spooler s = {0};
    struct intake in;
    struct record r;
    spooler_bytes(&s, SPOOL_LOAD, future, sizeof future - 1);
    spooler_record(&s, SPOOL_LOAD, RECORD_IS_fact, &fact);
    check_ok(open_spool(&in, &s), why);
    struct intake_walk walk = {.intake = &in};
    assert_true(intake_next(&walk, &r));
    assert_int_equal(r.kind, RECORD_IS_fact);
    assert_false(intake_next(&walk, &r));
    assert_int_equal(walk.unknown, 1);
    assert_int_equal(walk.damaged, 0);
    intake_close(&in);
    spooler_free(&s);
}

static bool takes_facts(enum record_kind kind)
{
    return kind == RECORD_IS_fact;
}

/* Both walks together: each record once, each complaint once. */
static void two_walks_share_the_records(void **state)
{
    (void)state;
    static const uint8_t future[] = "\x0a\0\0\0\x81\xa1k\xa6"
                                    "future";
    /* {"k": "task"} and {"k": "fact"} lack the rest; then a wrong length. */
    static const uint8_t bad[] = "\x08\0\0\0\x81\xa1k\xa4task"
                                 "\x08\0\0\0\x81\xa1k\xa4"
                                 "fact"
                                 "\xff\xff\xff\xff";
    const struct record_task task = {
        .task = "index", .operation = "bulk", .unit = "docs"};
    struct spooler s = {0};
    struct intake in;
    struct record r;
    spooler_bytes(&s, SPOOL_LOAD, future, sizeof future - 1);
    spooler_record(&s, SPOOL_LOAD, RECORD_IS_fact, &fact);
    spooler_record(&s, SPOOL_LOAD, RECORD_IS_task, &task);
    spooler_bytes(&s, SPOOL_LOAD, bad, sizeof bad - 1);
    check_ok(open_spool(&in, &s), why);
    struct intake_walk facts = {.intake = &in, .wants = takes_facts};
    struct intake_walk others = {
        .intake = &in, .wants = takes_facts, .others = true};
    assert_true(intake_next(&facts, &r));
    assert_int_equal(r.kind, RECORD_IS_fact);
    assert_false(intake_next(&facts, &r));
    assert_true(intake_next(&others, &r));
    assert_int_equal(r.kind, RECORD_IS_task);
    assert_false(intake_next(&others, &r));
    assert_int_equal(facts.unknown, 1);
    assert_int_equal(facts.damaged, 2); /* the fact, the length */
    assert_int_equal(others.unknown, 0);
    assert_int_equal(others.damaged, 1);
    intake_close(&in);
    spooler_free(&s);
}

static void a_damaged_map_is_passed_over_by_its_length(void **state)
{
    (void)state;
    static const uint8_t rubbish[] = "\x03\0\0\0\xc1\xc1\xc1";
    struct spooler s = {0};
    struct intake in;
    struct record r;
    spooler_bytes(&s, SPOOL_WATCH_TARGET, rubbish, sizeof rubbish - 1);
    spooler_record(&s, SPOOL_WATCH_TARGET, RECORD_IS_fact, &fact);
    check_ok(open_spool(&in, &s), why);
    struct intake_walk walk = {.intake = &in};
    assert_true(intake_next(&walk, &r));
    assert_false(intake_next(&walk, &r));
    assert_int_equal(walk.damaged, 1);
    check_says(walk.damage, "record");
    intake_close(&in);
    spooler_free(&s);
}

static void a_length_that_cannot_be_ends_its_stream_alone(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
    } ends[] = {{"\xff\xff\xff\xff rest", 9}, /* 4 GiB */
                {"\x01\0\x10\0 rest", 9},     /* above the bound */
                {"\x09\0\0\0 rest", 9},       /* more than there is */
                {"\x01\0\0", 3}};             /* no length at all */
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct spooler s = {0};
        struct intake in;
        struct record r;
        spooler_bytes(&s, SPOOL_LOAD, ends[i].bytes, ends[i].len);
        spooler_record(&s, SPOOL_WATCH_LOAD, RECORD_IS_fact, &fact);
        check_ok(open_spool(&in, &s), why);
        struct intake_walk walk = {.intake = &in};
        assert_true(intake_next(&walk, &r));
        assert_false(intake_next(&walk, &r));
        assert_int_equal(walk.damaged, 1);
        check_says(walk.damage, "stream load: cut short or a wrong length at "
                                "byte 0");
        intake_close(&in);
        spooler_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_are_put_together_in_order),
        cmocka_unit_test(an_empty_spool_has_empty_streams),
        cmocka_unit_test(records_may_be_cut_anywhere_between_frames),
        cmocka_unit_test(every_prefix_within_a_frame_is_damaged),
        cmocka_unit_test(every_flipped_bit_is_seen),
        cmocka_unit_test(unknown_kinds_are_passed_over_and_counted),
        cmocka_unit_test(two_walks_share_the_records),
        cmocka_unit_test(a_damaged_map_is_passed_over_by_its_length),
        cmocka_unit_test(a_length_that_cannot_be_ends_its_stream_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
