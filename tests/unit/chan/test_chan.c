#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/chan.h"
#include "common/clock.h"
#include "common/msg.h"
#include "tests/lib/check.h"
#include "tests/unit/chan/peers.h"
#include "tests/unit/chan/raw.h"

static struct why why;
static const void *data;
static size_t len;
static struct wire_blob reply;

/* The signals that a thread blocks; all of them when it has ended. */
static uint64_t blocked_by(int tid)
{
    char path[64], line[256];
    unsigned long long blocked = UINT64_MAX;
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/status", tid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        (void)sscanf(line, "SigBlk: %llx", &blocked);
    if (f)
        (void)fclose(f);
    return blocked;
}

/* First, since NNG starts its threads once in a process. */
static void the_threads_of_nng_take_no_signals(void **state)
{
    (void)state;
    sigset_t before = {0}, after = {0};
    (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
    chan_server_close(peers_listen(peers_ipc()));
    (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_memory_equal(&before, &after, sizeof before);
    unsigned others = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *d; (d = readdir(tasks));) {
        int tid = atoi(d->d_name);
        if (!tid || tid == (int)getpid())
            continue;
        /* bit n-1 is signal n */
        uint64_t signals =
            1u << (SIGTERM - 1) | 1u << (SIGINT - 1) | 1u << (SIGCHLD - 1);
        assert_true((blocked_by(tid) & signals) == signals);
        others++;
    }
    (void)closedir(tasks);
    assert_true(others >= 1);
}

static void chan_dial_tells_why_nobody_answers(void **state)
{
    (void)state;
    struct chan *chan = NULL;
    const char *url = peers_ipc();
    check_err(chan_dial(&chan, url, false, PATIENCE_NS, &why), ERR_NOTFOUND);
    check_says(why, url);
    check_says(why, "No such file");
    (void)close(raw_listen(url));
    check_err(chan_dial(&chan, url, false, PATIENCE_NS, &why), ERR_REFUSED);
    check_says(why, "Connection refused");
    (void)unlink(url + 6);
    check_err(chan_dial(&chan, peers_tcp(), true, PATIENCE_NS, &why),
              ERR_REFUSED);
    check_says(why, "Connection refused");
    assert_null(chan);
}

static void chan_dial_refuses_urls_it_does_not_accept(void **state)
{
    (void)state;
    struct chan *chan = NULL;
    check_err(chan_dial(&chan, "http://x:1", true, PATIENCE_NS, &why),
              ERR_USAGE);
    check_err(chan_dial(&chan, "tls+tcp://x:1", true, PATIENCE_NS, &why),
              ERR_USAGE);
    check_says(why, "tls+tcp takes credentials");
    check_err(chan_dial(&chan, "tcp://127.0.0.1:1", false, PATIENCE_NS, &why),
              ERR_USAGE);
    check_says(why, "--insecure-plain");
    assert_null(chan);
}

static void chan_dial_gives_up_on_who_does_not_speak_sp(void **state)
{
    (void)state;
    struct chan *chan = NULL;
    const char *url = peers_ipc();
    int fd = raw_listen(url);
    check_err(chan_dial(&chan, url, false, BRIEFLY_NS, &why), ERR_TIMEOUT);
    check_says(why, "takes connections, but does not answer");
    assert_null(chan);
    (void)close(fd);
    (void)unlink(url + 6);
}

static void requests_are_answered_over(const char *url)
{
    struct chan_server *server = peers_listen(url);
    struct chan *chan = peers_dial(url);
    peers_echo(chan, server, "hello");
    peers_echo(chan, server, "");
    peers_echo(chan, server, "again");
    chan_close(chan);
    chan_server_close(server);
}

static void requests_are_answered_over_ipc_and_tcp(void **state)
{
    (void)state;
    requests_are_answered_over(peers_ipc());
    requests_are_answered_over(peers_tcp());
}

static void chan_submit_takes_one_request_at_a_time(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct chan_server *server = peers_listen(url);
    struct chan *chan = peers_dial(url);
    check_err(chan_result(chan, &data, &len, &why), ERR_STATE);
    check_ok(chan_submit(chan, "a", 1, PATIENCE_NS, &why), why);
    check_err(chan_submit(chan, "b", 1, PATIENCE_NS, &why), ERR_BUSY);
    check_ok(peers_finish(chan, server, &data, &len, &why), why);
    check_err(chan_result(chan, &data, &len, &why), ERR_STATE);
    peers_echo(chan, server, "b");
    chan_close(chan);
    chan_server_close(server);
}

static void a_deadline_passes_without_an_answer(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct chan_server *server = peers_listen(url);
    struct chan *chan = peers_dial(url);
    check_err(chan_call(chan, "a", 1, BRIEFLY_NS, &reply, &why), ERR_TIMEOUT);
    check_says(why, url);
    check_says(why, "no answer within 0.05 s");
    /* late answers go nowhere; the next request has a connection of its own */
    const void *late = NULL;
    unsigned slot = peers_take(server, &late, &len);
    check_ok(chan_submit(chan, "b", 1, PATIENCE_NS, &why), why);
    check_ok(chan_server_answer(server, slot, "late", 4, &why), why);
    check_ok(peers_finish(chan, server, &data, &len, &why), why);
    assert_int_equal(len, 1);
    assert_memory_equal(data, "b", 1);
    chan_close(chan);
    chan_server_close(server);
}

static void
a_deadline_without_a_connection_tells_the_systems_reason(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct chan_server *server = peers_listen(url);
    struct chan *chan = peers_dial(url);
    peers_echo(chan, server, "a");
    chan_server_close(server);
    /* the first may still have gone into the connection that breaks */
    assert_int_not_equal(chan_call(chan, "b", 1, BRIEFLY_NS, &reply, &why),
                         ERR_OK);
    check_err(chan_call(chan, "b", 1, BRIEFLY_NS, &reply, &why), ERR_NOTFOUND);
    check_says(why, url);
    check_says(why, "No such file");
    chan_close(chan);
}

static void a_server_that_comes_back_answers_the_next_request(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct chan_server *server = peers_listen(url);
    struct chan *chan = peers_dial(url);
    for (int i = 0; i < 3; i++) {
        peers_echo(chan, server, "before");
        chan_server_close(server);
        /* let the loss be noticed, so that no request is lost with it */
        struct timespec ts = {.tv_nsec = 20000000};
        (void)nanosleep(&ts, NULL);
        check_ok(chan_submit(chan, "after", 5, PATIENCE_NS, &why), why);
        server = peers_listen(url);
        check_ok(peers_finish(chan, server, &data, &len, &why), why);
        assert_int_equal(len, 5);
    }
    chan_close(chan);
    chan_server_close(server);
}

static void a_server_that_dies_with_a_request_is_gone(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct chan_server *server = peers_listen(url);
    struct chan *chan = peers_dial(url);
    check_ok(chan_submit(chan, "a", 1, PATIENCE_NS, &why), why);
    (void)peers_take(server, &data, &len);
    chan_server_close(server);
    check_err(peers_finish(chan, NULL, &data, &len, &why), ERR_GONE);
    /* it was executed perhaps: nothing is sent a second time */
    server = peers_listen(url);
    assert_true(peers_none(server));
    peers_echo(chan, server, "b");
    chan_close(chan);
    chan_server_close(server);
}

/* Greet like a REP and read one request; false when the peer closes before. */
static bool read_request(int peer)
{
    uint8_t hello[8], theirs[8], frame[9], body[64];
    raw_greeting(hello, 0x31);
    return raw_write(peer, hello, sizeof hello) &&
           raw_read(peer, theirs, sizeof theirs) &&
           raw_read(peer, frame, sizeof frame) &&
           raw_read(peer, body, frame[8]);
}

/* The connection at fd that brings a request: the first only asks for a
 * greeting. */
static int accept_request(int fd)
{
    for (;;) {
        int peer = accept(fd, NULL, NULL);
        if (read_request(peer))
            return peer;
        (void)close(peer);
    }
}

struct fake {
    int fd;
    const void *reply;
    size_t len;
};

static void *fake_server(void *arg)
{
    struct fake *fake = arg;
    int peer = accept_request(fake->fd);
    (void)raw_write(peer, fake->reply, fake->len);
    (void)shutdown(peer, SHUT_WR);
    char rest[256];
    while (recv(peer, rest, sizeof rest, 0) > 0)
        ;
    (void)close(peer);
    return NULL;
}

/* The outcome of a request whose answer are these bytes, then an end. */
static enum err against(const void *answer, size_t answer_len)
{
    const char *url = peers_ipc();
    struct fake fake = {raw_listen(url), answer, answer_len};
    pthread_t thread;
    (void)pthread_create(&thread, NULL, fake_server, &fake);
    struct chan *chan = peers_dial(url);
    enum err e = chan_call(chan, "a", 1, PATIENCE_NS, &reply, &why);
    chan_close(chan);
    (void)pthread_join(thread, NULL);
    (void)close(fake.fd);
    (void)unlink(url + 6);
    return e;
}

static void answers_that_are_none_are_a_lost_connection(void **state)
{
    (void)state;
    uint8_t frame[9 + 64] = {0};
    check_err(against("", 0), ERR_GONE);
    check_err(against("HTTP/1.1 400 Bad Request\r\n\r\n", 28), ERR_GONE);
    /* cut short */
    raw_frame(frame, 100);
    check_err(against(frame, sizeof frame), ERR_GONE);
    /* no request's id, and one that nobody asked for */
    raw_frame(frame, 0);
    check_err(against(frame, 9), ERR_GONE);
    raw_frame(frame, 64);
    check_err(against(frame, sizeof frame), ERR_GONE);
    /* larger than any answer may be; than any memory */
    raw_frame(frame, MSG_REPLY_MAX + 65);
    check_err(against(frame, sizeof frame), ERR_GONE);
    raw_frame(frame, UINT64_MAX);
    check_err(against(frame, sizeof frame), ERR_GONE);
}

static void chan_submit_refuses_too_much_before_sending(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct chan_server *server = peers_listen(url);
    struct chan *chan = peers_dial(url);
    char *big = calloc(1, MSG_REQUEST_MAX + 1);
    check_err(chan_submit(chan, big, MSG_REQUEST_MAX + 1, PATIENCE_NS, &why),
              ERR_RANGE);
    check_says(why, "a message of 1048577 bytes; at most 1048576 are sent");
    assert_true(peers_none(server));
    check_ok(chan_submit(chan, big, MSG_REQUEST_MAX, PATIENCE_NS, &why), why);
    check_ok(peers_finish(chan, server, &data, &len, &why), why);
    assert_int_equal(len, MSG_REQUEST_MAX);
    free(big);
    chan_close(chan);
    chan_server_close(server);
}

static void chan_close_may_come_at_any_moment(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct chan_server *server = peers_listen(url);
    for (int i = 0; i < 20; i++) {
        struct chan *chan = peers_dial(url);
        check_ok(chan_submit(chan, "a", 1, PATIENCE_NS, &why), why);
        if (i % 4 == 1) /* the answer is there, but not taken */
            check_ok(chan_server_answer(server, peers_take(server, &data, &len),
                                        "b", 1, &why),
                     why);
        if (i % 4 == 2) /* it is sent at least */
            check_err(chan_result(chan, &data, &len, &why), ERR_AGAIN);
        if (i % 4 == 3)
            check_ok(peers_finish(chan, server, &data, &len, &why), why);
        chan_close(chan);
    }
    chan_close(NULL);
    chan_server_close(server);
    chan_server_close(NULL);
}

/* In NNG 1.5.2 closing in the middle of an answer never ends. */
static void chan_close_while_an_answer_arrives_comes_to_an_end(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct chan_server *server = peers_listen(url);
    for (int i = 0; i < 100; i++) {
        struct chan *chan = peers_dial(url);
        check_ok(chan_submit(chan, "a", 1, PATIENCE_NS, &why), why);
        unsigned slot = peers_take(server, &data, &len);
        check_ok(chan_server_answer(server, slot, "b", 1, &why), why);
        chan_close(chan);
    }
    chan_server_close(server);
}

struct echoing {
    const char *url;
    unsigned requests;
    pthread_barrier_t ready;
};

static void *echo_server(void *arg)
{
    struct echoing *to = arg;
    struct why mine = {0};
    const void *request = NULL;
    size_t size = 0;
    struct chan_server *server = peers_listen(to->url);
    (void)pthread_barrier_wait(&to->ready);
    for (unsigned i = 0; i < to->requests; i++) {
        unsigned slot = peers_take(server, &request, &size);
        check_ok(chan_server_answer(server, slot, request, size, &mine), mine);
    }
    chan_server_close(server);
    return NULL;
}

static void a_thousand_requests_are_answered_in_turn(void **state)
{
    (void)state;
    struct echoing to = {.url = peers_ipc(), .requests = 1000};
    (void)pthread_barrier_init(&to.ready, NULL, 2);
    pthread_t thread;
    (void)pthread_create(&thread, NULL, echo_server, &to);
    (void)pthread_barrier_wait(&to.ready);
    struct chan *chan = peers_dial(to.url);
    for (unsigned i = 0; i < 1000; i++) {
        check_ok(chan_call(chan, &i, sizeof i, PATIENCE_NS, &reply, &why), why);
        assert_int_equal(reply.len, sizeof i);
        assert_memory_equal(reply.data, &i, sizeof i);
    }
    chan_close(chan);
    (void)pthread_join(thread, NULL);
    (void)pthread_barrier_destroy(&to.ready);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_threads_of_nng_take_no_signals),
        cmocka_unit_test(chan_dial_tells_why_nobody_answers),
        cmocka_unit_test(chan_dial_refuses_urls_it_does_not_accept),
        cmocka_unit_test(chan_dial_gives_up_on_who_does_not_speak_sp),
        cmocka_unit_test(requests_are_answered_over_ipc_and_tcp),
        cmocka_unit_test(chan_submit_takes_one_request_at_a_time),
        cmocka_unit_test(a_deadline_passes_without_an_answer),
        cmocka_unit_test(
            a_deadline_without_a_connection_tells_the_systems_reason),
        cmocka_unit_test(a_server_that_comes_back_answers_the_next_request),
        cmocka_unit_test(a_server_that_dies_with_a_request_is_gone),
        cmocka_unit_test(answers_that_are_none_are_a_lost_connection),
        cmocka_unit_test(chan_submit_refuses_too_much_before_sending),
        cmocka_unit_test(chan_close_may_come_at_any_moment),
        cmocka_unit_test(chan_close_while_an_answer_arrives_comes_to_an_end),
        cmocka_unit_test(a_thousand_requests_are_answered_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
