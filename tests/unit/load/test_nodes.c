/* Which node of a target each connection goes to. */
#include "load/engine.h"
#include "tests/lib/check.h"

static void engine_deals_lanes_of_all_threads_to_the_nodes(void **state)
{
    static const struct address nodes[3] = {
        {.text = "a"}, {.text = "b"}, {.text = "c"}};
    struct engine_config config = {.address = &nodes[0],
                                   .others = &nodes[1],
                                   .n_others = 2,
                                   .lane_step = 2};
    char dealt[7] = "";
    (void)state;
    /* Two threads of three lanes: 0 2 4 and 1 3 5. */
    for (uint32_t thread = 0; thread < 2; thread++)
        for (uint32_t lane = 0; lane < 3; lane++) {
            config.lane_first = thread;
            dealt[2 * lane + thread] = *engine_address(&config, lane)->text;
        }
    assert_string_equal(dealt, "abcabc");
    config.n_others = 0;
    assert_string_equal(engine_address(&config, 5)->text, "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_deals_lanes_of_all_threads_to_the_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
