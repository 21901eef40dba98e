#include "results/conclude.h"

#include <math.h>

#include "results/bound.h"
#include "results/ceiling.h"
#include "results/invalid.h"
#include "results/metric.h"
#include "results/rowsum.h"

struct conclusion {
    struct db *db;
    int64_t attempt;
    const struct tally *tally;
};

static enum err put_metric(const struct conclusion *c, struct db_stmt *insert,
                           const struct metric *m,
                           const struct tally_task *task, struct why *why)
{
    static const char *const names[] = {"attempt", "name", "task", "source",
                                        "value"};
    double value = m->derive(c->tally, task, m->arg);
    if (!isfinite(value))
        return ERR_OK;
    struct db_value row[6] = {DB_I(c->attempt), DB_T(m->name), DB_T(task->name),
                              DB_T(tally_jvm_source(c->tally, m)), DB_F(value)};
    uint32_t sum = 0;
    for (size_t i = 0; i < 5; i++)
        sum = rowsum_add(sum, names[i], &row[i]);
    row[5] = DB_I(sum);
    db_bind(insert, row, 6);
    bool any = false;
    return db_step(insert, &any, why);
}

static enum err put_metrics(const struct conclusion *c, struct why *why)
{
    struct db_stmt *insert = NULL;
    const struct tally *tally = c->tally;
    enum err e = db_prepare(c->db, &insert,
                            "insert into metric (attempt, name, task, source, "
                            "value, crc) values (?, ?, ?, ?, ?, ?)",
                            DB_NONE, why);
    const struct metric *m;
    for (size_t i = 0; !e && (m = metric_at(i)); i++) {
        e = put_metric(c, insert, m, &tally->all, why);
        if (m->scope == METRIC_TASKS)
            for (size_t t = 0; !e && t < tally->n_tasks; t++)
                if (*tally->tasks[t].name)
                    e = put_metric(c, insert, m, &tally->tasks[t], why);
    }
    db_finish(insert);
    return e;
}

enum err conclude_invalid(struct db *db, int64_t attempt, const char *rule,
                          const char *evidence, struct why *why)
{
    return db_run(db,
                  "insert into invalid (attempt, rule, evidence) "
                  "values (?, ?, ?) on conflict (attempt, rule) do update "
                  "set evidence = evidence || '; ' || excluded.evidence",
                  DB_VALUES(DB_I(attempt), DB_T(rule), DB_T(evidence)), NULL,
                  why);
}

/* What the driver reached at best under the cell's load; zero: not measured. */
static enum err read_ceiling(const struct conclusion *c,
                             struct bound_ceiling *out, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    *out = (struct bound_ceiling){0};
    enum err e = db_prepare(
        c->db, &stmt,
        "select coalesce(d.docs_s, 0.0), coalesce(d.ops_s, 0.0), "
        "coalesce(d.mb_s, 0.0) from attempt a "
        "join trial t on t.id = a.trial join cell c on c.id = t.cell "
        "join driver_ceiling d on d.id = " CEILING_OF_TRIAL " where a.id = ?",
        DB_VALUES(DB_I(c->attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && row)
        *out = (struct bound_ceiling){.docs_s = db_column(stmt, 0).f,
                                      .ops_s = db_column(stmt, 1).f,
                                      .mb_s = db_column(stmt, 2).f};
    db_finish(stmt);
    return e;
}

/* Whether load and target had one machine: one agent did both, or the agents
 * were started under one kernel. */
static enum err read_shared(const struct conclusion *c, bool *out,
                            struct why *why)
{
    int64_t same = 0;
    *out = !c->tally->apart;
    if (*out)
        return ERR_OK;
    enum err e = db_run(
        c->db,
        "select count(*) from attempt a join trial t on t.id = a.trial "
        "join attempt_agent x on x.attempt = a.id and x.role <> 'load' "
        "join attempt_agent y on y.attempt = a.id and y.role <> 'target' "
        "join host_fact f on f.experiment = t.experiment and f.agent = x.agent "
        "and f.name = 'boot_id' "
        "join host_fact g on g.experiment = t.experiment and g.agent = y.agent "
        "and g.name = f.name and g.value = f.value where a.id = ?",
        DB_VALUES(DB_I(c->attempt)), &same, why);
    *out = same > 0;
    return e;
}

static enum err put_bound(const struct conclusion *c,
                          enum attempt_outcome outcome, struct why *why)
{
    char evidence[BOUND_EVIDENCE_BYTES];
    struct bound_ceiling ceiling;
    enum err e = read_ceiling(c, &ceiling, why);
    if (e)
        return e;
    enum attempt_bound bound =
        bound_of(c->tally, outcome, &ceiling, evidence, sizeof evidence);
    bool shared = false;
    if (bound_is_of_host(bound))
        e = read_shared(c, &shared, why);
    if (e)
        return e;
    return db_run(c->db,
                  "update attempt set bound = ?, bound_shared = ?, "
                  "bound_evidence = ? where id = ?",
                  DB_VALUES(DB_T(bound_name(bound)), DB_I(shared),
                            DB_T(evidence), DB_I(c->attempt)),
                  NULL, why);
}

enum err conclude(struct db *db, int64_t attempt, const struct tally *tally,
                  enum attempt_outcome outcome, struct why *why)
{
    const struct conclusion c = {.db = db, .attempt = attempt, .tally = tally};
    const struct invalid_rule *rule;
    enum err e = put_metrics(&c, why);
    for (size_t i = 0; !e && (rule = invalid_rule(i)); i++) {
        char evidence[INVALID_EVIDENCE_BYTES] = "";
        if (!rule->broken(tally, outcome, evidence, sizeof evidence))
            continue;
        e = conclude_invalid(db, attempt, rule->name, evidence, why);
    }
    return e ? e : put_bound(&c, outcome, why);
}
