/* A whole target with an index, its heap moving objects as often as it can. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/lib/check.h"
#include "tests/unit/target/client.h"

static const char mapping[] =
    "{\"settings\":{\"number_of_shards\":2,\"refresh_interval\":\"-1\"},"
    "\"mappings\":{\"properties\":{\"a\":{\"type\":\"text\"}}}}";

static void expect(int fd, const char *method, const char *target,
                   const char *body, const char *says)
{
    char *json = NULL;
    client_request(fd, method, target, body, strlen(body));
    unsigned status = client_response(fd, &json);
    if (!strstr(json, says))
        fail_msg("%s %s: %u %s, not %s", method, target, status, json, says);
    free(json);
}

static void an_index_is_served_down_to_the_final_record(void **state)
{
    (void)state;
    struct running r;
    running_defaults(&r);
    r.settings.index = true;
    running_start(&r);
    int fd = client_connect(&r);
    expect(fd, "PUT", "/geo", mapping, "\"acknowledged\":true");
    expect(fd, "POST", "/geo/_bulk",
           "{\"index\":{\"_id\":\"1\"}}\n{\"a\":\"red fox\"}\n"
           "{\"index\":{\"_id\":\"2\"}}\n{\"a\":\"red \\u0065lk\"}\n"
           "{\"update\":{\"_id\":\"1\"}}\n{\"doc\":{\"b\":[1,2]}}\n"
           "{\"create\":{\"_id\":\"2\"}}\n{\"a\":\"x\"}\n"
           "{\"index\":{\"_id\":\"3\"}}\n{\"a\":}\n",
           "\"status\":409,\"error\":{\"type\":"
           "\"version_conflict_engine_exception\"");
    expect(fd, "GET", "/geo/_search", "", "\"hits\":{\"total\":0,");
    expect(fd, "POST", "/geo/_refresh", "",
           "{\"_shards\":{\"total\":2,\"successful\":2,\"failed\":0}}");
    expect(fd, "POST", "/geo/_search",
           "{\"query\":{\"match\":{\"a\":\"ELK\"}}}",
           "\"_id\":\"2\",\"_score\":");
    expect(fd, "POST", "/geo/_search",
           "{\"query\":{\"term\":{\"b\":2}},\"size\":1}",
           "\"_source\":{\"a\":\"red fox\",\"b\":[1,2]}}]}}");
    expect(fd, "GET", "/geo/_count", "", "{\"count\":2,");
    expect(fd, "POST", "/geo/_forcemerge", "", "\"successful\":2");
    expect(fd, "POST", "/geo/_flush", "", "\"successful\":2");
    expect(fd, "GET", "/_stats", "", "\"indices\":{\"geo\":{\"uuid\":\"");
    expect(fd, "GET", "/_nodes/stats", "", "\"index_total\":3,");
    expect(fd, "GET", "/_cluster/health", "", "\"active_shards\":2");
    expect(fd, "GET", "/_pitwall/stats", "", "\"index_docs\":2,");
    expect(fd, "PUT", "/_cluster/settings", "{\"transient\":{\"a.b\":1}}",
           "\"transient\":{\"a\":{\"b\":\"1\"}}");
    expect(fd, "GET", "/_cluster/settings", "",
           "{\"persistent\":{},\"transient\":{\"a\":{\"b\":\"1\"}}}");
    expect(fd, "GET", "/nobody/_search", "", "index_not_found_exception");
    expect(fd, "PUT", "/geo/_settings", "{\"index\":{\"number_of_shards\":3}}",
           "only [index.refresh_interval] can be set here");
    (void)close(fd);
    running_stop(&r);
    assert_int_equal(r.outcome, ERR_OK);
    /* 1, 2 and the update; the conflict and the broken one failed. */
    assert_int_equal(running_number(&r, "total", "docs"), 3);
    assert_int_equal(running_number(&r, "total", "docs_failed"), 2);
    assert_int_equal(running_number(&r, "index", "docs"), 2);
    assert_int_equal(running_number(&r, "index", "shards"), 2);
    assert_int_equal(running_number(&r, "index", "segments"), 1);
    assert_int_equal(running_number(&r, "index", "flush_count"), 2);
    assert_true(running_number(&r, "index", "indexing_ns") >=
                running_number(&r, "index", "indexing_max_ns"));
    assert_true(running_number(&r, "index", "native_max_bytes") > 0);
    running_close(&r);
}

