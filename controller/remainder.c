#include "controller/remainder.h"

#include <stdlib.h>
#include <string.h>

#include "controller/crew.h"
#include "controller/run.h"

/* Number of the block that an attempt's trial is of. */
static uint32_t block_of(const struct past *past, const struct past_attempt *a)
{
    uint32_t b = 0;
    while (b + 1 < past->n_blocks && a->tid > past->ends[b])
        b++;
    return b;
}

static bool was_on(const struct past *past, size_t i, const char *bench)
{
    const struct past_attempt *a = &past->attempts[i];
    return !bench || !strcmp(past->blocks[block_of(past, a)].bench, bench);
}

enum err remainder_find(const struct past *past,
                        const struct ceiling_plans *plans, const char *bench,
                        struct bench_left **out, uint32_t *n, struct why *why)
{
    uint32_t found = 0;
    size_t newest = past->n_attempts;
    *n = 0;
    *out = calloc(past->n_attempts + plans->n + 1, sizeof **out);
    if (!*out)
        return err_set(why, ERR_NOMEM, "what was left");
    while (newest > 0 && !was_on(past, newest - 1, bench))
        newest--;
    for (size_t i = 0; i < newest; i++) {
        const struct past_attempt *a = &past->attempts[i];
        if ((a->state < ATTEMPT_STORED && was_on(past, i, bench)) ||
            i + 1 == newest)
            (*out)[found++] =
                (struct bench_left){.trial = a->tid - 1,
                                    .att = a->n,
                                    .state = a->state,
                                    .spool_bytes = a->spool_bytes};
    }
    for (uint32_t i = 0; past->n_sittings && i < plans->n; i++)
        (*out)[found++] = (struct bench_left){
            .trial = BENCH_EXTRA_TID + i,
            .att = (past->n_sittings - 1) % RUN_ATTEMPTS_MAX + 1,
            .state = ATTEMPT_PLANNED};
    *n = found;
    return ERR_OK;
}

void remainder_recall(const struct past *past, struct bench *bench)
{
    for (size_t i = 0; i < past->n_attempts; i++) {
        const struct past_attempt *a = &past->attempts[i];
        if (a->state == ATTEMPT_STORED)
            bench_recall(bench, a->tid - 1, a->outcome, a->invalid,
                         crew_tells_crash(a->error));
    }
    for (uint32_t b = 0; b < past->n_blocks; b++)
        if (past->blocks[b].superseded)
            queue_drop(&bench->queue, b);
}

enum err remainder_count(const struct past *past, uint32_t retries, uint32_t *n,
                         struct why *why)
{
    const struct bench_config config = {
        .ends = past->ends, .n_blocks = past->n_blocks, .retries = retries};
    struct bench *bench = malloc(sizeof *bench);
    *n = 0;
    enum err e = bench ? bench_init(bench, &config, why)
                       : err_set(why, ERR_NOMEM, "trials");
    if (!e) {
        remainder_recall(past, bench);
        *n = queue_left(&bench->queue);
        bench_fini(bench);
    }
    free(bench);
    return e;
}
