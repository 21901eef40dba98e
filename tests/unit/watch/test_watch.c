/* The real program, with the executor's part played here: a socket pair, a
 * pipe, a tiny target, and a load of one connection. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/child.h"
#include "common/clock.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/pair.h"
#include "tests/unit/watch/records.h"
#include "tests/unit/watch/server.h"

#define PATIENCE_MS 20000 /* sanitizers on a busy machine */
#define STATS                                                                  \
    "{\"docs\":%d,\"requests\":%d,\"rejected\":0,\"errors\":0,\"reads\":0,"    \
    "\"read_bytes\":0,\"buffer_bytes\":0,\"heap_used\":4,\"heap_max\":5}"

struct run {
    pid_t pid;
    int control, data;
};

/* Start pitwall-watch with fd 3 and 4 as the child contract has them. */
static struct run start(const char *side, const char *url, uint16_t port)
{
    int control[2], data[2];
    char text[8];
    struct run r;
    (void)snprintf(text, sizeof text, "%u", port);
    assert_int_equal(
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control), 0);
    assert_int_equal(pipe2(data, O_CLOEXEC), 0);
    /* Out of the way of 3 and 4 first. */
    int his_control = fcntl(control[1], F_DUPFD_CLOEXEC, 20);
    int his_data = fcntl(data[1], F_DUPFD_CLOEXEC, 20);
    (void)close(control[1]);
    (void)close(data[1]);
    char *argv[] = {"pitwall-watch", "--child", "--side", (char *)side,
                    "--port",        text,      "--pgrp", url ? "--url" : NULL,
                    (char *)url,     NULL};
    posix_spawn_file_actions_t actions;
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, his_control, 3),
                     0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, his_data, 4),
                     0);
    assert_int_equal(posix_spawn(&r.pid, getenv("PITWALL_WATCH"), &actions,
                                 NULL, argv, environ),
                     0);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(his_control);
    (void)close(his_data);
    r.control = control[0];
    r.data = data[0];
    return r;
}

static struct child_msg expect(const struct run *r, enum child_kind kind)
{
    struct child_msg m = {0};
    struct why why = {0};
    struct pollfd p = {.fd = r->control, .events = POLLIN};
    assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
    check_ok(child_receive(r->control, &m, &why), why);
    if (m.kind == CHILD_FAILED && kind != CHILD_FAILED)
        fail_msg("FAILED: %s", m.text);
    assert_int_equal(m.kind, kind);
    return m;
}

static void order(const struct run *r, struct child_msg m)
{
    struct why why = {0};
    check_ok(child_send(r->control, &m, &why), why);
}

