#include <stdio.h>
#include <string.h>

#include "common/json_place.h"
#include "tracks/field.h"
#include "tracks/plan_task.h"

#define CONFLICT_PROBABILITY 0.25 /* as Rally */

static enum err corpora_read(const struct jv *v, struct plan_task *t,
                             size_t n_corpora, struct why *why)
{
    const struct jv *corpora;
    enum err e = field_need(v, "corpora", JV_ARRAY, &corpora, why);
    if (e)
        return e;
    for (size_t i = 0; i < jv_size(corpora); i++) {
        double n = jv_number(jv_at(corpora, i), -1);
        if (!(n >= 0 && n < (double)n_corpora))
            return field_error(jv_at(corpora, i), why, "there is no corpus %g",
                               n);
        t->corpora |= 1u << (unsigned)n;
    }
    return t->corpora ? ERR_OK : field_error(corpora, why, "is empty");
}

/* The member key as the number of one of words [n]. */
static enum err word_read(const struct jv *v, const char *key,
                          const char *const *words, size_t n, size_t *found,
                          struct why *why)
{
    const char *word = words[0];
    enum err e = field_text(v, key, 16, &word, why);
    if (e)
        return e;
    for (*found = 0; *found < n; (*found)++)
        if (!strcmp(words[*found], word))
            return ERR_OK;
    char all[64] = "";
    for (size_t i = 0, at = 0; i < n; i++)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%s", i ? ", " : "",
                               words[i]);
    return field_error(jv_get(v, key), why, "\"%s\" is unknown; accepted: %s",
                       word, all);
}

/* Which ids documents have. */
static enum err conflicts_read(const struct jv *v, struct plan_task *t,
                               struct why *why)
{
    static const char *const words[] = {"none", "sequential", "random"},
                             *const actions[] = {"index", "update"},
                             *const dependents[] = {"conflict_probability",
                                                    "recency", "on_conflict"};
    size_t conflicts, action;
    enum err e = word_read(v, "conflicts", words, 3, &conflicts, why);
    if (!e)
        e = word_read(v, "on_conflict", actions, 2, &action, why);
    for (size_t i = 0; i < 3 && !e; i++)
        if (!conflicts && jv_get(v, dependents[i]))
            e = field_error(jv_get(v, dependents[i]), why,
                            "means nothing without \"conflicts\"");
    if (e || !conflicts)
        return e;
    t->conflicts = (enum plan_conflicts)conflicts;
    t->on_conflict_update = action == 1;
    t->conflict_probability = CONFLICT_PROBABILITY;
    e = field_ratio(v, "conflict_probability", &t->conflict_probability, why);
    return e ? e : field_ratio(v, "recency", &t->recency, why);
}

/* How much of the documents is sent. */
static enum err ingest_read(const struct jv *v, struct plan_task *t,
                            struct why *why)
{
    t->ingest_ratio = 1;
    enum err e = field_ratio(v, "ingest_ratio", &t->ingest_ratio, why);
    if (!e && t->ingest_ratio <= 0)
        e = field_error(jv_get(v, "ingest_ratio"), why, "must be above 0");
    if (!e)
        e = field_whole(v, "ingest_docs", 0, PLAN_DOCS_MAX, &t->ingest_docs,
                        why);
    if (!e && t->ingest_docs && t->ingest_ratio < 1)
        e = field_error(v, why,
                        "\"ingest_docs\" cannot be mixed with "
                        "\"ingest_ratio\"");
    return e ? e : field_bool(v, "looped", &t->looped, why);
}

static enum err query_read(const struct jv *v, struct plan_task *t,
                           struct why *why)
{
    const struct jv *query = jv_get(v, "query");
    t->query = "";
    if (jv_type(query) == JV_STRING && !*jv_text(query, ""))
        return ERR_OK;
    enum err e = field_text(v, "query", PLAN_QUERY_MAX, &t->query, why);
    if (!e && *t->query && (*t->query != '?' || strpbrk(t->query, " #")))
        e = field_error(query, why, "must begin with ? and hold no blank or #");
    return e;
}

/* Bulks of several sizes; *largest is set. */
static enum err sizes_read(const struct jv *v, struct plan_task *t,
                           uint64_t *largest, struct why *why)
{
    const struct jv *sizes;
    enum err e = field_need(v, "sizes", JV_ARRAY, &sizes, why);
    if (e)
        return e;
    if (*largest)
        return field_error(sizes, why, "and \"docs\"");
    if (!jv_size(sizes) || jv_size(sizes) > PLAN_SIZES_MAX)
        return field_error(sizes, why, "must be 1 to %d sizes", PLAN_SIZES_MAX);
    for (size_t i = 0; i < jv_size(sizes); i++) {
        uint64_t n = jv_u64(jv_at(sizes, i), 0);
        if (!n || n > PLAN_BULK_DOCS_MAX)
            return field_error(jv_at(sizes, i), why, "must be 1 to %d",
                               PLAN_BULK_DOCS_MAX);
        t->bulk_sizes[t->n_bulk_sizes++] = (uint32_t)n;
        *largest = n > *largest ? n : *largest;
    }
    return ERR_OK;
}

enum err plan_bulk_read(const struct jv *v, struct plan_task *t,
                        size_t n_corpora, struct why *why)
{
    static const char *const keys[] = {"docs",
                                       "sizes",
                                       "corpora",
                                       "conflicts",
                                       "conflict_probability",
                                       "recency",
                                       "on_conflict",
                                       "ingest_ratio",
                                       "ingest_docs",
                                       "looped",
                                       "query",
                                       NULL};
    uint64_t docs = 0;
    enum err e = jv_only(v, keys, why);
    if (!e)
        e = field_whole(v, "docs", 1, PLAN_BULK_DOCS_MAX, &docs, why);
    if (!e && jv_get(v, "sizes"))
        e = sizes_read(v, t, &docs, why);
    if (!e && !docs)
        e = field_missing(v, "docs", why);
    if (!e)
        e = corpora_read(v, t, n_corpora, why);
    if (!e)
        e = conflicts_read(v, t, why);
    if (!e)
        e = ingest_read(v, t, why);
    if (!e)
        e = query_read(v, t, why);
    t->kind = PLAN_BULK;
    t->bulk_docs = (uint32_t)docs;
    return e;
}
