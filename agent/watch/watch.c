/* One loop, woken by the control socket, by curl, or by the clock:
 *
 *     WAITING ──ready──► READY ──START──► PENDING ──t0──► RUNNING ──┐
 *        └──────────────────┴────────────────┴───── STOP ───────────┴─► end
 *
 * At t0 the base of all differences is taken, at each boundary of ticks.h a
 * sample. STOP takes the last one, waits a moment for the target's statistics,
 * tells the facts and empties the pipe. */
#include "agent/watch/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/watch/capacity.h"
#include "agent/watch/dialog.h"
#include "agent/watch/digest.h"
#include "agent/watch/jvm.h"
#include "agent/watch/listeners.h"
#include "agent/watch/nsfacts.h"
#include "agent/watch/profile.h"
#include "agent/watch/sampler.h"
#include "agent/watch/ticks.h"
#include "common/child.h"
#include "common/clock.h"

#define RING_BYTES       (256u << 10) /* some 20 s of records */
#define STOP_STATS_NS    (NS_PER_S / 2)
#define FLUSH_NS         (2 * NS_PER_S)
#define IDLE_MS          1000
#define SAID_EVERY_NS    (250 * NS_PER_MS)
#define CAPACITY_LOOK_NS (50 * NS_PER_MS)

enum state { WAITING, READY, PENDING, RUNNING };

struct watch {
    const struct watch_args *args;
    enum state state;
    struct sampler *sampler;
    struct dialog *dialog; /* NULL: the target is not asked */
    struct capacity capacity;
    struct profile *profile; /* NULL: not an extra trial */
    struct jvm *jvm;         /* NULL: the target is none */
    struct emit emit;
    struct measure_window window;
    struct ticks ticks;
    bool stop;
    uint64_t said_due_ns;
    char hashes[WATCH_HASHES_MAX][DIGEST_HEX_SIZE]; /* of args->hashes */
    uint8_t ring[RING_BYTES];
};

static uint16_t own_port(const struct watch *w)
{
    return w->dialog ? poll_local_port(dialog_poll(w->dialog)) : 0;
}

static enum err start(struct watch *w, const struct child_msg *m,
                      struct why *why)
{
    if (w->state != READY)
        return err_set(why, ERR_STATE, "START %s",
                       w->state == WAITING ? "before the target was ready"
                                           : "a second time");
    capacity_stop(&w->capacity);
    w->window = measure_window(m->t_ns, m->warmup_ns, m->measure_ns);
    w->state = PENDING;
    if (w->dialog)
        dialog_window(w->dialog, &w->window);
    if (w->jvm)
        jvm_window(w->jvm, &w->window);
    return ERR_OK;
}

static enum err obey(struct watch *w, struct why *why)
{
    struct child_msg m;
    for (;;) {
        enum err e = child_receive(w->args->control, &m, why);
        if (e == ERR_AGAIN)
            return ERR_OK;
        if (e == ERR_GONE || (!e && m.kind == CHILD_STOP)) {
            w->stop = true;
            return ERR_OK;
        }
        if (!e && m.kind == CHILD_START)
            e = start(w, &m, why);
        else if (!e && m.kind != CHILD_ARM)
            e = err_set(why, ERR_PROTOCOL, "a control packet of kind %u",
                        m.kind);
        if (e)
            return e;
    }
}

static void sample(struct watch *w)
{
    int64_t second = w->ticks.label;
    sampler_take(w->sampler, second, own_port(w), &w->emit);
    if (w->dialog)
        dialog_sample(w->dialog, second);
    if (w->jvm)
        jvm_sample(w->jvm, second, &w->emit);
}

/* What the clock asks for. */
static void tick(struct watch *w, uint64_t now_ns)
{
    if (w->profile && w->state >= PENDING)
        profile_turn(w->profile, &w->window, now_ns);
    if (w->state == PENDING && now_ns >= w->window.t0_ns) {
        w->state = RUNNING;
        sampler_prime(w->sampler, own_port(w));
        if (w->dialog)
            dialog_base(w->dialog);
        if (w->jvm)
            jvm_prime(w->jvm);
        ticks_start(&w->ticks, &w->window, now_ns);
    } else if (w->state == RUNNING && now_ns >= w->ticks.due_ns) {
        sample(w);
        ticks_advance(&w->ticks, now_ns);
    } else if (w->state == RUNNING && now_ns >= w->ticks.sockets_ns) {
        uint64_t cpu_ns = clock_process_cpu_ns();
        sampler_look(w->sampler, own_port(w));
        ticks_sockets_done(&w->ticks, now_ns, clock_process_cpu_ns() - cpu_ns);
    }
}

