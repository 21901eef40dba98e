#include "load/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/deal.h"

#define TARGET_DEFAULT  "http://127.0.0.1:9200"
#define CLIENTS_DEFAULT 8
#define MEASURE_DEFAULT (10ull * 1000000000)
#define FILE_BYTES_MAX  ((size_t)1 << 30)

static enum err steps_make(struct job *job, struct why *why)
{
    const struct plan *plan = job->plan;
    size_t n = 0, n_measured = 0;
    enum err e = ERR_OK;
    for (size_t i = 0; i < plan->n_steps; i++) {
        n += plan->steps[i].measured ? plan->steps[i].n_tasks : 0;
        n_measured += plan->steps[i].measured;
    }
    if (job->options->share.of > 1 && n_measured > 1 &&
        job->options->mode != OPTIONS_CHILD)
        return err_set(why, ERR_INVALID,
                       "%zu measured steps: --share leaves nobody who tells "
                       "when all have come to the next one; under agents "
                       "pitwall does",
                       n_measured);
    job->steps = calloc(plan->n_steps, sizeof *job->steps);
    job->works = calloc(n, sizeof *job->works);
    if (!job->steps || !job->works)
        return err_set(why, ERR_NOMEM, "tasks: out of memory");
    job->n_steps = plan->n_steps;
    job->measured = plan->measured;
    for (size_t i = 0; i < plan->n_steps && !e; i++) {
        if (!plan->steps[i].measured)
            continue;
        e = step_make(&job->steps[i], job->works + job->n_works,
                      &plan->steps[i], job->options, why);
        job->n_works += plan->steps[i].n_tasks;
    }
    return e;
}

/* The first one's requests go to all, so they differ in nothing but address. */
static enum err find_nodes(struct job *job, struct why *why)
{
    const struct options *o = job->options;
    if (job->ops != &engine_raw)
        return err_set(why, ERR_USAGE,
                       "--target \"%s\": several are for the raw engine",
                       o->nodes[0]);
    if (o->n_nodes > OPTIONS_NODES_MAX)
        return err_set(why, ERR_USAGE, "--target: given more than %u times",
                       OPTIONS_NODES_MAX + 1);
    job->others = calloc(o->n_nodes, sizeof *job->others);
    if (!job->others)
        return err_set(why, ERR_NOMEM, "targets: out of memory");
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < o->n_nodes; i++) {
        struct address *a = &job->others[job->n_others++];
        e = address_parse(a, o->nodes[i], true, why);
        if (!e && (a->tls || strcmp(a->path, "/") != 0))
            e = err_set(why, ERR_USAGE,
                        "--target \"%s\": accepted is http://HOST:PORT",
                        o->nodes[i]);
    }
    return e;
}

static enum err find_target(struct job *job, const char *url, struct why *why)
{
    const struct options *o = job->options;
    enum err e = address_parse(&job->address, url, !o->http.proxy, why);
    if (!e)
        e = engine_pick(&job->ops, o->engine, &job->address, &o->http, why);
    return e || !o->n_nodes ? e : find_nodes(job, why);
}

enum err job_open(struct job *job, const char *json, size_t len,
                  const struct options *options, struct why *why)
{
    *job = (struct job){.options = options};
    enum err e =
        find_target(job, options->url ? options->url : TARGET_DEFAULT, why);
    if (!e && strcmp(job->address.path, "/") != 0)
        e = err_set(why, ERR_USAGE, "--target \"%s\": takes no path",
                    options->url);
    if (!e)
        e = plan_parse(&job->plan, json, len, why);
    if (!e)
        e = steps_make(job, why);
    if (e)
        job_close(job);
    return e;
}

