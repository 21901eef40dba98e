#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "target/flatten.h"
#include "target/merge.h"
#include "tests/lib/check.h"

/* Fields of a mapping, in a file that is gone at once. */
static struct fields *fields_of(const char *mapping)
{
    char path[] = "/tmp/pitwall-fields-XXXXXX";
    struct fields *f = NULL;
    struct jv *v = NULL;
    struct why why = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    assert_int_equal(unlink(path), 0);
    check_ok(jv_parse(&v, "mapping", mapping, strlen(mapping), &why), why);
    check_ok(fields_create(&f, path, v, &why), why);
    assert_int_equal(unlink(path), 0);
    jv_free(v);
    return f;
}

static void expect(struct fields *f, const char *json, const char *text)
{
    struct why why = {0};
    size_t len = strlen(json), n;
    char *to = malloc(FLATTEN_ROOM(len));
    assert_non_null(to);
    check_ok(flatten(f, json, len, to, &n, &why), why);
    assert_int_equal(n, strlen(text));
    assert_memory_equal(to, text, n);
    free(to);
}

/* Numbers are given in the order of appearance: 0 is "00", 1 is "01". */
static void flatten_marks_each_value_with_its_field(void **state)
{
    (void)state;
    struct fields *f = fields_of("{}");
    expect(f, "{\"name\":\"Sao Paulo\",\"pop\":12,\"old\":true,\"no\":null}",
           "\1"
           "00Sao Paulo"
           "\2"
           "0112"
           "\2"
           "02true");
    /* The same fields again, in another order, and one inside an object. */
    expect(f, " { \"pop\" : [ 1 , 2.5e3 ] , \"at\" : { \"name\" : \"x\" } } ",
           "\2"
           "011"
           "\2"
           "012.5e3"
           "\1"
           "03x");
    fields_free(f);
}

static void flatten_decodes_escapes_and_blanks_controls(void **state)
{
    (void)state;
    struct fields *f = fields_of("{}");
    expect(f, "{\"a\":\"q\\\"\\\\\\/\\n\\u0001\\u00e9\\ud83d\\ude00\"}",
           "\1"
           "00q\"\\/  \xc3\xa9\xf0\x9f\x98\x80");
    /* A name that is written in another way is the same name. */
    expect(f, "{\"\\u0061\":\"b\"}",
           "\1"
           "00b");
    fields_free(f);
}

static void flatten_follows_the_mapping(void **state)
{
    (void)state;
    struct fields *f = fields_of(
        "{\"_doc\":{\"properties\":{"
        "\"name\":{\"type\":\"text\",\"fields\":{\"raw\":{\"type\":\"keyword\"}"
        "}},\"code\":{\"type\":\"keyword\"},"
        "\"blob\":{\"type\":\"text\",\"index\":false},"
        "\"at\":{\"properties\":{\"x\":{\"type\":\"long\"}}}}}}");
    /* name.raw 0, name 1, code 2, blob 3, at.x 4 */
    expect(f,
           "{\"name\":\"A b\",\"code\":\"C d\",\"blob\":\"e\",\"at\":{\"x\":5"
           "}}",
           "\1"
           "01A b"
           "\2"
           "00A b"
           "\2"
           "02C d"
           "\2"
           "045");
    fields_free(f);
}

/* ignore_above 256 of an exact value; a text has no such limit. */
static void flatten_leaves_long_exact_values_out(void **state)
{
    (void)state;
    struct fields *f =
        fields_of("{\"properties\":{\"k\":{\"type\":\"keyword\"}}"
                  "}");
    char json[512], text[512];
    (void)snprintf(json, sizeof json, "{\"k\":\"%0256d\"}", 7);
    (void)snprintf(text, sizeof text, "\2%s%0256d", "00", 7);
    expect(f, json, text);
    (void)snprintf(json, sizeof json, "{\"k\":\"%0257d\"}", 7);
    expect(f, json, "");
    fields_free(f);
}

static void flatten_heeds_dynamic(void **state)
{
    (void)state;
    struct why why = {0};
    char to[64];
    size_t n;
    struct fields *f = fields_of("{\"dynamic\":\"strict\",\"properties\":{"
                                 "\"a\":{\"type\":\"text\"}}}");
    check_err(flatten(f, "{\"b\":1}", 7, to, &n, &why), ERR_INVALID);
    check_says(why, "mapping set to strict, dynamic introduction of [b] within "
                    "[_doc] is not allowed");
    fields_free(f);
    f = fields_of("{\"dynamic\":false}");
    expect(f, "{\"b\":1}", "");
    fields_free(f);
}

