#include "common/json.h"
#include "tests/lib/check.h"
#include "tests/unit/tracks/rendered.h"
#include "tracks/plan.h"
#include "tracks/track.h"

static void track_open_reads_the_shipped_geonames(void **state)
{
    (void)state;
    struct why why = {0};
    struct track *t;
    char *json;
    struct plan *p;
    const struct track_param params[] = {{"bulk_size", "500"},
                                         {"bulk_clients", "4"}};
    check_ok(track_open(&t, SHIPPED_TRACKS "/geonames.json", params, 2, &why),
             why);
    assert_string_equal(track_name(t), "geonames");
    assert_true(strlen(track_description(t)) > 20);
    assert_string_equal(track_challenge(t, 0), "append-no-conflicts");
    assert_string_equal(track_challenge(t, 1),
                        "append-no-conflicts-index-only");
    assert_null(track_challenge(t, 4));
    check_ok(track_render(t, NULL, &json, &why), why);
    check_ok(plan_parse(&p, json, strlen(json), &why), why);
    free(json);
    assert_string_equal(p->track, "geonames");
    assert_string_equal(p->challenge, "append-no-conflicts");
    assert_int_equal(p->corpora[0].documents->docs, 200000);
    assert_int_equal(p->n_steps, 7);
    assert_int_equal(p->measured, 3);
    const struct plan_task *bulk = p->steps[3].tasks;
    assert_string_equal(bulk->name, "index-append");
    assert_int_equal(bulk->bulk_docs, 500);
    assert_int_equal(bulk->clients, 4);
    check_near(bulk->rate_s, 0, 0); /* as fast as it goes */
    assert_true(bulk->lenient);
    assert_string_equal(p->steps[0].tasks->requests->method, "DELETE");
    const struct plan_request *create = p->steps[1].tasks->requests;
    assert_string_equal(create->method, "PUT");
    assert_string_equal(create->path, "/geonames");
    assert_non_null(strstr(create->body, "\"index.number_of_shards\":5"));
    assert_string_equal(p->steps[2].tasks->requests->path,
                        "/_cluster/health/geonames?wait_for_status=green&"
                        "timeout=30s");
    assert_true(p->steps[2].tasks->until_success);
    assert_string_equal(p->steps[5].tasks->requests->path,
                        "/_all/_forcemerge?max_num_segments=1");
    assert_int_equal(p->steps[5].tasks->timeout_ns, 7200000000000);
    plan_free(p);
    const struct track_options only = {.challenge =
                                           "append-no-conflicts-index-only"};
    check_ok(track_render(t, &only, &json, &why), why);
    check_ok(plan_parse(&p, json, strlen(json), &why), why);
    free(json);
    assert_int_equal(p->n_steps, 4);
    plan_free(p);
    track_close(t);
}

static void track_open_refuses_a_param_that_nothing_uses(void **state)
{
    (void)state;
    struct why why = {0};
    struct track *t;
    const struct track_param param = {"bulksize", "500"};
    check_err(track_open(&t, SHIPPED_TRACKS "/geonames.json", &param, 1, &why),
              ERR_USAGE);
    check_says(why, "bulksize");
    assert_null(t);
}

static void track_open_names_the_file_it_cannot_open(void **state)
{
    (void)state;
    struct why why = {0};
    struct track *t;
    check_err(track_open(&t, "/nowhere/x.json", NULL, 0, &why), ERR_NOTFOUND);
    check_says(why, "/nowhere/x.json");
    check_err(track_open(&t, "/tmp", NULL, 0, &why), ERR_INVALID);
    check_says(why, "/tmp: not a file");
}

static void track_name_is_the_directorys_for_track_json(void **state)
{
    (void)state;
    struct scratch s;
    struct why why = {0};
    struct track *t;
    scratch_init(&s);
    const char *path =
        scratch_file(&s, "track.json", SCHEDULE("{\"operation\": \"fill\"}"));
    check_ok(track_open(&t, path, NULL, 0, &why), why);
    assert_string_equal(track_name(t), strrchr(s.dir, '/') + 1);
    assert_string_equal(track_challenge(t, 0), "default");
    track_close(t);
    scratch_fini(&s);
}

