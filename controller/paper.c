#include "controller/paper.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "controller/markdown.h"

/* The table without its notes, which the caller has put elsewhere. */
static enum err put_table(const struct grid *grid, enum table_form form,
                          FILE *out, struct why *why)
{
    char *text = NULL;
    struct grid bare = *grid;
    bare.n_notes = 0;
    enum err e = table_print(&bare, form, &text, why);
    if (!e)
        (void)fputs(text, out);
    free(text);
    return e;
}

static void put_lines(const struct grid *grid, FILE *out)
{
    for (size_t i = 0; i < grid->n_notes; i++)
        (void)fprintf(out, "%s\n", grid->notes[i]);
}

static enum err put_text(const struct sheet *s, FILE *out, struct why *why)
{
    enum err e = ERR_OK;
    put_lines(&s->title, out);
    put_lines(&s->conditions, out);
    put_lines(&s->trust, out);
    for (size_t i = 0; !e && i < s->n_tables; i++) {
        (void)fputc('\n', out);
        put_lines(&s->tables[i], out);
        e = put_table(&s->tables[i], TABLE_TEXT, out, why);
    }
    if (s->legend.n_notes)
        (void)fputc('\n', out);
    put_lines(&s->legend, out);
    return e;
}

/* Each note in a paragraph, or in a list, after `before`. */
static void put_notes(const struct grid *grid, const char *before,
                      const char *after, FILE *out)
{
    for (size_t i = 0; i < grid->n_notes; i++) {
        (void)fputs(before, out);
        markdown_write(grid->notes[i], out);
        (void)fputs(after, out);
    }
}

static enum err put_markdown(const struct sheet *s, FILE *out, struct why *why)
{
    enum err e = ERR_OK;
    put_notes(&s->title, "### ", "\n\n", out);
    put_notes(&s->trust, "- ", "\n", out);
    for (size_t i = 0; !e && i < s->n_tables; i++) {
        (void)fputc('\n', out);
        put_notes(&s->tables[i], "**", "**\n\n", out);
        e = put_table(&s->tables[i], TABLE_MARKDOWN, out, why);
    }
    put_notes(&s->legend, "\n", "\n", out);
    if (s->conditions.n_notes) {
        (void)fputs("\n<details><summary>What was measured where</summary>\n\n",
                    out);
        put_notes(&s->conditions, "- ", "\n", out);
        (void)fputs("\n</details>\n", out);
    }
    return e;
}

enum err paper_print(const struct sheet *sheet, enum table_form form,
                     char **text, struct why *why)
{
    size_t size = 0;
    assert(form == TABLE_TEXT || form == TABLE_MARKDOWN);
    *text = NULL;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return err_errno(why, errno, "print a report");
    enum err e = form == TABLE_TEXT ? put_text(sheet, out, why)
                                    : put_markdown(sheet, out, why);
    if (fclose(out) && !e)
        e = err_errno(why, errno, "print a report");
    if (e) {
        free(*text);
        *text = NULL;
    }
    return e;
}
