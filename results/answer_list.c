/* The experiments of a store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/answer.h"
#include "results/handle.h"

static const struct {
    const char *name;
    bool right;
} columns[] = {{"id", true},         {"name", false},      {"track", false},
               {"challenge", false}, {"started", false},   {"state", false},
               {"cells", true},      {"iterations", true}, {"trials", true},
               {"ok", true},         {"oom", true},        {"failed", true},
               {"aborted", true},    {"invalid", true},    {"notes", true},
               {"bound", false},     {"tags", false}};

#define COLUMNS (sizeof columns / sizeof *columns)

/* In the order of columns; canaries and profiles are not counted. */
static const char sql[] =
    "select e.id, e.name, e.track, e.challenge, e.started, e.state || case "
    "when e.imported is null then '' else ', imported' end, "
    "(select count(*) from cell c where c.experiment = e.id and "
    "c.purpose = 'measure'), e.iterations, s.trials, s.ok, s.oom, s.failed, "
    "s.aborted, s.invalid, (select nullif(count(*), 0) from note n where "
    "n.experiment = e.id), (select group_concat(x.bound || case when x.shared "
    "then '*' else '' end || ' ' || x.n, ', ') from (select a.bound, "
    "max(a.bound_shared) as shared, count(*) as n from trial t "
    "join cell c on c.id = t.cell and c.purpose = 'measure' "
    "join block b on b.id = t.block and not b.superseded "
    "join attempt a on a.id = t.attempt and a.outcome = 'ok' "
    "where t.experiment = e.id and not exists (select 1 from invalid i where "
    "i.attempt = a.id) group by a.bound order by n desc, a.bound) x), "
    "(select group_concat(g.name || '=' || g.value, ' ') from tag g where "
    "g.experiment = e.id) "
    "from experiment e left join (select t.experiment, count(*) as trials, "
    "sum(a.outcome is 'ok') as ok, sum(a.outcome is 'oom') as oom, "
    "sum(a.outcome is 'failed') as failed, "
    "sum(a.outcome is 'aborted') as aborted, "
    "sum(exists (select 1 from invalid i where i.attempt = a.id)) as invalid "
    "from trial t join cell c on c.id = t.cell and c.purpose = 'measure' "
    "join block b on b.id = t.block and not b.superseded "
    "left join attempt a on a.id = coalesce(t.attempt, (select x.id from "
    "attempt x where x.trial = t.id order by x.n desc limit 1)) "
    "group by t.experiment) s on s.experiment = e.id "
    "where (?1 is null or e.track = ?1) and (?2 is null or exists (select 1 "
    "from tag g where g.experiment = e.id and g.name = ?2 and g.value = ?3)) "
    "order by e.id desc";

static void show(struct grid *grid, struct db_stmt *stmt)
{
    size_t row = grid_row(grid);
    for (size_t i = 0; i < COLUMNS; i++) {
        struct db_value v = db_column(stmt, i);
        char text[24];
        (void)snprintf(text, sizeof text, "%lld", (long long)v.i);
        if (v.type == DB_INT)
            grid_value(grid, row, i, (double)v.i, text);
        else if (v.type == DB_TEXT)
            grid_text(grid, row, i, v.data);
    }
}

enum err answer_list(struct store *store, const char *track, const char *tag,
                     struct grid *grid, struct why *why)
{
    const char *equals = tag ? strchr(tag, '=') : NULL;
    if (tag && (!equals || equals == tag))
        return err_set(why, ERR_USAGE, "tag \"%s\" is not name=value", tag);
    char *name = tag ? strndup(tag, (size_t)(equals - tag)) : NULL;
    if (tag && !name)
        return err_set(why, ERR_NOMEM, "tag");
    for (size_t i = 0; i < COLUMNS; i++)
        grid_column(grid, columns[i].name, "", columns[i].right);
    struct db_stmt *stmt = NULL;
    enum err e = db_prepare(
        store->db, &stmt, sql,
        DB_VALUES(DB_T(track), DB_T(name), DB_T(equals ? equals + 1 : NULL)),
        why);
    bool row = false;
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        show(grid, stmt);
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    free(name);
    return e;
}
