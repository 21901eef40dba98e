#include <signal.h>
#include <stdio.h>

#include "agent/executor/attempt.h"
#include "agent/executor/target_make.h"
#include "agent/executor/target_program.h"
#include "agent/executor/target_read.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

static struct targets targets;
static struct command argv, env; /* large */

static int forget(void **state)
{
    (void)state;
    targets_free(&targets);
    return 0;
}

/* A definition of this text, called own. */
static enum err reads_in(const char *folder, const char *text, struct why *why)
{
    struct jv *root = NULL;
    *why = (struct why){0};
    check_ok(jv_parse(&root, "own.json", text, strlen(text), why), *why);
    check_ok(targets_keep(&targets, root, why), *why);
    return target_read(&targets, "own", folder, root, why);
}

static const struct target_def *own(const char *text)
{
    struct why why;
    const struct target_def *def = NULL;
    targets_free(&targets);
    check_ok(reads_in("/folder", text, &why), why);
    check_ok(target_find(&targets, "own", &def, &why), why);
    return def;
}

static void refuses(const char *text, const char *says)
{
    struct why why;
    check_err(reads_in("/folder", text, &why), ERR_INVALID);
    check_says(why, says);
    check_says(why, "own.json:");
}

static struct trial_spec spec_of(const char *params)
{
    struct trial_spec spec = {.heap_bytes = 1610612736, /* 1.5 x 2^30 */
                              .predictor = "fixed:64k"};
    (void)snprintf(spec.target_params, sizeof spec.target_params, "%s", params);
    return spec;
}

static const struct target_ground ground = {
    .address = "10.77.0.1", .data = "/s/work", .port = 9200, .cpus = 2};

static void join(const struct command *c, char *line, size_t size)
{
    size_t used = 0;
    line[0] = '\0';
    for (size_t i = 0; i < c->n; i++)
        used += (size_t)snprintf(line + used, size - used, "%s%s", i ? "|" : "",
                                 c->argv[i]);
}

static void makes(const char *text, const char *params, const char *want)
{
    struct trial_spec spec = spec_of(params);
    char line[1000];
    struct why why = {0};
    check_ok(target_make(&argv, &env, own(text), &spec, &ground, &why), why);
    join(&argv, line, sizeof line);
    assert_string_equal(line, want);
}

static void fails(const char *text, const char *params, enum err code,
                  const char *says)
{
    struct trial_spec spec = spec_of(params);
    struct why why = {0};
    check_err(target_make(&argv, &env, own(text), &spec, &ground, &why), code);
    check_says(why, says);
}

/* Arguments --------------------------------------------------------------- */

static void target_argv_has_address_port_folder_and_processors(void **state)
{
    (void)state;
    makes("{\"argv\":[\"sh\",\"{{address}}:{{port}}\",\"-d\",\"{{data}}\","
          "\"{{here}}/x\",\"-t{{cpus}}\"]}",
          "", "sh|10.77.0.1:9200|-d|/s/work|/folder/x|-t2");
}

static void target_factors_come_in_the_units_that_they_ask_for(void **state)
{
    (void)state;
    /* 1536 = 1.5 x 1024; 1572864 = 1536 x 1024 */
    makes("{\"argv\":[\"sh\"],\"factors\":{\"heap\":[\"-Xms{{mb}}m\","
          "\"-Xmx{{kb}}k\"],\"predictor\":[\"-Ep={{bytes}}\"]}}",
          "", "sh|-Xms1536m|-Xmx1572864k|-Ep=65536");
    makes("{\"argv\":[\"sh\",\"{{heap.mb}}\",\"{{predictor}}\"],\"factors\":{"
          "\"heap\":[],\"predictor\":[]}}",
          "", "sh|1536|fixed:64k");
}

