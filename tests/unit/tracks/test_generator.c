#include <stdio.h>
#include <stdlib.h>

#include "common/crc.h"
#include "common/json.h"
#include "tests/lib/check.h"
#include "tracks/generator.h"
#include "tracks/pmc.h"
#include "tracks/prose.h"

/* What each generator makes; sizes with the newline that ends a document. */
static const struct golden {
    const struct generator *generator;
    uint32_t docs, crc_1, crc_2; /* CRC-32C of so many, of seeds 1 and 2 */
    uint32_t sized;              /* documents that the sizes are of; 0: below */
    double mean_bytes, within;   /* published, and how near ours is */
    uint32_t shortest, p10, p90, longest;
} goldens[] = {
    /* 3547613828 / 11396503 */
    {&generator_geonames, 1000, 0xc40b5841, 0x4e91dbf4, 100000, 311.29, 3, 230,
     255, 378, 900},
    /* 33365244237 / 247249096 */
    {&generator_http_logs, 1000, 0x8ec82e1c, 0x57c7fa43, 100000, 134.95, 1, 100,
     127, 144, 170},
    /* 79802445255 / 165346692 */
    {&generator_nyc_taxis, 1000, 0x8e4064b7, 0xadf9c498, 100000, 482.63, 2, 470,
     479, 483, 490},
    /* 23256051757 / 574199 */
    {&generator_pmc, 20, 0xbe6dd7ed, 0x63b7949d, 0, 40501.7, 0, 0, 0, 0, 0}};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static char *buffer(const struct generator *g)
{
    char *doc = malloc(g->doc_max);
    assert_non_null(doc);
    return doc;
}

static uint32_t crc_of(const struct generator *g, uint64_t seed, uint64_t n)
{
    char *doc = buffer(g);
    uint32_t crc = 0;
    for (uint64_t i = 0; i < n; i++)
        crc = crc32c(crc, doc, g->make(doc, seed, i));
    free(doc);
    return crc;
}

static void generators_make_the_same_bytes_on_every_machine(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(goldens); i++) {
        const struct golden *g = &goldens[i];
        assert_int_equal(crc_of(g->generator, 1, g->docs), g->crc_1);
        assert_int_equal(crc_of(g->generator, 2, g->docs), g->crc_2);
    }
}

static void generators_need_no_order(void **state)
{
    (void)state;
    const struct generator *g;
    for (size_t i = 0; (g = generator_at(i)); i++) {
        char *once = buffer(g), *again = buffer(g);
        size_t len = g->make(once, 7, 123456);
        (void)g->make(again, 7, 5);
        assert_int_equal(g->make(again, 7, 123456), len);
        assert_memory_equal(once, again, len);
        free(once);
        free(again);
    }
}

/* Every document is one line of JSON in UTF-8 (jansson refuses other bytes),
 * within doc_max, also far from the beginning. */
static void generators_make_one_line_of_json(void **state)
{
    (void)state;
    static const uint64_t places[] = {0, 1000000, 247249000};
    const struct generator *g;
    for (size_t i = 0; (g = generator_at(i)); i++) {
        char *doc = buffer(g);
        for (uint64_t n = 0; n < 300; n++) {
            struct why why = {0};
            struct jv *v;
            size_t len = g->make(doc, 3, places[n % 3] + n);
            assert_true(len <= g->doc_max);
            assert_null(memchr(doc, '\n', len));
            check_ok(jv_parse(&v, g->name, doc, len, &why), why);
            assert_true(jv_size(v) > 0);
            jv_free(v);
        }
        free(doc);
    }
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void records_are_as_long_as_published(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(goldens); i++) {
        const struct golden *g = &goldens[i];
        uint32_t *sizes = calloc(g->sized + 1, sizeof *sizes);
        char *doc = buffer(g->generator);
        double sum = 0;
        for (uint32_t n = 0; n < g->sized; n++) {
            sizes[n] = (uint32_t)g->generator->make(doc, 1, n) + 1;
            sum += sizes[n];
        }
        if (g->sized) {
            qsort(sizes, g->sized, sizeof *sizes, by_size);
            check_near(sum / g->sized, g->mean_bytes, g->within);
            assert_true(sizes[0] >= g->shortest);
            check_near(sizes[g->sized / 10], g->p10, 2);
            check_near(sizes[g->sized / 10 * 9], g->p90, 2);
            assert_true(sizes[g->sized - 1] <= g->longest);
        }
        free(sizes);
        free(doc);
    }
}

/* The whole corpus as published: 574199 documents, 40502 bytes on average with
 * the newline; 500 a bulk 20.25 MB, the largest 46.57 MiB = 48.83 MB. */
