/* A table of answers as a value: what results/ computes and controller/table.c
 * prints as text, Markdown, CSV or JSON. Words for people and raw numbers for
 * machines stand in the same cell. */
#ifndef PITWALL_RESULTS_GRID_H
#define PITWALL_RESULTS_GRID_H

#include <stdbool.h>
#include <stddef.h>

struct grid_column {
    char *name;
    char *unit; /* "" without */
    bool right; /* numbers: aligned right */
};

struct grid_cell {
    char *text; /* as shown; never NULL */
    double value;
    bool has_value; /* a number stands behind the text */
};

/* What a table rests on, for programs alone: people read it in the notes. */
struct grid_fact {
    char *name;
    char *text; /* NULL: it is the number */
    double value;
};

struct grid {
    char **notes; /* lines above the table: what, seed, noise, warnings */
    size_t n_notes;
    struct grid_fact *facts;
    size_t n_facts;
    struct grid_column *columns;
    size_t n_columns;
    struct grid_cell *cells; /* [n_rows][n_columns], row-major */
    size_t n_rows;
};

/* Start empty; fini frees all. The adders copy their texts and abort without
 * memory (controller only). */
void grid_init(struct grid *grid);
void grid_fini(struct grid *grid);
void grid_note(struct grid *grid, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void grid_fact(struct grid *grid, const char *name, double value);
void grid_fact_text(struct grid *grid, const char *name, const char *text);
void grid_column(struct grid *grid, const char *name, const char *unit,
                 bool right);

/* Append a row of empty cells (all columns must be there by now); its index. */
size_t grid_row(struct grid *grid);
void grid_text(struct grid *grid, size_t row, size_t column, const char *text);
void grid_value(struct grid *grid, size_t row, size_t column, double value,
                const char *text);

#endif
