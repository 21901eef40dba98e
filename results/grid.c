#include "results/grid.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void grid_init(struct grid *grid)
{
    *grid = (struct grid){.notes = NULL};
}

void grid_fini(struct grid *grid)
{
    for (size_t i = 0; i < grid->n_notes; i++)
        free(grid->notes[i]);
    for (size_t i = 0; i < grid->n_facts; i++) {
        free(grid->facts[i].name);
        free(grid->facts[i].text);
    }
    for (size_t i = 0; i < grid->n_columns; i++) {
        free(grid->columns[i].name);
        free(grid->columns[i].unit);
    }
    for (size_t i = 0; i < grid->n_rows * grid->n_columns; i++)
        free(grid->cells[i].text);
    free(grid->notes);
    free(grid->facts);
    free(grid->columns);
    free(grid->cells);
    grid_init(grid);
}

static void *checked(void *p)
{
    if (!p)
        abort();
    return p;
}

/* Room for one element more of an array that doubles at powers of two. */
static void *grow(void *array, size_t n, size_t size)
{
    if (n & (n - 1))
        return array;
    return checked(realloc(array, (n ? 2 * n : 1) * size));
}

void grid_note(struct grid *grid, const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(&text, fmt, ap);
    va_end(ap);
    grid->notes = grow(grid->notes, grid->n_notes, sizeof *grid->notes);
    grid->notes[grid->n_notes++] = n < 0 ? checked(NULL) : text;
}

static struct grid_fact *add_fact(struct grid *grid, const char *name)
{
    grid->facts = grow(grid->facts, grid->n_facts, sizeof *grid->facts);
    struct grid_fact *fact = &grid->facts[grid->n_facts++];
    *fact = (struct grid_fact){.name = checked(strdup(name))};
    return fact;
}

void grid_fact(struct grid *grid, const char *name, double value)
{
    add_fact(grid, name)->value = value;
}

void grid_fact_text(struct grid *grid, const char *name, const char *text)
{
    add_fact(grid, name)->text = checked(strdup(text));
}

void grid_column(struct grid *grid, const char *name, const char *unit,
                 bool right)
{
    assert(!grid->n_rows);
    grid->columns = grow(grid->columns, grid->n_columns, sizeof *grid->columns);
    grid->columns[grid->n_columns++] =
        (struct grid_column){.name = checked(strdup(name)),
                             .unit = checked(strdup(unit)),
                             .right = right};
}

size_t grid_row(struct grid *grid)
{
    size_t n = grid->n_columns;
    assert(n);
    grid->cells = grow(grid->cells, grid->n_rows, n * sizeof *grid->cells);
    for (size_t i = 0; i < n; i++)
        grid->cells[grid->n_rows * n + i] =
            (struct grid_cell){.text = checked(strdup(""))};
    return grid->n_rows++;
}

static struct grid_cell *cell(struct grid *grid, size_t row, size_t column)
{
    assert(row < grid->n_rows);
    assert(column < grid->n_columns);
    return &grid->cells[row * grid->n_columns + column];
}

void grid_text(struct grid *grid, size_t row, size_t column, const char *text)
{
    struct grid_cell *c = cell(grid, row, column);
    char *copy = checked(strdup(text));
    free(c->text);
    *c = (struct grid_cell){.text = copy};
}

void grid_value(struct grid *grid, size_t row, size_t column, double value,
                const char *text)
{
    grid_text(grid, row, column, text);
    struct grid_cell *c = cell(grid, row, column);
    c->value = value;
    c->has_value = true;
}