static void track_operations_become_requests(void **state)
{
    (void)state;
    static const struct {
        const char *operation, *method, *path, *body;
    } rows[] = {
        {"\"refresh\"", "POST", "/_all/_refresh", NULL},
        {"{\"operation-type\": \"refresh\", \"index\": \"b\"}", "POST",
         "/b/_refresh", NULL},
        {"\"force-merge\"", "POST", "/_all/_forcemerge", NULL},
        {"\"cluster-health\"", "GET", "/_cluster/health", NULL},
        {"\"index-stats\"", "GET", "/_all/_stats", NULL},
        {"\"node-stats\"", "GET", "/_nodes/stats", NULL},
        {"\"create-index\"", "PUT", "/a", NULL},
        {"\"delete-index\"", "DELETE", "/a", NULL},
        {"{\"operation-type\": \"create-index\", \"index\": \"b\", \"body\": "
         "{\"x\": 1}}",
         "PUT", "/b", "{\"x\":1}"},
        {"{\"operation-type\": \"search\", \"body\": {\"query\": {}}, "
         "\"cache\": false}",
         "POST", "/a/_search?request_cache=false", "{\"query\":{}}"},
        {"{\"operation-type\": \"raw-request\", \"path\": \"/p?q=1\", "
         "\"request-params\": {\"a b\": \"c&d\", \"n\": 5}}",
         "GET", "/p?q=1&a%20b=c%26d&n=5", NULL},
        {"{\"operation-type\": \"raw-request\", \"method\": \"POST\", "
         "\"path\": \"/p\", \"body\": [{\"a\": 1}, \"b\"]}",
         "POST", "/p", "{\"a\":1}\nb\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        (void)snprintf(text, sizeof text,
                       SCHEDULE("{\"operation\": \"fill\"}, {\"operation\": "
                                "%s}"),
                       rows[i].operation);
        struct plan *p = rendered(text);
        assert_int_equal(p->measured, 0);
        const struct plan_request *r = p->steps[1].tasks->requests;
        assert_string_equal(r->method, rows[i].method);
        assert_string_equal(r->path, rows[i].path);
        if (rows[i].body)
            assert_string_equal(r->body, rows[i].body);
        else
            assert_null(r->body);
        plan_free(p);
    }
}

static void track_refusals_name_file_line_and_field(void **state)
{
    (void)state;
    refuses(SCHEDULE("{\"operation\": \"fill\"},\n"
                     "{\"operation\": \"snapshot\"}"),
            "t.json:10: schedule[1].operation: \"snapshot\" is not supported; "
            "supported: bulk, search, scroll-search, raw-request, field-caps, "
            "info, composite, create-index,");
    refuses(SCHEDULE("{\"operation\": {\"operation-type\": \"esql\"}}"),
            "t.json:9: schedule[0].operation.operation-type: \"esql\" is not");
    refuses(SCHEDULE("{\"operation\": {}}"),
            "schedule[0].operation: \"operation-type\" is missing");
    refuses(SCHEDULE("{}"), "schedule[0]: \"operation\" is missing");
    refuses(SCHEDULE("{\"operation\": {\"operation-type\": \"bulk\"}}"),
            "schedule[0].operation: \"bulk-size\" is missing");
    refuses(SCHEDULE("{\"operation\": {\"operation-type\": \"bulk\", "
                     "\"bulk-size\": 5, \"conflict\": \"random\"}}"),
            "unknown key \"conflict\"; accepted: bulk-size");
    refuses(SCHEDULE("{\"operation\": {\"operation-type\": \"bulk\", "
                     "\"bulk-size\": 5, \"corpora\": \"h\"}}"),
            "operation.corpora: there is no corpus \"h\"");
    refuses(SCHEDULE("{\"operation\": \"fill\", \"clients\": 0}"),
            "t.json:9: schedule[0].clients: must be a whole number from 1 to "
            "10000, not 0");
    refuses(SCHEDULE("{\"operation\": \"fill\", \"schedule\": \"timestamp\"}"),
            "schedule[0].schedule: \"timestamp\" is not supported; accepted: "
            "deterministic, poisson");
    refuses(SCHEDULE("{\"operation\": \"fill\", \"iterationen\": 5}"),
            "t.json:9: schedule[0].iterationen: unknown key \"iterationen\"; "
            "accepted: operation, name,");
    refuses(SCHEDULE("{\"operation\": \"fill\", "
                     "\"ignore-response-error-level\": \"all\"}"),
            "\"all\" is not supported; accepted: non-fatal");
    refuses(SCHEDULE("{\"operation\": \"fill\"}, {\"operation\": \"refresh\"},"
                     "{\"operation\": \"refresh\"}"),
            "schedule[2]: a second task named \"refresh\"");
    refuses(SCHEDULE("{\"operation\": {\"operation-type\": \"sleep\"}}"),
            "\"duration\" is missing");
    refuses(SCHEDULE("{\"operation\": {\"operation-type\": \"raw-request\", "
                     "\"path\": \"x\"}}"),
            "operation.path: must begin with /");
    refuses("{\"schedule\": [{\"operation\": {\"operation-type\": \"bulk\", "
            "\"bulk-size\": 1}}]}",
            "a bulk, and the track has no corpora");
    refuses("{\"schedule\": [{\"operation\": \"create-index\"}]}",
            "\"index\" is missing, and the track has none");
    refuses("[]", "t.json:1: must be an object, not a list");
    refuses("{\"schedule\": [], \"challenges\": []}", "needs one of");
    refuses("{\"version\": 1, \"schedule\": []}", "version: must be a whole");
    refuses("{\"tempaltes\": []}", "unknown key \"tempaltes\"");
}

