#include "load/corpora.h"

#include <stdlib.h>
#include <string.h>

/* Bit i: some bulk sends corpus i. */
static uint32_t needed(const struct plan *plan)
{
    uint32_t corpora = 0;
    for (size_t i = 0; i < plan->n_steps; i++)
        for (size_t t = 0; t < plan->steps[i].n_tasks; t++)
            if (plan->steps[i].tasks[t].kind == PLAN_BULK)
                corpora |= plan->steps[i].tasks[t].corpora;
    return corpora;
}

enum err corpora_open(struct corpora *c, const struct plan *plan,
                      const struct cache_config *config, struct why *why)
{
    uint32_t wanted = needed(plan);
    enum err e = ERR_OK;
    size_t at = 0;
    *c = (struct corpora){.plan = plan};
    for (size_t i = 0; i < plan->n_corpora; i++)
        c->n_files += plan->corpora[i].n_documents;
    c->files = calloc(c->n_files + 1, sizeof(struct bulk_file *));
    if (!c->files)
        return err_set(why, ERR_NOMEM, "corpora: out of memory");
    for (size_t i = 0; i < plan->n_corpora; i++)
        for (size_t d = 0; d < plan->corpora[i].n_documents && !e; d++, at++)
            if (wanted >> i & 1)
                e = cache_get(&c->files[at], config,
                              &plan->corpora[i].documents[d], why);
    return e;
}

void corpora_close(struct corpora *c)
{
    for (size_t i = 0; c->files && i < c->n_files; i++)
        bulk_file_close(c->files[i]);
    free(c->files);
    *c = (struct corpora){0};
}

const struct bulk_file *corpora_file(const struct corpora *c, size_t i,
                                     size_t d)
{
    size_t at = d;
    for (size_t k = 0; k < i; k++)
        at += c->plan->corpora[k].n_documents;
    return c->files[at];
}

enum err corpora_sha256(const struct corpora *c, size_t i,
                        char hex[CORPUS_HEX_SIZE], struct why *why)
{
    size_t n = c->plan->corpora[i].n_documents;
    struct corpus_hash *hash = NULL;
    *hex = 0;
    if (!corpora_file(c, i, 0))
        return ERR_OK;
    if (n == 1) {
        memcpy(hex, corpora_file(c, i, 0)->sha256, CORPUS_HEX_SIZE);
        return ERR_OK;
    }
    enum err e = corpus_hash_new(&hash, why);
    if (e)
        return e;
    for (size_t d = 0; d < n; d++)
        corpus_hash_add(hash, corpora_file(c, i, d)->sha256,
                        CORPUS_HEX_SIZE - 1);
    corpus_hash_end(hash, hex);
    corpus_hash_free(hash);
    return ERR_OK;
}