static void target_parameters_go_where_param_stands(void **state)
{
    static const char text[] =
        "{\"argv\":[\"sh\",\"{{param}}\",\"end\"],\"factors\":{"
        "\"target.workers\":[\"-w\",\"{{value}}\"],"
        "\"target.buffer\":{\"argv\":[\"-b{{kb}}\"],\"default\":\"8k\"}}}";
    (void)state;
    makes(text, "", "sh|-b8|end");
    makes(text, "workers=3\nbuffer=1m\n", "sh|-w|3|-b1024|end");
}

static void target_predictors_that_adapt_have_three_sizes(void **state)
{
    static const char text[] = "{\"argv\":[\"sh\"],\"factors\":{\"predictor\":["
                               "\"{{min}}-{{initial}}-{{max}}\"]}}";
    struct trial_spec spec = spec_of("");
    struct why why = {0};
    const struct target_def *def = own(text);
    static const struct {
        const char *predictor, *want;
    } cases[] = {{"fixed:64k", "65536-65536-65536"},
                 {"adaptive:1k-512k", "1024-1024-524288"},
                 {"adaptive:1k-2k-512k", "1024-2048-524288"}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(spec.predictor, sizeof spec.predictor, "%s",
                       cases[i].predictor);
        check_ok(target_make(&argv, &env, def, &spec, &ground, &why), why);
        assert_string_equal(argv.argv[1], cases[i].want);
    }
    def =
        own("{\"argv\":[\"sh\"],\"factors\":{\"predictor\":[\"{{bytes}}\"]}}");
    check_err(target_make(&argv, &env, def, &spec, &ground, &why), ERR_INVALID);
    check_says(why, "adaptive:1k-2k-512k: this target takes fixed ones only");
}

static void target_values_of_another_form_are_refused(void **state)
{
    static const char text[] =
        "{\"argv\":[\"sh\"],\"factors\":{\"target.n\":{\"is\":\"count\"},"
        "\"target.size\":[\"{{mb}}\"],\"target.sync\":{\"is\":[\"on\","
        "\"off\"]}}}";
    (void)state;
    fails(text, "colour=red\n", ERR_UNSUPPORTED,
          "target own: it does not map the factor target.colour");
    fails(text, "n=some\n", ERR_INVALID, "target.n: ");
    fails(text, "sync=maybe\n", ERR_INVALID,
          "target.sync: \"maybe\" is not one of on|off");
    fails(text, "size=1000\n", ERR_INVALID,
          "target.size=1000: this target takes whole mb, of 1048576 bytes");
}

static void target_variables_are_rendered_too(void **state)
{
    struct trial_spec spec = spec_of("");
    char line[200];
    struct why why = {0};
    (void)state;
    check_ok(target_make(&argv, &env,
                         own("{\"argv\":[\"sh\"],\"env\":{\"OPTS\":\"-Xmx"
                             "{{heap.mb}}m\"},\"factors\":{\"heap\":[]}}"),
                         &spec, &ground, &why),
             why);
    join(&env, line, sizeof line);
    assert_string_equal(line, "OPTS=-Xmx1536m");
}

/* Definitions -------------------------------------------------------------- */

static void target_of_few_words_has_sensible_rest(void **state)
{
    const struct target_def *def = own("{\"argv\":[\"sh\"]}");
    (void)state;
    assert_string_equal(def->ready, "/");
    assert_string_equal(def->stats, "");
    assert_int_equal(def->stop_signal, SIGTERM);
    assert_int_equal(def->oom_exit, ATTEMPT_NO_EXIT);
    assert_int_equal(def->program[0], '/');
    assert_false(def->contract || def->unmanaged);
}

