/* Each operation type: what it accepts, what it becomes, what it refuses. */
#include <stdio.h>
#include <stdlib.h>

#include "common/json_build.h"
#include "tests/lib/check.h"
#include "tracks/render.h"

/* A track of corpora g and h and the indices a and b. */
static struct render track_of(struct jv **root, size_t n_indices)
{
    static const char text[] = "{\"corpora\": [{\"name\": \"g\"}, {\"name\": "
                               "\"h\"}]}";
    struct why why = {0};
    check_ok(jv_parse(root, "t", text, strlen(text), &why), why);
    return (struct render){.root = *root,
                           .indices = {{.name = "a"}, {.name = "b"}},
                           .n_indices = n_indices};
}

/* Render an operation; the task as JSON, or the refusal's text. */
static const char *rendered(const char *type, const char *op, size_t n_indices,
                            enum err expected)
{
    static char out[2048];
    struct jv *root, *v, *task = jv_new(JV_OBJECT);
    struct why why = {0};
    enum render_rank rank;
    struct render r = track_of(&root, n_indices);
    check_ok(jv_parse(&v, "op", op, strlen(op), &why), why);
    enum err e = operation_render(&r, v, type, task, &rank, &why);
    assert_string_equal(err_name(e), err_name(expected));
    char *text = jv_print(task, false);
    (void)snprintf(out, sizeof out, "%s", e ? why.text : text);
    free(text);
    jv_free(task);
    jv_free(v);
    jv_free(root);
    return out;
}

static void becomes(const char *type, const char *op, const char *task)
{
    char expected[1024];
    (void)snprintf(expected, sizeof expected, "{\"operation\":\"%s\",%s}", type,
                   task);
    assert_string_equal(rendered(type, op, 2, ERR_OK), expected);
}

static void refuses(const char *type, const char *op, const char *part)
{
    const char *text = rendered(type, op, 2, ERR_INVALID);
    if (!strstr(text, part))
        fail_msg("\"%s\" does not say \"%s\"", text, part);
}

#define ONE(method, path)                                                      \
    "\"requests\":[{\"method\":\"" method "\",\"path\":\"" path "\"}]"

static void operation_bulk_names_corpora_by_number(void **state)
{
    (void)state;
    becomes("bulk", "{\"bulk-size\": 7}",
            "\"bulk\":{\"docs\":7,\"corpora\":[0,1]}");
    becomes("bulk", "{\"bulk-size\": 7, \"corpora\": \"h\"}",
            "\"bulk\":{\"docs\":7,\"corpora\":[1]}");
    becomes("bulk", "{\"bulk-size\": 7, \"corpora\": [\"h\", \"g\"]}",
            "\"bulk\":{\"docs\":7,\"corpora\":[1,0]}");
    refuses("bulk", "{\"bulk-size\": 7, \"corpora\": [\"i\"]}",
            "op:1: corpora[0]: there is no corpus \"i\"");
    refuses("bulk", "{\"bulk-size\": 7, \"corpora\": []}",
            "must be a corpus' name or a list of such");
    refuses("bulk", "{\"bulk-size\": 7, \"corpora\": 5}",
            "must be a corpus' name or a list of such");
    refuses("bulk", "{\"bulk-size\": 1000001}", "from 1 to 1000000");
    refuses("bulk", "{}", "\"bulk-size\" is missing");
    refuses("bulk", "{\"bulk-size\": 7, \"pipeline\": \"x\"}",
            "unknown key \"pipeline\"");
}

static void operation_search_goes_to_its_index(void **state)
{
    (void)state;
    becomes("search", "{\"index\": \"a,b\", \"body\": {}}",
            "\"requests\":[{\"method\":\"POST\",\"path\":\"/a,b/_search\","
            "\"body\":\"{}\"}]");
    /* of several indices none is meant */
    becomes("search", "{\"body\": {}}",
            "\"requests\":[{\"method\":\"POST\",\"path\":\"/_search\","
            "\"body\":\"{}\"}]");
    becomes("search",
            "{\"body\": {}, \"cache\": true, \"request-params\": {\"q\": 1}}",
            "\"requests\":[{\"method\":\"POST\",\"path\":\"/_search?request_"
            "cache=true&q=1\",\"body\":\"{}\"}]");
    refuses("search", "{}", "\"body\" is missing");
    refuses("search", "{\"body\": {}, \"index\": \"a b\"}",
            "index: \"a b\" is no index name");
    refuses("search", "{\"body\": {}, \"pages\": 5}", "unknown key \"pages\"");
}

