#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/watch/tcpinfo.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/pair.h"
#include "tests/unit/watch/prefixes.h"

struct seen {
    size_t n;
    struct tcpinfo last;
};

static void note(void *ctx, const struct tcpinfo *socket)
{
    struct seen *seen = ctx;
    seen->n++;
    seen->last = *socket;
}

static struct seen look(struct tcpinfo_filter filter)
{
    struct tcpinfo_reader *reader = NULL;
    struct seen seen = {0};
    struct why why = {0};
    check_ok(tcpinfo_open(&reader, &why), why);
    const struct tcpinfo_visitor visitor = {note, &seen};
    check_ok(tcpinfo_each(reader, &filter, &visitor, &why), why);
    tcpinfo_close(reader);
    return seen;
}

static void tcpinfo_tells_the_receive_buffer_of_an_accepted_socket(void **state)
{
    (void)state;
    /* The kernel doubles what SO_RCVBUF asks for (socket(7)). */
    struct pair p = pair_open(50000, 0);
    struct seen s = look((struct tcpinfo_filter){.local_port = p.port});
    assert_int_equal(s.n, 1);
    assert_int_equal(s.last.rcvbuf_bytes, 100000);
    assert_int_equal(s.last.local_port, p.port);
    assert_true(s.last.cookie != 0);
    assert_true(s.last.cwnd > 0);
    pair_close(&p);
}

static void tcpinfo_tells_what_waits_in_the_queues(void **state)
{
    (void)state;
    char text[1000] = {0};
    struct pair p = pair_open(0, 0);
    assert_int_equal(send(p.client, text, sizeof text, 0), sizeof text);
    struct seen s = look((struct tcpinfo_filter){.local_port = p.port});
    assert_int_equal(s.n, 1);
    assert_int_equal(s.last.rcvq_bytes, 1000);
    assert_int_equal(s.last.sndq_bytes, 0);
    /* The other end is found by its remote port. */
    s = look((struct tcpinfo_filter){.remote_port = p.port});
    assert_int_equal(s.n, 1);
    assert_int_equal(s.last.remote_port, p.port);
    assert_int_equal(s.last.rcvq_bytes, 0);
    pair_close(&p);
}

static void tcpinfo_finds_ipv4_clients_of_an_ipv6_listener(void **state)
{
    (void)state;
    struct pair p = pair_open(40000, 1);
    struct seen s = look((struct tcpinfo_filter){.local_port = p.port});
    assert_int_equal(s.n, 1);
    assert_int_equal(s.last.rcvbuf_bytes, 80000);
    pair_close(&p);
}

static void tcpinfo_tells_the_class_that_a_socket_was_marked_with(void **state)
{
    (void)state;
    const int tos = 0x04;
    struct pair p = pair_open(0, 0);
    assert_int_equal(setsockopt(p.client, IPPROTO_IP, IP_TOS, &tos, sizeof tos),
                     0);
    struct seen s = look((struct tcpinfo_filter){.remote_port = p.port});
    assert_int_equal(s.last.tos, 0x04);
    s = look((struct tcpinfo_filter){.local_port = p.port});
    assert_int_equal(s.last.tos, 0);
    pair_close(&p);
}

static void tcpinfo_tells_the_congestion_control_in_use(void **state)
{
    (void)state;
    struct pair p = pair_open(0, 0);
    assert_int_equal(
        setsockopt(p.client, IPPROTO_TCP, TCP_CONGESTION, "reno", 4),
        0); /* always there, always allowed */
    struct seen s = look((struct tcpinfo_filter){.remote_port = p.port});
    assert_string_equal(s.last.congestion, "reno");
    pair_close(&p);
}

static void tcpinfo_leaves_out_listeners_and_closed_ones(void **state)
{
    (void)state;
    struct pair p = pair_open(0, 0);
    pair_close(&p);
    struct seen s = look((struct tcpinfo_filter){.local_port = p.port});
    assert_int_equal(s.n, 0);
}

static void tcpinfo_again_asks_for_those_that_were_found(void **state)
{
    (void)state;
    char text[1000] = {0};
    struct pair p = pair_open(50000, 0), q = pair_open(0, 1);
    struct tcpinfo_reader *reader = NULL;
    struct seen first = {0}, again = {0};
    struct why why = {0};
    const struct tcpinfo_visitor to_first = {note, &first};
    const struct tcpinfo_visitor to_again = {note, &again};
    check_ok(tcpinfo_open(&reader, &why), why);
    assert_false(tcpinfo_again(reader, &to_again)); /* none was found yet */
    for (int i = 0; i < 2; i++) { /* IPv4; IPv4 as an IPv6 listener has it */
        struct pair *of = i ? &q : &p;
        struct tcpinfo_filter filter = {.local_port = of->port};
        first = again = (struct seen){0};
        check_ok(tcpinfo_each(reader, &filter, &to_first, &why), why);
        assert_int_equal(first.last.rcvq_bytes, 0);
        assert_int_equal(send(of->client, text, sizeof text, 0), sizeof text);
        assert_true(tcpinfo_again(reader, &to_again));
        assert_int_equal(again.n, 1);
        assert_int_equal(again.last.cookie, first.last.cookie);
        assert_int_equal(again.last.rcvbuf_bytes, first.last.rcvbuf_bytes);
        assert_int_equal(again.last.rcvq_bytes, 1000);
        assert_string_equal(again.last.congestion, first.last.congestion);
    }
    tcpinfo_close(reader);
    pair_close(&p);
    pair_close(&q);
}

