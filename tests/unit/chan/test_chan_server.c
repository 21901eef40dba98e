#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/chan.h"
#include "common/chan_server.h"
#include "common/msg.h"
#include "common/rand.h"
#include "tests/lib/check.h"
#include "tests/unit/chan/peers.h"
#include "tests/unit/chan/raw.h"

static struct why why;
static const void *data;
static size_t len;

static void chan_listen_refuses_an_address_in_use(void **state)
{
    (void)state;
    struct chan_server *second = NULL;
    const char *ipc = peers_ipc(), *tcp = peers_tcp();
    struct chan_server *a = peers_listen(ipc), *b = peers_listen(tcp);
    check_err(chan_listen(&second, ipc, true, 0600, &why), ERR_BUSY);
    check_says(why, ipc);
    check_says(why, "in use");
    check_err(chan_listen(&second, tcp, true, 0600, &why), ERR_BUSY);
    check_says(why, tcp);
    assert_null(second);
    chan_server_close(a);
    chan_server_close(b);
}

static void chan_listen_refuses_urls_it_does_not_accept(void **state)
{
    (void)state;
    struct chan_server *server = NULL;
    check_err(chan_listen(&server, "tls+tcp://0.0.0.0:1", true, 0600, &why),
              ERR_USAGE);
    check_err(chan_listen(&server, "tcp://0.0.0.0:1", false, 0600, &why),
              ERR_USAGE);
    check_err(chan_listen(&server, "ipc:///nonexistent/a", false, 0600, &why),
              ERR_NOTFOUND);
    check_says(why, "ipc:///nonexistent/a: ");
    assert_null(server);
}

static void chan_listen_replaces_a_dead_servers_socket(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct stat st;
    (void)close(raw_listen(url));
    assert_int_equal(stat(url + 6, &st), 0);
    struct chan_server *server = peers_listen(url);
    struct chan *chan = peers_dial(url);
    peers_echo(chan, server, "a");
    chan_close(chan);
    chan_server_close(server);
    assert_int_equal(stat(url + 6, &st), -1);
}

