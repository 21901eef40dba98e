#include "results/foreign_table.h"

#include <stdio.h>
#include <string.h>

#include "results/foreign_unit.h"
#include "results/foreign_word.h"

/* A column of the table at hand. */
struct column {
    struct foreign_column is;
    char name[68]; /* of a metric that is not known */
    size_t factor; /* index, of FOREIGN_FACTOR and FOREIGN_LEVEL */
};

struct table {
    struct foreign *out;
    struct column columns[CSV_FIELDS_MAX];
    size_t n;
    bool named; /* it has rows with the names of metrics */
};

/* Whether name is one of the words in list. */
static bool is_among(const char *name, const char *list)
{
    size_t len = strlen(name);
    for (const char *p = list; p && *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == len && !strncmp(p, name, len))
            return true;
    return false;
}

static enum err unknown(const char *name, struct why *why)
{
    char known[400];
    size_t used = 0;
    const struct foreign_column *c;
    for (size_t i = 0; (c = foreign_word_column_at(i)) && used < sizeof known;
         i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                 i ? " " : "", c->name);
    return err_set(why, ERR_INVALID,
                   "column \"%.60s\" is not known: say which columns are "
                   "factors (--factors), or name it one of %s",
                   name, known);
}

static enum err factor_of(struct table *t, struct column *column,
                          struct why *why)
{
    for (column->factor = 0; column->factor < t->out->n_factors;
         column->factor++)
        if (!strcmp(t->out->factors[column->factor].name, column->is.to))
            break;
    if (column->factor < t->out->n_factors && column->is.role == FOREIGN_LEVEL)
        return ERR_OK;
    return foreign_factor(t->out, column->is.to, why);
}

static enum err read_column(struct table *t, const char *name,
                            const char *factors, struct why *why)
{
    struct column *column = &t->columns[t->n++];
    const struct foreign_column *known = foreign_word_column(name);
    if (is_among(name, factors))
        column->is = (struct foreign_column){name, FOREIGN_FACTOR, name, "%s"};
    else if (known && !(factors && known->role == FOREIGN_FACTOR))
        column->is = *known;
    else if (factors)
        column->is = (struct foreign_column){
            name, FOREIGN_METRIC,
            foreign_word_row(name, column->name, sizeof column->name), ""};
    else
        return unknown(name, why);
    t->named |= column->is.role == FOREIGN_NAME;
    return column->is.role == FOREIGN_FACTOR || column->is.role == FOREIGN_LEVEL
               ? factor_of(t, column, why)
               : ERR_OK;
}

static enum err read_head(struct table *t, const struct csv *csv,
                          const char *factors, struct why *why)
{
    enum err e = ERR_OK;
    for (const char *p = factors; !e && p && *p;) {
        char word[68];
        size_t len = strcspn(p, ",");
        bool there = false;
        (void)snprintf(word, sizeof word, "%.*s", (int)(len < 67 ? len : 67),
                       p);
        for (size_t i = 0; i < csv->n; i++)
            there |= !strcmp(csv->fields[i], word);
        if (!there)
            e = err_set(why, ERR_NOTFOUND,
                        "--factors: there is no column \"%s\"", word);
        p += len;
        p += *p == ',';
    }
    for (size_t i = 0; !e && i < csv->n; i++)
        e = read_column(t, csv->fields[i], factors, why);
    return e;
}

/* What a row says beside its figures. */
struct said {
    char texts[FOREIGN_FACTORS_MAX][FOREIGN_TEXT_MAX + 24];
    const char *levels[FOREIGN_FACTORS_MAX];
    struct foreign_row row;
    char metric[68];
    const char *unit;
};

static void say_level(struct said *said, const struct column *column,
                      const char *field)
{
    char *text = said->texts[column->factor];
    const char *mark = strstr(column->is.pattern, "%s");
    size_t before = mark ? (size_t)(mark - column->is.pattern) : 0;
    (void)snprintf(text, sizeof said->texts[0], "%.*s%.*s%s", (int)before,
                   column->is.pattern, (int)FOREIGN_TEXT_MAX + 1, field,
                   mark ? mark + 2 : "");
    if (!*field)
        *text = '\0';
    said->levels[column->factor] = text;
}

