#include "target/pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

struct pool_thread {
    struct pool *pool;
    pthread_t thread;
    struct mutator *mutator;
    uint32_t number;
};

struct pool {
    struct pool_config config;
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct pool_work *first, **last;
    struct pool_levels levels;
    bool stopping;
    uint32_t n_started;
    struct pool_thread threads[];
};

/* The next piece of work, NULL when the pool stops. Waits as native. */
static struct pool_work *take(struct pool *p)
{
    (void)pthread_mutex_lock(&p->lock);
    while (!p->first && !p->stopping)
        (void)pthread_cond_wait(&p->filled, &p->lock);
    struct pool_work *work = p->stopping ? NULL : p->first;
    if (work) {
        p->first = work->next;
        if (!p->first)
            p->last = &p->first;
        p->levels.queued--;
        p->levels.active++;
    }
    (void)pthread_mutex_unlock(&p->lock);
    return work;
}

static void done(struct pool *p)
{
    (void)pthread_mutex_lock(&p->lock);
    p->levels.active--;
    p->levels.completed++;
    (void)pthread_mutex_unlock(&p->lock);
}

static void *run(void *arg)
{
    struct pool_thread *t = arg;
    struct pool *p = t->pool;
    struct pool_work *work;
    char name[16];
    (void)snprintf(name, sizeof name, "%.10s-%u", p->config.name, t->number);
    (void)prctl(PR_SET_NAME, name);
    heap_native_enter(t->mutator);
    while ((work = take(p))) {
        heap_native_leave(t->mutator);
        p->config.run(p->config.ctx, t->number, t->mutator, work);
        done(p);
        heap_native_enter(t->mutator);
    }
    heap_native_leave(t->mutator);
    heap_detach(t->mutator);
    return NULL;
}

static enum err start(struct pool *p, uint32_t i, struct why *why)
{
    struct pool_thread *t = &p->threads[i];
    *t = (struct pool_thread){.pool = p, .number = i};
    t->mutator = heap_attach(p->config.heap, p->config.name);
    if (!t->mutator)
        return err_set(why, ERR_NOMEM, "bulk thread: no mutator");
    int failed = pthread_create(&t->thread, NULL, run, t);
    if (failed) {
        heap_detach(t->mutator);
        return err_errno(why, failed, "start bulk thread");
    }
    p->n_started++;
    return ERR_OK;
}

enum err pool_open(struct pool **out, const struct pool_config *config,
                   struct why *why)
{
    *out = NULL;
    struct pool *p =
        calloc(1, sizeof *p + config->threads * sizeof p->threads[0]);
    if (!p)
        return err_set(why, ERR_NOMEM, "bulk threads: no memory");
    p->config = *config;
    p->levels.threads = config->threads;
    p->last = &p->first;
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->filled, NULL);
    for (uint32_t i = 0; i < config->threads; i++) {
        enum err e = start(p, i, why);
        if (e) {
            pool_stop(p);
            pool_close(p);
            return e;
        }
    }
    *out = p;
    return ERR_OK;
}

bool pool_offer(struct pool *p, struct pool_work *work)
{
    (void)pthread_mutex_lock(&p->lock);
    bool fits = !p->stopping && p->levels.queued < p->config.queue;
    if (fits) {
        work->next = NULL;
        *p->last = work;
        p->last = &work->next;
        p->levels.queued++;
        (void)pthread_cond_signal(&p->filled);
    } else {
        p->levels.rejected++;
    }
    (void)pthread_mutex_unlock(&p->lock);
    return fits;
}

void pool_stop(struct pool *p)
{
    (void)pthread_mutex_lock(&p->lock);
    p->stopping = true;
    (void)pthread_cond_broadcast(&p->filled);
    (void)pthread_mutex_unlock(&p->lock);
    for (uint32_t i = 0; i < p->n_started; i++)
        (void)pthread_join(p->threads[i].thread, NULL);
    p->n_started = 0;
}

void pool_close(struct pool *p)
{
    if (!p)
        return;
    (void)pthread_cond_destroy(&p->filled);
    (void)pthread_mutex_destroy(&p->lock);
    free(p);
}

void pool_read(struct pool *p, struct pool_levels *out)
{
    (void)pthread_mutex_lock(&p->lock);
    *out = p->levels;
    (void)pthread_mutex_unlock(&p->lock);
}