static void track_refuses_operations_of_one_name(void **state)
{
    (void)state;
    refuses("{\"operations\": [{\"name\": \"x\"}, {\"name\": \"y\"},\n"
            "{\"name\": \"x\"}], \"schedule\": [{\"operation\": \"x\"}]}",
            "t.json:2: operations[2]: the name \"x\" is taken");
    refuses("{\"operations\": [{}], \"schedule\": [{\"operation\": \"x\"}]}",
            "operations[0]: \"name\" is missing");
}

static void track_challenges_do_not_spoil_one_another(void **state)
{
    (void)state;
    struct why why = {0};
    struct plan *p;
    static const char text[] = HEAD
        "\"challenges\": [{\"name\": \"x\", \"schedule\": [{\"operation\": "
        "\"esql\"}]}, {\"name\": \"y\", \"default\": true, \"schedule\": "
        "[{\"operation\": \"fill\"}]}]}";
    p = rendered(text);
    assert_string_equal(p->challenge, "y");
    plan_free(p);
    const struct track_options options = {.challenge = "x"};
    check_err(render(text, &options, &p, &why), ERR_INVALID);
    check_says(why, "challenges[0].schedule[0].operation: \"esql\" is not");
}

static void track_refuses_mixes_that_rally_forbids(void **state)
{
    (void)state;
    static const char *const mixes[][2] = {
        {"warmup-iterations", "time-period"},
        {"warmup-time-period", "iterations"},
        {"ramp-up-time-period", "iterations"},
        {"ramp-up-time-period", "warmup-iterations"},
        {"target-throughput", "target-interval"}};
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        char text[1024], part[128];
        (void)snprintf(text, sizeof text,
                       SCHEDULE("{\"operation\": \"fill\", \"%s\": 1, \"%s\": "
                                "1}"),
                       mixes[i][0], mixes[i][1]);
        (void)snprintf(part, sizeof part,
                       "t.json:9: schedule[0]: \"%s\" cannot be mixed with "
                       "\"%s\"",
                       mixes[i][0], mixes[i][1]);
        refuses(text, part);
    }
}

#define CHALLENGE(name, rest)                                                  \
    "{\"name\": \"" name "\"" rest                                             \
    ", \"schedule\": [{\"operation\": \"fill\"}]}"