static enum err say(struct said *said, const struct column *column,
                    const char *field, struct why *why)
{
    switch (column->is.role) {
    case FOREIGN_FACTOR:
        say_level(said, column, field);
        return ERR_OK;
    case FOREIGN_BLOCK:
        said->row.block = field;
        return ERR_OK;
    case FOREIGN_UNIT:
        said->unit = field;
        return ERR_OK;
    case FOREIGN_NAME:
        said->row.metric =
            foreign_word_row(field, said->metric, sizeof said->metric);
        return *said->metric ? ERR_OK
                             : err_set(why, ERR_INVALID,
                                       "metric \"%.60s\" is no name", field);
    case FOREIGN_OOM:
        if (strcmp(field, "0") != 0 && strcmp(field, "1") != 0)
            return err_set(why, ERR_INVALID,
                           "oom \"%.40s\": 0 and 1 are accepted", field);
        if (*field == '1')
            said->row.outcome = OUTCOME_OOM;
        return ERR_OK;
    case FOREIGN_LEVEL:
    case FOREIGN_METRIC:
    case FOREIGN_VALUE:
        return ERR_OK;
    }
    return ERR_OK;
}

static enum err add(struct table *t, struct said *said,
                    const struct column *column, const char *field,
                    struct why *why)
{
    struct foreign_row row = said->row;
    const char *unit = said->unit;
    if (column->is.role == FOREIGN_METRIC) {
        row.metric = column->is.to;
        unit = column->is.pattern;
    } else if (!t->named) {
        row.metric = foreign_word_unit(unit);
        if (!row.metric)
            return err_set(why, ERR_INVALID,
                           "unit \"%.20s\" without the name of a metric: only "
                           "docs/s, Gbit/s and %% tell what it is",
                           unit);
    }
    if (column->is.role == FOREIGN_LEVEL)
        said->levels[column->factor] = column->is.pattern;
    enum err e = foreign_number(field, unit, &row.value, why);
    return e ? e : foreign_add(t->out, &row, why);
}

static enum err read_row(struct table *t, const struct csv *csv,
                         struct why *why)
{
    struct said said = {.row = {.block = "",
                                .outcome = OUTCOME_OK,
                                .invalid = "",
                                .task = "",
                                .metric = ""},
                        .unit = ""};
    said.row.levels = said.levels;
    enum err e = ERR_OK;
    if (csv->n != t->n)
        return err_set(why, ERR_INVALID, "%zu fields, the first row has %zu",
                       csv->n, t->n);
    for (size_t i = 0; !e && i < t->n; i++)
        e = say(&said, &t->columns[i], csv->fields[i], why);
    for (size_t i = 0; !e && i < t->n; i++) {
        enum foreign_role role = t->columns[i].is.role;
        if (*csv->fields[i] && (role == FOREIGN_METRIC ||
                                role == FOREIGN_VALUE || role == FOREIGN_LEVEL))
            e = add(t, &said, &t->columns[i], csv->fields[i], why);
        if (e)
            e = err_wrap(why, e, "column %s", t->columns[i].is.name);
    }
    return e;
}

enum err foreign_table_read(struct foreign *out, struct csv *csv,
                            const char *factors, struct why *why)
{
    struct table t = {.out = out};
    bool row = false;
    foreign_init(out, "table");
    enum err e = read_head(&t, csv, factors, why);
    if (e)
        return err_wrap(why, e, "%s:%zu", csv->name, csv->row_line);
    e = csv_next(csv, &row, why);
    while (!e && row) {
        e = read_row(&t, csv, why);
        if (e)
            return err_wrap(why, e, "%s:%zu", csv->name, csv->row_line);
        e = csv_next(csv, &row, why);
    }
    if (!e && !out->n_values)
        e = err_set(why, ERR_INVALID, "%s: no row with a figure", csv->name);
    return e;
}
