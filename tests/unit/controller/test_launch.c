/* Experiments run against an agent that answers over a real channel, into a
 * real store: argv[1] is the source tree. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/clock.h"
#include "controller/interrupt.h"
#include "controller/launch.h"
#include "results/answer.h"
#include "tests/lib/check.h"
#include "tests/unit/controller/fake_gate.h"

static const char *root;
static int interrupt_fd = -1;
static struct fake_gate gate;
static struct options options;
static struct launch_end end;
static struct why why;

static void begin(void)
{
    memset(&gate, 0, sizeof gate);
    memset(&options, 0, sizeof options);
    (void)snprintf(gate.url, sizeof gate.url, "ipc://agent.sock");
    gate.outcome = OUTCOME_OOM;
    gate.text = "the target ran out of its heap";
    gate.run_ns = NS_PER_MS;
    options.no_ceiling = true;
    options.quiet = true;
    options.json = true;
    options.db = "lab.db";
    options.retries = "0";
    (void)unlink("lab.db");
    (void)unlink("agent.sock");
}

/* Run heap=256m,1g, n times, on the fake agent. stdout is not looked at. */
static enum err launch(uint32_t n)
{
    struct experiment *ex = malloc(sizeof *ex);
    struct trials *trials = NULL;
    struct labs labs;
    char full[200], cwd[100];
    assert_non_null(ex);
    assert_non_null(getcwd(cwd, sizeof cwd));
    (void)snprintf(full, sizeof full, "ipc://%s/agent.sock", cwd);
    (void)snprintf(gate.url, sizeof gate.url, "%s", full);
    fake_gate_begin(&gate);
    experiment_init(ex);
    (void)snprintf(ex->name, sizeof ex->name, "x");
    (void)snprintf(ex->track, sizeof ex->track, "%s/tracks/geonames.json",
                   root);
    ex->iterations = n;
    ex->order = ORDER_LISTED;
    ex->warmup_ns = 0;
    ex->measure_ns = NS_PER_MS;
    check_ok(experiment_option(ex, "heap=256m,1g", &why), why);
    check_ok(trials_make(&trials, ex, false, &why), why);
    options.agents.items[0] = full;
    options.agents.n = 1;
    static struct conduct conduct;
    check_ok(conduct_take(&options, &conduct, &why), why);
    check_ok(launch_labs(&conduct, NULL, &labs, &why), why);
    struct launch in = {.options = &options,
                        .conduct = &conduct,
                        .trials = trials,
                        .labs = &labs,
                        .interrupt_fd = interrupt_fd};
    enum err e = launch_run(&in, &end, &why);
    labs_close(&labs, false);
    fake_gate_end(&gate);
    trials_free(trials);
    free(ex);
    return e;
}

static void counts_are(uint64_t trials, uint64_t oom, uint64_t failed,
                       const char *state)
{
    struct store *store = NULL;
    struct answer_counts c;
    struct grid grid;
    char sql[] = "select state from experiment";
    check_ok(store_open(&store, "lab.db", STORE_READ, &why), why);
    check_ok(answer_counts(store, end.experiment, &c, &why), why);
    assert_int_equal(c.trials, trials);
    assert_int_equal(c.oom, oom);
    assert_int_equal(c.failed, failed);
    grid_init(&grid);
    check_ok(answer_query(store, sql, &grid, &why), why);
    assert_string_equal(grid.cells[0].text, state);
    grid_fini(&grid);
    store_close(store);
}

static void trials_run_in_order_and_are_stored(void **state)
{
    (void)state;
    begin();
    check_ok(launch(2), why);
    assert_int_equal(end.status, 0); /* an out-of-memory is a result */
    assert_string_equal(gate.cells, "heap=256m heap=1g heap=256m heap=1g");
    assert_int_equal(gate.acked, 4);
    assert_int_equal(gate.released, 1);
    counts_are(4, 4, 0, "finished");
}

static void a_failed_trial_exits_with_3_and_the_rest_goes_on(void **state)
{
    (void)state;
    begin();
    gate.outcome = OUTCOME_FAILED;
    gate.text = "load exited with status 1";
    options.retries = "1";
    check_ok(launch(1), why);
    assert_int_equal(end.status, 3);
    assert_string_equal(gate.cells, "heap=256m heap=1g heap=256m heap=1g");
    counts_are(2, 0, 2, "finished");
}

static void on_error_abort_stops_there(void **state)
{
    (void)state;
    begin();
    gate.outcome = OUTCOME_FAILED;
    gate.text = "load exited with status 1";
    options.on_error = "abort";
    check_ok(launch(2), why);
    assert_int_equal(end.status, 3);
    assert_int_equal(gate.prepared, 1);
    counts_are(4, 0, 1, "failed");
}

static void an_agent_in_use_leaves_no_store(void **state)
{
    (void)state;
    begin();
    gate.held = true;
    check_err(launch(1), ERR_HELD);
    check_says(why, "held by another for 12 s");
    assert_int_equal(access("lab.db", F_OK), -1);
}

static void an_agent_of_another_role_leaves_no_store(void **state)
{
    (void)state;
    begin();
    gate.roles = "load";
    check_err(launch(1), ERR_INVALID);
    check_says(why, "agent fake has the role load");
    assert_int_equal(access("lab.db", F_OK), -1);
}

static void *press(void *arg)
{
    (void)arg;
    while (!gate.prepared)
        clock_sleep_until(clock_mono_ns() + NS_PER_MS);
    clock_sleep_until(clock_mono_ns() + 300 * NS_PER_MS);
    (void)kill(getpid(), SIGINT);
    return NULL;
}

static void ctrl_c_stops_the_trial_and_exits_with_130(void **state)
{
    (void)state;
    pthread_t presser;
    begin();
    gate.run_ns = 60 * NS_PER_S;
    assert_int_equal(pthread_create(&presser, NULL, press, NULL), 0);
    check_ok(launch(2), why);
    (void)pthread_join(presser, NULL);
    assert_int_equal(end.status, 130);
    assert_int_equal(gate.stopped, 1);
    assert_int_equal(gate.released, 1);
    counts_are(4, 0, 0, "interrupted");
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/pitwall-launch-XXXXXX";
    if (argc < 2 || !mkdtemp(folder) || chdir(folder) ||
        interrupt_open(&interrupt_fd, &why) || !freopen("out", "w", stdout))
        return 1;
    root = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_run_in_order_and_are_stored),
        cmocka_unit_test(a_failed_trial_exits_with_3_and_the_rest_goes_on),
        cmocka_unit_test(on_error_abort_stops_there),
        cmocka_unit_test(an_agent_in_use_leaves_no_store),
        cmocka_unit_test(an_agent_of_another_role_leaves_no_store),
        cmocka_unit_test(ctrl_c_stops_the_trial_and_exits_with_130),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const left[] = {"out", "lab.db", "lab.db-wal",
                                       "lab.db-shm", "agent.sock"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        (void)unlink(left[i]);
    return rmdir(folder) ? 1 : rc;
}
