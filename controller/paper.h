/* A report's tables on paper: text for terminals, Markdown for threads. */
#ifndef PITWALL_CONTROLLER_PAPER_H
#define PITWALL_CONTROLLER_PAPER_H

#include "controller/table.h"
#include "results/sheet.h"

/* The sheet in one form, TABLE_TEXT or TABLE_MARKDOWN; a malloc'ed text, the
 * caller's to free.
 *   TEXT      what was measured and how far it can be trusted, then the tables
 *             under their titles, then what the marks mean
 *   MARKDOWN  a heading, how far it can be trusted, the tables, and folded
 *             away what was measured where
 * Errors  ERR_NOMEM. */
CHECKED enum err paper_print(const struct sheet *sheet, enum table_form form,
                             char **text, struct why *why);

#endif
