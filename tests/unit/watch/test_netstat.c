#include "agent/watch/netstat.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/prefixes.h"

static const char fixture[] =
    "Ip: Forwarding DefaultTTL InReceives\n"
    "Ip: 1 64 2043\n"
    "Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens "
    "AttemptFails EstabResets CurrEstab InSegs OutSegs RetransSegs InErrs "
    "OutRsts InCsumErrors\n"
    "Tcp: 1 200 120000 -1 16 2 0 0 0 1514 1003 7 0 6 0\n"
    "TcpExt: SyncookiesSent PruneCalled ListenDrops\n"
    "TcpExt: 1 22 333\n";

static const char *const names[] = {"InSegs", "RetransSegs", "MaxConn",
                                    "NoSuchCounter"};

static void netstat_parse_matches_names_to_values(void **state)
{
    (void)state;
    uint64_t v[4];
    /* Three of the four exist; MaxConn is -1 and becomes 0. */
    assert_int_equal(
        netstat_parse(fixture, strlen(fixture), "Tcp", names, v, 4), 3);
    assert_int_equal(v[0], 1514);
    assert_int_equal(v[1], 7);
    assert_int_equal(v[2], 0);
    assert_int_equal(v[3], 0);
}

static void netstat_parse_does_not_mix_up_groups(void **state)
{
    (void)state;
    static const char *const ext[] = {"ListenDrops", "PruneCalled"};
    uint64_t v[2];
    assert_int_equal(
        netstat_parse(fixture, strlen(fixture), "TcpExt", ext, v, 2), 2);
    assert_int_equal(v[0], 333);
    assert_int_equal(v[1], 22);
    assert_int_equal(netstat_parse(fixture, strlen(fixture), "Tcp", ext, v, 2),
                     0);
}

static void netstat_parse_finds_nothing_in_another_shape(void **state)
{
    (void)state;
    uint64_t v[4] = {9, 9, 9, 9};
    const char cut[] = "Tcp: InSegs\n";
    assert_int_equal(netstat_parse(cut, strlen(cut), "Tcp", names, v, 4), 0);
    assert_int_equal(v[0], 0);
    const char mixed[] = "Tcp: InSegs\nUdp: 5\n";
    assert_int_equal(netstat_parse(mixed, strlen(mixed), "Tcp", names, v, 4),
                     0);
    const char few[] = "Tcp: X InSegs\nTcp: 1\n";
    assert_int_equal(netstat_parse(few, strlen(few), "Tcp", names, v, 4), 1);
    assert_int_equal(v[0], 0);
    const char colon[] = ":\n:\n";
    assert_int_equal(netstat_parse(colon, strlen(colon), "Tcp", names, v, 4),
                     0);
}

static void parse(const char *text, size_t len)
{
    uint64_t v[4];
    assert_true(netstat_parse(text, len, "Tcp", names, v, 4) <= 3);
}

static void netstat_parse_stays_inside_the_text(void **state)
{
    (void)state;
    prefixes(fixture, strlen(fixture), parse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(netstat_parse_matches_names_to_values),
        cmocka_unit_test(netstat_parse_does_not_mix_up_groups),
        cmocka_unit_test(netstat_parse_finds_nothing_in_another_shape),
        cmocka_unit_test(netstat_parse_stays_inside_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
