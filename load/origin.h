/* Where a job's bodies come from, for its results: provider and corpora. */
#ifndef PITWALL_LOAD_ORIGIN_H
#define PITWALL_LOAD_ORIGIN_H

#include <stdio.h>

#include "load/job.h"

struct jv;

/* A corpus that is sent, as it lies in the cache. */
struct origin_corpus {
    const char *name;
    uint64_t docs, bytes; /* with action lines */
    char sha256[CORPUS_HEX_SIZE];
};

/* "file", or "static": a few bodies again and again. */
const char *origin_provider(const struct job *job);

/* Corpus i of the job's plan; false: no task sends it. */
bool origin_corpus(const struct job *job, size_t i, struct origin_corpus *out);

/* The lines of the text. */
void origin_print(FILE *to, const struct job *job);

/* "provider" and "corpora" into root. */
void origin_add(struct jv *root, const struct job *job);

#endif
