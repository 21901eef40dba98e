#include "agent/watch/capacity.h"

#include <errno.h>
#include <fcntl.h>
#include <iperf_api.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/watch/cage.h"
#include "common/clock.h"

#define SECONDS     1
#define QUIET_NS    (200 * NS_PER_MS) /* nobody had a tick of CPU for so long */
#define QUIET_MAX   (20 * NS_PER_S)
#define LOOK_NS     (50 * NS_PER_MS)
#define TRIES       20 /* the server may not listen yet */
#define TRY_NS      (100 * NS_PER_MS)
#define PATIENCE_NS (QUIET_MAX + 15 * NS_PER_S)

/* The child -------------------------------------------------------------- */

/* Ticks of the cage's other processes since they began. */
static uint64_t ticks_of_others(const struct capacity_args *args)
{
    struct cage cage;
    uint64_t sum = 0;
    cage_open(&cage, args->proc_dir, args->own_pgrp);
    cage_prime(&cage);
    for (size_t i = 0; i < cage.n; i++)
        if (strncmp(cage.processes[i].last.comm, "pitwall-watch", 13) != 0)
            sum += cage.processes[i].last.user_ticks +
                   cage.processes[i].last.system_ticks;
    cage_close(&cage);
    return sum;
}

static void await_quiet(const struct capacity_args *args)
{
    uint64_t now_ns = clock_mono_ns(), end_ns = now_ns + QUIET_MAX;
    uint64_t since_ns = now_ns, ticks = ticks_of_others(args);
    while (now_ns < end_ns && now_ns < since_ns + QUIET_NS) {
        clock_sleep_until(now_ns + LOOK_NS);
        now_ns = clock_mono_ns();
        uint64_t more = ticks_of_others(args);
        if (more != ticks)
            since_ns = now_ns;
        ticks = more;
    }
}

static struct iperf_test *new_test(const struct capacity_args *args, char role)
{
    struct iperf_test *test = iperf_new_test();
    if (!test)
        return NULL;
    if (iperf_defaults(test) < 0) {
        iperf_free_test(test);
        return NULL;
    }
    iperf_set_test_role(test, role);
    iperf_set_test_server_port(test, args->port);
    /* Its files go to the working folder, which is the attempt's own. */
    iperf_set_test_template(test, "./capacity.XXXXXX");
    iperf_set_test_json_output(test, 1);
    return test;
}

/* One stream, then several: two askings, and as many as fail before. */
static void serve(const struct capacity_args *args)
{
    struct iperf_test *test = new_test(args, 's');
    if (!test)
        return;
    iperf_set_test_bind_address(test, args->address);
    for (int i = 0; i < TRIES; i++) {
        if (iperf_run_server(test) < 0)
            clock_sleep_until(clock_mono_ns() + TRY_NS);
        iperf_reset_test(test);
    }
    iperf_free_test(test);
}

static enum err ask(const struct capacity_args *args, unsigned streams,
                    struct capacity_result *out, struct why *why)
{
    double *bit_s = streams == 1 ? &out->one_bit_s : &out->several_bit_s;
    struct iperf_test *test = new_test(args, 'c');
    if (!test)
        return err_set(why, ERR_NOMEM, "libiperf");
    iperf_set_test_server_hostname(test, args->address);
    iperf_set_test_num_streams(test, (int)streams);
    iperf_set_test_duration(test, SECONDS);
    iperf_set_test_connect_timeout(test, 2000);
    if (args->congestion) { /* the library takes a copy */
        char name[16];
        (void)snprintf(name, sizeof name, "%s", args->congestion);
        iperf_set_test_congestion_control(test, name);
    }
    enum err e = ERR_OK;
    bool failed = iperf_run_client(test) < 0;
    const char *json = iperf_get_test_json_output_string(test);
    if (failed)
        e = err_set(why, ERR_IO, "libiperf: %s", iperf_strerror(i_errno));
    else if (!json)
        e = err_set(why, ERR_IO, "libiperf gave no report");
    else
        e = capacity_parse(json, bit_s, why);
    if (!e)
        capacity_congestion(json, out->congestion, sizeof out->congestion);
    iperf_free_test(test);
    return e;
}

static enum err ask_again(const struct capacity_args *args, unsigned streams,
                          struct capacity_result *out, struct why *why)
{
    enum err e = ERR_OK;
    for (int i = 0; i < TRIES; i++) {
        e = ask(args, streams, out, why);
        if (!e || e == ERR_NOMEM)
            return e;
        clock_sleep_until(clock_mono_ns() + TRY_NS);
    }
    return e;
}

static void measure(const struct capacity_args *args,
                    struct capacity_result *out)
{
    struct why why = {""};
    await_quiet(args);
    enum err e = ask_again(args, 1, out, &why);
    if (!e)
        e = ask_again(args, CAPACITY_STREAMS, out, &why);
    if (e)
        (void)snprintf(out->error, sizeof out->error, "%.150s", why.text);
}

