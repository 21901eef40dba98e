#include "common/json.h"
#include "tests/lib/check.h"
#include "tracks/generator.h"

static const struct generator *const geonames = &generator_geonames;

static void geonames_makes_the_same_bytes_on_every_machine(void **state)
{
    (void)state;
    static const char first[] =
        "{\"geonameid\": 1000000, \"name\": \"San Rista\", "
        "\"asciiname\": \"San Rista\", "
        "\"alternatenames\": \"Marlanor Cemetery,Ba\xc5\x8di\", "
        "\"feature_class\": \"P\", \"feature_code\": \"PPL\", "
        "\"country_code\": \"CA\", \"admin1_code\": \"13\", "
        "\"population\": 210, \"dem\": \"293\", "
        "\"timezone\": \"America/Toronto\", "
        "\"location\": [-105.77539, 57.83348]}";
    static char doc[4096];
    size_t len = geonames->make(doc, 1, 0);
    assert_int_equal(len, sizeof first - 1);
    assert_memory_equal(doc, first, len);
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
        const struct jv *location = jv_get(v, "location");
        double latitude = jv_number(jv_at(location, 1), 999);
        assert_true(latitude >= -90 && latitude <= 90);
        double longitude = jv_number(jv_at(location, 0), 999);
        assert_true(longitude >= -180 && longitude <= 180);
        assert_null(memchr(doc, '\n', len));
        jv_free(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geonames_makes_the_same_bytes_on_every_machine),
        cmocka_unit_test(geonames_documents_are_json_with_distinct_ids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
