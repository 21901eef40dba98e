#include "agent/watch/sampler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/watch/cage.h"
#include "agent/watch/counter.h"
#include "agent/watch/cpustat.h"
#include "agent/watch/diskstats.h"
#include "agent/watch/netstat.h"
#include "agent/watch/pressure.h"
#include "agent/watch/sockets.h"
#include "agent/watch/source.h"
#include "common/clock.h"

#define TEXT_BYTES                                                             \
    (256u << 10)        /* the longest /proc file that is read whole           \
                         */
#define STAT_BYTES 1024 /* of /proc/stat only the first line */
#define WALK_LOOKS 25   /* 5 s: nothing is missed for longer */

/* Counters of the namespace, in the order of the names below. */
enum { IN, OUT, RETRANS, N_SNMP };
enum { ACTIVE_OPENS, PASSIVE_OPENS, RESETS, ESTABLISHED, N_OPENS };
enum { TIMEOUTS, PRUNED, COLLAPSED, LISTEN_DROPS, ZERO_WINDOWS, N_NETSTAT };

static const char *const snmp_names[N_SNMP] = {"InSegs", "OutSegs",
                                               "RetransSegs"};
static const char *const opens_names[N_OPENS] = {"ActiveOpens", "PassiveOpens",
                                                 "EstabResets", "CurrEstab"};
static const char *const netstat_names[N_NETSTAT] = {
    "TCPTimeouts", "PruneCalled", "TCPRcvCollapsed", "ListenDrops",
    "TCPToZeroWindowAdv"};

struct sampler {
    struct sampler_args args;
    struct source netdev, snmp, netstat, stat, diskstats;
    struct source waits[PRESSURES]; /* cpu, io, memory */
    struct netdev links[NETDEV_MAX];
    struct diskstats disks[DISKSTATS_MAX];
    size_t n_links, n_disks;
    struct cpustat cpu;
    struct pressure pressure[PRESSURES];
    uint64_t tcp[N_SNMP], tcp_ext[N_NETSTAT];
    uint64_t tick_ns;
    struct tcpinfo_reader *sockets_reader;
    struct sockets sockets;
    uint64_t opens[N_OPENS]; /* before the last walk over all sockets */
    unsigned walk_due;       /* looks until the next one at the latest */
    uint64_t walks, sockets_failed;
    struct why sockets_why; /* of the last failure */
    struct cage cage;
    struct affinity affinity;
    char paths[5 + PRESSURES][64];
    char text[TEXT_BYTES];
};

static void open_source(struct sampler *s, struct source *source, size_t i,
                        const char *name)
{
    (void)snprintf(s->paths[i], sizeof s->paths[i], "%.40s/%s",
                   s->args.proc_dir, name);
    source_open(source, s->paths[i]);
}

enum err sampler_open(struct sampler **out, const struct sampler_args *args,
                      struct why *why)
{
    *out = NULL;
    struct sampler *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(why, ERR_NOMEM, "sampler");
    s->args = *args;
    s->tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
    open_source(s, &s->netdev, 0, "net/dev");
    open_source(s, &s->snmp, 1, "net/snmp");
    open_source(s, &s->netstat, 2, "net/netstat");
    open_source(s, &s->stat, 3, "stat");
    open_source(s, &s->diskstats, 4, "diskstats");
    for (size_t i = 0; i < PRESSURES; i++)
        open_source(s, &s->waits[i], 5 + i, pressure_files[i]);
    cage_open(&s->cage, args->proc_dir, args->own_pgrp);
    enum err e = sockets_init(&s->sockets, why);
    if (!e && args->devices & DEVICE_TCP &&
        tcpinfo_open(&s->sockets_reader, &s->sockets_why))
        s->sockets_failed++;
    if (e) {
        sampler_close(s);
        return e;
    }
    *out = s;
    return ERR_OK;
}

