/* Asking a Java virtual machine, as jcmd does, to write the names of the code
 * that it has made to /tmp/perf-PID.map: the attach mechanism of JDK 17 and
 * later (a file, SIGQUIT, a socket in /tmp). */
#ifndef PITWALL_AGENT_WATCH_JVM_H
#define PITWALL_AGENT_WATCH_JVM_H

#include <stdint.h>

#include "common/err.h"

/* Have process pid, which is a JVM, write its map, until due_ns at the latest.
 * It stops for the time of a safepoint.
 * Errors  ERR_UNSUPPORTED: it takes no such wishes, or is too old; ERR_TIMEOUT;
 *         ERR_NOTFOUND: it has ended; else errno's. */
CHECKED enum err jvm_map(const char *proc_dir, int pid, uint64_t due_ns,
                         struct why *why);

#endif
