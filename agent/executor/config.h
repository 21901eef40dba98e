/* The agent's configuration file (agent.json): what this machine may run and
 * change, and where. The command line overrides. */
#ifndef PITWALL_AGENT_EXECUTOR_CONFIG_H
#define PITWALL_AGENT_EXECUTOR_CONFIG_H

#include <limits.h>
#include <stdbool.h>

#include "agent/executor/limit.h"
#include "agent/executor/target.h"
#include "common/tls_files.h"

#define CONFIG_FILE_MAX    65536u
#define CONFIG_SYSCTLS_MAX 32u

struct config {
    char name[65];              /* of this agent; the host's name */
    char listen[300];           /* URL; "": ipc in the state folder */
    char roles[8];              /* both | target | load */
    char state[PATH_MAX - 128]; /* folder, absolute */
    char gate_user[33];         /* whom the gate runs as when we are root */
    char sysctls[CONFIG_SYSCTLS_MAX][80]; /* globs of what trials may set */
    unsigned n_sysctls;
    bool sysctls_given; /* by the file: settings of the machine among them */
    char interface[16]; /* of the lab's network; "": that of listen */
    char governor[24];  /* of processors during attempts; "": as it is */
    char turbo[8];      /* "on", "off", the same */
    char thp[8];        /* transparent huge pages, the same */
    char swappiness[8]; /* a number, the same */
    char numa_balancing[8]; /* "on", "off", the same */
    bool drop_caches;       /* before each attempt */
    struct limits target_limits, load_limits;
    char cpus[64];          /* processors that trials may use; "": all */
    unsigned die_at;        /* tests: SIGKILL ourselves at this step (host.h) */
    struct tls_files tls;   /* for tls+tcp */
    bool insecure_plain;    /* tcp:// without TLS; command line only */
    struct targets targets; /* defined here; besides the builtin one */
};

/* What holds without a file and options. */
CHECKED enum err config_default(struct config *c, struct why *why);

/* Take what the file at path says. ERR_INVALID and others name file, line and
 * key; unknown keys are refused. */
CHECKED enum err config_load(struct config *c, const char *path,
                             struct why *why);

/* Take the definitions of targets that are shipped, and those of a folder; of
 * two that have one name the later wins. ERR_INVALID and others. */
CHECKED enum err config_shipped(struct config *c, struct why *why);
CHECKED enum err config_targets(struct config *c, const char *folder,
                                struct why *why);

/* Let go of the definitions. */
void config_fini(struct config *c);

/* The same from a parsed document, which is borrowed: definitions of targets
 * point into it, relative to folder. */
CHECKED enum err config_read(struct config *c, const struct jv *root,
                             const char *folder, struct why *why);

/* Whether trials may set this sysctl. */
bool config_allows_sysctl(const struct config *c, const char *name);

#endif
