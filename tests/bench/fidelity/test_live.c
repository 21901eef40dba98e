/* What stands around a live run; the run itself is the product's. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "controller/interrupt.h"
#include "tests/bench/fidelity/levels.h"
#include "tests/bench/fidelity/reading.h"
#include "tests/bench/fidelity/workload.h"
#include "tests/lib/check.h"

static char folder[] = "/tmp/fidelity_live_XXXXXX";
static int signals = -1;
static struct why why;

static struct row make_row(void)
{
    return (struct row){.phase = "K-escopy-parse",
                        .link = "eth200m",
                        .rmem = "low",
                        .gc = "serial",
                        .predictor = "adapt16k-64k",
                        .outcome = "ok",
                        .heap_mb = 256,
                        .max_messages_per_read = 1,
                        .body_bytes = 10000,
                        .connections = 3,
                        .workers = 4,
                        .initial_buffer_size = 128,
                        .max_components = 69905,
                        .parse_work = 1,
                        .es_body_copy = 1};
}

static void makes(const struct row *row, const char *want)
{
    const struct levels_ground ground = {"/bin/pitwall", "/t.json", "/c.db",
                                         150 * NS_PER_MS, 2 * NS_PER_S};
    static struct levels levels;
    char line[2048] = "";
    size_t used = 0;
    check_ok(levels_make(&levels, row, &ground, &why), why);
    for (size_t i = 0; i < levels.n; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s",
                                 i ? " " : "", levels.argv[i]);
    assert_null(levels.argv[levels.n]);
    assert_string_equal(line, want);
}

static void levels_are_a_rows_settings(void **state)
{
    (void)state;
    struct row row = make_row();
    makes(&row, "/bin/pitwall run --track /t.json --db /c.db --quiet "
                "--retries=0 --accept=all=off --iterations=1 --warmup=150ms "
                "--measure=2000ms "
                "-m heap=256m -m predictor=adaptive:16k-64k -m rmem=low -m "
                "link=veth:mtu=1500+rate=200mbit+burst=32kb+offloads=off -m "
                "target.threads=4 -m target.max_components=69905 -m "
                "target.reads_per_wakeup=1 -m target.initial_buffer=128 -m "
                "target.body_copy=on -m target.parse_work=1 -m "
                "target.bulk_threads=2");
}

static void levels_of_a_cold_run_begin_with_64k(void **state)
{
    (void)state;
    struct row row = make_row();
    (void)snprintf(row.phase, sizeof row.phase, "cold-p0");
    (void)snprintf(row.link, sizeof row.link, "lo");
    (void)snprintf(row.predictor, sizeof row.predictor, "adapt1k-512k");
    row.parse_work = row.es_body_copy = 0;
    makes(&row, "/bin/pitwall run --track /t.json --db /c.db --quiet "
                "--retries=0 --accept=all=off --iterations=1 --warmup=150ms "
                "--measure=2000ms "
                "-m heap=256m -m predictor=adaptive:1k-64k-512k -m rmem=low -m "
                "link=loopback -m target.threads=4 -m "
                "target.max_components=69905 -m target.reads_per_wakeup=1 -m "
                "target.initial_buffer=128");
}

static void levels_lacking_names_what_the_target_cannot_do(void **state)
{
    (void)state;
    struct row row = make_row();
    assert_null(levels_lacking(&row));
    row.service_delay_ms = 300;
    assert_string_equal(levels_lacking(&row),
                        "the target has no service time to set");
}

/* Three clients, each a body of 10000 bytes: its documents with the actions
 * that the load puts before them. */
static void workload_bodies_are_as_long_as_the_rows(void **state)
{
    (void)state;
    struct row row = make_row();
    char track[200], corpus[300];
    size_t lines = 0, bytes = 0;
    check_ok(workload_make(folder, &row, track, sizeof track, &why), why);
    (void)snprintf(corpus, sizeof corpus, "%s/bodies-10000-3.json", folder);
    FILE *f = fopen(corpus, "r");
    assert_non_null(f);
    for (int c; (c = getc(f)) != EOF; bytes++)
        lines += c == '\n';
    (void)fclose(f);
    assert_true(lines > 0);
    assert_int_equal(lines % 3, 0);
    assert_int_equal(bytes + lines * strlen("{\"index\":{\"_index\":\"f\"}}\n"),
                     3 * 10000);
    (void)unlink(corpus);
    (void)unlink(track);
}

