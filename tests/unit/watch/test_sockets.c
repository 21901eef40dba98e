#include "agent/watch/sockets.h"
#include "tests/lib/check.h"

static struct sockets fresh(void)
{
    struct sockets s;
    struct why why = {0};
    check_ok(sockets_init(&s, &why), why);
    return s;
}

static void look(struct sockets *s, const struct tcpinfo *all, size_t n)
{
    sockets_begin(s);
    for (size_t i = 0; i < n; i++)
        sockets_add(s, &all[i]);
    sockets_end(s);
}

static void sockets_take_gives_levels_of_the_last_look(void **state)
{
    (void)state;
    struct sockets s = fresh();
    struct record_sample_tcp r = {0};
    const struct tcpinfo first[] = {{.cookie = 1, .rcvq_bytes = 999}};
    const struct tcpinfo last[] = {
        {.cookie = 1,
         .rcvq_bytes = 10,
         .sndq_bytes = 1,
         .rtt_us = 100,
         .cwnd = 10},
        {.cookie = 2,
         .rcvq_bytes = 20,
         .sndq_bytes = 2,
         .rtt_us = 300,
         .cwnd = 30},
    };
    look(&s, first, 1);
    look(&s, last, 2);
    sockets_take(&s, &r);
    assert_int_equal(r.sockets, 2);
    assert_int_equal(r.rcvq_bytes, 30);
    assert_int_equal(r.rcvq_mean_bytes, (999 + 30) / 2);
    assert_int_equal(r.sndq_bytes, 3);
    assert_int_equal(r.rtt_ns, 200000); /* (100 + 300) us / 2 */
    assert_int_equal(r.cwnd, 20);
    assert_int_equal(s.looks, 2);
    sockets_fini(&s);
}

static void sockets_take_gives_extremes_of_all_looks_once(void **state)
{
    (void)state;
    struct sockets s = fresh();
    struct record_sample_tcp r = {0};
    const struct tcpinfo a[] = {{.cookie = 1, .rcvbuf_bytes = 131072}};
    const struct tcpinfo b[] = {{.cookie = 1, .rcvbuf_bytes = 2500000},
                                {.cookie = 2, .rcvbuf_bytes = 10240}};
    const struct tcpinfo c[] = {{.cookie = 1, .rcvbuf_bytes = 400000}};
    look(&s, a, 1);
    look(&s, b, 2);
    look(&s, c, 1);
    sockets_take(&s, &r);
    assert_int_equal(r.rcvbuf_min, 10240);
    assert_int_equal(r.rcvbuf_max, 2500000);
    look(&s, c, 1);
    sockets_take(&s, &r);
    assert_int_equal(r.rcvbuf_min, 400000);
    assert_int_equal(r.rcvbuf_max, 400000);
    sockets_take(&s, &r); /* no look since */
    assert_int_equal(r.rcvbuf_min, 0);
    assert_int_equal(r.rcvbuf_max, 0);
    sockets_fini(&s);
}

static void sockets_take_gives_zeros_without_sockets(void **state)
{
    (void)state;
    struct sockets s = fresh();
    struct record_sample_tcp r = {.sockets = 9, .rtt_ns = 9};
    look(&s, NULL, 0);
    sockets_take(&s, &r);
    assert_int_equal(r.sockets, 0);
    assert_int_equal(r.rtt_ns, 0);
    assert_int_equal(r.rcvbuf_max, 0);
    sockets_fini(&s);
}

