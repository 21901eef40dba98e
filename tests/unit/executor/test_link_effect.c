/* What a veth was asked for is in effect on what passes it: counted at the
 * receiver. Both ends are sockets of this process, made in the cages' network
 * namespaces. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/executor/link.h"
#include "common/clock.h"
#include "tests/lib/check.h"

#define PORT     24001
#define WAIT_MS  5000
#define FRAME(m) ((m) + 14u) /* of Ethernet around an MTU */

struct pair {
    struct cage target, load;
};

static int open_pair(void **state)
{
    struct pair *p = calloc(1, sizeof *p);
    struct why why;
    assert_non_null(p);
    p->target = p->load = CAGE_NONE;
    *state = p;
    if (cage_open(&p->target, CAGE_NAMESPACES, NULL, NULL, &why) ||
        cage_open(&p->load, CAGE_NAMESPACES, NULL, NULL, &why))
        print_message("SKIPPED: no namespaces here: %s\n", why.text);
    return 0;
}

static int close_pair(void **state)
{
    struct pair *p = *state;
    cage_close(&p->load);
    cage_close(&p->target);
    free(p);
    return 0;
}

static void makes(const struct pair *p, struct trial_spec spec)
{
    struct link_plan plan;
    struct link_state link;
    struct why why = {0};
    if (!p->load.init)
        skip();
    (void)snprintf(spec.link_kind, sizeof spec.link_kind, "veth");
    check_ok(link_plan_make(&plan, &spec, &why), why);
    check_ok(link_make(&plan, &p->target, &p->load, &link, &why), why);
}

/* In the cage's network: a socket, or what a file of /proc says. */
static int open_in(const struct cage *cage, int type, const char *path)
{
    int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    assert_int_equal(setns(cage->net, CLONE_NEWNET), 0);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC)
                  : socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_int_equal(setns(home, CLONE_NEWNET), 0);
    (void)close(home);
    assert_true(fd >= 0);
    return fd;
}

static struct sockaddr_in at_target(void)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    assert_int_equal(inet_pton(AF_INET, "10.77.0.1", &in.sin_addr), 1);
    return in;
}

static int bound_target(const struct pair *p, int type)
{
    struct sockaddr_in in = at_target();
    int fd = open_in(&p->target, type, NULL);
    assert_int_equal(bind(fd, (struct sockaddr *)&in, sizeof in), 0);
    return fd;
}

static bool waits(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    return poll(&p, 1, WAIT_MS) == 1;
}

/* Bytes that a TCP connection has brought to the target when at least `least`
 * are there or ns have passed, and how long that took. */
static uint64_t bring(const struct pair *p, uint64_t least, uint64_t *ns)
{
    static char block[256 << 10];
    struct sockaddr_in in = at_target();
    int listener = bound_target(p, SOCK_STREAM);
    int from = open_in(&p->load, SOCK_STREAM, NULL);
    uint64_t begin_ns = clock_mono_ns(), took_ns = 0, got = 0;
    assert_int_equal(listen(listener, 1), 0);
    (void)connect(from, (struct sockaddr *)&in, sizeof in);
    assert_true(waits(listener, POLLIN));
    int to = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    assert_true(to >= 0);
    while (got < least && took_ns < *ns) {
        (void)send(from, block, sizeof block, MSG_NOSIGNAL);
        struct pollfd look = {.fd = to, .events = POLLIN};
        (void)poll(&look, 1, 1);
        ssize_t n = recv(to, block, sizeof block, 0);
        got += n > 0 ? (uint64_t)n : 0;
        took_ns = clock_mono_ns() - begin_ns;
    }
    (void)close(to);
    (void)close(from);
    (void)close(listener);
    *ns = took_ns;
    return got;
}

/* A datagram that may not be divided: whether it was sent, and arrived whole
 * with nothing beside it. */
