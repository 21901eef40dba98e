#include "controller/lab_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_place.h"

static enum err refuse(const struct jv *v, const char *accepted,
                       struct why *why)
{
    char where[300];
    return err_set(why, ERR_INVALID, "%s: accepted is %s",
                   jv_where(v, where, sizeof where), accepted);
}

/* A text of 1 to size-1 bytes; absent is refused at the object. */
static enum err text_of(const struct jv *object, const char *key, char *to,
                        size_t size, struct why *why)
{
    const struct jv *v = jv_get(object, key);
    const char *text = jv_text(v, NULL);
    char accepted[80];
    (void)snprintf(accepted, sizeof accepted,
                   "\"%s\", a text of 1 to %zu bytes", key, size - 1);
    if (!text || !text[0] || strlen(text) >= size)
        return refuse(v ? v : object, accepted, why);
    memcpy(to, text, strlen(text) + 1);
    return ERR_OK;
}

static const struct lab_agent *agent_named(const struct lab_file *f,
                                           const char *name)
{
    for (unsigned i = 0; name && i < f->n_agents; i++)
        if (!strcmp(f->agents[i].name, name))
            return &f->agents[i];
    return NULL;
}

static enum err read_agent(struct lab_file *f, const struct jv *v,
                           struct why *why)
{
    static const char *const keys[] = {"name", "url", NULL};
    struct lab_agent agent = {.name = ""};
    enum err e = jv_only(v, keys, why);
    if (!e)
        e = text_of(v, "name", agent.name, sizeof agent.name, why);
    if (!e)
        e = text_of(v, "url", agent.url, sizeof agent.url, why);
    if (!e && agent_named(f, agent.name))
        e = refuse(jv_get(v, "name"), "a name that no other agent has", why);
    if (!e)
        f->agents[f->n_agents++] = agent;
    return e;
}

/* Add the agent that v names to a bench. */
static enum err seat_agent(const struct lab_file *f, struct lab_place *bench,
                           const struct jv *v, struct why *why)
{
    const struct lab_agent *agent = agent_named(f, jv_text(v, NULL));
    if (!agent)
        return refuse(v, "the name of one of \"agents\"", why);
    for (unsigned i = 0; i < bench->n; i++)
        if (!strcmp(bench->agents[i].name, agent->name))
            return refuse(v,
                          "each agent once: without \"load\" the target's "
                          "agent has both roles",
                          why);
    bench->agents[bench->n++] = *agent;
    return ERR_OK;
}

static enum err read_bench(struct lab_file *f, const struct jv *v,
                           struct why *why)
{
    static const char *const keys[] = {"name", "target", "load", NULL};
    struct lab_place *bench = &f->benches[f->n_benches];
    const struct jv *load = jv_get(v, "load");
    enum err e = jv_only(v, keys, why);
    if (!e)
        e = text_of(v, "name", bench->bench, sizeof bench->bench, why);
    for (unsigned i = 0; !e && i < f->n_benches; i++)
        if (!strcmp(f->benches[i].bench, bench->bench))
            e = refuse(jv_get(v, "name"), "a name that no other bench has",
                       why);
    if (!e && !jv_get(v, "target"))
        e = refuse(v, "an object with \"name\", \"target\" and \"load\"", why);
    if (!e)
        e = seat_agent(f, bench, jv_get(v, "target"), why);
    if (!e && load &&
        (jv_type(load) != JV_ARRAY || jv_size(load) >= NEEDS_AGENTS_MAX))
        e = refuse(load, "a list of at most 16 names", why);
    for (size_t i = 0; !e && i < jv_size(load); i++)
        e = seat_agent(f, bench, jv_at(load, i), why);
    f->n_benches += !e;
    return e;
}

/* The list under key, of 1 to max objects, each read. */
static enum err read_list(struct lab_file *f, const struct jv *root,
                          const char *key, size_t max,
                          enum err (*read)(struct lab_file *, const struct jv *,
                                           struct why *),
                          struct why *why)
{
    const struct jv *list = jv_get(root, key);
    char accepted[80];
    (void)snprintf(accepted, sizeof accepted, "\"%s\", a list of 1 to %zu", key,
                   max);
    if (jv_type(list) != JV_ARRAY || !jv_size(list) || jv_size(list) > max)
        return refuse(list ? list : root, accepted, why);
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < jv_size(list); i++)
        e = jv_type(jv_at(list, i)) == JV_OBJECT
                ? read(f, jv_at(list, i), why)
                : refuse(jv_at(list, i), "an object", why);
    return e;
}

