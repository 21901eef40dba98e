/* A whole pitwall-agent in a folder of its own, with scripted children and a
 * gate that gives the test the port. */
#ifndef PITWALL_TESTS_INTEGRATION_RESTORE_BENCH_H
#define PITWALL_TESTS_INTEGRATION_RESTORE_BENCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "agent/port.h"

struct bench {
    char folder[64]; /* programs and state */
    pid_t agent;
    int listener; /* where the fake gate connects */
    int port;     /* -1: no gate yet */
    uid_t gate_uid;
    int parent; /* write end of --parent-fd, -1: none */
    uint64_t token;
    struct port_reply reply; /* of the last ask_call */
};

/* Lay out the folder with copies of the programs that argv of the test names
 * (agent, fake child, fake gate). Skips the test program (77) where it may not
 * make namespaces. */
void bench_programs(int argc, char **argv);

/* Start the agent and take the gate's port. parent: give it --parent-fd.
 * bench_start again after the agent has died uses the same state. */
void bench_open(struct bench *b);
void bench_start(struct bench *b, bool parent);

/* End it whatever happened and remove the folder. */
void bench_close(struct bench *b);

/* Wait until the agent has exited, at most 5 s: its status of waitpid. */
int bench_wait(struct bench *b);

/* Processes that run a program of the folder, cages' stubs included. */
unsigned bench_processes(const struct bench *b);

/* Wait until there is none, at most 2 s; false if there still are. */
bool bench_empty(const struct bench *b);

#endif
