/* A cage: what holds one side of an attempt (target or load, and its watch),
 * and what makes it vanish.
 *
 * CAGE_NAMESPACES: pid, mount and network namespace around a stub init of ours,
 * with a fresh /proc, a /tmp of its own and everything but the working folders
 * read-only: a wrong parameter of a child cannot alter the machine.
 * CAGE_HOST_NET: the same, but in the agent's own network. CAGE_PLAIN, where
 * namespaces cannot be had: a process group whose leader is such a stub. The
 * stub lives as long as the write end of its pipe, which the executor alone
 * holds: when the executor dies, in whatever way, the stub ends and takes
 * everything with it (by the end of the pid namespace, or by SIGKILL to its
 * group). Namespaces have no names and are held by processes and close-on-exec
 * descriptors only, so nothing is left to look for after a crash. */
#ifndef PITWALL_AGENT_EXECUTOR_CAGE_H
#define PITWALL_AGENT_EXECUTOR_CAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/err.h"

enum cage_mode { CAGE_NAMESPACES, CAGE_HOST_NET, CAGE_PLAIN };

/* A plain value; start with CAGE_NONE. */
struct cage {
    enum cage_mode mode;
    pid_t init; /* the stub; 0: no cage */
    int pidfd;  /* of the stub */
    int net;    /* its network namespace, -1 in plain mode */
    int life;   /* write end of the stub's pipe */
};

#define CAGE_NONE ((struct cage){.pidfd = -1, .net = -1, .life = -1})

/* Make a cage; net_of (may be NULL) lends its network namespace, writable (may
 * be NULL) are the absolute paths of the folders that stay so; NULL ends them.
 * Errors  ERR_PERMISSION and others: the text names the step that failed.
 * Owns    *out is the caller's, for cage_close; CAGE_NONE on failure. */
CHECKED enum err cage_open(struct cage *out, enum cage_mode mode,
                           const struct cage *net_of,
                           const char *const *writable, struct why *why);

/* Kill everything inside. Returns at once; CAGE_NONE is fine. */
void cage_kill(const struct cage *cage);

/* cage_kill, then wait for the stub's end, at most 2 s, and forget the cage.
 * Processes of the cage that are the executor's own children must have been
 * reaped before: a pid namespace ends when its last zombie has. */
void cage_close(struct cage *cage);

/* Move the calling process into the cage, for a helper or a child that is
 * about to exec: its own next child is inside the pid namespace (or, in plain
 * mode, nothing changes). Returns 0 or errno. */
int cage_enter(const struct cage *cage);

/* Run work(arg) in a forked helper inside the cage's network and mount
 * namespace, at most 10 s. What it writes to arg[0..size) is the caller's
 * afterwards, also after a failure. Without namespaces (or a NULL cage): in a
 * helper all the same. ERR_TIMEOUT, ERR_GONE: the helper hung or died. */
typedef enum err cage_work(void *arg, struct why *why);
CHECKED enum err cage_run(const struct cage *cage, cage_work *work, void *arg,
                          size_t size, struct why *why);

#endif
