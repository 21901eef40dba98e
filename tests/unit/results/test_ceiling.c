/* The driver's ceiling: added up over loads, stored, told. */
#include <stdio.h>

#include "results/ceiling.h"
#include "results/handle.h"
#include "tests/unit/results/lab.h"

static struct why why;

static struct store_part part_of(const char *agent, const struct spooler *s)
{
    return (struct store_part){.agent = agent,
                               .role = "load",
                               .spool = s->spool.data,
                               .spool_len = s->spool.len};
}

/* Each load: 2000 documents, 20 requests, 600,000 bytes in 2 s. */
static void a_ceiling_is_the_sum_of_its_loads(void **state)
{
    (void)state;
    struct lab lab;
    struct spooler spool = {0};
    struct ceiling_figures f;
    struct grid grid;
    const uint32_t cells[] = {0, 2};
    lab_open(&lab);
    lab_plan(&lab);
    spooler_load(&spool);
    const struct record_fact facts[] = {
        {.side = "load", .name = "capacity.bit_s.1", .value = "150000000"},
        {.side = "load", .name = "capacity.bit_s.4", .value = "184500000"},
        {.side = "load", .name = "capacity.bit_s.9", .value = "1e300"}};
    for (size_t i = 0; i < 3; i++)
        spooler_record(&spool, SPOOL_WATCH_LOAD, RECORD_IS_fact, &facts[i]);
    const struct store_part parts[] = {{.agent = "srv", .role = "target"},
                                       part_of("gen1", &spool),
                                       part_of("gen2", &spool)};
    const struct ceiling_run run = {.bench = "local",
                                    .link = "eth",
                                    .load = "load.clients=8",
                                    .cells = cells,
                                    .n_cells = 2,
                                    .parts = parts,
                                    .n_parts = 3};
    check_ok(ceiling_add(lab.store, lab.experiment, &run, &f, &why), why);
    check_near(f.docs_s, 2000, 0);
    check_near(f.ops_s, 20, 0);
    check_near(f.mb_s, 0.6, 1e-12);
    assert_int_equal(f.window_ns, 2000000000);
    check_near(f.link_bit_s, 184500000, 0); /* the larger that can be true */
    assert_int_equal(lab_int(&lab, "select count(*) from cell c join "
                                   "driver_ceiling d on d.id = "
                                   "c.driver_ceiling where d.docs_s = 2000 "
                                   "and c.position in (0, 2)"),
                     2);
    assert_int_equal(lab_int(&lab, "select count(*) from attempt"), 0);
    grid_init(&grid);
    check_ok(ceiling_notes(lab.store->db, lab.experiment, &grid, &why), why);
    assert_int_equal(grid.n_notes, 2);
    assert_string_equal(grid.notes[1],
                        "link's capacity over eth: 184.5 Mbit/s");
    assert_string_equal(grid.notes[0],
                        "driver's ceiling over eth, load.clients=8: 2000 "
                        "docs/s, 20 requests/s, 0.6000 MB/s");
    grid_fini(&grid);
    uint64_t rows = 0;
    check_ok(store_verify(lab.store, &rows, &why), why);
    assert_int_equal(rows, 1);
    spooler_free(&spool);
    lab_fini(&lab);
}

static void what_was_not_measured_says_why(void **state)
{
    (void)state;
    struct lab lab;
    struct ceiling_figures f;
    struct grid grid;
    const uint32_t cell = 1;
    const uint8_t bytes[] = "no spool at all, but long enough to be read";
    lab_open(&lab);
    lab_plan(&lab);
    const struct store_part part = {.agent = "gen1",
                                    .role = "both",
                                    .spool = bytes,
                                    .spool_len = sizeof bytes};
    struct ceiling_run run = {.bench = "local",
                              .link = "loopback",
                              .load = "its only load",
                              .cells = &cell,
                              .n_cells = 1,
                              .parts = &part,
                              .n_parts = 1};
    check_ok(ceiling_add(lab.store, lab.experiment, &run, &f, &why), why);
    assert_int_equal(f.window_ns, 0);
    run.error = "the target was not ready in time";
    check_ok(ceiling_add(lab.store, lab.experiment, &run, &f, &why), why);
    grid_init(&grid);
    check_ok(ceiling_notes(lab.store->db, lab.experiment, &grid, &why), why);
    assert_int_equal(grid.n_notes, 2);
    assert_non_null(strstr(grid.notes[0], "not measured: agent gen1: "));
    assert_non_null(strstr(grid.notes[1], "not measured: the target was not"));
    grid_fini(&grid);
    assert_int_equal(lab_int(&lab, "select count(*) from driver_ceiling where "
                                   "docs_s is null and error is not null"),
                     2);
    lab_fini(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ceiling_is_the_sum_of_its_loads),
        cmocka_unit_test(what_was_not_measured_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
