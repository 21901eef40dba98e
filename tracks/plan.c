#include "tracks/plan.h"

#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/json_place.h"
#include "tracks/field.h"
#include "tracks/field_list.h"
#include "tracks/generator.h"
#include "tracks/plan_task.h"

static enum err documents_read(const struct jv *v, struct plan_documents *d,
                               struct why *why)
{
    static const char *const keys[] = {"generator", "file", "index", "create",
                                       "origin",    "docs", "seed",  NULL};
    char names[200];
    enum err e = jv_only(v, keys, why);
    if (!e)
        e = field_text(v, "generator", PLAN_NAME_MAX, &d->generator, why);
    if (!e)
        e = field_text(v, "file", PLAN_PATH_MAX, &d->file, why);
    if (!e)
        e = field_text(v, "index", PLAN_NAME_MAX, &d->index, why);
    if (!e)
        e = field_bool(v, "create", &d->create, why);
    if (!e)
        e = field_text(v, "origin", PLAN_PATH_MAX, &d->origin, why);
    if (!e)
        e = field_whole(v, "docs", 1, PLAN_DOCS_MAX, &d->docs, why);
    if (!e)
        e = field_whole(v, "seed", 0, UINT32_MAX, &d->seed, why);
    if (e)
        return e;
    if (!d->generator == !d->file)
        return field_error(v, why, "needs either \"generator\" or \"file\"");
    if (d->generator && !generator_find(d->generator))
        return field_error(jv_get(v, "generator"), why,
                           "\"%s\" is unknown; accepted: %s", d->generator,
                           generator_names(names, sizeof names));
    if (d->generator && !d->index)
        return field_missing(v, "index", why);
    if (d->file && *d->file != '/')
        return field_error(jv_get(v, "file"), why, "must be absolute");
    if (d->index && !field_plain(d->index, "_.-"))
        return field_error(jv_get(v, "index"), why, "is no index name");
    if (d->create && !d->index)
        return field_error(v, why, "\"create\" without an \"index\"");
    return d->docs ? ERR_OK : field_missing(v, "docs", why);
}

static enum err corpus_read(const struct jv *v, struct plan_corpus *c,
                            struct why *why)
{
    static const char *const keys[] = {"name", "documents", NULL};
    const struct jv *documents;
    enum err e = jv_only(v, keys, why);
    if (!e)
        e = field_need_text(v, "name", PLAN_NAME_MAX, &c->name, why);
    if (!e)
        e = field_list(v, "documents", PLAN_DOCUMENTS_MAX, &documents, why);
    if (!e)
        e = plan_array((void **)&c->documents, jv_size(documents),
                       sizeof *c->documents, why);
    if (e)
        return e;
    c->n_documents = jv_size(documents);
    for (size_t i = 0; i < c->n_documents && !e; i++)
        e = documents_read(jv_at(documents, i), &c->documents[i], why);
    return e;
}

/* What cannot be done in such a step. */
static enum err kind_check(const struct jv *task, const struct plan_task *t,
                           bool measured, struct why *why)
{
    static const char *const words[] = {[PLAN_BULK] = "bulk",
                                        [PLAN_REQUESTS] = "list of requests",
                                        [PLAN_COMPOSITE] = "composite",
                                        [PLAN_SLEEP] = "sleep"};
    bool good = t->kind == PLAN_REQUESTS || measured != (t->kind == PLAN_SLEEP);
    if (good)
        return ERR_OK;
    return field_error(task, why, "a %s in %s step", words[t->kind],
                       measured ? "a measured" : "no measured");
}

static enum err name_check(const struct jv *task, const struct plan_step *s,
                           size_t i, struct why *why)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(s->tasks[k].name, s->tasks[i].name))
            return field_error(task, why, "the name \"%s\" is taken",
                               s->tasks[i].name);
    return ERR_OK;
}

/* What a step says beside its tasks: clients, completed-by. */
static enum err step_check(const struct jv *v, struct plan_step *s,
                           struct why *why)
{
    uint64_t clients = 0;
    enum err e = field_whole(v, "clients", 0, PLAN_CLIENTS_MAX, &clients, why);
    if (!e)
        e = field_text(v, "completed-by", PLAN_NAME_MAX, &s->completed_by, why);
    if (e)
        return e;
    s->clients = (uint32_t)clients;
    bool found = !s->completed_by || !strcmp(s->completed_by, "any");
    for (size_t i = 0; i < s->n_tasks && !found; i++)
        found = !strcmp(s->tasks[i].name, s->completed_by);
    if (!found)
        return field_error(jv_get(v, "completed-by"), why,
                           "\"%s\" is no task of this step, nor \"any\"",
                           s->completed_by);
    if (!s->measured && (s->clients || s->completed_by))
        return field_error(v, why,
                           "\"clients\" or \"completed-by\" of a step that is "
                           "not measured");
    return ERR_OK;
}

