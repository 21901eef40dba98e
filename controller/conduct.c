#include "controller/conduct.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/json_build.h"

/* Those of --agent as a bench without a name. */
static enum err place_agents(const struct options *o, struct lab_place *out,
                             struct why *why)
{
    if (o->agents.n > NEEDS_AGENTS_MAX)
        return err_set(why, ERR_USAGE, "--agent: given more than %u times",
                       NEEDS_AGENTS_MAX);
    for (size_t i = 0; i < o->agents.n; i++) {
        if (strlen(o->agents.items[i]) > LAB_FILE_URL_MAX)
            return err_set(why, ERR_USAGE,
                           "--agent \"%.60s\": more than %u "
                           "bytes",
                           o->agents.items[i], LAB_FILE_URL_MAX);
        (void)snprintf(out->agents[i].url, sizeof out->agents[i].url, "%s",
                       o->agents.items[i]);
    }
    out->n = (unsigned)o->agents.n;
    return ERR_OK;
}

static enum err exclusive(const struct options *o, struct why *why)
{
    if (!!o->local + !!o->agents.n + !!o->lab_file > 1)
        return err_set(why, ERR_USAGE,
                       "--local, --agent and --agents exclude each other");
    if (o->targets && (o->agents.n || o->lab_file))
        return err_set(why, ERR_USAGE,
                       "--targets \"%s\": only for an agent started here; "
                       "others have those of their own configuration",
                       o->targets);
    if (o->bench && !o->lab_file)
        return err_set(why, ERR_USAGE, "--bench \"%s\": only with --agents",
                       o->bench);
    return ERR_OK;
}

static enum err take_places(const struct options *o, struct lab_places *out,
                            struct tls_files *tls, struct why *why)
{
    struct lab_file *file = NULL;
    enum err e = ERR_OK;
    out->n = 1;
    out->items[0] = (struct lab_place){.n = 0};
    if (o->lab_file) {
        e = lab_file_load(&file, o->lab_file, why);
        if (!e)
            e = lab_file_benches(file, o->bench, out, why);
        if (!e)
            *tls = file->tls;
        free(file);
    } else if (o->agents.n) {
        e = place_agents(o, &out->items[0], why);
    }
    for (unsigned i = 0; !e && o->emulate && i < out->n; i++)
        if (out->items[i].n > 1)
            e = err_set(why, ERR_USAGE,
                        "--emulate-ethernet: this bench has %u agents, between "
                        "which link=ethernet is real; leave it out",
                        out->items[i].n);
    return e;
}

/* path as it is from any working directory; "" is that directory. */
static enum err make_absolute(const char *path, char *buf, size_t size,
                              struct why *why)
{
    char cwd[EXPERIMENT_PATH_MAX] = "";
    if (path[0] != '/' && !getcwd(cwd, sizeof cwd))
        return err_errno(why, errno, "the working directory");
    int n =
        snprintf(buf, size, "%s%s%s", cwd, cwd[0] && path[0] ? "/" : "", path);
    return n > 0 && (size_t)n < size
               ? ERR_OK
               : err_set(why, ERR_RANGE, "%s: too long a path", path);
}

/* The credentials' files as they are from any working directory; --tls goes
 * before what the lab file says. */
static enum err take_tls(const struct options *o, struct tls_files *tls,
                         struct why *why)
{
    char *const paths[] = {tls->ca, tls->cert, tls->key};
    struct tls_files found = *tls;
    const char *const from[] = {found.ca, found.cert, found.key};
    enum err e = o->tls ? tls_files_folder(&found, o->tls, why) : ERR_OK;
    for (int i = 0; !e && found.key[0] && i < 3; i++)
        e = make_absolute(from[i], paths[i], sizeof tls->ca, why);
    return e;
}

static enum err take_where(struct conduct *c, const struct options *o,
                           struct why *why)
{
    enum err e = take_places(o, &c->places, &c->tls, why);
    if (!e)
        e = take_tls(o, &c->tls, why);
    if (!e && o->targets)
        e = make_absolute(o->targets, c->targets, sizeof c->targets, why);
    c->insecure_plain |= o->insecure_plain;
    return e;
}

enum err conduct_take(const struct options *o, struct conduct *c,
                      struct why *why)
{
    *c = (struct conduct){.test_mode = o->test_mode,
                          .no_ceiling = o->no_ceiling};
    enum err e = exclusive(o, why);
    if (!e)
        e = options_repeats(o, &c->retries, &c->abort_on_error, why);
    if (!e)
        e = stopping_take(&o->stopping, &c->stopping, why);
    return e ? e : take_where(c, o, why);
}

enum err conduct_change(struct conduct *c, const struct options *o,
                        struct why *why)
{
    uint32_t retries = 0;
    bool abort_on_error = false;
    enum err e = exclusive(o, why);
    if (!e)
        e = options_repeats(o, &retries, &abort_on_error, why);
    if (o->retries)
        c->retries = retries;
    if (o->on_error)
        c->abort_on_error = abort_on_error;
    c->no_ceiling |= o->no_ceiling;
    c->insecure_plain |= o->insecure_plain;
    if (!e && (o->local || o->agents.n || o->lab_file || o->targets))
        e = take_where(c, o, why);
    else if (!e && o->tls)
        e = take_tls(o, &c->tls, why);
    return e;
}

