#include "load/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracks/corpus.h"

#define TARGET_DEFAULT  "http://127.0.0.1:9200"
#define CLIENTS_DEFAULT 8
#define MEASURE_DEFAULT (10ull * 1000000000)
#define FILE_BYTES_MAX  ((size_t)1 << 30)

/* The command line's wishes for one work. */
static enum err overrule(struct work *w, const struct options_load *l,
                         struct why *why)
{
    if (l->clients)
        w->clients = l->clients;
    if (l->measure_ns)
        w->measure_ns = l->measure_ns;
    if (l->has_warmup)
        w->warmup_ns = l->warmup_ns;
    if (l->rate_s > 0) {
        w->rate_s = l->rate_s;
        w->rate_docs = !strcmp(l->rate_unit, "docs");
        w->pacing = PACER_FIXED;
    }
    if (l->has_arrival && w->rate_s <= 0)
        return err_set(why, ERR_USAGE,
                       "--arrival: task %s has no rate, and there is no --rate",
                       w->name);
    if (l->has_arrival)
        w->pacing = l->poisson ? PACER_POISSON : PACER_FIXED;
    if (w->rate_docs && !w->bulk)
        return err_set(why, ERR_USAGE,
                       "--rate in docs/s: task %s has no documents", w->name);
    return ERR_OK;
}

static enum pacer_kind pacing_of(const struct plan_task *t)
{
    if (t->rate_s <= 0)
        return PACER_CLOSED;
    return t->poisson ? PACER_POISSON : PACER_FIXED;
}

/* Whether options count for this task: of several that run side by side only
 * for the bulks, if there are any. */
static bool is_meant(const struct plan_step *step, const struct plan_task *t)
{
    bool any = false;
    for (size_t i = 0; i < step->n_tasks; i++)
        any = any || step->tasks[i].kind == PLAN_BULK;
    return !any || t->kind == PLAN_BULK;
}

static enum err works_make(struct job *job, struct why *why)
{
    const struct plan_step *step = &job->plan->steps[job->plan->measured];
    uint32_t number = 0;
    enum err e = ERR_OK;
    job->works = calloc(step->n_tasks, sizeof *job->works);
    if (!job->works)
        return err_set(why, ERR_NOMEM, "tasks: out of memory");
    job->n_works = step->n_tasks;
    for (size_t i = 0; i < step->n_tasks && !e; i++) {
        const struct plan_task *t = &step->tasks[i];
        struct work *w = &job->works[i];
        *w = (struct work){.name = t->name,
                           .operation = t->operation,
                           .bulk = t->kind == PLAN_BULK,
                           .clients = t->clients,
                           .pacing = pacing_of(t),
                           .rate_s = t->rate_s,
                           .rate_docs = t->rate_docs,
                           .warmup_ns = t->warmup_ns,
                           .measure_ns = t->measure_ns,
                           .timeout_ns = t->timeout_ns};
        if (is_meant(step, t))
            e = overrule(w, &job->options->load, why);
        w->number = number;
        w->own = share_count(&job->options->share, number, w->clients);
        number += w->clients;
        job->n_clients += w->own;
    }
    return e;
}

/* The corpora that are files must be there now, not when bodies are made. */
static enum err corpora_check(const struct plan *plan, struct why *why)
{
    for (size_t i = 0; i < plan->n_corpora; i++)
        for (size_t d = 0; d < plan->corpora[i].n_documents; d++) {
            struct corpus *corpus;
            enum err e =
                corpus_open(&corpus, &plan->corpora[i].documents[d], why);
            if (e)
                return e;
            corpus_close(corpus);
        }
    return ERR_OK;
}

enum err job_open(struct job *job, const char *json, size_t len,
                  const struct options *options, struct why *why)
{
    *job = (struct job){.options = options};
    enum err e = address_parse(
        &job->address, options->url ? options->url : TARGET_DEFAULT, why);
    if (!e && strcmp(job->address.path, "/") != 0)
        e = err_set(why, ERR_USAGE, "--target \"%s\": takes no path",
                    options->url);
    if (!e)
        e = plan_parse(&job->plan, json, len, why);
    if (!e)
        e = works_make(job, why);
    if (!e)
        e = corpora_check(job->plan, why);
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
    *job = (struct job){.options = options, .n_works = 1};
    enum err e = address_parse(&job->address, options->url, why);
    if (!e && options->body)
        e = read_file(options->body, &job->body, &job->body_len, why);
    if (!e && !(job->works = calloc(1, sizeof *job->works)))
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
                                .clients = CLIENTS_DEFAULT,
                                .measure_ns = MEASURE_DEFAULT,
                                .timeout_ns = PLAN_TIMEOUT_NS};
    e = overrule(job->works, &options->load, why);
    job->n_clients = job->works->own = job->works->clients;
out:
    if (e)
        job_close(job);
    return e;
}

void job_close(struct job *job)
{
    for (size_t i = 0; job->works && i < job->n_works; i++)
        body_free(job->works[i].bodies);
    free(job->works);
    free(job->body);
    plan_free(job->plan);
    *job = (struct job){0};
}

enum err job_render(struct job *job, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 0; i < job->n_works && !e; i++) {
        struct work *w = &job->works[i];
        struct body_config config = {
            .host = job->address.host,
            .headers = job->options->headers,
            .n_clients = w->clients,
            .memory_bytes = job->options->load.memory_bytes / job->n_works,
            .docs = job->body_docs};
        if (job->plan)
            e = body_make(&w->bodies, job->plan,
                          &job->plan->steps[job->plan->measured].tasks[i],
                          &config, why);
        else
            e = body_make_one(&w->bodies, &job->request, job->body_len, &config,
                              why);
    }
    return e;
}
