/* Command lines of the built program: argv[1] is pitwall, argv[2] the
 * source tree. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results/store.h"
#include "tests/lib/check.h"

static char *program;
static const char *source;

struct said {
    int status;
    char out[65536], err[8192];
};

static struct said said;

static void slurp(FILE *f, char *buf, size_t size)
{
    size_t n = fread(buf, 1, size - 1, f);
    buf[n] = '\0';
    (void)fclose(f);
}

/* Run pitwall with words (space separated, at most 15) in an empty folder. */
static void run(const char *words)
{
    char copy[512], *argv[18] = {(char[]){"pitwall"}}, *save = NULL;
    int argc = 1;
    FILE *out = tmpfile(), *err = tmpfile();
    assert_non_null(out);
    assert_non_null(err);
    (void)snprintf(copy, sizeof copy, "%s", words);
    for (char *w = strtok_r(copy, " ", &save); w && argc < 17;
         w = strtok_r(NULL, " ", &save))
        argv[argc++] = w;
    pid_t pid = fork();
    if (pid == 0) {
        (void)dup2(fileno(out), STDOUT_FILENO);
        (void)dup2(fileno(err), STDERR_FILENO);
        (void)execv(program, argv);
        _exit(99);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    said.status = WEXITSTATUS(status);
    rewind(out);
    rewind(err);
    slurp(out, said.out, sizeof said.out);
    slurp(err, said.err, sizeof said.err);
}

/* It exits with status 2 and exactly this line. */
static void refused(const char *words, const char *line)
{
    run(words);
    assert_string_equal(said.err, line);
    assert_int_equal(said.status, 2);
    assert_string_equal(said.out, "");
    assert_int_equal(access("lab.db", F_OK), -1);
}

static void help_and_version_are_everywhere(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "",      "demo",   "run",   "plan",    "list",  "show",
        "fetch", "report", "query", "metrics", "agents"};
    static const char *const options[] = {"-h", "--help"};
    char words[64], usage[64];
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        for (size_t k = 0; k < 2; k++) {
            (void)snprintf(words, sizeof words, "%s %s", commands[i],
                           options[k]);
            run(words);
            assert_int_equal(said.status, 0);
            (void)snprintf(usage, sizeof usage, "Usage: pitwall%s%s [OPTION",
                           commands[i][0] ? " " : "", commands[i]);
            assert_ptr_equal(strstr(said.out, usage), said.out);
            assert_non_null(strstr(said.out, "--version"));
        }
        (void)snprintf(words, sizeof words, "%s --version", commands[i]);
        run(words);
        assert_int_equal(said.status, 0);
        assert_string_equal(said.out, "pitwall " PITWALL_VERSION "\n");
    }
}

