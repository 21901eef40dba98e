/* A whole track against a real server: what was done, in which order, and that
 * every document is accounted for. */
#include <stdio.h>

#include "common/clock.h"
#include "load/course.h"
#include "tests/lib/check.h"
#include "tests/unit/load/server.h"

/* Delete; fill; refresh; then search beside a fill that ends it; merge. */
#define PLAN(by)                                                               \
    "{\"version\":1,\"track\":\"t\",\"challenge\":\"c\",\"corpora\":[{"        \
    "\"name\":\"g\",\"documents\":[{\"generator\":\"geonames\",\"docs\":1000," \
    "\"index\":\"i\"}]}],\"steps\":["                                          \
    "{\"tasks\":[{\"name\":\"drop\",\"operation\":\"delete-index\","           \
    "\"requests\":[{\"method\":\"DELETE\",\"path\":\"/i\"}]}]},"               \
    "{\"measured\":true,\"tasks\":[{\"name\":\"fill\",\"operation\":\"bulk\"," \
    "\"clients\":5,\"bulk\":{\"docs\":10,\"corpora\":[0]}}]},"                 \
    "{\"tasks\":[{\"name\":\"refresh\",\"operation\":\"refresh\","             \
    "\"requests\":[{\"method\":\"POST\",\"path\":\"/_refresh\"}]}]},"          \
    "{\"measured\":true,\"completed-by\":\"" by "\",\"tasks\":["               \
    "{\"name\":\"again\",\"operation\":\"bulk\",\"clients\":2,\"bulk\":{"      \
    "\"docs\":10,\"corpora\":[0]}},"                                           \
    "{\"name\":\"find\",\"operation\":\"search\",\"iterations\":1000000,"      \
    "\"requests\":[{\"method\":\"GET\",\"path\":\"/_search\"}]},"              \
    "{\"name\":\"quiet\",\"operation\":\"search\",\"hidden\":true,"            \
    "\"iterations\":3,\"requests\":[{\"method\":\"GET\",\"path\":\"/q\"}]}]}," \
    "{\"tasks\":[{\"name\":\"merge\",\"operation\":\"force-merge\","           \
    "\"requests\":[{\"method\":\"POST\",\"path\":\"/_forcemerge\"}]}]}],"      \
    "\"measured\":1}"

static const char plan[] = PLAN("again");
static const char by_any[] = PLAN("any");

struct rig {
    struct server *server;
    struct options options;
    struct job job;
    struct course course;
    char done[256]; /* names of what was done once */
    unsigned seconds;
    bool stop; /* after the first second; alone: at its first meeting */
    /* One of several: where it has come to, and may go on from. */
    bool meets, alone; /* alone: nobody else comes */
    char met[64];
    uint32_t at;
    uint64_t come_ns;
};

#define ASIDE_NS (60 * NS_PER_MS) /* the others come so much later */

static void come(void *ctx, uint32_t number, bool any)
{
    struct rig *r = ctx;
    size_t n = strlen(r->met);
    (void)snprintf(r->met + n, sizeof r->met - n, "%u%s ", number,
                   any ? " any" : "");
    r->at = number;
    r->come_ns = clock_mono_ns();
}

static bool gone(void *ctx, uint32_t number, uint64_t *from_ns)
{
    struct rig *r = ctx;
    uint64_t now_ns = clock_mono_ns();
    *from_ns = now_ns + 20 * NS_PER_MS;
    return r->at == number && !r->alone && now_ns >= r->come_ns + ASIDE_NS;
}

static struct server_reply good(unsigned n)
{
    (void)n;
    return (struct server_reply){SERVER_ANSWER, 200, "{\"errors\":false}"};
}

static bool stopped(void *ctx)
{
    const struct rig *r = ctx;
    return r->stop && (r->alone ? r->at : r->seconds);
}

static void second(void *ctx)
{
    ((struct rig *)ctx)->seconds++;
}

