#include "agent/watch/dialog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/watch/stats.h"
#include "common/clock.h"
#include "common/text.h"

#define READY_EVERY_NS    (20 * NS_PER_MS)
#define READY_TIMEOUT_MS  1000
#define WINDOW_TRIES      3
#define WINDOW_TIMEOUT_MS 500
#define STATS_TIMEOUT_MS  900 /* over before the next second's turn */
#define PROOF_EVERY_NS    (200 * NS_PER_MS)
#define PROOF_NS          (5 * NS_PER_S) /* for a server still warming up */
#define SHOWN             60             /* bytes of an answer */

#define WINDOW_PATH "/_pitwall/window"
#define STATS_PATH  "/_pitwall/stats"

enum topic {
    TOPIC_NONE,
    TOPIC_READY,
    TOPIC_PROOF, /* statistics, once, to see that they can be read */
    TOPIC_WINDOW,
    TOPIC_STATS
};

struct dialog {
    struct poll *poll;
    struct dialog_plan plan;
    enum topic topic; /* under way */
    bool answered;    /* the readiness URL, as it was to */
    bool ready;
    uint64_t ready_due_ns, answered_ns;
    char said[DIALOG_SAID_MAX];        /* why it is not ready */
    struct record_sample_target first; /* when it was */
    int window_tries;                  /* left; 0: nothing to tell */
    char window_body[96];
    char window_said[256]; /* what became of it, a fact */
    bool stats;            /* asked for, and not known to be missing */
    char stats_said[256];  /* why there are none; "" while there are */
    bool wants_base, wants_sample;
    int64_t wanted; /* the second of the sample that waits */
    bool base_under_way;
    int64_t second; /* of the exchange under way */
    bool has_base;
    struct record_sample_target base;
    uint64_t polls, failed;
    char failure[256]; /* the last one */
};

enum err dialog_open(struct dialog **out, const struct dialog_plan *plan,
                     struct why *why)
{
    *out = NULL;
    struct dialog *d = calloc(1, sizeof *d);
    if (!d)
        return err_set(why, ERR_NOMEM, "dialog");
    d->plan = *plan;
    d->stats = plan->stats && (!plan->ready || plan->stats_path);
    enum err e = poll_open(&d->poll, plan->url, why);
    if (e) {
        free(d);
        return e;
    }
    *out = d;
    return ERR_OK;
}

void dialog_close(struct dialog *d)
{
    if (!d)
        return;
    poll_close(d->poll);
    free(d);
}

static bool success(long status)
{
    return status >= 200 && status < 300;
}

/* Statuses by which a server says that it has no such thing. */
static bool unknown_there(long status)
{
    return status == 404 || status == 405 || status == 501;
}

static void window_done(struct dialog *d, long status, const struct why *why)
{
    d->window_tries--;
    if (success(status))
        (void)snprintf(d->window_said, sizeof d->window_said, "set");
    else if (unknown_there(status))
        (void)snprintf(d->window_said, sizeof d->window_said, "not supported");
    else if (status)
        (void)snprintf(d->window_said, sizeof d->window_said,
                       "failed: status %ld", status);
    else
        (void)snprintf(d->window_said, sizeof d->window_said, "failed: %.200s",
                       why->text);
    if (success(status) || unknown_there(status))
        d->window_tries = 0;
}

static void stats_failed(struct dialog *d, const char *text)
{
    d->failed++;
    (void)snprintf(d->failure, sizeof d->failure, "%.250s", text);
}

static enum err read_stats(const struct dialog *d, const char *body, size_t len,
                           struct record_sample_target *out, struct why *why)
{
    return d->plan.ready ? stats_map_read(d->plan.map, body, len, out, why)
                         : stats_parse(body, len, out, why);
}

static void stats_taken(struct dialog *d, const char *body, size_t len,
                        struct emit *emit)
{
    struct record_sample_target now;
    struct why why = {0};
    if (read_stats(d, body, len, &now, &why)) {
        stats_failed(d, why.text);
        return;
    }
    if (d->has_base && !d->base_under_way) {
        struct record_sample_target r = stats_since(&d->base, &now);
        r.second = d->second;
        emit_record(emit, RECORD_IS_sample_target, &r);
    }
    d->base = now;
    d->has_base = true;
}

static void stats_done(struct dialog *d, long status, const char *body,
                       size_t len, struct emit *emit)
{
    char text[32];
    if (success(status)) {
        stats_taken(d, body, len, emit);
    } else if (unknown_there(status) && !d->plan.ready) {
        d->stats = d->wants_base = d->wants_sample = false;
        (void)snprintf(d->stats_said, sizeof d->stats_said, "not supported");
    } else {
        (void)snprintf(text, sizeof text, "status %ld", status);
        stats_failed(d, text);
    }
}

