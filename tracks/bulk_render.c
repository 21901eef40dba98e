#include "tracks/bulk_render.h"

#include <stdio.h>
#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "tracks/field.h"
#include "tracks/request.h"

#define PERCENT 100.0

/* Whether op's list (or text) under key names text; true without such a key. */
static bool is_named(const struct jv *op, const char *key, const char *text)
{
    const struct jv *v = jv_get(op, key);
    if (!v || jv_type(v) == JV_NULL)
        return true;
    if (jv_type(v) == JV_STRING)
        return !strcmp(jv_text(v, ""), text);
    for (size_t i = 0; i < jv_size(v); i++)
        if (!strcmp(jv_text(jv_at(v, i), ""), text))
            return true;
    return false;
}

/* Whether a document set of the plan goes where op sends. */
static bool is_meant(const struct jv *op, const struct jv *documents)
{
    const char *index = jv_text(jv_get(documents, "index"), "");
    return is_named(op, "indices", index) &&
           is_named(op, "data-streams", index);
}

/* Those document sets of corpus that are meant, as one more corpus. */
static enum err corpus_part(const struct render *r, const struct jv *op,
                            const struct jv *corpus, struct why *why)
{
    char name[PLAN_NAME_MAX + 32];
    const struct jv *all = jv_get(corpus, "documents");
    size_t number = jv_size(r->corpora);
    (void)snprintf(name, sizeof name, "%.48s-%zu",
                   jv_text(jv_get(corpus, "name"), ""), number);
    if (number == PLAN_CORPORA_MAX)
        return field_error(op, why,
                           "\"indices\" of the bulks need more than %d corpora",
                           PLAN_CORPORA_MAX);
    struct jv *part = jv_add(r->corpora, NULL, JV_OBJECT);
    jv_add_text(part, "name", name);
    struct jv *list = jv_add(part, "documents", JV_ARRAY);
    for (size_t i = 0; i < jv_size(all); i++)
        if (is_meant(op, jv_at(all, i)))
            jv_add_copy(list, NULL, jv_at(all, i));
    return ERR_OK;
}

/* Corpus i of the track, all or some of it, or not at all. */
static enum err corpus_add(const struct render *r, const struct jv *op,
                           size_t i, struct jv *list, struct why *why)
{
    const struct jv *corpus = jv_at(r->corpora, i),
                    *all = jv_get(corpus, "documents");
    enum err e = ERR_OK;
    size_t n = 0;
    for (size_t k = 0; k < jv_size(all); k++)
        n += is_meant(op, jv_at(all, k));
    if (!n)
        return ERR_OK;
    size_t number = n == jv_size(all) ? i : jv_size(r->corpora);
    if (number != i)
        e = corpus_part(r, op, corpus, why);
    jv_add_u64(list, NULL, number);
    return e;
}

/* The corpora that op names must be there. */
static enum err corpora_check(const struct render *r, const struct jv *op,
                              size_t n, struct why *why)
{
    const struct jv *only = jv_get(op, "corpora");
    bool many = jv_type(only) == JV_ARRAY;
    if (!only || jv_type(only) == JV_NULL)
        return ERR_OK;
    if (many ? !jv_size(only) : jv_type(only) != JV_STRING)
        return field_error(only, why,
                           "must be a corpus' name or a list of such");
    for (size_t i = 0; i < (many ? jv_size(only) : 1); i++) {
        const struct jv *v = many ? jv_at(only, i) : only;
        const char *name = jv_text(v, "?");
        bool found = false;
        for (size_t k = 0; k < n; k++)
            found |= !strcmp(jv_text(jv_get(jv_at(r->corpora, k), "name"), ""),
                             name);
        if (!found)
            return field_error(v, why, "there is no corpus \"%s\"", name);
    }
    return ERR_OK;
}

