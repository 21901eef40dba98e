#include "results/page_facts.h"

#include "results/page_write.h"

#define FACTS_MAX     400
#define VALUE_BYTES   300   /* of a fact */
#define FILE_BYTES    65536 /* of an experiment's file */
#define N_PROVENANCES 7

static const char *text(struct db_stmt *stmt, size_t i)
{
    struct db_value v = db_column(stmt, i);
    return v.type == DB_TEXT ? v.data : "";
}

enum err page_machines(FILE *out, struct db *db, int64_t experiment,
                       struct why *why)
{
    struct grid grid;
    struct db_stmt *stmt = NULL;
    bool row = false;
    grid_init(&grid);
    grid_column(&grid, "machine", "", false);
    grid_column(&grid, "fact", "", false);
    grid_column(&grid, "value", "", false);
    enum err e = db_prepare(
        db, &stmt,
        "select agent, name, substr(value, 1, ?2) from "
        "host_fact where experiment = ?1 order by agent, "
        "name limit ?3",
        DB_VALUES(DB_I(experiment), DB_I(VALUE_BYTES), DB_I(FACTS_MAX)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        size_t at = grid_row(&grid);
        for (size_t i = 0; i < 3; i++)
            grid_text(&grid, at, i, text(stmt, i));
        e = db_step(stmt, &row, why);
    }
    if (!e && grid.n_rows)
        page_grid(out, "what the agents told of their machines", &grid, 2);
    db_finish(stmt);
    grid_fini(&grid);
    return e;
}

static void put_provenance(FILE *out, struct db_stmt *stmt)
{
    static const char *const names[N_PROVENANCES] = {
        "experiment", "identity", "pitwall", "seed",
        "started",    "ended",    "tags"};
    (void)fputs("<dl>\n", out);
    for (size_t i = 0; i < N_PROVENANCES; i++) {
        if (!*text(stmt, i))
            continue;
        (void)fprintf(out, "<dt>%s</dt><dd>", names[i]);
        page_text(out, text(stmt, i));
        (void)fputs("</dd>\n", out);
    }
    (void)fputs("</dl>\n<details><summary>The experiment's file, which would "
                "repeat it</summary>\n<pre tabindex=\"0\">",
                out);
    page_text(out, text(stmt, N_PROVENANCES));
    (void)fputs("</pre>\n</details>\n", out);
}

enum err page_provenance(FILE *out, struct db *db, int64_t experiment,
                         struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select e.id || ', ' || e.name, e.uuid, e.version, e.seed, e.started, "
        "e.ended, (select group_concat(t.name || '=' || t.value, ', ') from "
        "tag t where t.experiment = e.id), substr(e.json, 1, ?2) from "
        "experiment e where e.id = ?1",
        DB_VALUES(DB_I(experiment), DB_I(FILE_BYTES)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && row)
        put_provenance(out, stmt);
    db_finish(stmt);
    return e;
}
