#include "agent/executor/executor.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/executor/counter.h"
#include "agent/executor/orders.h"
#include "agent/executor/orphan.h"
#include "agent/executor/tenure.h"
#include "common/clock.h"
#include "common/cpus.h"
#include "common/log.h"
#include "common/secret.h"

/* A gate that ends by itself this soon, and before it served anybody, could
 * not listen: starting it again would not help. */
#define FIRST_NS (2 * NS_PER_S)

enum slot { SLOT_SIGNALS, SLOT_PARENT, SLOT_GATE, SLOT_GATE_EXIT, SLOTS };

static enum err take_signals(struct executor *x, struct why *why)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGHUP);
    (void)signal(SIGPIPE, SIG_IGN);
    if (sigprocmask(SIG_BLOCK, &set, NULL))
        return err_errno(why, errno, "block signals");
    x->signals_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return x->signals_fd < 0 ? err_errno(why, errno, "signalfd") : ERR_OK;
}

/* Before anything else: whatever fails later, the machine is as it was. */
static enum err open_host(struct host *host, const struct home *home,
                          const struct config *config, uint64_t incarnation,
                          struct why *why)
{
    char boot_id[37];
    enum err e = facts_boot_id(boot_id, why);
    return e ? e
             : host_open(host, home->state, boot_id, incarnation,
                         config->die_at, why);
}

/* Of dead agents, whoever they were: their processes are nobody's. */
static void sweep_dead(const struct groups *groups)
{
    unsigned n = groups_sweep(groups, false);
    if (n)
        log_warn("removed control groups of dead agents count=%u", n);
}

static enum err open_groups(struct executor *x, struct why *why)
{
    groups_open(&x->groups);
    facts_groups(&x->facts, &x->groups);
    sweep_dead(&x->groups);
    return sweeper_start(&x->sweeper, &x->groups, why);
}

static enum err begin(struct executor *x, struct why *why)
{
    const struct config *c = x->config;
    unsigned sealed = 0;
    enum err e = take_signals(x, why);
    if (!e)
        e = home_open(&x->home, c->state, &sealed, why);
    if (sealed)
        log_warn("sealed unfinished attempts count=%u", sealed);
    if (!e)
        e = counter_next(x->home.state, "incarnation", &x->incarnation, why);
    if (!e)
        e = open_host(&x->host, &x->home, c, x->incarnation, why);
    if (!e)
        e = facts_probe(&x->facts, c->cpus, why);
    if (x->facts.mode == FACTS_PLAIN)
        orphan_adopt();
    if (!e)
        e = open_groups(x, why);
    if (!e)
        e = gate_init(&x->gate, c->state, c->gate_user, c->listen,
                      geteuid() == 0, why);
    x->gate.insecure_plain = c->insecure_plain;
    x->gate.tls = c->tls.key[0] ? &c->tls : NULL;
    if (!e)
        e = gate_start(&x->gate, clock_mono_ns(), why);
    return e;
}

/* Signals, parent, lease --------------------------------------------------- */

static void on_signal(struct executor *x)
{
    struct signalfd_siginfo info;
    if (read(x->signals_fd, &info, sizeof info) != (ssize_t)sizeof info)
        return;
    log_info("signal %u", info.ssi_signo);
    if (live_busy(&x->live))
        live_tell(&x->live, x->leaving ? EVENT_KILL : EVENT_STOP,
                  "the agent was told to end");
    x->leaving = true;
    notify_stopping(&x->notify);
}

/* Its end of file means that nobody is left who wants the results. */
static void on_parent(struct executor *x)
{
    char bytes[64];
    ssize_t n = read(x->parent_fd, bytes, sizeof bytes);
    if (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)))
        return;
    log_info("parent is gone");
    if (live_busy(&x->live))
        live_tell(&x->live, EVENT_KILL,
                  "the program that started this agent is gone");
    x->leaving = true;
    x->parent_fd = -1;
}