static enum err corpora_put(const struct render *r, const struct jv *op,
                            struct jv *bulk, struct why *why)
{
    size_t n = jv_size(jv_get(r->root, "corpora"));
    if (!n)
        return field_error(op, why, "a bulk, and the track has no corpora");
    enum err e = corpora_check(r, op, n, why);
    struct jv *list = jv_add(bulk, "corpora", JV_ARRAY);
    for (size_t i = 0; i < n && !e; i++)
        if (is_named(op, "corpora",
                     jv_text(jv_get(jv_at(r->corpora, i), "name"), "")))
            e = corpus_add(r, op, i, list, why);
    if (!e && !jv_size(list))
        e = field_error(op, why,
                        "no document set goes to its \"indices\" or "
                        "\"data-streams\"");
    return e;
}

/* Ids of ours cannot stand in action lines that are not ours. */
static enum err ids_check(const struct render *r, const struct jv *op,
                          const struct jv *bulk, struct why *why)
{
    const struct jv *list = jv_get(bulk, "corpora"),
                    *v = jv_get(op, "conflicts");
    for (size_t i = 0; i < jv_size(list); i++) {
        const struct jv *all = jv_get(
            jv_at(r->corpora, (size_t)jv_u64(jv_at(list, i), 0)), "documents");
        for (size_t k = 0; k < jv_size(all); k++) {
            if (!jv_get(jv_at(all, k), "index"))
                return field_error(v, why,
                                   "needs documents without action lines "
                                   "(\"includes-action-and-meta-data\")");
            if (jv_get(jv_at(all, k), "create"))
                return field_error(v, why, "cannot be in a data stream");
        }
    }
    return ERR_OK;
}

/* A number of percent as a ratio. */
static enum err percent_put(const struct jv *op, const char *key, double above,
                            const char *name, struct jv *bulk, struct why *why)
{
    const struct jv *v;
    enum err e = field_find(op, key, JV_NUMBER, &v, why);
    if (e || !v)
        return e;
    double percent = jv_number(v, -1);
    if (!(percent > above && percent <= PERCENT))
        return field_error(v, why, "must be %s to 100 percent, not %g",
                           above < 0 ? "0" : "above 0", percent);
    jv_add_number(bulk, name, percent / PERCENT);
    return ERR_OK;
}

static enum err word_check(const struct jv *op, const char *key,
                           const char *const *words, const char **word,
                           struct why *why)
{
    char all[100] = "";
    size_t at = 0;
    *word = words[0];
    enum err e = field_text(op, key, 32, word, why);
    if (e)
        return e;
    for (; *words; words++) {
        if (!strcmp(*words, *word))
            return ERR_OK;
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%s",
                               at ? ", " : "", *words);
    }
    return field_error(jv_get(op, key), why,
                       "\"%s\" is not supported; accepted: %s", *word, all);
}

static enum err conflicts_put(const struct render *r, const struct jv *op,
                              struct jv *bulk, struct why *why)
{
    static const char *const words[] = {"none", "sequential", "random", NULL},
                             *const actions[] = {"index", "update", NULL},
                             *const dependents[] = {"conflict-probability",
                                                    "on-conflict", "recency"};
    const char *conflicts, *action;
    double recency = 0;
    enum err e = word_check(op, "conflicts", words, &conflicts, why);
    for (size_t i = 0; i < 3 && !e && !jv_get(op, "conflicts"); i++)
        if (jv_get(op, dependents[i]))
            e = field_error(jv_get(op, dependents[i]), why,
                            "means nothing without \"conflicts\"");
    if (!e)
        e = word_check(op, "on-conflict", actions, &action, why);
    if (!e)
        e = field_ratio(op, "recency", &recency, why);
    if (e || !strcmp(conflicts, "none"))
        return e;
    jv_add_text(bulk, "conflicts", conflicts);
    jv_add_text(bulk, "on_conflict", action);
    jv_add_number(bulk, "recency", recency);
    e = percent_put(op, "conflict-probability", -1, "conflict_probability",
                    bulk, why);
    return e ? e : ids_check(r, op, bulk, why);
}

