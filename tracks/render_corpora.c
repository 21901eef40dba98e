#include <stdio.h>
#include <string.h>

#include "common/json_build.h"
#include "tracks/field.h"
#include "tracks/field_list.h"
#include "tracks/generator.h"
#include "tracks/render.h"

#define TEST_MODE_DOCS 1000

/* What a corpus says for all of its documents, and each of these for itself. */
struct source {
    const char *generator, *file, *index, *stream, *base_url;
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
    if (!e)
        e = field_text(v, "target-data-stream", PLAN_NAME_MAX, &s->stream, why);
    return e ? e
             : field_text(v, "base-url", PLAN_PATH_MAX / 4, &s->base_url, why);
}

static enum err source_read(const struct jv *v, struct source *s,
                            struct why *why)
{
    static const char *const keys[] = {"generator",
                                       "seed",
                                       "source-file",
                                       "document-count",
                                       "target-index",
                                       "target-data-stream",
                                       "includes-action-and-meta-data",
                                       "source-format",
                                       "base-url",
                                       "compressed-bytes",
                                       "uncompressed-bytes",
                                       "meta",
                                       NULL};
    enum err e = field_only(v, keys, NULL, why);
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

/* How much of a file's name is that of the unpacked file. */
static size_t unpacked_length(const char *file)
{
    static const char *const packed[] = {".bz2", ".gz", ".zst", ".zip", ".xz"};
    size_t len = strlen(file);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        size_t n = strlen(packed[i]);
        if (len > n && !strcmp(file + len - n, packed[i]))
            return len - n;
    }
    return len;
}

/* A document set's file: absolute and, as in Rally, unpacked; and where it
 * comes from, for the complaint that it is missing. */
static enum err add_file(const struct render *r, const struct jv *v,
                         const struct source *s, struct jv *out,
                         struct why *why)
{
    char path[PLAN_PATH_MAX + 1], origin[PLAN_PATH_MAX + 1];
    const char *slash = strrchr(s->file, '/');
    size_t len = unpacked_length(s->file);
    bool rooted = *s->file == '/';
    int n = snprintf(path, sizeof path, "%s%s%.*s", rooted ? "" : r->dir,
                     rooted ? "" : "/", (int)len, s->file);
    if (n < 0 || (size_t)n >= sizeof path)
        return field_error(jv_get(v, "source-file"), why,
                           "the path is longer than %d characters",
                           PLAN_PATH_MAX);
    jv_add_text(out, "file", path);
    if (!s->base_url && !s->file[len])
        return ERR_OK;
    n = snprintf(origin, sizeof origin, "%s%s%s",
                 s->base_url ? s->base_url : "", s->base_url ? "/" : "",
                 slash && s->base_url ? slash + 1 : s->file);
    if (n > 0 && (size_t)n < sizeof origin)
        jv_add_text(out, "origin", origin);
    return ERR_OK;
}

/* Where documents without action lines go: what they say themselves, else the
 * track's only index or data stream. */
static enum err target_check(const struct render *r, const struct jv *v,
                             struct source *s, struct why *why)
{
    if (s->actions) {
        s->index = s->stream = NULL;
        return ERR_OK;
    }
    if (!s->index && !s->stream && r->n_indices == 1)
        s->index = r->indices[0].name;
    if (!s->index && !s->stream && r->n_streams == 1)
        s->stream = r->streams[0];
    if (s->index && r->n_streams)
        return field_error(v, why,
                           "\"target-index\", and the track has data streams");
    if (s->stream && r->n_indices)
        return field_error(v, why,
                           "\"target-data-stream\", and the track has indices");
    if (s->index && s->stream)
        return field_error(v, why,
                           "both \"target-index\" and \"target-data-stream\"");
    const char *target = s->index ? s->index : s->stream;
    if (!target)
        return field_error(v, why,
                           "\"target-index\" is missing, and the track has "
                           "%zu indices and %zu data streams",
                           r->n_indices, r->n_streams);
    if (!field_plain(target, "_.-"))
        return field_error(v, why, "\"%s\" is no index name", target);
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
    e = target_check(r, v, &s, why);
    if (e)
        return e;
    struct jv *out = jv_add(documents, NULL, JV_OBJECT);
    if (s.generator) {
        jv_add_text(out, "generator", s.generator);
        jv_add_u64(out, "seed", s.seed);
    } else {
        e = add_file(r, v, &s, out, why);
    }
    if (r->test_mode && s.docs > TEST_MODE_DOCS)
        s.docs = TEST_MODE_DOCS;
    jv_add_u64(out, "docs", s.docs);
    if (s.index || s.stream)
        jv_add_text(out, "index", s.index ? s.index : s.stream);
    if (s.stream)
        jv_add_bool(out, "create", true);
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
                                       "target-data-stream",
                                       "meta",
                                       NULL};
    const char *name;
    const struct jv *documents;
    struct source s = {.seed = 1};
    enum err e = field_only(v, keys, NULL, why);
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

enum err render_corpora(const struct render *r, struct why *why)
{
    const struct jv *corpora;
    enum err e =
        field_list(r->root, "corpora", PLAN_CORPORA_MAX, &corpora, why);
    for (size_t i = 0; !e && i < jv_size(corpora); i++)
        e = corpus_render(r, jv_at(corpora, i), r->corpora, why);
    return e;
}
