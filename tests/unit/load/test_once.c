#include "common/json.h"
#include "load/once.h"
#include "tests/lib/check.h"
#include "tests/unit/load/server.h"

struct rig {
    struct server *server;
    struct address address;
    struct once_config config;
    unsigned asked; /* whether to stop */
    unsigned stop_at;
};

static bool stopped(void *ctx)
{
    struct rig *r = ctx;
    return ++r->asked >= r->stop_at;
}

static void rig_init(struct rig *r, server_script *script)
{
    struct why why = {0};
    *r = (struct rig){.server = server_start(script), .stop_at = 1000000};
    check_ok(address_parse(&r->address, server_url(r->server), true, &why),
             why);
    r->config = (struct once_config){.ops = &engine_raw,
                                     .address = &r->address,
                                     .headers = "X: y\r\n",
                                     .stopped = stopped,
                                     .ctx = r};
}

static void rig_fini(struct rig *r)
{
    server_stop(r->server);
}

static struct plan_request requests[] = {
    {.method = "DELETE", .path = "/i", .ignore = {404}, .n_ignore = 1},
    {.method = "PUT", .path = "/i", .body = "{\"a\":1}"}};

/* A task of the first n requests. */
static struct plan_task task_of(size_t n)
{
    return (struct plan_task){.name = "prepare",
                              .kind = PLAN_REQUESTS,
                              .timeout_ns = 5000000000,
                              .requests = requests,
                              .n_requests = n};
}

static struct server_reply first_404(unsigned n)
{
    return (struct server_reply){SERVER_ANSWER, n ? 200 : 404, "{}"};
}

static void once_run_does_its_requests_in_order(void **state)
{
    (void)state;
    struct rig r;
    struct once_result result;
    struct why why = {0};
    const struct plan_task task = task_of(2);
    rig_init(&r, first_404);
    check_ok(once_run(&r.config, &task, &result, &why), why);
    assert_int_equal(result.status, 200);
    assert_false(result.failed);
    assert_true(result.took_ns > 0);
    assert_int_equal(server_requests(r.server), 2);
    const char *heads = server_heads(r.server);
    assert_memory_equal(heads, "DELETE /i HTTP/1.1\r\nHost: 127.0.0.1:", 36);
    assert_non_null(strstr(heads, "X: y\r\n"));
    assert_non_null(strstr(heads, "PUT /i HTTP/1.1\r\n"));
    assert_non_null(strstr(heads, "Content-Type: application/json\r\n"
                                  "Content-Length: 7\r\n"));
    rig_fini(&r);
}

static struct server_reply always_500(unsigned n)
{
    (void)n;
    return (struct server_reply){SERVER_ANSWER, 500,
                                 "{\"error\":\"no\x01 way\"}"};
}

static void once_run_says_what_was_answered(void **state)
{
    (void)state;
    struct rig r;
    struct once_result result;
    struct why why = {0};
    struct plan_task task = task_of(2);
    rig_init(&r, always_500);
    check_err(once_run(&r.config, &task, &result, &why), ERR_CHILD);
    check_says(why,
               "prepare: DELETE /i: answered 500: {\"error\":\"no? way\"}");
    assert_int_equal(server_requests(r.server), 1); /* the second is left out */
    task.lenient = true;
    check_ok(once_run(&r.config, &task, &result, &why), why);
    assert_true(result.failed);
    assert_int_equal(result.status, 500);
    rig_fini(&r);
}

static struct server_reply third_time_lucky(unsigned n)
{
    static const struct server_reply replies[] = {
        {SERVER_ANSWER, 503, "{}"},
        {SERVER_ANSWER, 200, "{\"timed_out\":true}"},
        {SERVER_ANSWER, 200, "{\"timed_out\":false}"}};
    return replies[n % 3];
}

static void once_run_tries_again_as_often_as_it_may(void **state)
{
    (void)state;
    struct rig r;
    struct once_result result;
    struct why why = {0};
    struct plan_task task = task_of(1);
    rig_init(&r, third_time_lucky);
    task.retries = 2;
    check_ok(once_run(&r.config, &task, &result, &why), why);
    assert_int_equal(server_requests(r.server), 3);
    task.retries = 1;
    check_err(once_run(&r.config, &task, &result, &why), ERR_CHILD);
    check_says(why, "answered 200: {\"timed_out\":true}");
    assert_int_equal(server_requests(r.server), 5);
    rig_fini(&r);
    rig_init(&r, third_time_lucky);
    task.no_retry_on_error = true; /* which this answer is */
    check_err(once_run(&r.config, &task, &result, &why), ERR_CHILD);
    assert_int_equal(server_requests(r.server), 1);
    rig_fini(&r);
}

static struct server_reply late_408(unsigned n)
{
    return (struct server_reply){SERVER_ANSWER, n ? 200 : 408, "{}"};
}

