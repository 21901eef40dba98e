/* Threads, connections and counts together, against a real server: what the
 * driver says must be what the server did, document by document. */
#include <stdlib.h>

#include "common/clock.h"
#include "common/json.h"
#include "load/session.h"
#include "load/summary.h"
#include "tests/lib/check.h"
#include "tests/unit/load/server.h"

/* 1000 documents in bulks of 10 by 5 clients: 100 requests, each once. */
static const char plan[] =
    "{\"version\":1,\"track\":\"t\",\"challenge\":\"c\",\"corpora\":[{"
    "\"name\":\"g\",\"documents\":[{\"generator\":\"geonames\",\"docs\":1000,"
    "\"index\":\"i\"}]}],\"steps\":[{\"tasks\":[{\"name\":\"fill\","
    "\"operation\":\"bulk\",\"clients\":5,\"bulk\":{\"docs\":10,\"corpora\":[0]"
    "}}]}],\"measured\":0}";

struct rig {
    struct server *server;
    struct options options;
    struct job job;
    struct session *session;
};

static void rig_open(struct rig *r)
{
    struct why why = {0};
    check_ok(job_open(&r->job, plan, strlen(plan), &r->options, &why), why);
    check_ok(job_corpora(&r->job, NULL, NULL, NULL, &why), why);
    check_ok(job_render(&r->job, &why), why);
    check_ok(session_open(&r->session, &r->job, r->job.steps, &why), why);
}

static void rig_init(struct rig *r, server_script *script, uint32_t threads)
{
    memset(r, 0, sizeof *r);
    r->server = server_start(script);
    r->options.url = server_url(r->server);
    r->options.load.threads = threads;
    r->options.cache_limit_bytes = CACHE_LIMIT_BYTES;
    r->options.load.memory_bytes = 1 << 24;
    rig_open(r);
}

/* Two processes of one load, one after the other, against one server. */
static uint64_t share_docs(struct server *server, struct share share)
{
    struct rig r = {.server = server};
    struct why why = {0};
    r.options.url = server_url(server);
    r.options.share = share;
    r.options.cache_limit_bytes = CACHE_LIMIT_BYTES;
    r.options.load.memory_bytes = 1 << 24;
    rig_open(&r);
    const struct stage_run run = {.t0_ns = clock_mono_ns() + 2 * NS_PER_MS,
                                  .drain_ns = WORKER_DRAIN_NS};
    check_ok(session_start(r.session, &run, &why), why);
    while (!session_step(r.session, 100 * NS_PER_MS, -1))
        continue;
    session_finish(r.session);
    uint64_t docs = session_driver(r.session)->totals.docs_acked;
    session_close(r.session);
    job_close(&r.job);
    return docs;
}

static void rig_run(struct rig *r, uint64_t measure_ns)
{
    struct why why = {0};
    const struct stage_run run = {.t0_ns = clock_mono_ns() + 2 * NS_PER_MS,
                                  .measure_ns = measure_ns,
                                  .drain_ns = WORKER_DRAIN_NS};
    check_ok(session_start(r->session, &run, &why), why);
    while (!session_step(r->session, 100 * NS_PER_MS, -1))
        continue;
    session_finish(r->session);
}

static void rig_fini(struct rig *r)
{
    session_close(r->session);
    job_close(&r->job);
    server_stop(r->server);
}

static const char all_good[] = "{\"took\":1,\"errors\":false,\"items\":[]}";
static const char one_bad[] =
    "{\"errors\":true,\"items\":[{\"index\":{\"status\":201}},{\"index\":{"
    "\"status\":201}},{\"index\":{\"status\":201}},{\"index\":{\"status\":201}"
    "},{\"index\":{\"status\":429}},{\"index\":{\"status\":201}},{\"index\":{"
    "\"status\":201}},{\"index\":{\"status\":201}},{\"index\":{\"status\":201}"
    "},{\"index\":{\"status\":201}}]}";

/* Of ten requests each: what happens, and to how many documents. */
static struct server_reply everything(unsigned n)
{
    static const struct server_reply replies[] = {
        {SERVER_ANSWER, 200, all_good},     /* 10 taken */
        {SERVER_CLOSE, 200, all_good},      /* 10 */
        {SERVER_SLOW, 200, one_bad},        /* 9, and 1 refused */
        {SERVER_CHUNKED, 200, one_bad},     /* 9, and 1 refused */
        {SERVER_ANSWER, 429, "busy"},       /* 10 refused */
        {SERVER_CLOSE, 500, "broken"},      /* 10 refused */
        {SERVER_HALF, 200, all_good},       /* 10 unknown */
        {SERVER_DROP, 0, NULL},             /* 10 unknown */
        {SERVER_GARBAGE, 0, NULL},          /* 10 unknown */
        {SERVER_NO_LENGTH, 200, all_good}}; /* 10 taken */
    return replies[n % 10];
}

