/* Each operation type: what it accepts, what it becomes, what it refuses. */
#include <stdio.h>
#include <stdlib.h>

#include "common/json_build.h"
#include "tests/lib/check.h"
#include "tracks/operation.h"

/* The plan's corpora: g for the indices a and b, h for b, f with action lines,
 * s for a data stream. */
static const char corpora[] =
    "[{\"name\": \"g\", \"documents\": [{\"index\": \"a\"}, {\"index\": "
    "\"b\"}]}, {\"name\": \"h\", \"documents\": [{\"index\": \"b\"}]}, "
    "{\"name\": \"f\", \"documents\": [{\"file\": \"/f\"}]}, {\"name\": \"s\", "
    "\"documents\": [{\"index\": \"ds\", \"create\": true}]}]";

/* A track with the first n of two indices, a with a body, and templates. */
static struct render track_of(struct jv *root, size_t n_indices)
{
    return (struct render){
        .root = root,
        .corpora = jv_add(root, "corpora", JV_ARRAY),
        .indices = {{"a", jv_get(root, "body")}, {"b", NULL}},
        .n_indices = n_indices,
        .streams = {"ds"},
        .n_streams = 1,
        .templates = {{RENDER_TEMPLATE_INDEX, "t", "logs-*", true,
                       jv_get(root, "body")},
                      {RENDER_TEMPLATE_COMPOSABLE, "c", "x-*", false,
                       jv_get(root, "composable")}},
        .n_templates = 2};
}

