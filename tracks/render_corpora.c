#include <stdio.h>
#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "tracks/field.h"
#include "tracks/field_list.h"
#include "tracks/generator.h"
#include "tracks/render.h"

#define TEST_MODE_DOCS 1000

/* What a corpus says for all of its documents, and each of these for itself. */
struct source {
    const char *generator, *file, *index;
    bool actions;
    uint64_t docs, seed;
};

static enum err format_check(const struct jv *v, struct why *why)
{
    const char *format = "bulk";
    enum err e = field_text(v, "source-format", 32, &format, why);
    if (!e && strcmp(format, "bulk") != 0)
        return field_error(jv_get(v, "source-format"), why,
                           "\"%s\" is not supported; accepted: bulk", format);
    return e;
}

static enum err shared_read(const struct jv *v, struct source *s,
                            struct why *why)
{
    enum err e = format_check(v, why);
    if (!e)
        e = field_bool(v, "includes-action-and-meta-data", &s->actions, why);
    if (!e)
        e = field_text(v, "target-index", PLAN_NAME_MAX, &s->index, why);
    return e;
}

static enum err source_read(const struct jv *v, struct source *s,
                            struct why *why)
{
    static const char *const keys[] = {
        "generator",          "seed",         "source-file",
        "document-count",     "target-index", "includes-action-and-meta-data",
        "source-format",      "base-url",     "compressed-bytes",
        "uncompressed-bytes", "meta",         NULL};
    enum err e = jv_only(v, keys, why);
    if (!e)
        e = shared_read(v, s, why);
    if (!e)
        e = field_text(v, "generator", PLAN_NAME_MAX, &s->generator, why);
    if (!e)
        e = field_text(v, "source-file", PLAN_PATH_MAX / 2, &s->file, why);
    if (!e)
        e = field_whole(v, "seed", 0, UINT32_MAX, &s->seed, why);
    if (!e)
        e = field_whole(v, "document-count", 1, PLAN_DOCS_MAX, &s->docs, why);
    if (!e && !s->docs)
        e = field_missing(v, "document-count", why);
    return e;
}

/* A document set's file: absolute, and unpacked. */
static enum err add_file(const struct render *r, const struct jv *v,
                         const char *file, struct jv *out, struct why *why)
{
    static const char *const packed[] = {".bz2", ".gz", ".zst", ".zip", ".xz"};
    char path[PLAN_PATH_MAX + 1];
    size_t len = strlen(file);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        size_t n = strlen(packed[i]);
        if (len > n && !strcmp(file + len - n, packed[i]))
            return field_error(jv_get(v, "source-file"), why,
                               "\"%s\" is compressed: unpack it and name the "
                               "unpacked file",
                               file);
    }
    if (*file == '/') {
        jv_add_text(out, "file", file);
        return ERR_OK;
    }
    int n = snprintf(path, sizeof path, "%s/%s", r->dir, file);
    if (n < 0 || (size_t)n >= sizeof path)
        return field_error(jv_get(v, "source-file"), why,
                           "the path is longer "
                           "than %d characters",
                           PLAN_PATH_MAX);
    jv_add_text(out, "file", path);
    return ERR_OK;
}

static enum err index_check(const struct render *r, const struct jv *v,
                            struct source *s, struct why *why)
{
    if (s->actions)
        s->index = NULL;
    else if (!s->index && r->n_indices == 1)
        s->index = r->indices[0].name;
    if (!s->actions && !s->index)
        return field_error(v, why,
                           "\"target-index\" is missing, and the track has "
                           "%zu indices",
                           r->n_indices);
    if (s->index && !field_plain(s->index, "_.-"))
        return field_error(v, why, "\"%s\" is no index name", s->index);
    return ERR_OK;
}

static enum err documents_render(const struct render *r, const struct jv *v,
                                 struct source s, struct jv *documents,
                                 struct why *why)
{
    char names[200];
    enum err e = source_read(v, &s, why);
    if (e)
        return e;
    if (!s.generator == !s.file)
        return field_error(v, why,
                           "needs either \"source-file\" or \"generator\"");
    if (s.generator && !generator_find(s.generator))
        return field_error(jv_get(v, "generator"), why,
                           "\"%s\" is unknown; accepted: %s", s.generator,
                           generator_names(names, sizeof names));
    if (s.generator && s.actions)
        return field_error(v, why,
                           "a generator makes no action lines: leave out "
                           "\"includes-action-and-meta-data\"");
    e = index_check(r, v, &s, why);
    if (e)
        return e;
    struct jv *out = jv_add(documents, NULL, JV_OBJECT);
    if (s.generator) {
        jv_add_text(out, "generator", s.generator);
        jv_add_u64(out, "seed", s.seed);
    } else {
        e = add_file(r, v, s.file, out, why);
    }
    if (r->test_mode && s.docs > TEST_MODE_DOCS)
        s.docs = TEST_MODE_DOCS;
    jv_add_u64(out, "docs", s.docs);
    if (s.index)
        jv_add_text(out, "index", s.index);
    return e;
}

static enum err corpus_render(const struct render *r, const struct jv *v,
                              struct jv *corpora, struct why *why)
{
    static const char *const keys[] = {"name",
                                       "documents",
                                       "base-url",
                                       "source-format",
                                       "includes-action-and-meta-data",
                                       "target-index",
                                       "meta",
                                       NULL};
    const char *name;
    const struct jv *documents;
    struct source s = {.seed = 1};
    enum err e = jv_only(v, keys, why);
    if (!e)
        e = field_need_text(v, "name", PLAN_NAME_MAX, &name, why);
    if (!e)
        e = shared_read(v, &s, why);
    if (!e)
        e = field_list(v, "documents", PLAN_DOCUMENTS_MAX, &documents, why);
    if (e)
        return e;
    for (size_t i = 0; i < jv_size(corpora); i++)
        if (!strcmp(jv_text(jv_get(jv_at(corpora, i), "name"), ""), name))
            return field_error(v, why, "the name \"%s\" is taken", name);
    struct jv *out = jv_add(corpora, NULL, JV_OBJECT);
    jv_add_text(out, "name", name);
    struct jv *list = jv_add(out, "documents", JV_ARRAY);
    for (size_t i = 0; i < jv_size(documents) && !e; i++)
        e = documents_render(r, jv_at(documents, i), s, list, why);
    return e;
}

enum err render_corpora(const struct render *r, struct jv *plan,
                        struct why *why)
{
    const struct jv *corpora = jv_get(r->root, "corpora");
    if (!corpora)
        return ERR_OK;
    enum err e =
        field_list(r->root, "corpora", PLAN_CORPORA_MAX, &corpora, why);
    if (e)
        return e;
    struct jv *out = jv_add(plan, "corpora", JV_ARRAY);
    for (size_t i = 0; i < jv_size(corpora) && !e; i++)
        e = corpus_render(r, jv_at(corpora, i), out, why);
    return e;
}
