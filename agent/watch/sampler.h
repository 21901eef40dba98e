/* One side's samples of a second: link, tcp, cpu, disk, proc. (The target's
 * own statistics are dialog's, since they come over HTTP.) All memory and
 * files are taken at the start. */
#ifndef PITWALL_AGENT_WATCH_SAMPLER_H
#define PITWALL_AGENT_WATCH_SAMPLER_H

#include "agent/watch/emit.h"
#include "agent/watch/netdev.h"

/* What is watched; a bit each. Those of every second come first; capacity is
 * measured before the trial, perf and reads in extra trials only. */
#define DEVICES(X)                                                             \
    X(LINK, "link")                                                            \
    X(TCP, "tcp")                                                              \
    X(CPU, "cpu")                                                              \
    X(DISK, "disk")                                                            \
    X(PROC, "proc")                                                            \
    X(TARGET, "target")                                                        \
    X(CAPACITY, "capacity")                                                    \
    X(PERF, "perf")                                                            \
    X(READS, "reads")

enum device_place {
#define X(name, word) DEVICE_PLACE_##name,
    DEVICES(X)
#undef X
        DEVICE_LAST
};

enum device {
#define X(name, word) DEVICE_##name = 1 << DEVICE_PLACE_##name,
    DEVICES(X)
#undef X
        DEVICE_ALL = DEVICE_CAPACITY - 1
};

struct sampler_args {
    unsigned devices;     /* enum device, or-ed */
    bool load_side;       /* sockets by remote port, else by local port */
    uint16_t port;        /* the target's */
    bool own_pgrp;        /* see cage.h */
    const char *proc_dir; /* "/proc" */
};

struct sampler;

/* Owns: *out, for sampler_close; NULL on failure (ERR_NOMEM only: what cannot
 * be read gives no samples and a fact). */
CHECKED enum err sampler_open(struct sampler **out,
                              const struct sampler_args *args, struct why *why);
void sampler_close(struct sampler *sampler);

/* Take the base of all differences. watch_port: the local port of the watch's
 * own connection to the target, 0 without one. */
void sampler_prime(struct sampler *sampler, uint16_t watch_port);

/* A look at the sockets; several belong to one sample. */
void sampler_look(struct sampler *sampler, uint16_t watch_port);

/* A second's records. */
void sampler_take(struct sampler *sampler, int64_t second, uint16_t watch_port,
                  struct emit *emit);

/* What was wrong or left out, as facts. */
void sampler_facts(const struct sampler *sampler, struct emit *emit);

/* Interfaces that ever carried anything: out[max], how many there are. */
size_t sampler_ifaces(struct sampler *sampler, struct netdev *out, size_t max);

#endif