static void check_everything(struct rig *r)
{
    const struct session_task *t = session_task(r->session, 0);
    const struct session_driver *d = session_driver(r->session);
    const struct recorder_counts *c = &t->sum->counts;
    assert_int_equal(server_requests(r->server), 100);
    assert_int_equal(d->totals.requests, 100);
    /* 10 x each: 30 whole and 20 of nine; 20 of one and 20 of ten; 30 of ten */
    assert_int_equal(d->totals.docs_acked, 30 * 10 + 20 * 9);
    assert_int_equal(d->totals.docs_refused, 20 * 1 + 20 * 10);
    assert_int_equal(d->totals.docs_unknown, 30 * 10);
    /* the window ends when the first client has nothing left to send */
    assert_in_range(c->ops + c->errors, 20, 100);
    assert_true(c->docs <= 480 && c->docs_failed <= 220);
    assert_int_equal(t->sum->latency.total, c->ops);
    assert_int_equal(d->stats.retried, 0);
    assert_int_equal(d->stats.connects_lost, 20); /* half and drop */
    assert_int_equal(d->stats.connects, server_connections(r->server));
    assert_true(t->window_ns > 0);
    assert_true(d->cpu_user_ns + d->cpu_system_ns > 0);
    /* the seconds hold the same operations */
    uint64_t ops = 0, docs = 0, samples = 0;
    for (size_t i = 0; i < t->series.n; i++) {
        static struct hist h;
        struct why why = {0};
        const struct series_second *s = &t->series.seconds[i];
        ops += s->counts.ops;
        docs += s->counts.docs;
        if (s->latency.len)
            check_ok(hist_decode(&h, s->latency.data, s->latency.len, &why),
                     why);
        samples += s->latency.len ? h.total : 0;
    }
    assert_int_equal(ops, 50);
    assert_int_equal(docs, 480);
    assert_int_equal(samples, 50);
}

static void session_counts_everything_that_can_happen(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, everything, 1);
    rig_run(&r, 0);
    check_everything(&r);
    assert_int_equal(session_driver(r.session)->threads, 1);
    rig_fini(&r);
}

static void session_counts_the_same_with_threads(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, everything, 3);
    rig_run(&r, 0);
    check_everything(&r);
    assert_int_equal(session_driver(r.session)->threads, 3);
    rig_fini(&r);
}

static struct server_reply good(unsigned n)
{
    (void)n;
    return (struct server_reply){SERVER_ANSWER, 200, all_good};
}

static void session_loops_over_the_bodies_for_its_time(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, good, 2);
    r.job.works->looped = true;
    rig_run(&r, 300 * NS_PER_MS);
    const struct session_task *t = session_task(r.session, 0);
    const struct session_driver *d = session_driver(r.session);
    assert_int_equal(t->window_ns, 300 * NS_PER_MS);
    assert_int_equal(d->totals.requests, server_requests(r.server));
    assert_int_equal(d->totals.docs_acked, 10 * d->totals.requests);
    assert_int_equal(t->sum->counts.ops, d->totals.requests);
    assert_int_equal(d->stats.connects, 5);
    assert_int_equal(session_progress(r.session).docs, d->totals.docs_acked);
    assert_int_equal(d->window_ns, 300 * NS_PER_MS);
    assert_true(d->cpu_max_ns > 0);
    assert_true(d->cpu_max_ns <= d->cpu_user_ns + d->cpu_system_ns);
    assert_true(d->starts > 0);
    rig_fini(&r);
}

static void session_stop_ends_a_long_run(void **state)
{
    (void)state;
    struct rig r;
    struct why why = {0};
    rig_init(&r, good, 2);
    r.job.works->looped = true;
    const struct stage_run run = {.t0_ns = clock_mono_ns(),
                                  .measure_ns = 3600 * NS_PER_S,
                                  .drain_ns = WORKER_DRAIN_NS};
    check_ok(session_start(r.session, &run, &why), why);
    while (session_progress(r.session).docs < 1000)
        assert_false(session_step(r.session, NS_PER_MS, -1));
    session_stop(r.session, 0);
    while (!session_step(r.session, 100 * NS_PER_MS, -1))
        continue;
    session_finish(r.session);
    const struct session_driver *d = session_driver(r.session);
    assert_int_equal(d->totals.requests, server_requests(r.server));
    assert_int_equal(d->totals.docs_unknown, 0);
    assert_true(session_task(r.session, 0)->window_ns < 3600 * NS_PER_S);
    rig_fini(&r);
}

