#include "target/search.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/units.h"
#include "target/out.h"

#define ID_BYTES (6 * BULK_ID_MAX) /* escaped */

struct place {
    struct index *index;
    uint32_t shard;
};

struct finding {
    const struct search *search;
    struct query wanted; /* of the first index: its window */
    struct place *places;
    size_t n_places;
    struct top top;
    uint64_t total;
};

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t) * (struct index *const *)a;
    uintptr_t y = (uintptr_t) * (struct index *const *)b;
    return x < y ? -1 : x > y;
}

/* Refresh what is due, then keep the snapshots where they are. */
static void lock_all(const struct search *s)
{
    if (s->n)
        qsort(s->list, s->n, sizeof(struct index *), by_address);
    for (size_t i = 0; i < s->n; i++) {
        index_tick(s->list[i], clock_mono_ns());
        (void)pthread_mutex_lock(&s->list[i]->search);
    }
}

static void unlock_all(const struct search *s)
{
    for (size_t i = 0; i < s->n; i++)
        (void)pthread_mutex_unlock(&s->list[i]->search);
}

static enum err url_number(const char *name, const char *text, uint32_t *to,
                           struct why *why)
{
    uint64_t n;
    if (!text)
        return ERR_OK;
    if (units_u64(text, QUERY_WINDOW_MAX, &n, NULL))
        return err_set(why, ERR_RANGE, "[%s] is a whole number from 0 to %u",
                       name, QUERY_WINDOW_MAX);
    *to = (uint32_t)n;
    return ERR_OK;
}

/* The query as one index understands it. */
static enum err parse(const struct search *s, struct index *x, struct query *q,
                      struct why *why)
{
    enum err e = query_parse(q, x->fields, s->body, s->body_len, why);
    if (!e)
        e = url_number("from", s->from, &q->from, why);
    if (!e)
        e = url_number("size", s->size, &q->size, why);
    if (!e && q->by_doc && !s->scroll)
        e = err_set(why, ERR_UNSUPPORTED, "[sort] is for a scroll here");
    if (!e && q->from + q->size > QUERY_WINDOW_MAX)
        e = err_set(why, ERR_RANGE,
                    "Result window is too large, from + size must be less than "
                    "or equal to: [%u] but was [%u]",
                    QUERY_WINDOW_MAX, q->from + q->size);
    if (e)
        query_free(q);
    return e;
}

/* The next page: from where the scroll stands through the shards behind. */
static enum err find_page(struct finding *f, struct why *why)
{
    struct scroll *s = f->search->scroll;
    const struct query *q = &f->wanted;
    struct index *x = f->search->list[0];
    const char *expr = q->kind == QUERY_EXPR ? q->expr : NULL;
    bool counts = !s->total && !s->after && !s->shard;
    enum err e = ERR_OK;
    if (q->from || !q->size)
        return err_set(why, ERR_INVALID,
                       q->from ? "using [from] is not allowed in a scroll "
                                 "context"
                               : "[size] cannot be [0] in a scroll context");
    s->size = q->size;
    for (uint32_t i = 0; i < x->n_shards && !x->dropped && !e; i++) {
        struct top none = {.most = 0};
        f->top.place = (uint32_t)f->n_places;
        f->places[f->n_places++] = (struct place){x, i};
        if (q->kind == QUERY_NONE)
            continue;
        if (counts)
            e = shard_search(x->shards[i], expr, &none, &s->total, why);
        if (!e && i >= s->shard && f->top.n < f->top.most)
            e = shard_scroll(x->shards[i], expr, i == s->shard ? s->after : 0,
                             &f->top, why);
    }
    top_sort(&f->top);
    f->total = s->total;
    if (f->top.n) {
        s->shard = f->top.hits[f->top.n - 1].place;
        s->after = f->top.hits[f->top.n - 1].n;
    }
    return e;
}

static enum err add_index(struct finding *f, struct index *x, struct why *why)
{
    struct query q;
    enum err e = parse(f->search, x, &q, why);
    if (e)
        return e;
    for (uint32_t i = 0; i < x->n_shards && !e && !x->dropped; i++) {
        f->top.place = (uint32_t)f->n_places;
        f->places[f->n_places++] = (struct place){x, i};
        if (q.kind != QUERY_NONE)
            e = shard_search(x->shards[i], q.kind == QUERY_EXPR ? q.expr : NULL,
                             &f->top, &f->total, why);
    }
    query_free(&q);
    return e;
}

