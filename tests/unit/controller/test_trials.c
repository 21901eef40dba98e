/* Trials of a real track: argv[1] is the source tree. */
#include <stdio.h>
#include <stdlib.h>

#include "controller/trials.h"
#include "tests/lib/check.h"

static struct experiment *ex;
static struct trials *trials;
static struct setup setup;
static const char *root;

static int begin(void **state)
{
    (void)state;
    ex = malloc(sizeof *ex);
    assert_non_null(ex);
    experiment_init(ex);
    (void)snprintf(ex->track, sizeof ex->track, "%s/tracks/geonames.json",
                   root);
    ex->seed = 42;
    return 0;
}

static int end(void **state)
{
    (void)state;
    trials_free(trials);
    trials = NULL;
    free(ex);
    return 0;
}

static void add(const char *option)
{
    struct why why = {""};
    check_ok(experiment_option(ex, option, &why), why);
}

static void make(void)
{
    struct why why = {""};
    check_ok(trials_make(&trials, ex, false, &why), why);
}

static void three_cells_have_no_canary_four_have(void **state)
{
    (void)state;
    add("heap=1g,2g,4g");
    make();
    assert_int_equal(trials->n_cells, 3);
    assert_false(trials->canary);
    assert_int_equal(trials_count(trials), 18); /* x 6 iterations */
    trials_free(trials);
    add("heap=1g,2g,4g,8g");
    make();
    assert_int_equal(trials->n_cells, 5);
    assert_true(trials->canary);
    assert_int_equal(trials_count(trials), 30);
}

static void canary_can_be_forced_and_forbidden(void **state)
{
    (void)state;
    add("heap=1g,2g,4g,8g");
    ex->canary = CANARY_OFF;
    make();
    assert_int_equal(trials->n_cells, 4);
    trials_free(trials);
    add("heap=1g");
    ex->canary = CANARY_ON;
    make();
    assert_int_equal(trials->n_cells, 2);
}

static void the_canary_is_the_first_cell_again(void **state)
{
    (void)state;
    char label[TRIALS_LABEL_MAX + 1];
    struct setup *canary = malloc(sizeof *canary);
    assert_non_null(canary);
    add("heap=1g,2g,4g,8g");
    make();
    trials_setup(trials, 4, canary);
    trials_setup(trials, 0, &setup);
    assert_memory_equal(canary, &setup, sizeof setup);
    assert_string_equal(trials_label(trials, 4, label, sizeof label),
                        "heap=1g");
    assert_string_equal(trials_plan(trials, 4), trials_plan(trials, 0));
    free(canary);
}

static void a_cells_spec_holds_its_levels_and_the_defaults(void **state)
{
    (void)state;
    add("heap=256m,1g");
    add("link=loopback,eth200@veth:mtu=1500+rate=200mbit");
    add("target.threads=2");
    make();
    trials_setup(trials, 3, &setup); /* the last of 2 x 2 x 1 */
    assert_string_equal(setup.spec.cell, "heap=1g,link=eth200");
    assert_string_equal(setup.spec.role, "both");
    assert_string_equal(setup.spec.link_kind, "veth");
    assert_int_equal(setup.spec.heap_bytes, 1073741824);
    assert_string_equal(setup.spec.predictor, "fixed:64k");
    assert_string_equal(setup.spec.target, "pitwall");
    assert_string_equal(setup.spec.target_params, "threads=2\n");
    assert_string_equal(setup.spec.telemetry, "link,tcp,cpu,disk,proc,target");
    assert_int_equal(setup.spec.ready_ns, 60000000000);
    assert_int_equal(setup.spec.drain_ns, 5000000000);
}

static void factors_of_one_level_stay_out_of_the_label(void **state)
{
    (void)state;
    char label[TRIALS_LABEL_MAX + 1];
    add("heap=1g");
    add("rmem=low");
    make();
    assert_string_equal(trials_label(trials, 0, label, sizeof label), "base");
}

static void a_track_is_rendered_once_per_way_of_filling_it(void **state)
{
    (void)state;
    add("heap=256m,1g,2g");
    add("track.bulk_size=500,5000");
    make();
    assert_int_equal(trials->n_plans, 2);
    assert_string_equal(trials_plan(trials, 0), trials_plan(trials, 2));
    assert_non_null(strstr(trials_plan(trials, 0), "500"));
    assert_non_null(strstr(trials_plan(trials, 1), "5000"));
}

static void the_default_challenge_is_told_by_name(void **state)
{
    (void)state;
    char name[65];
    make();
    assert_string_equal(trials_challenge(trials, name, sizeof name),
                        "append-no-conflicts");
}

static void order_is_the_seeds(void **state)
{
    (void)state;
    /* 12 cells of seed 42, the vector's first block */
    static const uint32_t want[] = {9, 6, 7, 10, 3, 11, 4, 2, 0, 8, 5, 1};
    add("heap=256m,1g");
    add("rmem=default,low,high");
    add("link=loopback,veth");
    ex->canary = CANARY_OFF;
    make();
    assert_memory_equal(trials->order, want, sizeof want);
}

