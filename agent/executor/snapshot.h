/* What of the machine trials may change, as it is now: every sysctl that the
 * configuration allows, and the links. One before an attempt and one after it
 * say whether the machine is as it was. */
#ifndef PITWALL_AGENT_EXECUTOR_SNAPSHOT_H
#define PITWALL_AGENT_EXECUTOR_SNAPSHOT_H

#include "agent/executor/config.h"

/* Lines "name=value". Start with SNAPSHOT_NONE. */
struct snapshot {
    char *text;
    size_t len, size;
    bool cut; /* there was more than it holds */
};

#define SNAPSHOT_NONE ((struct snapshot){.text = NULL})

/* Take one, of the calling process's network namespace. What cannot be read is
 * left out. ERR_NOMEM. Owns: s->text, for snapshot_free. */
CHECKED enum err snapshot_take(struct snapshot *s, const struct config *config,
                               struct why *why);
void snapshot_free(struct snapshot *s);

/* Tell each difference, "net.ipv4.tcp_sack: "1" -> "0""; a name that is in one
 * of them only is said so. How many there are. Pure. */
typedef void snapshot_tell(void *ctx, const char *difference);
unsigned snapshot_compare(const struct snapshot *before,
                          const struct snapshot *after, snapshot_tell *tell,
                          void *ctx);

#endif
