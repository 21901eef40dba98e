/* The kernel's records as a ring holds them, made by hand. */
#include <linux/perf_event.h>

#include "agent/perf_event.h"
#include "agent/watch/reads.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/prefixes.h"

/* A tracepoint's record: 8 bytes of header, the time, the raw size, 24 raw
 * bytes and padding to a multiple of 8. */
struct __attribute__((packed)) tracepoint {
    struct perf_event_header head;
    uint64_t time;
    uint32_t size;
    uint16_t id;
    uint8_t common[6];
    uint64_t call;
    int64_t value;
    uint32_t padding;
};

struct lost {
    struct perf_event_header head;
    uint64_t id, lost;
};

static struct hist hist;
static struct reads reads;
static struct reads_thread thread;

/* Descriptors below 10 are sockets. */
static bool is_socket(void *ctx, int fd)
{
    (void)ctx;
    return fd < 10;
}

static int begin(void **state)
{
    (void)state;
    hist_reset(&hist);
    reads = (struct reads){.hist = &hist};
    for (uint64_t i = 0; i < READS_EVENTS_N; i++)
        reads.ids[i] = 700 + i;
    thread = (struct reads_thread){
        .reads = &reads, .is_socket = is_socket, .fd = -1};
    return 0;
}

static struct tracepoint record(enum reads_event event, int64_t value)
{
    return (struct tracepoint){
        .head = {.type = PERF_RECORD_SAMPLE, .size = sizeof(struct tracepoint)},
        .time = 1000,
        .size = 28,
        .id = (uint16_t)(700 + event),
        .value = value};
}

static void take(void *ctx, const uint8_t *data, size_t len)
{
    reads_add(ctx, data, len);
}

static uint64_t parse(const void *data, size_t len)
{
    const struct perf_visitor to = {take, &thread, 1000, 2000};
    uint64_t lost = 0;
    perf_parse(data, len, false, &to, &lost);
    return lost;
}

static void reads_of_sockets_are_counted_by_their_bytes(void **state)
{
    (void)state;
    const struct tracepoint r[] = {
        record(READS_EXIT_RECVFROM, 65536), record(READS_EXIT_RECVMSG, 100),
        record(READS_ENTER_READ, 7),        record(READS_EXIT_READ, 50),
        record(READS_ENTER_READV, 9),       record(READS_EXIT_READV, 14)};
    assert_int_equal(parse(r, sizeof r), 0);
    assert_int_equal(hist.total, 4);
    assert_int_equal(hist.sum, 65700); /* 65536 + 100 + 50 + 14 */
    assert_int_equal(hist.min, 14);
    assert_int_equal(reads.strange, 0);
}

/* The window is [1000, 2000). */
static void samples_outside_the_window_are_passed_over(void **state)
{
    (void)state;
    struct tracepoint r[4];
    static const uint64_t times[] = {999, 1000, 1999, 2000};
    for (size_t i = 0; i < 4; i++) {
        r[i] = record(READS_EXIT_RECVFROM, 10);
        r[i].time = times[i];
    }
    assert_int_equal(parse(r, sizeof r), 0);
    assert_int_equal(hist.total, 2);
}

static void reads_of_files_ends_and_failures_are_not(void **state)
{
    (void)state;
    const struct tracepoint r[] = {
        record(READS_ENTER_READ, 12),
        record(READS_EXIT_READ, 50), /* a file */
        record(READS_EXIT_READ, 50), /* its entry was not seen */
        record(READS_ENTER_READ, -1),
        record(READS_EXIT_READ, 50),
        record(READS_EXIT_RECVFROM, 0),   /* the peer's end */
        record(READS_EXIT_RECVFROM, -11), /* EAGAIN */
    };
    (void)parse(r, sizeof r);
    assert_int_equal(hist.total, 0);
}

static void reads_count_what_is_of_another_shape(void **state)
{
    (void)state;
    const uint8_t raw[24] = {1};
    reads_add(&thread, raw, sizeof raw); /* no tracepoint of ours */
    reads_add(&thread, raw, 23);
    assert_int_equal(reads.strange, 2);
    assert_int_equal(hist.total, 0);
}

static void perf_parse_adds_up_what_was_lost(void **state)
{
    (void)state;
    const struct lost l = {.head = {.type = PERF_RECORD_LOST, .size = sizeof l},
                           .lost = 5};
    assert_int_equal(parse(&l, sizeof l), 5);
}

static void perf_parse_ends_at_a_size_that_lies(void **state)
{
    (void)state;
    struct tracepoint r[] = {record(READS_EXIT_RECVFROM, 1),
                             record(READS_EXIT_RECVFROM, 1)};
    r[0].head.size = 4;
    (void)parse(r, sizeof r);
    assert_int_equal(hist.total, 0);
    r[0].head.size = sizeof *r;
    r[0].size = 4000; /* of its raw bytes: passed over */
    r[1].head.size = 1000;
    (void)parse(r, sizeof r);
    assert_int_equal(hist.total, 0);
}

static void parse_prefix(const char *data, size_t len)
{
    (void)parse(data, len);
}

static void perf_parse_stays_inside_the_ring(void **state)
{
    (void)state;
    const struct tracepoint r[] = {record(READS_EXIT_RECVFROM, 1),
                                   record(READS_ENTER_READ, 3),
                                   record(READS_EXIT_READ, 4)};
    prefixes((const char *)r, sizeof r, parse_prefix);
}

static void reads_filter_keeps_failures_out_of_the_ring(void **state)
{
    (void)state;
    assert_string_equal(reads_filter(READS_EXIT_READ), "ret > 0");
    assert_null(reads_filter(READS_ENTER_READ));
    assert_string_equal(reads_events[READS_ENTER_READV],
                        "syscalls/sys_enter_readv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(reads_of_sockets_are_counted_by_their_bytes,
                               begin),
        cmocka_unit_test_setup(reads_of_files_ends_and_failures_are_not, begin),
        cmocka_unit_test_setup(reads_count_what_is_of_another_shape, begin),
        cmocka_unit_test_setup(samples_outside_the_window_are_passed_over,
                               begin),
        cmocka_unit_test_setup(perf_parse_adds_up_what_was_lost, begin),
        cmocka_unit_test_setup(perf_parse_ends_at_a_size_that_lies, begin),
        cmocka_unit_test_setup(perf_parse_stays_inside_the_ring, begin),
        cmocka_unit_test(reads_filter_keeps_failures_out_of_the_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
