#include "results/page_write.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 character at p (RFC 3629), 0 for none. */
static size_t character(const unsigned char *p)
{
    size_t n = *p < 0x80   ? 1
               : *p < 0xc2 ? 0
               : *p < 0xe0 ? 2
               : *p < 0xf0 ? 3
               : *p < 0xf5 ? 4
                           : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool surrogate = n == 3 && *p == 0xed && p[1] > 0x9f;
    bool overlong = (n == 3 && *p == 0xe0 && p[1] < 0xa0) ||
                    (n == 4 && *p == 0xf0 && p[1] < 0x90);
    bool beyond = n == 4 && *p == 0xf4 && p[1] > 0x8f;
    return surrogate || overlong || beyond ? 0 : n;
}

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void page_text(FILE *out, const char *text)
{
    while (*text) {
        size_t n = character((const unsigned char *)text);
        const char *name = entity(*text);
        bool control =
            ((unsigned char)*text < ' ' && *text != '\n') || *text == 0x7f;
        if (!n || control)
            (void)fputs("\xef\xbf\xbd", out);
        else if (name)
            (void)fputs(name, out);
        else
            (void)fwrite(text, 1, n, out);
        text += n ? n : 1;
    }
}

void page_json(FILE *out, const struct jv *root)
{
    char *text = jv_print(root, false);
    for (const char *p = text; *p; p++)
        if (strchr("<>&", *p))
            (void)fprintf(out, "\\u%04x", (unsigned)*p);
        else if (!strncmp(p, "\xe2\x80\xa8", 3) ||
                 !strncmp(p, "\xe2\x80\xa9", 3)) {
            (void)fprintf(out, "\\u20%x",
                          (unsigned char)p[2] == 0xa8 ? 0x28u : 0x29u);
            p += 2;
        } else
            (void)fputc(*p, out);
    free(text);
}

/* A note's words between backticks are code. */
static void prose(FILE *out, const char *text)
{
    char piece[512];
    while (*text) {
        const char *tick = strchr(text, '`');
        const char *end = tick ? strchr(tick + 1, '`') : NULL;
        size_t n = end ? (size_t)(tick - text) : strlen(text);
        if (!end || n >= sizeof piece || (size_t)(end - tick) >= sizeof piece) {
            page_text(out, text);
            return;
        }
        (void)snprintf(piece, sizeof piece, "%.*s", (int)n, text);
        page_text(out, piece);
        (void)snprintf(piece, sizeof piece, "%.*s", (int)(end - tick - 1),
                       tick + 1);
        (void)fputs("<code>", out);
        page_text(out, piece);
        (void)fputs("</code>", out);
        text = end + 1;
    }
}

void page_notes(FILE *out, const struct grid *grid)
{
    if (!grid->n_notes)
        return;
    (void)fputs("<ul>\n", out);
    for (size_t i = 0; i < grid->n_notes; i++) {
        (void)fputs("<li>", out);
        prose(out, grid->notes[i]);
        (void)fputs("</li>\n", out);
    }
    (void)fputs("</ul>\n", out);
}

void page_table_begin(FILE *out, const char *caption)
{
    (void)fputs("<div class=\"wide\" role=\"region\" tabindex=\"0\" "
                "aria-label=\"",
                out);
    page_text(out, caption);
    (void)fputs("\">\n<table>\n<caption>", out);
    page_text(out, caption);
    (void)fputs("</caption>\n", out);
}

void page_table_end(FILE *out)
{
    (void)fputs("</tbody>\n</table>\n</div>\n", out);
}

static void head(FILE *out, const struct grid_column *column)
{
    (void)fprintf(out, "<th scope=\"col\"%s>",
                  column->right ? " class=\"n\"" : "");
    page_text(out, column->name);
    if (column->unit[0]) {
        (void)fputs(" <small>", out);
        page_text(out, column->unit);
        (void)fputs("</small>", out);
    }
    (void)fputs("</th>", out);
}

void page_grid(FILE *out, const char *caption, const struct grid *grid,
               size_t n_heads)
{
    page_table_begin(out, caption);
    (void)fputs("<thead><tr>", out);
    for (size_t c = 0; c < grid->n_columns; c++)
        head(out, &grid->columns[c]);
    (void)fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t r = 0; r < grid->n_rows; r++) {
        (void)fputs("<tr>", out);
        for (size_t c = 0; c < grid->n_columns; c++) {
            const char *tag = c < n_heads ? "th" : "td";
            (void)fprintf(out, "<%s%s%s>", tag,
                          c < n_heads ? " scope=\"row\"" : "",
                          grid->columns[c].right ? " class=\"n\"" : "");
            page_text(out, grid->cells[r * grid->n_columns + c].text);
            (void)fprintf(out, "</%s>", tag);
        }
        (void)fputs("</tr>\n", out);
    }
    page_table_end(out);
}
