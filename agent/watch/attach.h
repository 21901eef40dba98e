/* Asking a Java virtual machine to do something, as jcmd does: the attach
 * mechanism of JDK 9 and later (a file, SIGQUIT, a socket in /tmp). */
#ifndef PITWALL_AGENT_WATCH_ATTACH_H
#define PITWALL_AGENT_WATCH_ATTACH_H

#include <stdint.h>

#include "common/err.h"

#define ATTACH_WISH_MAX 100u

/* Have process pid, which is a JVM, do what wish says: a command of jcmd, such
 * as "Compiler.perfmap" (JDK 17: the names of the code that it has made to
 * /tmp/perf-PID.map), of at most ATTACH_WISH_MAX bytes; until due_ns at the
 * latest. It stops for the time of a safepoint.
 * Errors  ERR_UNSUPPORTED: it takes no such wishes, or is too old; ERR_TIMEOUT;
 *         ERR_NOTFOUND: it has ended; else errno's. */
CHECKED enum err attach_ask(const char *proc_dir, int pid, const char *wish,
                            uint64_t due_ns, struct why *why);

#endif
