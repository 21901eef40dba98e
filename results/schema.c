#include "results/schema.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/digest.h"
#include "results/metric.h"
#include "results/rows.h"
#include "results/schema_sql.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static enum err create(struct db *db, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < COUNT(schema_tables); i++)
        e = db_run(db, schema_tables[i], DB_NONE, NULL, why);
    return e ? e : rows_create(db, why);
}

/* Several agents in one attempt, and what the driver could do at best. */
static enum err add_agents(struct db *db, struct why *why)
{
    static const char *const changes[] = {
        "create table attempt_agent (\n"
        "  attempt integer not null references attempt,\n"
        "  agent text not null,\n"
        "  role text not null,         -- both, target, load\n"
        "  side text not null,         -- of its load's rows: load, load2\n"
        "  spool_bytes integer not null,\n"
        "  t0_ns integer,              -- of the start, by the agent's clock\n"
        "  clock_offset_ns integer,    -- of that, less the controller's\n"
        "  clock_uncertain_ns integer, -- which is known to within this\n"
        "  crc integer not null,\n"
        "  primary key (attempt, agent)\n"
        ") without rowid",
        "create table driver_ceiling (\n"
        "  id integer primary key,\n"
        "  experiment integer not null references experiment,\n"
        "  link text not null,         -- value of the level\n"
        "  load text not null,         -- how load was configured\n"
        "  docs_s real,                -- null: no documents\n"
        "  ops_s real,                 -- null: not measured, see error\n"
        "  mb_s real,                  -- of bodies, 10^6 bytes\n"
        "  window_ns integer not null,\n"
        "  error text,\n"
        "  crc integer not null\n"
        ")",
        "alter table cell add column driver_ceiling integer "
        "references driver_ceiling"};
    enum err e = rows_create(db, why);
    for (size_t i = 0; !e && i < COUNT(changes); i++)
        e = db_run(db, changes[i], DB_NONE, NULL, why);
    return e;
}

/* Why an attempt's bound is what it is. */
static enum err add_evidence(struct db *db, struct why *why)
{
    return db_run(db, "alter table attempt add column bound_evidence text",
                  DB_NONE, NULL, why);
}

/* Pressure and stacks, and what the link itself carries. */
static enum err add_capacity(struct db *db, struct why *why)
{
    enum err e = rows_create(db, why);
    return e ? e
             : db_run(db,
                      "alter table driver_ceiling add column link_bit_s real",
                      DB_NONE, NULL, why);
}

/* What a cell is there for, as a word instead of cell.canary's 0, 1 and 2. The
 * views that read that go first; they are made anew in any case. */
static enum err add_purpose(struct db *db, struct why *why)
{
    static const char *const changes[] = {
        "drop view if exists v_trial_all",
        "drop view if exists v_trial",
        "drop view if exists v_extra",
        "drop view if exists v_cell",
        "alter table cell add column purpose text not null default 'measure'",
        "update cell set purpose = case canary when 1 then 'canary' else "
        "'profile' end where canary <> 0",
        "alter table cell drop column canary"};
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < COUNT(changes); i++)
        e = db_run(db, changes[i], DB_NONE, NULL, why);
    return e;
}

/* One artifact that has no digest yet; *more: there was one. */
static enum err digest_one(struct db *db, bool *more, struct why *why)
{
    struct db_stmt *stmt = NULL;
    char sha256[DIGEST_HEX_SIZE];
    int64_t row = 0;
    enum err e = db_prepare(db, &stmt,
                            "select rowid, content from artifact where sha256 "
                            "= '' limit 1",
                            DB_NONE, why);
    if (!e)
        e = db_step(stmt, more, why);
    if (!e && *more) {
        struct db_value content = db_column(stmt, 1);
        row = db_column(stmt, 0).i;
        e = digest(content.data, content.len, sha256, why);
    }
    db_finish(stmt);
    return e || !*more
               ? e
               : db_run(db, "update artifact set sha256 = ? where rowid = ?",
                        DB_VALUES(DB_T(sha256), DB_I(row)), NULL, why);
}

static enum err add_digests(struct db *db, struct why *why)
{
    bool more = true;
    enum err e = db_run(
        db, "alter table artifact add column sha256 text not null default ''",
        DB_NONE, NULL, why);
    while (!e && more)
        e = digest_one(db, &more, why);
    return e;
}

/* That driver and target of an attempt had one machine together. */
static enum err add_shared(struct db *db, struct why *why)
{
    return db_run(db, "alter table attempt add column bound_shared integer",
                  DB_NONE, NULL, why);
}

