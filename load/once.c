#include "load/once.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/text.h"
#include "load/body.h"
#include "load/condition.h"

#define SLICE_NS       (50 * NS_PER_MS)  /* between questions whether to stop */
#define RETRY_NS       (500 * NS_PER_MS) /* between tries, as Rally */
#define STATUS_TIMEOUT 408
#define KEPT_MAX       4096 /* of an answer */
/* Statistics of a cluster of thousands of shards, in which a value is sought */
#define KEPT_WANTED_MAX ((size_t)8 << 20)

/* One request under way. */
struct exchange {
    const struct once_config *config;
    struct engine *engine;
    bool done, stopped;
    struct engine_answer answer;
    size_t len, max;
    char *text; /* the answer's beginning, [max + 1] */
};

static void on_head(void *ctx, uint32_t lane, unsigned status)
{
    (void)lane;
    (void)status;
    struct exchange *x = ctx;
    x->len = 0;
}

static void on_body(void *ctx, uint32_t lane, const char *data, size_t len)
{
    (void)lane;
    struct exchange *x = ctx;
    if (len > x->max - x->len)
        len = x->max - x->len;
    memcpy(x->text + x->len, data, len);
    x->len += len;
}

static void on_answer(void *ctx, uint32_t lane, const struct engine_answer *a)
{
    (void)lane;
    struct exchange *x = ctx;
    x->answer = *a;
    x->done = true;
}

static bool stopped(const struct once_config *config)
{
    return config->stopped && config->stopped(config->ctx);
}

/* Wait until due_ns or a stop. */
static bool pause_until(const struct once_config *config, uint64_t due_ns)
{
    for (;;) {
        uint64_t now_ns = clock_mono_ns();
        if (stopped(config))
            return false;
        if (now_ns >= due_ns)
            return true;
        clock_sleep_until(due_ns - now_ns > SLICE_NS ? now_ns + SLICE_NS
                                                     : due_ns);
    }
}

static void exchange_run(struct exchange *x,
                         const struct engine_request *request, uint64_t due_ns)
{
    x->done = false;
    x->len = 0;
    x->config->ops->submit(x->engine, 0, request);
    while (!x->done) {
        uint64_t now_ns = clock_mono_ns();
        x->stopped = stopped(x->config);
        if (x->stopped || now_ns >= due_ns) {
            x->config->ops->cancel(x->engine, 0,
                                   "no answer within the timeout");
            return;
        }
        uint64_t slice_ns = now_ns + SLICE_NS;
        (void)x->config->ops->wait(x->engine, now_ns,
                                   slice_ns < due_ns ? slice_ns : due_ns);
    }
}

/* Answered as hoped for: 2xx or one of the ignored, and not "timed_out" as
 * cluster health has it. */
static bool succeeded(struct exchange *x, const struct plan_request *request)
{
    unsigned status = x->answer.status;
    if (x->answer.outcome != ENGINE_ANSWERED)
        return false;
    x->text[x->len] = 0;
    for (size_t i = 0; i < request->n_ignore; i++)
        if (request->ignore[i] == status)
            return true;
    return status >= 200 && status < 300 &&
           !strstr(x->text, "\"timed_out\":true");
}

static void explain(const struct exchange *x,
                    const struct plan_request *request, char *text, size_t size)
{
    int n, len_said = x->len < KEPT_MAX ? (int)x->len : KEPT_MAX;
    if (x->answer.outcome == ENGINE_ANSWERED)
        n = snprintf(text, size, "%s %.60s: answered %u: %.*s", request->method,
                     request->path, x->answer.status, len_said, x->text);
    else
        n = snprintf(text, size, "%s %.60s: %s", request->method, request->path,
                     x->answer.text);
    size_t len = n < 0 ? 0 : (size_t)n;
    text_clean(text, len < size ? len : size - 1);
}

/* Whether a failed try is followed by another that begins at next_ns. */
static bool is_tried_again(const struct exchange *x,
                           const struct plan_task *task, uint32_t tries,
                           uint64_t next_ns, uint64_t due_ns)
{
    bool answered = x->answer.outcome == ENGINE_ANSWERED &&
                    x->answer.status != STATUS_TIMEOUT;
    if (answered ? task->no_retry_on_error : task->no_retry_on_timeout)
        return false;
    return task->until_success ? next_ns < due_ns : tries < task->retries;
}

