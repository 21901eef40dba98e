#include "load/lane.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

/* After a lost connection the next try waits, twice as long each time. */
#define WAIT_FIRST_NS 1000000ull
#define WAIT_LAST_NS  1000000000ull

static uint32_t next_units(const struct lane *l)
{
    return l->work->rate_docs ? l->bodies.items[l->at].docs : 1;
}

/* Of the operations that are never sent, whose sizes take turns. */
static uint32_t mean_units(const struct lane *l)
{
    uint64_t docs = 0;
    if (!l->work->rate_docs)
        return 1;
    for (uint32_t i = 0; i < l->bodies.n; i++)
        docs += l->bodies.items[i].docs;
    return (uint32_t)((docs + l->bodies.n / 2) / l->bodies.n);
}

/* When this client begins, after t0: all of them evenly over the ramp-up. */
static uint64_t delay_of(const struct lane *l)
{
    const struct work *w = l->work;
    return (uint64_t)((double)w->ramp_up_ns * l->client / w->clients);
}

static void begin_bounds(struct lane *l, const struct stage_term *term,
                         uint64_t t0_ns)
{
    l->at = l->bodies.first;
    l->left = l->work->looped ? UINT64_MAX : l->bodies.own;
    l->warm_ops = term->warm_ops;
    l->ops = term->ops ? term->warm_ops + term->ops : UINT64_MAX;
    l->end_ns = term->measure_ns ? t0_ns + term->warmup_ns + term->measure_ns
                                 : UINT64_MAX;
}

uint64_t lane_begin(struct lane *l, const struct stage_term *term,
                    uint64_t t0_ns, uint64_t seed)
{
    const struct work *w = l->work;
    begin_bounds(l, term, t0_ns);
    l->intended_ns =
        pacer_start(&l->pacer, &(struct pacer_config){.kind = w->pacing,
                                                      .rate_s = w->rate_s,
                                                      .units = next_units(l),
                                                      .n_clients = w->clients,
                                                      .client = l->client,
                                                      .t0_ns = t0_ns,
                                                      .delay_ns = delay_of(l),
                                                      .seed = seed});
    l->free_ns = l->intended_ns;
    l->idle = !l->left;
    l->over = l->idle;
    l->over_ns = t0_ns;
    if (l->first && (l->idle || !l->warm_ops))
        span_warm(l->span, t0_ns + term->warmup_ns);
    return l->idle ? UINT64_MAX : l->intended_ns;
}

const struct engine_request *lane_start(struct lane *l, uint64_t now_ns)
{
    assert(!l->body && !l->over);
    l->body = &l->bodies.items[l->at];
    l->started_ns = now_ns;
    l->excerpt_len = 0;
    recorder_start(l->recorder);
    if (l->parts) {
        parts_begin(l->parts);
        return NULL;
    }
    l->at = (l->at + 1) % l->bodies.n;
    if (l->scroll)
        scroll_begin(l->scroll, &l->body->request);
    if (l->work->bulk)
        bulk_answer_begin(&l->answer);
    return &l->body->request;
}

/* Whether an answer's status is as good as was hoped for. */
static bool good(const struct lane *l, const struct body *body, unsigned status)
{
    const struct plan_request *r = l->work->requests;
    if (status >= 200 && status < 300)
        return true;
    if (!r)
        return false;
    r += body - l->bodies.items;
    for (size_t i = 0; i < r->n_ignore; i++)
        if (r->ignore[i] == status)
            return true;
    return false;
}

static const struct body *body_at(const struct lane *l, uint32_t conn)
{
    return l->parts ? parts_body(l->parts, conn) : l->body;
}

void lane_head(struct lane *l, uint32_t conn, unsigned status)
{
    /* An answer that failed is kept for its text. */
    bool kept = !good(l, body_at(l, conn), status);
    if (kept || !l->parts)
        l->excerpt_len = kept ? 0 : LANE_EXCERPT_MAX;
    if (kept)
        l->excerpt_conn = conn;
}

void lane_body(struct lane *l, uint32_t conn, const char *data, size_t len)
{
    if (l->work->bulk)
        bulk_answer_feed(&l->answer, data, len);
    if (l->scroll)
        scroll_answer_feed(&l->scroll->answer, data, len);
    if (l->excerpt_len == LANE_EXCERPT_MAX || conn != l->excerpt_conn)
        return;
    size_t room = LANE_EXCERPT_MAX - l->excerpt_len;
    if (len > room)
        len = room;
    memcpy(l->excerpt + l->excerpt_len, data, len);
    l->excerpt_len += len;
}

/* Keep the reason of the task's first failure, as it was answered. */
static void explain(struct lane *l, const struct engine_answer *a)
{
    char text[RECORDER_ERROR_TEXT];
    int n;
    if (*l->recorder->error_text)
        return;
    if (a->outcome != ENGINE_ANSWERED) {
        n = snprintf(text, sizeof text, "%s", a->text);
    } else if (a->status >= 200 && a->status < 300) {
        n = snprintf(text, sizeof text, "bulk item answered %u %s",
                     l->answer.first_failed, l->answer.type);
    } else {
        n = snprintf(text, sizeof text, "answered %u: %.*s", a->status,
                     (int)l->excerpt_len, l->excerpt);
    }
    size_t len = n < 0 ? 0 : (size_t)n;
    text_clean(text, len < sizeof text ? len : sizeof text - 1);
    recorder_explain(l->recorder, text);
}

