#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/port.h"
#include "tests/lib/check.h"

struct ends {
    int a, b;
};

static struct ends open_port(void)
{
    int pair[2];
    assert_int_equal(
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
    return (struct ends){pair[0], pair[1]};
}

static void close_port(struct ends p)
{
    (void)close(p.a);
    (void)close(p.b);
}

static void port_carries_a_packet_and_a_descriptor(void **state)
{
    struct ends p = open_port();
    struct why why = {0};
    struct port_request out = {.op = MSG_PREPARE, .tid = 7}, in;
    int fd = -1, pipes[2];
    (void)state;
    assert_int_equal(pipe(pipes), 0);
    check_ok(port_send(p.a, &out, sizeof out, pipes[1], &why), why);
    check_ok(port_receive(p.b, &in, sizeof in, &fd, &why), why);
    assert_int_equal(in.tid, 7);
    assert_true(fd >= 0 && fd != pipes[1]);
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    char byte;
    assert_int_equal(write(fd, "x", 1), 1);
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    (void)close(fd);
    (void)close(pipes[0]);
    (void)close(pipes[1]);
    close_port(p);
}

static void port_carries_a_packet_alone(void **state)
{
    struct ends p = open_port();
    struct why why = {0};
    uint64_t out = 5, in = 0;
    int fd = 99;
    (void)state;
    check_err(port_receive(p.b, &in, sizeof in, &fd, &why), ERR_AGAIN);
    assert_int_equal(fd, -1);
    check_ok(port_send(p.a, &out, sizeof out, -1, &why), why);
    check_ok(port_receive(p.b, &in, sizeof in, &fd, &why), why);
    assert_int_equal(in, 5);
    assert_int_equal(fd, -1);
    close_port(p);
}

static void port_refuses_packets_of_another_size(void **state)
{
    static const size_t sizes[] = {7, 9};
    struct ends p = open_port();
    struct why why = {0};
    char out[9] = "";
    uint64_t in;
    int fd;
    (void)state;
    for (int i = 0; i < 2; i++) {
        check_ok(port_send(p.a, out, sizes[i], p.a, &why), why);
        check_err(port_receive(p.b, &in, sizeof in, &fd, &why), ERR_PROTOCOL);
        assert_int_equal(fd, -1);
    }
    close_port(p);
}

static void port_tells_that_the_other_end_is_gone(void **state)
{
    struct ends p = open_port();
    struct why why = {0};
    uint64_t in = 0;
    int fd;
    (void)state;
    (void)close(p.a);
    check_err(port_receive(p.b, &in, sizeof in, &fd, &why), ERR_GONE);
    check_err(port_send(p.b, &in, sizeof in, -1, &why), ERR_GONE);
    (void)close(p.b);
}

static void port_takes_no_second_descriptor(void **state)
{
    struct ends p = open_port();
    struct why why = {0};
    uint64_t packet = 1;
    int fds[3] = {p.a, p.a, p.a}, fd;
    char control[CMSG_SPACE(sizeof fds)] = "";
    struct iovec iov = {&packet, sizeof packet};
    struct msghdr m = {.msg_iov = &iov,
                       .msg_iovlen = 1,
                       .msg_control = control,
                       .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    (void)state;
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fds);
    memcpy(CMSG_DATA(c), fds, sizeof fds);
    int before = dup(p.a);
    (void)close(before);
    assert_int_equal(sendmsg(p.a, &m, 0), (ssize_t)sizeof packet);
    check_err(port_receive(p.b, &packet, sizeof packet, &fd, &why),
              ERR_PROTOCOL);
    int after = dup(p.a);
    assert_int_equal(after, before); /* none was left open */
    (void)close(after);
    close_port(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(port_carries_a_packet_and_a_descriptor),
        cmocka_unit_test(port_carries_a_packet_alone),
        cmocka_unit_test(port_refuses_packets_of_another_size),
        cmocka_unit_test(port_tells_that_the_other_end_is_gone),
        cmocka_unit_test(port_takes_no_second_descriptor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
