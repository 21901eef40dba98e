/* The real program, with the executor's part played here on the other end of
 * its port, and a controller's channel. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/gate/serve.h"
#include "agent/port.h"
#include "common/chan.h"
#include "common/clock.h"
#include "common/spool.h"
#include "tests/lib/check.h"
#include "tests/unit/gate/requests.h"

#define PATIENCE_MS 20000 /* sanitizers on a busy machine */
#define PATIENCE_NS (PATIENCE_MS * NS_PER_MS)
#define BOOT        "11111111-2222-4333-8444-555555555555"

/* A gate under test; the executor's end of its port; a controller. */
struct lab {
    pid_t pid;
    int port;
    char url[64];
    struct chan *chan;
    struct why why;
};

/* pair: the executor's end of the port, and the gate's. */
static pid_t spawn_gate(const char *url, const int pair[2])
{
    pid_t pid = 0;
    posix_spawn_file_actions_t actions;
    char *argv[] = {"pitwall-gate", "--listen", (char *)(uintptr_t)url, NULL};
    /* Out of the way of 3 first. */
    int high = fcntl(pair[1], F_DUPFD_CLOEXEC, 20);
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, high, PORT_FD),
                     0);
    assert_int_equal(posix_spawn(&pid, getenv("PITWALL_GATE"), &actions, NULL,
                                 argv, environ),
                     0);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(high);
    return pid;
}

/* The next request at the executor's end. */
static struct port_request receive(struct lab *lab, int *fd)
{
    struct port_request r;
    struct pollfd p = {.fd = lab->port, .events = POLLIN};
    assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
    check_ok(port_receive(lab->port, &r, sizeof r, fd, &lab->why), lab->why);
    return r;
}

static void say(struct lab *lab, const struct port_reply *reply, int fd)
{
    check_ok(port_send(lab->port, reply, sizeof *reply, fd, &lab->why),
             lab->why);
}