static void reading_takes_the_windows_figures(void **state)
{
    (void)state;
    static const char json[] =
        "{\"rows\": [{\"outcome\": \"ok\", \"error\": \"\", \"invalid\": "
        "\"rmem not in effect: so\", \"read_bytes\": 1000, \"buffer_bytes\": "
        "4000, \"eden_bytes\": 80, \"survivor_bytes\": 10, \"old_bytes\": 200, "
        "\"outside_bytes\": 1500, \"outside_max_bytes\": 65552, "
        "\"tlab_bytes\": 700, \"tlab_count\": 7, \"young_count\": 3, "
        "\"old_count\": 1}]}";
    struct result r;
    check_ok(reading_take(json, &r, &why), why);
    assert_int_equal(r.figures.runs, 1);
    assert_int_equal(r.figures.ooms, 0);
    assert_int_equal(r.figures.bytes, 1000);
    assert_int_equal(r.figures.buffers, 4000);
    assert_int_equal(r.figures.heap.outside_bytes, 1500);
    assert_int_equal(r.figures.heap.tlab_count, 7);
    assert_int_equal(r.figures.heap.old_count, 1);
    assert_string_equal(r.note, "rmem not in effect: so");
}

static void reading_tells_a_failed_trial(void **state)
{
    (void)state;
    struct result r;
    check_err(reading_take("{\"rows\": [{\"outcome\": \"failed\", \"error\": "
                           "\"target was killed\"}]}",
                           &r, &why),
              ERR_CHILD);
    assert_string_equal(why.text, "the trial failed: target was killed");
    check_err(reading_take("{\"rows\": []}", &r, &why), ERR_CHILD);
    assert_string_equal(why.text, "the trial has no outcome: ");
    check_err(reading_take("{\"rows\": [{\"outcome\": \"oom\"}]}", &r, &why),
              ERR_INVALID);
    check_err(reading_take("nonsense", &r, &why), ERR_INVALID);
}

static enum err sh(const char *script, uint64_t limit_ns,
                   struct program_end *end)
{
    const struct program program = {folder, signals, limit_ns};
    char text[200];
    (void)snprintf(text, sizeof text, "%s", script);
    char *argv[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, text, NULL};
    return program_run(&program, argv, end, &why);
}

static void program_run_tells_status_and_words(void **state)
{
    (void)state;
    struct program_end end;
    check_ok(sh("echo one; echo two; echo a >&2; echo b >&2; exit 3",
                60 * NS_PER_S, &end),
             why);
    assert_int_equal(end.status, 3);
    assert_string_equal(end.said, "one\ntwo\n");
    assert_string_equal(end.last, "b");
    free(end.said);
    check_err(sh("kill -9 $$", 60 * NS_PER_S, &end), ERR_CHILD);
    assert_string_equal(why.text, "killed by signal 9");
}

static void program_run_interrupts_what_takes_too_long(void **state)
{
    (void)state;
    struct program_end end;
    check_err(sh("exec sleep 1000", NS_PER_MS, &end), ERR_TIMEOUT);
    assert_null(end.said);
}

static void program_run_passes_a_signal_on(void **state)
{
    (void)state;
    struct program_end end;
    assert_int_equal(kill(getpid(), SIGTERM), 0);
    check_err(sh("exec sleep 1000", 60 * NS_PER_S, &end), ERR_INTERRUPTED);
    assert_null(end.said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_a_rows_settings),
        cmocka_unit_test(levels_of_a_cold_run_begin_with_64k),
        cmocka_unit_test(levels_lacking_names_what_the_target_cannot_do),
        cmocka_unit_test(workload_bodies_are_as_long_as_the_rows),
        cmocka_unit_test(reading_takes_the_windows_figures),
        cmocka_unit_test(reading_tells_a_failed_trial),
        cmocka_unit_test(program_run_tells_status_and_words),
        cmocka_unit_test(program_run_interrupts_what_takes_too_long),
        cmocka_unit_test(program_run_passes_a_signal_on),
    };
    if (!mkdtemp(folder) || interrupt_open(&signals, &why))
        return 1;
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const left[] = {"stdout", "stderr"};
    for (size_t i = 0; i < 2; i++) {
        char path[200];
        (void)snprintf(path, sizeof path, "%s/%s", folder, left[i]);
        (void)unlink(path);
    }
    return rmdir(folder) ? 1 : rc;
}
