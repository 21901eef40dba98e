/* The gate as the executor's child: started with one end of the port as its
 * fd 3, without privileges, and again whenever it ends. */
#ifndef PITWALL_AGENT_EXECUTOR_GATE_H
#define PITWALL_AGENT_EXECUTOR_GATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/tls_files.h"

/* Start with GATE_NONE. sock and pidfd are -1 while it does not run. */
struct gate {
    pid_t pid;
    int pidfd, sock;
    uint64_t started_ns, next_ns; /* CLOCK_MONOTONIC; not again before next */
    int last_status; /* how the last one exited; -1: by a signal; 0: none did */
    uid_t uid;       /* whom it runs as */
    gid_t gid;
    bool drop;         /* we are root, and that user can be had */
    char folder[4096]; /* its own: working folder, ipc socket */
    char listen[300];
    bool insecure_plain;
    const struct tls_files *tls; /* NULL: none; read at each start */
};

#define GATE_NONE ((struct gate){.pidfd = -1, .sock = -1})

/* Make STATE/gate, owned by user where we are root and the user exists in our
 * user namespace; else the gate runs as ourselves, without capabilities all
 * the same. listen "" is ipc in that folder. ERR_NOTFOUND: no such user. */
CHECKED enum err gate_init(struct gate *g, const char *state, const char *user,
                           const char *listen, bool root, struct why *why);

/* Start it if it does not run and its time has come (at most once a second).
 * Errors  also those of the files of tls: ERR_PERMISSION where others may open
 *         the key. */
CHECKED enum err gate_start(struct gate *g, uint64_t now_ns, struct why *why);

/* Its pidfd or socket says that it is gone: give it a moment to exit, else kill
 * it, and reap it. The exit status, -1 after a signal. */
int gate_ended(struct gate *g);

/* End it: closing the socket is its word to go; killed after a second. */
void gate_stop(struct gate *g);

#endif
