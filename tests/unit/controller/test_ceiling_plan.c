/* Calibrations of a real track: argv[1] is the source tree. */
#include <stdio.h>
#include <stdlib.h>

#include "common/json.h"
#include "controller/ceiling_plan.h"
#include "tests/lib/check.h"
#include "tracks/plan.h"

static const char *root;
static struct experiment *ex;
static struct trials *trials;
static struct ceiling_plans plans;
static struct why why;

static int begin(void **state)
{
    (void)state;
    ex = malloc(sizeof *ex);
    assert_non_null(ex);
    experiment_init(ex);
    (void)snprintf(ex->track, sizeof ex->track, "%s/tracks/geonames.json",
                   root);
    ex->warmup_ns = 2 * NS_PER_S;
    ex->measure_ns = 10 * NS_PER_S;
    return 0;
}

static int end(void **state)
{
    (void)state;
    ceiling_plans_fini(&plans);
    trials_free(trials);
    trials = NULL;
    free(ex);
    return 0;
}

static void make(const char *a, const char *b, const char *c, bool brief)
{
    const char *const options[] = {a, b, c};
    for (size_t i = 0; i < 3; i++)
        if (options[i])
            check_ok(experiment_option(ex, options[i], &why), why);
    check_ok(trials_make(&trials, ex, false, &why), why);
    check_ok(ceiling_plans_make(&plans, trials, brief, &why), why);
}

/* 2 heaps x 2 links x 2 bulk sizes and the canary: links x bulk sizes. */
static void each_load_and_link_is_measured_once(void **state)
{
    (void)state;
    make("heap=256m,1g", "link=loopback,e@veth:rate=200mbit",
         "track.bulk_size=500,1000", false);
    assert_int_equal(trials->n_cells, 9);
    assert_int_equal(plans.n, 4);
    size_t cells = 0;
    for (uint32_t i = 0; i < plans.n; i++)
        cells += plans.items[i].n_cells;
    assert_int_equal(cells, 9); /* the canary's too */
    assert_string_equal(plans.items[0].link, "loopback");
    assert_string_equal(plans.items[0].load, "track.bulk_size=500");
    assert_int_equal(plans.times.warmup_ns, 500 * NS_PER_MS);
    assert_int_equal(plans.times.measure_ns, 2 * NS_PER_S);
    /* 4 x (0.5 + 2 s and the 0.7 s beside) */
    assert_int_equal(ceiling_plans_ns(&plans), 4 * 3200 * NS_PER_MS);
}

/* What the load sends by and the interfaces' settings are a link's; the
 * target's kernel is not. */
static void a_link_is_measured_for_each_way_of_sending(void **state)
{
    (void)state;
    make("link=loopback,ethernet", "congestion=bbr,reno", "rmem=default,low",
         true);
    assert_int_equal(plans.n, 4);
    for (uint32_t i = 0; i < plans.n; i++)
        assert_true(plans.items[i].capacity);
    assert_string_equal(plans.items[0].link, "loopback,congestion=bbr");
    assert_string_equal(plans.items[0].load, "its only load");
    ceiling_plans_fini(&plans);
    trials_free(trials);
    trials = NULL;
    make("congestion=bbr", "link=ethernet", "nic.mtu=1500,9000", true);
    assert_int_equal(plans.n, 2);
    assert_string_equal(plans.items[1].link,
                        "ethernet,congestion=bbr,nic.mtu=9000");
}

static void
what_is_run_is_the_measured_step_against_a_static_target(void **state)
{
    (void)state;
    struct setup *setup = calloc(1, sizeof *setup);
    struct plan *plan = NULL;
    assert_non_null(setup);
    make("rmem=low", "track.bulk_size=1000", NULL, true);
    assert_int_equal(plans.n, 1);
    assert_int_equal(plans.times.measure_ns, 500 * NS_PER_MS);
    check_ok(plan_parse(&plan, plans.items[0].json, strlen(plans.items[0].json),
                        &why),
             why);
    assert_int_equal(plan->n_steps, 1);
    assert_int_equal(plan->measured, 0);
    assert_int_equal(plan->steps[0].tasks[0].kind, PLAN_BULK);
    plan_free(plan);
    ceiling_plan_setup(&plans.items[0], trials, setup);
    /* 40 + 1000 x 165 */
    assert_string_equal(setup->spec.target_params,
                        "mode=static\nstatic_bytes=165040\n");
    assert_int_equal(setup->spec.rmem_max, 0);
    assert_string_equal(setup->spec.role, "both");
    free(setup);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_load_and_link_is_measured_once,
                                        begin, end),
        cmocka_unit_test_setup_teardown(
            a_link_is_measured_for_each_way_of_sending, begin, end),
        cmocka_unit_test_setup_teardown(
            what_is_run_is_the_measured_step_against_a_static_target, begin,
            end),
    };
    assert_int_equal(argc, 2);
    root = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