static void sockets_count_time_from_the_first_look_on(void **state)
{
    (void)state;
    struct sockets s = fresh();
    struct record_sample_tcp r = {0};
    const struct tcpinfo a[] = {
        {.cookie = 1, .busy_us = 1000, .rwnd_limited_us = 50}};
    /* 1 worked on, 2 is new: all it counted was since the last look. */
    const struct tcpinfo b[] = {
        {.cookie = 1, .busy_us = 1700, .rwnd_limited_us = 60},
        {.cookie = 2, .busy_us = 40, .rwnd_limited_us = 3}};
    /* 1 is gone, which takes nothing back. */
    const struct tcpinfo c[] = {
        {.cookie = 2, .busy_us = 45, .rwnd_limited_us = 3}};
    look(&s, a, 1);
    look(&s, b, 2);
    look(&s, c, 1);
    sockets_take(&s, &r);
    assert_int_equal(r.busy_ns, 745000);        /* 700 + 40 + 5 us */
    assert_int_equal(r.rwnd_limited_ns, 13000); /* 10 + 3 us */
    sockets_take(&s, &r);
    assert_int_equal(r.busy_ns, 0);
    sockets_fini(&s);
}

static void sockets_leave_out_the_watchs_own_connection(void **state)
{
    (void)state;
    struct sockets s = fresh();
    struct record_sample_tcp r = {0};
    const struct tcpinfo all[] = {
        {.cookie = 1, .remote_port = 40001, .rcvbuf_bytes = 10240},
        /* the target's end of it, known by the port, */
        {.cookie = 2, .remote_port = 40002, .rcvbuf_bytes = 131072},
        /* and the client's, known by its class. */
        {.cookie = 3,
         .remote_port = 9200,
         .tos = SOCKETS_WATCH_TOS,
         .rcvbuf_bytes = 131072},
    };
    s.watch_port = 40002;
    look(&s, all, 3);
    sockets_take(&s, &r);
    assert_int_equal(r.sockets, 1);
    assert_int_equal(r.rcvbuf_max, 10240);
    sockets_fini(&s);
}

static void sockets_survive_more_than_they_have_room_for(void **state)
{
    (void)state;
    struct sockets s = fresh();
    struct record_sample_tcp r = {0};
    for (int i = 0; i < 2; i++) {
        sockets_begin(&s);
        for (uint64_t k = 1; k <= 10000; k++) {
            const struct tcpinfo t = {.cookie = k, .busy_us = (uint64_t)i * 10};
            sockets_add(&s, &t);
        }
        sockets_end(&s);
    }
    sockets_take(&s, &r);
    assert_int_equal(r.sockets, 10000);
    /* 3072 of them have a place: 3/4 of 4096, 10 us each. */
    assert_int_equal(r.busy_ns, 30720000);
    sockets_fini(&s);
}

static void sockets_count_what_they_send_by(void **state)
{
    (void)state;
    struct sockets s = fresh();
    const struct tcpinfo many[] = {
        {.cookie = 1, .congestion = "bbr"},
        {.cookie = 2, .congestion = "bbr"},
        {.cookie = 3, .congestion = "reno"},
        {.cookie = 4}, /* a kernel that does not tell */
        {.cookie = 5, .tos = SOCKETS_WATCH_TOS, .congestion = "cubic"},
    };
    look(&s, many, 5);
    look(&s, many, 1);
    assert_int_equal(s.n_congestions, 2);
    assert_string_equal(s.congestions[0].name, "bbr");
    assert_int_equal(s.congestions[0].seen, 3);
    assert_string_equal(s.congestions[1].name, "reno");
    assert_int_equal(s.congestions[1].seen, 1);
    for (char i = 0; i < 5; i++) { /* more than there is room for */
        struct tcpinfo t = {.cookie = 9, .congestion = {'a' + i}};
        look(&s, &t, 1);
    }
    assert_int_equal(s.n_congestions, 4);
    assert_int_equal(s.congestions[3].seen, 4); /* b, c, d, e */
    sockets_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sockets_take_gives_levels_of_the_last_look),
        cmocka_unit_test(sockets_take_gives_extremes_of_all_looks_once),
        cmocka_unit_test(sockets_take_gives_zeros_without_sockets),
        cmocka_unit_test(sockets_count_time_from_the_first_look_on),
        cmocka_unit_test(sockets_leave_out_the_watchs_own_connection),
        cmocka_unit_test(sockets_count_what_they_send_by),
        cmocka_unit_test(sockets_survive_more_than_they_have_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