/* A composite operation's status is 200, or one that was not good. */
static bool succeeded(const struct lane *l, const struct engine_answer *a)
{
    return l->parts ? a->status == 200 : good(l, l->body, a->status);
}

static enum recorder_outcome outcome_of(const struct lane *l,
                                        const struct engine_answer *a)
{
    switch (a->outcome) {
    case ENGINE_ANSWERED:
        return succeeded(l, a) ? RECORDER_OK : RECORDER_FAILED;
    case ENGINE_LOST:
        return RECORDER_LOST;
    case ENGINE_UNSENT:
    default:
        return RECORDER_UNSENT;
    }
}

const struct engine_request *lane_part(struct lane *l, uint32_t conn,
                                       const struct engine_answer *a)
{
    const struct body *body = parts_body(l->parts, conn);
    bool well = a->outcome == ENGINE_ANSWERED && good(l, body, a->status);
    if (!well)
        explain(l, a);
    body = parts_answer(l->parts, conn, a, well);
    return body ? &body->request : NULL;
}

const struct engine_request *lane_page(struct lane *l,
                                       const struct engine_answer *a)
{
    bool well = a->outcome == ENGINE_ANSWERED && good(l, l->body, a->status);
    if (!well && !l->scroll->ends)
        explain(l, a);
    return scroll_next(l->scroll, a, well);
}

/* Bytes of the heads that were sent: of one request its own. */
static uint64_t head_bytes(const struct lane *l)
{
    uint64_t sum = 0;
    if (l->scroll)
        return l->scroll->head_bytes;
    if (!l->parts)
        return l->body->request.head_bytes;
    for (uint32_t i = 0; i < l->bodies.n; i++)
        sum += l->bodies.items[i].request.head_bytes;
    return sum;
}

static void record(struct lane *l, const struct engine_answer *a)
{
    const struct body *body = l->body;
    uint64_t heads = head_bytes(l);
    struct recorder_event e = {
        .outcome = outcome_of(l, a),
        .status = a->status,
        .given_up = a->given_up,
        .intended_ns = l->intended_ns,
        .sent_ns = a->sent_ns,
        .done_ns = a->done_ns,
        .requests = l->parts    ? l->parts->requests
                    : l->scroll ? l->scroll->requests
                                : a->outcome != ENGINE_UNSENT,
        .docs = l->parts ? 0 : body->docs,
        .body_bytes = a->sent_bytes > heads ? a->sent_bytes - heads : 0,
        .received_bytes = a->received_bytes};
    if (e.outcome == RECORDER_OK)
        e.docs_taken =
            l->work->bulk ? bulk_answer_taken(&l->answer, e.docs) : e.docs;
    e.assumed = l->work->bulk && !bulk_answer_counts(&l->answer);
    if (!l->parts && !l->scroll &&
        (e.outcome != RECORDER_OK || e.docs_taken < e.docs))
        explain(l, a);
    recorder_add(l->recorder, &e);
}

static uint64_t wait_of(unsigned misses)
{
    uint64_t ns = WAIT_FIRST_NS << (misses < 10 ? misses : 10);
    return ns < WAIT_LAST_NS ? ns : WAIT_LAST_NS;
}

/* Count the operation; false: it was the last. */
static bool count_down(struct lane *l)
{
    if (l->warm_ops && !--l->warm_ops && l->first)
        span_warm(l->span, l->intended_ns);
    if (l->ops != UINT64_MAX && !--l->ops)
        return false;
    return l->left == UINT64_MAX || --l->left;
}

uint64_t lane_finish(struct lane *l, const struct engine_answer *a,
                     uint64_t stop_ns)
{
    uint32_t units = l->work->rate_docs ? l->body->docs : 1;
    uint64_t free_ns = a->done_ns;
    uint64_t end_ns = l->end_ns < stop_ns ? l->end_ns : stop_ns;
    record(l, a);
    l->body = NULL;
    if (a->outcome == ENGINE_ANSWERED)
        l->misses = 0;
    else
        free_ns += wait_of(l->misses++);
    l->intended_ns = pacer_next(&l->pacer, units, free_ns);
    if (!count_down(l)) {
        l->over = true;
        l->over_ns = a->done_ns;
        return UINT64_MAX;
    }
    l->free_ns = free_ns;
    uint64_t start_ns = l->intended_ns > free_ns ? l->intended_ns : free_ns;
    if (start_ns >= end_ns) {
        lane_end(l, end_ns);
        return UINT64_MAX;
    }
    return start_ns;
}

void lane_end(struct lane *l, uint64_t end_ns)
{
    uint64_t begin_ns = span_begin(l->span), until_ns = span_end(l->span);
    l->over = true;
    l->over_ns = end_ns;
    if (end_ns < until_ns)
        until_ns = end_ns;
    if (begin_ns < until_ns)
        l->recorder->counts.dropped += pacer_left(
            &l->pacer, l->intended_ns, mean_units(l), begin_ns, until_ns);
}
