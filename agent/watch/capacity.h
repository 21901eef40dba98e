/* What the link carries at best: iperf3's own library between the two watches
 * of a trial, in their namespaces, before it. The target's end serves, the
 * load's end asks once its processes rest (the corpus is made), with one stream
 * and then with several, a second each.
 *
 * The library prints, exits and leaves files behind: it runs in a process of
 * its own, which ends with the watch at the latest. */
#ifndef PITWALL_AGENT_WATCH_CAPACITY_H
#define PITWALL_AGENT_WATCH_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/watch/emit.h"

#define CAPACITY_STREAMS   4u
#define CAPACITY_ERROR_MAX 160u

struct capacity_args {
    bool serve;          /* the target's end */
    const char *address; /* of the target */
    uint16_t port;       /* to meet at */
    const char
        *congestion; /* of the asking end's sockets; NULL: the system's */
    const char *proc_dir;
    bool own_pgrp; /* see cage.h */
};

struct capacity {
    pid_t pid; /* 0: none runs */
    int from;  /* its result; -1: a server has none */
    uint64_t due_ns;
    bool known; /* the result below */
    struct capacity_result {
        double one_bit_s, several_bit_s; /* payload received; 0: not known */
        char
            congestion[16]; /* that the asking end's sockets had; "": unknown */
        char error[CAPACITY_ERROR_MAX];
    } result;
};

#define CAPACITY_NONE                                                          \
    (struct capacity)                                                          \
    {                                                                          \
        .from = -1                                                             \
    }

/* Start it. A failure is the result's error. */
void capacity_start(struct capacity *capacity, const struct capacity_args *args,
                    uint64_t now_ns);

/* Whether the asking end is still at it; ends it at its deadline. */
bool capacity_busy(struct capacity *capacity, uint64_t now_ns);

/* End it, if it runs. */
void capacity_stop(struct capacity *capacity);

/* The result as facts: capacity.bit_s.1, capacity.bit_s.4,
 * capacity.congestion, capacity.error. */
void capacity_facts(const struct capacity *capacity, struct emit *emit);

/* Pure part: the bits per second that the library's report says the receiver
 * got. Errors  ERR_INVALID: no such report; ERR_IO: its own error, told. */
CHECKED enum err capacity_parse(const char *text, double *bit_s,
                                struct why *why);

/* Pure part: the congestion control that the report says its sender had, into
 * buf; "" where it says none. */
void capacity_congestion(const char *text, char *buf, size_t size);

#endif
