/* Which bench runs a block, and blocks that are run again elsewhere. */
#include "results/answer.h"
#include "results/block.h"
#include "results/past.h"
#include "tests/unit/results/lab.h"

static struct lab lab;
static struct why why;

static void a_block_is_its_benchs_once_it_was_begun(void **state)
{
    (void)state;
    lab_open(&lab);
    lab_plan(&lab);
    (void)lab_docs(&lab, 1, 1000, 1000);
    check_ok(block_take(lab.store, lab.experiment, 1, "rack2", &why), why);
    check_ok(block_take(lab.store, lab.experiment, 2, "rack2", &why), why);
    assert_int_equal(lab_int(&lab, "select count(*) from v_trial_all where "
                                   "bench = 'local' and iteration = 1"),
                     5);
    assert_int_equal(lab_int(&lab, "select count(*) from v_trial_all where "
                                   "bench = 'rack2' and iteration = 2"),
                     5);
    lab_fini(&lab);
}

static void a_lost_benchs_block_is_run_again_as_a_new_one(void **state)
{
    (void)state;
    struct past *p = NULL;
    struct answer_counts counts;
    lab_open(&lab);
    lab_plan(&lab);
    (void)lab_docs(&lab, 1, 1000, 1000);
    check_ok(block_redo(lab.store, lab.experiment, 1, &why), why);
    check_ok(block_take(lab.store, lab.experiment, 3, "rack2", &why), why);
    assert_int_equal(lab_int(&lab, "select count(*) from v_trial"), 0);
    check_ok(past_open(&p, lab.store, lab.experiment, &why), why);
    /* blocks of 5, 5 and again 5 trials, the last as the first */
    assert_int_equal(p->n_trials, 15);
    assert_int_equal(p->n_blocks, 3);
    assert_int_equal(p->ends[2], 15);
    assert_memory_equal(p->order + 10, p->order, 5 * sizeof *p->order);
    assert_true(p->blocks[0].superseded && p->blocks[0].tried);
    assert_false(p->blocks[1].superseded || p->blocks[1].tried);
    assert_false(p->blocks[2].superseded || p->blocks[2].tried);
    assert_string_equal(p->blocks[0].bench, "local");
    assert_string_equal(p->blocks[2].bench, "rack2");
    past_close(p);
    check_ok(answer_counts(lab.store, lab.experiment, &counts, &why), why);
    assert_int_equal(counts.trials, 10);
    assert_int_equal(counts.ok, 0);
    check_err(block_redo(lab.store, lab.experiment, 9, &why), ERR_NOTFOUND);
    lab_fini(&lab);
}

static void blocks_are_dealt_to_benches_in_turn(void **state)
{
    (void)state;
    static const char *const benches[] = {"rack1", "rack2"};
    static const struct store_cell cells[] = {{.label = "base"}};
    static const uint32_t order[] = {0, 0, 0};
    const struct store_plan plan = {.uuid = "u",
                                    .name = "turns",
                                    .track = "t",
                                    .challenge = "c",
                                    .target = "pitwall",
                                    .json = "{}",
                                    .version = "0",
                                    .order_kind = "blocks",
                                    .cells = cells,
                                    .n_cells = 1,
                                    .order = order,
                                    .n_blocks = 3,
                                    .benches = benches,
                                    .n_benches = 2};
    int64_t experiment = 0;
    lab_open(&lab);
    check_ok(store_plan_add(lab.store, &plan, &experiment, &why), why);
    assert_int_equal(lab_int(&lab, "select sum(iteration) from v_trial_all "
                                   "where bench = 'rack1'"),
                     1 + 3);
    assert_int_equal(lab_int(&lab, "select sum(iteration) from v_trial_all "
                                   "where bench = 'rack2'"),
                     2);
    lab_fini(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_its_benchs_once_it_was_begun),
        cmocka_unit_test(a_lost_benchs_block_is_run_again_as_a_new_one),
        cmocka_unit_test(blocks_are_dealt_to_benches_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
