#include "controller/table.h"

#include <errno.h>
#include <libsmartcols.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/json_build.h"
#include "controller/markdown.h"

#define WIDE_MAX 64 /* characters: a SHA-256 in hex fits */

enum err table_form_parse(const char *word, enum table_form *form,
                          struct why *why)
{
    static const char *const words[] = {"text", "md", "csv", "json"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i])) {
            *form = (enum table_form)i;
            return ERR_OK;
        }
    return err_set(why, ERR_USAGE,
                   "--format: \"%s\" is not text, md, csv, json or html", word);
}

static const struct grid_cell *cell(const struct grid *g, size_t row,
                                    size_t column)
{
    return &g->cells[row * g->n_columns + column];
}

static const char *heading(const struct grid_column *c, char *buf, size_t size)
{
    bool unit = c->unit && c->unit[0];
    (void)snprintf(buf, size, "%s%s%s%s", c->name, unit ? " [" : "",
                   unit ? c->unit : "", unit ? "]" : "");
    return buf;
}

/* A column's heading in pieces that stand under each other, so that a column is
 * not wider than what it holds: the words of its name, then its unit. Piece i
 * of n counts from the bottom: 0 is the last; past the first: "". */
static size_t heading_pieces(const struct grid_column *c)
{
    size_t n = c->unit && c->unit[0] ? 2 : 1;
    for (const char *p = c->name; *p; p++)
        n += *p == ' ';
    return n;
}

static const char *heading_piece(const struct grid_column *c, size_t i,
                                 char *buf, size_t size)
{
    size_t n = heading_pieces(c);
    bool unit = c->unit && c->unit[0];
    buf[0] = '\0';
    if (i >= n)
        return buf;
    if (unit && i == 0)
        return c->unit;
    const char *word = c->name;
    for (size_t skip = n - 1 - i; skip; skip--)
        word = strchr(word, ' ') + 1;
    (void)snprintf(buf, size, "%.*s", (int)strcspn(word, " "), word);
    return buf;
}

static int add_columns(struct libscols_table *t, const struct grid *g)
{
    for (size_t c = 0; c < g->n_columns; c++)
        if (!scols_table_new_column(t, "", 0,
                                    g->columns[c].right ? SCOLS_FL_RIGHT : 0))
            return -ENOMEM;
    return 0;
}

/* The headings as lines of their own: libsmartcols knows one-line ones only. */
static int add_headings(struct libscols_table *t, const struct grid *g)
{
    char buf[256];
    size_t most = 0;
    for (size_t c = 0; c < g->n_columns; c++)
        if (heading_pieces(&g->columns[c]) > most)
            most = heading_pieces(&g->columns[c]);
    (void)scols_table_enable_noheadings(t, 1);
    for (size_t i = most; i-- > 0;) {
        struct libscols_line *line = scols_table_new_line(t, NULL);
        for (size_t c = 0; line && c < g->n_columns; c++) {
            const char *piece =
                heading_piece(&g->columns[c], i, buf, sizeof buf);
            if (scols_line_set_data(line, c, piece))
                return -ENOMEM;
        }
        if (!line)
            return -ENOMEM;
    }
    return 0;
}

/* How much of a text stands on a line of a column to the right: it is broken
 * between words, so that a long one does not push the others off the screen; a
 * word that is longer stays whole. */
static size_t line_of(const char *text)
{
    size_t n = strlen(text), at = WIDE_MAX;
    if (n <= WIDE_MAX)
        return n;
    while (at && text[at] != ' ')
        at--;
    return at ? at : strcspn(text, " ");
}

/* Put line k of a cell; *more when it has others below. */
static int set_line(struct libscols_line *line, size_t c, const char *text,
                    size_t k, bool *more)
{
    size_t n = line_of(text);
    for (; k && *text; k--) {
        text += n;
        text += strspn(text, " ");
        n = line_of(text);
    }
    char *copy = strndup(text, n);
    int rc = copy ? scols_line_set_data(line, c, copy) : -ENOMEM;
    *more |= text[n + strspn(text + n, " ")] != '\0';
    free(copy);
    return rc;
}