/* What disturbances are accepted, fixed before the first trial, and whether the
 * machines were afterwards as before. */
static enum err add_validity(struct db *db, struct why *why)
{
    static const char *const changes[] = {
        "create table accepted (\n"
        "  experiment integer not null references experiment,\n"
        "  rule text not null,         -- foreign_cpu, steal_cpu, ...\n"
        "  value real,                 -- at most; null: the rule is off\n"
        "  primary key (experiment, rule)\n"
        ") without rowid",
        "alter table attempt add column restored integer", /* null: untold */
        "alter table attempt add column restored_evidence text"};
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < COUNT(changes); i++)
        e = db_run(db, changes[i], DB_NONE, NULL, why);
    return e;
}

/* What others measured: the form of its file, and blocks of values that are
 * paired with nothing. */
static enum err add_imported(struct db *db, struct why *why)
{
    static const char *const changes[] = {
        "alter table experiment add column imported text", /* null: ours */
        "alter table block add column paired integer not null default 1"};
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < COUNT(changes); i++)
        e = db_run(db, changes[i], DB_NONE, NULL, why);
    return e;
}

/* Experiments that go on after their controller's end. */
static enum err add_sittings(struct db *db, struct why *why)
{
    static const char *const changes[] = {
        "create table sitting (\n"
        "  id integer primary key,\n"
        "  experiment integer not null references experiment,\n"
        "  n integer not null,         -- 1..: run's, then resume's\n"
        "  folder text not null,       -- state of its own agent, or ''\n"
        "  state text not null default 'running', -- as experiment.state\n"
        "  started text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')),\n"
        "  ended text,\n"
        "  unique (experiment, n)\n"
        ")",
        "alter table experiment add column conduct text not null default ''",
        "alter table experiment add column wish integer not null default 0"};
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < COUNT(changes); i++)
        e = db_run(db, changes[i], DB_NONE, NULL, why);
    return e;
}

/* Looks at an experiment under way, each of which spent of alpha. */
static enum err add_looks(struct db *db, struct why *why)
{
    return db_run(db,
                  "create table look (\n"
                  "  experiment integer not null references experiment,\n"
                  "  blocks integer not null,    -- after so many\n"
                  "  rule text not null,         -- 6,12,24 or 2%\n"
                  "  alpha real not null,        -- of its verdicts\n"
                  "  share real not null,        -- of all alpha that is\n"
                  "  stop integer not null,      -- 1: it was enough\n"
                  "  words text not null,\n"
                  "  at text not null default "
                  "(strftime('%Y-%m-%dT%H:%M:%SZ')),\n"
                  "  primary key (experiment, blocks)\n"
                  ") without rowid",
                  DB_NONE, NULL, why);
}

/* Java virtual machines: their counters, compilations, logs and recordings. */
static enum err add_jvm(struct db *db, struct why *why)
{
    return rows_create(db, why);
}

/* The driver's ceiling is one of each bench. */
static enum err add_ceiling_bench(struct db *db, struct why *why)
{
    return db_run(db,
                  "alter table driver_ceiling add column bench integer "
                  "references bench",
                  DB_NONE, NULL, why);
}

schema_step *const schema_steps[SCHEMA_VERSION] = {
    create,      add_agents, add_evidence,     add_capacity, add_purpose,
    add_digests, add_shared, add_validity,     add_imported, add_sittings,
    add_looks,   add_jvm,    add_ceiling_bench};

enum err schema_migrate(struct db *db, schema_step *const *steps, int n_steps,
                        int from, struct why *why)
{
    enum err e = ERR_OK;
    for (int v = from; !e && v < n_steps; v++) {
        e = steps[v](db, why);
        if (e)
            return err_wrap(why, e, "from schema %d to %d", v, v + 1);
    }
    char sql[64];
    (void)snprintf(sql, sizeof sql, "pragma user_version = %d", n_steps);
    return e ? e : db_run(db, sql, DB_NONE, NULL, why);
}

/* The columns that $METRICS stands for, one subquery each. */
static void metrics(FILE *out)
{
    const struct metric *m;
    for (size_t i = 0; (m = metric_at(i)); i++) {
        (void)fprintf(out,
                      "%s(select m.value from metric m where m.attempt = a.id "
                      "and m.name = '%s' and m.task = '') as ",
                      i ? ",\n       " : "", m->name);
        for (const char *c = m->name; *c; c++)
            (void)fputc(*c == '.' ? '_' : *c, out);
    }
}