/* Find the hits; the locks are held. */
static enum err find(struct finding *f, bool count, struct why *why)
{
    const struct search *s = f->search;
    static const struct query everything = {.size = 10, .score = -1};
    size_t shards = 0;
    enum err e = s->n ? parse(s, s->list[0], &f->wanted, why) : ERR_OK;
    if (!s->n)
        f->wanted = everything;
    if (e)
        return e;
    for (size_t i = 0; i < s->n; i++)
        shards += s->list[i]->n_shards;
    f->top.most = count ? 0 : f->wanted.from + f->wanted.size;
    f->top.hits = malloc((f->top.most + 1) * sizeof *f->top.hits);
    f->places = malloc((shards + 1) * sizeof *f->places);
    if (!f->top.hits || !f->places)
        return err_set(why, ERR_NOMEM, "no memory for a search");
    if (s->scroll)
        return find_page(f, why);
    for (size_t i = 0; i < s->n && !e; i++)
        e = add_index(f, s->list[i], why);
    top_sort(&f->top);
    return e;
}

static double score(const struct finding *f, const struct top_hit *hit)
{
    return f->wanted.score >= 0 ? f->wanted.score : hit->score;
}

static void write_score(const struct finding *f, const struct top_hit *hit,
                        FILE *out)
{
    if (f->search->scroll) /* nothing is ranked */
        (void)fputs("null", out);
    else
        (void)fprintf(out, "%.7g", score(f, hit));
}

static enum err write_hit(const struct finding *f, const struct top_hit *hit,
                          FILE *out, struct why *why)
{
    const struct place *p = &f->places[hit->place];
    struct shard_doc doc;
    char id[ID_BYTES];
    struct out o = out_to(id, sizeof id);
    enum err e = shard_fetch(p->index->shards[p->shard], hit->n, &doc, why);
    if (e)
        return e;
    out_escaped(&o, doc.id.p, doc.id.len);
    (void)fprintf(out,
                  "{\"_index\":\"%s\",\"_type\":\"_doc\",\"_id\":\"%.*s\","
                  "\"_score\":",
                  p->index->name, (int)o.len, id);
    write_score(f, hit, out);
    if (f->wanted.source) {
        (void)fputs(",\"_source\":", out);
        (void)fwrite(doc.source.p, 1, doc.source.len, out);
    }
    (void)fputc('}', out);
    return ERR_OK;
}

static void write_shards(const struct finding *f, FILE *out)
{
    (void)fprintf(out,
                  "\"_shards\":{\"total\":%zu,\"successful\":%zu,\"skipped\":0,"
                  "\"failed\":0}",
                  f->n_places, f->n_places);
}

static enum err write_hits(const struct finding *f, uint64_t took_ns, FILE *out,
                           struct why *why)
{
    enum err e = ERR_OK;
    char id[SCROLL_ID_BYTES];
    (void)fputc('{', out);
    if (f->search->scroll) {
        scroll_write(f->search->scroll, id);
        (void)fprintf(out, "\"_scroll_id\":\"%s\",", id);
    }
    (void)fprintf(out, "\"took\":%llu,\"timed_out\":false,",
                  (unsigned long long)(took_ns / NS_PER_MS));
    write_shards(f, out);
    (void)fprintf(out, ",\"hits\":{\"total\":%llu,\"max_score\":",
                  (unsigned long long)f->total);
    if (f->top.n)
        write_score(f, &f->top.hits[0], out);
    else
        (void)fputs("null", out);
    (void)fputs(",\"hits\":[", out);
    for (size_t i = f->wanted.from; i < f->top.n && !e; i++) {
        if (i > f->wanted.from)
            (void)fputc(',', out);
        e = write_hit(f, &f->top.hits[i], out, why);
    }
    (void)fputs("]}}", out);
    return e;
}

static enum err run(const struct search *s, bool count, FILE *out,
                    struct why *why)
{
    struct finding f = {.search = s};
    uint64_t began_ns = clock_mono_ns();
    lock_all(s);
    enum err e = find(&f, count, why);
    if (!e && !count)
        e = write_hits(&f, clock_mono_ns() - began_ns, out, why);
    unlock_all(s);
    if (!e && count) {
        (void)fprintf(out, "{\"count\":%llu,", (unsigned long long)f.total);
        write_shards(&f, out);
        (void)fputc('}', out);
    }
    query_free(&f.wanted);
    free(f.top.hits);
    free(f.places);
    return e;
}

enum err search_write(const struct search *s, FILE *out, struct why *why)
{
    return run(s, false, out, why);
}

enum err search_count(const struct search *s, FILE *out, struct why *why)
{
    return run(s, true, out, why);
}

enum err search_scroll(struct search *s, struct scroll *scroll, struct why *why)
{
    if (s->n != 1)
        return err_set(why, ERR_UNSUPPORTED,
                       "a scroll goes over one index here");
    if (s->body_len > SCROLL_BODY_MAX)
        return err_set(why, ERR_RANGE,
                       "a search that is scrolled has at most %u bytes here",
                       SCROLL_BODY_MAX);
    *scroll = (struct scroll){.body_len = s->body_len};
    (void)snprintf(scroll->index, sizeof scroll->index, "%s", s->list[0]->name);
    memcpy(scroll->body, s->body, s->body_len);
    s->scroll = scroll;
    return ERR_OK;
}