static void target_takes_every_key(void **state)
{
    const struct target_def *def =
        own("{\"version\":1,\"about\":\"x\",\"argv\":[\"sh\"],\"user\":\"www\","
            "\"ready\":{\"path\":\"/h\",\"expect\":\"ok\",\"within\":\"90s\"},"
            "\"stats\":{\"path\":\"/s\",\"map\":{\"docs\":\"/a/b\","
            "\"young_ns\":\"1000000*/gc/*/ms\"}},"
            "\"stop\":{\"signal\":\"INT\",\"within\":\"3s\"},\"oom_exit\":3,"
            "\"last\":\"final.json\","
            "\"managed\":true}");
    (void)state;
    assert_string_equal(def->ready, "/h");
    assert_string_equal(def->expect, "ok");
    assert_int_equal(def->ready_ns, 90000000000);
    assert_string_equal(def->stats, "/s");
    assert_int_equal(def->stop_signal, SIGINT);
    assert_int_equal(def->stop_ns, 3000000000);
    assert_int_equal(def->oom_exit, 3);
    assert_string_equal(def->user, "www");
    assert_string_equal(def->last, "final.json");
}

static void target_that_runs_already_has_addresses_alone(void **state)
{
    const struct target_def *def =
        own("{\"managed\":false,\"urls\":[\"http://a:1\",\"http://[::1]:2\"]}");
    (void)state;
    assert_true(def->unmanaged);
    assert_int_equal(def->n_urls, 2);
    assert_string_equal(def->urls[1], "http://[::1]:2");
    refuses("{\"managed\":false}", "\"url\"");
    refuses("{\"managed\":false,\"url\":\"https://a:1\"}", "http://HOST:PORT");
    refuses("{\"managed\":false,\"url\":\"http://a/b:1\"}", "http://HOST:PORT");
    refuses("{\"managed\":false,\"url\":\"http://a:1\",\"argv\":[\"sh\"]}",
            "unknown key \"argv\"");
    refuses("{\"argv\":[\"sh\"],\"url\":\"http://a:1\"}", "\"managed\": false");
}

static void target_mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    refuses("{\n\"argv\":[\"sh\"],\n\"colour\":1}", "unknown key \"colour\"");
    refuses("{}", "\"argv\" with the program first");
    refuses("{\"argv\":[]}", "the program first");
    refuses("{\"argv\":[\"{{data}}/x\"]}", "the program first");
    refuses("{\"argv\":\"sh -c x\"}", "a list of at most 64 texts");
    refuses("{\"argv\":[\"sh\",\"{{prot}}\"]}", "{{prot}} is not known");
    refuses("{\"argv\":[\"sh\",\"{{heap}}\"]}", "{{heap}} is not known");
    refuses(
        "{\"argv\":[\"sh\",\"{{target.n}}\"],\"factors\":{\"target.n\":[]}}",
        "give the factor a \"default\"");
    refuses("{\"argv\":[\"sh\"],\"factors\":{\"rmem\":[]}}",
            "other factors are not the target's");
    refuses("{\"argv\":[\"sh\"],\"factors\":{\"heap\":[\"{{max}}\"]}}",
            "{{max}} is not known");
    refuses("{\"argv\":[\"sh\"],\"factors\":{\"target.n\":{\"is\":\"big\"}}}",
            "\"bytes\", \"count\" or a list");
    refuses("{\"argv\":[\"sh\"],\"ready\":\"health\"}", "begins with /");
    refuses("{\"argv\":[\"sh\"],\"ready\":{\"within\":\"soon\"}}", "soon");
    refuses("{\"argv\":[\"sh\"],\"stop\":\"KILL\"}", "\"TERM\"");
    refuses("{\"argv\":[\"sh\"],\"oom_exit\":0}", "from 1 to 255");
    refuses("{\"argv\":[\"sh\"],\"stats\":{\"path\":\"/s\"}}", "\"map\"");
    refuses("{\"argv\":[\"sh\"],\"stats\":{\"path\":\"/s\",\"map\":{\"docks\":"
            "\"/a\"}}}",
            "no figure \"docks\"; there are: docs, requests");
    refuses("{\"argv\":[\"sh\"],\"stats\":{\"path\":\"/s\",\"map\":{\"docs\":"
            "\"a\"}}}",
            "a JSON pointer");
    refuses("{\"argv\":[\"sh\"],\"files\":{\"../x\":\"y\"}}", "no folders");
    refuses("{\"argv\":[\"sh\"],\"files\":{\"x\":\"nowhere.conf\"}}",
            "/folder/nowhere.conf");
    refuses("{\"argv\":[\"sh\"],\"last\":\"../x\"}", "no folders");
    refuses("{\"argv\":[\"sh\"],\"last\":1}", "no folders");
    refuses("{\"argv\":[\"sh\"],\"needs\":\"x.jar\"}", "16 files");
    refuses("{\"argv\":[\"sh\"],\"needs\":[\"{{data}}/x\"]}", "16 files");
    refuses("{\"like\":\"nginx\",\"argv\":[\"sh\"]}", "\"pitwall\"");
}

