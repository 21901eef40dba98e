/* The definitions that are shipped: what they make of a trial's factors. None
 * of their programs need be here.
 *   usage: test_shipped TARGETS */
#include <stdio.h>
#include <stdlib.h>

#include "agent/executor/target_make.h"
#include "agent/executor/target_read.h"
#include "tests/lib/check.h"

static const char *folder;
static struct targets targets;
static struct command argv, env; /* large */

static const struct target_ground ground = {
    .address = "10.77.0.1", .data = "/s/work", .port = 9200, .cpus = 2};

static int read_all(void **state)
{
    struct why why = {0};
    (void)state;
    check_ok(target_read_folder(&targets, folder, &why), why);
    return 0;
}

static int forget(void **state)
{
    (void)state;
    targets_free(&targets);
    return 0;
}

/* Render target name for a heap of 1.5 GiB, this predictor and parameters. */
static void make(const char *name, const char *predictor, const char *params)
{
    struct trial_spec spec = {.heap_bytes = 1610612736}; /* 1.5 x 2^30 */
    const struct target_def *def = NULL;
    struct why why = {0};
    (void)snprintf(spec.predictor, sizeof spec.predictor, "%s", predictor);
    (void)snprintf(spec.target_params, sizeof spec.target_params, "%s", params);
    for (size_t i = 0; i < targets.n; i++)
        if (!strcmp(targets.items[i].name, name))
            def = &targets.items[i];
    assert_non_null(def);
    check_ok(target_make(&argv, &env, def, &spec, &ground, &why), why);
}

/* Does a word of c follow the one before it? */
static bool has(const struct command *c, const char *before, const char *word)
{
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->argv[i], word) &&
            (!before || (i && !strcmp(c->argv[i - 1], before))))
            return true;
    return false;
}

static void netty_takes_every_factor_as_pitwall_target_does(void **state)
{
    (void)state;
    make("netty", "adaptive:1k-512k",
         "threads=3\nreads_per_wakeup=16\ninitial_buffer=256\n"
         "max_components=64\nbody_copy=on\nbulk_threads=2\nbulk_queue=9\n"
         "parse_work=4\n");
    assert_string_equal(argv.argv[0], "java");
    assert_true(has(&argv, "-Xms1536m", "-Xmx1536m")); /* 1.5 x 1024 */
    assert_true(has(&argv, NULL, "-XX:+UseSerialGC"));
    assert_true(has(&argv, "--listen", "10.77.0.1:9200"));
    assert_true(has(&argv, "--predictor", "adaptive:1k-512k"));
    assert_true(has(&argv, "--threads", "3"));
    assert_true(has(&argv, "--reads-per-wakeup", "16"));
    assert_true(has(&argv, "--initial-buffer", "256"));
    assert_true(has(&argv, "--max-components", "64"));
    assert_true(has(&argv, "--body-copy", "on"));
    assert_true(has(&argv, "--bulk-threads", "2"));
    assert_true(has(&argv, "--bulk-queue", "9"));
    assert_true(has(&argv, "--parse-work", "4"));
    make("netty", "fixed:64k", "gc=G1\n");
    assert_true(has(&argv, NULL, "-XX:+UseG1GC"));
    assert_false(has(&argv, NULL, "--threads"));
}

static void elasticsearch_has_its_heap_by_variable(void **state)
{
    (void)state;
    make("elasticsearch", "fixed:64k", "netty_workers=4\nbulk_queue=50\n");
    assert_true(has(&argv, NULL, "-Ehttp.netty.receive_predictor_size=65536b"));
    assert_true(has(&argv, NULL, "-Ehttp.netty.worker_count=4"));
    assert_true(has(&argv, NULL, "-Ethread_pool.write.queue_size=50"));
    assert_true(has(&env, NULL,
                    "ES_JAVA_OPTS=-Xms1536m -Xmx1536m "
                    "-XX:+ExitOnOutOfMemoryError"));
    assert_true(has(&env, NULL, "ES_PATH_CONF=/s/work"));
}

static void opensearch_has_it_by_its_own(void **state)
{
    (void)state;
    make("opensearch", "fixed:32k", "");
    assert_true(has(&argv, NULL, "-Ehttp.netty.receive_predictor_size=32768b"));
    assert_true(has(&env, NULL,
                    "OPENSEARCH_JAVA_OPTS=-Xms1536m -Xmx1536m "
                    "-XX:+ExitOnOutOfMemoryError"));
}

static void shipped_servers_take_no_factor_that_they_do_not_map(void **state)
{
    static const char *const names[] = {"elasticsearch", "opensearch", "nginx"};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < targets.n; k++)
            if (!strcmp(targets.items[k].name, names[i]))
                assert_false(
                    target_maps_factor(&targets.items[k], "target.young"));
    assert_int_equal(targets.n, 4);
}

int main(int n, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(netty_takes_every_factor_as_pitwall_target_does),
        cmocka_unit_test(elasticsearch_has_its_heap_by_variable),
        cmocka_unit_test(opensearch_has_it_by_its_own),
        cmocka_unit_test(shipped_servers_take_no_factor_that_they_do_not_map),
    };
    if (n != 2)
        return 2;
    folder = words[1];
    return cmocka_run_group_tests(tests, read_all, forget);
}