static int finish(struct run *r)
{
    int status = 0;
    assert_int_equal(waitpid(r->pid, &status, 0), r->pid);
    (void)close(r->control);
    (void)close(r->data);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void check_seconds(const struct records *r, enum record_kind kind,
                          int64_t first, size_t n)
{
    assert_int_equal(records_count(r, kind), n);
    /* Every kind begins with `second`. */
    for (size_t i = 0; i < n; i++)
        assert_int_equal(records_at(r, kind, i)->as.sample_cpu.second,
                         first + (int64_t)i);
}

/* A watch that had no processor from the last second's end until STOP, which is
 * a fifth of a second, takes that second's sample then, and none after it: a
 * machine that busy is given another try. */
#define TRIES 4

static bool was_starved(const struct records *all, size_t n)
{
    return records_count(all, RECORD_IS_sample_cpu) == n - 1;
}

static bool samples_the_targets_side(bool last)
{
    char body[128], want[128];
    struct server *server = server_start(&(struct server_script){
        .root_failures = 2, .stats = STATS, .rcvbuf = 25000});
    struct run r = start("target", server_url(server), server_port(server));
    struct child_msg ready = expect(&r, CHILD_READY);
    assert_string_equal(ready.text, server_url(server));
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(server_port(server)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int load = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(load, (struct sockaddr *)&to, sizeof to), 0);
    uint64_t t0_ns = clock_mono_ns() + 100 * NS_PER_MS;
    order(&r, (struct child_msg){.kind = CHILD_ARM});
    order(&r, (struct child_msg){.kind = CHILD_START,
                                 .t_ns = t0_ns,
                                 .warmup_ns = NS_PER_S,
                                 .measure_ns = NS_PER_S});
    clock_sleep_until(t0_ns + 2 * NS_PER_S + 200 * NS_PER_MS);
    order(&r, (struct child_msg){.kind = CHILD_STOP});
    (void)expect(&r, CHILD_DONE);
    struct records *all = records_read(r.data);
    assert_int_equal(finish(&r), 0);
    if (!last && was_starved(all, 3)) {
        free(all);
        (void)close(load);
        server_stop(server);
        return false;
    }
    /* Warm-up -1, window 0, and 1 for what followed it. */
    check_seconds(all, RECORD_IS_sample_cpu, -1, 3);
    check_seconds(all, RECORD_IS_sample_tcp, -1, 3);
    check_seconds(all, RECORD_IS_sample_target, -1, 3);
    const struct record_sample_tcp *tcp =
        &records_at(all, RECORD_IS_sample_tcp, 1)->as.sample_tcp;
    assert_int_equal(tcp->sockets, 1); /* the load's, not the watch's own */
    assert_int_equal(tcp->rcvbuf_min, 50000); /* 25000, doubled (socket(7)) */
    assert_int_equal(tcp->rcvbuf_max, 50000);
    (void)snprintf(want, sizeof want, "{\"t0_ns\":%llu,\"t1_ns\":%llu}",
                   (unsigned long long)(t0_ns + NS_PER_S),
                   (unsigned long long)(t0_ns + 2 * NS_PER_S));
    assert_true(server_body(server, body, sizeof body));
    assert_string_equal(body, want);
    assert_string_equal(records_fact(all, "window"), "set");
    assert_non_null(records_fact(all, "tcp_rmem"));
    assert_non_null(records_fact(all, "mtu.lo"));
    assert_string_equal(records_fact(all, "watch.missed"), "0");
    assert_string_equal(records_fact(all, "watch.blocked"), "0");
    free(all);
    (void)close(load);
    server_stop(server);
    return true;
}

static void watch_samples_the_targets_side_of_a_trial(void **state)
{
    (void)state;
    for (int i = 1; !samples_the_targets_side(i == TRIES); i++)
        ;
}

static bool samples_the_loads_side(bool last)
{
    struct pair p = pair_open(0, 0);
    struct run r = start("load", NULL, p.port);
    (void)expect(&r, CHILD_READY); /* at once */
    uint64_t t0_ns = clock_mono_ns() + 10 * NS_PER_MS;
    order(&r, (struct child_msg){
                  .kind = CHILD_START, .t_ns = t0_ns, .measure_ns = NS_PER_S});
    clock_sleep_until(t0_ns + NS_PER_S + 100 * NS_PER_MS);
    /* The executor dies: its end of the socket is closed. */
    int control = dup(r.control);
    assert_int_equal(shutdown(control, SHUT_WR), 0);
    (void)expect(&r, CHILD_DONE);
    (void)close(control);
    struct records *all = records_read(r.data);
    assert_int_equal(finish(&r), 0);
    if (!last && was_starved(all, 2)) {
        free(all);
        pair_close(&p);
        return false;
    }
    check_seconds(all, RECORD_IS_sample_cpu, 0, 2);
    assert_int_equal(
        records_at(all, RECORD_IS_sample_tcp, 0)->as.sample_tcp.sockets, 1);
    assert_int_equal(records_count(all, RECORD_IS_sample_target), 0);
    assert_null(records_fact(all, "window"));
    free(all);
    pair_close(&p);
    return true;
}

static void watch_samples_the_loads_side_and_ends_with_its_executor(void **s)
{
    (void)s;
    for (int i = 1; !samples_the_loads_side(i == TRIES); i++)
        ;
}

static void watch_stopped_before_the_start_tells_facts_only(void **state)
{
    (void)state;
    struct run r = start("load", NULL, 9200);
    (void)expect(&r, CHILD_READY);
    order(&r, (struct child_msg){.kind = CHILD_STOP});
    (void)expect(&r, CHILD_DONE);
    struct records *all = records_read(r.data);
    assert_int_equal(finish(&r), 0);
    assert_int_equal(records_count(all, RECORD_IS_fact), all->n);
    assert_non_null(records_fact(all, "congestion"));
    free(all);
}

static void watch_can_be_stopped_while_it_waits_for_the_target(void **state)
{
    (void)state;
    struct server *server =
        server_start(&(struct server_script){.silent = true});
    struct run r = start("target", server_url(server), server_port(server));
    order(&r, (struct child_msg){.kind = CHILD_STOP});
    (void)expect(&r, CHILD_DONE);
    assert_int_equal(finish(&r), 0);
    server_stop(server);
}

static void watch_refuses_a_start_before_it_is_ready(void **state)
{
    (void)state;
    struct server *server =
        server_start(&(struct server_script){.silent = true});
    struct run r = start("target", server_url(server), server_port(server));
    order(&r, (struct child_msg){.kind = CHILD_START, .measure_ns = NS_PER_S});
    struct child_msg m = expect(&r, CHILD_FAILED);
    assert_int_equal(m.err, ERR_STATE);
    assert_string_equal(m.text, "START before the target was ready");
    assert_int_equal(finish(&r), 1);
    server_stop(server);
}

static void watch_refuses_a_second_start(void **state)
{
    (void)state;
    struct run r = start("load", NULL, 9200);
    (void)expect(&r, CHILD_READY);
    const struct child_msg m = {.kind = CHILD_START,
                                .t_ns = clock_mono_ns() + 60 * NS_PER_S,
                                .measure_ns = NS_PER_S};
    order(&r, m);
    order(&r, m);
    struct child_msg failed = expect(&r, CHILD_FAILED);
    assert_string_equal(failed.text, "START a second time");
    assert_int_equal(finish(&r), 1);
}

/* Exit status without the descriptors of the child contract. */
static int status_of(char **argv)
{
    pid_t pid = 0;
    int status = -1;
    posix_spawn_file_actions_t actions;
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_addclose(&actions, 3), 0);
    assert_int_equal(posix_spawn_file_actions_addclose(&actions, 4), 0);
    assert_int_equal(posix_spawn(&pid, getenv("PITWALL_WATCH"), &actions, NULL,
                                 argv, environ),
                     0);
    (void)posix_spawn_file_actions_destroy(&actions);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void watch_refuses_command_lines_that_are_wrong(void **state)
{
    (void)state;
    char *alone[] = {"pitwall-watch", "--side=load", "--port=1", NULL};
    char *side[] = {"pitwall-watch", "--child", "--side=both", "--port=1",
                    NULL};
    char *port[] = {"pitwall-watch", "--child", "--side=load", "--port=70000",
                    NULL};
    char *list[] = {"pitwall-watch", "--child",         "--side=load",
                    "--port=1",      "--telemetry=gpu", NULL};
    char *more[] = {"pitwall-watch", "--child", "--side=load",
                    "--port=1",      "x",       NULL};
    char *help[] = {"pitwall-watch", "--help", NULL};
    assert_int_equal(status_of(alone), 2);
    assert_int_equal(status_of(side), 2);
    assert_int_equal(status_of(port), 2);
    assert_int_equal(status_of(list), 2);
    assert_int_equal(status_of(more), 2);
    assert_int_equal(status_of(help), 0);
}

static void watch_needs_the_descriptors_of_a_child(void **state)
{
    (void)state;
    char *argv[] = {"pitwall-watch", "--child", "--side=load", "--port=1",
                    NULL};
    assert_int_equal(status_of(argv), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watch_samples_the_targets_side_of_a_trial),
        cmocka_unit_test(
            watch_samples_the_loads_side_and_ends_with_its_executor),
        cmocka_unit_test(watch_stopped_before_the_start_tells_facts_only),
        cmocka_unit_test(watch_can_be_stopped_while_it_waits_for_the_target),
        cmocka_unit_test(watch_refuses_a_start_before_it_is_ready),
        cmocka_unit_test(watch_refuses_a_second_start),
        cmocka_unit_test(watch_refuses_command_lines_that_are_wrong),
        cmocka_unit_test(watch_needs_the_descriptors_of_a_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
