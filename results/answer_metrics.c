#include "results/answer.h"
#include "results/metric.h"

void answer_metrics(struct grid *grid)
{
    static const char *const names[] = {"metric", "unit",   "better",
                                        "kind",   "source", "definition"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        grid_column(grid, names[i], "", false);
    grid_note(grid, "values as they are stored; tables show ns as ms, bit/s as "
                    "Mbit/s and shares in %%");
    grid_note(grid,
              "kind: ratio: averaged by the geometric mean and compared by "
              "ratio; abs: by difference; exact: equal or not");
    const struct metric *m;
    for (size_t i = 0; (m = metric_at(i)); i++) {
        size_t row = grid_row(grid);
        const char *const cells[] = {m->name,
                                     m->unit,
                                     metric_direction_name(m->direction),
                                     metric_kind_name(m->kind),
                                     m->source,
                                     m->definition};
        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
            grid_text(grid, row, c, cells[c]);
    }
}
