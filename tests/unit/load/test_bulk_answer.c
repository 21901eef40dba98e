#include "load/bulk_answer.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

/* Read text in two pieces cut at at. */
static struct bulk_answer read_cut(const char *text, size_t len, size_t at)
{
    struct bulk_answer a;
    bulk_answer_begin(&a);
    bulk_answer_feed(&a, text, at);
    bulk_answer_feed(&a, text + at, len - at);
    return a;
}

/* Of docs documents taken were taken, whatever the cuts: at each byte once, and
 * byte by byte, on guarded memory. */
static void takes(const char *text, uint32_t docs, uint32_t taken)
{
    size_t len = strlen(text);
    char *copy = guard_copy(text, len);
    for (size_t at = 0; at <= len; at++) {
        struct bulk_answer a = read_cut(copy, len, at);
        assert_int_equal(bulk_answer_taken(&a, docs), taken);
    }
    struct bulk_answer a;
    bulk_answer_begin(&a);
    for (size_t i = 0; i < len; i++)
        bulk_answer_feed(&a, copy + i, 1);
    assert_int_equal(bulk_answer_taken(&a, docs), taken);
    guard_free(copy, len);
}

static const char mixed[] =
    "{\"took\":30,\"errors\":true,\"items\":[{\"index\":{\"_index\":\"a\","
    "\"_id\":\"1\",\"_version\":1,\"result\":\"created\",\"_shards\":{"
    "\"total\":2,\"successful\":1,\"status\":500,\"failed\":0},\"_seq_no\":0,"
    "\"status\":201}},{\"index\":{\"_index\":\"a\",\"status\":429,\"error\":{"
    "\"type\":\"es_rejected_execution_exception\",\"reason\":\"a \\\"status\\\""
    ":201 } ] \\\\\",\"status\":200}}},{\"create\":{\"status\":400,\"error\":{"
    "\"type\":\"mapper_parsing_exception\"}}}, {\"index\": {\"status\": "
    "200}}]}";

static void bulk_answer_believes_no_errors(void **state)
{
    (void)state;
    takes("{\"took\":3,\"errors\":false,\"items\":[]}", 5000, 5000);
    takes("{ \"took\" : 3 , \"errors\" : false , \"items\" : [ ] }", 7, 7);
    takes("{\"errors\":false,\"items\":[{\"index\":{\"status\":500}}]}", 1, 1);
    takes("{\"errors\":false", 5, 5);
}

static void bulk_answer_counts_items_when_there_are_errors(void **state)
{
    (void)state;
    takes(mixed, 4, 2);
    struct bulk_answer a = read_cut(mixed, strlen(mixed), 0);
    assert_int_equal(a.ok, 2);
    assert_int_equal(a.failed, 2);
    assert_int_equal(a.first_failed, 429);
    assert_string_equal(a.type, "es_rejected_execution_exception");
    assert_true(a.errors);
    assert_false(a.clean);
}

static void bulk_answer_never_takes_more_than_was_sent(void **state)
{
    (void)state;
    takes(mixed, 1, 1);
    takes(mixed, 0, 0);
    takes("{\"errors\":true,\"items\":[]}", 5, 0);
    takes("{\"errors\":true}", 5, 0);
}

static void bulk_answer_counts_items_without_the_word_errors(void **state)
{
    (void)state;
    takes("{\"items\":[{\"index\":{\"status\":201}},{\"index\":{\"status\":"
          "503}}]}",
          2, 1);
    /* errors behind the items */
    takes("{\"items\":[{\"index\":{\"status\":201}},{\"index\":{\"status\":"
          "503}}],\"errors\":true}",
          2, 1);
}

static void bulk_answer_of_another_server_takes_all(void **state)
{
    (void)state;
    takes("", 9, 9);
    takes("ok", 9, 9);
    takes("{\"acknowledged\":true}", 9, 9);
    takes("[true, false, 500]", 9, 9);
    takes("\"errors\":", 9, 9);
}

static void bulk_answer_is_not_misled_by_lookalikes(void **state)
{
    (void)state;
    /* in a string, at another depth, as a value, a longer key */
    takes("{\"x\":\"\\\"errors\\\":false\",\"errors\":true,\"items\":[]}", 3,
          0);
    takes("{\"x\":{\"errors\":false},\"errors\":true,\"items\":[]}", 3, 0);
    takes("{\"x\":\"errors\",\"y\":false,\"errors\":true,\"items\":[]}", 3, 0);
    takes("{\"errorsx\":false,\"errors\":true,\"items\":[]}", 3, 0);
    takes("{\"errors\":true,\"other\":[{\"index\":{\"status\":200}}],"
          "\"items\":[{\"index\":{\"status\":200}}]}",
          3, 1);
    takes("{\"errors\":true,\"items\":{\"a\":{\"b\":{\"status\":200}}}}", 3, 0);
    takes("{\"errors\":true,\"items\":[{\"index\":{\"status\":\"200\"}}]}", 3,
          0);
    /* a status that is said twice counts once */
    takes("{\"errors\":true,\"items\":[{\"index\":{\"status\":200,\"status\":"
          "200}}]}",
          3, 1);
}

static void bulk_answer_survives_nonsense(void **state)
{
    (void)state;
    takes("}}}]]]{\"errors\":false}", 3, 3);
    takes("{\"errors\":true,\"items\":[{\"index\":{\"status\":"
          "99999999999999999999999}}]}",
          3, 0);
    takes("{{{{{{{{[[[[\"", 3, 3);
}

static void bulk_answer_tells_whether_it_speaks_of_documents(void **state)
{
    static const struct {
        const char *text;
        bool counts;
    } cases[] = {{"", false},
                 {"{}", false},
                 {"<html>errors</html>", false},
                 {"{\"took\":1}", false},
                 {"{\"errors\":false}", true},
                 {"{\"errors\":true,\"items\":[]}", true},
                 {"{\"items\":[{\"index\":{\"status\":201}}]}", true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bulk_answer a = read_cut(cases[i].text, strlen(cases[i].text),
                                        strlen(cases[i].text));
        assert_int_equal(bulk_answer_counts(&a), cases[i].counts);
    }
}

static void bulk_answer_keeps_63_characters_of_a_type(void **state)
{
    (void)state;
    static const char text[] =
        "{\"errors\":true,\"items\":[{\"index\":{\"status\":500,\"error\":{"
        "\"type\":\"0123456789012345678901234567890123456789012345678901234567"
        "890123456789\"}}}]}";
    struct bulk_answer a = read_cut(text, strlen(text), 70);
    assert_int_equal(strlen(a.type), 63);
    assert_memory_equal(a.type, "0123456789", 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bulk_answer_believes_no_errors),
        cmocka_unit_test(bulk_answer_counts_items_when_there_are_errors),
        cmocka_unit_test(bulk_answer_never_takes_more_than_was_sent),
        cmocka_unit_test(bulk_answer_counts_items_without_the_word_errors),
        cmocka_unit_test(bulk_answer_of_another_server_takes_all),
        cmocka_unit_test(bulk_answer_is_not_misled_by_lookalikes),
        cmocka_unit_test(bulk_answer_survives_nonsense),
        cmocka_unit_test(bulk_answer_tells_whether_it_speaks_of_documents),
        cmocka_unit_test(bulk_answer_keeps_63_characters_of_a_type)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
