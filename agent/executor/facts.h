/* What this machine lets the executor do, found out once at start by trying it
 * in a scratch cage. */
#ifndef PITWALL_AGENT_EXECUTOR_FACTS_H
#define PITWALL_AGENT_EXECUTOR_FACTS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "agent/executor/groups.h"
#include "agent/executor/link.h"
#include "agent/executor/perf.h"

enum facts_mode {
    FACTS_NETNS,  /* root: namespaces */
    FACTS_USERNS, /* not root: namespaces inside a user namespace */
    FACTS_PLAIN   /* neither: loopback of the machine, nothing is set */
};

struct facts {
    enum facts_mode mode;
    bool veth, tbf, netem;
    struct perf perf;
    cpu_set_t cpus;    /* that trials may use */
    char refusal[200]; /* PLAIN: what the kernel said */
    char boot_id[37];
    struct link_end nic;   /* device and address for link ethernet; "": none */
    char nic_missing[200]; /* why there is none */
    bool groups, limits;   /* control groups, and all limits that we set */
    char groups_missing[200];
};

/* Find out; cpus ("" for all) restricts the processors. Where only a user
 * namespace helps, the process is in one afterwards, as its uid 0.
 * Thread  single-threaded process only. */
CHECKED enum err facts_probe(struct facts *f, const char *cpus,
                             struct why *why);

/* What groups can do belongs to the facts. */
void facts_groups(struct facts *f, const struct groups *groups);

/* Look which interface serves link ethernet now: addresses come and go. */
void facts_nic(struct facts *f, const char *interface, const char *listen);

/* netns | userns | plain. */
const char *facts_mode_name(enum facts_mode mode);

/* "netns,veth,tbf", and what cannot be done with how to allow it ("" when
 * nothing is missing). */
void facts_features(const struct facts *f, char *buf, size_t size);
void facts_missing(const struct facts *f, char *buf, size_t size);

/* This boot's id, a uuid. */
CHECKED enum err facts_boot_id(char boot_id[37], struct why *why);

#endif