void sampler_close(struct sampler *s)
{
    if (!s)
        return;
    source_close(&s->netdev);
    source_close(&s->snmp);
    source_close(&s->netstat);
    source_close(&s->stat);
    source_close(&s->diskstats);
    for (size_t i = 0; i < PRESSURES; i++)
        source_close(&s->waits[i]);
    cage_close(&s->cage);
    tcpinfo_close(s->sockets_reader);
    sockets_fini(&s->sockets);
    free(s);
}

/* Whether connections came or went since it was asked last. */
static bool opens_moved(struct sampler *s)
{
    uint64_t now[N_OPENS];
    size_t len = source_read(&s->snmp, s->text, sizeof s->text);
    size_t n = netstat_parse(s->text, len, "Tcp", opens_names, now, N_OPENS);
    bool moved = n < N_OPENS || memcmp(now, s->opens, sizeof now) != 0;
    memcpy(s->opens, now, sizeof now);
    return moved;
}

void sampler_look(struct sampler *s, uint16_t watch_port)
{
    struct tcpinfo_filter filter = {0};
    if (!s->sockets_reader || !(s->args.devices & DEVICE_TCP))
        return;
    if (s->args.load_side)
        filter.remote_port = s->args.port;
    else
        filter.local_port = s->args.port;
    s->sockets.watch_port = watch_port;
    const struct tcpinfo_visitor visitor = {sockets_add, &s->sockets};
    bool moved = opens_moved(s) || !s->walk_due;
    sockets_begin(&s->sockets);
    if (!moved && tcpinfo_again(s->sockets_reader, &visitor)) {
        s->walk_due--;
    } else {
        s->walks++;
        s->walk_due = WALK_LOOKS;
        if (tcpinfo_each(s->sockets_reader, &filter, &visitor, &s->sockets_why))
            s->sockets_failed++;
    }
    sockets_end(&s->sockets);
}

static const struct netdev *link_before(const struct sampler *s,
                                        const char *name)
{
    static const struct netdev none;
    for (size_t i = 0; i < s->n_links; i++)
        if (!strcmp(s->links[i].name, name))
            return &s->links[i];
    return &none;
}

static bool link_idle(const struct netdev *d)
{
    return !d->rx_packets && !d->tx_packets && !d->rx_dropped &&
           !d->tx_dropped && !d->rx_errors && !d->tx_errors;
}

static void put_link(const struct netdev *a, const struct netdev *b,
                     int64_t second, struct emit *emit)
{
    struct record_sample_link r = {
        .second = second,
        .rx_bytes = counter_since(a->rx_bytes, b->rx_bytes),
        .rx_packets = counter_since(a->rx_packets, b->rx_packets),
        .rx_dropped = counter_since(a->rx_dropped, b->rx_dropped),
        .rx_errors = counter_since(a->rx_errors, b->rx_errors),
        .tx_bytes = counter_since(a->tx_bytes, b->tx_bytes),
        .tx_packets = counter_since(a->tx_packets, b->tx_packets),
        .tx_dropped = counter_since(a->tx_dropped, b->tx_dropped),
        .tx_errors = counter_since(a->tx_errors, b->tx_errors),
    };
    emit_side(emit, r.side);
    (void)snprintf(r.iface, sizeof r.iface, "%s", b->name);
    emit_record(emit, RECORD_IS_sample_link, &r);
}

/* emit NULL: only the base is taken; so below. */
static void take_links(struct sampler *s, int64_t second, struct emit *emit)
{
    struct netdev now[NETDEV_MAX];
    size_t len = source_read(&s->netdev, s->text, sizeof s->text);
    size_t n = netdev_parse(s->text, len, now, NETDEV_MAX);
    for (size_t i = 0; emit && i < n; i++)
        if (!link_idle(&now[i]))
            put_link(link_before(s, now[i].name), &now[i], second, emit);
    memcpy(s->links, now, n * sizeof *now);
    s->n_links = n;
}

