/* A recording of JDK 17, cut down to what is read of it (the JDK's own `jfr
 * summary` reads it, too), and damaged copies. What it adds up to is what the
 * JDK's own reader found: one thread of an event loop, another. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/watch/jfr_pool.h"
#include "agent/watch/jvm_sum.h"
#include "tests/lib/check.h"

#define BYTES 7307u
/* "it started", wall clock: 2026-12-01 18:01:47 UTC */
#define WALL 1796148107000000000ll

static uint8_t recording[BYTES + 1];
static struct jvm_sum sum;
static struct jfr_sum read_sum;
static struct why why;

static enum err take(void *ctx, const struct jfr_event *event, struct why *w)
{
    return jvm_sum_event(ctx, event, w);
}

static enum err reads(const uint8_t *data, size_t len, uint64_t due_ns)
{
    const struct measure_window window = {0, 0, UINT64_MAX / 2};
    const struct jfr_plan plan = {
        .wall_ahead_ns = WALL, .due_ns = due_ns, .take = take, .ctx = &sum};
    int fd = memfd_create("recording", MFD_CLOEXEC);
    assert_int_equal(write(fd, data, len), len);
    jvm_sum_fini(&sum);
    jvm_sum_init(&sum, &window);
    read_sum = (struct jfr_sum){0};
    why = (struct why){0};
    enum err e = jfr_read(fd, &plan, &read_sum, &why);
    (void)close(fd);
    return e;
}

static void jfr_adds_up_to_what_the_jdks_reader_found(void **state)
{
    const struct record_jvm *r = &sum.record;
    (void)state;
    check_ok(reads(recording, BYTES, UINT64_MAX), why);
    assert_int_equal(r->tlab_count, 29);
    assert_int_equal(r->tlab_bytes, 4038920);
    assert_int_equal(r->tlab_min_bytes, 12448);
    assert_int_equal(r->tlab_max_bytes, 688224);
    assert_int_equal(r->outside_count, 124);
    assert_int_equal(r->outside_bytes, 28432984);
    assert_int_equal(r->outside_min_bytes, 3016);
    assert_int_equal(r->outside_max_bytes, 600016);
    assert_int_equal(r->worker_outside_bytes, 17632696);
    assert_int_equal(r->jfr_young_count, 8);
    assert_int_equal(r->jfr_old_count, 1);
    assert_int_equal(r->jfr_pause_max_ns, 41185311);
    assert_int_equal(r->compiles, 89);
    assert_int_equal(read_sum.chunks, 1);
    assert_int_equal(read_sum.bytes, BYTES);
    /* It began within the second that WALL is of. */
    assert_in_range(read_sum.begin_ns, 0, 1000000000);
}

static void jfr_reads_chunk_after_chunk(void **state)
{
    uint8_t *two = malloc(2 * (size_t)BYTES);
    (void)state;
    memcpy(two, recording, BYTES);
    memcpy(two + BYTES, recording, BYTES);
    check_ok(reads(two, 2 * (size_t)BYTES, UINT64_MAX), why);
    assert_int_equal(sum.record.outside_count, 2 * 124);
    assert_int_equal(read_sum.chunks, 2);
    check_ok(reads(two, 0, UINT64_MAX), why);
    assert_int_equal(read_sum.chunks, 0);
    free(two);
}

static void jfr_refuses_every_piece_of_a_chunk(void **state)
{
    (void)state;
    for (size_t len = 1; len < BYTES; len += 97) {
        check_err(reads(recording, len, UINT64_MAX), ERR_CORRUPT);
        assert_int_equal(read_sum.chunks, 0);
    }
}

/* Where, of the header: its beginning, size, checkpoint, metadata, ticks. */
static void jfr_refuses_headers_that_contradict_the_file(void **state)
{
    static const size_t places[] = {0, 8, 16, 24};
    uint8_t bad[BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        memcpy(bad, recording, BYTES);
        bad[places[i]] ^= 0x7f;
        check_err(reads(bad, BYTES, UINT64_MAX), ERR_CORRUPT);
    }
    memcpy(bad, recording, BYTES);
    memset(bad + 56, 0, 8);
    check_err(reads(bad, BYTES, UINT64_MAX), ERR_CORRUPT);
    bad[5] = 1;
    check_err(reads(bad, BYTES, UINT64_MAX), ERR_VERSION);
    check_says(why, "a recording of JDK 8 or older");
}

static void jfr_ends_in_time(void **state)
{
    (void)state;
    check_err(reads(recording, BYTES, 1), ERR_TIMEOUT);
}

static void put_big_endian(uint8_t *at, uint64_t value)
{
    for (int i = 7; i >= 0; i--, value >>= 8)
        at[i] = (uint8_t)value;
}