static void tcpinfo_again_says_that_one_is_gone(void **state)
{
    (void)state;
    struct pair p = pair_open(0, 0);
    struct tcpinfo_filter filter = {.local_port = p.port};
    struct tcpinfo_reader *reader = NULL;
    struct seen seen = {0};
    struct why why = {0};
    const struct tcpinfo_visitor visitor = {note, &seen};
    check_ok(tcpinfo_open(&reader, &why), why);
    check_ok(tcpinfo_each(reader, &filter, &visitor, &why), why);
    assert_int_equal(seen.n, 1);
    assert_int_equal(shutdown(p.client, SHUT_WR), 0); /* now CLOSE_WAIT */
    assert_false(tcpinfo_again(reader, &visitor));
    pair_close(&p);
    assert_false(tcpinfo_again(reader, &visitor));
    assert_int_equal(seen.n, 1);
    /* The next walk is not led astray, and none of none are all. */
    check_ok(tcpinfo_each(reader, &filter, &visitor, &why), why);
    assert_int_equal(seen.n, 1);
    assert_true(tcpinfo_again(reader, &visitor));
    tcpinfo_close(reader);
}

static int lo_up(void)
{
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int failed = ioctl(fd, SIOCSIFFLAGS, &lo);
    (void)close(fd);
    return failed;
}

/* More than are asked for at once, and more than are remembered. */
static void tcpinfo_again_leaves_many_to_the_walk(void **state)
{
    (void)state;
    static struct pair pairs[129];
    struct tcpinfo_reader *reader = NULL;
    struct why why = {0};
    struct seen seen = {0}, again = {0};
    const struct tcpinfo_visitor visitor = {note, &seen};
    const struct tcpinfo_visitor to_again = {note, &again};
    const struct tcpinfo_filter all = {0};
    /* In a namespace of its own there are no others; else no exact number. */
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) || lo_up())
        skip();
    check_ok(tcpinfo_open(&reader, &why), why);
    for (size_t i = 0; i < 128; i++)
        pairs[i] = pair_open(0, 0);
    check_ok(tcpinfo_each(reader, &all, &visitor, &why), why);
    assert_int_equal(seen.n, 256); /* both ends of each */
    assert_true(tcpinfo_again(reader, &to_again));
    assert_int_equal(again.n, 256);
    pairs[128] = pair_open(0, 0);
    check_ok(tcpinfo_each(reader, &all, &visitor, &why), why);
    assert_false(tcpinfo_again(reader, &to_again));
    for (size_t i = 0; i < 129; i++)
        pair_close(&pairs[i]);
    tcpinfo_close(reader);
}

/* An answer as the kernel writes it: one socket with three attributes, then
 * the end. */
struct answer {
    struct nlmsghdr head;
    struct inet_diag_msg body;
    struct rtattr mem_head;
    uint32_t mem[SK_MEMINFO_VARS];
    struct rtattr tos_head;
    uint8_t tos, pad[3];
    struct nlmsghdr end;
    int zero;
};

static struct answer fixture(void)
{
    struct answer a = {
        .head = {.nlmsg_len = offsetof(struct answer, end),
                 .nlmsg_type = TCPDIAG_GETSOCK,
                 .nlmsg_seq = 7},
        .body = {.id = {.idiag_sport = htons(9200),
                        .idiag_dport = htons(40000),
                        .idiag_cookie = {5, 1}},
                 .idiag_rqueue = 11,
                 .idiag_wqueue = 22},
        .mem_head = {.rta_len = sizeof(struct rtattr) + sizeof a.mem,
                     .rta_type = INET_DIAG_SKMEMINFO},
        .mem = {[SK_MEMINFO_RCVBUF] = 131072},
        .tos_head = {.rta_len = sizeof(struct rtattr) + 1,
                     .rta_type = INET_DIAG_TOS},
        .tos = 4,
        .end = {.nlmsg_len = sizeof(struct nlmsghdr) + sizeof(int),
                .nlmsg_type = NLMSG_DONE,
                .nlmsg_seq = 7},
    };
    return a;
}

static enum err parse(const void *data, size_t len, struct seen *seen,
                      bool *done, struct why *why)
{
    const struct tcpinfo_visitor visitor = {note, seen};
    return tcpinfo_parse(data, len, 7, &visitor, done, why);
}

