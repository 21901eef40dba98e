#include "target/crew.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>

/* Work that is on; lives on its bringer's stack. */
struct task {
    struct task *next;
    size_t n, given, done;
    void (*work)(void *ctx, size_t i);
    void *ctx;
    pthread_cond_t finished;
};

struct crew {
    pthread_mutex_t lock;
    pthread_cond_t brought;
    struct task *tasks; /* with parts to give */
    bool stopping;
    unsigned n_threads;
    pthread_t threads[];
};

/* Do the next part of t, which has one. Locked, but not while working. */
static void do_part(struct crew *c, struct task *t)
{
    size_t i = t->given++;
    if (t->given == t->n) {
        struct task **at = &c->tasks;
        while (*at != t)
            at = &(*at)->next;
        *at = t->next;
    }
    (void)pthread_mutex_unlock(&c->lock);
    t->work(t->ctx, i);
    (void)pthread_mutex_lock(&c->lock);
    if (++t->done == t->n)
        (void)pthread_cond_signal(&t->finished);
}

static void *run(void *arg)
{
    struct crew *c = arg;
    (void)prctl(PR_SET_NAME, "index");
    (void)pthread_mutex_lock(&c->lock);
    while (!c->stopping) {
        if (c->tasks)
            do_part(c, c->tasks);
        else
            (void)pthread_cond_wait(&c->brought, &c->lock);
    }
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

enum err crew_open(struct crew **out, unsigned threads, struct why *why)
{
    *out = NULL;
    struct crew *c = calloc(1, sizeof *c + threads * sizeof c->threads[0]);
    if (!c)
        return err_set(why, ERR_NOMEM, "index threads: no memory");
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_cond_init(&c->brought, NULL);
    for (; c->n_threads < threads; c->n_threads++) {
        int failed = pthread_create(&c->threads[c->n_threads], NULL, run, c);
        if (failed) {
            crew_close(c);
            return err_errno(why, failed, "start index thread");
        }
    }
    *out = c;
    return ERR_OK;
}

void crew_close(struct crew *c)
{
    if (!c)
        return;
    (void)pthread_mutex_lock(&c->lock);
    c->stopping = true;
    (void)pthread_cond_broadcast(&c->brought);
    (void)pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < c->n_threads; i++)
        (void)pthread_join(c->threads[i], NULL);
    (void)pthread_cond_destroy(&c->brought);
    (void)pthread_mutex_destroy(&c->lock);
    free(c);
}

void crew_run(struct crew *c, size_t n, void (*work)(void *ctx, size_t i),
              void *ctx)
{
    struct task t = {.n = n, .work = work, .ctx = ctx};
    if (n == 0)
        return;
    (void)pthread_cond_init(&t.finished, NULL);
    (void)pthread_mutex_lock(&c->lock);
    t.next = c->tasks;
    c->tasks = &t;
    if (n > 1)
        (void)pthread_cond_broadcast(&c->brought);
    while (t.given < n)
        do_part(c, &t);
    while (t.done < n)
        (void)pthread_cond_wait(&t.finished, &c->lock);
    (void)pthread_mutex_unlock(&c->lock);
    (void)pthread_cond_destroy(&t.finished);
}