static void mappings_and_templates_are_heeded(void **state)
{
    (void)state;
    struct running r;
    running_defaults(&r);
    r.settings.index = true;
    running_start(&r);
    int fd = client_connect(&r);
    expect(fd, "PUT", "/geo", mapping, "\"acknowledged\":true");
    expect(fd, "PUT", "/geo/_mapping",
           "{\"properties\":{\"k\":{\"type\":\"keyword\"}}}",
           "\"acknowledged\":true");
    expect(fd, "GET", "/geo/_mapping", "",
           "{\"geo\":{\"mappings\":{\"properties\":{\"a\":{\"type\":\"text\"},"
           "\"k\":{\"type\":\"keyword\"}}}}}");
    expect(fd, "PUT", "/geo/_mapping",
           "{\"properties\":{\"a\":{\"type\":\"keyword\"}}}",
           "mapper [a] cannot be changed from type [text] to [exact]");
    expect(fd, "PUT", "/_template/t",
           "{\"index_patterns\":[\"t-*\"],\"settings\":{\"number_of_shards\":1,"
           "\"refresh_interval\":-1}}",
           "\"acknowledged\":true");
    expect(fd, "PUT", "/t-1", "", "\"index\":\"t-1\"");
    expect(fd, "GET", "/t-1", "", "\"number_of_shards\":\"1\"");
    expect(fd, "DELETE", "/t-1", "", "\"acknowledged\":true");
    expect(fd, "GET", "/_index_template/no", "",
           "index template matching [no] not found");
    expect(fd, "GET", "/g*/_count", "", "{\"count\":0,");
    expect(fd, "GET", "/.ml-*/_search", "", "\"hits\":{\"total\":0,");
    expect(fd, "GET", "/.ml-*/_mapping", "", "index_not_found_exception");
    (void)close(fd);
    running_stop(&r);
    assert_int_equal(r.outcome, ERR_OK);
    running_close(&r);
}

/* 4,000 documents under 3 MiB of native memory. */
static void a_bulk_beyond_the_native_limit_gets_429(void **state)
{
    (void)state;
    struct running r;
    char *body = malloc(1 << 20), *json = NULL;
    size_t n = 0;
    running_defaults(&r);
    r.calm = true;
    r.settings.heap_bytes = 32u << 20;
    r.settings.index = true;
    r.settings.shards = 1;
    r.settings.native_limit_bytes = 3u << 20;
    running_start(&r);
    for (int i = 0; i < 4000; i++)
        n += (size_t)sprintf(body + n, "{\"index\":{}}\n{\"a\":\"w%d x%d\"}\n",
                             i, i * 7);
    int fd = client_connect(&r);
    client_request(fd, "POST", "/geo/_bulk", body, n);
    assert_int_equal(client_response(fd, &json), 429);
    assert_non_null(strstr(json, "circuit_breaking_exception"));
    free(json);
    (void)close(fd);
    running_stop(&r);
    assert_int_equal(running_number(&r, "total", "docs"), 0);
    assert_int_equal(running_number(&r, "total", "rejected"), 1);
    assert_int_equal(running_number(&r, "index", "docs"), 0);
    running_close(&r);
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_is_served_down_to_the_final_record),
        cmocka_unit_test(mappings_and_templates_are_heeded),
        cmocka_unit_test(a_bulk_beyond_the_native_limit_gets_429),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
