#include "common/shape.h"
#include "tests/lib/check.h"

static struct why why;

static void accepts(struct trial_spec spec, uint64_t burst, uint64_t queue)
{
    check_ok(shape_check(&spec, &why), why);
    assert_int_equal(shape_burst_bytes(&spec), burst);
    assert_int_equal(shape_queue_bytes(&spec), queue);
}

static void refuses(struct trial_spec spec, const char *says)
{
    check_err(shape_check(&spec, &why), ERR_INVALID);
    assert_string_equal(why.text, says);
}

static void shape_has_defaults_for_what_is_not_given(void **state)
{
    (void)state;
    accepts((struct trial_spec){.link_mtu = 0}, 0, 0);
    /* 10 ms of 1 MB/s and 32 KiB */
    accepts((struct trial_spec){.link_rate_bit = 8000000}, 32768, 42768);
    /* One frame, where that is more: 65,535 + 14. */
    accepts((struct trial_spec){.link_rate_bit = 8000000, .link_mtu = 65535},
            65549, 75549);
    /* 20 ms of 25 MB/s and 16,000 */
    accepts((struct trial_spec){.link_rate_bit = 200000000,
                                .link_burst_bytes = 16000,
                                .link_latency_ns = 20000000},
            16000, 516000);
}

static void shape_refuses_what_the_kernel_cannot_do(void **state)
{
    (void)state;
    accepts((struct trial_spec){.link_mtu = 576}, 0, 0);
    refuses((struct trial_spec){.link_mtu = 575},
            "mtu=575; accepted: 576 to 65535");
    refuses((struct trial_spec){.link_mtu = 65536},
            "mtu=65536; accepted: 576 to 65535");
    accepts(
        (struct trial_spec){.link_rate_bit = 8000, .link_burst_bytes = 1514},
        1514, 1524);
    refuses(
        (struct trial_spec){.link_rate_bit = 7992},
        "rate=7992bit; accepted: 8kbit to 17gbit in whole bytes per second");
    refuses(
        (struct trial_spec){.link_rate_bit = 8001},
        "rate=8001bit; accepted: 8kbit to 17gbit in whole bytes per second");
    refuses((struct trial_spec){.link_rate_bit = 17000000008},
            "rate=17000000008bit; accepted: 8kbit to 17gbit in whole bytes per "
            "second");
    refuses((struct trial_spec){.link_burst_bytes = 2000},
            "burst and latency belong to a rate; add rate=");
    refuses((struct trial_spec){.link_latency_ns = 2000},
            "burst and latency belong to a rate; add rate=");
    refuses((struct trial_spec){.link_rate_bit = 8000000,
                                .link_mtu = 9000,
                                .link_burst_bytes = 9013},
            "burst=9013 is less than one frame, 9014 bytes of mtu 9000 and 14 "
            "of Ethernet: nothing would pass");
    refuses(
        (struct trial_spec){.link_rate_bit = 8000, .link_burst_bytes = 60001},
        "burst=60001; accepted: at most 1g, and 60 s of the rate");
    /* 2,125,000,000 B/s * 1.1 s + 32,768 */
    refuses((struct trial_spec){.link_rate_bit = 17000000000,
                                .link_latency_ns = 1100000000},
            "latency: 1100 ms of this rate are 2337532768 bytes in the queue; "
            "accepted: less than 2 GiB");
    refuses((struct trial_spec){.link_rate_bit = 8000,
                                .link_latency_ns = 60000000001},
            "latency=60.00 s; accepted: up to 60s");
    refuses((struct trial_spec){.link_delay_ns = 1500},
            "delay=1.50 us; accepted: up to 60s in whole microseconds");
    accepts((struct trial_spec){.link_delay_ns = 60000000000}, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shape_has_defaults_for_what_is_not_given),
        cmocka_unit_test(shape_refuses_what_the_kernel_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
