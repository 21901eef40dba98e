#include "results/foreign_read.h"

#include <string.h>

#include "results/foreign_csv.h"
#include "results/foreign_race.h"
#include "results/foreign_table.h"

static enum err read_race(struct foreign *out, const char *name,
                          const char *text, size_t len, struct why *why)
{
    struct jv *root = NULL;
    enum err e = jv_parse(&root, name, text, len, why);
    if (!e)
        e = foreign_race_read(out, name, root, why);
    jv_free(root);
    return e;
}

static enum err refuse_factors(const char *factors, const char *form,
                               struct why *why)
{
    return factors ? err_set(why, ERR_USAGE,
                             "--factors is for tables with a column per "
                             "figure; this is %s",
                             form)
                   : ERR_OK;
}

static enum err read_csv(struct foreign *out, struct csv *csv,
                         const char *factors, struct why *why)
{
    bool row = false;
    enum err e = csv_next(csv, &row, why);
    if (!e && !row)
        e = err_set(why, ERR_INVALID,
                    "%s: empty: CSV or a race.json is accepted", csv->name);
    if (e)
        return e;
    if (!foreign_csv_is(csv))
        return foreign_table_read(out, csv, factors, why);
    e = refuse_factors(factors, "in long form", why);
    return e ? e : foreign_csv_read(out, csv, why);
}

enum err foreign_read(struct foreign *out, const char *name, const char *text,
                      size_t len, const char *factors, struct why *why)
{
    struct csv csv;
    size_t at = len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
    foreign_init(out, "");
    while (at < len && strchr(" \t\r\n", text[at]) && text[at])
        at++;
    if (at < len && text[at] == '{') {
        enum err e = refuse_factors(factors, "JSON", why);
        return e ? e : read_race(out, name, text, len, why);
    }
    enum err e = csv_open(&csv, name, text, len, why);
    if (!e)
        e = read_csv(out, &csv, factors, why);
    csv_close(&csv);
    return e;
}
