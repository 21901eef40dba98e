#include "tests/bench/fidelity/csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum err read_text(struct csv *csv, struct why *why)
{
    enum err e = ERR_OK;
    FILE *f = fopen(csv->path, "re");
    if (!f)
        return err_errno(why, errno, "%s", csv->path);
    csv->text = malloc(CSV_BYTES_MAX + 1);
    size_t n = csv->text ? fread(csv->text, 1, CSV_BYTES_MAX, f) : 0;
    if (!csv->text)
        e = err_set(why, ERR_NOMEM, "%s: no memory", csv->path);
    else if (ferror(f))
        e = err_errno(why, errno, "%s", csv->path);
    else if (n == CSV_BYTES_MAX)
        e = err_set(why, ERR_RANGE, "%s: 64 MiB or more", csv->path);
    else if (memchr(csv->text, '"', n) || memchr(csv->text, '\0', n))
        e = err_set(why, ERR_INVALID, "%s: quotes or zero bytes", csv->path);
    else
        csv->text[n] = '\0';
    (void)fclose(f);
    return e;
}

static size_t count(const char *text, char c)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == c;
    return n;
}

/* Cut the text into cells, in place. */
static enum err cut(struct csv *csv, struct why *why)
{
    size_t n = 0, line_cells = 0;
    for (char *p = csv->text; *p;) {
        size_t len = strcspn(p, ",\n");
        char end = p[len];
        csv->cells[n++] = p;
        line_cells++;
        p[len] = '\0';
        if (end == '\n' && len && p[len - 1] == '\r')
            p[len - 1] = '\0';
        p += len + (end != '\0');
        if (end == ',')
            continue;
        if (csv->rows == 0)
            csv->columns = line_cells;
        else if (line_cells != csv->columns)
            return err_set(why, ERR_INVALID, "%s:%zu: %zu cells, the head %zu",
                           csv->path, csv->rows + 1, line_cells, csv->columns);
        csv->rows++;
        line_cells = 0;
    }
    return ERR_OK;
}

enum err csv_read(struct csv *csv, const char *path, struct why *why)
{
    *csv = (struct csv){.path = path};
    enum err e = read_text(csv, why);
    if (!e) {
        size_t most = count(csv->text, ',') + count(csv->text, '\n') + 1;
        csv->cells = calloc(most, sizeof *csv->cells);
        e = csv->cells ? cut(csv, why)
                       : err_set(why, ERR_NOMEM, "%s: no memory", path);
    }
    if (e)
        csv_free(csv);
    return e;
}

void csv_free(struct csv *csv)
{
    free(csv->text);
    free(csv->cells);
    *csv = (struct csv){0};
}

const char *csv_text(const struct csv *csv, size_t row, const char *column)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (!strcmp(csv->cells[i], column))
            return csv->cells[row * csv->columns + i];
    return NULL;
}

static enum err refuse(const struct csv *csv, size_t row, const char *column,
                       const char *text, struct why *why)
{
    if (!text)
        return err_set(why, ERR_INVALID, "%s: no column %s", csv->path, column);
    return err_set(why, ERR_INVALID, "%s:%zu: %s: \"%s\" is no number",
                   csv->path, row + 1, column, text);
}

enum err csv_number(const struct csv *csv, size_t row, const char *column,
                    double *out, struct why *why)
{
    const char *text = csv_text(csv, row, column);
    char *end;
    *out = 0;
    if (!text)
        return refuse(csv, row, column, text, why);
    if (*text)
        *out = strtod(text, &end);
    return *text && *end ? refuse(csv, row, column, text, why) : ERR_OK;
}

enum err csv_u64(const struct csv *csv, size_t row, const char *column,
                 uint64_t *out, struct why *why)
{
    const char *text = csv_text(csv, row, column);
    char *end;
    *out = 0;
    if (!text || *text == '-')
        return refuse(csv, row, column, text, why);
    if (*text)
        *out = strtoull(text, &end, 10);
    return *text && *end ? refuse(csv, row, column, text, why) : ERR_OK;
}
