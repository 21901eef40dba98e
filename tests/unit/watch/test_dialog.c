#include <stdlib.h>
#include <unistd.h>

#include "agent/watch/dialog.h"
#include "common/clock.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/records.h"
#include "tests/unit/watch/server.h"

#define STATS                                                                  \
    "{\"docs\":%d00,\"requests\":%d,\"rejected\":0,\"errors\":0,\"reads\":1,"  \
    "\"read_bytes\":2,\"buffer_bytes\":3,\"heap_used\":4,\"heap_max\":5}"

struct world {
    struct server *server;
    struct dialog *dialog;
    struct emit emit;
    int fds[2];
    uint8_t ring[65536];
};

static struct world *open_plan(const struct server_script *script,
                               struct dialog_plan plan)
{
    struct world *w = calloc(1, sizeof *w);
    struct why why = {0};
    assert_non_null(w);
    w->server = server_start(script);
    assert_int_equal(pipe(w->fds), 0);
    emit_init(&w->emit, "target", w->fds[1], w->ring, sizeof w->ring);
    plan.url = server_url(w->server);
    plan.stats = true;
    check_ok(dialog_open(&w->dialog, &plan, &why), why);
    return w;
}

static struct world *open_world(const struct server_script *script)
{
    return open_plan(script, (struct dialog_plan){0});
}

static void close_world(struct world *w)
{
    dialog_close(w->dialog);
    emit_fini(&w->emit);
    (void)close(w->fds[0]);
    (void)close(w->fds[1]);
    server_stop(w->server);
    free(w);
}

static void turn(struct world *w)
{
    uint64_t now_ns = clock_mono_ns();
    dialog_turn(w->dialog, now_ns, &w->emit);
    poll_wait(dialog_poll(w->dialog), -1,
              clock_poll_ms(now_ns, dialog_due_ns(w->dialog)) > 20 ? 20 : 1);
}

static void until_ready(struct world *w)
{
    while (!dialog_ready(w->dialog))
        turn(w);
}

static void until_quiet(struct world *w)
{
    while (!dialog_quiet(w->dialog))
        turn(w);
}

static struct records *tell(struct world *w)
{
    dialog_facts(w->dialog, &w->emit);
    return records_read(w->fds[0]);
}

static void dialog_asks_until_the_target_answers_2xx(void **state)
{
    (void)state;
    struct world *w = open_world(&(struct server_script){.root_failures = 3});
    assert_false(dialog_ready(w->dialog));
    until_ready(w);
    assert_int_equal(server_count(w->server, "GET / "), 4);
    close_world(w);
}

static void dialog_takes_a_long_page_for_an_answer(void **state)
{
    (void)state;
    char *page = malloc(POLL_BODY_MAX + 2);
    assert_non_null(page);
    memset(page, 'x', POLL_BODY_MAX + 1);
    page[POLL_BODY_MAX + 1] = '\0';
    struct world *w = open_world(&(struct server_script){.body = page});
    until_ready(w);
    assert_int_equal(server_count(w->server, "GET / "), 1);
    close_world(w);
    free(page);
}

static void dialog_waits_between_questions(void **state)
{
    (void)state;
    struct world *w = open_world(&(struct server_script){.root_failures = 1});
    while (!dialog_due_ns(w->dialog) || dialog_due_ns(w->dialog) == UINT64_MAX)
        turn(w);
    uint64_t due_ns = dialog_due_ns(w->dialog);
    /* Not before that: nothing is begun. */
    dialog_turn(w->dialog, due_ns - 1, &w->emit);
    assert_int_equal(dialog_due_ns(w->dialog), due_ns);
    dialog_turn(w->dialog, due_ns, &w->emit);
    assert_int_equal(dialog_due_ns(w->dialog), UINT64_MAX); /* under way */
    close_world(w);
}

static void dialog_tells_the_target_its_window(void **state)
{
    (void)state;
    char body[128];
    struct world *w = open_world(&(struct server_script){0});
    struct measure_window window = measure_window(1000, 200, 3000);
    until_ready(w);
    dialog_window(w->dialog, &window);
    until_quiet(w);
    assert_true(server_body(w->server, body, sizeof body));
    assert_string_equal(body, "{\"t0_ns\":1200,\"t1_ns\":4200}");
    struct records *r = tell(w);
    assert_string_equal(records_fact(r, "window"), "set");
    free(r);
    close_world(w);
}

static void dialog_accepts_that_a_target_knows_no_window(void **state)
{
    (void)state;
    struct world *w = open_world(&(struct server_script){.window_status = 404});
    struct measure_window window = measure_window(1000, 200, 3000);
    until_ready(w);
    dialog_window(w->dialog, &window);
    until_quiet(w);
    struct records *r = tell(w);
    assert_string_equal(records_fact(r, "window"), "not supported");
    assert_int_equal(server_count(w->server, "POST /_pitwall/window"), 1);
    free(r);
    close_world(w);
}

/* One that others wrote is told the window only if it wants to know. */
static void dialog_tells_others_the_window_where_they_want_it(void **state)
{
    (void)state;
    for (int wants = 0; wants < 2; wants++) {
        struct world *w =
            open_plan(&(struct server_script){0},
                      (struct dialog_plan){.ready = "/", .window = wants});
        struct measure_window window = measure_window(1000, 200, 3000);
        until_ready(w);
        dialog_window(w->dialog, &window);
        until_quiet(w);
        assert_int_equal(server_count(w->server, "POST /_pitwall/window"),
                         wants);
        close_world(w);
    }
}