/* How much of the documents is sent. */
static enum err ingest_put(const struct jv *op, uint64_t docs, struct jv *bulk,
                           struct why *why)
{
    uint64_t count = 0;
    bool looped = false;
    enum err e =
        field_whole(op, "ingest-doc-count", 1, PLAN_DOCS_MAX, &count, why);
    if (!e && count && jv_get(op, "ingest-percentage"))
        e = field_error(op, why,
                        "\"ingest-doc-count\" cannot be mixed with "
                        "\"ingest-percentage\"");
    if (!e && count % docs)
        e = field_error(jv_get(op, "ingest-doc-count"), why,
                        "must be a multiple of \"bulk-size\"");
    if (!e)
        e = percent_put(op, "ingest-percentage", 0, "ingest_ratio", bulk, why);
    if (!e)
        e = field_bool(op, "looped", &looped, why);
    if (count)
        jv_add_u64(bulk, "ingest_docs", count);
    if (looped)
        jv_add_bool(bulk, "looped", true);
    return e;
}

/* What stands behind the bulk's path. */
static enum err query_put(const struct jv *op, struct jv *bulk, struct why *why)
{
    static const char *const words[] = {"false", "true", "wait_for", NULL};
    const char *texts[] = {"pipeline", "refresh", "timeout"}, *word;
    struct request_path path = {0};
    bool refresh = jv_bool(jv_get(op, "refresh"), false);
    enum err e = ERR_OK;
    if (jv_type(jv_get(op, "refresh")) != JV_BOOL)
        e = word_check(op, "refresh", words, &word, why);
    else
        request_path_query(&path, "refresh", refresh ? "true" : "false");
    for (size_t i = 0; i < 3 && !e; i++) {
        word = NULL;
        if (jv_type(jv_get(op, texts[i])) != JV_BOOL)
            e = field_text(op, texts[i], PLAN_NAME_MAX, &word, why);
        if (word)
            request_path_query(&path, texts[i], word);
    }
    if (!e)
        e = request_path_params(op, &path, why);
    if (!e && path.len > PLAN_QUERY_MAX)
        e = field_error(op, why, "its parameters exceed %d bytes",
                        PLAN_QUERY_MAX);
    if (path.len)
        jv_add_text(bulk, "query", path.text);
    return e;
}

/* Ours, not Rally's: bulks of several sizes in turn. *docs is set to the
 * largest.
 */
static enum err sizes_check(const struct jv *sizes, uint64_t *docs,
                            struct why *why)
{
    if (*docs)
        return field_error(sizes, why, "cannot be mixed with \"bulk-size\"");
    if (jv_type(sizes) != JV_ARRAY || !jv_size(sizes) ||
        jv_size(sizes) > PLAN_SIZES_MAX)
        return field_error(sizes, why, "must be a list of 1 to %d sizes",
                           PLAN_SIZES_MAX);
    for (size_t i = 0; i < jv_size(sizes); i++) {
        uint64_t n = jv_u64(jv_at(sizes, i), 0);
        if (!n || n > PLAN_BULK_DOCS_MAX)
            return field_error(jv_at(sizes, i), why,
                               "must be a whole number from 1 to %d",
                               PLAN_BULK_DOCS_MAX);
        *docs = n > *docs ? n : *docs;
    }
    return ERR_OK;
}

enum err bulk_render(const struct render *r, const struct jv *op,
                     struct jv *task, struct why *why)
{
    uint64_t docs = 0, batch = 0;
    const struct jv *sizes = jv_get(op, "bulk-sizes");
    enum err e =
        field_whole(op, "bulk-size", 1, PLAN_BULK_DOCS_MAX, &docs, why);
    if (!e && sizes)
        e = sizes_check(sizes, &docs, why);
    if (!e && !docs)
        e = field_missing(op, "bulk-size", why);
    if (!e)
        e = field_whole(op, "batch-size", 1, PLAN_DOCS_MAX, &batch, why);
    if (!e && batch && batch % docs)
        e = field_error(jv_get(op, "batch-size"), why,
                        "must be a multiple of \"bulk-size\"");
    if (e)
        return e;
    struct jv *bulk = jv_add(task, "bulk", JV_OBJECT);
    if (sizes)
        jv_add_copy(bulk, "sizes", sizes);
    else
        jv_add_u64(bulk, "docs", docs);
    e = corpora_put(r, op, bulk, why);
    if (!e)
        e = conflicts_put(r, op, bulk, why);
    if (!e)
        e = ingest_put(op, docs, bulk, why);
    return e ? e : query_put(op, bulk, why);
}
