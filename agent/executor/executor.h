/* The root half of the agent: one thread, one poll loop over the gate's port,
 * the attempt's children, signals and the parent, and the clocks. */
#ifndef PITWALL_AGENT_EXECUTOR_EXECUTOR_H
#define PITWALL_AGENT_EXECUTOR_EXECUTOR_H

#include "agent/executor/gate.h"
#include "agent/executor/home.h"
#include "agent/executor/host.h"
#include "agent/executor/lease.h"
#include "agent/executor/live.h"
#include "agent/executor/notify.h"
#include "agent/executor/sweeper.h"

/* Large: heap memory. orders.c works on it too. */
struct executor {
    const struct config *config;
    struct facts facts;
    struct groups groups;
    struct sweeper sweeper;
    struct home home;
    struct host host;          /* changes of the machine */
    int signals_fd, parent_fd; /* parent_fd: -1 none */
    uint64_t incarnation;
    struct lease lease;
    struct gate gate;
    struct live live;
    struct notify notify;
    bool served;  /* the gate has brought a controller's request */
    bool leaving; /* end as soon as the attempt is sealed */
};

/* Serve until told to end (SIGTERM, SIGINT, SIGHUP: ERR_OK) or until end of
 * file on parent_fd (-1: none), which is the end at once.
 * Errors  ERR_BUSY: another agent has the state folder; ERR_CHILD, ERR_USAGE:
 *         the gate could not even begin (it has said why). */
CHECKED enum err executor_run(const struct config *config, int parent_fd,
                              struct why *why);

/* Print what this machine can do on stdout, "name=value" lines. */
CHECKED enum err executor_check(const struct config *config, struct why *why);

/* Undo and seal what a killed agent has left behind, and say so on stdout.
 * ERR_STATE: something could not be undone; it is named. */
CHECKED enum err executor_restore(const struct config *config, struct why *why);

#endif
