/* How an experiment is run, beside what its file says: where, with which
 * patience, on which rendered plans. Kept in the store, so that a later sitting
 * does the same. A plain value. */
#ifndef PITWALL_CONTROLLER_CONDUCT_H
#define PITWALL_CONTROLLER_CONDUCT_H

#include "controller/lab_file.h"
#include "controller/options.h"
#include "controller/trials.h"
#include "results/digest.h"

struct conduct {
    char folder[EXPERIMENT_PATH_MAX];  /* that the track's path begins in */
    char targets[EXPERIMENT_PATH_MAX]; /* definitions for an agent of our own */
    struct lab_places places; /* the first's n 0: an agent of our own */
    struct tls_files tls;     /* of whoever runs it; whole paths */
    bool insecure_plain, test_mode, no_ceiling, abort_on_error;
    uint32_t retries;
    struct stopping stopping;
    char plans[DIGEST_HEX_SIZE]; /* of all rendered plans; "": not told */
};

/* What the options say; paths become absolute. ERR_USAGE: options that exclude
 * each other. */
CHECKED enum err conduct_take(const struct options *options,
                              struct conduct *out, struct why *why);

/* Let options of a later sitting have their say. Errors as conduct_take. */
CHECKED enum err conduct_change(struct conduct *conduct,
                                const struct options *options, struct why *why);

/* Add what is known once the trials are made. */
CHECKED enum err conduct_complete(struct conduct *conduct,
                                  const struct trials *trials, struct why *why);

/* Digest of the trials' plans. */
CHECKED enum err conduct_digest(const struct trials *trials,
                                char hex[DIGEST_HEX_SIZE], struct why *why);

/* As JSON, malloc'ed, and back ("" reads as no options at all). ERR_CORRUPT. */
char *conduct_print(const struct conduct *conduct);
CHECKED enum err conduct_parse(struct conduct *out, const char *json,
                               struct why *why);

#endif