static void refused(enum err code, const char *part)
{
    struct why why = {""};
    check_err(trials_make(&trials, ex, false, &why), code);
    check_says(why, part);
    assert_null(trials);
}

static void tracks_challenges_and_parameters_must_exist(void **state)
{
    (void)state;
    (void)snprintf(ex->challenge, sizeof ex->challenge, "no-such");
    refused(ERR_NOTFOUND, "append-no-conflicts");
    ex->challenge[0] = '\0';
    add("track.no_such=1");
    refused(ERR_USAGE, "no_such");
    (void)snprintf(ex->track, sizeof ex->track, "/nowhere/x.json");
    refused(ERR_NOTFOUND, "track \"/nowhere/x.json\": no such file");
    (void)snprintf(ex->track, sizeof ex->track, "no-such-track");
    (void)snprintf(ex->folder, sizeof ex->folder, "some/folder");
    refused(ERR_NOTFOUND, "track \"no-such-track\": no such file in "
                          "some/folder, nor a shipped track of that name");
    ex->track[0] = '\0';
    refused(ERR_USAGE, "no track; give --track FILE or NAME");
}

static void a_track_is_looked_for_beside_its_file_then_among_ours(void **state)
{
    (void)state;
    char folder[600], path[1200];
    struct why why = {""};
    (void)snprintf(folder, sizeof folder, "%s/tracks", root);
    check_ok(
        trials_track_path(folder, "geonames.json", path, sizeof path, &why),
        why);
    assert_string_equal(path, ex->track);
    check_ok(trials_track_path("", "geonames", path, sizeof path, &why), why);
    assert_string_equal(path, ex->track);
    check_ok(trials_track_path("/nowhere", "tracks/geonames.json", path,
                               sizeof path, &why),
             why);
    assert_string_equal(path, ex->track);
}

static void more_trials_than_a_million_are_refused(void **state)
{
    (void)state;
    char text[512] = "load.clients=1";
    size_t used = strlen(text);
    for (unsigned i = 2; i <= 64; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ",%u", i);
    add(text);
    add("heap=8m,9m");
    ex->iterations = 10000; /* x 64 x 2 = 1.28 million, and the canary's */
    refused(ERR_RANGE,
            "129 cells x 10000 iterations are more than 1000000 trials");
}

static void reads_have_an_extra_trial_of_each_cell(void **state)
{
    (void)state;
    char more[64];
    struct why why = {""};
    add("heap=1g,2g,4g,8g");
    check_ok(experiment_telemetry(ex, "reads,cpu,link", &why), why);
    make();
    assert_int_equal(trials->n_cells, 9);       /* 4 + canary + 4 */
    assert_int_equal(trials_count(trials), 54); /* x 6 iterations */
    assert_string_equal(trials_more(trials, " + canary", more, sizeof more),
                        " + canary + 4 extra");
    assert_int_equal(trials_kind(trials, 3), TRIALS_PLAIN);
    assert_int_equal(trials_kind(trials, 4), TRIALS_CANARY);
    assert_int_equal(trials_kind(trials, 5), TRIALS_EXTRA);
    assert_int_equal(trials_source(trials, 4), 0);
    assert_int_equal(trials_source(trials, 5), 0);
    assert_int_equal(trials_source(trials, 8), 3);
    trials_setup(trials, 3, &setup);
    assert_string_equal(setup.spec.telemetry, "cpu,link");
    trials_setup(trials, 8, &setup);
    assert_string_equal(setup.spec.telemetry, "reads,cpu,link");
    assert_true(setup.spec.heap_bytes == 8ull << 30);
}

static void reads_alone_leave_the_figures_trials_unwatched(void **state)
{
    (void)state;
    struct why why = {""};
    check_ok(experiment_telemetry(ex, "reads", &why), why);
    make();
    assert_int_equal(trials->n_cells, 2);
    trials_setup(trials, 0, &setup);
    assert_string_equal(setup.spec.telemetry, "none");
    trials_setup(trials, 1, &setup);
    assert_string_equal(setup.spec.telemetry, "reads");
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    root = argv[1];
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(three_cells_have_no_canary_four_have),
        CASE(reads_have_an_extra_trial_of_each_cell),
        CASE(reads_alone_leave_the_figures_trials_unwatched),
        CASE(canary_can_be_forced_and_forbidden),
        CASE(the_canary_is_the_first_cell_again),
        CASE(a_cells_spec_holds_its_levels_and_the_defaults),
        CASE(factors_of_one_level_stay_out_of_the_label),
        CASE(a_track_is_rendered_once_per_way_of_filling_it),
        CASE(the_default_challenge_is_told_by_name),
        CASE(order_is_the_seeds),
        CASE(tracks_challenges_and_parameters_must_exist),
        CASE(a_track_is_looked_for_beside_its_file_then_among_ours),
        CASE(more_trials_than_a_million_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