static void session_start_refuses_to_send_not_all_documents(void **state)
{
    (void)state;
    struct rig r;
    struct why why = {0};
    memset(&r, 0, sizeof r);
    r.server = server_start(good);
    r.options.url = server_url(r.server);
    r.options.cache_limit_bytes = CACHE_LIMIT_BYTES;
    r.options.load.memory_bytes = 4000; /* heads: 100 of 91 */
    rig_open(&r);
    const struct stage_run run = {.t0_ns = clock_mono_ns()};
    check_err(session_start(r.session, &run, &why), ERR_STATE);
    check_says(why, "task fill: its documents exceed the 4000 bytes of "
                    "--memory");
    rig_fini(&r);
}

static void session_open_says_that_nobody_listens(void **state)
{
    (void)state;
    struct rig r;
    struct why why = {0};
    rig_init(&r, good, 1);
    session_close(r.session);
    server_stop(r.server);
    check_err(session_open(&r.session, &r.job, r.job.steps, &why), ERR_REFUSED);
    check_says(why, "connect 127.0.0.1:");
    assert_null(r.session);
    job_close(&r.job);
}

static void summary_says_what_was_counted(void **state)
{
    (void)state;
    struct rig r;
    struct jv *v;
    struct why why = {0};
    char *text = NULL;
    size_t len = 0;
    rig_init(&r, everything, 1);
    session_close(r.session);
    job_close(&r.job);
    r.options.load.clients = 1; /* whose window holds all that it did */
    rig_open(&r);
    rig_run(&r, 0);
    struct course course = {
        .config = {.job = &r.job}, .sessions = &r.session, .n_sessions = 1};
    FILE *f = open_memstream(&text, &len);
    summary_print_json(f, &course);
    (void)fclose(f);
    check_ok(jv_parse(&v, "json", text, len, &why), why);
    const struct jv *task = jv_at(jv_get(v, "tasks"), 0);
    assert_string_equal(jv_text(jv_get(task, "task"), ""), "fill");
    check_near(jv_number(jv_get(task, "docs"), -1), 480, 0);
    const struct jv *latency = jv_get(task, "latency_ns");
    check_near(jv_number(jv_get(latency, "samples"), -1), 50, 0);
    /* 50 samples bear a p50 (20 needed), not a p90 (100 needed) */
    assert_int_equal(jv_type(jv_get(latency, "p50")), JV_NUMBER);
    assert_int_equal(jv_type(jv_get(latency, "p90")), JV_NULL);
    const struct jv *driver = jv_get(v, "driver");
    check_near(jv_number(jv_get(driver, "docs_unknown"), -1), 300, 0);
    assert_string_equal(jv_text(jv_get(v, "track"), ""), "t");
    jv_free(v);
    free(text);
    text = NULL;
    f = open_memstream(&text, &len);
    summary_print(f, &course);
    (void)fclose(f);
    assert_memory_equal(text, "fill: bulk, 1 clients, closed loop\n", 35);
    assert_non_null(strstr(text, "  requests   50 in "));
    assert_non_null(strstr(text, "  documents  480: "));
    assert_non_null(strstr(text, "failed     50 requests, 220 documents\n"));
    assert_non_null(strstr(text, "480 documents acknowledged, 220 refused, "
                                 "300 unknown, "));
    free(text);
    rig_fini(&r);
}

static struct server_reply good_always(unsigned n)
{
    (void)n;
    return (struct server_reply){SERVER_ANSWER, 200, all_good};
}

/* 5 clients of 200 documents each: 0, 2 and 4 here, 1 and 3 there; of eight
 * agents three have none. */
static void session_drives_its_share_of_the_clients(void **state)
{
    (void)state;
    struct server *server = server_start(good_always);
    assert_int_equal(share_docs(server, (struct share){0, 2}), 600);
    assert_int_equal(share_docs(server, (struct share){1, 2}), 400);
    assert_int_equal(server_requests(server), 100);
    assert_int_equal(share_docs(server, (struct share){7, 8}), 0);
    assert_int_equal(server_requests(server), 100);
    server_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(session_counts_everything_that_can_happen),
        cmocka_unit_test(session_counts_the_same_with_threads),
        cmocka_unit_test(session_loops_over_the_bodies_for_its_time),
        cmocka_unit_test(session_stop_ends_a_long_run),
        cmocka_unit_test(session_start_refuses_to_send_not_all_documents),
        cmocka_unit_test(session_open_says_that_nobody_listens),
        cmocka_unit_test(session_drives_its_share_of_the_clients),
        cmocka_unit_test(summary_says_what_was_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
