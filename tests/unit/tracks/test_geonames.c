#include <stdio.h>

#include "common/crc.h"
#include "common/json.h"
#include "tests/lib/check.h"
#include "tracks/generator.h"

static const struct generator *const geonames = &generator_geonames;

static uint32_t crc_of(uint64_t seed, uint64_t n)
{
    static char doc[4096];
    uint32_t crc = 0;
    for (uint64_t i = 0; i < n; i++)
        crc = crc32c(crc, doc, geonames->make(doc, seed, i));
    return crc;
}

static void geonames_makes_the_same_bytes_on_every_machine(void **state)
{
    (void)state;
    static const char first[] =
        "{\"geonameid\":1000000,\"name\":\"San Rista\","
        "\"asciiname\":\"San Rista\","
        "\"alternatenames\":\"Lanorza,Ba\xc5\x8di,Linha\","
        "\"latitude\":45.36293,\"longitude\":-105.77539,"
        "\"feature_class\":\"P\",\"feature_code\":\"PPL\","
        "\"country_code\":\"CA\",\"population\":52,\"dem\":2132,"
        "\"timezone\":\"America/Toronto\"}";
    static char doc[4096];
    size_t len = geonames->make(doc, 1, 0);
    assert_int_equal(len, sizeof first - 1);
    assert_memory_equal(doc, first, len);
    assert_int_equal(crc_of(1, 1000), 0xeb3d71c6);
    assert_int_equal(crc_of(2, 1000), 0xae5d20cd);
}

static void geonames_needs_no_order(void **state)
{
    (void)state;
    static char once[4096], again[4096];
    size_t len = geonames->make(once, 7, 123456);
    (void)geonames->make(again, 7, 5);
    assert_int_equal(geonames->make(again, 7, 123456), len);
    assert_memory_equal(once, again, len);
}

static void geonames_documents_are_json_with_distinct_ids(void **state)
{
    (void)state;
    static char doc[4096];
    for (uint64_t i = 0; i < 500; i++) {
        struct why why = {0};
        struct jv *v;
        size_t len = geonames->make(doc, 3, i);
        check_ok(jv_parse(&v, "doc", doc, len, &why), why);
        assert_int_equal(jv_number(jv_get(v, "geonameid"), 0), 1000000 + i);
        assert_true(strlen(jv_text(jv_get(v, "name"), "")) >= 2);
        assert_int_equal(strlen(jv_text(jv_get(v, "country_code"), "")), 2);
        double latitude = jv_number(jv_get(v, "latitude"), 999);
        assert_true(latitude >= -90 && latitude <= 90);
        double longitude = jv_number(jv_get(v, "longitude"), 999);
        assert_true(longitude >= -180 && longitude <= 180);
        assert_null(memchr(doc, '\n', len));
        jv_free(v);
    }
}

/* 250 bytes within 2 %, most within 200..300, a tail beyond 400. */
static void geonames_sizes_spread_around_250_bytes(void **state)
{
    (void)state;
    static char doc[4096];
    uint64_t sum = 0, small = 0, large = 0, huge = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        size_t len = geonames->make(doc, 1, i);
        assert_true(len <= geonames->doc_max);
        sum += len;
        small += len < 200;
        large += len > 300;
        huge += len > 400;
    }
    assert_true(sum >= 245 * 100000 && sum <= 255 * 100000);
    assert_true(small > 0 && small < 10000);
    assert_true(large > 2000 && large < 15000);
    assert_true(huge > 50);
}

static void generator_find_knows_its_names(void **state)
{
    (void)state;
    char names[64];
    assert_ptr_equal(generator_find("geonames"), geonames);
    assert_null(generator_find("geoname"));
    assert_string_equal(generator_names(names, sizeof names), "geonames");
    assert_null(generator_at(1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geonames_makes_the_same_bytes_on_every_machine),
        cmocka_unit_test(geonames_needs_no_order),
        cmocka_unit_test(geonames_documents_are_json_with_distinct_ids),
        cmocka_unit_test(geonames_sizes_spread_around_250_bytes),
        cmocka_unit_test(generator_find_knows_its_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
