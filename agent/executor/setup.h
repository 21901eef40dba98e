/* What a spec asks of this machine, checked before anything is made: the link,
 * the settings, the processors and the command lines. Pure. */
#ifndef PITWALL_AGENT_EXECUTOR_SETUP_H
#define PITWALL_AGENT_EXECUTOR_SETUP_H

#include "agent/executor/change.h"
#include "agent/executor/command.h"
#include "agent/executor/config.h"
#include "agent/executor/facts.h"
#include "agent/executor/link.h"
#include "agent/executor/pin.h"
#include "agent/executor/sysctl.h"
#include "agent/executor/target_make.h"

#define SETUP_SYSCTLS_MAX 16u
#define SETUP_NICS_MAX    16u
#define SETUP_PORT        9200u

/* One setting of the kernel for the target: of its network namespace, else of
 * the machine (host). Without `wanted` it is only read. */
struct setup_sysctl {
    char name[80];
    char value[SYSCTL_VALUE_MAX]; /* wanted, then as read back */
    bool wanted, host;
};

/* One setting of the interface of link ethernet: "offloads", which is all of
 * them, or a knob of nic_knob.h. */
struct setup_nic {
    char knob[60];
    char value[CHANGE_VALUE_MAX]; /* wanted, then as read back */
};

/* Large: keep it in static or heap memory. */
struct setup {
    struct trial_spec spec;
    enum facts_mode mode;
    const struct config *config;     /* borrowed */
    const struct target_def *target; /* borrowed */
    bool silent;                     /* it does not speak the contract */
    bool host_net;                   /* it runs already, outside of cages */
    unsigned parts;                  /* PART_BITs */
    struct link_plan link;
    struct pin pin;
    struct limits target_limits, load_limits;
    struct setup_sysctl sysctls[SETUP_SYSCTLS_MAX + 1]; /* tcp_rmem first */
    unsigned n_sysctls;
    struct setup_nic nics[SETUP_NICS_MAX];
    unsigned n_nics;
    char interface[16]; /* that may be set; "": none */
    char address[200];  /* of the target, as load reaches it */
    unsigned port;
    unsigned cpus;       /* processors that the target may use */
    char work[PATH_MAX]; /* working folder of the children */
    struct command commands[PARTS];
    struct command env; /* of the target, beside what all get */
};

/* Where the attempt takes place. */
struct setup_place {
    const char *work; /* working folder, absolute */
    unsigned port;    /* where the target shall listen */
};

/* Check spec and fill out.
 * Errors  ERR_UNSUPPORTED: what this machine cannot do, with how to allow it;
 *         ERR_INVALID, ERR_NOTFOUND, ERR_RANGE: a value, by name;
 *         ERR_PERMISSION: a sysctl that the configuration does not allow. */
CHECKED enum err setup_make(struct setup *out, const struct trial_spec *spec,
                            const struct facts *facts,
                            const struct config *config,
                            const struct setup_place *place, struct why *why);

/* What the definition's texts need to know of it. */
struct target_ground setup_ground(const struct setup *setup);

#endif