static void once_run_takes_408_for_no_answer(void **state)
{
    (void)state;
    struct rig r;
    struct once_result result;
    struct why why = {0};
    struct plan_task task = task_of(1);
    task.retries = 1;
    task.retry_wait_ns = 1000000;
    task.no_retry_on_error = true;
    rig_init(&r, late_408);
    check_ok(once_run(&r.config, &task, &result, &why), why);
    assert_int_equal(server_requests(r.server), 2);
    rig_fini(&r);
    task.no_retry_on_timeout = true;
    rig_init(&r, late_408);
    check_err(once_run(&r.config, &task, &result, &why), ERR_CHILD);
    assert_int_equal(server_requests(r.server), 1);
    rig_fini(&r);
}

static struct server_reply drops_first(unsigned n)
{
    return (struct server_reply){n ? SERVER_ANSWER : SERVER_DROP, 200, "{}"};
}

static void once_run_until_success_outlives_a_lost_connection(void **state)
{
    (void)state;
    struct rig r;
    struct once_result result;
    struct why why = {0};
    struct plan_task task = task_of(1);
    rig_init(&r, drops_first);
    task.until_success = true;
    check_ok(once_run(&r.config, &task, &result, &why), why);
    assert_int_equal(server_requests(r.server), 2);
    rig_fini(&r);
}

static struct server_reply stalls(unsigned n)
{
    (void)n;
    return (struct server_reply){.act = SERVER_STALL};
}

static void once_run_gives_up_in_time_and_when_told(void **state)
{
    (void)state;
    struct rig r;
    struct once_result result;
    struct why why = {0};
    struct plan_task task = task_of(1);
    rig_init(&r, stalls);
    task.timeout_ns = 100000000;
    check_err(once_run(&r.config, &task, &result, &why), ERR_CHILD);
    check_says(why, "prepare: DELETE /i: no answer within the timeout");
    task.timeout_ns = 3600000000000;
    r.stop_at = r.asked + 3;
    check_err(once_run(&r.config, &task, &result, &why), ERR_INTERRUPTED);
    rig_fini(&r);
}

static void once_run_sleeps_until_told(void **state)
{
    (void)state;
    struct rig r = {.stop_at = 1000000};
    struct once_result result;
    struct why why = {0};
    const struct once_config config = {.stopped = stopped, .ctx = &r};
    struct plan_task task = {
        .name = "rest", .kind = PLAN_SLEEP, .sleep_ns = 60000000};
    check_ok(once_run(&config, &task, &result, &why), why);
    assert_true(result.took_ns >= 60000000);
    task.sleep_ns = 3600000000000;
    r.stop_at = r.asked + 2;
    check_err(once_run(&config, &task, &result, &why), ERR_INTERRUPTED);
    check_says(why, "rest: stopped");
}

static struct server_reply merges_twice(unsigned n)
{
    return (struct server_reply){SERVER_ANSWER, 200,
                                 n < 2 ? "{\"merges\":{\"current\":1}}"
                                       : "{\"merges\":{\"current\":0}}"};
}

static void once_run_until_success_waits_for_a_condition(void **state)
{
    (void)state;
    struct rig r;
    struct once_result result;
    struct why why = {0};
    struct jv *zero;
    check_ok(jv_parse(&zero, "zero", "0", 1, &why), why);
    struct plan_request stats = {.method = "GET",
                                 .path = "/_stats",
                                 .want_path = "merges.current",
                                 .want = zero};
    struct plan_task task = task_of(1);
    task.requests = &stats;
    task.until_success = true;
    rig_init(&r, merges_twice);
    check_ok(once_run(&r.config, &task, &result, &why), why);
    assert_false(result.failed);
    assert_int_equal(server_requests(r.server), 3);
    rig_fini(&r);
    task.until_success = false;
    rig_init(&r, merges_twice);
    check_err(once_run(&r.config, &task, &result, &why), ERR_CHILD);
    check_says(why, "prepare: merges.current is 1, not 0");
    rig_fini(&r);
    jv_free(zero);
}

static void once_run_names_the_address_where_nobody_listens(void **state)
{
    (void)state;
    struct rig r;
    struct once_result result;
    struct why why = {0};
    const struct plan_task task = task_of(1);
    rig_init(&r, stalls);
    rig_fini(&r);
    check_err(once_run(&r.config, &task, &result, &why), ERR_REFUSED);
    check_says(why, "prepare: connect 127.0.0.1:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(once_run_does_its_requests_in_order),
        cmocka_unit_test(once_run_says_what_was_answered),
        cmocka_unit_test(once_run_tries_again_as_often_as_it_may),
        cmocka_unit_test(once_run_takes_408_for_no_answer),
        cmocka_unit_test(once_run_until_success_outlives_a_lost_connection),
        cmocka_unit_test(once_run_gives_up_in_time_and_when_told),
        cmocka_unit_test(once_run_sleeps_until_told),
        cmocka_unit_test(once_run_until_success_waits_for_a_condition),
        cmocka_unit_test(once_run_names_the_address_where_nobody_listens)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