enum err conduct_digest(const struct trials *t, char hex[DIGEST_HEX_SIZE],
                        struct why *why)
{
    size_t step = DIGEST_HEX_SIZE - 1;
    char *all = malloc(t->n_plans * step + 1);
    char one[DIGEST_HEX_SIZE];
    enum err e = all ? ERR_OK : err_set(why, ERR_NOMEM, "plans");
    for (size_t i = 0; !e && i < t->n_plans; i++) {
        e = digest(t->plans[i], strlen(t->plans[i]), one, why);
        if (!e)
            memcpy(all + i * step, one, step);
    }
    if (!e)
        e = digest(all, t->n_plans * step, hex, why);
    free(all);
    return e;
}

enum err conduct_complete(struct conduct *c, const struct trials *t,
                          struct why *why)
{
    enum err e = make_absolute(t->ex->folder, c->folder, sizeof c->folder, why);
    return e ? e : conduct_digest(t, c->plans, why);
}

static void print_place(const struct lab_place *place, struct jv *object)
{
    jv_add_text(object, "bench", place->bench);
    struct jv *agents = jv_add(object, "agents", JV_ARRAY);
    for (unsigned i = 0; i < place->n; i++) {
        struct jv *agent = jv_add(agents, NULL, JV_OBJECT);
        jv_add_text(agent, "name", place->agents[i].name);
        jv_add_text(agent, "url", place->agents[i].url);
    }
}

char *conduct_print(const struct conduct *c)
{
    struct jv *root = jv_new(JV_OBJECT);
    jv_add_text(root, "folder", c->folder);
    jv_add_text(root, "targets", c->targets);
    print_place(&c->places.items[0], root);
    struct jv *more = jv_add(root, "more_benches", JV_ARRAY);
    for (unsigned i = 1; i < c->places.n; i++)
        print_place(&c->places.items[i], jv_add(more, NULL, JV_OBJECT));
    if (c->tls.key[0]) {
        struct jv *tls = jv_add(root, "tls", JV_OBJECT);
        jv_add_text(tls, "ca", c->tls.ca);
        jv_add_text(tls, "cert", c->tls.cert);
        jv_add_text(tls, "key", c->tls.key);
    }
    jv_add_bool(root, "insecure_plain", c->insecure_plain);
    jv_add_bool(root, "test_mode", c->test_mode);
    jv_add_bool(root, "no_ceiling", c->no_ceiling);
    jv_add_bool(root, "abort_on_error", c->abort_on_error);
    jv_add_u64(root, "retries", c->retries);
    jv_add_text(root, "plans", c->plans);
    stopping_print(&c->stopping, root);
    char *out = jv_print(root, false);
    jv_free(root);
    return out;
}

static enum err copy(const struct jv *doc, const char *key, char *buf,
                     size_t size, struct why *why)
{
    return setup_copy(buf, size, key, jv_text(jv_get(doc, key), ""), why);
}

static enum err read_agents(struct lab_place *place, const struct jv *doc,
                            struct why *why)
{
    const struct jv *agents = jv_get(doc, "agents");
    size_t n = jv_size(agents);
    enum err e = copy(doc, "bench", place->bench, sizeof place->bench, why);
    if (!e && n > NEEDS_AGENTS_MAX)
        e = err_set(why, ERR_RANGE, "%zu agents", n);
    for (size_t i = 0; !e && i < n; i++) {
        struct lab_agent *a = &place->agents[i];
        e = copy(jv_at(agents, i), "name", a->name, sizeof a->name, why);
        if (!e)
            e = copy(jv_at(agents, i), "url", a->url, sizeof a->url, why);
    }
    place->n = (unsigned)n;
    return e;
}

/* The first bench's agents stand at the top, as they did when it was the only
 * one. */
static enum err read_places(struct lab_places *places, const struct jv *doc,
                            struct why *why)
{
    const struct jv *more = jv_get(doc, "more_benches");
    size_t n = jv_size(more);
    enum err e = read_agents(&places->items[0], doc, why);
    if (!e && n >= LAB_FILE_BENCHES_MAX)
        e = err_set(why, ERR_RANGE, "%zu benches", n + 1);
    for (size_t i = 0; !e && i < n; i++)
        e = read_agents(&places->items[i + 1], jv_at(more, i), why);
    places->n = (unsigned)n + 1;
    return e;
}

enum err conduct_parse(struct conduct *c, const char *json, struct why *why)
{
    struct jv *doc = NULL;
    *c = (struct conduct){.retries = 1, .places.n = 1};
    if (!json[0])
        return ERR_OK;
    enum err e = jv_parse(&doc, "conduct", json, strlen(json), why);
    if (!e)
        e = copy(doc, "folder", c->folder, sizeof c->folder, why);
    if (!e)
        e = copy(doc, "targets", c->targets, sizeof c->targets, why);
    if (!e)
        e = copy(doc, "plans", c->plans, sizeof c->plans, why);
    if (!e)
        e = read_places(&c->places, doc, why);
    if (!e)
        e = tls_files_read(&c->tls, jv_get(doc, "tls"), "/", why);
    if (!e)
        e = stopping_parse(&c->stopping, doc, why);
    c->insecure_plain = jv_bool(jv_get(doc, "insecure_plain"), false);
    c->test_mode = jv_bool(jv_get(doc, "test_mode"), false);
    c->no_ceiling = jv_bool(jv_get(doc, "no_ceiling"), false);
    c->abort_on_error = jv_bool(jv_get(doc, "abort_on_error"), false);
    c->retries = (uint32_t)jv_u64(jv_get(doc, "retries"), 1);
    jv_free(doc);
    if (!e)
        return ERR_OK;
    (void)err_wrap(why, e, "how the experiment is run");
    return ERR_CORRUPT;
}
