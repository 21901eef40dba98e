/* Texts and data of others inside a page: whatever they hold, they stay text
 * and data. */
#ifndef PITWALL_RESULTS_PAGE_WRITE_H
#define PITWALL_RESULTS_PAGE_WRITE_H

#include <stdio.h>

#include "common/json_build.h"
#include "results/grid.h"

/* Write text as HTML text or attribute value: & < > " ' as entities, bytes
 * that are no UTF-8 and control characters as U+FFFD, but for newlines. */
void page_text(FILE *out, const char *text);

/* Write the document for a script block of type application/json: < > & and
 * the two line separators of JavaScript as \u escapes, so that nothing in it
 * ends the block. */
void page_json(FILE *out, const struct jv *root);

/* Write a grid's notes as a list, what stands between backticks as code.
 * Nothing for none. */
void page_notes(FILE *out, const struct grid *grid);

/* Write a grid as a table under this caption, which is a text of ours;
 * the first n_heads columns are heads of their rows. */
void page_grid(FILE *out, const char *caption, const struct grid *grid,
               size_t n_heads);

/* Begin and end a table that scrolls by itself where the page is narrow, and
 * that a keyboard can reach. */
void page_table_begin(FILE *out, const char *caption);
void page_table_end(FILE *out);

#endif
