#include "tests/bench/fidelity/team.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct piece {
    bool done;
    enum err e;
    struct why why;
};

struct team {
    pthread_mutex_t lock;
    pthread_cond_t one_done;
    size_t n, next; /* to be begun */
    struct piece *pieces;
    team_work *work;
    void *ctx;
};

static void *member(void *arg)
{
    struct team *t = arg;
    (void)pthread_mutex_lock(&t->lock);
    while (t->next < t->n) {
        size_t i = t->next++;
        struct piece *p = &t->pieces[i];
        (void)pthread_mutex_unlock(&t->lock);
        enum err e = t->work(t->ctx, i, &p->why);
        (void)pthread_mutex_lock(&t->lock);
        p->e = e;
        p->done = true;
        if (e)
            t->n = t->next;
        (void)pthread_cond_signal(&t->one_done);
    }
    (void)pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Wait for each piece in turn. */
static enum err gather(struct team *t, team_done *done, struct why *why)
{
    enum err e = ERR_OK;
    (void)pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->n && !e; i++) {
        struct piece *p = &t->pieces[i];
        while (!p->done)
            (void)pthread_cond_wait(&t->one_done, &t->lock);
        (void)pthread_mutex_unlock(&t->lock);
        e = p->e;
        if (e)
            *why = p->why;
        else
            done(t->ctx, i);
        (void)pthread_mutex_lock(&t->lock);
    }
    (void)pthread_mutex_unlock(&t->lock);
    return e;
}

static enum err run_threads(struct team *t, unsigned threads, team_done *done,
                            struct why *why)
{
    pthread_t *ids = calloc(threads, sizeof *ids);
    unsigned started = 0;
    int failed = ids ? 0 : -1;
    while (!failed && started < threads) {
        failed = pthread_create(&ids[started], NULL, member, t);
        started += !failed;
    }
    enum err e = started ? gather(t, done, why)
                         : err_set(why, ERR_NOMEM, "threads: none to be had");
    while (started)
        (void)pthread_join(ids[--started], NULL);
    free(ids);
    return e;
}

enum err team_run(size_t n, unsigned threads, team_work *work, team_done *done,
                  void *ctx, struct why *why)
{
    enum err e = ERR_OK;
    if (threads < 2) {
        for (size_t i = 0; i < n && !e; i++) {
            e = work(ctx, i, why);
            if (!e)
                done(ctx, i);
        }
        return e;
    }
    struct team t = {.lock = PTHREAD_MUTEX_INITIALIZER,
                     .one_done = PTHREAD_COND_INITIALIZER,
                     .n = n,
                     .work = work,
                     .ctx = ctx};
    t.pieces = calloc(n + 1, sizeof *t.pieces);
    if (!t.pieces)
        return err_set(why, ERR_NOMEM, "pieces: no memory");
    e = run_threads(&t, threads, done, why);
    free(t.pieces);
    return e;
}