/* The gate ----------------------------------------------------------------- */

static void on_gate(struct executor *x)
{
    struct port_request request;
    struct port_reply reply;
    struct why why = {0};
    int plan = -1, fd = -1;
    enum err e =
        port_receive(x->gate.sock, &request, sizeof request, &plan, &why);
    if (e == ERR_AGAIN)
        return;
    if (!e) {
        x->served |= request.op != MSG_HELLO;
        notify_ready(&x->notify); /* it asks, then it listens */
        orders_answer(x, &request, plan, &reply, &fd);
        e = port_send(x->gate.sock, &reply, sizeof reply, fd, &why);
        if (fd >= 0)
            (void)close(fd);
    }
    if (e) { /* its end of file, or it does not keep to the port */
        log_warn("port: %s", why.text);
        x->gate.last_status = gate_ended(&x->gate);
    }
}

static enum err check_gate(struct executor *x, struct why *why)
{
    const struct gate *g = &x->gate;
    uint64_t now_ns = clock_mono_ns();
    if (g->pid || x->leaving)
        return ERR_OK;
    bool at_once = now_ns < g->started_ns + FIRST_NS;
    if (!x->served && at_once && g->last_status > 0)
        return err_set(why, g->last_status == 2 ? ERR_USAGE : ERR_CHILD,
                       "the gate ended with status %d, see above",
                       g->last_status);
    struct why passing = {0};
    if (gate_start(&x->gate, now_ns, &passing))
        log_error("gate: %s", passing.text); /* again in a second */
    return ERR_OK;
}

/* The loop ----------------------------------------------------------------- */

static void watch_fds(const struct executor *x, struct pollfd *fds)
{
    const int own[SLOTS] = {[SLOT_SIGNALS] = x->signals_fd,
                            [SLOT_PARENT] = x->parent_fd,
                            [SLOT_GATE] = x->gate.sock,
                            [SLOT_GATE_EXIT] = x->gate.pidfd};
    for (int i = 0; i < SLOTS; i++)
        fds[i] = (struct pollfd){.fd = own[i], .events = POLLIN};
    stage_watch(&x->live.stage, fds + SLOTS);
}

static int sleep_ms(const struct executor *x)
{
    uint64_t now_ns = clock_mono_ns();
    uint64_t due_ns = now_ns + 60 * NS_PER_S;
    const struct attempt *a = &x->live.attempt;
    if (live_busy(&x->live) && x->live.trim_ns < due_ns)
        due_ns = x->live.trim_ns;
    if (live_busy(&x->live) && a->deadline_ns && a->deadline_ns < due_ns)
        due_ns = a->deadline_ns;
    if (!x->gate.pid && x->gate.next_ns < due_ns)
        due_ns = x->gate.next_ns;
    uint64_t left_ns = lease_left_ns(&x->lease, clock_boot_ns());
    if (x->lease.held && now_ns + left_ns < due_ns)
        due_ns = now_ns + left_ns;
    if (x->notify.due_ns < due_ns)
        due_ns = x->notify.due_ns;
    return clock_poll_ms(now_ns, due_ns);
}

static enum err turn(struct executor *x, struct why *why)
{
    struct pollfd fds[SLOTS + STAGE_FDS];
    watch_fds(x, fds);
    int n = poll(fds, SLOTS + STAGE_FDS, sleep_ms(x));
    if (n < 0 && errno != EINTR)
        return err_errno(why, errno, "poll");
    if (n > 0) {
        live_hear(&x->live, fds + SLOTS);
        if (fds[SLOT_SIGNALS].revents)
            on_signal(x);
        if (fds[SLOT_PARENT].revents)
            on_parent(x);
        if (fds[SLOT_GATE].revents)
            on_gate(x);
        if (fds[SLOT_GATE_EXIT].revents && x->gate.pid)
            x->gate.last_status = gate_ended(&x->gate);
    }
    tenure_tick(x);
    notify_alive(&x->notify, clock_mono_ns());
    live_finish(&x->live);
    return check_gate(x, why);
}

