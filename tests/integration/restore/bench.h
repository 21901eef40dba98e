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
    struct port_reply reply; /* of the last bench_call */
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

/* One request and its answer in b->reply: the error of the reply. */
enum err bench_call(struct bench *b, struct port_request *q, int plan);

/* The same for attempt 1 of a trial. */
enum err bench_op(struct bench *b, enum msg_op op, uint32_t tid);
enum err bench_acquire(struct bench *b, const char *owner, uint64_t ttl_ns);
enum err bench_prepare(struct bench *b, uint32_t tid,
                       const struct trial_spec *spec);
enum err bench_start_at(struct bench *b, uint32_t tid, uint64_t measure_ns);

/* A spec for loopback with the fakes behaving as said ("" is ok). */
struct trial_spec bench_spec(const char *target_as, const char *load_as);

/* Poll STATUS until the state is reached (fails the test after 10 s). */
void bench_until(struct bench *b, uint32_t tid, const char *state);

/* Wait until the agent has exited, at most 5 s: its status of waitpid. */
int bench_wait(struct bench *b);

/* Processes that run a program of the folder, cages' stubs included. */
unsigned bench_processes(const struct bench *b);

/* Wait until there is none, at most 2 s; false if there still are. */
bool bench_empty(const struct bench *b);

/* Stream's bytes of a sealed attempt's spool, terminated, the caller's to free;
 * checks framing, manifest counts and crc on the way. */
char *bench_stream(struct bench *b, uint32_t tid, int stream);

#endif