static void take_tcp(struct sampler *s, int64_t second, uint16_t watch_port,
                     struct emit *emit)
{
    uint64_t tcp[N_SNMP], ext[N_NETSTAT];
    size_t len = source_read(&s->snmp, s->text, sizeof s->text);
    netstat_parse(s->text, len, "Tcp", snmp_names, tcp, N_SNMP);
    len = source_read(&s->netstat, s->text, sizeof s->text);
    netstat_parse(s->text, len, "TcpExt", netstat_names, ext, N_NETSTAT);
    if (s->sockets.looks == s->sockets.looks_taken)
        sampler_look(s, watch_port); /* too short an interval for one */
    if (emit) {
        struct record_sample_tcp r = {
            .second = second,
            .segs_in = counter_since(s->tcp[IN], tcp[IN]),
            .segs_out = counter_since(s->tcp[OUT], tcp[OUT]),
            .segs_retrans = counter_since(s->tcp[RETRANS], tcp[RETRANS]),
            .timeouts = counter_since(s->tcp_ext[TIMEOUTS], ext[TIMEOUTS]),
            .rcvq_pruned = counter_since(s->tcp_ext[PRUNED], ext[PRUNED]),
            .rcvq_collapsed =
                counter_since(s->tcp_ext[COLLAPSED], ext[COLLAPSED]),
            .listen_drops =
                counter_since(s->tcp_ext[LISTEN_DROPS], ext[LISTEN_DROPS]),
            .zero_windows =
                counter_since(s->tcp_ext[ZERO_WINDOWS], ext[ZERO_WINDOWS]),
        };
        emit_side(emit, r.side);
        sockets_take(&s->sockets, &r);
        emit_record(emit, RECORD_IS_sample_tcp, &r);
    }
    memcpy(s->tcp, tcp, sizeof tcp);
    memcpy(s->tcp_ext, ext, sizeof ext);
}

static void take_cpu(struct sampler *s, int64_t second, struct emit *emit)
{
    struct cpustat now, *was = &s->cpu;
    size_t len = source_read(&s->stat, s->text, STAT_BYTES);
    if (!cpustat_parse(s->text, len, &now))
        return;
#define NS(field) (counter_since(was->field, now.field) * s->tick_ns)
    if (emit) {
        struct record_sample_cpu r = {
            .second = second,
            .user_ns = NS(user) + NS(nice),
            .system_ns = NS(system),
            .irq_ns = NS(irq),
            .softirq_ns = NS(softirq),
            .steal_ns = NS(steal),
            .iowait_ns = NS(iowait),
            .idle_ns = NS(idle),
        };
        emit_side(emit, r.side);
        emit_record(emit, RECORD_IS_sample_cpu, &r);
    }
#undef NS
    *was = now;
}

static const struct diskstats *disk_before(const struct sampler *s,
                                           const char *name)
{
    static const struct diskstats none;
    for (size_t i = 0; i < s->n_disks; i++)
        if (!strcmp(s->disks[i].name, name))
            return &s->disks[i];
    return &none;
}

static void put_disk(const struct diskstats *a, const struct diskstats *b,
                     int64_t second, struct emit *emit)
{
    struct record_sample_disk r = {
        .second = second,
        .read_bytes = counter_since(a->read_bytes, b->read_bytes),
        .write_bytes = counter_since(a->write_bytes, b->write_bytes),
        .busy_ns = counter_since(a->busy_ns, b->busy_ns),
    };
    if (!r.read_bytes && !r.write_bytes && !r.busy_ns)
        return;
    emit_side(emit, r.side);
    (void)snprintf(r.device, sizeof r.device, "%s", b->name);
    emit_record(emit, RECORD_IS_sample_disk, &r);
}

static void take_disks(struct sampler *s, int64_t second, struct emit *emit)
{
    struct diskstats now[DISKSTATS_MAX];
    size_t len = source_read(&s->diskstats, s->text, sizeof s->text);
    size_t n = diskstats_parse(s->text, len, now, DISKSTATS_MAX);
    for (size_t i = 0; emit && i < n; i++)
        put_disk(disk_before(s, now[i].name), &now[i], second, emit);
    memcpy(s->disks, now, n * sizeof *now);
    s->n_disks = n;
}

