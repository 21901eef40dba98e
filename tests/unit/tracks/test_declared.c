/* Indices, data streams and templates of a track, and the files they name. */
#include "tests/lib/check.h"
#include "tests/unit/tracks/rendered.h"

/* What a challenge of these tasks renders to, of a track that declares this;
 * its file template.json is there. */
static enum err plan_of(const char *declared, const char *tasks,
                        struct plan **plan, struct why *why)
{
    char text[2048];
    struct scratch s;
    struct track *track = NULL;
    char *json = NULL;
    const struct track_param param = {"shards", "3"};
    *plan = NULL;
    scratch_init(&s);
    (void)scratch_file(&s, "template.json",
                       "{\"priority\": 5, \"template\": {\"settings\": {\"n\": "
                       "{{ shards | default(1) }}}}}");
    (void)snprintf(text, sizeof text,
                   "{%s, \"schedule\": [%s{\"operation\": \"info\"}]}",
                   declared, tasks);
    const char *path = scratch_file(&s, "t.json", text);
    enum err e = track_open(&track, path, &param, 1, why);
    if (!e)
        e = track_render(track, NULL, &json, why);
    if (!e)
        check_ok(plan_parse(plan, json, strlen(json), why), *why);
    free(json);
    track_close(track);
    scratch_fini(&s);
    return e;
}

#define TEMPLATE(more)                                                         \
    "{\"name\": \"c\", \"index-pattern\": \"x-*\", \"template\": "             \
    "\"template.json\"" more "}"

static void declared_templates_stand_in_files(void **state)
{
    (void)state;
    struct why why = {0};
    struct plan *p;
    check_ok(
        plan_of("\"composable-templates\": [" TEMPLATE(
                    "") "], "
                        "\"component-templates\": [{\"name\": \"p\", "
                        "\"template\": \"template.json\", \"template-path\": "
                        "\"template.settings\"}]",
                "{\"operation\": \"create-composable-template\"}, "
                "{\"operation\": \"create-component-template\"}, "
                "{\"operation\": \"delete-composable-template\"}, ",
                &p, &why),
        why);
    const struct plan_request *r = p->steps[0].tasks->requests;
    assert_string_equal(r->path, "/_index_template/c");
    assert_string_equal(r->body, "{\"priority\":5,\"template\":{\"settings\":"
                                 "{\"n\":3}}}");
    r = p->steps[1].tasks->requests;
    assert_string_equal(r->path, "/_component_template/p");
    assert_string_equal(r->body, "{\"n\":3}");
    assert_int_equal(p->steps[2].tasks->n_requests, 2); /* and its indices */
    assert_string_equal(p->steps[2].tasks->requests[1].path, "/x-*");
    plan_free(p);
}

static void declared_streams_take_documents(void **state)
{
    (void)state;
    struct why why = {0};
    struct plan *p;
#define SETS(more)                                                             \
    "\"corpora\": [{\"name\": \"g\", \"documents\": [{\"generator\": "         \
    "\"geonames\", \"document-count\": 5" more "}]}]"
    static const char task[] =
        "{\"operation\": {\"operation-type\": \"bulk\", \"bulk-size\": 5}}, ";
    check_ok(plan_of("\"templates\": [" TEMPLATE(
                         "") "], \"data-streams\": "
                             "[{\"name\": \"ds\"}], " SETS(""),
                     task, &p, &why),
             why);
    assert_string_equal(p->corpora->documents->index, "ds");
    assert_true(p->corpora->documents->create);
    plan_free(p);
    check_err(
        plan_of("\"templates\": [" TEMPLATE(
                    "") "], \"data-streams\": "
                        "[{\"name\": \"a\"}, {\"name\": \"b\"}], " SETS(""),
                task, &p, &why),
        ERR_INVALID);
    check_says(why, "the track has 0 indices and 2 data streams");
    check_err(
        plan_of("\"templates\": [" TEMPLATE("") "], \"data-streams\": "
                                                "[{\"name\": \"a\"}], " SETS(
                                                    ", \"target-index\": "
                                                    "\"i\""),
                task, &p, &why),
        ERR_INVALID);
    check_says(why, "\"target-index\", and the track has data streams");
    check_err(plan_of("\"templates\": [" TEMPLATE(
                          "") "], \"indices\": "
                              "[{\"name\": \"a\"}], " SETS(
                                  ", \"target-data-stream\": \"i\""),
                      task, &p, &why),
              ERR_INVALID);
    check_says(why, "\"target-data-stream\", and the track has indices");
}

static void says(const char *declared, const char *part)
{
    struct why why = {0};
    struct plan *p;
    check_err(plan_of(declared, "", &p, &why), ERR_INVALID);
    check_says(why, part);
}

static void declared_refusals_name_the_field(void **state)
{
    (void)state;
    says("\"indices\": [{\"name\": \"a\"}], \"data-streams\": [{\"name\": "
         "\"b\"}]",
         "\"indices\" cannot be mixed with \"data-streams\"");
    says("\"indices\": [{\"name\": \"a b\"}]",
         "t.json:1: indices[0].name: is no name");
    says("\"indices\": [{\"name\": \"a\", \"types\": [\"doc\"]}]",
         "indices[0].types: unknown key \"types\"; accepted: name, body");
    says("\"indices\": [{\"name\": \"a\", \"body\": 5}]",
         "indices[0].body: must be an object or a file");
    says("\"data-streams\": [{}]", "data-streams[0]: \"name\" is missing");
    says("\"templates\": [{\"name\": \"a\", \"template\": {}}]",
         "templates[0]: \"index-pattern\" is missing");
    says("\"templates\": [{\"name\": \"a\", \"index-pattern\": \"b\"}]",
         "templates[0]: \"template\" is missing");
    says("\"templates\": [" TEMPLATE(", \"template-path\": \"template.x\"") "]",
         "template-path: there is no object \"x\" in the template");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declared_templates_stand_in_files),
        cmocka_unit_test(declared_streams_take_documents),
        cmocka_unit_test(declared_refusals_name_the_field)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
