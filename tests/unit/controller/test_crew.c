/* Benches of several agents: a target's and two loads', each answering when it
 * does, one of them silent, failing or stopped. */
#include "tests/lib/check.h"
#include "tests/unit/controller/fake_crew.h"

/* Loads are prepared when the target is, all are armed when all are prepared,
 * and the target is stopped when both loads have ended. */
static void three_agents_go_in_step(void **state)
{
    (void)state;
    crew_begin(1);
    crew_run();
    assert_string_equal(
        w.log,
        "0:ACQUIRE 1:ACQUIRE 2:ACQUIRE move:preparing 0:PREPARE 1:PREPARE "
        "2:PREPARE move:prepared 0:ARM 1:ARM 2:ARM move:armed 0:START_AT "
        "1:START_AT 2:START_AT move:running move:stopping 0:STOP move:sealed "
        "0:COLLECT 1:COLLECT 2:COLLECT END:ok 0:ACK 1:ACK 2:ACK 0:RELEASE "
        "1:RELEASE 2:RELEASE");
    assert_int_equal(w.collected, 3);
    assert_true(w.agents[0].done && !w.agents[1].stopped);
    assert_string_equal(w.bench.error, "");
}

static void all_start_at_one_instant_by_their_own_clocks(void **state)
{
    (void)state;
    crew_begin(1);
    crew_run();
    for (unsigned i = 1; i < AGENTS; i++) {
        int64_t apart = (int64_t)(w.agents[i].t0_ns - w.agents[0].t0_ns) -
                        w.agents[i].clock_ns;
        const struct seat *s = &w.bench.seats[i];
        assert_true(s->clock_known);
        assert_in_range(s->uncertain_ns, 1, 10 * NS_PER_MS);
        assert_true((uint64_t)(apart < 0 ? -apart : apart) <=
                    s->uncertain_ns + w.bench.seats[0].uncertain_ns);
    }
}

static void a_link_of_the_targets_own_leaves_the_loads_alone(void **state)
{
    (void)state;
    crew_begin(1);
    w.apart = false;
    crew_run();
    assert_int_equal(w.outcome, OUTCOME_OK);
    assert_int_equal(w.collected, 1);
    assert_null(strstr(w.log, "0:STOP"));
    assert_null(strstr(w.log, "1:PREPARE"));
    assert_null(strstr(w.log, "2:COLLECT"));
    assert_non_null(strstr(w.log, "1:RELEASE"));
}

static void dies(struct world *world, struct far *a)
{
    (void)world;
    a->silent = true;
}

/* Its name; the other load is stopped, then the target, and both collected. */
static void losing_one_load_fails_the_trial_by_its_name(void **state)
{
    (void)state;
    crew_begin(2);
    w.op = MSG_START_AT;
    w.agent = 2;
    w.wrong = dies;
    crew_run();
    assert_int_equal(w.ends, 1);
    assert_int_equal(w.outcome, OUTCOME_FAILED);
    assert_string_equal(w.error, "agent gen2: no answer within 3 s");
    assert_string_equal(w.bench.error, "agent gen2: no answer within 3 s");
    assert_int_equal(w.collected, 2);
    assert_true(w.agents[0].stopped && !w.agents[0].done);
    const char *end = strstr(w.log, "END:failed");
    assert_non_null(end);
    assert_string_equal(end, "END:failed 0:ACK 1:ACK 0:RELEASE 1:RELEASE");
}

static void load_fails(struct world *world, struct far *a)
{
    (void)world;
    a->state = ATTEMPT_SEALED;
    a->outcome = "failed";
    a->text = "load was killed by signal 9 (Killed)";
}

static void a_load_that_fails_stops_the_other_then_the_target(void **state)
{
    (void)state;
    crew_begin(2);
    w.op = MSG_STATUS;
    w.agent = 1;
    w.wrong = load_fails;
    crew_run();
    assert_int_equal(w.ends, 2); /* the second trial goes well */
    assert_int_equal(w.outcome, OUTCOME_OK);
    const char *stop2 = strstr(w.log, "2:STOP");
    const char *stop0 = strstr(w.log, "0:STOP");
    assert_true(stop2 && stop0 && stop2 < stop0);
    assert_non_null(strstr(w.log, "END:failed 0:ACK 1:ACK 2:ACK"));
    assert_string_equal(w.bench.error, "");
}

static void target_ooms(struct world *world, struct far *a)
{
    (void)world;
    a->state = ATTEMPT_SEALED;
    a->outcome = "oom";
    a->text = "the target ran out of its heap";
    for (unsigned i = 1; i < AGENTS; i++) {
        w.agents[i].state = ATTEMPT_SEALED;
        w.agents[i].outcome = "failed";
        w.agents[i].text = "load exited with status 1: connection refused";
    }
}

/* Loads that lost their target, heard of first, are explained by it. */
static void what_the_target_did_explains_the_loads(void **state)
{
    (void)state;
    crew_begin(1);
    w.op = MSG_START_AT;
    w.agent = 0;
    w.wrong = target_ooms;
    crew_run();
    assert_int_equal(w.ends, 1);
    assert_int_equal(w.outcome, OUTCOME_OOM);
    assert_string_equal(w.error, "the target ran out of its heap");
    assert_int_equal(w.collected, 3);
}

static void interrupted(struct world *world, struct far *a)
{
    (void)a;
    world->bench.interrupted = true;
}

static void ctrl_c_stops_loads_first(void **state)
{
    (void)state;
    crew_begin(2);
    w.op = MSG_START_AT;
    w.agent = 2;
    w.wrong = interrupted;
    crew_run();
    assert_int_equal(w.ends, 1);
    assert_int_equal(w.outcome, OUTCOME_ABORTED);
    const char *stop1 = strstr(w.log, "1:STOP");
    const char *stop2 = strstr(w.log, "2:STOP");
    const char *stop0 = strstr(w.log, "0:STOP");
    assert_true(stop0 && stop1 && stop2 && stop1 < stop0 && stop2 < stop0);
    assert_non_null(strstr(w.log, "END:aborted 0:ACK 1:ACK 2:ACK 0:RELEASE"));
    assert_int_equal(w.collected, 3);
}

static void calibrations_come_first_and_are_never_repeated(void **state)
{
    (void)state;
    crew_begin(1);
    w.bench.config.n_extra = 2;
    w.bench.config.extra_times = (struct bench_times){.measure_ns = NS_PER_S};
    w.op = MSG_PREPARE;
    w.agent = 0;
    w.wrong = load_fails;
    crew_run();
    assert_int_equal(w.ends, 3); /* one fails, one goes well, one trial */
    assert_int_equal(w.bench.trial, 0);
    assert_int_equal(w.outcome, OUTCOME_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_agents_go_in_step),
        cmocka_unit_test(all_start_at_one_instant_by_their_own_clocks),
        cmocka_unit_test(a_link_of_the_targets_own_leaves_the_loads_alone),
        cmocka_unit_test(losing_one_load_fails_the_trial_by_its_name),
        cmocka_unit_test(a_load_that_fails_stops_the_other_then_the_target),
        cmocka_unit_test(what_the_target_did_explains_the_loads),
        cmocka_unit_test(ctrl_c_stops_loads_first),
        cmocka_unit_test(calibrations_come_first_and_are_never_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