static void target_without_its_program_is_known_and_not_offered(void **state)
{
    const struct target_def *def = NULL;
    struct why why;
    char text[600];
    (void)state;
    check_ok(reads_in("/folder", "{\"argv\":[\"/nowhere/es\"]}", &why), why);
    target_list(&targets, text, sizeof text);
    assert_string_equal(text, "pitwall");
    target_maps(&targets, text, sizeof text);
    assert_string_equal(text, "pitwall=heap predictor target.*\n"
                              "own=!no program /nowhere/es on this machine\n");
    check_err(target_find(&targets, "own", &def, &why), ERR_UNSUPPORTED);
    check_says(why, "no program /nowhere/es");
}

static void target_without_a_file_that_it_needs_is_not_offered(void **state)
{
    const struct scratch *s = *state;
    const struct target_def *def = NULL;
    struct why why;
    char text[600], path[PATH_MAX];
    scratch_write(s, "there.jar", "x", 1);
    check_ok(reads_in(s->path,
                      "{\"argv\":[\"sh\"],\"needs\":[\"/bin/sh\","
                      "\"there.jar\"]}",
                      &why),
             why);
    check_ok(target_find(&targets, "own", &def, &why), why);
    assert_true(target_program_need(def, 0, path, sizeof path));
    assert_string_equal(path, "/bin/sh");
    assert_true(target_program_need(def, 1, path, sizeof path));
    (void)snprintf(text, sizeof text, "%s/there.jar", s->path);
    assert_string_equal(path, text);
    assert_false(target_program_need(def, 2, path, sizeof path));
    targets_free(&targets);
    check_ok(reads_in("/folder",
                      "{\"argv\":[\"sh\"],\"needs\":[\"lib/a.jar\","
                      "\"b.jar\"]}",
                      &why),
             why);
    check_err(target_find(&targets, "own", &def, &why), ERR_UNSUPPORTED);
    check_says(why, "no file /folder/lib/a.jar on this machine");
    (void)forget(NULL);
}

static void target_maps_tell_factors_and_forms(void **state)
{
    char text[600];
    (void)state;
    (void)own("{\"argv\":[\"sh\"],\"factors\":{\"heap\":[\"{{mb}}\"],"
              "\"target.b\":[\"{{kb}}\"],\"target.w\":{\"is\":[\"on\","
              "\"off\"]},\"target.t\":[\"{{value}}\"]}}");
    target_maps(&targets, text, sizeof text);
    assert_string_equal(text, "pitwall=heap predictor target.*\n"
                              "own=heap target.b:bytes target.w:on|off "
                              "target.t\n");
    target_maps(&targets, text, 40); /* the second line does not fit */
    assert_string_equal(text, "pitwall=heap predictor target.*\n");
}

static void another_build_of_our_target_maps_all_of_it(void **state)
{
    const struct target_def *def =
        own("{\"like\":\"pitwall\",\"argv\":[\"sh\",\"--x\"]}");
    (void)state;
    assert_true(def->contract);
    assert_true(target_maps_factor(def, "target.young"));
    assert_true(target_maps_factor(def, "heap"));
}

