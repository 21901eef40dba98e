#include "results/bound_count.h"
#include "tests/lib/check.h"

static const char *shown(const struct bound_count *count)
{
    static char text[200];
    return bound_count_show(count, text, sizeof text);
}

static void counts_are_shown_most_first(void **state)
{
    (void)state;
    struct bound_count c = {.all = 0};
    assert_string_equal(shown(&c), "");
    bound_count_add(&c, BOUND_RATE, false);
    bound_count_add(&c, BOUND_RATE, false);
    assert_string_equal(shown(&c), "rate");
    for (int i = 0; i < 3; i++)
        bound_count_add(&c, BOUND_LINK, false);
    bound_count_add(&c, BOUND_RWND, false);
    bound_count_add(&c, BOUND_RWND, false); /* as often as rate, before it */
    bound_count_add(&c, BOUND_UNCLEAR, false);
    assert_string_equal(shown(&c), "link 3, rwnd 2, rate 2, unclear 1");
}

static void words_of_a_shared_host_have_a_star(void **state)
{
    (void)state;
    struct bound_count c = {.all = 0};
    bound_count_add(&c, BOUND_TARGET_GC, true);
    assert_string_equal(shown(&c), "target-gc*");
    bound_count_add(&c, BOUND_LINK, false);
    assert_string_equal(shown(&c), "link 1, target-gc* 1");
    assert_int_equal(c.shared, 1);
}

static void a_short_buffer_cuts_the_words(void **state)
{
    (void)state;
    struct bound_count c = {.all = 0};
    char text[8];
    bound_count_add(&c, BOUND_TARGET_QUEUE, true);
    bound_count_add(&c, BOUND_RATE, false);
    assert_string_equal(bound_count_show(&c, text, sizeof text), "target-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_shown_most_first),
        cmocka_unit_test(words_of_a_shared_host_have_a_star),
        cmocka_unit_test(a_short_buffer_cuts_the_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