static void track_challenges_have_one_default(void **state)
{
    (void)state;
    struct why why = {0};
    struct plan *p;
    p = rendered(HEAD "\"challenge\": " CHALLENGE("x", "") "}");
    assert_string_equal(p->challenge, "x");
    plan_free(p);
    p = rendered(HEAD "\"challenges\": [" CHALLENGE("x", "") ", " CHALLENGE(
        "y", ", \"default\": true") "]}");
    assert_string_equal(p->challenge, "y");
    plan_free(p);
    refuses(HEAD
            "\"challenges\": [" CHALLENGE("x", "") ", " CHALLENGE("y", "") "]}",
            "challenges: one of several must be \"default\": true");
    refuses(HEAD "\"challenges\": [" CHALLENGE(
                "x", ", \"default\": true") ", " CHALLENGE("y",
                                                           ", \"default\": "
                                                           "true") "]}",
            "challenges[1]: a second default challenge");
    refuses(HEAD
            "\"challenges\": [" CHALLENGE("x", "") ", " CHALLENGE("x", "") "]}",
            "challenges[1]: the name \"x\" is taken");
    const struct track_options options = {.challenge = "z"};
    check_err(render(HEAD "\"challenges\": [" CHALLENGE("x", "") ", " CHALLENGE(
                         "y", ", \"default\": true") "]}",
                     &options, &p, &why),
              ERR_NOTFOUND);
    check_says(why, "there is no challenge \"z\"; it has: x, y");
}

static void track_test_mode_is_small_and_short(void **state)
{
    (void)state;
    struct why why = {0};
    struct plan *p;
    const struct track_options options = {.test_mode = true};
    check_ok(render(SCHEDULE("{\"operation\": \"fill\", "
                             "\"warmup-time-period\": 5, \"time-period\": 60, "
                             "\"target-throughput\": 7}"),
                    &options, &p, &why),
             why);
    assert_int_equal(p->corpora[0].documents->docs, 1000);
    assert_int_equal(p->steps[0].tasks->warmup_ns, 0);
    assert_int_equal(p->steps[0].tasks->measure_ns, 10000000000);
    check_near(p->steps[0].tasks->rate_s, 0, 0);
    plan_free(p);
}

static void track_index_bodies_may_stand_in_files(void **state)
{
    (void)state;
    struct scratch s;
    struct why why = {0};
    struct track *t;
    struct plan *p;
    char *json;
    scratch_init(&s);
    const struct track_param param = {"shards", "3"};
    (void)scratch_file(&s, "index.json", "{\"n\": {{ shards | default(1) }}}");
    const char *path = scratch_file(
        &s, "t.json",
        "{\"indices\": [{\"name\": \"a\", \"body\": \"index.json\"}],\n"
        " \"schedule\": [{\"operation\": \"create-index\"}, {\"operation\": "
        "\"node-stats\"}]}");
    check_ok(track_open(&t, path, &param, 1, &why), why);
    check_ok(track_render(t, NULL, &json, &why), why);
    check_ok(plan_parse(&p, json, strlen(json), &why), why);
    assert_string_equal(p->steps[0].tasks->requests->body, "{\"n\":3}");
    plan_free(p);
    free(json);
    track_close(t);
    (void)unlink(s.paths[0]);
    check_err(track_open(&t, path, &param, 1, &why), ERR_NOTFOUND);
    check_says(why, "t.json:1: indices[0].body: ");
    check_says(why, "index.json");
    scratch_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(track_open_reads_the_shipped_geonames),
        cmocka_unit_test(track_open_refuses_a_param_that_nothing_uses),
        cmocka_unit_test(track_open_names_the_file_it_cannot_open),
        cmocka_unit_test(track_name_is_the_directorys_for_track_json),
        cmocka_unit_test(track_operations_become_requests),
        cmocka_unit_test(track_refusals_name_file_line_and_field),
        cmocka_unit_test(track_refuses_operations_of_one_name),
        cmocka_unit_test(track_challenges_do_not_spoil_one_another),
        cmocka_unit_test(track_refuses_mixes_that_rally_forbids),
        cmocka_unit_test(track_challenges_have_one_default),
        cmocka_unit_test(track_test_mode_is_small_and_short),
        cmocka_unit_test(track_index_bodies_may_stand_in_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