/* Render an operation; the task as JSON, or the refusal's text. */
static const char *rendered(const char *type, const char *op, size_t n_indices,
                            enum err expected)
{
    static const char bodies[] =
        "{\"body\": {\"mappings\": {}, \"settings\": {\"x\": 1, \"y\": 2}}, "
        "\"composable\": {\"priority\": 1, \"template\": {\"settings\": "
        "{\"x\": 1}, \"mappings\": {}}}}";
    static char out[2048];
    struct jv *root, *v, *all, *task = jv_new(JV_OBJECT);
    struct why why = {0};
    const struct operation_type *found;
    check_ok(jv_parse(&root, "t", bodies, strlen(bodies), &why), why);
    struct render r = track_of(root, n_indices);
    check_ok(jv_parse(&all, "t", corpora, strlen(corpora), &why), why);
    for (size_t i = 0; i < jv_size(all); i++)
        jv_add_copy(r.corpora, NULL, jv_at(all, i));
    check_ok(jv_parse(&v, "op", op, strlen(op), &why), why);
    enum err e = operation_render(&r, v, type, task, &found, &why);
    assert_string_equal(err_name(e), err_name(expected));
    char *text = jv_print(task, false);
    (void)snprintf(out, sizeof out, "%s", e ? why.text : text);
    free(text);
    jv_free(task);
    jv_free(v);
    jv_free(all);
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

/* "g", h and of g what goes to b, which becomes corpus 4. */
#define BULK(more)    "{\"bulk-size\": 7, \"corpora\": \"g\"" more "}"
#define BULK_IS(more) "\"bulk\":{\"docs\":7,\"corpora\":[0]" more "}"

static void operation_bulk_takes_several_sizes(void **state)
{
    (void)state;
    becomes("bulk", "{\"bulk-sizes\": [1, 1, 50], \"corpora\": \"g\"}",
            "\"bulk\":{\"sizes\":[1,1,50],\"corpora\":[0]}");
    refuses("bulk", "{\"bulk-sizes\": [1, 0]}",
            "bulk-sizes[1]: must be a whole number from 1 to 1000000");
    refuses("bulk", "{\"bulk-sizes\": []}",
            "bulk-sizes: must be a list of 1 to 16 sizes");
    refuses("bulk", "{\"bulk-sizes\": 5}",
            "bulk-sizes: must be a list of 1 to 16 sizes");
    refuses("bulk", "{\"bulk-sizes\": [5], \"bulk-size\": 5}",
            "bulk-sizes: cannot be mixed with \"bulk-size\"");
}

static void operation_bulk_names_corpora_by_number(void **state)
{
    (void)state;
    becomes("bulk", "{\"bulk-size\": 7}",
            "\"bulk\":{\"docs\":7,\"corpora\":[0,1,2,3]}");
    becomes("bulk", "{\"bulk-size\": 7, \"corpora\": \"h\"}",
            "\"bulk\":{\"docs\":7,\"corpora\":[1]}");
    becomes("bulk", "{\"bulk-size\": 7, \"corpora\": [\"h\", \"g\"]}",
            "\"bulk\":{\"docs\":7,\"corpora\":[0,1]}");
    becomes("bulk", "{\"bulk-size\": 7, \"indices\": [\"b\"]}",
            "\"bulk\":{\"docs\":7,\"corpora\":[4,1]}");
    becomes("bulk", "{\"bulk-size\": 7, \"data-streams\": \"ds\"}",
            "\"bulk\":{\"docs\":7,\"corpora\":[3]}");
    refuses("bulk", "{\"bulk-size\": 7, \"indices\": [\"c\"]}",
            "op:1: no document set goes to its \"indices\"");
    refuses("bulk", "{\"bulk-size\": 7, \"corpora\": [\"i\"]}",
            "op:1: corpora[0]: there is no corpus \"i\"");
    refuses("bulk", "{\"bulk-size\": 7, \"corpora\": []}",
            "must be a corpus' name or a list of such");
    refuses("bulk", "{\"bulk-size\": 7, \"corpora\": 5}",
            "must be a corpus' name or a list of such");
    refuses("bulk", "{\"bulk-size\": 1000001}", "from 1 to 1000000");
    refuses("bulk", "{}", "\"bulk-size\" is missing");
    refuses("bulk", BULK(", \"pipelin\": \"x\""),
            "op:1: pipelin: unknown key \"pipelin\"; accepted: bulk-size");
    refuses("bulk", BULK(", \"batch-size\": 10"),
            "batch-size: must be a multiple of \"bulk-size\"");
    becomes("bulk", BULK(", \"batch-size\": 14, \"#COMMENT\": 1"), BULK_IS(""));
}

static void operation_bulk_sends_some_or_all(void **state)
{
    (void)state;
    becomes("bulk", BULK(", \"ingest-percentage\": 12.5, \"looped\": true"),
            BULK_IS(",\"ingest_ratio\":0.125,\"looped\":true"));
    becomes("bulk", BULK(", \"ingest-doc-count\": 70"),
            BULK_IS(",\"ingest_docs\":70"));
    refuses("bulk", BULK(", \"ingest-doc-count\": 71"),
            "ingest-doc-count: must be a multiple of \"bulk-size\"");
    refuses("bulk", BULK(", \"ingest-doc-count\": 7, \"ingest-percentage\": 9"),
            "cannot be mixed");
    refuses("bulk", BULK(", \"ingest-percentage\": 0"),
            "ingest-percentage: must be above 0 to 100 percent, not 0");
    refuses("bulk", BULK(", \"ingest-percentage\": 101"), "not 101");
}

static void operation_bulk_conflicts_by_id(void **state)
{
    (void)state;
    becomes("bulk",
            BULK(", \"conflicts\": \"random\", \"conflict-probability\": 50, "
                 "\"on-conflict\": \"update\", \"recency\": 0.5"),
            BULK_IS(",\"conflicts\":\"random\",\"on_conflict\":\"update\","
                    "\"recency\":0.5,\"conflict_probability\":0.5"));
    becomes("bulk", BULK(", \"conflicts\": \"sequential\""),
            BULK_IS(",\"conflicts\":\"sequential\",\"on_conflict\":\"index\","
                    "\"recency\":0.0"));
    becomes("bulk",
            BULK(", \"conflicts\": \"none\", \"conflict-probability\": 25"),
            BULK_IS(""));
    refuses("bulk", BULK(", \"recency\": 0.5"),
            "recency: means nothing without \"conflicts\"");
    refuses("bulk", BULK(", \"conflicts\": \"some\""),
            "conflicts: \"some\" is not supported; accepted: none, "
            "sequential, random");
    refuses("bulk",
            BULK(", \"conflicts\": \"random\", \"on-conflict\": \"drop\""),
            "on-conflict: \"drop\" is not supported; accepted: index, update");
    refuses("bulk", BULK(", \"conflicts\": \"random\", \"recency\": 2"),
            "recency: must be 0 to 1");
    refuses("bulk",
            BULK(", \"conflicts\": \"random\", \"conflict-probability\": 101"),
            "conflict-probability: must be 0 to 100 percent, not 101");
    refuses("bulk",
            "{\"bulk-size\": 7, \"conflicts\": \"random\", \"corpora\": "
            "\"f\"}",
            "conflicts: needs documents without action lines");
    refuses("bulk",
            "{\"bulk-size\": 7, \"conflicts\": \"random\", \"corpora\": "
            "\"s\"}",
            "conflicts: cannot be in a data stream");
}

static void operation_bulk_has_a_query(void **state)
{
    (void)state;
    becomes("bulk",
            BULK(", \"pipeline\": \"p\", \"refresh\": \"wait_for\", "
                 "\"timeout\": \"2m\", \"request-params\": {\"a\": \"b c\"}"),
            BULK_IS(",\"query\":\"?pipeline=p&refresh=wait_for&timeout=2m&a="
                    "b%20c\""));
    becomes("bulk", BULK(", \"refresh\": true"),
            BULK_IS(",\"query\":\"?refresh=true\""));
    refuses("bulk", BULK(", \"refresh\": \"never\""),
            "refresh: \"never\" is not supported; accepted: false, true, "
            "wait_for");
}

static void operation_search_goes_to_its_index(void **state)
{
    (void)state;
    becomes("search", "{\"index\": \"a,b\", \"body\": {}}",
            "\"requests\":[{\"method\":\"POST\",\"path\":\"/a,b/_search\","
            "\"body\":\"{}\"}]");
    /* of several indices none is meant; here the data stream is */
    becomes("search", "{\"body\": {}}",
            "\"requests\":[{\"method\":\"POST\",\"path\":\"/ds/_search\","
            "\"body\":\"{}\"}]");
    becomes("search",
            "{\"body\": {}, \"index\": [\"a\", \"b*\"], \"results-per-page\": "
            "10, \"response-compression-enabled\": false}",
            "\"requests\":[{\"method\":\"POST\",\"path\":\"/a,b*/_search\","
            "\"body\":\"{}\"}]");
    becomes("search",
            "{\"body\": {}, \"cache\": true, \"request-params\": {\"q\": 1}}",
            "\"requests\":[{\"method\":\"POST\",\"path\":\"/ds/_search?"
            "request_cache=true&q=1\",\"body\":\"{}\"}]");
    refuses("search", "{}", "\"body\" is missing");
    refuses("search", "{\"body\": {}, \"index\": \"a b\"}",
            "index: \"a b\" is no name");
    refuses("search", "{\"param-source\": \"x\"}",
            "op:1: param-source: \"x\" is Rally's Python");
    becomes("search",
            "{\"body\": {}, \"headers\": {\"X-A\": \"b c\", \"d\": \"\"}}",
            "\"headers\":[\"X-A: b c\",\"d: \"],\"requests\":[{\"method\":"
            "\"POST\",\"path\":\"/ds/_search\",\"body\":\"{}\"}]");
    refuses("search", "{\"body\": {}, \"headers\": {\"a:b\": \"c\"}}",
            "is no header: its value must be a text on one line");
    refuses("search", "{\"body\": {}, \"headers\": {\"a\": 5}}",
            "is no header");
    refuses("search", "{\"body\": {}, \"headers\": {\"a\": \"b\\nc\"}}",
            "is no header");
    refuses("composite",
            "{\"requests\": [{\"operation-type\": \"raw-request\", \"path\": "
            "\"/\", \"headers\": {\"a\": \"b\"}}]}",
            "headers: is not supported within a composite operation");
    refuses("composite",
            "{\"requests\": [{\"operation-type\": \"search\", \"body\": {}, "
            "\"opaque-id\": \"b\"}]}",
            "opaque-id: is not supported within a composite operation");
}

static void operation_header_and_opaque_id_are_headers(void **state)
{
    (void)state;
    becomes("raw-request",
            "{\"path\": \"/\", \"header\": {\"X-A\": \"b\"}, "
            "\"opaque-id\": \"me-1\"}",
            "\"headers\":[\"X-A: b\",\"x-opaque-id: me-1\"],\"requests\":[{"
            "\"method\":\"GET\",\"path\":\"/\",\"ignore\":[]}]");
    refuses("search", "{\"body\": {}, \"header\": {\"X-A\": \"b\"}}",
            "header: unknown key \"header\"");
    refuses("search", "{\"body\": {}, \"opaque-id\": 5}",
            "opaque-id: is no header");
}

static void operation_search_of_pages_is_a_scroll(void **state)
{
    (void)state;
    becomes("search", "{\"body\": {}, \"pages\": 5, \"results-per-page\": 100}",
            "\"requests\":[{\"method\":\"POST\",\"path\":\"/ds/_search?"
            "scroll=10s&size=100&sort=_doc\",\"body\":\"{}\",\"pages\":5,"
            "\"page_size\":100}]");
    becomes("scroll-search",
            "{\"body\": {}, \"pages\": \"all\", \"index\": \"a\", \"cache\": "
            "true, \"request-params\": {\"p\": 1}}",
            "\"requests\":[{\"method\":\"POST\",\"path\":\"/a/_search?"
            "request_cache=true&scroll=10s&size=10&sort=_doc&p=1\",\"body\":"
            "\"{}\",\"pages\":1000000000,\"page_size\":10}]");
    refuses("search", "{\"body\": {}, \"pages\": 0}", "op:1: pages: must be");
    refuses("search", "{\"body\": {}, \"pages\": \"many\"}",
            "op:1: pages: must be");
    refuses("scroll-search", "{\"body\": {}}", "op:1: \"pages\" is missing");
    refuses("composite",
            "{\"requests\": [{\"operation-type\": \"search\", \"body\": {}, "
            "\"pages\": 2}]}",
            "pages: a search of pages is not supported in a composite");
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
    becomes(
        "raw-request", "{\"path\": \"/\", \"ignore\": 404}",
        "\"requests\":[{\"method\":\"GET\",\"path\":\"/\",\"ignore\":[404]}]");
    refuses("raw-request", "{\"path\": \"/\", \"ignore\": \"404\"}",
            "ignore: must be a list, not a text");
}

static void operation_create_and_delete_take_all_indices_or_one(void **state)
{
    (void)state;
#define A_BODY(settings)                                                       \
    "\"body\":\"{\\\"mappings\\\":{},\\\"settings\\\":{" settings "}}\""
    becomes("create-index", "{}",
            "\"requests\":[{\"method\":\"PUT\",\"path\":\"/a\"," A_BODY(
                "\\\"x\\\":1,\\\"y\\\":2") "},{\"method\":\"PUT\",\"path\":"
                                           "\"/b\"}]");
    becomes("create-index", "{\"settings\": {\"y\": 3, \"z\": 4}}",
            "\"requests\":[{\"method\":\"PUT\",\"path\":\"/a\"," A_BODY(
                "\\\"x\\\":1,\\\"y\\\":3,\\\"z\\\":4") "},{\"method\":\"PUT\","
                                                       "\"path\":\"/b\","
                                                       "\"body\":\"{"
                                                       "\\\"settings\\\":{"
                                                       "\\\"y\\\":3,"
                                                       "\\\"z\\\":4}}\"}]");
    becomes("create-index", "{\"index\": [\"b\"]}", ONE("PUT", "/b"));
    becomes("create-index", "{\"index\": \"c\"}", ONE("PUT", "/c"));
    refuses("create-index", "{\"index\": \"c\", \"settings\": {}}",
            "settings: is for indices of the track");
    becomes("delete-index", "{}",
            "\"requests\":[{\"method\":\"DELETE\",\"path\":\"/a\",\"ignore\":["
            "404]},{\"method\":\"DELETE\",\"path\":\"/b\",\"ignore\":[404]}]");
    becomes("delete-index", "{\"index\": \"c\", \"only-if-exists\": false}",
            ONE("DELETE", "/c"));
    const char *text = rendered("delete-index", "{}", 0, ERR_INVALID);
    assert_non_null(strstr(text, "\"index\" is missing, and the track has"));
    becomes("create-data-stream", "{}", ONE("PUT", "/_data_stream/ds"));
    becomes("create-data-stream", "{\"data-stream\": \"e\"}",
            ONE("PUT", "/_data_stream/e"));
    becomes("delete-data-stream", "{\"only-if-exists\": false}",
            ONE("DELETE", "/_data_stream/ds"));
}

static void operation_templates_are_the_tracks_or_given(void **state)
{
    (void)state;
    becomes("create-index-template", "{}",
            "\"requests\":[{\"method\":\"PUT\",\"path\":\"/_template/"
            "t\"," A_BODY("\\\"x\\\":1,\\\"y\\\":2") "}]");
    becomes("create-composable-template", "{\"settings\": {\"x\": 2}}",
            "\"requests\":[{\"method\":\"PUT\",\"path\":\"/_index_template/"
            "c\",\"body\":\"{\\\"priority\\\":1,\\\"template\\\":{"
            "\\\"mappings\\\":{},\\\"settings\\\":{\\\"x\\\":2}}}\"}]");
    becomes("create-component-template",
            "{\"template\": \"n\", \"body\": {\"q\": 1}}",
            "\"requests\":[{\"method\":\"PUT\",\"path\":\"/_component_template"
            "/n\",\"body\":\"{\\\"q\\\":1}\"}]");
    refuses("create-component-template", "{}", "declares no such template");
    refuses("create-component-template", "{\"body\": {}}",
            "\"template\" is missing");
    becomes("delete-index-template", "{}",
            "\"requests\":[{\"method\":\"DELETE\",\"path\":\"/_template/t\","
            "\"ignore\":[404]},{\"method\":\"DELETE\",\"path\":\"/logs-*\","
            "\"ignore\":[404]}]");
    becomes("delete-composable-template", "{\"only-if-exists\": false}",
            ONE("DELETE", "/_index_template/c"));
    becomes("delete-component-template", "{\"template\": \"n\"}",
            "\"requests\":[{\"method\":\"DELETE\",\"path\":\"/_component_"
            "template/n\",\"ignore\":[404]}]");
    refuses("delete-component-template",
            "{\"template\": \"n\", \"delete-matching-indices\": true}",
            "\"index-pattern\" is missing");
    refuses("delete-component-template", "{}", "give \"template\"");
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
    becomes("info", "{}", ONE("GET", "/"));
    becomes("flush", "{}", ONE("POST", "/_all/_flush"));
    becomes("force-merge", "{\"mode\": \"polling\", \"poll-period\": 5}",
            ONE("POST", "/_all/_forcemerge"));
    becomes("put-settings", "{\"body\": {\"a\": 1}}",
            "\"requests\":[{\"method\":\"PUT\",\"path\":\"/_cluster/settings\","
            "\"body\":\"{\\\"a\\\":1}\"}]");
    becomes("put-pipeline", "{\"id\": \"p\", \"body\": {}}",
            "\"requests\":[{\"method\":\"PUT\",\"path\":\"/_ingest/pipeline/"
            "p\",\"body\":\"{}\"}]");
    becomes("index-stats",
            "{\"condition\": {\"path\": \"_all.x\", \"expected-value\": 0}}",
            "\"requests\":[{\"method\":\"GET\",\"path\":\"/_all/_stats\","
            "\"want\":{\"path\":\"_all.x\",\"value\":0}}]");
    refuses("put-pipeline", "{\"body\": {}}", "\"id\" is missing");
    refuses("put-settings", "{}", "\"body\" is missing");
    refuses("force-merge", "{\"mode\": \"asap\"}",
            "mode: \"asap\" is not supported; accepted: blocking, polling");
    refuses("force-merge", "{\"max-num-segments\": 0}", "from 1 to 10000");
    refuses("sleep", "{}", "\"duration\" is missing");
    refuses("sleep", "{\"duration\": -1}", "duration: must be 0 to 86400");
    refuses("index-stats", "{\"condition\": {}}",
            "condition: \"path\" is missing");
    refuses("index-stats",
            "{\"condition\": {\"path\": \"x\", \"expected-value\": {}}}",
            "expected-value: must be a plain value");
}

#define SEARCH(index)                                                          \
    "{\"operation-type\": \"search\", \"index\": \"" index "\", \"body\": {}}"
#define SEARCHED(index)                                                        \
    "{\"method\":\"POST\",\"path\":\"/" index "/_search\",\"body\":\"{}\"}"

static void operation_composite_is_streams_of_requests(void **state)
{
    (void)state;
    becomes("composite",
            "{\"max-connections\": 3, \"requests\": [{\"stream\": [" SEARCH(
                "a") ", " SEARCH("b") "]}, {\"stream\": [{\"operation-type\": "
                                      "\"raw-request\", \"path\": \"/\"}]}]}",
            "\"streams\":[[" SEARCHED("a") "," SEARCHED(
                "b") "],[{\"method\":\"GET\",\"path\":\"/\",\"ignore\":[]}]],"
                     "\"max_connections\":3");
    becomes("composite", "{\"requests\": [" SEARCH("a") ", " SEARCH("b") "]}",
            "\"streams\":[[" SEARCHED("a") "," SEARCHED(
                "b") "]],\"max_connections\":0");
    refuses("composite", "{}", "\"requests\" is missing");
    refuses("composite", "{\"requests\": []}", "has 0 elements");
    refuses("composite", "{\"requests\": [{\"stream\": []}]}",
            "requests[0].stream: has 0 elements");
    refuses(
        "composite",
        "{\"requests\": [{\"stream\": [" SEARCH("a") "]}, " SEARCH("a") "]}",
        "requests[1].operation-type: unknown key");
    refuses(
        "composite",
        "{\"requests\": [" SEARCH("a") ", {\"stream\": [" SEARCH("a") "]}]}",
        "requests[1]: a \"stream\" beside or within");
    refuses("composite",
            "{\"requests\": [{\"stream\": [{\"operation-type\": \"sleep\", "
            "\"duration\": 1}]}]}",
            "stream[0].operation-type: \"sleep\" is not supported in a "
            "composite; supported: search, raw-request, field-caps");
}

static void
operation_of_another_type_is_refused_with_those_there_are(void **state)
{
    (void)state;
    refuses("esql", "{\"operation-type\": \"esql\"}",
            "op:1: operation-type: \"esql\" is not supported; supported: "
            "bulk, search, scroll-search, raw-request, field-caps, info, "
            "composite, create-index,");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operation_bulk_takes_several_sizes),
        cmocka_unit_test(operation_bulk_names_corpora_by_number),
        cmocka_unit_test(operation_bulk_sends_some_or_all),
        cmocka_unit_test(operation_bulk_conflicts_by_id),
        cmocka_unit_test(operation_bulk_has_a_query),
        cmocka_unit_test(operation_search_goes_to_its_index),
        cmocka_unit_test(operation_header_and_opaque_id_are_headers),
        cmocka_unit_test(operation_search_of_pages_is_a_scroll),
        cmocka_unit_test(operation_raw_request_is_taken_as_it_is),
        cmocka_unit_test(operation_create_and_delete_take_all_indices_or_one),
        cmocka_unit_test(operation_templates_are_the_tracks_or_given),
        cmocka_unit_test(operation_of_the_cluster_is_one_request),
        cmocka_unit_test(operation_composite_is_streams_of_requests),
        cmocka_unit_test(
            operation_of_another_type_is_refused_with_those_there_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