static int add_row(struct libscols_table *t, const struct grid *g, size_t r)
{
    bool more = true;
    for (size_t k = 0; more; k++) {
        struct libscols_line *line = scols_table_new_line(t, NULL);
        if (!line)
            return -ENOMEM;
        more = false;
        for (size_t c = 0; c < g->n_columns; c++) {
            const char *text = cell(g, r, c)->text;
            int rc = text && g->columns[c].right
                         ? set_line(line, c, text, k, &more)
                         : scols_line_set_data(line, c, k ? "" : text);
            if (rc)
                return rc;
        }
    }
    return 0;
}

static int add_rows(struct libscols_table *t, const struct grid *g)
{
    int rc = 0;
    for (size_t r = 0; !rc && r < g->n_rows; r++)
        rc = add_row(t, g, r);
    return rc;
}

/* libsmartcols fills the last column with spaces; nobody wants to paste
 * them. */
static void trim_lines(char *text)
{
    char *to = text;
    for (char *from = text; *from;) {
        size_t len = strcspn(from, "\n"), keep = len;
        while (keep && from[keep - 1] == ' ')
            keep--;
        memmove(to, from, keep);
        to += keep;
        from += len;
        if (*from)
            *to++ = *from++;
    }
    *to = '\0';
}

static enum err print_columns(const struct grid *g, FILE *out, struct why *why)
{
    char *text = NULL;
    if (!g->n_columns)
        return ERR_OK;
    struct libscols_table *t = scols_new_table();
    int rc = t ? 0 : -ENOMEM;
    if (!rc)
        rc = add_columns(t, g);
    if (!rc)
        rc = add_headings(t, g);
    if (!rc)
        rc = add_rows(t, g);
    if (!rc) {
        /* As wide as it is: a table that is cut would lie. */
        (void)scols_table_set_termforce(t, SCOLS_TERMFORCE_NEVER);
        rc = scols_print_table_to_string(t, &text);
    }
    if (!rc && text) {
        trim_lines(text);
        (void)fprintf(out, "%s\n", text);
    }
    free(text);
    scols_unref_table(t);
    return rc ? err_errno(why, -rc, "print a table") : ERR_OK;
}

static enum err print_text(const struct grid *g, FILE *out, struct why *why)
{
    for (size_t i = 0; i < g->n_notes; i++)
        (void)fprintf(out, "%s\n", g->notes[i]);
    if (g->n_notes && g->n_columns)
        (void)fprintf(out, "\n");
    return print_columns(g, out, why);
}

static void print_markdown(const struct grid *g, FILE *out)
{
    char name[256];
    for (size_t i = 0; i < g->n_notes; i++) {
        markdown_write(g->notes[i], out);
        (void)fprintf(out, "\n\n");
    }
    if (!g->n_columns)
        return;
    for (size_t c = 0; c < g->n_columns; c++) {
        (void)fprintf(out, "%s ", c ? "" : "|");
        markdown_write(heading(&g->columns[c], name, sizeof name), out);
        (void)fprintf(out, " |");
    }
    (void)fprintf(out, "\n|");
    for (size_t c = 0; c < g->n_columns; c++)
        (void)fprintf(out, "%s|", g->columns[c].right ? "---:" : "---");
    (void)fprintf(out, "\n");
    for (size_t r = 0; r < g->n_rows; r++) {
        for (size_t c = 0; c < g->n_columns; c++) {
            (void)fprintf(out, "%s ", c ? "" : "|");
            markdown_write(cell(g, r, c)->text, out);
            (void)fprintf(out, " |");
        }
        (void)fprintf(out, "\n");
    }
}

static void print_quoted(const char *text, FILE *out)
{
    if (!strpbrk(text, ",\"\r\n")) {
        (void)fputs(text, out);
        return;
    }
    (void)fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            (void)fputc('"', out);
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

/* The shortest digits that read back as the same number. */
static void print_number(double v, FILE *out)
{
    char buf[32];
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(buf, sizeof buf, "%.*g", digits, v);
        if (strtod(buf, NULL) == v)
            break;
    }
    (void)fputs(buf, out);
}