/* The last checkpoint is 1445831006 ticks from the chunk's start, which ended
 * 2 s later by the system's clock. By 715757924 ticks to a second it would have
 * been 2.02 s: the ticks' ns last 0.990099 of one. By 2.8e9, 0.516 s: which no
 * clock can be wrong by. */
static void jfr_corrects_the_ticks_by_the_systems_clock(void **state)
{
    uint8_t copy[BYTES];
    (void)state;
    memcpy(copy, recording, BYTES);
    put_big_endian(copy + 40, 2000000000);
    check_ok(reads(copy, BYTES, UINT64_MAX), why);
    assert_true(read_sum.clock_ratio == 1);
    put_big_endian(copy + 56, 715757924);
    check_ok(reads(copy, BYTES, UINT64_MAX), why);
    assert_in_range((uint64_t)(read_sum.clock_ratio * 1e6), 990098, 990100);
    /* 41185311 ns * 2.8 = 115318870 ticks, of 2e9 / 1445831006 ns each */
    assert_in_range(sum.record.jfr_pause_max_ns, 159519000, 159521000);
}

/* Two chunks whose starts are 10 s and 10.1e9 ticks of 1e9 a second apart. */
static void jfr_takes_the_clock_from_chunks_that_follow_each_other(void **state)
{
    uint8_t *two = malloc(2 * (size_t)BYTES);
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        memcpy(two + i * BYTES, recording, BYTES);
        put_big_endian(two + i * BYTES + 32, WALL + 10000000000 * i);
        put_big_endian(two + i * BYTES + 48, 1000 + 10100000000 * i);
        put_big_endian(two + i * BYTES + 56, 1000000000);
    }
    check_ok(reads(two, 2 * (size_t)BYTES, UINT64_MAX), why);
    assert_in_range((uint64_t)(read_sum.clock_ratio * 1e6), 990098, 990100);
    free(two);
}

static void jfr_bytes_give_zeros_beyond_their_end(void **state)
{
    static const uint8_t data[] = {0x81, 0x01, 0xff, 3, 2, 'h',  'i', 4,
                                   2,    'h',  'o',  4, 1, 0x80, 0x01};
    struct jfr_bytes b = {data, data + sizeof data, false};
    size_t len;
    (void)state;
    assert_int_equal(jfr_bytes_number(&b), 129); /* 1 + 1 * 128 */
    assert_int_equal(jfr_bytes_u8(&b), 0xff);
    assert_memory_equal(jfr_bytes_text(&b, &len), "hi", 2);
    assert_memory_equal(jfr_bytes_text(&b, &len), "ho", 2);
    assert_int_equal(len, 2);
    assert_string_equal(jfr_bytes_text(&b, &len), ""); /* not ASCII */
    assert_false(b.bad);
    assert_int_equal(jfr_bytes_number(&b), 0);
    assert_true(b.bad);
    b = (struct jfr_bytes){data, data + 2, false};
    jfr_bytes_skip(&b, UINT64_MAX);
    assert_true(b.bad);
}

static void jfr_pools_know_threads_and_collectors_by_name(void **state)
{
    (void)state;
    assert_true(jfr_pool_worker_name("nioEventLoopGroup-2-1", 21));
    assert_true(jfr_pool_worker_name("[n1][http_server_worker][T#1]", 29));
    assert_false(jfr_pool_worker_name("bulk-1", 6));
    assert_true(jfr_pool_young_name("DefNew", 6));
    assert_false(jfr_pool_young_name("SerialOld", 9));
    assert_false(jfr_pool_young_name("G1", 2));
}

static int load(void **state)
{
    (void)state;
    FILE *in = fopen(getenv("PITWALL_RECORDING"), "rb");
    size_t n = in ? fread(recording, 1, sizeof recording, in) : 0;
    if (in)
        (void)fclose(in);
    return n != BYTES;
}

static int unload(void **state)
{
    (void)state;
    jvm_sum_fini(&sum);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jfr_adds_up_to_what_the_jdks_reader_found),
        cmocka_unit_test(jfr_reads_chunk_after_chunk),
        cmocka_unit_test(jfr_refuses_every_piece_of_a_chunk),
        cmocka_unit_test(jfr_refuses_headers_that_contradict_the_file),
        cmocka_unit_test(jfr_ends_in_time),
        cmocka_unit_test(jfr_corrects_the_ticks_by_the_systems_clock),
        cmocka_unit_test(
            jfr_takes_the_clock_from_chunks_that_follow_each_other),
        cmocka_unit_test(jfr_bytes_give_zeros_beyond_their_end),
        cmocka_unit_test(jfr_pools_know_threads_and_collectors_by_name),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
