#include <stdio.h>

#include "target/cluster.h"
#include "tests/lib/check.h"

static struct cluster *cluster;
static char text[16384];

static int begin(void **state)
{
    (void)state;
    cluster = cluster_new();
    return cluster ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    cluster_free(cluster);
    return 0;
}

static void put(const char *body, const char *answer)
{
    struct why why = {""};
    struct out o = out_to(text, sizeof text);
    check_ok(cluster_put(cluster, body, strlen(body), &o, &why), why);
    text[o.len] = '\0';
    assert_false(o.cut);
    assert_string_equal(text, answer);
}

static void refused(const char *body, enum err code, const char *says)
{
    struct why why = {""};
    struct out o = out_to(text, sizeof text);
    check_err(cluster_put(cluster, body, strlen(body), &o, &why), code);
    check_says(why, says);
    assert_int_equal(o.len, 0);
}

static void shown(const char *answer)
{
    struct out o = out_to(text, sizeof text);
    cluster_show(cluster, &o);
    text[o.len] = '\0';
    assert_string_equal(text, answer);
}

static void settings_are_echoed_as_texts_and_nested(void **state)
{
    (void)state;
    shown("{\"persistent\":{},\"transient\":{}}");
    put("{\"transient\":{\"search.max_buckets\":10000,\"a\":{\"b\":true}}}",
        "{\"acknowledged\":true,\"persistent\":{},\"transient\":"
        "{\"a\":{\"b\":\"true\"},\"search\":{\"max_buckets\":\"10000\"}}}");
    put("{\"persistent\":{\"a.b.d\":\"x\\\"y\",\"a.b.c\":0.5,\"a-b\":-1}}",
        "{\"acknowledged\":true,\"persistent\":{\"a-b\":\"-1\",\"a\":{\"b\":"
        "{\"c\":\"0.5\",\"d\":\"x\\\"y\"}}},\"transient\":{}}");
    shown("{\"persistent\":{\"a-b\":\"-1\",\"a\":{\"b\":{\"c\":\"0.5\","
          "\"d\":\"x\\\"y\"}}},\"transient\":{\"a\":{\"b\":\"true\"},"
          "\"search\":{\"max_buckets\":\"10000\"}}}");
}

static void null_takes_settings_back(void **state)
{
    (void)state;
    put("{\"transient\":{\"a.b\":1,\"a.c\":2,\"ab\":3}}",
        "{\"acknowledged\":true,\"persistent\":{},\"transient\":"
        "{\"a\":{\"b\":\"1\",\"c\":\"2\"},\"ab\":\"3\"}}");
    put("{\"transient\":{\"a.b\":null}}",
        "{\"acknowledged\":true,\"persistent\":{},\"transient\":{}}");
    shown("{\"persistent\":{},\"transient\":{\"a\":{\"c\":\"2\"},"
          "\"ab\":\"3\"}}");
    put("{\"transient\":{\"a.*\":null}}",
        "{\"acknowledged\":true,\"persistent\":{},\"transient\":{}}");
    shown("{\"persistent\":{},\"transient\":{\"ab\":\"3\"}}");
}

static void what_is_refused_changes_nothing(void **state)
{
    (void)state;
    char body[4096];
    size_t n = (size_t)sprintf(body, "{\"transient\":{");
    refused("{\"transient\":{\"a\":1},\"defaults\":{}}", ERR_INVALID,
            "unknown field [defaults]");
    refused("{}", ERR_INVALID, "no settings to update");
    refused("", ERR_INVALID, "body:1");
    refused("{\"transient\":{\"a\":[1]}}", ERR_INVALID, "setting [a]");
    refused("{\"transient\":{\"a\":1,\"a.b\":2}}", ERR_INVALID,
            "[a.b] cannot stand beside [a]");
    refused("{\"transient\":{\"a b\":1}}", ERR_INVALID, "no setting's name");
    refused("{\"transient\":{\"a.*\":1}}", ERR_INVALID, "no setting's name");
    refused("{\"transient\":{\".a\":1}}", ERR_INVALID, "no setting's name");
    refused("{\"transient\":{\"a.\":1}}", ERR_INVALID, "no setting's name");
    refused("{\"transient\":{\"*\":null}}", ERR_INVALID, "no setting's name");
    for (int i = 0; i < 33; i++)
        n += (size_t)sprintf(body + n, "%s\"k%d\":%d", i ? "," : "", i, i);
    (void)sprintf(body + n, "}}");
    refused(body, ERR_RANGE, "more than 32 settings");
    shown("{\"persistent\":{},\"transient\":{}}");
}

/* 32 values of 191 quotes: 32 * 191 * 6 is more than 7000. */
static void long_values_do_not_outgrow_the_answer(void **state)
{
    (void)state;
    char body[8192], value[2 * 191 + 1];
    size_t n = (size_t)sprintf(body, "{\"persistent\":{");
    for (int i = 0; i < 191; i++)
        memcpy(value + 2 * i, "\\\"", 3);
    for (int i = 0; i < 16; i++)
        n += (size_t)sprintf(body + n, "%s\"k%d\":\"%s\"", i ? "," : "", i,
                             value);
    (void)sprintf(body + n, "}}");
    refused(body, ERR_RANGE, "longer than 7000 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(settings_are_echoed_as_texts_and_nested,
                                        begin, end),
        cmocka_unit_test_setup_teardown(null_takes_settings_back, begin, end),
        cmocka_unit_test_setup_teardown(what_is_refused_changes_nothing, begin,
                                        end),
        cmocka_unit_test_setup_teardown(long_values_do_not_outgrow_the_answer,
                                        begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
