/* The machine's own interfaces; only lo is there for certain. */
#include "agent/executor/nic.h"
#include "tests/lib/check.h"

static struct why why;

static void nic_find_takes_a_named_interface(void **state)
{
    (void)state;
    struct link_end end;
    check_ok(nic_find("lo", "", &end, &why), why);
    assert_string_equal(end.dev, "lo");
    assert_string_equal(end.address, "127.0.0.1");
    check_err(nic_find("nosuch0", "tcp://127.0.0.1:1", &end, &why),
              ERR_NOTFOUND);
    check_says(why, "interface nosuch0: not here");
    assert_string_equal(end.dev, "");
}

/* Listening for this machine alone, or for all of it, names no network. */
static void nic_find_takes_the_address_listened_on_but_not_los(void **state)
{
    (void)state;
    static const char *const urls[] = {"",
                                       "ipc:///x",
                                       "tcp://127.0.0.1:7411",
                                       "tcp://0.0.0.0:7411",
                                       "tcp://name:7411",
                                       "tcp://999.1.1.1:1",
                                       "tcp://1.2.3.4.5.6.7.8.9.1:1"};
    struct link_end end;
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        check_err(nic_find("", urls[i], &end, &why), ERR_NOTFOUND);
        check_says(why, "name its \"interface\" in the agent's configuration");
        assert_string_equal(end.dev, "");
    }
}

static void nic_toward_refuses_this_machines_own_address(void **state)
{
    (void)state;
    struct link_end end = {.dev = ""};
    check_err(nic_toward("127.0.0.1", &end, &why), ERR_UNSUPPORTED);
    check_says(why, "ethernet needs a second machine");
    check_err(nic_toward("host", &end, &why), ERR_INVALID);
    check_says(why, "accepted: an IPv4 address");
}

static void nic_speed_of_nothing_is_not_told(void **state)
{
    (void)state;
    assert_int_equal(nic_speed_mbit("nosuch0"), 0);
    assert_int_equal(nic_speed_mbit("lo"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nic_find_takes_a_named_interface),
        cmocka_unit_test(nic_find_takes_the_address_listened_on_but_not_los),
        cmocka_unit_test(nic_toward_refuses_this_machines_own_address),
        cmocka_unit_test(nic_speed_of_nothing_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
