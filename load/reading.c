#include "load/reading.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/json.h"
#include "common/json_build.h"
#include "common/measure.h"
#include "common/units.h"
#include "load/deal.h"
#include "load/origin.h"

#define LOOK_NS (20 * NS_PER_MS)

struct reader {
    const struct reading_config *config;
    const struct step *step;
    uint32_t number;
    atomic_bool *over;
    pthread_t id;
    struct deal_client *clients; /* [n_clients] of this thread */
    uint32_t n_clients;
    struct reading sum;
};

static uint64_t sum_of(const char *data, size_t len)
{
    uint64_t sum = 0, word;
    for (; len >= sizeof word; len -= sizeof word, data += sizeof word) {
        memcpy(&word, data, sizeof word);
        sum += word;
    }
    for (; len; len--)
        sum += (unsigned char)*data++;
    return sum;
}

/* The next body of a client; false when it is time. */
static bool read_one(struct reader *r, const struct body_list *list, uint64_t i)
{
    const struct body *b = &list->items[(list->first + i) % list->n];
    if (atomic_load_explicit(r->over, memory_order_relaxed))
        return false;
    r->sum.word += sum_of(b->request.body, b->request.body_bytes);
    r->sum.bytes += b->request.body_bytes;
    r->sum.docs += b->docs;
    r->sum.bodies++;
    return true;
}

/* Its clients take turns, body by body. */
static void *reader_main(void *arg)
{
    struct reader *r = arg;
    bool any = true;
    for (uint64_t i = 0; any; i++) {
        any = false;
        for (uint32_t c = 0; c < r->n_clients; c++) {
            const struct work *w = &r->step->works[r->clients[c].work];
            if (!w->bulk)
                continue;
            struct body_list list = body_of(w->bodies, r->clients[c].client);
            any = true;
            if (!read_one(r, &list, i))
                return NULL;
        }
    }
    return NULL;
}

static void wait_for_end(const struct reading_config *c, uint64_t end_ns)
{
    uint64_t now_ns;
    while ((now_ns = clock_mono_ns()) < end_ns && !c->stopped(c->ctx)) {
        uint64_t left_ns = end_ns - now_ns;
        const struct timespec wait = {
            .tv_nsec = (long)(left_ns < LOOK_NS ? left_ns : LOOK_NS)};
        (void)nanosleep(&wait, NULL);
    }
}

static bool has_bulk(const struct step *step)
{
    for (size_t i = 0; i < step->n_works; i++)
        if (step->works[i].bulk)
            return true;
    return false;
}

static enum err start(struct reader *r, struct why *why)
{
    uint32_t n_threads = r->config->threads, n_conns;
    uint32_t n = deal(r->step, r->number, n_threads, NULL, &n_conns);
    r->clients = calloc((size_t)n + 1, sizeof *r->clients);
    if (!r->clients)
        return err_set(why, ERR_NOMEM, "threads: out of memory");
    r->n_clients = deal(r->step, r->number, n_threads, r->clients, &n_conns);
    int failed = pthread_create(&r->id, NULL, reader_main, r);
    return failed ? err_errno(why, failed, "thread %u", r->number) : ERR_OK;
}

static void join(struct reader *r, struct reading *out)
{
    (void)pthread_join(r->id, NULL);
    out->docs += r->sum.docs;
    out->bytes += r->sum.bytes;
    out->bodies += r->sum.bodies;
    out->word += r->sum.word;
}

enum err reading_run(struct reading *out, const struct reading_config *config,
                     struct why *why)
{
    const struct step *step = &config->job->steps[config->job->measured];
    atomic_bool over = false;
    uint32_t n = 0;
    enum err e = ERR_OK;
    *out = (struct reading){.threads = config->threads};
    if (!has_bulk(step))
        return err_set(why, ERR_INVALID,
                       "--sink none: there is no bulk whose "
                       "bodies could be read");
    struct reader *readers = calloc(config->threads, sizeof *readers);
    if (!readers)
        return err_set(why, ERR_NOMEM, "threads: out of memory");
    uint64_t begin_ns = clock_mono_ns();
    while (n < config->threads && !e) {
        readers[n] = (struct reader){
            .config = config, .step = step, .number = n, .over = &over};
        e = start(&readers[n], why);
        n += !e;
    }
    if (!e)
        wait_for_end(config, begin_ns + config->measure_ns);
    atomic_store(&over, true);
    for (uint32_t i = 0; i < n; i++)
        join(&readers[i], out);
    out->took_ns = clock_mono_ns() - begin_ns;
    for (uint32_t i = 0; i < config->threads; i++)
        free(readers[i].clients);
    free(readers);
    return e;
}

void reading_print(FILE *to, const struct reading *r, const struct job *job)
{
    char text[24];
    double rate = measure_rate(r->bytes, r->took_ns);
    (void)fprintf(to,
                  "nothing was sent (--sink none): bodies of %s read, provider "
                  "%s, %u thread%s, %.3f s\n",
                  job->plan->track, origin_provider(job), r->threads,
                  r->threads > 1 ? "s" : "", (double)r->took_ns / 1e9);
    (void)fprintf(to, "  bodies     %llu: %.1f/s\n",
                  (unsigned long long)r->bodies,
                  measure_rate(r->bodies, r->took_ns));
    (void)fprintf(to, "  documents  %llu: %.1f/s\n",
                  (unsigned long long)r->docs,
                  measure_rate(r->docs, r->took_ns));
    (void)fprintf(to, "  read       %s/s, %.1f MB/s each thread\n",
                  units_show_size(text, sizeof text, rate),
                  rate / 1e6 / r->threads);
}

void reading_print_json(FILE *to, const struct reading *r,
                        const struct job *job)
{
    struct jv *root = jv_new(JV_OBJECT);
    jv_add_u64(root, "version", 1);
    jv_add_text(root, "sink", "none");
    jv_add_text(root, "track", job->plan->track);
    jv_add_text(root, "challenge", job->plan->challenge);
    origin_add(root, job);
    jv_add_u64(root, "threads", r->threads);
    jv_add_u64(root, "took_ns", r->took_ns);
    jv_add_u64(root, "bodies", r->bodies);
    jv_add_u64(root, "docs", r->docs);
    jv_add_u64(root, "bytes", r->bytes);
    jv_add_number(root, "docs_s", measure_rate(r->docs, r->took_ns));
    jv_add_number(root, "bytes_s", measure_rate(r->bytes, r->took_ns));
    char *text = jv_print(root, true);
    (void)fprintf(to, "%s\n", text);
    free(text);
    jv_free(root);
}