/* Tell what the target answers instead of being ready, as it changes. */
static void report_waiting(struct watch *w, const char *said, uint64_t now_ns)
{
    char text[sizeof((struct child_msg *)0)->text], ports[100];
    if (!*said || !w->args->ready || now_ns < w->said_due_ns)
        return;
    w->said_due_ns = now_ns + SAID_EVERY_NS;
    (void)snprintf(text, sizeof text, "%s", said);
    /* Whoever listens in a namespace of its own is the target. */
    if (strstr(said, "onnect") && !w->args->own_pgrp)
        (void)snprintf(text, sizeof text, "%.300s; listened on here: %s", said,
                       *listeners_show(w->args->proc_dir, ports, sizeof ports)
                           ? ports
                           : "no port");
    child_report(w->args->control, CHILD_PROGRESS, text);
}

static enum err report_ready(struct watch *w, struct why *why)
{
    uint64_t now_ns = clock_mono_ns();
    if (w->state != WAITING)
        return ERR_OK;
    if (w->dialog && !dialog_ready(w->dialog)) {
        bool hopeless = false;
        const char *said = dialog_said(w->dialog, now_ns, &hopeless);
        report_waiting(w, said, now_ns);
        return hopeless ? err_set(why, ERR_PROTOCOL,
                                  "statistics of the target: %s", said)
                        : ERR_OK;
    }
    if (w->args->load_side && capacity_busy(&w->capacity, clock_mono_ns()))
        return ERR_OK;
    w->state = READY;
    child_report(w->args->control, CHILD_READY, w->args->url);
    return ERR_OK;
}

static uint64_t next_ns(const struct watch *w)
{
    uint64_t next = UINT64_MAX;
    if (w->state == WAITING && w->capacity.pid)
        next = clock_mono_ns() + CAPACITY_LOOK_NS;
    if (w->state == PENDING)
        next = w->window.t0_ns;
    else if (w->state == RUNNING)
        next = ticks_next_ns(&w->ticks);
    if (w->profile && w->state >= PENDING) {
        uint64_t look_ns = profile_due_ns(w->profile, &w->window);
        next = look_ns < next ? look_ns : next;
    }
    uint64_t due_ns = w->dialog ? dialog_due_ns(w->dialog) : UINT64_MAX;
    return due_ns < next ? due_ns : next;
}

static void wait_until(struct watch *w, uint64_t due_ns)
{
    int ms = clock_poll_ms(clock_mono_ns(), due_ns);
    poll_wait(w->dialog ? dialog_poll(w->dialog) : NULL, w->args->control,
              ms < IDLE_MS ? ms : IDLE_MS);
}

/* The last sample; its statistics are waited for, but not for long. */
static void finish(struct watch *w)
{
    if (w->state != RUNNING)
        return;
    sample(w);
    if (!w->dialog)
        return;
    uint64_t now_ns = clock_mono_ns(), due_ns = now_ns + STOP_STATS_NS;
    for (;; now_ns = clock_mono_ns()) {
        dialog_turn(w->dialog, now_ns, &w->emit);
        if (dialog_quiet(w->dialog) || now_ns >= due_ns)
            return;
        uint64_t next = dialog_due_ns(w->dialog);
        /* The control socket may be at its end, and so always readable. */
        poll_wait(dialog_poll(w->dialog), -1,
                  clock_poll_ms(now_ns, next < due_ns ? next : due_ns));
    }
}

static void tell_facts(struct watch *w)
{
    struct netdev links[NETDEV_MAX];
    size_t n = sampler_ifaces(w->sampler, links, NETDEV_MAX);
    nsfacts_emit(w->args->proc_dir, links, n, &w->emit);
    if (w->dialog)
        dialog_facts(w->dialog, &w->emit);
    for (size_t i = 0; i < w->args->n_hashes; i++)
        emit_fact(&w->emit, w->args->hashes[i].name, w->hashes[i]);
    sampler_facts(w->sampler, &w->emit);
    capacity_facts(&w->capacity, &w->emit);
    if (w->profile)
        profile_emit(w->profile, &w->emit);
    emit_count(&w->emit, "watch.missed", w->ticks.missed);
    emit_count(&w->emit, "watch.blocked",
               w->emit.pipe.blocked + w->emit.failed);
    emit_count(&w->emit, "watch.cpu_ns", clock_process_cpu_ns());
}