static int setup_with(void **state,
                      pid_t (*start)(const char *url, const int pair[2]))
{
    static unsigned n;
    int pair[2], fd = -1;
    struct lab *lab = calloc(1, sizeof *lab);
    assert_int_equal(
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    (void)snprintf(lab->url, sizeof lab->url, "ipc:///tmp/pitwall-gate-%d-%u",
                   (int)getpid(), n++);
    lab->pid = start(lab->url, pair);
    (void)close(pair[1]);
    lab->port = pair[0];
    struct port_request hello = receive(lab, &fd);
    assert_int_equal(hello.op, MSG_HELLO);
    struct port_reply facts = {
        .boot_id = BOOT,
        .incarnation = 4,
        .as.facts = {.name = "lab-1", .roles = "both", .features = "netns"}};
    say(lab, &facts, -1);
    *state = lab;
    return 0;
}

static int setup(void **state)
{
    return setup_with(state, spawn_gate);
}

/* The gate goes when its executor does. */
static int teardown(void **state)
{
    struct lab *lab = *state;
    int status = -1;
    chan_close(lab->chan);
    if (lab->port >= 0)
        (void)close(lab->port);
    if (lab->pid) {
        assert_int_equal(waitpid(lab->pid, &status, 0), lab->pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    assert_int_equal(access(lab->url + 6, F_OK), -1); /* no socket is left */
    free(lab);
    return 0;
}

/* Does anybody listen at this path? Asked of the kernel, not by connecting. */
static bool listens(const char *path)
{
    char line[512], flags[16];
    bool found = false;
    FILE *f = fopen("/proc/net/unix", "r");
    assert_non_null(f);
    while (!found && fgets(line, sizeof line, f))
        found = sscanf(line, "%*s %*s %*s %15s", flags) == 1 &&
                !strcmp(flags, "00010000") && strstr(line, path);
    (void)fclose(f);
    return found;
}

/* The gate needs a moment until it listens. */
static void dial(struct lab *lab)
{
    uint64_t due_ns = clock_mono_ns() + PATIENCE_NS;
    while (!listens(lab->url + 6) && clock_mono_ns() < due_ns)
        (void)poll(NULL, 0, 1);
    check_ok(chan_dial(&lab->chan, lab->url, false, PATIENCE_NS, &lab->why),
             lab->why);
}

static void submit(struct lab *lab, struct wire_buf request)
{
    if (!lab->chan)
        dial(lab);
    check_ok(chan_submit(lab->chan, request.data, request.len, PATIENCE_NS,
                         &lab->why),
             lab->why);
    wire_buf_free(&request);
}

static struct msg_reply result(struct lab *lab)
{
    const void *data = NULL;
    size_t len = 0;
    enum err e;
    while ((e = chan_result(lab->chan, &data, &len, &lab->why)) == ERR_AGAIN) {
        struct pollfd p = {.fd = chan_fd(lab->chan), .events = POLLIN};
        (void)poll(&p, 1,
                   clock_poll_ms(clock_mono_ns(), chan_due_ns(lab->chan)));
    }
    check_ok(e, lab->why);
    return requests_reply(data, len);
}

/* In a fork of this test, so that its patience can be a short one. NNG must not
 * have been used before a fork: this case comes first. */
static pid_t fork_gate(const char *url, const int pair[2])
{
    pid_t pid = fork();
    if (pid)
        return pid;
    (void)close(pair[0]); /* else the executor would never be gone */
    const struct serve_args args = {.url = url,
                                    .port = pair[1],
                                    .signal = -1,
                                    .tls = -1,
                                    .patience_ns = NS_PER_S / 10};
    struct why why = {0};
    _exit(serve_run(&args, &why) ? 1 : 0);
}

static void gate_answers_for_an_executor_that_does_not(void **state)
{
    struct lab *lab = *state;
    int fd = -1;
    struct msg_request m = requests_envelope("STATUS");
    submit(lab, requests_plain(&m));
    assert_int_equal(receive(lab, &fd).op, MSG_STATUS);
    struct msg_reply r = result(lab);
    assert_int_equal(r.err, ERR_TIMEOUT);
    assert_string_equal(r.text,
                        "STATUS: the executor did not answer within 0.1 s");
    /* What it says at last is not taken for the answer to what came after. */
    m.seq = 8;
    submit(lab, requests_plain(&m));
    assert_int_equal(receive(lab, &fd).op, MSG_STATUS);
    const struct port_reply late = {.err = ERR_BUSY, .text = "late"};
    const struct port_reply now = {.err = ERR_BUSY, .text = "now"};
    say(lab, &late, -1);
    say(lab, &now, -1);
    r = result(lab);
    assert_string_equal(r.text, "now");
    assert_int_equal(r.seq, 8);
}

static void gate_answers_hello_and_ping_without_its_executor(void **state)
{
    struct lab *lab = *state;
    struct msg_hello_reply *hello = calloc(1, sizeof *hello);
    struct msg_ping_reply ping;
    const struct msg_hello ask = {1, 1, "0.1.0"};
    submit(lab, requests_with("HELLO", MSG_IS_hello, &ask));
    struct msg_reply r = result(lab);
    assert_int_equal(r.err, 0);
    assert_int_equal(r.incarnation, 4);
    assert_string_equal(r.boot_id, BOOT);
    check_ok(msg_decode(MSG_IS_hello_reply, r.body.data, r.body.len, hello,
                        &lab->why),
             lab->why);
    assert_string_equal(hello->name, "lab-1");
    assert_non_null(strstr(hello->facts, "kernel="));
    free(hello);
    uint64_t before_ns = clock_mono_ns();
    struct msg_request m = requests_envelope("PING");
    submit(lab, requests_plain(&m));
    r = result(lab);
    check_ok(msg_decode(MSG_IS_ping_reply, r.body.data, r.body.len, &ping,
                        &lab->why),
             lab->why);
    assert_true(ping.mono_ns >= before_ns && ping.mono_ns <= clock_mono_ns());
}

static void gate_hands_a_prepare_on_with_its_plan(void **state)
{
    struct lab *lab = *state;
    struct trial_spec spec = requests_spec();
    char plan[64] = {0};
    int fd = -1;
    submit(lab, requests_prepare(&spec, "{\"tasks\":[]}"));
    struct port_request got = receive(lab, &fd);
    assert_int_equal(got.op, MSG_PREPARE);
    assert_string_equal(got.eid, REQUESTS_EID);
    assert_int_equal(got.token, 99);
    assert_memory_equal(&got.as.spec, &spec, sizeof spec);
    assert_int_equal(read(fd, plan, sizeof plan), 12);
    assert_string_equal(plan, "{\"tasks\":[]}");
    assert_true(fcntl(fd, F_GET_SEALS) & F_SEAL_WRITE);
    (void)close(fd);
    struct port_reply said = {.as.status = {.state = "preparing"}};
    say(lab, &said, -1);
    struct msg_status_reply status;
    struct msg_reply r = result(lab);
    check_ok(msg_decode(MSG_IS_status_reply, r.body.data, r.body.len, &status,
                        &lab->why),
             lab->why);
    assert_string_equal(status.state, "preparing");
}

static void gate_carries_the_executors_error(void **state)
{
    struct lab *lab = *state;
    int fd = -1;
    struct msg_request m = requests_envelope("ARM");
    submit(lab, requests_plain(&m));
    (void)receive(lab, &fd);
    const struct port_reply said = {.err = ERR_FENCED,
                                    .text = "token 99 is older than 100"};
    say(lab, &said, -1);
    struct msg_reply r = result(lab);
    assert_int_equal(r.err, ERR_FENCED);
    assert_string_equal(r.text, "token 99 is older than 100");
}

static void collect(struct lab *lab, uint64_t offset)
{
    const struct msg_collect want = {.offset = offset, .max = SPOOL_CHUNK_MAX};
    submit(lab, requests_with("COLLECT", MSG_IS_collect, &want));
}

static struct msg_chunk chunk(struct lab *lab)
{
    struct msg_chunk c;
    struct msg_reply r = result(lab);
    assert_int_equal(r.err, 0);
    check_ok(msg_decode(MSG_IS_chunk, r.body.data, r.body.len, &c, &lab->why),
             lab->why);
    return c;
}

/* A spool of size bytes, the i-th being i % 251. */
static int make_spool(size_t size)
{
    char path[] = "/tmp/pitwall-spool-XXXXXX";
    uint8_t *bytes = malloc(size);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i % 251);
    assert_int_equal(write(fd, bytes, size), size);
    free(bytes);
    (void)unlink(path);
    return fd;
}

static void gate_sends_a_spool_in_chunks_and_asks_once(void **state)
{
    struct lab *lab = *state;
    const size_t size = 300000;
    size_t at = 0;
    int fd = make_spool(size), none = -1;
    const struct port_reply said = {0};
    collect(lab, 0);
    struct port_request got = receive(lab, &none);
    assert_int_equal(got.op, MSG_COLLECT);
    assert_string_equal(got.eid, REQUESTS_EID);
    say(lab, &said, fd);
    (void)close(fd);
    for (;;) {
        struct msg_chunk c = chunk(lab);
        assert_int_equal(c.offset, at);
        assert_int_equal(c.total, size);
        for (size_t i = 0; i < c.data.len; i++)
            assert_int_equal(c.data.data[i], (at + i) % 251);
        at += c.data.len;
        if (at == size)
            break;
        collect(lab, at); /* the executor hears nothing of it */
    }
    /* ACK lets go of the spool: the next COLLECT asks again. */
    const struct msg_ack ack = {.bytes = size};
    submit(lab, requests_with("ACK", MSG_IS_ack, &ack));
    assert_int_equal(receive(lab, &none).op, MSG_ACK);
    say(lab, &said, -1);
    assert_int_equal(result(lab).err, 0);
    collect(lab, 100);
    assert_int_equal(receive(lab, &none).op, MSG_COLLECT);
    const struct port_reply gone = {.err = ERR_NOTFOUND, .text = "no spool"};
    say(lab, &gone, -1);
    assert_int_equal(result(lab).err, ERR_NOTFOUND);
}

static void gate_says_when_the_executor_gave_no_spool(void **state)
{
    struct lab *lab = *state;
    const struct port_reply said = {0};
    int none = -1;
    collect(lab, 0);
    (void)receive(lab, &none);
    say(lab, &said, -1);
    struct msg_reply r = result(lab);
    assert_int_equal(r.err, ERR_INTERNAL);
    assert_string_equal(r.text, "the executor gave no spool");
}

static void gate_closes_a_descriptor_that_nobody_wants(void **state)
{
    struct lab *lab = *state;
    const struct port_reply said = {.as.status = {.state = "armed"}};
    struct msg_request m = requests_envelope("STATUS");
    int fds[2], none = -1;
    char byte;
    assert_int_equal(pipe(fds), 0);
    submit(lab, requests_plain(&m));
    (void)receive(lab, &none);
    say(lab, &said, fds[1]);
    (void)close(fds[1]);
    assert_int_equal(result(lab).err, 0);
    /* End of file only when the gate has closed its copy as well. */
    assert_int_equal(read(fds[0], &byte, 1), 0);
    (void)close(fds[0]);
}

static void gate_goes_on_after_anything_malformed(void **state)
{
    struct lab *lab = *state;
    static const char *const bytes[] = {"",
                                        "\xc1",
                                        "GET / HTTP/1.1\r\n\r\n",
                                        "\xdf\xff\xff\xff\xff",
                                        "\x81\xa1v\x09",
                                        "\x82\xa1v\x01\xa2op\xa3WHY"};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        struct wire_buf b = {0};
        b.len = strlen(bytes[i]);
        b.data = malloc(b.len + 1);
        memcpy(b.data, bytes[i], b.len);
        submit(lab, b);
        assert_int_equal(result(lab).err, ERR_PROTOCOL);
    }
    struct msg_request m = requests_envelope("PING");
    submit(lab, requests_plain(&m));
    assert_int_equal(result(lab).err, 0);
}

static void gate_answers_in_the_order_of_the_requests(void **state)
{
    struct lab *lab = *state;
    struct lab second = {.port = lab->port};
    int none = -1;
    memcpy(second.url, lab->url, sizeof second.url);
    struct msg_request m = requests_envelope("STATUS");
    submit(lab, requests_plain(&m));
    assert_int_equal(receive(lab, &none).tid, 3);
    m.tid = 4;
    submit(&second, requests_plain(&m));
    assert_int_equal(receive(lab, &none).tid, 4);
    /* PING passes both by. */
    struct lab third = second;
    third.chan = NULL;
    m = requests_envelope("PING");
    submit(&third, requests_plain(&m));
    assert_int_equal(result(&third).err, 0);
    const struct port_reply one = {.err = ERR_BUSY, .text = "one"};
    const struct port_reply two = {.err = ERR_BUSY, .text = "two"};
    say(lab, &one, -1);
    say(lab, &two, -1);
    assert_string_equal(result(&second).text, "two");
    assert_string_equal(result(lab).text, "one");
    chan_close(second.chan);
    chan_close(third.chan);
}

static void gate_ends_when_it_gets_an_answer_to_nothing(void **state)
{
    struct lab *lab = *state;
    const struct port_reply said = {0};
    int status = -1;
    dial(lab);
    say(lab, &said, -1);
    assert_int_equal(waitpid(lab->pid, &status, 0), lab->pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    lab->pid = 0;
}

static void gate_ends_on_sigterm(void **state)
{
    struct lab *lab = *state;
    int status = -1;
    dial(lab);
    assert_int_equal(kill(lab->pid, SIGTERM), 0);
    assert_int_equal(waitpid(lab->pid, &status, 0), lab->pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    lab->pid = 0;
}

static void gate_keeps_its_socket_to_its_user(void **state)
{
    struct lab *lab = *state;
    struct stat st;
    dial(lab);
    assert_int_equal(stat(lab->url + 6, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static int setup_fork(void **state)
{
    return setup_with(state, fork_gate);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            gate_answers_for_an_executor_that_does_not, setup_fork, teardown),
        CASE(gate_answers_hello_and_ping_without_its_executor),
        CASE(gate_hands_a_prepare_on_with_its_plan),
        CASE(gate_carries_the_executors_error),
        CASE(gate_sends_a_spool_in_chunks_and_asks_once),
        CASE(gate_says_when_the_executor_gave_no_spool),
        CASE(gate_closes_a_descriptor_that_nobody_wants),
        CASE(gate_goes_on_after_anything_malformed),
        CASE(gate_answers_in_the_order_of_the_requests),
        CASE(gate_ends_when_it_gets_an_answer_to_nothing),
        CASE(gate_ends_on_sigterm),
        CASE(gate_keeps_its_socket_to_its_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