/* A kernel without pressure accounting gives no samples. */
static void take_pressure(struct sampler *s, int64_t second, struct emit *emit)
{
    struct pressure now[PRESSURES] = {0}, d[PRESSURES];
    bool any = false;
    for (size_t i = 0; i < PRESSURES; i++) {
        size_t len = source_read(&s->waits[i], s->text, sizeof s->text);
        any |= pressure_parse(s->text, len, &now[i]);
        d[i] = pressure_since(&s->pressure[i], &now[i]);
    }
    memcpy(s->pressure, now, sizeof now);
    struct record_sample_pressure r = {
        .second = second,
        .cpu_some_ns = d[PRESSURE_CPU].some_ns,
        .io_some_ns = d[PRESSURE_IO].some_ns,
        .io_full_ns = d[PRESSURE_IO].full_ns,
        .memory_some_ns = d[PRESSURE_MEMORY].some_ns,
        .memory_full_ns = d[PRESSURE_MEMORY].full_ns,
    };
    if (!any || !emit)
        return;
    emit_side(emit, r.side);
    emit_record(emit, RECORD_IS_sample_pressure, &r);
}

static void take_all(struct sampler *s, int64_t second, uint16_t watch_port,
                     struct emit *emit)
{
    if (s->args.devices & DEVICE_TCP)
        take_tcp(s, second, watch_port, emit);
    if (s->args.devices & DEVICE_LINK)
        take_links(s, second, emit);
    if (s->args.devices & DEVICE_CPU)
        take_cpu(s, second, emit);
    if (s->args.devices & DEVICE_DISK)
        take_disks(s, second, emit);
    if (s->args.devices & DEVICE_DISK)
        take_pressure(s, second, emit);
}

void sampler_prime(struct sampler *s, uint16_t watch_port)
{
    struct record_sample_tcp unused = {0};
    take_all(s, 0, watch_port, NULL);
    sockets_take(&s->sockets, &unused);
    if (s->args.devices & DEVICE_PROC)
        cage_prime(&s->cage);
}

void sampler_take(struct sampler *s, int64_t second, uint16_t watch_port,
                  struct emit *emit)
{
    take_all(s, second, watch_port, emit);
    if (s->args.devices & DEVICE_PROC)
        cage_sample(&s->cage, second, emit);
    if (s->args.devices & DEVICE_PROC)
        cage_affinity(&s->cage, &s->affinity);
}

size_t sampler_ifaces(struct sampler *s, struct netdev *out, size_t max)
{
    size_t len = source_read(&s->netdev, s->text, sizeof s->text), kept = 0;
    size_t n = netdev_parse(s->text, len, out, max);
    for (size_t i = 0; i < n; i++)
        if (!link_idle(&out[i]))
            out[kept++] = out[i];
    return kept;
}

void sampler_facts(const struct sampler *s, struct emit *emit)
{
    const struct source *sources[] = {&s->netdev,    &s->snmp,
                                      &s->netstat,   &s->stat,
                                      &s->diskstats, &s->waits[PRESSURE_IO]};
    char name[64];
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        if (!sources[i]->error)
            continue;
        (void)snprintf(name, sizeof name, "watch.unread.%s",
                       strrchr(sources[i]->path, '/') + 1);
        emit_fact(emit, name, strerror(sources[i]->error));
    }
    for (size_t i = 0; i < s->sockets.n_congestions; i++) {
        const struct sockets_congestion *c = &s->sockets.congestions[i];
        (void)snprintf(name, sizeof name, "congestion.sockets.%s", c->name);
        emit_count(emit, name, c->seen);
    }
    emit_count(emit, "watch.looks", s->sockets.looks);
    emit_count(emit, "watch.walks", s->walks);
    if (s->sockets_failed) {
        emit_count(emit, "watch.looks_failed", s->sockets_failed);
        emit_fact(emit, "watch.looks_error", s->sockets_why.text);
    }
    affinity_emit(&s->affinity, emit);
    if (s->cage.beyond)
        emit_count(emit, "watch.processes_beyond", s->cage.beyond);
    if (s->cage.threads.beyond)
        emit_count(emit, "watch.threads_beyond", s->cage.threads.beyond);
}
