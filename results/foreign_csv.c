#include "results/foreign_csv.h"

#include <string.h>

#include "results/foreign_unit.h"

enum column { BLOCK, OUTCOME, INVALID, TASK, METRIC, VALUE, UNIT, COLUMNS };

static const char *const names[COLUMNS] = {
    "block", "outcome", "invalid", "task", "metric", "value", "unit"};

/* Where each column is, SIZE_MAX: nowhere; and the factors' columns. */
struct layout {
    size_t at[COLUMNS];
    size_t factors[FOREIGN_FACTORS_MAX];
    size_t n; /* columns in all */
};

static size_t column_find(const struct csv *head, const char *name)
{
    for (size_t i = 0; i < head->n; i++)
        if (!strcmp(head->fields[i], name))
            return i;
    return SIZE_MAX;
}

bool foreign_csv_is(const struct csv *head)
{
    return column_find(head, "metric") != SIZE_MAX &&
           column_find(head, "value") != SIZE_MAX;
}

static bool is_reserved(const char *name)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static enum err read_head(struct layout *layout, struct foreign *f,
                          const struct csv *csv, struct why *why)
{
    enum err e = ERR_OK;
    layout->n = csv->n;
    for (size_t i = 0; i < COLUMNS; i++)
        layout->at[i] = column_find(csv, names[i]);
    for (size_t i = 0; !e && i < csv->n; i++) {
        const char *name = csv->fields[i];
        if (is_reserved(name)) {
            if (column_find(csv, name) != i)
                e = err_set(why, ERR_EXISTS, "column \"%s\" twice", name);
            continue;
        }
        if (f->n_factors < FOREIGN_FACTORS_MAX)
            layout->factors[f->n_factors] = i;
        e = foreign_factor(f, name, why);
    }
    return e ? err_wrap(why, e, "%s:%zu", csv->name, csv->row_line) : ERR_OK;
}

static const char *field(const struct layout *layout, const struct csv *csv,
                         enum column column)
{
    size_t at = layout->at[column];
    return at == SIZE_MAX ? "" : csv->fields[at];
}

static enum err read_outcome(const char *word, enum attempt_outcome *out,
                             struct why *why)
{
    *out = OUTCOME_OK;
    if (!*word)
        return ERR_OK;
    if (outcome_parse(word, out, NULL))
        return err_set(why, ERR_INVALID,
                       "outcome \"%.40s\": ok, oom, failed and aborted are "
                       "accepted",
                       word);
    return ERR_OK;
}

static enum err read_row(const struct layout *layout, struct foreign *f,
                         const struct csv *csv, struct why *why)
{
    const char *levels[FOREIGN_FACTORS_MAX];
    struct foreign_row row = {.levels = levels,
                              .block = field(layout, csv, BLOCK),
                              .invalid = field(layout, csv, INVALID),
                              .task = field(layout, csv, TASK),
                              .metric = field(layout, csv, METRIC)};
    const char *value = field(layout, csv, VALUE);
    if (csv->n != layout->n)
        return err_set(why, ERR_INVALID, "%zu fields, the first row has %zu",
                       csv->n, layout->n);
    for (size_t i = 0; i < f->n_factors; i++)
        levels[i] = csv->fields[layout->factors[i]];
    enum err e = read_outcome(field(layout, csv, OUTCOME), &row.outcome, why);
    if (!e && !*row.metric && *value)
        e = err_set(why, ERR_INVALID,
                    "value \"%.60s\" without the name of a metric", value);
    if (!e && !*row.metric && row.outcome == OUTCOME_OK)
        e = err_set(why, ERR_INVALID,
                    "no metric: that is for trials whose outcome is not ok");
    if (!e && *row.metric)
        e = foreign_number(value, field(layout, csv, UNIT), &row.value, why);
    return e ? e : foreign_add(f, &row, why);
}

enum err foreign_csv_read(struct foreign *out, struct csv *csv, struct why *why)
{
    struct layout layout;
    bool row = false;
    foreign_init(out, "csv");
    enum err e = read_head(&layout, out, csv, why);
    if (e)
        return e;
    e = csv_next(csv, &row, why);
    while (!e && row) {
        e = read_row(&layout, out, csv, why);
        if (e)
            return err_wrap(why, e, "%s:%zu", csv->name, csv->row_line);
        e = csv_next(csv, &row, why);
    }
    if (!e && !out->n_trials)
        e = err_set(why, ERR_INVALID, "%s: no row with a figure", csv->name);
    return e;
}
