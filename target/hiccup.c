#include "target/hiccup.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "common/clock.h"

#define PERIOD_NS NS_PER_MS

struct hiccup {
    struct heap *heap;
    const struct window *window;
    struct mutator *mutator;
    pthread_t thread;
    bool running;
    atomic_bool stopping;
    uint64_t generation;
    struct hist late_ns;
};

static void record(struct hiccup *h, uint64_t due_ns, uint64_t now_ns)
{
    uint64_t generation = atomic_load(&h->window->generation);
    if (generation != h->generation) {
        h->generation = generation;
        hist_reset(&h->late_ns);
    }
    if (now_ns >= atomic_load(&h->window->t0_ns) &&
        due_ns < atomic_load(&h->window->t1_ns))
        hist_record(&h->late_ns, now_ns - due_ns);
}

static void *run(void *arg)
{
    struct hiccup *h = arg;
    (void)prctl(PR_SET_NAME, "hiccup");
    (void)prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
    while (!atomic_load(&h->stopping)) {
        uint64_t due_ns = clock_mono_ns() + PERIOD_NS;
        clock_sleep_until(due_ns);
        heap_native_leave(h->mutator);
        record(h, due_ns, clock_mono_ns());
        heap_native_enter(h->mutator);
    }
    return NULL;
}

enum err hiccup_open(struct hiccup **out, struct heap *heap,
                     const struct window *window, struct why *why)
{
    *out = NULL;
    struct hiccup *h = calloc(1, sizeof *h);
    if (h)
        h->mutator = heap_attach(heap, "hiccup");
    if (!h || !h->mutator) {
        free(h);
        return err_set(why, ERR_NOMEM, "hiccup thread");
    }
    heap_native_enter(h->mutator);
    h->heap = heap;
    h->window = window;
    int errnum = pthread_create(&h->thread, NULL, run, h);
    h->running = !errnum;
    if (errnum) {
        hiccup_close(h);
        return err_errno(why, errnum, "hiccup thread");
    }
    *out = h;
    return ERR_OK;
}

void hiccup_stop(struct hiccup *h)
{
    if (!h->running)
        return;
    atomic_store(&h->stopping, true);
    (void)pthread_join(h->thread, NULL);
    h->running = false;
}

const struct hist *hiccup_hist(const struct hiccup *h)
{
    return &h->late_ns;
}

void hiccup_close(struct hiccup *h)
{
    if (!h)
        return;
    hiccup_stop(h);
    heap_native_leave(h->mutator);
    heap_detach(h->mutator);
    free(h);
}