static void dialog_tries_the_window_three_times(void **state)
{
    (void)state;
    struct world *w = open_world(&(struct server_script){.window_status = 500});
    struct measure_window window = measure_window(1000, 200, 3000);
    until_ready(w);
    dialog_window(w->dialog, &window);
    until_quiet(w);
    struct records *r = tell(w);
    assert_string_equal(records_fact(r, "window"), "failed: status 500");
    assert_int_equal(server_count(w->server, "POST /_pitwall/window"), 3);
    free(r);
    close_world(w);
}

static void dialog_samples_differences_of_the_statistics(void **state)
{
    (void)state;
    struct world *w = open_world(&(struct server_script){.stats = STATS});
    until_ready(w);
    dialog_base(w->dialog); /* docs 100 */
    until_quiet(w);
    dialog_sample(w->dialog, -1); /* 200 */
    until_quiet(w);
    dialog_sample(w->dialog, 0); /* 300 */
    until_quiet(w);
    struct records *r = tell(w);
    assert_int_equal(records_count(r, RECORD_IS_sample_target), 2);
    const struct record_sample_target *t =
        &records_at(r, RECORD_IS_sample_target, 0)->as.sample_target;
    assert_int_equal(t->second, -1);
    assert_int_equal(t->docs, 100);
    assert_int_equal(t->requests, 1);
    assert_int_equal(t->reads, 0);
    assert_int_equal(t->heap_used, 4);
    t = &records_at(r, RECORD_IS_sample_target, 1)->as.sample_target;
    assert_int_equal(t->second, 0);
    assert_int_equal(t->docs, 100);
    assert_string_equal(records_fact(r, "stats.polls"), "3");
    assert_null(records_fact(r, "stats.failed"));
    free(r);
    close_world(w);
}

static void dialog_counts_statistics_that_failed_and_goes_on(void **state)
{
    (void)state;
    struct world *w = open_world(&(struct server_script){.stats = "<html>"});
    until_ready(w);
    dialog_base(w->dialog);
    until_quiet(w);
    dialog_sample(w->dialog, 0);
    until_quiet(w);
    struct records *r = tell(w);
    assert_int_equal(records_count(r, RECORD_IS_sample_target), 0);
    assert_string_equal(records_fact(r, "stats.failed"), "2");
    assert_non_null(
        strstr(records_fact(r, "stats.error"), "expected at \"<html>\""));
    free(r);
    close_world(w);
}

static void dialog_stops_asking_a_target_without_statistics(void **state)
{
    (void)state;
    struct world *w = open_world(&(struct server_script){.stats_status = 404});
    until_ready(w);
    dialog_base(w->dialog);
    until_quiet(w);
    dialog_sample(w->dialog, 0);
    assert_true(dialog_quiet(w->dialog));
    struct records *r = tell(w);
    assert_string_equal(records_fact(r, "stats"), "not supported");
    assert_string_equal(records_fact(r, "stats.polls"), "1");
    free(r);
    close_world(w);
}

static void dialog_gives_up_a_sample_that_found_no_turn(void **state)
{
    (void)state;
    struct world *w = open_world(&(struct server_script){.stats = STATS});
    until_ready(w);
    dialog_base(w->dialog);
    dialog_sample(w->dialog, 0);
    dialog_sample(w->dialog, 1); /* 0 is still waiting behind the base */
    until_quiet(w);
    struct records *r = tell(w);
    assert_int_equal(records_count(r, RECORD_IS_sample_target), 1);
    assert_int_equal(
        records_at(r, RECORD_IS_sample_target, 0)->as.sample_target.second, 1);
    assert_string_equal(records_fact(r, "stats.failed"), "1");
    free(r);
    close_world(w);
}

static void dialog_counts_statistics_that_are_owed_at_the_end(void **state)
{
    (void)state;
    struct world *w = open_world(&(struct server_script){.stats = STATS});
    until_ready(w);
    dialog_sample(w->dialog, 0);
    struct records *r = tell(w);
    assert_string_equal(records_fact(r, "stats.failed"), "1");
    assert_string_equal(records_fact(r, "stats.error"),
                        "no answer before the end");
    free(r);
    close_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dialog_asks_until_the_target_answers_2xx),
        cmocka_unit_test(dialog_takes_a_long_page_for_an_answer),
        cmocka_unit_test(dialog_waits_between_questions),
        cmocka_unit_test(dialog_tells_the_target_its_window),
        cmocka_unit_test(dialog_accepts_that_a_target_knows_no_window),
        cmocka_unit_test(dialog_tells_others_the_window_where_they_want_it),
        cmocka_unit_test(dialog_tries_the_window_three_times),
        cmocka_unit_test(dialog_samples_differences_of_the_statistics),
        cmocka_unit_test(dialog_counts_statistics_that_failed_and_goes_on),
        cmocka_unit_test(dialog_stops_asking_a_target_without_statistics),
        cmocka_unit_test(dialog_gives_up_a_sample_that_found_no_turn),
        cmocka_unit_test(dialog_counts_statistics_that_are_owed_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
