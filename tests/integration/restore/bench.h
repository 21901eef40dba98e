/* A whole pitwall-agent in a folder of its own, with scripted children and a
 * gate that gives the test the port. */
#ifndef PITWALL_TESTS_INTEGRATION_RESTORE_BENCH_H
#define PITWALL_TESTS_INTEGRATION_RESTORE_BENCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "agent/port.h"

/* Whom the agent runs as. PLAIN: where no namespaces can be had, which is a
 * user namespace that allows none. */
enum bench_mode { BENCH_ROOT, BENCH_NOBODY, BENCH_PLAIN };

struct bench {
    enum bench_mode mode;
    bool config;     /* start agents with agent.json of the folder */
    unsigned die_at; /* let the next agent die at this step; 0: never */
    char folder[64]; /* programs and state */
    pid_t agent;
    pid_t last;   /* the newest agent, dead or alive */
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
void bench_open(struct bench *b, enum bench_mode mode);
void bench_start(struct bench *b, bool parent);

/* bench_start of one that may die before it has a gate: false then. */
bool bench_try(struct bench *b);

/* A machine of the test's own: move into a network namespace with an interface
 * "nic0", 10.79.0.1/24, that nothing hears at its other end; agents with a
 * configuration that names it are started in there. */
void bench_machine(struct bench *b);

/* Take the port of a gate that was started anew. */
void bench_take_port(struct bench *b);

/* End it whatever happened and remove the folder. */
void bench_close(struct bench *b);

/* Wait until the agent has exited, at most 5 s: its status of waitpid. */
int bench_wait(struct bench *b);

/* Run pitwall-agent with these options and the state of the bench: its exit
 * status; what it printed on both outputs, terminated, into out. */
int bench_once(const struct bench *b, const char *option, char *out,
               size_t size);

#endif
