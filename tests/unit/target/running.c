#include "tests/unit/target/running.h"

#include <unistd.h>

#include "tests/lib/check.h"

static void before_bulk(void *ctx)
{
    struct bulk_gate *g = ctx;
    (void)pthread_mutex_lock(&g->lock);
    g->entered++;
    (void)pthread_cond_broadcast(&g->changed);
    while (g->closed)
        (void)pthread_cond_wait(&g->changed, &g->lock);
    (void)pthread_mutex_unlock(&g->lock);
}

static void set_gate(struct running *r, bool closed)
{
    (void)pthread_mutex_lock(&r->gate.lock);
    r->gate.closed = closed;
    (void)pthread_cond_broadcast(&r->gate.changed);
    (void)pthread_mutex_unlock(&r->gate.lock);
}

void gate_close(struct running *r)
{
    set_gate(r, true);
}

void gate_open(struct running *r)
{
    set_gate(r, false);
}

void gate_wait(struct running *r, unsigned n)
{
    (void)pthread_mutex_lock(&r->gate.lock);
    while (r->gate.entered < n)
        (void)pthread_cond_wait(&r->gate.changed, &r->gate.lock);
    (void)pthread_mutex_unlock(&r->gate.lock);
}

void running_defaults(struct running *r)
{
    memset(r, 0, sizeof *r);
    (void)pthread_mutex_init(&r->gate.lock, NULL);
    (void)pthread_cond_init(&r->gate.changed, NULL);
    settings_default(&r->settings);
    r->settings.port = 0;
    r->settings.heap_bytes = 4u << 20; /* stress fills all of it */
    r->settings.threads = r->settings.bulk_threads = 2;
}

static bool asked(void *ctx, int fd)
{
    (void)ctx;
    (void)fd;
    return true;
}

static void *serve(void *arg)
{
    struct running *r = arg;
    struct why why = {0};
    struct server_stop stop = {.fds = {r->stop_pipe[0], -1}, .asked = asked};
    r->outcome = server_serve(r->server, &stop, &why);
    return NULL;
}

void running_start(struct running *r)
{
    struct why why = {0};
    struct server_hooks hooks = {before_bulk, &r->gate, !r->calm, r->refuse_at};
    assert_int_equal(pipe(r->stop_pipe), 0);
    check_ok(server_open(&r->server, &r->settings, &hooks, &why), why);
    assert_int_equal(pthread_create(&r->thread, NULL, serve, r), 0);
}

void running_wait(struct running *r)
{
    size_t len;
    struct why why = {0};
    assert_int_equal(pthread_join(r->thread, NULL), 0);
    const char *text = server_final(r->server, &len);
    check_ok(jv_parse(&r->record, "record", text, len, &why), why);
}

void running_stop(struct running *r)
{
    assert_int_equal(write(r->stop_pipe[1], "x", 1), 1);
    running_wait(r);
}

void running_close(struct running *r)
{
    server_close(r->server);
    jv_free(r->record);
    (void)close(r->stop_pipe[0]);
    (void)close(r->stop_pipe[1]);
    (void)pthread_cond_destroy(&r->gate.changed);
    (void)pthread_mutex_destroy(&r->gate.lock);
}

uint64_t running_number(const struct running *r, const char *object,
                        const char *key)
{
    uint64_t value = jv_u64(jv_get(jv_get(r->record, object), key), UINT64_MAX);
    assert_true(value != UINT64_MAX);
    return value;
}
