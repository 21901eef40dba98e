/* Putting answers where the operator wants them: stdout or a file. */
#ifndef PITWALL_CONTROLLER_SHOW_H
#define PITWALL_CONTROLLER_SHOW_H

#include "controller/table.h"
#include "results/answer.h"

/* Print text on stdout, or into the file at path (replaced whole, or not at
 * all). ERR_IO and errno's: cannot be written. */
CHECKED enum err show_text(const char *text, const char *path, struct why *why);

/* Print grid in form, likewise. */
CHECKED enum err show_grid(const struct grid *grid, enum table_form form,
                           const char *path, struct why *why);

/* Print an experiment's matrix, likewise: as tables for people in TABLE_TEXT
 * and TABLE_MARKDOWN, else as one grid. */
struct show_as {
    enum table_form form;
    const char *path; /* NULL: stdout */
};
CHECKED enum err show_report(struct store *store, int64_t experiment,
                             const struct answer_report *options,
                             const struct show_as *as, struct why *why);

/* Write its page of HTML, likewise. */
CHECKED enum err show_page(struct store *store, int64_t experiment,
                           const struct answer_report *options,
                           const char *path, struct why *why);

#endif
