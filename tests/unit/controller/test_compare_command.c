/* How compare ends: what scripts go by. */
#include <assert.h>
#include <stdio.h>
#include <sys/wait.h>

#include "tests/unit/results/field.h"

static struct lab lab;
static const char *pitwall;
static char said[65536];

/* h1 is 5 % slower; of h2 a trial ran out of memory; h3 is as h0. */
static int begin(void **state)
{
    (void)state;
    static const struct field field = {"gate", 4, 1, 4, false, 0};
    double v[16];
    for (size_t b = 0; b < 4; b++) {
        double base = 1e6 * (1 + 0.02 * (double)b);
        v[4 * b] = base;
        v[4 * b + 1] = base * (0.95 + 0.001 * (double)(b % 2));
        v[4 * b + 2] = b == 2 ? 0 : base;
        v[4 * b + 3] = base * (1 + 0.001 * (double)(b % 2));
    }
    lab_open(&lab);
    field_plan(&lab, &field);
    field_run(&lab, &field, v);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lab_fini(&lab);
    return 0;
}

/* Its output is kept in said; its exit status returned. No word has quotes. */
static int run(const char *const *words)
{
    char command[1024];
    size_t n = (size_t)snprintf(command, sizeof command,
                                "'%s' compare --db '%s'", pitwall, lab.path);
    for (; *words; words++)
        n += (size_t)snprintf(command + n, sizeof command - n, " '%s'", *words);
    (void)snprintf(command + n, sizeof command - n, " 2>&1 </dev/null");
    FILE *out = popen(command, "r");
    assert_non_null(out);
    said[fread(said, 1, sizeof said - 1, out)] = '\0';
    int status = pclose(out);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static void says(const char *text)
{
    if (!strstr(said, text))
        fail_msg("\"%s\" is not in \"%s\"", text, said);
}

static void a_gate_is_met_by_what_it_names(void **state)
{
    (void)state;
    assert_int_equal(RUN("1:heap=h0", "1:heap=h1"), 0);
    says("regressed, >= 2%");
    assert_int_equal(RUN("1:heap=h0", "1:heap=h1", "--fail-on", "regressed"),
                     4);
    says("--fail-on regressed is met");
    assert_int_equal(RUN("1:heap=h0", "1:heap=h1", "--fail-on", "oom,invalid"),
                     0);
    assert_int_equal(RUN("1:heap=h0", "1:heap=h3", "--fail-on", "regressed"),
                     0);
    /* Real, but less than matters to who gave the margin. */
    assert_int_equal(RUN("1:heap=h0", "1:heap=h1", "--fail-on", "regressed",
                         "--margin", "10%"),
                     0);
}

static void what_ran_out_of_memory_passes_no_gate(void **state)
{
    (void)state;
    assert_int_equal(RUN("1:heap=h0", "1:heap=h2", "--fail-on", "oom"), 4);
    assert_int_equal(RUN("1:heap=h0", "1:heap=h2", "--fail-on", "regressed"),
                     4);
    /* The other way round the base is the worse one. */
    assert_int_equal(
        RUN("1:heap=h2", "1:heap=h0", "--fail-on", "regressed,oom"), 0);
}

static void words_that_are_none_are_refused(void **state)
{
    (void)state;
    assert_int_equal(RUN("1:heap=h0", "1:heap=h1", "--fail-on", "slower"), 2);
    says("--fail-on \"slower\": it is regressed, oom, failed or invalid");
    assert_int_equal(RUN("1:heap=h0", "1:heap=h1", "--margin", "2"), 2);
    says("--margin: \"2\" is more than 100%");
    assert_int_equal(RUN("1:heap=h0", "1:heap=h1", "--alpha", "0"), 2);
    says("--alpha \"0\": above 0");
    assert_int_equal(RUN("1:heap=h0", "1:heap=h1", "--json", "--format", "md"),
                     2);
    says("exclude each other");
    assert_int_equal(RUN("1:heap=h0"), 2);
    says("at least one CONTENDER");
}

/* argv[1]: the program. */
int main(int argc, char **argv)
{
    assert(argc == 2);
    pitwall = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gate_is_met_by_what_it_names),
        cmocka_unit_test(what_ran_out_of_memory_passes_no_gate),
        cmocka_unit_test(words_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