static enum err once(void *ctx, const struct plan_task *task,
                     const struct once_result *result, struct why *why)
{
    struct rig *r = ctx;
    size_t n = strlen(r->done);
    (void)why;
    assert_false(result->failed);
    (void)snprintf(r->done + n, sizeof r->done - n, "%s ", task->name);
    return ERR_OK;
}

static enum err run_plan(struct rig *r, const char *json, uint64_t measure_ns)
{
    struct why why = {0};
    r->server = server_start(good);
    r->options.url = server_url(r->server);
    r->options.load.threads = 2;
    r->options.load.memory_bytes = 1 << 24;
    r->options.cache_limit_bytes = CACHE_LIMIT_BYTES;
    check_ok(job_open(&r->job, json, strlen(json), &r->options, &why), why);
    check_ok(job_corpora(&r->job, NULL, NULL, NULL, &why), why);
    course_init(&r->course, &(struct course_config){.job = &r->job,
                                                    .fd = -1,
                                                    .stopped = stopped,
                                                    .second = second,
                                                    .once = once,
                                                    .ctx = r});
    r->course.config.come = r->meets ? come : NULL;
    r->course.config.gone = r->meets ? gone : NULL;
    check_ok(course_arm(&r->course, &why), why);
    assert_string_equal(r->done, r->options.share.index ? "" : "drop ");
    const struct stage_run run = {.t0_ns = clock_mono_ns() + 2 * NS_PER_MS,
                                  .measure_ns = measure_ns,
                                  .drain_ns = WORKER_DRAIN_NS};
    return course_run(&r->course, &run, &why);
}

static enum err run(struct rig *r, uint64_t measure_ns)
{
    return run_plan(r, plan, measure_ns);
}

static void fini(struct rig *r)
{
    course_fini(&r->course);
    job_close(&r->job);
    server_stop(r->server);
}

static void course_does_every_step_and_counts_every_document(void **state)
{
    (void)state;
    struct rig r = {0};
    assert_int_equal(run(&r, 0), ERR_OK);
    assert_string_equal(r.done, "drop refresh merge ");
    assert_int_equal(r.course.n_sessions, 2);
    const struct session *later = r.course.sessions[1];
    struct session_driver d = course_driver(&r.course);
    assert_int_equal(d.totals.docs_acked, 2000);
    assert_int_equal(course_progress(&r.course).docs, 2000);
    assert_int_equal(d.totals.docs_unknown, 0);
    /* without drop, refresh and merge */
    assert_int_equal(d.totals.requests, server_requests(r.server) - 3);
    assert_int_equal(session_driver(later)->totals.docs_acked, 1000);
    /* the search went on until the fill ended, and no longer */
    const struct session_task *again = session_task(later, 0);
    const struct session_task *find = session_task(later, 1);
    assert_true(find->sum->totals.requests < 1000000);
    assert_true(find->window.end_ns >= again->window.end_ns);
    assert_int_equal(find->sum->totals.errors, 0);
    assert_true(find->told);
    assert_false(session_task(later, 2)->told);
    assert_int_equal(session_task(later, 2)->sum->totals.requests, 3);
    /* whole seconds after the first step's */
    uint64_t origin_ns = session_origin(r.course.sessions[0]);
    assert_int_equal(session_origin(later), origin_ns);
    assert_int_equal((find->window.begin_ns - origin_ns) % NS_PER_S, 0);
    assert_true(find->window.begin_ns > origin_ns);
    fini(&r);
}

static void course_start_gives_the_first_step_its_window(void **state)
{
    (void)state;
    struct rig r = {0};
    /* its 1000 documents are sent long before */
    assert_int_equal(run(&r, 3600 * NS_PER_S), ERR_OK);
    const struct session_task *fill = session_task(r.course.sessions[0], 0);
    assert_int_equal(fill->sum->totals.docs_acked, 1000);
    assert_true(fill->window_ns < 3600 * NS_PER_S);
    assert_int_equal(course_driver(&r.course).totals.docs_acked, 2000);
    fini(&r);
}

