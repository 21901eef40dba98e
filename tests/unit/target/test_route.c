#include "target/route.h"
#include "tests/lib/check.h"

static struct route of(enum http1_method method, const char *target)
{
    return route_of(method, target, strlen(target));
}

struct expectation {
    enum http1_method method;
    const char *target;
    enum route_kind kind;
    const char *index, *type;
};

static void check_all(const struct expectation *e, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct route r = of(e[i].method, e[i].target);
        if (r.kind != e[i].kind || strcmp(r.index, e[i].index) ||
            strcmp(r.type, e[i].type))
            fail_msg("%s: kind %d, index \"%s\", type \"%s\"", e[i].target,
                     (int)r.kind, r.index, r.type);
    }
}

static void route_of_knows_elasticsearchs_paths(void **state)
{
    (void)state;
    static const struct expectation e[] = {
        {HTTP1_GET, "/", ROUTE_BANNER, "", ""},
        {HTTP1_HEAD, "/", ROUTE_BANNER, "", ""},
        {HTTP1_GET, "/?pretty", ROUTE_BANNER, "", ""},
        {HTTP1_POST, "/_bulk", ROUTE_BULK, "", ""},
        {HTTP1_PUT, "/_bulk?refresh=false", ROUTE_BULK, "", ""},
        {HTTP1_POST, "/geonames/_bulk", ROUTE_BULK, "geonames", ""},
        {HTTP1_POST, "/geonames/doc/_bulk", ROUTE_BULK, "geonames", "doc"},
        {HTTP1_POST, "/geonames/_doc/_bulk", ROUTE_BULK, "geonames", "_doc"},
        {HTTP1_POST, "//geonames//_bulk/", ROUTE_BULK, "geonames", ""},
        {HTTP1_POST, "/a%2db%C3%A4/_bulk", ROUTE_BULK, "a-b\xc3\xa4", ""},
        {HTTP1_GET, "/_nodes/stats", ROUTE_NODES_STATS, "", ""},
        {HTTP1_GET, "/_cluster/health", ROUTE_HEALTH, "", ""},
        {HTTP1_GET, "/_cluster/health/x?timeout=5s", ROUTE_HEALTH, "x", ""},
        {HTTP1_GET, "/_cluster/settings", ROUTE_CLUSTER_SETTINGS, "", ""},
        {HTTP1_PUT, "/_cluster/settings", ROUTE_CLUSTER_SETTINGS, "", ""},
        {HTTP1_GET, "/_stats", ROUTE_STATS, "", ""},
        {HTTP1_GET, "/x/_stats", ROUTE_STATS, "x", ""},
        {HTTP1_PUT, "/x", ROUTE_INDEX_CREATE, "x", ""},
        {HTTP1_DELETE, "/x", ROUTE_INDEX_DELETE, "x", ""},
        {HTTP1_HEAD, "/x", ROUTE_INDEX_EXISTS, "x", ""},
        {HTTP1_POST, "/x/_refresh", ROUTE_REFRESH, "x", ""},
        {HTTP1_POST, "/_refresh", ROUTE_REFRESH, "", ""},
        {HTTP1_POST, "/x/_flush", ROUTE_FLUSH, "x", ""},
        {HTTP1_POST, "/x/_forcemerge?max_num_segments=1", ROUTE_FORCE_MERGE,
         "x", ""},
        {HTTP1_GET, "/_cat/indices/x?v", ROUTE_CAT_INDICES, "x", ""},
        {HTTP1_GET, "/_cat/health", ROUTE_CAT_HEALTH, "", ""},
        {HTTP1_GET, "/x/_mapping", ROUTE_MAPPING, "x", ""},
        {HTTP1_PUT, "/x/_mapping", ROUTE_MAPPING, "x", ""},
        {HTTP1_PUT, "/_template/t", ROUTE_TEMPLATE, "", ""},
        {HTTP1_GET, "/_index_template", ROUTE_TEMPLATE_INDEX, "", ""},
        {HTTP1_HEAD, "/_index_template/t", ROUTE_TEMPLATE_INDEX, "", ""},
        {HTTP1_DELETE, "/_component_template/t", ROUTE_TEMPLATE_COMPONENT, "",
         ""},
        {HTTP1_PUT, "/x/_doc/1", ROUTE_DOC, "x", "_doc"},
        {HTTP1_HEAD, "/x/doc/1", ROUTE_DOC, "x", "doc"},
        {HTTP1_POST, "/x/_doc", ROUTE_DOC_ADD, "x", "_doc"},
        {HTTP1_PUT, "/x/_create/1", ROUTE_DOC_CREATE, "x", ""},
        {HTTP1_POST, "/x/_search?scroll=10s", ROUTE_SEARCH, "x", ""},
        {HTTP1_POST, "/_search/scroll", ROUTE_SCROLL, "", ""},
        {HTTP1_DELETE, "/_search/scroll", ROUTE_SCROLL_END, "", ""},
        {HTTP1_GET, "/_pitwall/stats", ROUTE_PITWALL_STATS, "", ""},
        {HTTP1_POST, "/_pitwall/window", ROUTE_PITWALL_WINDOW, "", ""}};
    check_all(e, sizeof e / sizeof *e);
}

