#include "results/csv.h"

#include <stdlib.h>
#include <string.h>

#include "common/text.h"

enum err csv_open(struct csv *csv, const char *name, const char *text,
                  size_t len, struct why *why)
{
    *csv = (struct csv){.name = name, .text = text, .len = len, .line = 1};
    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        csv->at = 3;
    csv->row = malloc(CSV_ROW_MAX);
    return csv->row ? ERR_OK : err_set(why, ERR_NOMEM, "%s", name);
}

void csv_close(struct csv *csv)
{
    free(csv->row);
    csv->row = NULL;
}

static bool at_end_of_line(const struct csv *csv)
{
    return csv->at == csv->len || csv->text[csv->at] == '\n' ||
           (csv->text[csv->at] == '\r' && csv->at + 1 < csv->len &&
            csv->text[csv->at + 1] == '\n');
}

static void skip_line_end(struct csv *csv)
{
    if (csv->at < csv->len && csv->text[csv->at] == '\r')
        csv->at++;
    if (csv->at < csv->len) {
        csv->at++;
        csv->line++;
    }
}

static void skip_blanks(struct csv *csv)
{
    while (csv->at < csv->len &&
           (csv->text[csv->at] == ' ' || csv->text[csv->at] == '\t'))
        csv->at++;
}

/* A quoted field's bytes to out [room]; "" is a quote. */
static enum err quoted(struct csv *csv, char *out, size_t room, size_t *n,
                       struct why *why)
{
    size_t from = csv->line;
    for (csv->at++; csv->at < csv->len; csv->at++) {
        char c = csv->text[csv->at];
        if (c == '"' &&
            (csv->at + 1 == csv->len || csv->text[csv->at + 1] != '"')) {
            csv->at++;
            return ERR_OK;
        }
        csv->at += c == '"';
        csv->line += c == '\n';
        if (*n + 1 >= room)
            return err_set(why, ERR_RANGE,
                           "%s:%zu: a row of more than %u bytes", csv->name,
                           from, CSV_ROW_MAX);
        out[(*n)++] = c;
    }
    return err_set(why, ERR_INVALID, "%s:%zu: a quote is not closed", csv->name,
                   from);
}

static enum err plain(struct csv *csv, char *out, size_t room, size_t *n,
                      struct why *why)
{
    while (!at_end_of_line(csv) && csv->text[csv->at] != ',') {
        char c = csv->text[csv->at++];
        if (c == '"')
            return err_set(why, ERR_INVALID,
                           "%s:%zu: a quote within a field that does not "
                           "begin with one",
                           csv->name, csv->line);
        if (*n + 1 >= room)
            return err_set(why, ERR_RANGE,
                           "%s:%zu: a row of more than %u bytes", csv->name,
                           csv->line, CSV_ROW_MAX);
        out[(*n)++] = c;
    }
    while (*n && (out[*n - 1] == ' ' || out[*n - 1] == '\t'))
        --*n;
    return ERR_OK;
}

/* One field at the end [*used] of the row's bytes. */
static enum err field(struct csv *csv, size_t *used, struct why *why)
{
    char *out = csv->row + *used;
    size_t n = 0, room = CSV_ROW_MAX - *used, line = csv->line;
    skip_blanks(csv);
    bool quote = csv->at < csv->len && csv->text[csv->at] == '"';
    enum err e = quote ? quoted(csv, out, room, &n, why)
                       : plain(csv, out, room, &n, why);
    if (!e && quote)
        skip_blanks(csv);
    if (!e && !at_end_of_line(csv) && csv->text[csv->at] != ',')
        e = err_set(why, ERR_INVALID, "%s:%zu: text behind a closing quote",
                    csv->name, csv->line);
    if (!e && text_good(out, n) < n)
        e = err_set(why, ERR_INVALID,
                    "%s:%zu: field %zu: a byte 0x%02x, which is no text (UTF-8 "
                    "is read)",
                    csv->name, line, csv->n + 1,
                    (unsigned)(unsigned char)out[text_good(out, n)]);
    if (e)
        return e;
    out[n] = '\0';
    csv->fields[csv->n++] = out;
    *used += n + 1;
    return ERR_OK;
}

enum err csv_next(struct csv *csv, bool *row, struct why *why)
{
    size_t used = 0;
    *row = false;
    csv->n = 0;
    while (csv->at < csv->len && at_end_of_line(csv))
        skip_line_end(csv);
    if (csv->at == csv->len)
        return ERR_OK;
    csv->row_line = csv->line;
    for (;;) {
        if (csv->n == CSV_FIELDS_MAX || used + 1 >= CSV_ROW_MAX)
            return err_set(why, ERR_RANGE,
                           "%s:%zu: more than %u fields or %u bytes in a row",
                           csv->name, csv->row_line, CSV_FIELDS_MAX,
                           CSV_ROW_MAX);
        enum err e = field(csv, &used, why);
        if (e)
            return e;
        if (csv->at == csv->len || csv->text[csv->at] != ',')
            break;
        csv->at++;
    }
    skip_line_end(csv);
    *row = true;
    return ERR_OK;
}
