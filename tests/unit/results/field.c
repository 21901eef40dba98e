#include "tests/unit/results/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static size_t rmems_of(const struct field *field)
{
    return field->n_rmems ? field->n_rmems : 1;
}

static size_t matrix_of(const struct field *field)
{
    return field->n_heaps * field->n_links * rmems_of(field);
}

static size_t cells_of(const struct field *field)
{
    return matrix_of(field) + field->canary;
}

static void fill_levels(struct store_level *levels,
                        char names[FIELD_LEVELS_MAX][4], char letter, size_t n)
{
    assert_true(n <= FIELD_LEVELS_MAX);
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(names[i], sizeof names[i], "%c%u", letter,
                       (unsigned)i % FIELD_LEVELS_MAX);
        levels[i] = (struct store_level){names[i], names[i]};
    }
}

void field_plan(struct lab *lab, const struct field *field)
{
    struct why why = {0};
    char heap[FIELD_LEVELS_MAX][4], link[FIELD_LEVELS_MAX][4];
    char rmem[FIELD_LEVELS_MAX][4], labels[FIELD_CELLS_MAX][40], uuid[40];
    struct store_level heaps[FIELD_LEVELS_MAX], links[FIELD_LEVELS_MAX];
    struct store_level rmems[FIELD_LEVELS_MAX];
    struct store_cell cells[FIELD_CELLS_MAX];
    uint32_t levels[FIELD_CELLS_MAX][3];
    size_t n = cells_of(field);
    assert_true(n <= FIELD_CELLS_MAX);
    fill_levels(heaps, heap, 'h', field->n_heaps);
    fill_levels(links, link, 'l', field->n_links);
    fill_levels(rmems, rmem, 'r', rmems_of(field));
    for (size_t c = 0; c < n; c++) {
        size_t at = c % matrix_of(field), row = at / rmems_of(field);
        levels[c][0] = (uint32_t)(row / field->n_links);
        levels[c][1] = (uint32_t)(row % field->n_links);
        levels[c][2] = (uint32_t)(at % rmems_of(field));
        (void)snprintf(labels[c], sizeof labels[c], "heap=%s,link=%s%s%s",
                       heap[levels[c][0]], link[levels[c][1]],
                       field->n_rmems ? ",rmem=" : "",
                       field->n_rmems ? rmem[levels[c][2]] : "");
        cells[c] =
            (struct store_cell){labels[c], levels[c],
                                c == at ? PURPOSE_MEASURE : PURPOSE_CANARY, 0};
    }
    uint32_t *order = calloc(field->n_blocks * n, sizeof *order);
    assert_non_null(order);
    for (size_t i = 0; i < field->n_blocks * n; i++)
        order[i] = (uint32_t)(i % n);
    const struct store_factor factors[] = {
        {"heap", "target", heaps, field->n_heaps},
        {"link", "link", links, field->n_links},
        {"rmem", "kernel", rmems, rmems_of(field)}};
    (void)snprintf(uuid, sizeof uuid, "uuid of %s", field->name);
    const struct store_plan plan = {.uuid = uuid,
                                    .name = field->name,
                                    .track = "geonames",
                                    .challenge = "append-no-conflicts",
                                    .target = "pitwall",
                                    .json = "{}",
                                    .version = "0.1.0",
                                    .seed = 42,
                                    .order_kind = "blocks",
                                    .measure_ns = 1000000000,
                                    .factors = factors,
                                    .n_factors = 3,
                                    .cells = cells,
                                    .n_cells = n,
                                    .order = order,
                                    .n_blocks = field->n_blocks,
                                    .benches = (const char *const[]){"local"},
                                    .n_benches = 1};
    check_ok(store_plan_add(lab->store, &plan, &lab->experiment, &why), why);
    free(order);
}

uint32_t field_tid(const struct field *field, size_t block, size_t cell)
{
    return (uint32_t)(block * cells_of(field) + cell + 1);
}

void field_run(struct lab *lab, const struct field *field,
               const double *throughput)
{
    size_t n = cells_of(field);
    for (size_t i = 0; i < field->n_blocks * n; i++) {
        uint32_t tid = field_tid(field, i / n, i % n);
        double v = throughput[i];
        if (isnan(v))
            continue;
        if (v > 0)
            (void)lab_docs(lab, tid, (uint64_t)llround(v),
                           (uint64_t)llround(v));
        else
            (void)lab_end(lab, tid, v < 0 ? OUTCOME_FAILED : OUTCOME_OOM, NULL);
    }
}