/* Does the answer hold the text that was asked for? */
static bool expected(const struct dialog *d, const char *body, size_t len)
{
    const char *want = d->plan.expect;
    return !want || memmem(body, len, want, strlen(want));
}

/* Keep why the target is not ready: the exchange failed, or its answer was
 * another one than it was to be. */
static void not_ready(struct dialog *d, const char *path, long status,
                      const char *what, const char *body, size_t len)
{
    char start[SHOWN + 1];
    size_t n = len < SHOWN ? len : SHOWN;
    memcpy(start, body, n);
    start[n] = '\0';
    text_clean(start, n);
    for (size_t i = 0; i < n; i++)
        start[i] = start[i] == '\n' || start[i] == '\t' ? ' ' : start[i];
    (void)snprintf(d->said, sizeof d->said,
                   "%.120s%.100s: status %ld%.100s%s%s%s", d->plan.url, path,
                   status, what, n ? ": \"" : "", start, n ? "\"" : "");
}

/* A long page is an answer too. */
static void ready_done(struct dialog *d, uint64_t now_ns, enum err e,
                       long status, const struct why *why)
{
    const char *body = "";
    size_t len = 0;
    if (!e || e == ERR_RANGE)
        body = poll_body(d->poll, &len);
    d->ready_due_ns = now_ns + READY_EVERY_NS;
    if (e && e != ERR_RANGE) {
        (void)snprintf(d->said, sizeof d->said, "%.390s", why->text);
    } else if (!success(status)) {
        not_ready(d, d->plan.ready ? d->plan.ready : "/", status, "", body,
                  len);
    } else if (!expected(d, body, len)) {
        char what[100];
        (void)snprintf(what, sizeof what, " without \"%.60s\" in its answer",
                       d->plan.expect);
        not_ready(d, d->plan.ready, status, what, body, len);
    } else {
        d->answered = true;
        d->answered_ns = now_ns;
        d->ready = !d->plan.ready || !d->stats;
        d->ready_due_ns = now_ns;
    }
}

static void proof_done(struct dialog *d, uint64_t now_ns, enum err e,
                       long status, const struct why *why)
{
    size_t len = 0;
    const char *body = poll_body(d->poll, &len);
    struct why bad = {0};
    d->ready_due_ns = now_ns + PROOF_EVERY_NS;
    if (e) {
        (void)snprintf(d->said, sizeof d->said, "%.390s", why->text);
    } else if (!success(status)) {
        not_ready(d, d->plan.stats_path, status, "", body, len);
    } else if (stats_map_read(d->plan.map, body, len, &d->first, &bad)) {
        (void)snprintf(d->said, sizeof d->said, "%.120s%.100s: %.170s",
                       d->plan.url, d->plan.stats_path, bad.text);
    } else {
        d->ready = true;
    }
}

static void take_end(struct dialog *d, uint64_t now_ns, struct emit *emit)
{
    struct why why = {0};
    const char *body = NULL;
    size_t len = 0;
    long status = 0;
    enum err e = poll_end(d->poll, &status, &body, &len, &why);
    if (e == ERR_AGAIN)
        return;
    enum topic topic = d->topic;
    d->topic = TOPIC_NONE;
    if (topic == TOPIC_READY) {
        ready_done(d, now_ns, e, status, &why);
    } else if (topic == TOPIC_PROOF) {
        proof_done(d, now_ns, e, status, &why);
    } else if (topic == TOPIC_WINDOW) {
        window_done(d, e ? 0 : status, &why);
    } else if (topic == TOPIC_STATS && e) {
        stats_failed(d, why.text);
    } else if (topic == TOPIC_STATS) {
        stats_done(d, status, body, len, emit);
    }
}

static void begin(struct dialog *d, enum topic topic, uint64_t now_ns)
{
    const struct dialog_plan *plan = &d->plan;
    const char *stats = plan->ready ? plan->stats_path : STATS_PATH;
    const struct {
        const char *path;
        unsigned timeout_ms;
    } exchange[] = {
        [TOPIC_READY] = {plan->ready ? plan->ready : "/", READY_TIMEOUT_MS},
        [TOPIC_PROOF] = {stats, STATS_TIMEOUT_MS},
        [TOPIC_WINDOW] = {WINDOW_PATH, WINDOW_TIMEOUT_MS},
        [TOPIC_STATS] = {stats, STATS_TIMEOUT_MS},
    };
    struct why why = {0};
    const char *body = topic == TOPIC_WINDOW ? d->window_body : NULL;
    enum err e = poll_begin(d->poll, exchange[topic].path, body,
                            exchange[topic].timeout_ms, &why);
    if (!e) {
        d->topic = topic;
    } else if (topic == TOPIC_READY || topic == TOPIC_PROOF) {
        d->ready_due_ns = now_ns + READY_EVERY_NS;
    } else if (topic == TOPIC_WINDOW) {
        window_done(d, 0, &why);
    } else {
        stats_failed(d, why.text);
    }
}

