#include "agent/watch/netdev.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/prefixes.h"

static const char fixture[] =
    "Inter-|   Receive                                                |  "
    "Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes  "
    "  packets errs drop fifo colls carrier compressed\n"
    "    lo:    3193      29    0    0    0     0          0         0     "
    "3193      29    0    0    0     0       0          0\n"
    "  eth0: 67552625    1521    3    4    5     6          7         8    "
    "88813    1017    9   10   11    12      13         14\n"
    "veth0:1234567890123456789 2 0 0 0 0 0 0 5 6 7 8 0 0 0 0\n";

static void netdev_parse_reads_both_directions(void **state)
{
    (void)state;
    struct netdev d[NETDEV_MAX];
    assert_int_equal(netdev_parse(fixture, strlen(fixture), d, NETDEV_MAX), 3);
    assert_string_equal(d[0].name, "lo");
    assert_int_equal(d[0].rx_bytes, 3193);
    assert_int_equal(d[0].tx_packets, 29);
    assert_string_equal(d[1].name, "eth0");
    assert_int_equal(d[1].rx_bytes, 67552625);
    assert_int_equal(d[1].rx_packets, 1521);
    assert_int_equal(d[1].rx_errors, 3);
    assert_int_equal(d[1].rx_dropped, 4);
    assert_int_equal(d[1].tx_bytes, 88813);
    assert_int_equal(d[1].tx_packets, 1017);
    assert_int_equal(d[1].tx_errors, 9);
    assert_int_equal(d[1].tx_dropped, 10);
}

static void netdev_parse_reads_a_number_that_touches_the_colon(void **state)
{
    (void)state;
    struct netdev d[NETDEV_MAX];
    assert_int_equal(netdev_parse(fixture, strlen(fixture), d, NETDEV_MAX), 3);
    assert_string_equal(d[2].name, "veth0");
    assert_int_equal(d[2].rx_bytes, 1234567890123456789);
    assert_int_equal(d[2].tx_bytes, 5);
}

static void netdev_parse_stops_at_max(void **state)
{
    (void)state;
    struct netdev d[1];
    assert_int_equal(netdev_parse(fixture, strlen(fixture), d, 1), 1);
    assert_string_equal(d[0].name, "lo");
}

static void netdev_parse_passes_over_lines_of_another_shape(void **state)
{
    (void)state;
    struct netdev d[4];
    const char text[] =
        "a-name-that-is-too-long: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
        ": 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
        "x: 1 2 3\n"
        "y: -1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
        "z: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n";
    assert_int_equal(netdev_parse(text, strlen(text), d, 4), 1);
    assert_string_equal(d[0].name, "z");
    assert_int_equal(d[0].tx_dropped, 12);
}

static void parse(const char *text, size_t len)
{
    struct netdev d[NETDEV_MAX];
    assert_true(netdev_parse(text, len, d, NETDEV_MAX) <= 3);
}

static void netdev_parse_stays_inside_the_text(void **state)
{
    (void)state;
    prefixes(fixture, strlen(fixture), parse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(netdev_parse_reads_both_directions),
        cmocka_unit_test(netdev_parse_reads_a_number_that_touches_the_colon),
        cmocka_unit_test(netdev_parse_stops_at_max),
        cmocka_unit_test(netdev_parse_passes_over_lines_of_another_shape),
        cmocka_unit_test(netdev_parse_stays_inside_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