static void help_lists_every_command(void **state)
{
    (void)state;
    run("--help");
    static const char *const lines[] = {
        "  demo       a small matrix", "  run        run an",
        "  plan       show an",        "  list       list the",
        "  show       one trial",      "  report     an exp",
        "  query      read-only",      "  fetch      write one",
        "  metrics    every",          "  agents     reach"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_non_null(strstr(said.out, lines[i]));
}

static void unknown_words_are_named(void **state)
{
    (void)state;
    run("frobnicate");
    assert_int_equal(said.status, 2);
    assert_non_null(strstr(said.err, "pitwall: unknown command \"frobnicate\"; "
                                     "there are: demo, run, plan, "));
    run("run --frobnicate");
    assert_int_equal(said.status, 2);
    assert_non_null(strstr(said.err, "unrecognized option '--frobnicate'"));
    run("");
    assert_int_equal(said.status, 2);
    run("show");
    assert_int_equal(said.status, 2);
    run("query a b");
    assert_int_equal(said.status, 2);
    run("fetch");
    assert_int_equal(said.status, 2);
    run("fetch 1:1 gc.log more");
    assert_int_equal(said.status, 2);
}

static void plans_that_cannot_be_are_refused_in_one_line(void **state)
{
    (void)state;
    refused("run", "pitwall: nothing to run: give EXPERIMENT.json or --track "
                   "(see --help)\n");
    refused("run --track geonames -m haep=1g",
            "pitwall: -m: unknown factor \"haep\"; near it: heap\n");
    refused("plan --track geonames -m heap=1x",
            "pitwall: -m: heap: \"1x\" is not a size such as 512, 64k, 2g or "
            "1Mi\n");
    refused("run --track geonames -m heap=1g --exclude heap=3g",
            "pitwall: --exclude: exclude heap=3g: heap has no level \"3g\"; it "
            "has: 1g\n");
    refused("run --track geonames -m heap=1g --zip heap",
            "pitwall: --zip: zip heap: a zip joins two factors or more\n");
    refused("run --track geonames -n none",
            "pitwall: --iterations: \"none\" is not a whole number\n");
    refused("run --track geonames --order sorted",
            "pitwall: --order: \"sorted\" is not blocks, random or listed\n");
    refused("run --track geonames --seed x",
            "pitwall: --seed: \"x\" is not a whole number\n");
    refused("run --track geonames --warmup 5",
            "pitwall: --warmup: \"5\" is not a duration such as 500ms, 10s or "
            "5m\n");
    refused("run --track geonames --measure 0",
            "pitwall: --measure: \"0\" measures nothing\n");
    refused("run --track geonames --on-error panic",
            "pitwall: --on-error: \"panic\" is not continue or abort\n");
    refused("run --track geonames --retries 11",
            "pitwall: --retries: \"11\" is more than 10\n");
    refused("run --track geonames --tag x",
            "pitwall: --tag: \"x\" is not NAME=VALUE\n");
    refused("run --track geonames --track-param x",
            "pitwall: --track-param: \"x\" is not NAME=VALUE\n");
    refused("run --track geonames --canary maybe",
            "pitwall: --canary: \"maybe\" is not auto, on or off\n");
    refused("run --track geonames --telemetry gpu",
            "pitwall: --telemetry: \"gpu\" is not one of "
            "link,tcp,cpu,disk,proc,target,capacity,perf,reads "
            "(or none alone)\n");
    refused("run --track no-such",
            "pitwall: track \"no-such\": no such file, nor a shipped track of "
            "that name\n");
    refused("run --track geonames --local --agent ipc:///x",
            "pitwall: --local, --agent and --agents exclude each other\n");
    refused("run --track geonames --bench x",
            "pitwall: --bench \"x\": only with --agents\n");
    refused("demo x", "pitwall: demo takes no argument, such as \"x\"\n");
    refused("report --json --format md",
            "pitwall: --json and --format exclude each other\n");
    refused("report --format xml",
            "pitwall: --format: \"xml\" is not text, md, csv, json or html\n");
}

static void plan_prints_trials_in_order_and_touches_nothing(void **state)
{
    (void)state;
    run("plan --track geonames -m heap=1g,2g -n 6 --seed 1 --name x");
    assert_int_equal(said.status, 0);
    assert_string_equal(said.err, "");
    /* The vector order-seed1-cells2: 0 1, 0 1, 1 0, 0 1, 0 1, 1 0 */
    assert_non_null(strstr(said.out, "2 cells x 6 iterations = 12 trials"));
    assert_non_null(strstr(said.out, "order blocks, seed 1\n"));
    assert_non_null(strstr(said.out, "    1     1 heap=1g\n"
                                     "    2     1 heap=2g\n"
                                     "    3     2 heap=1g\n"
                                     "    4     2 heap=2g\n"
                                     "    5     3 heap=2g\n"
                                     "    6     3 heap=1g\n"));
    assert_int_equal(access("lab.db", F_OK), -1);
}

static void the_shipped_demo_makes_39_trials(void **state)
{
    (void)state;
    char words[512];
    (void)snprintf(words, sizeof words,
                   "plan %s/tracks/experiments/demo.json --json", source);
    run(words);
    assert_int_equal(said.status, 0);
    assert_non_null(strstr(said.out, "12 cells + canary (cell 1 again, hidden) "
                                     "x 3 iterations = 39 trials"));
    size_t rows = 0;
    for (const char *at = said.out; (at = strstr(at, "\"trial\":")); at++)
        rows++;
    assert_int_equal(rows, 39);
}

static void a_store_that_is_not_there_is_not_made(void **state)
{
    (void)state;
    refused("list", "pitwall: lab.db: No such file or directory\n");
    refused("report", "pitwall: lab.db: No such file or directory\n");
    refused("show 1:1", "pitwall: lab.db: No such file or directory\n");
    refused("query select --db other.db",
            "pitwall: other.db: No such file or directory\n");
    assert_int_equal(access("other.db", F_OK), -1);
}

static void an_empty_store_answers(void **state)
{
    (void)state;
    struct store *store = NULL;
    struct why why = {""};
    check_ok(store_open(&store, "empty.db", STORE_WRITE, &why), why);
    store_close(store);
    run("list --db empty.db");
    assert_int_equal(said.status, 0);
    run("query --db empty.db --csv select\t1\tas\tone,\t'a,b'\tas\ttwo");
    assert_string_equal(said.out, "one,two\n1,\"a,b\"\n");
    run("query --db empty.db --json select\t1\tas\tone");
    assert_non_null(strstr(said.out, "\"one\": 1"));
    run("query --db empty.db delete\tfrom\texperiment");
    assert_int_equal(said.status, 2);
    run("report --db empty.db");
    assert_int_equal(said.status, 2);
    run("report --db empty.db nothing");
    assert_int_equal(said.status, 2);
    assert_non_null(strstr(said.err, "nothing"));
    run("show --db empty.db 1:1");
    assert_int_equal(said.status, 2);
    (void)unlink("empty.db");
    (void)unlink("empty.db-wal");
    (void)unlink("empty.db-shm");
}

static void metrics_need_no_store(void **state)
{
    (void)state;
    run("metrics");
    assert_int_equal(said.status, 0);
    assert_non_null(strstr(said.out, "throughput"));
    run("metrics --json");
    assert_non_null(strstr(said.out, "\"bytes_per_read\""));
}

static void agents_that_are_not_there_exit_with_1(void **state)
{
    (void)state;
    run("run --track geonames --agent ipc:///nowhere/agent.sock");
    assert_int_equal(said.status, 1);
    assert_non_null(strstr(said.err, "agent: ipc:///nowhere/agent.sock: "));
    assert_ptr_equal(strchr(said.err, '\n'), strrchr(said.err, '\n'));
    run("agents --agent ipc:///nowhere/agent.sock");
    assert_int_equal(said.status, 1);
    assert_non_null(strstr(said.out, "unreachable"));
    run("run --track geonames --agent tcp://127.0.0.1:1");
    assert_int_equal(said.status, 2);
    assert_non_null(strstr(said.err, "--insecure-plain"));
    assert_int_equal(access("lab.db", F_OK), -1);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/pitwall-arguments-XXXXXX";
    if (argc < 3)
        return 1;
    program = realpath(argv[1], NULL); /* Meson gives a relative one */
    source = argv[2];
    if (!program || !mkdtemp(folder) || chdir(folder))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_and_version_are_everywhere),
        cmocka_unit_test(help_lists_every_command),
        cmocka_unit_test(unknown_words_are_named),
        cmocka_unit_test(plans_that_cannot_be_are_refused_in_one_line),
        cmocka_unit_test(plan_prints_trials_in_order_and_touches_nothing),
        cmocka_unit_test(the_shipped_demo_makes_39_trials),
        cmocka_unit_test(a_store_that_is_not_there_is_not_made),
        cmocka_unit_test(an_empty_store_answers),
        cmocka_unit_test(metrics_need_no_store),
        cmocka_unit_test(agents_that_are_not_there_exit_with_1),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    free(program);
    return rmdir(folder) ? 1 : rc;
}