static void tcpinfo_parse_reads_attributes_and_the_end(void **state)
{
    (void)state;
    struct answer a = fixture();
    struct seen s = {0};
    struct why why = {0};
    bool done = false;
    check_ok(parse(&a, sizeof a, &s, &done, &why), why);
    assert_true(done);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.last.cookie, 4294967301); /* 1 * 2^32 + 5 */
    assert_int_equal(s.last.local_port, 9200);
    assert_int_equal(s.last.remote_port, 40000);
    assert_int_equal(s.last.rcvq_bytes, 11);
    assert_int_equal(s.last.sndq_bytes, 22);
    assert_int_equal(s.last.rcvbuf_bytes, 131072);
    assert_int_equal(s.last.tos, 4);
}

static void tcpinfo_parse_passes_over_late_answers(void **state)
{
    (void)state;
    struct answer a = fixture();
    struct seen s = {0};
    struct why why = {0};
    bool done = true;
    a.head.nlmsg_seq = a.end.nlmsg_seq = 6;
    check_ok(parse(&a, sizeof a, &s, &done, &why), why);
    assert_false(done);
    assert_int_equal(s.n, 0);
}

static void tcpinfo_parse_says_what_the_kernel_refused(void **state)
{
    (void)state;
    struct {
        struct nlmsghdr head;
        int error;
    } a = {{.nlmsg_len = sizeof a, .nlmsg_type = NLMSG_ERROR, .nlmsg_seq = 7},
           -1 /* EPERM */};
    struct seen s = {0};
    struct why why = {0};
    bool done = false;
    check_err(parse(&a, sizeof a, &s, &done, &why), ERR_PERMISSION);
    check_says(why, "the kernel refuses");
    a.head.nlmsg_len = sizeof a.head; /* without the number */
    check_err(parse(&a, sizeof a, &s, &done, &why), ERR_IO);
    a.head.nlmsg_len = sizeof a;
    a.error = INT32_MIN;
    check_err(parse(&a, sizeof a, &s, &done, &why), ERR_IO);
}

static void tcpinfo_parse_refuses_lengths_that_lie(void **state)
{
    (void)state;
    struct answer a = fixture();
    struct seen s = {0};
    struct why why = {0};
    bool done = false;
    a.head.nlmsg_len = sizeof a + 1;
    check_err(parse(&a, sizeof a, &s, &done, &why), ERR_PROTOCOL);
    a.head.nlmsg_len = 3;
    check_err(parse(&a, sizeof a, &s, &done, &why), ERR_PROTOCOL);
    a.head.nlmsg_len = sizeof a.head + 10; /* no whole socket */
    check_err(parse(&a, sizeof a, &s, &done, &why), ERR_PROTOCOL);
    /* An attribute that lies ends the attributes, not the socket. */
    a = fixture();
    a.mem_head.rta_len = 60000;
    check_ok(parse(&a, sizeof a, &s, &done, &why), why);
    assert_int_equal(s.last.rcvbuf_bytes, 0);
    assert_int_equal(s.last.local_port, 9200);
}

static void parse_prefix(const char *data, size_t len)
{
    struct seen s = {0};
    bool done = false;
    enum err ignored = parse(data, len, &s, &done, NULL);
    (void)ignored;
    assert_true(s.n <= 1);
}

static void tcpinfo_parse_stays_inside_the_datagram(void **state)
{
    (void)state;
    struct answer a = fixture();
    prefixes(&a, sizeof a, parse_prefix);
    /* Also where the first message claims only what there is. */
    for (size_t n = sizeof a.head; n < sizeof a; n++) {
        a.head.nlmsg_len = (uint32_t)n;
        char *copy = guard_copy(&a, n);
        parse_prefix(copy, n);
        guard_free(copy, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            tcpinfo_tells_the_receive_buffer_of_an_accepted_socket),
        cmocka_unit_test(tcpinfo_tells_what_waits_in_the_queues),
        cmocka_unit_test(tcpinfo_finds_ipv4_clients_of_an_ipv6_listener),
        cmocka_unit_test(tcpinfo_tells_the_class_that_a_socket_was_marked_with),
        cmocka_unit_test(tcpinfo_tells_the_congestion_control_in_use),
        cmocka_unit_test(tcpinfo_leaves_out_listeners_and_closed_ones),
        cmocka_unit_test(tcpinfo_again_asks_for_those_that_were_found),
        cmocka_unit_test(tcpinfo_again_says_that_one_is_gone),
        cmocka_unit_test(tcpinfo_parse_reads_attributes_and_the_end),
        cmocka_unit_test(tcpinfo_parse_passes_over_late_answers),
        cmocka_unit_test(tcpinfo_parse_says_what_the_kernel_refused),
        cmocka_unit_test(tcpinfo_parse_refuses_lengths_that_lie),
        cmocka_unit_test(tcpinfo_parse_stays_inside_the_datagram),
        cmocka_unit_test(tcpinfo_again_leaves_many_to_the_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
