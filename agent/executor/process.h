/* One child of the child contract (common/child.h): started inside a cage with
 * the executor as its parent, heard through its control socket, its data pipe
 * and its stderr, and reaped through a pidfd. */
#ifndef PITWALL_AGENT_EXECUTOR_PROCESS_H
#define PITWALL_AGENT_EXECUTOR_PROCESS_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

#include "agent/executor/cage.h"
#include "agent/executor/cgroup.h"
#include "common/child.h"

/* How to start it. */
struct process_plan {
    const char *path; /* absolute */
    char *const *argv;
    char *const *env;
    const char *cwd;       /* absolute */
    const cpu_set_t *cpus; /* or NULL: as the executor's */
    const struct cage *cage;
    const struct cgroup *group; /* or NULL: none */
    int plan;                   /* becomes fd 5; -1: none */
    bool bare; /* speaks no contract: no fds 3 and 4, stdout goes to stderr */
    bool as_user; /* as uid and gid, without other groups ... */
    uid_t uid;
    gid_t gid;
    bool in_userns; /* ... in a user namespace of its own, where that is a name
                       for whoever the agent is */
};

#define PROCESS_LINE_MAX 256u

/* A plain value; start with PROCESS_NONE. */
struct process {
    pid_t pid; /* in the executor's namespace; 0: none */
    int pidfd, control, data, err;
    char line[PROCESS_LINE_MAX];    /* last whole line of stderr */
    char partial[PROCESS_LINE_MAX]; /* the one that is coming */
    size_t partial_len;
};

#define PROCESS_NONE                                                           \
    ((struct process){.pidfd = -1, .control = -1, .data = -1, .err = -1})

/* Start it; returns after its exec.
 * Errors  the text names the program and the step that failed.
 * Owns    *out is the caller's, for process_close; PROCESS_NONE on failure. */
CHECKED enum err process_start(struct process *out,
                               const struct process_plan *plan,
                               struct why *why);

/* Send a control message. ERR_GONE: it has closed the socket or was never
 * started. */
CHECKED enum err process_send(const struct process *p,
                              const struct child_msg *msg, struct why *why);

/* SIGKILL, or another signal; one that has exited is fine. */
void process_kill(const struct process *p);
void process_signal(const struct process *p, int signal);

/* Take its exit without waiting: true once, with the status of waitpid; then
 * pid is 0. */
bool process_reap(struct process *p, int *status);

/* Note text that it wrote to stderr, for `line`. */
void process_note(struct process *p, const char *text, size_t len);

/* The last thing that it said on stderr, "" for none; valid until the next
 * process_note. */
const char *process_last_line(const struct process *p);

/* Kill it if it still runs and reap it, at most 2 s; its pipes stay open. */
void process_stop(struct process *p);

/* process_stop, then close everything. */
void process_close(struct process *p);

#endif
