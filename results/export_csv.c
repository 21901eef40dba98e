#include <stdlib.h>
#include <string.h>

#include "results/export.h"
#include "results/handle.h"
#include "results/matrix.h"
#include "results/rowsum.h"

/* The rows' parts that a trial's figures share. */
struct trial {
    const char *block, *outcome, *invalid; /* until the statement's next step */
    size_t cell;
    int64_t attempt;
};

/* Blocks by their iteration, and by their bench where it has several; an empty
 * name is paired with nothing. */
static const char trials_sql[] =
    "select case when not b.paired then '' when (select count(*) from block x "
    "where x.experiment = b.experiment and x.iteration = b.iteration and not "
    "x.superseded) > 1 then b.iteration || '@' || n.name else "
    "cast(b.iteration as text) end, c.position, a.id, a.outcome, "
    "coalesce((select group_concat(rule, ', ') from (select rule from invalid "
    "where attempt = a.id order by rule)), '') "
    "from trial t join cell c on c.id = t.cell and c.purpose = 'measure' "
    "join block b on b.id = t.block and not b.superseded "
    "join bench n on n.id = b.bench "
    "join attempt a on a.id = coalesce(t.attempt, (select x.id from attempt x "
    "where x.trial = t.id order by x.n desc limit 1)) "
    "where t.experiment = ? and a.state = 'stored' order by t.tid";

static void put_field(FILE *out, const char *text)
{
    size_t len = strlen(text);
    if (!text[strcspn(text, ",\"\r\n")] && *text != ' ' && *text != '\t' &&
        !(len && (text[len - 1] == ' ' || text[len - 1] == '\t'))) {
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

static void put_head(FILE *out, const struct matrix *m)
{
    (void)fputs("block", out);
    for (size_t f = 0; f < m->n_factors; f++) {
        (void)fputc(',', out);
        put_field(out, m->factors[f].name);
    }
    (void)fputs(",outcome,invalid,task,metric,value\n", out);
}

static void put_row(FILE *out, const struct matrix *m,
                    const struct trial *trial, const char *task,
                    const char *metric)
{
    put_field(out, trial->block);
    for (size_t f = 0; f < m->n_factors; f++) {
        (void)fputc(',', out);
        put_field(out, m->factors[f].labels[m->cells[trial->cell].levels[f]]);
    }
    const char *const rest[] = {trial->outcome, trial->invalid, task, metric};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        (void)fputc(',', out);
        put_field(out, rest[i]);
    }
    (void)fputc(',', out);
}

/* The fewest digits that read back as the same number. */
static void put_value(FILE *out, double value)
{
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    (void)fputs(text, out);
}

static enum err put_trial(FILE *out, const struct matrix *m,
                          const struct trial *trial, struct db *db,
                          struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(db, &stmt,
                            "select attempt, name, task, source, value, crc "
                            "from metric where attempt = ? order by task, name",
                            DB_VALUES(DB_I(trial->attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && !row && strcmp(trial->outcome, "ok") != 0) {
        put_row(out, m, trial, "", "");
        (void)fputc('\n', out);
    }
    while (!e && row) {
        e = rowsum_check(stmt, "metric", why);
        if (e)
            break;
        put_row(out, m, trial, db_column(stmt, 2).data,
                db_column(stmt, 1).data);
        put_value(out, db_column(stmt, 4).f);
        (void)fputc('\n', out);
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

static enum err put_trials(FILE *out, const struct matrix *m, struct db *db,
                           struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e =
        db_prepare(db, &stmt, trials_sql, DB_VALUES(DB_I(m->experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        const struct trial trial = {.block = db_column(stmt, 0).data,
                                    .cell = (size_t)db_column(stmt, 1).i,
                                    .attempt = db_column(stmt, 2).i,
                                    .outcome = db_column(stmt, 3).data,
                                    .invalid = db_column(stmt, 4).data};
        e = trial.cell < m->n_cells
                ? put_trial(out, m, &trial, db, why)
                : err_set(why, ERR_CORRUPT, "a trial of no cell");
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

enum err export_csv(struct store *store, int64_t experiment, FILE *out,
                    struct why *why)
{
    struct matrix m = {0};
    enum err e = db_begin(store->db, false, why);
    if (e)
        return e;
    e = matrix_load(&m, store->db, experiment, why);
    if (!e) {
        put_head(out, &m);
        e = put_trials(out, &m, store->db, why);
    }
    matrix_fini(&m);
    return db_end(store->db, e, why);
}