static void chan_listen_sets_the_sockets_permissions(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct stat st;
    struct chan_server *server = NULL;
    check_ok(chan_listen(&server, url, false, 0640, &why), why);
    assert_int_equal(stat(url + 6, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    chan_server_close(server);
}

static void two_clients_are_served_at_once(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct chan_server *server = peers_listen(url);
    struct chan *a = peers_dial(url), *b = peers_dial(url);
    for (int i = 0; i < 50; i++) {
        check_ok(chan_submit(a, "a", 1, PATIENCE_NS, &why), why);
        check_ok(chan_submit(b, "b", 1, PATIENCE_NS, &why), why);
        check_ok(peers_finish(a, server, &data, &len, &why), why);
        assert_memory_equal(data, "a", 1);
        check_ok(peers_finish(b, server, &data, &len, &why), why);
        assert_memory_equal(data, "b", 1);
    }
    chan_close(a);
    chan_close(b);
    chan_server_close(server);
}

static void a_fifth_request_waits_for_a_slot(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct chan_server *server = peers_listen(url);
    struct chan *chan[5];
    unsigned slot[4];
    char asked[4];
    for (int i = 0; i < 5; i++)
        chan[i] = peers_dial(url);
    for (int i = 0; i < 5; i++)
        check_ok(chan_submit(chan[i], &"01234"[i], 1, PATIENCE_NS, &why), why);
    for (int i = 0; i < 4; i++) {
        slot[i] = peers_take(server, &data, &len);
        asked[i] = *(const char *)data;
    }
    assert_true(peers_none(server));
    for (int i = 3; i >= 0; i--)
        check_ok(chan_server_answer(server, slot[i], &asked[i], 1, &why), why);
    for (int i = 0; i < 5; i++) {
        check_ok(peers_finish(chan[i], server, &data, &len, &why), why);
        assert_memory_equal(data, &"01234"[i], 1);
        chan_close(chan[i]);
    }
    chan_server_close(server);
}

static void an_answer_after_the_peer_has_left_is_no_error(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct chan_server *server = peers_listen(url);
    for (int i = 0; i < 10; i++) { /* more often than there are slots */
        struct chan *chan = peers_dial(url);
        check_ok(chan_submit(chan, "a", 1, PATIENCE_NS, &why), why);
        unsigned slot = peers_take(server, &data, &len);
        chan_close(chan);
        check_ok(chan_server_answer(server, slot, "b", 1, &why), why);
    }
    assert_true(peers_none(server));
    struct chan *chan = peers_dial(url);
    peers_echo(chan, server, "still there");
    chan_close(chan);
    chan_server_close(server);
}

static void chan_server_answer_refuses_too_much(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct chan_server *server = peers_listen(url);
    struct chan *chan = peers_dial(url);
    char *big = calloc(1, MSG_REPLY_MAX + 1);
    check_ok(chan_submit(chan, "a", 1, PATIENCE_NS, &why), why);
    unsigned slot = peers_take(server, &data, &len);
    check_err(chan_server_answer(server, slot, big, MSG_REPLY_MAX + 1, &why),
              ERR_RANGE);
    check_says(why, "a message of 4194305 bytes; at most 4194304 are sent");
    check_ok(chan_server_answer(server, slot, big, MSG_REPLY_MAX, &why), why);
    check_ok(peers_finish(chan, server, &data, &len, &why), why);
    assert_int_equal(len, MSG_REPLY_MAX);
    free(big);
    chan_close(chan);
    chan_server_close(server);
}

/* Send bytes to url and keep the connection; its descriptor. */
static int stray(const char *url, const void *bytes, size_t n)
{
    int fd = raw_connect(url);
    (void)raw_write(fd, bytes, n);
    return fd;
}

/* A well-behaved greeting and the frame of a message of size, then noise. */
static int stray_frame(const char *url, uint64_t size)
{
    uint8_t bytes[8 + 9 + 256];
    struct rand r = {size};
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(rand_next(&r) & 127); /* no end of the ids */
    raw_greeting(bytes, 0x30);
    raw_frame(bytes + 8, size);
    return stray(url, bytes, sizeof bytes);
}

/* Ask until there is an answer: NNG 1.5.2's deaf listener is replaced after two
 * seconds, which ends all connections. */
static void is_served(struct chan *chan, struct chan_server *server)
{
    enum err e = ERR_TIMEOUT;
    for (int i = 0; i < 20 && e; i++) {
        check_ok(chan_submit(chan, "please", 6, PATIENCE_NS / 20, &why), why);
        e = peers_finish(chan, server, &data, &len, &why);
    }
    check_ok(e, why);
    assert_int_equal(len, 6);
    assert_memory_equal(data, "please", 6);
}

static void a_new_client_is_served(const char *url, struct chan_server *server)
{
    struct chan *chan = peers_dial(url);
    is_served(chan, server);
    chan_close(chan);
}

static void strangers_do_not_disturb(const char *url)
{
    struct chan_server *server = peers_listen(url);
    struct chan *chan = peers_dial(url);
    uint8_t noise[4096], greeting[8];
    int fd[64];
    size_t n = 0;
    struct rand r = {7};
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)rand_next(&r);
    static const char http[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    raw_greeting(greeting, 0x30);
    fd[n++] = stray(url, noise, sizeof noise);
    fd[n++] = stray(url, http, sizeof http - 1);
    fd[n++] = stray(url, greeting, 3);
    fd[n++] = stray(url, greeting, 8);
    raw_greeting(greeting, 0x50); /* a PUSH */
    fd[n++] = stray(url, greeting, 8);
    fd[n++] = stray_frame(url, 0);
    fd[n++] = stray_frame(url, 4);
    fd[n++] = stray_frame(url, 200);
    fd[n++] = stray_frame(url, MSG_REQUEST_MAX);
    fd[n++] = stray_frame(url, MSG_REQUEST_MAX + 65);
    fd[n++] = stray_frame(url, 1ull << 40);
    fd[n++] = stray_frame(url, UINT64_MAX);
    for (int i = 0; i < 30; i++)
        (void)close(stray(url, noise, (size_t)i));
    is_served(chan, server);
    while (n)
        (void)close(fd[--n]);
    a_new_client_is_served(url, server);
    is_served(chan, server);
    assert_true(peers_none(server));
    chan_close(chan);
    chan_server_close(server);
}

static void stray_bytes_do_not_keep_others_from_being_served(void **state)
{
    (void)state;
    strangers_do_not_disturb(peers_ipc());
    strangers_do_not_disturb(peers_tcp());
}

/* One connection that closes before the greeting makes an ipc listener of NNG
 * 1.5.2 deaf. */
static void a_knock_does_not_make_the_server_deaf(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct chan_server *server = peers_listen(url);
    struct chan *known = peers_dial(url);
    is_served(known, server);
    for (int k = 0; k < 5; k++)
        (void)close(raw_connect(url));
    a_new_client_is_served(url, server);
    is_served(known, server);
    chan_close(known);
    chan_server_close(server);
}

/* Those who leave make the server look whether it is deaf. */
static void who_leaves_does_not_end_the_connections_of_others(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    struct chan_server *server = peers_listen(url);
    struct chan *known = peers_dial(url);
    check_ok(chan_submit(known, "a", 1, PATIENCE_NS, &why), why);
    unsigned slot = peers_take(server, &data, &len);
    a_new_client_is_served(url, server);
    for (int i = 0; i < 45; i++) /* 2.25 s: two looks */
        assert_true(peers_none(server));
    check_ok(chan_server_answer(server, slot, "b", 1, &why), why);
    check_ok(peers_finish(known, server, &data, &len, &why), why);
    assert_memory_equal(data, "b", 1);
    chan_close(known);
    chan_server_close(server);
}

static void *last_call(void *arg)
{
    struct chan *chan = arg;
    struct why mine = {0};
    struct wire_blob answer = {0};
    check_ok(chan_call(chan, "a", 1, PATIENCE_NS, &answer, &mine), mine);
    assert_int_equal(answer.len, 4);
    assert_memory_equal(answer.data, "last", 4);
    return NULL;
}

static void chan_server_close_lets_the_last_answer_arrive(void **state)
{
    (void)state;
    const char *url = peers_ipc();
    for (int i = 0; i < 5; i++) {
        struct chan_server *server = peers_listen(url);
        struct chan *chan = peers_dial(url);
        pthread_t thread;
        (void)pthread_create(&thread, NULL, last_call, chan);
        unsigned slot = peers_take(server, &data, &len);
        check_ok(chan_server_answer(server, slot, "last", 4, &why), why);
        chan_server_close(server);
        (void)pthread_join(thread, NULL);
        chan_close(chan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chan_listen_refuses_an_address_in_use),
        cmocka_unit_test(chan_listen_refuses_urls_it_does_not_accept),
        cmocka_unit_test(chan_listen_replaces_a_dead_servers_socket),
        cmocka_unit_test(chan_listen_sets_the_sockets_permissions),
        cmocka_unit_test(two_clients_are_served_at_once),
        cmocka_unit_test(a_fifth_request_waits_for_a_slot),
        cmocka_unit_test(an_answer_after_the_peer_has_left_is_no_error),
        cmocka_unit_test(chan_server_answer_refuses_too_much),
        cmocka_unit_test(stray_bytes_do_not_keep_others_from_being_served),
        cmocka_unit_test(a_knock_does_not_make_the_server_deaf),
        cmocka_unit_test(who_leaves_does_not_end_the_connections_of_others),
        cmocka_unit_test(chan_server_close_lets_the_last_answer_arrive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
