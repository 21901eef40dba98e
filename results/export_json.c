#include <stdlib.h>
#include <string.h>

#include "common/json_build.h"
#include "results/export.h"
#include "results/handle.h"
#include "results/metric.h"
#include "results/rowsum.h"

/* A column as a member of object; NULL is null. */
static void add_column(struct jv *object, const char *name,
                       const struct db_value *v)
{
    switch (v->type) {
    case DB_INT:
        jv_add_i64(object, name, v->i);
        return;
    case DB_REAL:
        jv_add_number(object, name, v->f);
        return;
    case DB_TEXT:
        jv_add_text(object, name, v->data);
        return;
    case DB_NULL:
    case DB_BLOB:
        jv_add_text(object, name, NULL);
        return;
    }
}

static void add_columns(struct jv *object, struct db_stmt *stmt)
{
    const char *name;
    for (size_t i = 0; (name = db_column_name(stmt, i)); i++) {
        struct db_value v = db_column(stmt, i);
        if (*name != '_')
            add_column(object, name, &v);
    }
}

/* A member of parent: a list with an object per row of sql about id. */
static enum err add_list(struct jv *parent, const char *key, struct db *db,
                         const char *sql, int64_t id, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    struct jv *list = jv_add(parent, key, JV_ARRAY);
    enum err e = db_prepare(db, &stmt, sql, DB_VALUES(DB_I(id)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        add_columns(jv_add(list, NULL, JV_OBJECT), stmt);
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

/* Figures, with their units; their columns before crc are summed up. */
static enum err add_figures(struct jv *trial, struct db *db, int64_t attempt,
                            struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    struct jv *list = jv_add(trial, "metrics", JV_ARRAY);
    enum err e = db_prepare(db, &stmt,
                            "select attempt, name, task, source, value, crc "
                            "from metric where attempt = ? order by task, name",
                            DB_VALUES(DB_I(attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        const struct metric *m = metric_find(db_column(stmt, 1).data);
        struct jv *figure = jv_add(list, NULL, JV_OBJECT);
        e = rowsum_check(stmt, "metric", why);
        jv_add_text(figure, "name", db_column(stmt, 1).data);
        jv_add_text(figure, "task", db_column(stmt, 2).data);
        jv_add_text(figure, "source", db_column(stmt, 3).data);
        jv_add_number(figure, "value", db_column(stmt, 4).f);
        jv_add_text(figure, "unit", m ? m->unit : NULL);
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

static enum err add_levels(struct jv *trial, struct db *db, int64_t cell,
                           struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    struct jv *levels = jv_add(trial, "levels", JV_OBJECT);
    enum err e = db_prepare(db, &stmt,
                            "select factor, label from v_level where cell = ? "
                            "order by position",
                            DB_VALUES(DB_I(cell)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        struct db_value label = db_column(stmt, 1);
        add_column(levels, db_column(stmt, 0).data, &label);
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

/* Print v and free it: trials are put out one by one. */
static void print(FILE *out, struct jv *v)
{
    char *text = jv_print(v, false);
    (void)fputs(text, out);
    free(text);
    jv_free(v);
}

static enum err put_trial(FILE *out, struct db *db, struct db_stmt *stmt,
                          struct why *why)
{
    struct jv *trial = jv_new(JV_OBJECT);
    int64_t cell = db_column(stmt, 0).i, attempt = db_column(stmt, 1).i;
    add_columns(trial, stmt);
    enum err e = add_levels(trial, db, cell, why);
    if (!e)
        e = add_list(trial, "invalid", db,
                     "select rule, evidence from invalid where attempt = ? "
                     "order by rule",
                     attempt, why);
    if (!e)
        e = add_figures(trial, db, attempt, why);
    if (!e)
        e = add_list(trial, "seconds", db,
                     "select second, sum(ops) as ops, sum(docs) as docs, "
                     "sum(bytes) as bytes, sum(errors) as errors from "
                     "sample_load where attempt = ? group by second",
                     attempt, why);
    print(out, trial);
    return e;
}

static enum err put_trials(FILE *out, struct db *db, int64_t experiment,
                           struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    const char *between = "\n";
    enum err e = db_prepare(
        db, &stmt,
        "select t.cell as _cell, a.id as _attempt, t.tid, c.label as cell, "
        "t.iteration, t.position, n.name as bench, b.paired, "
        "a.n as attempt, a.state, a.outcome, a.partial, a.error, a.bound, "
        "a.bound_shared, a.bound_evidence, a.restored "
        "from trial t join cell c on c.id = t.cell and c.purpose = 'measure' "
        "join block b on b.id = t.block and not b.superseded "
        "join bench n on n.id = b.bench "
        "left join attempt a on a.id = coalesce(t.attempt, (select x.id from "
        "attempt x where x.trial = t.id order by x.n desc limit 1)) "
        "where t.experiment = ? order by t.tid",
        DB_VALUES(DB_I(experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    (void)fputs(",\"trials\":[", out);
    while (!e && row) {
        (void)fputs(between, out);
        between = ",\n";
        e = put_trial(out, db, stmt, why);
        if (!e)
            e = db_step(stmt, &row, why);
    }
    (void)fputs("\n]}\n", out);
    db_finish(stmt);
    return e;
}

/* The members before trials; *text has no closing brace. */
static enum err put_plan(FILE *out, struct db *db, int64_t experiment,
                         struct why *why)
{
    static const char *const lists[][2] = {
        {"experiment",
         "select id, uuid, name, track, challenge, target, version, seed, "
         "order_kind, warmup_ns, measure_ns, iterations, state, started, "
         "ended, imported, json as plan from experiment where id = ?"},
        {"tags", "select name, value from tag where experiment = ? "
                 "order by name"},
        {"factors",
         "select f.name as factor, f.kind, l.label, l.value from factor f join "
         "level l on l.factor = f.id where f.experiment = ? order by "
         "f.position, l.position"},
        {"machines", "select agent, name, value from host_fact where "
                     "experiment = ? order by agent, name"},
        {"notes", "select n.at, t.tid, n.text from note n left join trial t "
                  "on t.id = n.trial where n.experiment = ? order by n.id"}};
    struct jv *root = jv_new(JV_OBJECT);
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < sizeof lists / sizeof *lists; i++)
        e = add_list(root, lists[i][0], db, lists[i][1], experiment, why);
    if (!e) {
        struct jv *one = jv_new(JV_OBJECT);
        const char *key;
        const struct jv *v;
        jv_add_copy(one, "experiment", jv_at(jv_get(root, "experiment"), 0));
        for (size_t i = 1; (v = jv_member(root, i, &key)); i++)
            jv_add_copy(one, key, v);
        char *text = jv_print(one, false);
        (void)fwrite(text, 1, strlen(text) - 1, out);
        free(text);
        jv_free(one);
    }
    jv_free(root);
    return e;
}

enum err export_json(struct store *store, int64_t experiment, FILE *out,
                     struct why *why)
{
    enum err e = db_begin(store->db, false, why);
    if (e)
        return e;
    e = put_plan(out, store->db, experiment, why);
    if (!e)
        e = put_trials(out, store->db, experiment, why);
    return db_end(store->db, e, why);
}