/* One request, with the task's retries. */
static enum err request_run(struct exchange *x, const struct plan_task *task,
                            size_t i, const struct engine_request *request,
                            struct once_result *out)
{
    const struct plan_request *r = &task->requests[i];
    uint64_t begin_ns = clock_mono_ns(), due_ns = begin_ns + task->timeout_ns;
    uint64_t wait_ns = task->retry_wait_ns ? task->retry_wait_ns : RETRY_NS;
    for (uint32_t tries = 0;; tries++) {
        uint64_t now_ns = clock_mono_ns();
        exchange_run(x, request,
                     task->until_success ? due_ns : now_ns + task->timeout_ns);
        if (x->stopped)
            return ERR_INTERRUPTED;
        out->status = x->answer.status;
        bool answered = succeeded(x, r);
        if (answered &&
            condition_holds(r, x->text, x->len, out->text, sizeof out->text))
            return ERR_OK;
        if (!answered)
            explain(x, r, out->text, sizeof out->text);
        uint64_t next_ns = clock_mono_ns() + wait_ns;
        if (!is_tried_again(x, task, tries, next_ns, due_ns))
            break;
        if (!pause_until(x->config, next_ns))
            return ERR_INTERRUPTED;
    }
    out->failed = true;
    return ERR_OK;
}

/* Room for as much of an answer as the task's requests need. */
static enum err kept_make(struct exchange *x, const struct plan_task *task,
                          struct why *why)
{
    x->max = KEPT_MAX;
    for (size_t i = 0; i < task->n_requests; i++)
        if (task->requests[i].want_path)
            x->max = KEPT_WANTED_MAX;
    x->text = malloc(x->max + 1);
    return x->text ? ERR_OK : err_set(why, ERR_NOMEM, "answer: out of memory");
}

static enum err requests_run(const struct once_config *config,
                             const struct plan_task *task,
                             struct once_result *out, struct why *why)
{
    static const struct engine_events events = {
        .head = on_head, .body = on_body, .answer = on_answer};
    struct exchange x = {.config = config};
    struct body_pool *bodies = NULL;
    const struct body_config body = {.host = config->address->host,
                                     .headers = config->headers,
                                     .n_clients = 1};
    const struct engine_config engine = {.address = config->address,
                                         .http = config->http,
                                         .congestion = config->congestion,
                                         .n_lanes = 1,
                                         .events = &events,
                                         .ctx = &x};
    enum err e = kept_make(&x, task, why);
    if (!e)
        e = body_make(&bodies, NULL, task, &body, why);
    if (!e)
        e = config->ops->open(&x.engine, &engine, why);
    if (!e)
        e = config->ops->connect(x.engine, 0, why);
    for (size_t i = 0; !e && !out->failed && i < task->n_requests; i++)
        e = request_run(&x, task, i, &body_of(bodies, 0).items[i].request, out);
    config->ops->close(x.engine);
    body_free(bodies);
    free(x.text);
    return e;
}

enum err once_run(const struct once_config *config,
                  const struct plan_task *task, struct once_result *out,
                  struct why *why)
{
    uint64_t begin_ns = clock_mono_ns();
    enum err e = ERR_OK;
    *out = (struct once_result){0};
    if (task->kind == PLAN_SLEEP)
        e = pause_until(config, begin_ns + task->sleep_ns) ? ERR_OK
                                                           : ERR_INTERRUPTED;
    else
        e = requests_run(config, task, out, why);
    out->took_ns = clock_mono_ns() - begin_ns;
    if (e == ERR_INTERRUPTED)
        return err_set(why, e, "%s: stopped", task->name);
    if (e)
        return err_wrap(why, e, "%s", task->name);
    if (out->failed && !task->lenient)
        return err_set(why, ERR_CHILD, "%s: %s", task->name, out->text);
    return ERR_OK;
}
