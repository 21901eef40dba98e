#include "results/sheet.h"

#include <stdlib.h>

void sheet_init(struct sheet *sheet)
{
    *sheet = (struct sheet){.n_tables = 0};
}

void sheet_fini(struct sheet *sheet)
{
    grid_fini(&sheet->title);
    grid_fini(&sheet->trust);
    grid_fini(&sheet->conditions);
    grid_fini(&sheet->legend);
    for (size_t i = 0; i < sheet->n_tables; i++)
        grid_fini(&sheet->tables[i]);
    free(sheet->tables);
    sheet_init(sheet);
}

struct grid *sheet_table(struct sheet *sheet)
{
    size_t n = sheet->n_tables + 1;
    sheet->tables = realloc(sheet->tables, n * sizeof *sheet->tables);
    if (!sheet->tables)
        abort();
    sheet->n_tables = n;
    grid_init(&sheet->tables[n - 1]);
    return &sheet->tables[n - 1];
}