static void print_csv(const struct grid *g, FILE *out)
{
    char name[256];
    for (size_t c = 0; c < g->n_columns; c++) {
        (void)fprintf(out, "%s", c ? "," : "");
        print_quoted(heading(&g->columns[c], name, sizeof name), out);
    }
    (void)fprintf(out, g->n_columns ? "\n" : "");
    for (size_t r = 0; r < g->n_rows; r++) {
        for (size_t c = 0; c < g->n_columns; c++) {
            const struct grid_cell *v = cell(g, r, c);
            (void)fprintf(out, "%s", c ? "," : "");
            if (v->has_value)
                print_number(v->value, out);
            else
                print_quoted(v->text, out);
        }
        (void)fprintf(out, "\n");
    }
}

/* Key of column c: its name, with _2 ... where an earlier column has it. */
static const char *key_of(const struct grid *g, size_t c, char *buf,
                          size_t size)
{
    unsigned same = 1;
    for (size_t i = 0; i < c; i++)
        same += !strcmp(g->columns[i].name, g->columns[c].name);
    if (same == 1)
        (void)snprintf(buf, size, "%s", g->columns[c].name);
    else
        (void)snprintf(buf, size, "%s_%u", g->columns[c].name, same);
    return buf;
}

static bool is_whole(double v)
{
    return v == floor(v) && fabs(v) < 0x1p53;
}

static void add_number(struct jv *object, const char *key, double v)
{
    if (is_whole(v))
        jv_add_i64(object, key, (int64_t)v);
    else
        jv_add_number(object, key, v);
}

static void print_json(const struct grid *g, FILE *out)
{
    char key[256];
    struct jv *root = jv_new(JV_OBJECT);
    struct jv *notes = jv_add(root, "notes", JV_ARRAY);
    struct jv *facts = g->n_facts ? jv_add(root, "facts", JV_OBJECT) : NULL;
    struct jv *columns = jv_add(root, "columns", JV_ARRAY);
    struct jv *rows = jv_add(root, "rows", JV_ARRAY);
    for (size_t i = 0; i < g->n_notes; i++)
        jv_add_text(notes, NULL, g->notes[i]);
    for (size_t i = 0; i < g->n_facts; i++)
        if (g->facts[i].text)
            jv_add_text(facts, g->facts[i].name, g->facts[i].text);
        else
            add_number(facts, g->facts[i].name, g->facts[i].value);
    for (size_t c = 0; c < g->n_columns; c++) {
        struct jv *column = jv_add(columns, NULL, JV_OBJECT);
        jv_add_text(column, "name", key_of(g, c, key, sizeof key));
        jv_add_text(column, "unit", g->columns[c].unit);
    }
    for (size_t r = 0; r < g->n_rows; r++) {
        struct jv *row = jv_add(rows, NULL, JV_OBJECT);
        for (size_t c = 0; c < g->n_columns; c++) {
            const struct grid_cell *v = cell(g, r, c);
            (void)key_of(g, c, key, sizeof key);
            if (v->has_value)
                add_number(row, key, v->value);
            else if (v->text[0])
                jv_add_text(row, key, v->text);
            else
                (void)jv_add(row, key, JV_NULL);
        }
    }
    char *text = jv_print(root, true);
    (void)fprintf(out, "%s\n", text);
    free(text);
    jv_free(root);
}

/* Our texts are UTF-8 whatever the terminal's locale is; libsmartcols counts
 * and escapes characters by the locale in force. */
static locale_t speak_utf8(void)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (utf8)
        (void)uselocale(utf8);
    return utf8;
}

enum err table_print(const struct grid *g, enum table_form form, char **text,
                     struct why *why)
{
    size_t size = 0;
    enum err e = ERR_OK;
    *text = NULL;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return err_errno(why, errno, "print a table");
    switch (form) {
    case TABLE_TEXT: {
        locale_t utf8 = speak_utf8();
        e = print_text(g, out, why);
        (void)uselocale(LC_GLOBAL_LOCALE);
        if (utf8)
            freelocale(utf8);
        break;
    }
    case TABLE_MARKDOWN:
        print_markdown(g, out);
        break;
    case TABLE_CSV:
        print_csv(g, out);
        break;
    case TABLE_JSON:
        print_json(g, out);
        break;
    }
    if (fclose(out) && !e)
        e = err_errno(why, errno, "print a table");
    if (e) {
        free(*text);
        *text = NULL;
    }
    return e;
}