static void end(struct executor *x)
{
    if (live_busy(&x->live))
        live_tell(&x->live, EVENT_KILL, "the agent ended");
    live_finish(&x->live);
    gate_stop(&x->gate);
    host_close(&x->host);
    home_close(&x->home);
    notify_close(&x->notify);
    sweeper_stop(&x->sweeper);
    groups_close(&x->groups);
    if (x->signals_fd >= 0)
        (void)close(x->signals_fd);
}

enum err executor_run(const struct config *config, int parent_fd,
                      struct why *why)
{
    struct executor *x = calloc(1, sizeof *x);
    if (!x)
        return err_set(why, ERR_NOMEM, "no memory for the executor");
    x->config = config;
    x->parent_fd = parent_fd;
    x->signals_fd = -1;
    x->home = HOME_NONE;
    x->gate = GATE_NONE;
    x->host = HOST_NONE;
    x->sweeper = SWEEPER_NONE;
    notify_open(&x->notify, getenv("NOTIFY_SOCKET"), getenv("WATCHDOG_USEC"));
    live_init(&x->live, &x->host, &x->groups);
    enum err e = begin(x, why);
    while (!e && !(x->leaving && !live_busy(&x->live)))
        e = turn(x, why);
    end(x);
    free(x);
    return e;
}

/* One-shot verbs ----------------------------------------------------------- */

/* Whether the key can be had; the rest is the gate's to judge. */
static void tell_tls(const struct tls_files *tls)
{
    struct why why = {0};
    int fd = -1;
    if (!tls->key[0])
        (void)printf("tls=none: tls+tcp cannot be listened on\n");
    else if (secret_open(tls->key, &fd, &why))
        (void)printf("tls=%s\n", why.text);
    else
        (void)printf("tls=%s\n", tls->cert);
    if (fd >= 0)
        (void)close(fd);
}

enum err executor_check(const struct config *config, struct why *why)
{
    struct facts facts;
    struct groups groups;
    char features[513], missing[1025], cpus[64], maps[8193];
    enum err e = facts_probe(&facts, config->cpus, why);
    if (e)
        return e;
    groups_open(&groups);
    facts_groups(&facts, &groups);
    groups_close(&groups);
    facts_features(&facts, features, sizeof features);
    facts_missing(&facts, missing, sizeof missing);
    cpus_show(&facts.cpus, cpus, sizeof cpus);
    (void)printf("name=%s\nroles=%s\nstate=%s\nfeatures=%s\nmissing=%s\n"
                 "cpus=%s\n",
                 config->name, config->roles, config->state, features,
                 missing[0] ? missing : "nothing", cpus);
    tell_tls(&config->tls);
    target_maps(&config->targets, maps, sizeof maps);
    for (size_t at = 0, n; maps[at]; at += n + (maps[at + n] == '\n')) {
        n = strcspn(maps + at, "\n");
        (void)printf("target.");
        (void)fwrite(maps + at, 1, n, stdout);
        (void)printf("\n");
    }
    return ERR_OK;
}

enum err executor_restore(const struct config *config, struct why *why)
{
    struct home home;
    struct groups groups;
    struct host host = HOST_NONE;
    unsigned sealed = 0;
    char held[400];
    enum err e = home_open(&home, config->state, &sealed, why);
    if (e)
        return e;
    (void)printf("unfinished attempts sealed: %u\n", sealed);
    groups_open(&groups);
    sweep_dead(&groups);
    groups_close(&groups);
    e = open_host(&host, &home, config, 0, why);
    if (!e && host_held(&host, held, sizeof held))
        e = err_set(why, ERR_STATE, "%s", held);
    if (!e)
        (void)printf("nothing of the machine is changed\n");
    host_close(&host);
    home_close(&home);
    return e;
}
