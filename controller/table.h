/* Grids as text for terminals (libsmartcols: its sole owner), Markdown, CSV and
 * JSON. Every function returns a malloc'ed text, the caller's to free. */
#ifndef PITWALL_CONTROLLER_TABLE_H
#define PITWALL_CONTROLLER_TABLE_H

#include "common/err.h"
#include "results/grid.h"

enum table_form { TABLE_TEXT, TABLE_MARKDOWN, TABLE_CSV, TABLE_JSON };

/* "text", "md", "csv", "json"; else ERR_USAGE. */
CHECKED enum err table_form_parse(const char *word, enum table_form *form,
                                  struct why *why);

/* The grid in one form.
 *   TEXT      notes, then columns under "name [unit]", numbers to the right; a
 *             text among them goes on below beyond 64 characters
 *   MARKDOWN  the same as a pipe table, bars escaped
 *   CSV       RFC 4180 (but LF) with a heading line; raw numbers, no notes
 *   JSON      {"notes": [...], "columns": [{"name", "unit"}], "rows": [{...}]};
 *             numbers raw, an empty cell null, a name that repeats gets _2;
 *             where the grid has facts, "facts": {...} too
 * Errors  ERR_NOMEM. */
CHECKED enum err table_print(const struct grid *grid, enum table_form form,
                             char **text, struct why *why);

#endif