/* Folders and files ---------------------------------------------------------
 */

static void put(const struct scratch *s, const char *name, const char *text)
{
    scratch_write(s, name, text, strlen(text));
}

static void
target_files_are_read_by_name_and_the_later_folder_wins(void **state)
{
    const struct scratch *s = *state;
    const struct target_def *def = NULL;
    struct why why = {0};
    put(s, "web.json", "{\"version\":1,\"argv\":[\"sh\"]}");
    put(s, "notes.txt", "no definition");
    check_ok(target_read_folder(&targets, "/nowhere", &why), why);
    check_ok(target_read_folder(&targets, s->path, &why), why);
    check_ok(target_find(&targets, "web", &def, &why), why);
    assert_string_equal(def->folder, s->path);
    check_err(target_read_folder(&targets, s->path, &why), ERR_EXISTS);
    put(s, "pitwall.json", "{\"version\":1,\"argv\":[\"sh\"]}");
    check_err(target_read_folder(&targets, s->path, &why), ERR_INVALID);
    check_says(why, "other than pitwall");
    put(s, "old.json", "{\"argv\":[\"sh\"]}");
    check_err(target_read_folder(&targets, s->path, &why), ERR_INVALID);
    check_says(why, "\"version\": 1");
    (void)forget(NULL);
}

static void target_files_are_written_rendered(void **state)
{
    const struct scratch *s = *state;
    struct trial_spec spec = spec_of("workers=3\n");
    const struct target_def *def = NULL;
    struct why why = {0};
    char text[600];
    put(s, "a.conf.in", "listen {{address}}:{{port}}; n {{target.workers}};\n");
    check_ok(reads_in(s->path,
                      "{\"argv\":[\"sh\"],\"files\":{\"a.conf\":"
                      "\"a.conf.in\"},\"factors\":{\"target.workers\":"
                      "{\"default\":\"1\"}}}",
                      &why),
             why);
    check_ok(target_find(&targets, "own", &def, &why), why);
    check_ok(target_write_files(s->fd, def, &spec, &ground, &why), why);
    scratch_read(s, "a.conf", text, sizeof text);
    assert_string_equal(text, "listen 10.77.0.1:9200; n 3;\n");
    scratch_read(s, TARGET_PRINTED, text, sizeof text);
    assert_string_equal(text, "{\"argv\":[\"sh\"],\"files\":{\"a.conf\":"
                              "\"a.conf.in\"},\"factors\":{\"target.workers\":"
                              "{\"default\":\"1\"}}}");
    (void)forget(NULL);
}

#define OF_TEXT(test) cmocka_unit_test_teardown(test, forget)
#define IN_SCRATCH(test)                                                       \
    cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF_TEXT(target_argv_has_address_port_folder_and_processors),
        OF_TEXT(target_factors_come_in_the_units_that_they_ask_for),
        OF_TEXT(target_parameters_go_where_param_stands),
        OF_TEXT(target_predictors_that_adapt_have_three_sizes),
        OF_TEXT(target_values_of_another_form_are_refused),
        OF_TEXT(target_variables_are_rendered_too),
        OF_TEXT(target_of_few_words_has_sensible_rest),
        OF_TEXT(target_takes_every_key),
        OF_TEXT(target_that_runs_already_has_addresses_alone),
        OF_TEXT(target_mistakes_are_told_with_their_place),
        OF_TEXT(target_without_its_program_is_known_and_not_offered),
        OF_TEXT(target_maps_tell_factors_and_forms),
        OF_TEXT(another_build_of_our_target_maps_all_of_it),
        IN_SCRATCH(target_without_a_file_that_it_needs_is_not_offered),
        IN_SCRATCH(target_files_are_read_by_name_and_the_later_folder_wins),
        IN_SCRATCH(target_files_are_written_rendered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
