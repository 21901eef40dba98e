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

uint64_t lane_begin(struct lane *l, uint64_t t0_ns, uint64_t seed, bool once)
{
    const struct work *w = l->work;
    l->at = l->bodies.first;
    l->left = once ? l->bodies.own : UINT64_MAX;
    l->intended_ns =
        pacer_start(&l->pacer, &(struct pacer_config){.kind = w->pacing,
                                                      .rate_s = w->rate_s,
                                                      .units = next_units(l),
                                                      .n_clients = w->clients,
                                                      .client = l->client,
                                                      .t0_ns = t0_ns,
                                                      .seed = seed});
    if (!l->left) {
        l->over = true;
        return UINT64_MAX;
    }
    return l->intended_ns;
}

const struct engine_request *lane_start(struct lane *l, uint64_t now_ns)
{
    assert(!l->body && !l->over);
    l->body = &l->bodies.items[l->at];
    l->at = (l->at + 1) % l->bodies.n;
    l->started_ns = now_ns;
    l->excerpt_len = 0;
    if (l->work->bulk)
        bulk_answer_begin(&l->answer);
    recorder_start(l->recorder);
    return &l->body->request;
}

static bool good(unsigned status)
{
    return status >= 200 && status < 300;
}

void lane_head(struct lane *l, unsigned status)
{
    /* An answer that failed is kept for its text. */
    l->excerpt_len = good(status) ? LANE_EXCERPT_MAX : 0;
}

void lane_body(struct lane *l, const char *data, size_t len)
{
    if (l->work->bulk)
        bulk_answer_feed(&l->answer, data, len);
    if (l->excerpt_len == LANE_EXCERPT_MAX)
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
    } else if (good(a->status)) {
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

static enum recorder_outcome outcome_of(const struct engine_answer *a)
{
    switch (a->outcome) {
    case ENGINE_ANSWERED:
        return good(a->status) ? RECORDER_OK : RECORDER_FAILED;
    case ENGINE_LOST:
        return RECORDER_LOST;
    case ENGINE_UNSENT:
    default:
        return RECORDER_UNSENT;
    }
}

static void record(struct lane *l, const struct engine_answer *a)
{
    const struct body *body = l->body;
    uint64_t head_bytes = body->request.head_bytes;
    struct recorder_event e = {.outcome = outcome_of(a),
                               .intended_ns = l->intended_ns,
                               .sent_ns = a->sent_ns,
                               .done_ns = a->done_ns,
                               .docs = body->docs,
                               .body_bytes = a->sent_bytes > head_bytes
                                                 ? a->sent_bytes - head_bytes
                                                 : 0,
                               .received_bytes = a->received_bytes};
    if (e.outcome == RECORDER_OK)
        e.docs_taken = l->work->bulk ? bulk_answer_taken(&l->answer, body->docs)
                                     : body->docs;
    if (e.outcome != RECORDER_OK || e.docs_taken < e.docs)
        explain(l, a);
    recorder_add(l->recorder, &e);
}

static uint64_t wait_of(unsigned misses)
{
    uint64_t ns = WAIT_FIRST_NS << (misses < 10 ? misses : 10);
    return ns < WAIT_LAST_NS ? ns : WAIT_LAST_NS;
}

uint64_t lane_finish(struct lane *l, const struct engine_answer *a,
                     uint64_t end_ns)
{
    uint32_t units = l->work->rate_docs ? l->body->docs : 1;
    uint64_t free_ns = a->done_ns;
    record(l, a);
    l->body = NULL;
    if (a->outcome == ENGINE_ANSWERED)
        l->misses = 0;
    else
        free_ns += wait_of(l->misses++);
    l->intended_ns = pacer_next(&l->pacer, units, free_ns);
    if (l->left != UINT64_MAX && !--l->left) {
        l->over = true;
        return UINT64_MAX;
    }
    uint64_t start_ns = l->intended_ns > free_ns ? l->intended_ns : free_ns;
    if (start_ns >= end_ns) {
        lane_end(l, end_ns);
        return UINT64_MAX;
    }
    return start_ns;
}

void lane_end(struct lane *l, uint64_t end_ns)
{
    l->over = true;
    l->recorder->counts.dropped +=
        pacer_left(&l->pacer, l->intended_ns, next_units(l),
                   l->recorder->window.begin_ns, end_ns);
}