enum err lab_file_parse(struct lab_file **out, const struct jv *root,
                        const char *folder, struct why *why)
{
    static const char *const keys[] = {"version", "agents", "benches", "tls",
                                       NULL};
    *out = NULL;
    struct lab_file *f = calloc(1, sizeof *f);
    if (!f)
        return err_set(why, ERR_NOMEM, "lab file");
    enum err e = ERR_OK;
    if (jv_type(root) != JV_OBJECT)
        e = refuse(root, "an object", why);
    if (!e)
        e = jv_only(root, keys, why);
    if (!e && jv_number(jv_get(root, "version"), 0) != 1)
        e = refuse(root, "\"version\": 1", why);
    if (!e)
        e = read_list(f, root, "agents", LAB_FILE_AGENTS_MAX, read_agent, why);
    if (!e)
        e = read_list(f, root, "benches", LAB_FILE_BENCHES_MAX, read_bench,
                      why);
    if (!e)
        e = tls_files_read(&f->tls, jv_get(root, "tls"), folder, why);
    if (e) {
        free(f);
        return e;
    }
    *out = f;
    return ERR_OK;
}

/* "" is the working one. */
static const char *folder_of(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    (void)snprintf(folder, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 0,
                   path);
    return slash == path ? "/" : folder;
}

enum err lab_file_load(struct lab_file **out, const char *path, struct why *why)
{
    struct jv *root = NULL;
    char folder[PATH_MAX];
    *out = NULL;
    enum err e = jv_load(&root, path, LAB_FILE_MAX, why);
    if (!e)
        e = lab_file_parse(out, root, folder_of(path, folder), why);
    jv_free(root);
    return e;
}

static const struct lab_place *bench_named(const struct lab_file *f,
                                           const char *name, size_t len)
{
    for (unsigned i = 0; i < f->n_benches; i++)
        if (strlen(f->benches[i].bench) == len &&
            !memcmp(f->benches[i].bench, name, len))
            return &f->benches[i];
    return NULL;
}

static enum err refuse_bench(const struct lab_file *f, const char *name,
                             size_t len, struct why *why)
{
    char names[256] = "";
    size_t used = 0;
    for (unsigned i = 0; i < f->n_benches && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i ? ", " : "", f->benches[i].bench);
    return err_set(why, ERR_USAGE, "--bench \"%.*s\": the lab file has: %s",
                   (int)len, name, names);
}

/* At one time an agent works at one bench. */
static enum err add_bench(struct lab_places *out, const struct lab_place *bench,
                          struct why *why)
{
    for (unsigned i = 0; i < out->n; i++) {
        const struct lab_place *other = &out->items[i];
        for (unsigned j = 0; j < other->n; j++)
            for (unsigned k = 0; k < bench->n; k++)
                if (!strcmp(other->agents[j].name, bench->agents[k].name))
                    return err_set(why, ERR_USAGE,
                                   "benches %s and %s both have agent %s: "
                                   "choose one of them with --bench",
                                   other->bench, bench->bench,
                                   bench->agents[k].name);
    }
    out->items[out->n++] = *bench;
    return ERR_OK;
}

enum err lab_file_benches(const struct lab_file *f, const char *names,
                          struct lab_places *out, struct why *why)
{
    enum err e = ERR_OK;
    out->n = 0;
    for (unsigned i = 0; !names && !e && i < f->n_benches; i++)
        e = add_bench(out, &f->benches[i], why);
    for (const char *at = names; at && !e;) {
        size_t len = strcspn(at, ",");
        const struct lab_place *bench = bench_named(f, at, len);
        if (!bench || out->n == LAB_FILE_BENCHES_MAX)
            return refuse_bench(f, at, len, why);
        e = add_bench(out, bench, why);
        at = at[len] ? at + len + 1 : NULL;
    }
    return e;
}
