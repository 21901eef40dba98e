#include "results/slice.h"
#include "tests/lib/check.h"

static char *heap_labels[] = {"1g", "2g", "4g"};
static char *link_labels[] = {"lo", "veth:mtu=1500"};
static struct matrix_factor factors[] = {{"heap", heap_labels, 3},
                                         {"link", link_labels, 2}};
static uint32_t levels[][2] = {{0, 0}, {1, 1}, {2, 0}, {0, 0}};
static struct matrix_cell cells[] = {{"a", levels[0], PURPOSE_MEASURE, 0},
                                     {"b", levels[1], PURPOSE_MEASURE, 0},
                                     {"c", levels[2], PURPOSE_MEASURE, 0},
                                     {"a again", levels[3], PURPOSE_CANARY, 0}};
static const struct matrix matrix = {
    .factors = factors, .n_factors = 2, .cells = cells, .n_cells = 4};

/* Which of the cells: a bit each. */
static unsigned chosen(const char *terms)
{
    struct why why = {0};
    struct slice slice;
    unsigned bits = 0;
    check_ok(slice_parse(&slice, &matrix, terms, &why), why);
    for (size_t c = 0; c < 4; c++)
        bits |= slice_has(&slice, &cells[c]) ? 1u << c : 0;
    slice_fini(&slice);
    return bits;
}

static void slice_has_the_cells_of_its_levels(void **state)
{
    (void)state;
    assert_int_equal(chosen(NULL), 7); /* no canary */
    assert_int_equal(chosen(""), 7);
    assert_int_equal(chosen("heap=1g"), 1);
    assert_int_equal(chosen("heap=1g,heap=4g"), 5);
    assert_int_equal(chosen("heap=2g,link=veth:mtu=1500"), 2);
    assert_int_equal(chosen("heap=2g,link=lo"), 0);
}

static void slice_names_what_there_is(void **state)
{
    (void)state;
    static const struct {
        const char *terms;
        enum err e;
        const char *says;
    } bad[] = {{"heap", ERR_USAGE, "\"heap\" is not factor=level"},
               {"rmem=low", ERR_NOTFOUND,
                "no factor \"rmem\" here; there are: heap, link"},
               {"heap=1g,heap=8g", ERR_NOTFOUND,
                "factor heap has no level \"8g\" here; it has: 1g, 2g, 4g"},
               {"heap=1g,,", ERR_USAGE, "\"\" is not"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct why why = {0};
        struct slice slice;
        check_err(slice_parse(&slice, &matrix, bad[i].terms, &why), bad[i].e);
        check_says(why, bad[i].says);
        assert_null(slice.levels);
    }
}

static void slice_split_parts_at_the_first_colon(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"3", "3", ""},
        {"3:heap=1g", "3", "heap=1g"},
        {":heap=1g", "", "heap=1g"},
        {"pmc:predictor=fixed:64k", "pmc", "predictor=fixed:64k"},
        {"", "", ""}};
    struct why why = {0};
    char id[SLICE_ID_MAX + 1], longest[SLICE_ID_MAX + 3];
    const char *terms = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_ok(slice_split(cases[i][0], id, &terms, &why), why);
        assert_string_equal(id, cases[i][1]);
        assert_string_equal(terms, cases[i][2]);
    }
    memset(longest, 'x', sizeof longest);
    longest[SLICE_ID_MAX + 1] = '\0';
    check_err(slice_split(longest, id, &terms, &why), ERR_USAGE);
    check_says(why, "at most 200 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slice_has_the_cells_of_its_levels),
        cmocka_unit_test(slice_names_what_there_is),
        cmocka_unit_test(slice_split_parts_at_the_first_colon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