static void pmc_sizes_follow_the_published_bulks(void **state)
{
    (void)state;
    uint64_t sum = 0, bulk = 0, largest = 0, tail = 0, small = 0;
    for (uint64_t i = 0; i < 574199; i++) {
        uint64_t bytes = pmc_bytes(1, i) + 1;
        sum += bytes;
        bulk += bytes;
        tail += bytes > 200000;
        small += bytes < 10000;
        if (i % 500 == 499) {
            largest = bulk > largest ? bulk : largest;
            bulk = 0;
        }
    }
    check_near((double)sum / 574199, 40501.7, 1000);
    check_near((double)largest / 1e6, 48.83, 2);
    /* 7 % below 10 kB, 4 in 1000 above 200 kB */
    check_near((double)small / 574199, 0.072, 0.02);
    check_near((double)tail / 574199, 0.004, 0.003);
}

static void pmc_documents_have_exactly_that_size(void **state)
{
    (void)state;
    char *doc = buffer(&generator_pmc);
    for (uint64_t i = 400; i < 600; i++)
        assert_int_equal(generator_pmc.make(doc, 9, i), pmc_bytes(9, i));
    free(doc);
}

static void prose_words_are_all_different(void **state)
{
    (void)state;
    char(*words)[PROSE_WORD_MAX] = calloc(PROSE_WORDS, sizeof *words);
    assert_non_null(words);
    for (unsigned i = 0; i < PROSE_WORDS; i++)
        assert_true(prose_word(words[i], i) < PROSE_WORD_MAX);
    qsort(words, PROSE_WORDS, sizeof *words,
          (int (*)(const void *, const void *))strcmp);
    for (unsigned i = 1; i < PROSE_WORDS; i++)
        if (!strcmp(words[i - 1], words[i]))
            fail_msg("\"%s\" twice", words[i]);
    free(words);
}

/* 1/16 of all words is the first, 1/16 the next two together, ... */
static void prose_ranks_follow_zipf(void **state)
{
    (void)state;
    struct rand r = {5};
    unsigned octaves[16] = {0};
    for (int i = 0; i < 160000; i++) {
        unsigned rank = prose_rank(&r) + 1, octave = 0;
        while (rank >> (octave + 1))
            octave++;
        assert_in_range(octave, 0, 15);
        octaves[octave]++;
    }
    for (int i = 0; i < 16; i++) /* 10000 +- 4 sigma of 97 */
        check_near(octaves[i], 10000, 400);
}

static void prose_fill_ends_where_it_should(void **state)
{
    (void)state;
    char text[300];
    for (size_t bytes = 0; bytes < 250; bytes++) {
        struct rand r = {bytes};
        struct draw_out o = {text};
        memset(text, '#', sizeof text);
        prose_fill(&r, &o, bytes);
        assert_ptr_equal(o.at, text + bytes);
        assert_int_equal(text[bytes], '#');
        assert_null(memchr(text, '#', bytes));
    }
}

static void draw_put_writes_numbers(void **state)
{
    (void)state;
    char text[64];
    struct draw_out o = {text};
    draw_put_decimal(&o, -7300012, 100000);
    draw_put(&o, " ");
    draw_put_decimal(&o, 5, 100);
    draw_put(&o, " ");
    draw_put_u64(&o, UINT64_MAX);
    draw_put(&o, " ");
    draw_put_digits(&o, 42, 4);
    *o.at = 0;
    assert_string_equal(text, "-73.00012 0.05 18446744073709551615 0042");
}

static void draw_quantile_stays_between_its_ends(void **state)
{
    (void)state;
    uint32_t quantiles[DRAW_QUANTILES];
    struct rand r = {1};
    double sum = 0;
    for (uint32_t i = 0; i < DRAW_QUANTILES; i++)
        quantiles[i] = 100 + 10 * i; /* even: 100 to 420, mean 260 */
    for (int i = 0; i < 100000; i++) {
        uint64_t v = draw_quantile(&r, quantiles);
        assert_in_range(v, 100, 420);
        sum += (double)v;
    }
    check_near(sum / 100000, 260, 1.5); /* sigma 0.29, and cut to whole ones */
}

static void generator_find_knows_its_names(void **state)
{
    (void)state;
    char names[64];
    assert_ptr_equal(generator_find("pmc"), &generator_pmc);
    assert_null(generator_find("geoname"));
    assert_string_equal(generator_names(names, sizeof names),
                        "geonames, http_logs, nyc_taxis, pmc");
    assert_null(generator_at(4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generators_make_the_same_bytes_on_every_machine),
        cmocka_unit_test(generators_need_no_order),
        cmocka_unit_test(generators_make_one_line_of_json),
        cmocka_unit_test(records_are_as_long_as_published),
        cmocka_unit_test(pmc_sizes_follow_the_published_bulks),
        cmocka_unit_test(pmc_documents_have_exactly_that_size),
        cmocka_unit_test(prose_words_are_all_different),
        cmocka_unit_test(prose_ranks_follow_zipf),
        cmocka_unit_test(prose_fill_ends_where_it_should),
        cmocka_unit_test(draw_put_writes_numbers),
        cmocka_unit_test(draw_quantile_stays_between_its_ends),
        cmocka_unit_test(generator_find_knows_its_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
