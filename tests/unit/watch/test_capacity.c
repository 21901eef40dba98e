#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/watch/capacity.h"
#include "common/clock.h"
#include "tests/lib/check.h"

#define PATIENCE_NS (60 * NS_PER_S) /* sanitizers on a busy machine */

/* What libiperf 3.12 says, its lists left empty. */
static const char report[] =
    "{\"start\": {\"version\": \"iperf 3.12\"}, \"intervals\": [],\n"
    " \"end\": {\"streams\": [], \"sum_sent\": {\"start\": 0,\n"
    "  \"end\": 1.000794, \"seconds\": 1.000794, \"bytes\": 1579417600,\n"
    "  \"bits_per_second\": 12625316298.858707, \"retransmits\": 5,\n"
    "  \"sender\": true}, \"sum_received\": {\"start\": 0,\n"
    "  \"end\": 1.002803, \"seconds\": 1.002803, \"bytes\": 1579417600,\n"
    "  \"bits_per_second\": 12600022935.7112, \"sender\": true}}}";

static void capacity_parse_takes_what_the_receiver_got(void **state)
{
    (void)state;
    double bit_s = 0;
    struct why why = {0};
    check_ok(capacity_parse(report, &bit_s, &why), why);
    /* 8 x 1579417600 / 1.002803 */
    check_near(bit_s, 12600022935.7112, 0.001);
}

static void capacity_parse_tells_the_reports_own_error(void **state)
{
    (void)state;
    double bit_s = 1;
    struct why why = {0};
    static const char text[] =
        "{\"start\": {}, \"end\": {}, \"error\": \"unable to connect to "
        "server: Connection refused\"}";
    check_err(capacity_parse(text, &bit_s, &why), ERR_IO);
    check_says(why, "unable to connect to server: Connection refused");
    check_near(bit_s, 0, 0);
}

static void capacity_parse_refuses_other_shapes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "[]",
        "{\"end\": {}}",
        "{\"end\": {\"sum_received\": {\"bits_per_second\": -1}}}",
        "{\"end\": {\"sum_received\": {\"bits_per_second\": 1e300}}}",
        "{\"end\": {\"sum_received\": {\"bits_per_second\": \"9\"}}}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double bit_s = 1;
        struct why why = {0};
        check_err(capacity_parse(texts[i], &bit_s, &why), ERR_INVALID);
        check_near(bit_s, 0, 0);
    }
}

static void capacity_congestion_takes_what_the_sender_had(void **state)
{
    (void)state;
    char name[16];
    capacity_congestion("{\"end\": {\"sender_tcp_congestion\":\t\"bbr\", "
                        "\"receiver_tcp_congestion\":\t\"cubic\"}}",
                        name, sizeof name);
    assert_string_equal(name, "bbr");
    static const char *const none[] = {
        "{}", "", "{\"sender_tcp_congestion\": 7}",
        "{\"sender_tcp_congestion\": \"sixteen-letters!\"}"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        capacity_congestion(none[i], name, sizeof name);
        assert_string_equal(name, "");
    }
}

static uint16_t free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    (void)close(fd);
    return ntohs(at.sin_port);
}

/* Until the asking end has done: bounded by its own deadline. */
static void await(struct capacity *c)
{
    uint64_t end_ns = clock_mono_ns() + PATIENCE_NS;
    while (capacity_busy(c, clock_mono_ns())) {
        assert_true(clock_mono_ns() < end_ns);
        clock_sleep_until(clock_mono_ns() + 20 * NS_PER_MS);
    }
}

static void capacity_is_measured_between_two_ends(void **state)
{
    (void)state;
    struct capacity_args args = {.serve = true,
                                 .address = "127.0.0.1",
                                 .port = free_port(),
                                 .proc_dir = "/nonexistent"};
    struct capacity target, load;
    capacity_start(&target, &args, clock_mono_ns());
    assert_false(target.known);
    args.serve = false;
    args.congestion = "reno"; /* always there, always allowed */
    capacity_start(&load, &args, clock_mono_ns());
    await(&load);
    assert_string_equal(load.result.error, "");
    assert_true(load.result.one_bit_s > 1e6);
    assert_true(load.result.several_bit_s > 1e6);
    assert_string_equal(load.result.congestion, "reno");
    capacity_stop(&target);
    assert_int_equal(target.pid, 0);
    assert_int_equal(load.pid, 0);
}

static void capacity_without_a_server_says_so(void **state)
{
    (void)state;
    const struct capacity_args args = {.address = "127.0.0.1",
                                       .port = free_port(),
                                       .proc_dir = "/nonexistent"};
    struct capacity load;
    capacity_start(&load, &args, clock_mono_ns());
    await(&load);
    assert_true(load.known);
    assert_non_null(strstr(load.result.error, "unable to connect"));
    assert_true(load.result.one_bit_s == 0);
}

static void capacity_ends_at_its_deadline(void **state)
{
    (void)state;
    const struct capacity_args args = {.address = "127.0.0.1",
                                       .port = free_port(),
                                       .proc_dir = "/nonexistent"};
    struct capacity load;
    capacity_start(&load, &args, clock_mono_ns());
    assert_false(capacity_busy(&load, UINT64_MAX));
    assert_non_null(strstr(load.result.error, "not measured"));
    assert_int_equal(load.pid, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacity_parse_takes_what_the_receiver_got),
        cmocka_unit_test(capacity_parse_tells_the_reports_own_error),
        cmocka_unit_test(capacity_congestion_takes_what_the_sender_had),
        cmocka_unit_test(capacity_parse_refuses_other_shapes),
        cmocka_unit_test(capacity_is_measured_between_two_ends),
        cmocka_unit_test(capacity_without_a_server_says_so),
        cmocka_unit_test(capacity_ends_at_its_deadline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