/* Never returns; the library's words go nowhere. */
static void be_child(const struct capacity_args *args, pid_t parent, int to)
{
    struct capacity_result result = {0};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool alone = getppid() != parent || null < 0 || dup2(null, 1) < 0 ||
                 dup2(null, 2) < 0;
    if (alone)
        _exit(1);
    /* The contract's descriptors are the watch's. */
    (void)dup2(to, 3);
    (void)close_range(4, ~0u, 0);
    if (args->serve) {
        serve(args);
        _exit(0);
    }
    measure(args, &result);
    _exit(write(3, &result, sizeof result) == sizeof result ? 0 : 1);
}

/* The watch -------------------------------------------------------------- */

static void fails(struct capacity *c, const char *text)
{
    (void)snprintf(c->result.error, sizeof c->result.error, "%s", text);
    c->known = true;
}

void capacity_start(struct capacity *c, const struct capacity_args *args,
                    uint64_t now_ns)
{
    int pipe_of[2];
    *c = CAPACITY_NONE;
    c->due_ns = now_ns + PATIENCE_NS;
    if (pipe2(pipe_of, O_CLOEXEC | O_NONBLOCK)) {
        fails(c, strerror(errno));
        return;
    }
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        be_child(args, parent, pipe_of[1]);
    (void)close(pipe_of[1]);
    if (pid < 0)
        fails(c, strerror(errno));
    c->pid = pid > 0 ? pid : 0;
    c->from = pipe_of[0];
}

bool capacity_busy(struct capacity *c, uint64_t now_ns)
{
    if (!c->pid || c->known)
        return false;
    ssize_t n = read(c->from, &c->result, sizeof c->result);
    if (n < 0 && (errno == EAGAIN || errno == EINTR) && now_ns < c->due_ns)
        return true;
    c->known = n == (ssize_t)sizeof c->result;
    if (c->known)
        c->result.error[sizeof c->result.error - 1] = '\0';
    else
        fails(c, now_ns < c->due_ns ? "the measuring process died"
                                    : "it was not measured in 35 s");
    capacity_stop(c);
    return false;
}

void capacity_stop(struct capacity *c)
{
    if (c->pid) {
        (void)kill(c->pid, SIGKILL);
        while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (c->from >= 0)
        (void)close(c->from);
    c->pid = 0;
    c->from = -1;
}

static void fact(struct emit *emit, unsigned streams, double bit_s)
{
    char name[32], value[32];
    if (!(bit_s > 0))
        return;
    (void)snprintf(name, sizeof name, "capacity.bit_s.%u", streams);
    (void)snprintf(value, sizeof value, "%.0f", bit_s);
    emit_fact(emit, name, value);
}

void capacity_facts(const struct capacity *c, struct emit *emit)
{
    if (!c->known)
        return;
    fact(emit, 1, c->result.one_bit_s);
    fact(emit, CAPACITY_STREAMS, c->result.several_bit_s);
    if (c->result.congestion[0])
        emit_fact(emit, "capacity.congestion", c->result.congestion);
    if (c->result.error[0])
        emit_fact(emit, "capacity.error", c->result.error);
}

/* The pure part ---------------------------------------------------------- */

/* What follows "name": in text, or NULL. */
static const char *member(const char *text, const char *name)
{
    char quoted[40];
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", name);
    const char *at = text ? strstr(text, quoted) : NULL;
    if (!at)
        return NULL;
    at += strlen(quoted);
    at += strspn(at, " \t\n");
    return *at == ':' ? at + 1 + strspn(at + 1, " \t\n") : NULL;
}

/* Read by names: as JSON it is not sound, since libiperf 3.12 writes
 * sock_bufsize once for each stream into one object. */
enum err capacity_parse(const char *text, double *bit_s, struct why *why)
{
    *bit_s = 0;
    const char *error = member(text, "error");
    if (error)
        return err_set(why, ERR_IO, "libiperf: %.*s",
                       (int)strcspn(error + (*error == '"'), "\"\n"),
                       error + (*error == '"'));
    const char *rate =
        member(member(member(text, "end"), "sum_received"), "bits_per_second");
    double value = rate ? strtod(rate, NULL) : 0;
    if (!(value > 0 && value < 1e15))
        return err_set(why, ERR_INVALID,
                       "libiperf's report has no end.sum_received."
                       "bits_per_second");
    *bit_s = value;
    return ERR_OK;
}

void capacity_congestion(const char *text, char *buf, size_t size)
{
    const char *name = member(text, "sender_tcp_congestion");
    if (!name || *name != '"')
        name = "";
    name += *name == '"';
    size_t n = strcspn(name, "\"\n");
    (void)snprintf(buf, size, "%.*s", n < size ? (int)n : 0, name);
}
