/* What Rally's tracks say of operations beside what is sent: assertions, where
 * parameters come from, and which operations a composite may have. */
#include "tests/unit/tracks/rendered.h"

#define TASK(type, more)                                                       \
    SCHEDULE("{\"clients\": 2, \"operation\": {\"operation-type\": \"" type    \
             "\", " more "}}")
#define ASSERTS(list) TASK("search", "\"body\": {}, \"assertions\": " list)
#define STREAM(item)                                                           \
    TASK("composite", "\"requests\": [{\"stream\": [" item "]}]")

static void loads(const char *text)
{
    plan_free(rendered(text));
}

static void assertions_are_checked_and_change_nothing(void **state)
{
    (void)state;
    struct plan *with = rendered(ASSERTS(
        "[{\"property\": \"hits\", \"condition\": \">\", \"value\": 0}, "
        "{\"property\": \"timed_out\", \"condition\": \"==\", \"value\": "
        "false}]"));
    const struct plan_request *r = with->steps[0].tasks->requests;
    assert_string_equal(r->method, "POST");
    assert_string_equal(r->path, "/a/_search");
    assert_string_equal(r->body, "{}");
    plan_free(with);
    loads(ASSERTS("[]"));
    refuses(ASSERTS("[{\"condition\": \">\", \"value\": 0}]"),
            "assertions[0]: \"property\" is missing");
    refuses(ASSERTS("[{\"property\": \"hits\", \"condition\": \"=\", "
                    "\"value\": 0}]"),
            "condition: \"=\" is not accepted; accepted: <, <=, ==");
    refuses(ASSERTS("[{\"property\": \"hits\", \"condition\": \">\"}]"),
            "\"value\" is missing");
    refuses(ASSERTS("{}"), "assertions: must be a list");
    refuses(ASSERTS("[{\"property\": \"hits\", \"condition\": \">\", "
                    "\"value\": 0, \"is\": 1}]"),
            "unknown key");
}

static void param_source_may_be_rallys_own(void **state)
{
    (void)state;
    loads(TASK("bulk", "\"bulk-size\": 5, \"param-source\": \"bulk\""));
    loads(TASK("bulk", "\"bulk-size\": 5, \"param-source\": \"file-reader\""));
    loads(TASK("search", "\"body\": {}, \"param-source\": \"search\""));
    refuses(
        TASK("search", "\"body\": {}, \"param-source\": \"bulk\""),
        "param-source: \"bulk\" is Rally's Python, which does not run here: "
        "write out what it makes; accepted: search");
    refuses(TASK("bulk", "\"bulk-size\": 5, \"param-source\": \"mine\""),
            "accepted: bulk, file-reader");
}

static void field_caps_asks_for_all_fields_or_some(void **state)
{
    (void)state;
    struct plan *p = rendered(TASK("field-caps", "\"name\": \"f\""));
    const struct plan_request *r = p->steps[0].tasks->requests;
    assert_string_equal(r->method, "GET");
    assert_string_equal(r->path, "/_all/_field_caps?fields=*");
    plan_free(p);
    p = rendered(TASK("field-caps", "\"index\": \"a*\", \"fields\": \"x,y\", "
                                    "\"index_filter\": {\"term\": {}}"));
    r = p->steps[0].tasks->requests;
    assert_string_equal(r->method, "POST");
    assert_string_equal(r->path, "/a*/_field_caps?fields=x,y");
    assert_string_equal(r->body, "{\"index_filter\":{\"term\":{}}}");
    plan_free(p);
}

static void composite_takes_whatever_only_asks(void **state)
{
    (void)state;
    struct plan *p = rendered(STREAM("{\"operation-type\": \"field-caps\"}, "
                                     "{\"operation-type\": \"info\"}, "
                                     "{\"operation-type\": \"node-stats\"}, "
                                     "{\"operation-type\": \"index-stats\"}"));
    assert_int_equal(p->steps[0].tasks->streams[0].n_requests, 4);
    assert_string_equal(p->steps[0].tasks->streams[0].requests[3].path,
                        "/_all/_stats");
    plan_free(p);
    refuses(STREAM("{\"operation-type\": \"index-stats\", \"condition\": "
                   "{\"path\": \"a\", \"expected-value\": 0}}"),
            "condition: is not supported within a composite operation");
    refuses(STREAM("{\"operation-type\": \"refresh\"}"),
            "\"refresh\" is not supported in a composite");
    refuses(STREAM("{\"operation-type\": \"scroll-search\", \"body\": {}, "
                   "\"pages\": 2}"),
            "\"scroll-search\" is not supported in a composite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assertions_are_checked_and_change_nothing),
        cmocka_unit_test(param_source_may_be_rallys_own),
        cmocka_unit_test(field_caps_asks_for_all_fields_or_some),
        cmocka_unit_test(composite_takes_whatever_only_asks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
