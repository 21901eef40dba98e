/* What the options of run make of an experiment. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "controller/options.h"
#include "tests/lib/check.h"

static struct options options;
static struct experiment *ex;
static struct why why;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = &options;
    state->child_inputs[1] = &options;
    return 0;
}

/* Parse words as run would; the rest of words is NULL. */
static error_t parse_words(char **words)
{
    static const struct argp_child children[] = {
        {&options_experiment_argp, 0, NULL, 0},
        {&options_lab_argp, 0, NULL, 0},
        {0}};
    static const struct argp argp = {.parser = parse, .children = children};
    int argc = 0;
    while (words[argc])
        argc++;
    memset(&options, 0, sizeof options);
    return argp_parse(&argp, argc, words, ARGP_SILENT, NULL, NULL);
}

#define WORDS(...) ((char *[]){(char[]){"run"}, __VA_ARGS__, NULL})
#define W(text)    ((char[]){text})

static void build(void)
{
    free(ex);
    ex = NULL;
    check_ok(options_experiment(&options, &ex, &why), why);
}

static int end(void **state)
{
    (void)state;
    free(ex);
    ex = NULL;
    return 0;
}

static void write_file(const char *text)
{
    FILE *f = fopen("e.json", "w");
    assert_non_null(f);
    (void)fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void every_option_finds_its_place(void **state)
{
    (void)state;
    assert_int_equal(
        parse_words(WORDS(
            W("--track"), W("geonames"), W("--challenge"), W("c"), W("-m"),
            W("heap=1g"), W("--matrix=rmem=low,high"), W("-n"), W("6"),
            W("--exclude"), W("rmem=low"), W("--order"), W("listed"),
            W("--seed"), W("7"), W("--warmup"), W("1s"), W("--measure"),
            W("3s"), W("--telemetry"), W("cpu"), W("--canary"), W("on"),
            W("--track-param"), W("bulk_size=500"), W("--name"), W("x"))),
        0);
    build();
    assert_string_equal(ex->track, "geonames");
    assert_string_equal(ex->challenge, "c");
    assert_int_equal(ex->n_axes, 3);
    assert_string_equal(ex->axes[2].name, "track.bulk_size");
    assert_string_equal(ex->axes[2].levels[0].value, "500");
    assert_int_equal(ex->iterations, 6);
    assert_int_equal(ex->n_excludes, 1);
    assert_int_equal(ex->order, ORDER_LISTED);
    assert_int_equal(ex->seed, 7);
    assert_int_equal(ex->warmup_ns, 1000000000);
    assert_int_equal(ex->measure_ns, 3000000000);
    assert_string_equal(ex->telemetry, "cpu");
    assert_int_equal(ex->canary, CANARY_ON);
    assert_string_equal(ex->name, "x");
}

static void options_of_the_lab_find_theirs(void **state)
{
    (void)state;
    uint32_t retries = 9;
    bool abort_on_error = false;
    assert_int_equal(
        parse_words(WORDS(W("--agent"), W("ipc:///a"), W("--agent"),
                          W("ipc:///b"), W("--insecure-plain"), W("--db"),
                          W("x.db"), W("--tag"), W("a=1"), W("--tag"), W("b=2"),
                          W("--retries"), W("3"), W("--on-error"), W("abort"),
                          W("--quiet"), W("--json"), W("--local"),
                          W("--test-mode"))),
        0);
    assert_int_equal(options.agents.n, 2);
    assert_string_equal(options.agents.items[1], "ipc:///b");
    assert_true(options.insecure_plain && options.quiet && options.json);
    assert_true(options.local && options.test_mode);
    assert_string_equal(options_db(&options), "x.db");
    assert_int_equal(options.tags.n, 2);
    check_ok(options_tags(&options, &why), why);
    check_ok(options_repeats(&options, &retries, &abort_on_error, &why), why);
    assert_int_equal(retries, 3);
    assert_true(abort_on_error);
}

static void what_is_not_said_has_defaults(void **state)
{
    (void)state;
    uint32_t retries = 9;
    bool abort_on_error = true;
    assert_int_equal(parse_words(WORDS(W("--track"), W("tracks/pmc.json"))), 0);
    build();
    assert_string_equal(ex->name, "pmc");
    assert_int_equal(ex->iterations, 6);
    assert_int_equal(ex->order, ORDER_BLOCKS);
    assert_int_equal(ex->warmup_ns, 2000000000);
    assert_int_equal(ex->measure_ns, 10000000000);
    assert_string_equal(options_db(&options), "lab.db");
    check_ok(options_repeats(&options, &retries, &abort_on_error, &why), why);
    assert_int_equal(retries, 1);
    assert_false(abort_on_error);
}

static void a_seed_that_is_not_given_is_drawn(void **state)
{
    (void)state;
    uint64_t seeds[4];
    assert_int_equal(parse_words(WORDS(W("--track"), W("x"))), 0);
    for (size_t i = 0; i < 4; i++) {
        build();
        seeds[i] = ex->seed;
        assert_true(ex->seed <= UINT32_MAX);
    }
    /* Four equal ones of 2^32 do not happen. */
    assert_true(seeds[0] != seeds[1] || seeds[1] != seeds[2] ||
                seeds[2] != seeds[3]);
}

static void test_mode_is_short_unless_times_are_said(void **state)
{
    (void)state;
    assert_int_equal(parse_words(WORDS(W("--track"), W("x"), W("--test-mode"))),
                     0);
    build();
    assert_int_equal(ex->warmup_ns, 0);
    assert_int_equal(ex->measure_ns, 1000000000);
    assert_int_equal(parse_words(WORDS(W("--track"), W("x"), W("--test-mode"),
                                       W("--measure"), W("5s"))),
                     0);
    build();
    assert_int_equal(ex->measure_ns, 5000000000);
}

static void options_win_over_the_file(void **state)
{
    (void)state;
    write_file("{\"version\": 1, \"track\": \"geonames\", \"iterations\": 3,"
               " \"seed\": 4, \"measure\": \"1s\","
               " \"factors\": {\"heap\": [\"1g\", \"2g\"],"
               "               \"rmem\": [\"low\", \"high\"]},"
               " \"exclude\": [\"heap=4g\"]}");
    assert_int_equal(
        parse_words(WORDS(W("-m"), W("heap=2g,4g"), W("-n"), W("9"))), 0);
    options.file = "e.json";
    build();
    assert_string_equal(ex->name, "e");
    assert_string_equal(ex->axes[0].levels[0].value, "2g");
    assert_int_equal(ex->n_axes, 2);
    assert_int_equal(ex->iterations, 9);
    assert_int_equal(ex->seed, 4);
    assert_int_equal(ex->measure_ns, 1000000000);
    /* the file's exclude speaks of the level that -m brought */
    assert_int_equal(ex->excludes[0].levels[0], 2);
}

static void a_track_of_the_command_line_is_not_beside_the_file(void **state)
{
    (void)state;
    write_file("{\"version\": 1, \"track\": \"geonames\"}");
    assert_int_equal(parse_words(WORDS(W("--track"), W("other.json"))), 0);
    options.file = "./e.json";
    build();
    assert_string_equal(ex->track, "other.json");
    assert_string_equal(ex->folder, "");
    assert_int_equal(parse_words(WORDS(W("-n"), W("1"))), 0);
    options.file = "./e.json";
    build();
    assert_string_equal(ex->folder, ".");
}

static void refused(char **words, enum err code, const char *text)
{
    struct experiment *none = NULL;
    assert_int_equal(parse_words(words), 0);
    check_err(options_experiment(&options, &none, &why), code);
    assert_string_equal(why.text, text);
    assert_null(none);
}

static void what_is_wrong_is_told_by_its_option(void **state)
{
    (void)state;
    refused(WORDS(W("-n"), W("1")), ERR_USAGE,
            "nothing to run: give EXPERIMENT.json or --track (see --help)");
    refused(WORDS(W("--track"), W("x"), W("-m"), W("heap")), ERR_INVALID,
            "-m: \"heap\" is not NAME=VALUE");
    refused(WORDS(W("--track"), W("x"), W("--track-param"), W("a=")),
            ERR_INVALID, "--track-param: an empty value for a");
    refused(WORDS(W("--track"), W("x"), W("--measure"), W("soon")), ERR_INVALID,
            "--measure: \"soon\" is not a duration such as 500ms, 10s or 5m");
    refused(WORDS(W("--track"), W("x"), W("--seed"), W("18446744073709551616")),
            ERR_RANGE,
            "--seed: \"18446744073709551616\" is more than "
            "18446744073709551615");
}

static void more_than_64_of_one_option_are_refused(void **state)
{
    (void)state;
    char word[] = "--tag=a=1";
    char *words[67] = {(char[]){"run"}};
    for (size_t i = 1; i <= 65; i++)
        words[i] = word;
    assert_int_equal(parse_words(words), EINVAL);
    assert_string_equal(options.why.text, "a=1: given more than 64 times");
    words[65] = NULL;
    assert_int_equal(parse_words(words), 0);
    assert_int_equal(options.tags.n, 64);
}

static void retries_and_on_error_are_checked(void **state)
{
    (void)state;
    uint32_t retries = 0;
    bool abort_on_error = false;
    memset(&options, 0, sizeof options);
    options.retries = "11";
    check_err(options_repeats(&options, &retries, &abort_on_error, &why),
              ERR_RANGE);
    assert_string_equal(why.text, "--retries: \"11\" is more than 10");
    options.retries = "0";
    options.on_error = "ask";
    check_err(options_repeats(&options, &retries, &abort_on_error, &why),
              ERR_USAGE);
    assert_string_equal(why.text,
                        "--on-error: \"ask\" is not continue or abort");
}

int main(void)
{
    char folder[] = "/tmp/pitwall-options-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder))
        return 1;
#define CASE(name) cmocka_unit_test_teardown(name, end)
    const struct CMUnitTest tests[] = {
        CASE(every_option_finds_its_place),
        CASE(options_of_the_lab_find_theirs),
        CASE(what_is_not_said_has_defaults),
        CASE(a_seed_that_is_not_given_is_drawn),
        CASE(test_mode_is_short_unless_times_are_said),
        CASE(options_win_over_the_file),
        CASE(a_track_of_the_command_line_is_not_beside_the_file),
        CASE(what_is_wrong_is_told_by_its_option),
        CASE(more_than_64_of_one_option_are_refused),
        CASE(retries_and_on_error_are_checked),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink("e.json");
    return rmdir(folder) ? 1 : rc;
}
