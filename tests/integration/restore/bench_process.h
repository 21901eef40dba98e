/* What a bench has left running: processes of its folder and their network
 * namespaces. */
#ifndef PITWALL_TESTS_INTEGRATION_RESTORE_BENCH_PROCESS_H
#define PITWALL_TESTS_INTEGRATION_RESTORE_BENCH_PROCESS_H

#include "tests/integration/restore/bench.h"

#define BENCH_NETNS_MAX 8

/* Processes that run a program of the folder, cages' stubs included. */
unsigned bench_processes(const struct bench *b);

/* SIGKILL the folder's process of that program; false: there is none. */
bool bench_kill(const struct bench *b, const char *program);

/* SIGKILL the folder's processes that call themselves so ("pitwall-cage",
 * "pitwall-sweep", of the agent's own program); how many there were. */
unsigned bench_kill_named(const struct bench *b, const char *name);

/* Whether the newest agent has control groups now. */
bool bench_groups(const struct bench *b);

/* Wait until there is no process and no control group, at most 2 s; false if
 * there still are. */
bool bench_empty(const struct bench *b);

/* A network namespace, held: nobody else's has its number meanwhile. */
struct bench_netns {
    ino_t ino;
    int held; /* file descriptor */
};

/* The network namespaces other than ours that those processes are in: how many,
 * into list. And whether any process of this machine is in one; lets go of
 * them. */
unsigned bench_netns(const struct bench *b,
                     struct bench_netns list[BENCH_NETNS_MAX]);
bool bench_netns_left(struct bench_netns *list, unsigned n);

#endif
