/* The child contract, and the life without it, each in a process of its own. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/child.h"
#include "common/json.h"
#include "target/run.h"
#include "tests/lib/check.h"

#define RECORD_MAX (1u << 20)

/* A target in a child process: its control socket and its record's pipe. */
struct target {
    pid_t pid;
    int control, data;
    struct settings settings;
};

static void defaults(struct target *t)
{
    settings_default(&t->settings);
    t->settings.port = 0;
    t->settings.heap_bytes = 4u << 20;
    t->settings.threads = t->settings.bulk_threads = 1;
    t->settings.child = true;
}

/* In the child process: put the descriptors where the contract has them. */
static void be_target(const struct target *t, int control, int data)
{
    struct why why = {0};
    /* Out of the way of 3 and 4 first. */
    int a = fcntl(control, F_DUPFD, 20), b = fcntl(data, F_DUPFD, 20);
    (void)dup2(a, CHILD_FD_CONTROL);
    (void)dup2(b, t->settings.child ? CHILD_FD_DATA : STDOUT_FILENO);
    for (int fd = 5; fd < 64; fd++)
        (void)close(fd);
    enum err e = run_target(&t->settings, &why);
    _exit(e == ERR_OOM ? CHILD_EXIT_OOM : err_exit(e));
}

static void start(struct target *t)
{
    int control[2], data[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, control), 0);
    assert_int_equal(pipe(data), 0);
    /* Blocked before the fork: a signal then waits until it is read. */
    sigset_t set, old;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &set, &old);
    t->pid = fork();
    assert_true(t->pid >= 0);
    if (t->pid == 0)
        be_target(t, control[1], data[1]);
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    (void)close(control[1]);
    (void)close(data[1]);
    t->control = control[0];
    t->data = data[0];
}

/* The next packet, of this kind. */
static struct child_msg receive(const struct target *t, enum child_kind kind)
{
    struct pollfd p = {.fd = t->control, .events = POLLIN};
    struct child_msg msg = {0};
    struct why why = {0};
    assert_int_equal(poll(&p, 1, 20000), 1);
    check_ok(child_receive(t->control, &msg, &why), why);
    if (msg.kind != kind)
        fail_msg("packet %u, not %u: %s", msg.kind, kind, msg.text);
    return msg;
}

/* The record to its end, parsed. */
static struct jv *record_of(const struct target *t)
{
    char *text = malloc(RECORD_MAX);
    struct why why = {0};
    struct jv *record = NULL;
    size_t n = 0;
    ssize_t got;
    assert_non_null(text);
    while ((got = read(t->data, text + n, RECORD_MAX - n)) > 0)
        n += (size_t)got;
    check_ok(jv_parse(&record, "record", text, n, &why), why);
    free(text);
    return record;
}

static int exit_of(const struct target *t)
{
    int status;
    assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
    assert_true(WIFEXITED(status));
    (void)close(t->control);
    (void)close(t->data);
    return WEXITSTATUS(status);
}

/* POST a bulk of len bytes to the URL of a READY message; what came back. */
static ssize_t post(const char *url, const char *body, size_t len, char *answer,
                    size_t size)
{
    unsigned port;
    char head[128];
    assert_int_equal(sscanf(url, "http://127.0.0.1:%u", &port), 1);
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    int n = snprintf(head, sizeof head,
                     "POST /geo/_bulk HTTP/1.1\r\nContent-Length: %zu\r\n\r\n",
                     len);
    assert_int_equal(send(fd, head, (size_t)n, MSG_NOSIGNAL), n);
    for (size_t at = 0; at < len;) {
        ssize_t sent = send(fd, body + at, len - at, MSG_NOSIGNAL);
        if (sent <= 0)
            break;
        at += (size_t)sent;
    }
    ssize_t got = recv(fd, answer, size - 1, 0);
    answer[got > 0 ? got : 0] = '\0';
    (void)close(fd);
    return got;
}

static const char two_docs[] = "{\"index\":{}}\n{}\n{\"index\":{}}\n{}\n";

static void serve_two(const struct target *t)
{
    char answer[2048];
    struct child_msg ready = receive(t, CHILD_READY);
    assert_true(post(ready.text, two_docs, sizeof two_docs - 1, answer,
                     sizeof answer) > 0);
    assert_non_null(strstr(answer, "HTTP/1.1 200 OK"));
}

static uint64_t total_docs(const struct jv *record)
{
    return jv_u64(jv_get(jv_get(record, "total"), "docs"), UINT64_MAX);
}