static enum err step_read(const struct jv *v, struct plan_step *s,
                          size_t n_corpora, struct why *why)
{
    static const char *const keys[] = {"measured", "clients", "completed-by",
                                       "tasks", NULL};
    const struct jv *tasks;
    enum err e = jv_only(v, keys, why);
    if (!e)
        e = field_bool(v, "measured", &s->measured, why);
    if (!e)
        e = field_list(v, "tasks", PLAN_TASKS_MAX, &tasks, why);
    if (!e)
        e = plan_array((void **)&s->tasks, jv_size(tasks), sizeof *s->tasks,
                       why);
    if (e)
        return e;
    s->n_tasks = jv_size(tasks);
    for (size_t i = 0; i < s->n_tasks && !e; i++) {
        const struct jv *task = jv_at(tasks, i);
        e = plan_task_read(task, &s->tasks[i], n_corpora, why);
        if (!e)
            e = kind_check(task, &s->tasks[i], s->measured, why);
        if (!e)
            e = name_check(task, s, i, why);
    }
    return e ? e : step_check(v, s, why);
}

static enum err steps_read(struct plan *p, struct why *why)
{
    const struct jv *steps;
    uint64_t measured = UINT64_MAX;
    enum err e = field_list(p->root, "steps", PLAN_STEPS_MAX, &steps, why);
    if (!e)
        e = field_whole(p->root, "measured", 0, jv_size(steps) - 1, &measured,
                        why);
    if (!e && measured == UINT64_MAX)
        e = field_missing(p->root, "measured", why);
    if (!e)
        e = plan_array((void **)&p->steps, jv_size(steps), sizeof *p->steps,
                       why);
    if (e)
        return e;
    p->n_steps = jv_size(steps);
    p->measured = (size_t)measured;
    p->steps[p->measured].measured = true; /* unless it says otherwise */
    for (size_t i = 0; i < p->n_steps && !e; i++)
        e = step_read(jv_at(steps, i), &p->steps[i], p->n_corpora, why);
    for (size_t i = 0; i <= p->measured && !e; i++)
        if (p->steps[i].measured != (i == p->measured))
            e = field_error(
                jv_get(p->root, "measured"), why, "step %zu is %s", i,
                p->steps[i].measured ? "measured before" : "not measured");
    return e;
}

static enum err corpora_read(struct plan *p, struct why *why)
{
    const struct jv *corpora = jv_get(p->root, "corpora");
    if (!corpora)
        return ERR_OK;
    enum err e =
        field_list(p->root, "corpora", PLAN_CORPORA_MAX, &corpora, why);
    if (!e)
        e = plan_array((void **)&p->corpora, jv_size(corpora),
                       sizeof *p->corpora, why);
    if (e)
        return e;
    p->n_corpora = jv_size(corpora);
    for (size_t i = 0; i < p->n_corpora && !e; i++)
        e = corpus_read(jv_at(corpora, i), &p->corpora[i], why);
    return e;
}

static enum err plan_read(struct plan *p, struct why *why)
{
    static const char *const keys[] = {
        "version", "track", "challenge", "corpora", "steps", "measured", NULL};
    uint64_t version = 0;
    enum err e = jv_only(p->root, keys, why);
    if (!e)
        e = field_whole(p->root, "version", 1, 1, &version, why);
    if (!e && !version)
        e = field_missing(p->root, "version", why);
    if (!e)
        e = field_need_text(p->root, "track", PLAN_NAME_MAX, &p->track, why);
    if (!e)
        e = field_need_text(p->root, "challenge", PLAN_NAME_MAX, &p->challenge,
                            why);
    if (!e)
        e = corpora_read(p, why);
    return e ? e : steps_read(p, why);
}

enum err plan_parse(struct plan **out, const char *json, size_t len,
                    struct why *why)
{
    *out = NULL;
    if (len > PLAN_BYTES_MAX)
        return err_set(why, ERR_RANGE,
                       "plan: %zu bytes; at most %zu are accepted", len,
                       PLAN_BYTES_MAX);
    struct plan *p = calloc(1, sizeof *p);
    if (!p)
        return err_set(why, ERR_NOMEM, "plan: out of memory");
    enum err e = jv_parse(&p->root, "plan", json, len, why);
    if (!e)
        e = plan_read(p, why);
    if (e) {
        plan_free(p);
        return e;
    }
    *out = p;
    return ERR_OK;
}

static void task_free(struct plan_task *t)
{
    for (size_t i = 0; i < t->n_streams; i++)
        free(t->streams[i].requests);
    free(t->streams);
    free(t->requests);
    free(t->headers);
}

void plan_free(struct plan *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n_corpora; i++)
        free(p->corpora[i].documents);
    for (size_t i = 0; i < p->n_steps; i++) {
        for (size_t t = 0; t < p->steps[i].n_tasks; t++)
            task_free(&p->steps[i].tasks[t]);
        free(p->steps[i].tasks);
    }
    free(p->corpora);
    free(p->steps);
    jv_free(p->root);
    free(p);
}