static void route_of_knows_nothing_else(void **state)
{
    (void)state;
    static const struct expectation e[] = {
        {HTTP1_GET, "", ROUTE_NONE, "", ""},
        {HTTP1_GET, "*", ROUTE_NONE, "", ""},
        {HTTP1_GET, "http://x/_stats", ROUTE_NONE, "", ""},
        {HTTP1_GET, "/_cat/shards", ROUTE_NONE, "", ""},
        {HTTP1_GET, "/x/_doc/_1", ROUTE_NONE, "", ""},
        {HTTP1_PUT, "/_x", ROUTE_NONE, "", ""},
        {HTTP1_POST, "/_x/_bulk", ROUTE_NONE, "", ""},
        {HTTP1_POST, "/a/b/c/_bulk", ROUTE_NONE, "", ""},
        {HTTP1_POST, "/a/b/c/d/e/f/g/_bulk", ROUTE_NONE, "", ""},
        {HTTP1_PUT, "/a%", ROUTE_NONE, "", ""},
        {HTTP1_PUT, "/a%4", ROUTE_NONE, "", ""},
        {HTTP1_PUT, "/a%4x", ROUTE_NONE, "", ""},
        {HTTP1_PUT, "/%00", ROUTE_NONE, "", ""}};
    for (size_t i = 0; i < sizeof e / sizeof *e; i++)
        if (of(e[i].method, e[i].target).kind != ROUTE_NONE)
            fail_msg("%s", e[i].target);
}

static void route_of_tells_which_methods_a_path_has(void **state)
{
    (void)state;
    static const struct {
        enum http1_method method;
        const char *target, *allowed;
    } e[] = {{HTTP1_POST, "/", "GET, HEAD"},
             {HTTP1_GET, "/_bulk", "POST, PUT"},
             {HTTP1_DELETE, "/x/_bulk", "POST, PUT"},
             {HTTP1_POST, "/_stats", "GET"},
             {HTTP1_PUT, "/x/_flush", "GET, POST"},
             {HTTP1_GET, "/x/_forcemerge", "POST"},
             {HTTP1_OTHER, "/x", "GET, PUT, DELETE, HEAD"},
             {HTTP1_POST, "/x/_settings", "GET, PUT"}};
    for (size_t i = 0; i < sizeof e / sizeof *e; i++) {
        struct route r = of(e[i].method, e[i].target);
        assert_int_equal(r.kind, ROUTE_METHOD);
        assert_string_equal(r.allowed, e[i].allowed);
    }
}

static void names_have_at_most_255_bytes(void **state)
{
    (void)state;
    char target[300];
    memset(target, 'a', sizeof target);
    target[0] = '/';
    struct route r = route_of(HTTP1_PUT, target, 256);
    assert_int_equal(r.kind, ROUTE_INDEX_CREATE);
    assert_int_equal(strlen(r.index), 255);
    assert_int_equal(route_of(HTTP1_PUT, target, 257).kind, ROUTE_NONE);
}

static void route_is_observer_means_our_own_paths(void **state)
{
    (void)state;
    assert_true(route_is_observer("/_pitwall/stats", 15));
    assert_true(route_is_observer("/_pitwall/", 10));
    assert_false(route_is_observer("/_pitwall", 9));
    assert_false(route_is_observer("/x/_pitwall/", 12));
}

static void index_names_follow_elasticsearchs_rules(void **state)
{
    (void)state;
    static const char *const bad[] = {"",    "A",   "a b", "a/b", "a*",
                                      "_a",  "-a",  "+a",  "a#",  "a,b",
                                      "a\\", "a?b", ".",   "..",  "geoNames"};
    const char *reason;
    assert_true(route_index_name_good("geonames-2017.01", &reason));
    assert_true(route_index_name_good("\xc3\xa4", &reason));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (route_index_name_good(bad[i], &reason))
            fail_msg("\"%s\"", bad[i]);
        assert_non_null(reason);
    }
    (void)route_index_name_good("geoNames", &reason);
    assert_string_equal(reason, "must be lowercase");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(route_of_knows_elasticsearchs_paths),
        cmocka_unit_test(route_of_knows_nothing_else),
        cmocka_unit_test(route_of_tells_which_methods_a_path_has),
        cmocka_unit_test(names_have_at_most_255_bytes),
        cmocka_unit_test(route_is_observer_means_our_own_paths),
        cmocka_unit_test(index_names_follow_elasticsearchs_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