static void a_child_is_ready_stops_and_leaves_its_record(void **state)
{
    (void)state;
    struct target t;
    struct why why = {0};
    defaults(&t);
    start(&t);
    serve_two(&t);
    /* START is for others. */
    struct child_msg msg = {.kind = CHILD_START};
    check_ok(child_send(t.control, &msg, &why), why);
    msg.kind = CHILD_STOP;
    check_ok(child_send(t.control, &msg, &why), why);
    struct jv *record = record_of(&t);
    assert_int_equal(total_docs(record), 2);
    assert_string_equal(jv_text(jv_get(record, "outcome"), ""), "ok");
    struct child_msg done = receive(&t, CHILD_DONE);
    assert_int_equal(done.docs, 2);
    assert_int_equal(done.bytes, sizeof two_docs - 1);
    assert_int_equal(done.errors, 0);
    assert_int_equal(exit_of(&t), 0);
    jv_free(record);
}

static void the_end_of_the_control_socket_is_a_stop(void **state)
{
    (void)state;
    struct target t;
    defaults(&t);
    start(&t);
    serve_two(&t);
    assert_int_equal(shutdown(t.control, SHUT_WR), 0);
    struct jv *record = record_of(&t);
    assert_int_equal(total_docs(record), 2);
    assert_int_equal(exit_of(&t), 0);
    jv_free(record);
}

static void sigterm_is_a_stop_too(void **state)
{
    (void)state;
    struct target t;
    defaults(&t);
    start(&t);
    serve_two(&t);
    assert_int_equal(kill(t.pid, SIGTERM), 0);
    struct jv *record = record_of(&t);
    assert_int_equal(total_docs(record), 2);
    (void)receive(&t, CHILD_DONE);
    assert_int_equal(exit_of(&t), 0);
    jv_free(record);
}

/* A body of 6 MB into a heap of 4 MiB: nobody asks it to stop. */
static void out_of_memory_leaves_a_record_and_exits_12(void **state)
{
    (void)state;
    struct target t;
    size_t len = 6000000;
    char *body = malloc(len), answer[64];
    assert_non_null(body);
    memset(body, 'x', len);
    defaults(&t);
    start(&t);
    struct child_msg ready = receive(&t, CHILD_READY);
    assert_true(post(ready.text, body, len, answer, sizeof answer) <= 0);
    struct jv *record = record_of(&t);
    assert_string_equal(jv_text(jv_get(record, "outcome"), ""), "oom");
    assert_true(jv_bool(jv_get(record, "partial"), false));
    (void)receive(&t, CHILD_DONE);
    assert_int_equal(exit_of(&t), CHILD_EXIT_OOM);
    jv_free(record);
    free(body);
}

static void a_child_that_cannot_listen_says_why(void **state)
{
    (void)state;
    struct target first, second;
    unsigned port;
    defaults(&first);
    start(&first);
    struct child_msg ready = receive(&first, CHILD_READY);
    assert_int_equal(sscanf(ready.text, "http://127.0.0.1:%u", &port), 1);
    defaults(&second);
    second.settings.port = (uint16_t)port;
    start(&second);
    struct child_msg failed = receive(&second, CHILD_FAILED);
    assert_int_equal(failed.err, ERR_BUSY);
    assert_non_null(strstr(failed.text, "address in use"));
    assert_int_equal(exit_of(&second), 1);
    assert_int_equal(kill(first.pid, SIGINT), 0);
    assert_int_equal(exit_of(&first), 0);
}

/* Alone it prints the record on standard output. */
static void without_a_parent_the_record_is_printed(void **state)
{
    (void)state;
    struct target t;
    defaults(&t);
    t.settings.child = false;
    start(&t);
    assert_int_equal(kill(t.pid, SIGTERM), 0);
    struct jv *record = record_of(&t);
    assert_int_equal(total_docs(record), 0);
    assert_false(jv_bool(jv_get(record, "partial"), true));
    assert_int_equal(exit_of(&t), 0);
    jv_free(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_is_ready_stops_and_leaves_its_record),
        cmocka_unit_test(the_end_of_the_control_socket_is_a_stop),
        cmocka_unit_test(sigterm_is_a_stop_too),
        cmocka_unit_test(out_of_memory_leaves_a_record_and_exits_12),
        cmocka_unit_test(a_child_that_cannot_listen_says_why),
        cmocka_unit_test(without_a_parent_the_record_is_printed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