static bool passes(const struct pair *p, size_t bytes)
{
    static char data[65536];
    const int pmtu = IP_PMTUDISC_DO;
    struct sockaddr_in in = at_target();
    int to = bound_target(p, SOCK_DGRAM),
        from = open_in(&p->load, SOCK_DGRAM, NULL);
    assert_int_equal(
        setsockopt(from, IPPROTO_IP, IP_MTU_DISCOVER, &pmtu, sizeof pmtu), 0);
    ssize_t n = sendto(from, data, bytes, 0, (struct sockaddr *)&in, sizeof in);
    bool sent = n == (ssize_t)bytes;
    if (!sent)
        assert_int_equal(errno, EMSGSIZE);
    bool came = sent && waits(to, POLLIN) &&
                recv(to, data, sizeof data, 0) == (ssize_t)bytes;
    assert_int_equal(came, sent);
    (void)close(from);
    (void)close(to);
    return came;
}

/* Bytes and packets, as the kernel's buffers count, that dev received. */
static void received(const struct cage *cage, const char *dev,
                     unsigned long long out[2])
{
    char text[4096] = "", name[24];
    int fd = open_in(cage, 0, "/proc/thread-self/net/dev");
    assert_true(read(fd, text, sizeof text - 1) > 0);
    (void)close(fd);
    (void)snprintf(name, sizeof name, "%s:", dev);
    const char *at = strstr(text, name);
    assert_non_null(at);
    assert_int_equal(sscanf(at + strlen(name), "%llu %llu", &out[0], &out[1]),
                     2);
}

static void no_packet_is_larger_than_the_mtu(void **state)
{
    /* 20 bytes of IP and 8 of UDP are within the MTU. */
    makes(*state, (struct trial_spec){.link_mtu = 9000});
    assert_true(passes(*state, 9000 - 28));
    assert_false(passes(*state, 9000 - 27));
}

static void no_more_than_the_rate_arrives(void **state)
{
    uint64_t ns = 300 * NS_PER_MS;
    makes(*state, (struct trial_spec){.link_rate_bit = 16000000});
    uint64_t got = bring(*state, UINT64_MAX, &ns);
    /* 2 MB/s for the time that it took, and the burst with its spare: what
     * arrives is payload, so frames are on the safe side. */
    uint64_t most = ns / 500 + 32768 + 6;
    if (got == 0 || got > most)
        fail_msg("%llu bytes in %llu ns, at most %llu", (unsigned long long)got,
                 (unsigned long long)ns, (unsigned long long)most);
}

/* The smallest burst that is accepted lets full frames through at any rate. */
static void frames_pass_with_a_burst_of_one(void **state)
{
    makes(*state, (struct trial_spec){.link_rate_bit = 17000000000,
                                      .link_mtu = 2111,
                                      .link_burst_bytes = FRAME(2111)});
    for (int i = 0; i < 10; i++)
        assert_true(passes(*state, 2111 - 28));
}

static void frames_pass_with_a_burst_of_one_at_a_low_rate(void **state)
{
    makes(*state, (struct trial_spec){.link_rate_bit = 64000,
                                      .link_burst_bytes = FRAME(1500)});
    assert_true(passes(*state, 1500 - 28));
}

/* Bytes of each buffer that reached the target's end on the way of 4 MB. */
static double mean_buffer(const struct pair *p)
{
    unsigned long long a[2], b[2];
    uint64_t ns = 10 * NS_PER_S;
    received(&p->target, "veth0", a);
    assert_true(bring(p, 4 << 20, &ns) >= 4 << 20);
    received(&p->target, "veth0", b);
    return (double)(b[0] - a[0]) / (double)(b[1] - a[1]);
}

static void buffers_are_frames_without_offloads(void **state)
{
    makes(*state, (struct trial_spec){.link_offloads = "off"});
    assert_true(mean_buffer(*state) <= FRAME(1500));
}

static void buffers_are_many_frames_with_offloads(void **state)
{
    makes(*state, (struct trial_spec){.link_offloads = "on"});
    assert_true(mean_buffer(*state) > FRAME(1500));
}

#define IN_PAIR(test)                                                          \
    cmocka_unit_test_setup_teardown(test, open_pair, close_pair)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PAIR(no_packet_is_larger_than_the_mtu),
        IN_PAIR(no_more_than_the_rate_arrives),
        IN_PAIR(frames_pass_with_a_burst_of_one),
        IN_PAIR(frames_pass_with_a_burst_of_one_at_a_low_rate),
        IN_PAIR(buffers_are_frames_without_offloads),
        IN_PAIR(buffers_are_many_frames_with_offloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