/* 1000 fields fit, as in Elasticsearch; and room for 255 bytes of a path. */
static void flatten_bounds_the_fields(void **state)
{
    (void)state;
    struct why why = {0};
    struct fields *f = fields_of("{}");
    char json[600], to[2600];
    size_t n;
    for (unsigned i = 0; i < 1000; i++) {
        int len = snprintf(json, sizeof json, "{\"f%u\":1}", i);
        check_ok(flatten(f, json, (size_t)len, to, &n, &why), why);
    }
    check_err(flatten(f, "{\"g\":1}", 7, to, &n, &why), ERR_RANGE);
    check_says(why, "Limit of total fields [1000] has been exceeded");
    int len = snprintf(json, sizeof json, "{\"%0256d\":1}", 1);
    assert_int_equal(flatten(f, json, (size_t)len, to, &n, &why), ERR_RANGE);
    fields_free(f);
}

/* The worst of a document: sixteen bytes and four for each byte. */
static void flatten_stays_within_its_room(void **state)
{
    (void)state;
    struct fields *f = fields_of("{}");
    char json[401] = "{\"a\":[0", text[1000];
    size_t len = strlen(json), n = 0;
    for (; len + 4 < sizeof json; len += 2)
        memcpy(json + len, ",0", 3);
    memcpy(json + len, "]}", 3);
    for (size_t i = 0; i < (len - 5) / 2; i++)
        n += (size_t)sprintf(text + n, "\2%s", "000");
    assert_true(n <= FLATTEN_ROOM(strlen(json)));
    expect(f, json, text);
    fields_free(f);
}

static void fields_are_found_again_by_their_numbers(void **state)
{
    (void)state;
    char path[] = "/tmp/pitwall-fields-XXXXXX";
    struct why why = {0};
    struct fields *f = NULL;
    struct jv *v = NULL;
    const struct field *field;
    static const char mapping[] =
        "{\"dynamic\":\"strict\",\"properties\":{\"a\":{\"type\":\"text\","
        "\"fields\":{\"raw\":{\"type\":\"keyword\"}}}}}";
    (void)close(mkstemp(path));
    assert_int_equal(unlink(path), 0);
    check_ok(jv_parse(&v, "m", mapping, strlen(mapping), &why), why);
    check_ok(fields_create(&f, path, v, &why), why);
    check_ok(fields_add(f, "b c", 3, FIELD_EXACT, &field, &why), why);
    check_ok(fields_sync(f, &why), why);
    fields_free(f);
    check_ok(fields_open(&f, path, &why), why);
    assert_int_equal(fields_dynamic(f), FIELDS_STRICT);
    field = fields_find(f, "a", 1);
    assert_non_null(field);
    assert_int_equal(field->number, 1);
    assert_string_equal(field->sub->path, "a.raw");
    assert_int_equal(fields_find(f, "b c", 3)->number, 2);
    assert_null(fields_find(f, "b", 1));
    fields_free(f);
    FILE *broken = fopen(path, "a");
    assert_non_null(broken);
    (void)fputs("7 1 -1 x\n", broken);
    (void)fclose(broken);
    assert_int_equal(fields_open(&f, path, &why), ERR_CORRUPT);
    (void)unlink(path);
    jv_free(v);
}

static void merged(const char *old, const char *new, const char *want,
                   bool changes)
{
    char to[256];
    bool changed;
    size_t n = merge_objects(old, strlen(old), new, strlen(new), to, &changed);
    assert_int_equal(n, strlen(want));
    assert_memory_equal(to, want, n);
    assert_int_equal(changed, changes);
    assert_true(n <= MERGE_ROOM(strlen(old), strlen(new)));
}

static void merge_lays_members_over_members(void **state)
{
    (void)state;
    merged("{}", "{}", "{}", false);
    merged("{\"a\":1}", "{\"a\":1}", "{\"a\":1}", false);
    merged("{\"a\":1,\"b\":[2]}", "{\"b\":3,\"c\":\"}\"}",
           "{\"a\":1,\"b\":3,\"c\":\"}\"}", true);
    merged(" { \"a\" : {\"x\":1,\"y\":2} } ", "{\"a\":{\"y\":null}}",
           "{\"a\":{\"x\":1,\"y\":null}}", true);
    merged("{\"a\":{\"x\":1}}", "{\"a\":5}", "{\"a\":5}", true);
    merged("{\"a\":5}", "{\"a\":{}}", "{\"a\":{}}", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flatten_marks_each_value_with_its_field),
        cmocka_unit_test(flatten_decodes_escapes_and_blanks_controls),
        cmocka_unit_test(flatten_follows_the_mapping),
        cmocka_unit_test(flatten_leaves_long_exact_values_out),
        cmocka_unit_test(flatten_heeds_dynamic),
        cmocka_unit_test(flatten_bounds_the_fields),
        cmocka_unit_test(flatten_stays_within_its_room),
        cmocka_unit_test(fields_are_found_again_by_their_numbers),
        cmocka_unit_test(merge_lays_members_over_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