static void begin_due(struct dialog *d, uint64_t now_ns)
{
    if (d->topic != TOPIC_NONE)
        return;
    if (!d->ready) {
        if (now_ns >= d->ready_due_ns)
            begin(d, d->answered ? TOPIC_PROOF : TOPIC_READY, now_ns);
    } else if (d->window_tries > 0) {
        begin(d, TOPIC_WINDOW, now_ns);
    } else if (d->wants_base || d->wants_sample) {
        d->base_under_way = d->wants_base;
        d->second = d->wanted;
        if (d->wants_base)
            d->wants_base = false;
        else
            d->wants_sample = false;
        d->polls++;
        begin(d, TOPIC_STATS, now_ns);
    }
}

void dialog_turn(struct dialog *d, uint64_t now_ns, struct emit *emit)
{
    if (d->topic != TOPIC_NONE)
        take_end(d, now_ns, emit);
    begin_due(d, now_ns);
    /* What was begun just now has to be put on its way. */
    if (d->topic != TOPIC_NONE)
        take_end(d, now_ns, emit);
}

uint64_t dialog_due_ns(const struct dialog *d)
{
    if (d->topic != TOPIC_NONE)
        return UINT64_MAX;
    if (!d->ready)
        return d->ready_due_ns;
    return dialog_quiet(d) ? UINT64_MAX : 0;
}

bool dialog_ready(const struct dialog *d)
{
    return d->ready;
}

const char *dialog_said(const struct dialog *d, uint64_t now_ns, bool *hopeless)
{
    *hopeless = !d->ready && d->answered && now_ns > d->answered_ns + PROOF_NS;
    return d->ready ? "" : d->said;
}

bool dialog_quiet(const struct dialog *d)
{
    return d->topic == TOPIC_NONE && !d->window_tries && !d->wants_base &&
           !d->wants_sample;
}

void dialog_window(struct dialog *d, const struct measure_window *window)
{
    if (d->plan.ready && !d->plan.window)
        return; /* it knows of none */
    (void)snprintf(d->window_body, sizeof d->window_body,
                   "{\"t0_ns\":%llu,\"t1_ns\":%llu}",
                   (unsigned long long)window->begin_ns,
                   (unsigned long long)window->end_ns);
    d->window_tries = WINDOW_TRIES;
    (void)snprintf(d->window_said, sizeof d->window_said,
                   "failed: not told in time");
}

void dialog_base(struct dialog *d)
{
    d->wants_base = d->stats;
}

void dialog_sample(struct dialog *d, int64_t second)
{
    if (!d->stats)
        return;
    if (d->wants_sample)
        stats_failed(d, "the answer before it took too long");
    d->wants_sample = true;
    d->wanted = second;
}

/* What somebody else's target told: which figures, and its documents since it
 * was ready, as long as no counter went back. */
static void map_facts(const struct dialog *d, struct emit *emit)
{
    char names[300];
    if (!d->plan.ready)
        return;
    emit_fact(emit, "stats.told",
              d->stats ? stats_map_names(d->plan.map, names, sizeof names)
                       : "nothing");
    if (d->stats && stats_map_has(d->plan.map, "docs") && d->has_base &&
        d->base.docs >= d->first.docs)
        emit_count(emit, "stats.docs", d->base.docs - d->first.docs);
}

void dialog_facts(const struct dialog *d, struct emit *emit)
{
    map_facts(d, emit);
    bool owed = d->topic == TOPIC_STATS || d->wants_base || d->wants_sample;
    if (*d->window_said)
        emit_fact(emit, "window", d->window_said);
    if (*d->stats_said)
        emit_fact(emit, "stats", d->stats_said);
    if (d->polls)
        emit_count(emit, "stats.polls", d->polls);
    if (d->failed || owed) {
        emit_count(emit, "stats.failed", d->failed + owed);
        emit_fact(emit, "stats.error",
                  d->failed ? d->failure : "no answer before the end");
    }
}

struct poll *dialog_poll(struct dialog *d)
{
    return d->poll;
}
