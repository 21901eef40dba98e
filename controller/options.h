/* The options of run, plan and demo as they stand on the command line, and the
 * experiment that they describe. */
#ifndef PITWALL_CONTROLLER_OPTIONS_H
#define PITWALL_CONTROLLER_OPTIONS_H

#include <argp.h>

#include "controller/experiment.h"
#include "controller/stopping.h"

#define OPTIONS_LIST_MAX 64u

/* An option that may be given several times; texts of argv. */
struct options_list {
    const char *items[OPTIONS_LIST_MAX];
    size_t n;
};

/* NULL and 0: not given. */
struct options {
    const char *file; /* EXPERIMENT.json */
    const char *track, *challenge, *name;
    const char *iterations, *order, *seed, *warmup, *measure;
    const char *telemetry, *canary, *engine;
    struct options_list matrix, excludes, zips, tags, track_params, accepts;
    struct options_list agents;
    const char *lab_file, *bench;
    const char *targets; /* folder of definitions, for a local agent */
    const char *tls;     /* folder of credentials */
    const char *db;
    const char *page; /* demo's --out */
    const char *retries, *on_error;
    bool local, insecure_plain, no_ceiling, test_mode, emulate, quiet, json;
    struct stopping_words stopping;
    struct why why; /* of a value that was refused */
};

/* The parser of these options, a child of each command's own; input is a
 * struct options. The first covers what describes an experiment, the second
 * where it runs and where its results go. */
extern const struct argp options_experiment_argp;
extern const struct argp options_lab_argp;

/* Build the experiment from file and options, options winning. A seed that is
 * not given is drawn. Errors name option or file and line.
 * Owns  *out is the caller's, for free. */
CHECKED enum err options_experiment(const struct options *options,
                                    struct experiment **out, struct why *why);

/* The numbers and words of --retries and --on-error, checked. */
CHECKED enum err options_repeats(const struct options *options,
                                 uint32_t *retries, bool *abort_on_error,
                                 struct why *why);

/* Check --tag: "k=v". */
CHECKED enum err options_tags(const struct options *options, struct why *why);

/* What options_lab_argp fills with; file of results in force ("lab.db"). */
const char *options_db(const struct options *options);

#endif
