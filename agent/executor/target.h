/* What this agent can start, or reach, as a target: the definition table. The
 * builtin one maps every factor; others come from the configuration, from
 * targets/NAME.json beside it, and from those shipped (docs/targets.md). */
#ifndef PITWALL_AGENT_EXECUTOR_TARGET_H
#define PITWALL_AGENT_EXECUTOR_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/json.h"

#define TARGETS_MAX     48u
#define TARGET_NAME_MAX 63u /* trial_spec's */
#define TARGET_URLS_MAX 16u
#define TARGET_PATH_MAX 255u
#define TARGET_TEXT_MAX 127u
#define TARGET_PRINTED  "target.json" /* the definition, for its hash */

/* One definition; texts live as long as their table. */
struct target_def {
    char name[TARGET_NAME_MAX + 1];
    char program[PATH_MAX]; /* a name of ours, else an absolute path */
    bool contract;          /* speaks common/child.h; else a signal ends it */
    bool unmanaged;         /* runs already, at urls */
    bool jvm;               /* a Java virtual machine: it logs and records */
    const struct jv *doc;   /* NULL: the builtin one */
    char folder[PATH_MAX];  /* where its files and relative paths are */
    const char *missing;    /* why it cannot be started; NULL: it can */
    char ready[TARGET_PATH_MAX + 1];  /* path that answers 2xx when it is */
    char expect[TARGET_TEXT_MAX + 1]; /* text in that answer; "": any */
    uint64_t ready_ns;                /* within; 0: the spec's */
    char stats[TARGET_PATH_MAX + 1];  /* path; "": none */
    char last[65]; /* file with its last word, in its working folder; "" */
    int stop_signal;
    uint64_t stop_ns; /* until it is killed; 0: the agent's own patience */
    int oom_exit;     /* status that means out of memory; ATTEMPT_NO_EXIT */
    char user[33];
    const char *urls[TARGET_URLS_MAX]; /* of an unmanaged one */
    unsigned n_urls;
};

/* Start with zeros; owned, for targets_free. */
struct targets {
    struct target_def *items; /* [n] */
    size_t n;
    struct jv **roots; /* [n_roots]: documents that they point into */
    size_t n_roots;
    char **texts; /* [n_texts]: reasons */
    size_t n_texts;
};

/* Find a definition by name, valid as long as targets (which may be NULL: the
 * builtin one alone). Errors  ERR_NOTFOUND names those that there are;
 * ERR_UNSUPPORTED: it cannot be started here, and why. */
CHECKED enum err target_find(const struct targets *targets, const char *name,
                             const struct target_def **out, struct why *why);

/* The names of those that can be started, comma separated. */
void target_list(const struct targets *targets, char *buf, size_t size);

/* A line for each, "NAME=WORD WORD ...": the factors that it maps, as
 * "target.workers" or with what it takes, "target.workers:count"; "unmanaged";
 * or "!" and why it cannot be started. What does not fit is left out by whole
 * lines. */
void target_maps(const struct targets *targets, char *buf, size_t size);

/* Take a document of definitions (kept by targets, also on failure). */
CHECKED enum err targets_keep(struct targets *targets, struct jv *root,
                              struct why *why);

/* Add def in the place of one of its name, which has to be from another
 * folder: the later one wins. ERR_RANGE: too many; ERR_EXISTS. */
CHECKED enum err targets_add(struct targets *targets,
                             const struct target_def *def, struct why *why);

/* Remember why def cannot be started. */
void targets_miss(struct targets *targets, struct target_def *def,
                  const char *text);
void targets_free(struct targets *targets);

#endif
