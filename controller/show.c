#include "controller/show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/file.h"
#include "controller/paper.h"
#include "results/page.h"

enum err show_text(const char *text, const char *path, struct why *why)
{
    if (path)
        return file_write(path, text, strlen(text), why);
    if (fputs(text, stdout) < 0 || fflush(stdout))
        return err_errno(why, errno, "write to standard output");
    return ERR_OK;
}

enum err show_grid(const struct grid *grid, enum table_form form,
                   const char *path, struct why *why)
{
    char *text = NULL;
    enum err e = table_print(grid, form, &text, why);
    if (!e)
        e = show_text(text, path, why);
    free(text);
    return e;
}

static enum err show_sheet(struct store *store, int64_t experiment,
                           const struct answer_report *options,
                           const struct show_as *as, struct why *why)
{
    struct sheet sheet;
    char *text = NULL;
    sheet_init(&sheet);
    enum err e = answer_sheet(store, experiment, options,
                              as->form == TABLE_TEXT, &sheet, why);
    if (!e)
        e = paper_print(&sheet, as->form, &text, why);
    if (!e)
        e = show_text(text, as->path, why);
    free(text);
    sheet_fini(&sheet);
    return e;
}

enum err show_report(struct store *store, int64_t experiment,
                     const struct answer_report *options,
                     const struct show_as *as, struct why *why)
{
    struct grid grid;
    if (as->form == TABLE_TEXT || as->form == TABLE_MARKDOWN)
        return show_sheet(store, experiment, options, as, why);
    grid_init(&grid);
    enum err e = answer_report(store, experiment, options, &grid, why);
    if (!e)
        e = show_grid(&grid, as->form, as->path, why);
    grid_fini(&grid);
    return e;
}

enum err show_page(struct store *store, int64_t experiment,
                   const struct answer_report *options, const char *path,
                   struct why *why)
{
    const struct page_options page = {.report = *options};
    char *html = NULL;
    enum err e = page_report(store, experiment, &page, &html, why);
    if (!e)
        e = show_text(html, path, why);
    free(html);
    return e;
}