static void course_stop_leaves_out_what_comes_after(void **state)
{
    (void)state;
    struct rig r = {.stop = true};
    assert_int_equal(run(&r, 0), ERR_OK);
    assert_int_equal(r.course.n_sessions, 1);
    assert_string_equal(r.done, "drop ");
    assert_int_equal(course_driver(&r.course).totals.requests,
                     server_requests(r.server) - 1);
    fini(&r);
}

static struct rig one_of_two(uint32_t index)
{
    return (struct rig){
        .meets = true,
        .options = {.mode = OPTIONS_CHILD, .share = {.index = index, .of = 2}}};
}

/* Of 5 clients 3, of the two of the second step one: 600 + 500 documents. */
static void course_meets_the_others_before_in_and_after_steps(void **state)
{
    (void)state;
    struct rig r = one_of_two(0);
    assert_int_equal(run(&r, 0), ERR_OK);
    /* over; start, complete, over of the second */
    assert_string_equal(r.met, "2 3 4 5 ");
    assert_string_equal(r.done, "drop refresh merge ");
    assert_int_equal(course_driver(&r.course).totals.docs_acked, 1100);
    const struct session *later = r.course.sessions[1];
    const struct session_task *again = session_task(later, 0);
    const struct session_task *find = session_task(later, 1);
    /* the search goes on until the other one's fill is over too */
    assert_true(find->window.end_ns >= again->window.end_ns + ASIDE_NS);
    assert_int_equal(find->sum->totals.errors, 0);
    fini(&r);
}

static void course_leaves_what_is_done_once_to_the_first(void **state)
{
    (void)state;
    struct rig r = one_of_two(1);
    assert_int_equal(run(&r, 0), ERR_OK);
    assert_string_equal(r.met, "2 3 4 5 ");
    assert_string_equal(r.done, "");
    assert_int_equal(course_driver(&r.course).totals.docs_acked, 900);
    fini(&r);
}

static void course_says_when_its_client_ends_the_step_for_all(void **state)
{
    (void)state;
    struct rig r = one_of_two(0);
    assert_int_equal(run_plan(&r, by_any, 0), ERR_OK);
    assert_string_equal(r.met, "2 3 4 any 5 ");
    fini(&r);
}

static void course_stops_while_it_waits_for_the_others(void **state)
{
    (void)state;
    struct rig r = one_of_two(0);
    r.stop = true;
    r.alone = true;
    assert_int_equal(run(&r, 0), ERR_INTERRUPTED);
    assert_string_equal(r.met, "2 ");
    assert_int_equal(course_driver(&r.course).totals.docs_acked, 600);
    assert_string_equal(r.done, "drop ");
    assert_int_equal(r.course.n_sessions, 1);
    fini(&r);
}

static void course_refuses_several_steps_for_several_agents(void **state)
{
    (void)state;
    struct why why = {0};
    struct job job;
    const struct options o = {.share = {0, 2},
                              .load = {.memory_bytes = 1 << 24}};
    check_err(job_open(&job, plan, strlen(plan), &o, &why), ERR_INVALID);
    check_says(why, "2 measured steps: --share leaves nobody who tells when");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(course_does_every_step_and_counts_every_document),
        cmocka_unit_test(course_start_gives_the_first_step_its_window),
        cmocka_unit_test(course_stop_leaves_out_what_comes_after),
        cmocka_unit_test(course_meets_the_others_before_in_and_after_steps),
        cmocka_unit_test(course_leaves_what_is_done_once_to_the_first),
        cmocka_unit_test(course_says_when_its_client_ends_the_step_for_all),
        cmocka_unit_test(course_stops_while_it_waits_for_the_others),
        cmocka_unit_test(course_refuses_several_steps_for_several_agents)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
