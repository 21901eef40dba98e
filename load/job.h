/* What is to be driven, from a plan or from one URL: the measured steps, and
 * the tasks before, between and after them. */
#ifndef PITWALL_LOAD_JOB_H
#define PITWALL_LOAD_JOB_H

#include "load/step.h"

struct job {
    struct plan *plan; /* NULL: one URL */
    struct address address;
    struct address *others; /* [n_others] more nodes of the target */
    size_t n_others;
    const struct engine_ops *ops; /* that drives it */
    const struct options *options;
    struct step *steps; /* [n_steps] as the plan's; done once: of no works */
    size_t n_steps;
    size_t measured;    /* number of the first measured step */
    struct work *works; /* [n_works] of all steps */
    size_t n_works;
    struct plan_request request; /* of one URL */
    char *body;                  /* its body */
    size_t body_len;
    uint32_t body_docs;
    struct corpora corpora; /* of job_corpora */
};

/* A plan (JSON, len bytes) for the target of options. job_open_url: options'
 * one request.
 * Errors  ERR_INVALID and others of plan_parse, address_parse; of the body's
 *         file. Owns: options stays the caller's. */
CHECKED enum err job_open(struct job *job, const char *json, size_t len,
                          const struct options *options, struct why *why);
CHECKED enum err job_open_url(struct job *job, const struct options *options,
                              struct why *why);
void job_close(struct job *job);

/* Have the plan's corpora there, in the cache of options; stopped, told and ctx
 * as in cache_config, may be NULL. Errors as corpora_open. */
CHECKED enum err job_corpora(struct job *job, bool (*stopped)(void *ctx),
                             void (*told)(void *ctx,
                                          const struct corpus_news *news),
                             void *ctx, struct why *why);

/* Make the bodies of all works, after job_corpora. Errors as body_make. */
CHECKED enum err job_render(struct job *job, struct why *why);

#endif