static void begin_capacity(struct watch *w)
{
    const struct watch_args *a = w->args;
    const struct capacity_args args = {
        .serve = !a->load_side,
        .address = a->address,
        .congestion = a->congestion,
        .port = (uint16_t)(a->port < UINT16_MAX ? a->port + 1 : a->port - 1),
        .proc_dir = a->proc_dir,
        .own_pgrp = a->own_pgrp,
    };
    if ((a->devices & DEVICE_CAPACITY) && a->address)
        capacity_start(&w->capacity, &args, clock_mono_ns());
}

/* Before anything is measured; one that cannot be read has no hash. */
static void hash_files(struct watch *w)
{
    for (size_t i = 0; i < w->args->n_hashes; i++)
        if (digest_file(w->args->hashes[i].path, w->hashes[i], NULL))
            (void)snprintf(w->hashes[i], sizeof w->hashes[i], "unreadable");
}

static enum err run(struct watch *w, struct why *why)
{
    begin_capacity(w);
    hash_files(w);
    while (!w->stop) {
        uint64_t now_ns = clock_mono_ns();
        tick(w, now_ns);
        if (w->dialog)
            dialog_turn(w->dialog, now_ns, &w->emit);
        enum err e = report_ready(w, why);
        if (!e) {
            wait_until(w, next_ns(w));
            e = obey(w, why);
        }
        if (e)
            return e;
    }
    uint64_t end_ns = clock_mono_ns();
    finish(w);
    if (w->jvm)
        jvm_end(w->jvm, end_ns, &w->emit);
    tell_facts(w);
    return child_pipe_flush(&w->emit.pipe, clock_mono_ns() + FLUSH_NS, why);
}

/* Reads are the target's. */
static enum err open_profile(struct watch *w, struct why *why)
{
    const struct watch_args *a = w->args;
    const struct profile_args args = {
        .reads = !a->load_side && (a->devices & DEVICE_READS),
        .perf = a->devices & DEVICE_PERF,
        .own_pgrp = a->own_pgrp,
        .proc_dir = a->proc_dir,
    };
    return args.reads || args.perf ? profile_open(&w->profile, &args, why)
                                   : ERR_OK;
}

static enum err open_jvm(struct watch *w, struct why *why)
{
    const struct jvm_args args = {.proc_dir = w->args->proc_dir,
                                  .tmp_dir = "/tmp",
                                  .own_pgrp = w->args->own_pgrp};
    return w->args->jvm ? jvm_open(&w->jvm, &args, why) : ERR_OK;
}

static enum err open_dialog(struct watch *w, struct why *why)
{
    const struct watch_args *a = w->args;
    const struct dialog_plan plan = {.url = a->url,
                                     .stats = a->devices & DEVICE_TARGET,
                                     .ready = a->ready,
                                     .window = a->tell_window,
                                     .expect = a->expect,
                                     .stats_path = a->stats_path,
                                     .map = &a->map};
    return dialog_open(&w->dialog, &plan, why);
}

static void done(const struct watch *w)
{
    struct child_msg m = {.kind = CHILD_DONE, .t_ns = clock_mono_ns()};
    enum err ignored = child_send(w->args->control, &m, NULL);
    (void)ignored; /* the executor sees the exit as well */
}

enum err watch_run(const struct watch_args *args, struct why *why)
{
    struct watch *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(why, ERR_NOMEM, "watch");
    w->args = args;
    w->capacity = CAPACITY_NONE;
    emit_init(&w->emit, args->load_side ? "load" : "target", args->data,
              w->ring, sizeof w->ring);
    const struct sampler_args sampler = {
        .devices = args->devices,
        .load_side = args->load_side,
        .port = args->port,
        .own_pgrp = args->own_pgrp,
        .proc_dir = args->proc_dir,
    };
    enum err e = sampler_open(&w->sampler, &sampler, why);
    if (!e && args->url)
        e = open_dialog(w, why);
    if (!e)
        e = open_profile(w, why);
    if (!e)
        e = open_jvm(w, why);
    if (!e)
        e = run(w, why);
    if (e)
        child_fail(args->control, e, why);
    else
        done(w);
    capacity_stop(&w->capacity);
    profile_close(w->profile);
    jvm_close(w->jvm);
    dialog_close(w->dialog);
    sampler_close(w->sampler);
    emit_fini(&w->emit);
    free(w);
    return e;
}