/* The view's statement with its metrics filled in, malloc'ed. */
static char *expand(const char *view)
{
    static const char mark[] = "$METRICS";
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (!out)
        return NULL;
    const char *at = strstr(view, mark);
    (void)fwrite(view, 1, at ? (size_t)(at - view) : strlen(view), out);
    if (at) {
        metrics(out);
        (void)fputs(at + sizeof mark - 1, out);
    }
    if (!fclose(out))
        return text;
    free(text);
    return NULL;
}

/* SQLite keeps a view's text from its name on; words before are its own. */
#define CREATE_VIEW "create view "

static enum err refresh_view(struct db *db, const char *view, struct why *why)
{
    char name[64], drop[96];
    char *text = expand(view);
    if (!text)
        return err_set(why, ERR_NOMEM, "views");
    const char *from = strstr(text, CREATE_VIEW);
    assert(from);
    from += strlen(CREATE_VIEW);
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(from, " "), from);
    int64_t same = 0;
    enum err e =
        db_run(db,
               "select count(*) from sqlite_master where type = "
               "'view' and name = ? and substr(sql, ?) = ?",
               DB_VALUES(DB_T(name), DB_I(strlen(CREATE_VIEW) + 1), DB_T(from)),
               &same, why);
    (void)snprintf(drop, sizeof drop, "drop view if exists %s", name);
    if (!e && !same)
        e = db_run(db, drop, DB_NONE, NULL, why);
    if (!e && !same)
        e = db_run(db, text, DB_NONE, NULL, why);
    free(text);
    return e;
}

static enum err refresh(struct db *db, struct why *why)
{
    enum err e = rows_grow(db, why);
    for (size_t i = 0; !e && i < COUNT(schema_views); i++)
        e = refresh_view(db, schema_views[i], why);
    return e;
}

struct identity {
    int64_t application, version, tables;
};

static enum err identify(struct db *db, struct identity *id, struct why *why)
{
    enum err e =
        db_run(db, "pragma application_id", DB_NONE, &id->application, why);
    if (!e)
        e = db_run(db, "pragma user_version", DB_NONE, &id->version, why);
    if (!e)
        e = db_run(db, "select count(*) from sqlite_master", DB_NONE,
                   &id->tables, why);
    return e;
}

static enum err check(const struct identity *id, const char *path, bool write,
                      struct why *why)
{
    bool fresh = !id->application && !id->version && !id->tables;
    if (fresh && write)
        return ERR_OK;
    if (fresh || id->application != SCHEMA_APPLICATION_ID)
        return err_set(why, ERR_CORRUPT, "%s: %s, not a store of pitwall", path,
                       fresh ? "an empty database" : "a stranger's database");
    if (id->version > SCHEMA_VERSION || id->version < 1)
        return err_set(why, ERR_VERSION,
                       "%s: its schema is version %lld, this pitwall knows 1 "
                       "to %d: use a newer one",
                       path, (long long)id->version, SCHEMA_VERSION);
    if (id->version < SCHEMA_VERSION && !write)
        return err_set(why, ERR_VERSION,
                       "%s: its schema is version %lld, this pitwall reads "
                       "%d: it must be migrated",
                       path, (long long)id->version, SCHEMA_VERSION);
    return ERR_OK;
}

enum err schema_old(struct db *db, bool *old, struct why *why)
{
    struct identity id = {0};
    enum err e = identify(db, &id, why);
    *old = !e && id.application == SCHEMA_APPLICATION_ID && id.version >= 1 &&
           id.version < SCHEMA_VERSION;
    return e;
}

enum err schema_open(struct db *db, const char *path, bool write,
                     struct why *why)
{
    struct identity id = {0};
    enum err e = identify(db, &id, why);
    if (!e)
        e = check(&id, path, write, why);
    if (e || !write)
        return e;
    e = db_run(db, "pragma journal_mode = wal", DB_NONE, NULL, why);
    if (!e)
        e = db_begin(db, true, why);
    if (e)
        return e;
    /* Once more: another may have made it while the lock was waited for. */
    e = identify(db, &id, why);
    if (!e)
        e = check(&id, path, write, why);
    char sql[64];
    (void)snprintf(sql, sizeof sql, "pragma application_id = %d",
                   SCHEMA_APPLICATION_ID);
    if (!e && id.version < SCHEMA_VERSION)
        e = db_run(db, sql, DB_NONE, NULL, why);
    if (!e && id.version < SCHEMA_VERSION)
        e = schema_migrate(db, schema_steps, SCHEMA_VERSION, (int)id.version,
                           why);
    if (!e)
        e = refresh(db, why);
    return db_end(db, e, why);
}