/* All of a file, or of standard input, into a malloc'ed text. */
static enum err read_file(const char *path, char **out, size_t *out_len,
                          struct why *why)
{
    char *text = NULL;
    size_t len = 0, cap = 0;
    enum err e = ERR_OK;
    int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : 0;
    if (fd < 0)
        return err_errno(why, errno, "--body %s", path);
    for (;;) {
        if (len == cap) {
            cap = cap ? 2 * cap : 65536;
            char *more = cap <= FILE_BYTES_MAX ? realloc(text, cap) : NULL;
            if (!more) {
                e = err_set(why, ERR_RANGE, "--body %s: more than %zu bytes",
                            path, FILE_BYTES_MAX);
                break;
            }
            text = more;
        }
        ssize_t n = read(fd, text + len, cap - len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            e = err_errno(why, errno, "--body %s", path);
        if (n <= 0)
            break;
        len += (size_t)n;
    }
    if (fd > 0)
        (void)close(fd);
    if (e) {
        free(text);
        return e;
    }
    *out = text;
    *out_len = len;
    return ERR_OK;
}

static bool is_bulk_path(const char *path)
{
    static const char end[] = "/_bulk";
    size_t len = strcspn(path, "?"), n = sizeof end - 1;
    return len >= n && !memcmp(path + len - n, end, n);
}

/* A bulk's documents: two lines each. */
static uint32_t count_docs(const char *text, size_t len)
{
    size_t lines = 0;
    for (const char *at = text, *end = text + len; at < end; lines++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    return (uint32_t)(lines / 2);
}

enum err job_open_url(struct job *job, const struct options *options,
                      struct why *why)
{
    *job = (struct job){.options = options, .n_steps = 1, .n_works = 1};
    enum err e = find_target(job, options->url, why);
    if (!e && options->body)
        e = read_file(options->body, &job->body, &job->body_len, why);
    job->works = calloc(1, sizeof *job->works);
    job->steps = calloc(1, sizeof *job->steps);
    if (!e && (!job->works || !job->steps))
        e = err_set(why, ERR_NOMEM, "tasks: out of memory");
    if (e)
        goto out;
    const char *method = options->body ? "POST" : "GET";
    bool bulk = options->body && is_bulk_path(job->address.path);
    job->request = (struct plan_request){
        .method = options->method ? options->method : method,
        .path = job->address.path,
        .body = job->body};
    if (bulk)
        job->body_docs = count_docs(job->body, job->body_len);
    *job->works = (struct work){.name = "url",
                                .operation = bulk ? "bulk" : "raw-request",
                                .bulk = bulk,
                                .looped = true,
                                .clients = CLIENTS_DEFAULT,
                                .measure_ns = MEASURE_DEFAULT,
                                .timeout_ns = PLAN_TIMEOUT_NS,
                                .conns = 1};
    step_retime(job->works, &options->load);
    e = step_overrule(job->works, &options->load, why);
    job->works->own = job->works->clients;
    *job->steps = (struct step){.works = job->works,
                                .n_works = 1,
                                .slots = job->works->clients,
                                .completed_by = STEP_BY_NONE};
out:
    if (e)
        job_close(job);
    return e;
}

void job_close(struct job *job)
{
    for (size_t i = 0; job->steps && i < job->n_steps; i++)
        step_fini(&job->steps[i]);
    free(job->steps);
    free(job->works);
    free(job->body);
    free(job->others);
    corpora_close(&job->corpora);
    plan_free(job->plan);
    *job = (struct job){0};
}

/* Which of a task's clients are ours. */
static bool *ours_of(const struct step *step, size_t work, struct why *why)
{
    uint32_t n_conns, n = deal(step, 0, 1, NULL, &n_conns);
    struct deal_client *dealt = calloc((size_t)n + 1, sizeof *dealt);
    bool *ours = calloc(step->works[work].clients, sizeof *ours);
    if (!dealt || !ours) {
        (void)err_set(why, ERR_NOMEM, "bodies: out of memory");
        free(dealt);
        free(ours);
        return NULL;
    }
    (void)deal(step, 0, 1, dealt, &n_conns);
    for (uint32_t i = 0; i < n; i++)
        if (dealt[i].work == work)
            ours[dealt[i].client] = true;
    free(dealt);
    return ours;
}

static enum err render(struct job *job, size_t i, size_t t, struct why *why)
{
    const struct step *step = &job->steps[i];
    struct work *w = &step->works[t];
    struct body_config config = {
        .host = job->address.host,
        .headers = job->options->headers,
        .n_clients = w->clients,
        .corpora = &job->corpora,
        .few = job->options->few,
        .memory_bytes = job->options->load.memory_bytes / job->n_works,
        .docs = job->body_docs};
    if (!job->plan)
        return body_make_one(&w->bodies, &job->request, job->body_len, &config,
                             why);
    bool *ours = ours_of(step, t, why);
    if (!ours)
        return ERR_NOMEM;
    config.ours = ours;
    enum err e =
        step_render(w, job->plan, &job->plan->steps[i].tasks[t], &config, why);
    free(ours);
    return e;
}

enum err job_corpora(struct job *job, bool (*stopped)(void *ctx),
                     void (*told)(void *ctx, const struct corpus_news *news),
                     void *ctx, struct why *why)
{
    const struct options *o = job->options;
    const struct cache_config config = {.dir = o->cache,
                                        .limit_bytes = o->cache_limit_bytes,
                                        .stopped = stopped,
                                        .told = told,
                                        .ctx = ctx};
    return job->plan ? corpora_open(&job->corpora, job->plan, &config, why)
                     : ERR_OK;
}

enum err job_render(struct job *job, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 0; i < job->n_steps && !e; i++)
        for (size_t t = 0; t < job->steps[i].n_works && !e; t++)
            e = render(job, i, t, why);
    return e;
}