static void operation_raw_request_is_taken_as_it_is(void **state)
{
    (void)state;
    becomes("raw-request", "{\"path\": \"/\"}",
            "\"requests\":[{\"method\":\"GET\",\"path\":\"/\",\"ignore\":[]}]");
    becomes("raw-request",
            "{\"path\": \"/x\", \"method\": \"PUT\", \"ignore\": [400, 404]}",
            "\"requests\":[{\"method\":\"PUT\",\"path\":\"/x\",\"ignore\":[400,"
            "404]}]");
    refuses("raw-request", "{}", "\"path\" is missing");
    refuses("raw-request", "{\"path\": \"/a b\"}", "hold no blank");
    refuses("raw-request", "{\"path\": \"/\", \"method\": \"G E\"}",
            "is no HTTP method");
    refuses("raw-request", "{\"path\": \"/\", \"ignore\": [99]}",
            "ignore[0]: must be 100 to 599");
    refuses("raw-request", "{\"path\": \"/\", \"ignore\": [1,2,3,4,5,6,7,8,9]}",
            "more than 8 statuses");
    refuses("raw-request", "{\"path\": \"/\", \"ignore\": 404}",
            "ignore: must be a list, not a number");
}

static void operation_create_and_delete_take_all_indices_or_one(void **state)
{
    (void)state;
    becomes("create-index", "{}",
            "\"requests\":[{\"method\":\"PUT\",\"path\":\"/a\"},{\"method\":"
            "\"PUT\",\"path\":\"/b\"}]");
    becomes("create-index", "{\"index\": \"c\"}", ONE("PUT", "/c"));
    becomes("delete-index", "{}",
            "\"requests\":[{\"method\":\"DELETE\",\"path\":\"/a\",\"ignore\":["
            "404]},{\"method\":\"DELETE\",\"path\":\"/b\",\"ignore\":[404]}]");
    becomes("delete-index", "{\"index\": \"c\", \"only-if-exists\": false}",
            ONE("DELETE", "/c"));
    const char *text = rendered("delete-index", "{}", 0, ERR_INVALID);
    assert_non_null(strstr(text, "\"index\" is missing, and the track has"));
}

static void operation_of_the_cluster_is_one_request(void **state)
{
    (void)state;
    becomes("refresh", "{\"index\": \"a\"}", ONE("POST", "/a/_refresh"));
    becomes("force-merge", "{\"max-num-segments\": 1}",
            ONE("POST", "/_all/_forcemerge?max_num_segments=1"));
    becomes("force-merge",
            "{\"max-num-segments\": 2, \"request-params\": {\"f\": true}}",
            ONE("POST", "/_all/_forcemerge?max_num_segments=2&f=true"));
    becomes("cluster-health",
            "{\"index\": \"a\", \"request-params\": {\"level\": \"shards\"}}",
            ONE("GET", "/_cluster/health/a?level=shards"));
    becomes("index-stats", "{\"index\": \"a\"}", ONE("GET", "/a/_stats"));
    becomes("node-stats", "{}", ONE("GET", "/_nodes/stats"));
    becomes("sleep", "{\"duration\": 0.25}", "\"sleep_ns\":250000000");
    refuses("force-merge", "{\"mode\": \"polling\"}",
            "mode: \"polling\" is not supported; accepted: blocking");
    refuses("force-merge", "{\"max-num-segments\": 0}", "from 1 to 10000");
    refuses("sleep", "{}", "\"duration\" is missing");
    refuses("sleep", "{\"duration\": -1}", "duration: must be 0 to 86400");
    refuses("index-stats", "{\"condition\": {}}", "unknown key \"condition\"");
}

static void
operation_of_another_type_is_refused_with_those_there_are(void **state)
{
    (void)state;
    refuses("composite", "{\"operation-type\": \"composite\"}",
            "op:1: operation-type: \"composite\" is not supported; supported: "
            "bulk, search,");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operation_bulk_names_corpora_by_number),
        cmocka_unit_test(operation_search_goes_to_its_index),
        cmocka_unit_test(operation_raw_request_is_taken_as_it_is),
        cmocka_unit_test(operation_create_and_delete_take_all_indices_or_one),
        cmocka_unit_test(operation_of_the_cluster_is_one_request),
        cmocka_unit_test(
            operation_of_another_type_is_refused_with_those_there_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
