#include "results/documents.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/conclude.h"

struct reading {
    struct db *db;
    int64_t attempt;
    struct tally *tally;
    const char *agent;
};

/* A document that the tally needs could not be read: that is the trial's
 * fault, not the store's. Of several agents each may have sent one. */
static enum err unreadable(const struct reading *r, const char *rule,
                           enum err e, struct why *why)
{
    if (!e || e == ERR_NOMEM)
        return e;
    struct why evidence = *why;
    why->text[0] = '\0';
    (void)err_wrap(&evidence, e, "%s", r->agent);
    return conclude_invalid(r->db, r->attempt, rule, evidence.text, why);
}

static void note_pin(struct tally *tally, const char *side, const char *cpus)
{
    struct tally_pin *pin = *cpus ? tally_pin_of(tally, side) : NULL;
    if (pin)
        (void)snprintf(pin->cpus, sizeof pin->cpus, "%s", cpus);
}

/* What was in force: of the trial what the target's agent says, of processors
 * what each does. */
static enum err read_effective(const struct reading *r, const struct part *part,
                               struct why *why)
{
    const struct wire_blob *b = &part->intake.streams[SPOOL_EXECUTOR];
    struct effective effective;
    if (!b->len)
        return ERR_OK;
    enum err e = effective_read(&effective, b->data, b->len, why);
    if (e)
        return unreadable(r, "settings unreadable", e, why);
    if (part->target)
        r->tally->effective = effective;
    if (part->target)
        note_pin(r->tally, "target", effective.pin_target);
    if (part->load)
        note_pin(r->tally, part->side, effective.pin_load);
    return ERR_OK;
}

enum err documents_read(struct db *db, int64_t attempt, struct tally *tally,
                        const struct part *part, struct why *why)
{
    const struct reading r = {db, attempt, tally, part->in->agent};
    const struct wire_blob *last = &part->intake.streams[SPOOL_TARGET_FINAL];
    const struct wire_blob *closing = &part->intake.streams[SPOOL_CLOSING];
    enum err e = ERR_OK;
    if (part->target && last->len)
        e = unreadable(&r, "target's last word unreadable",
                       final_read(&tally->final, last->data, last->len, why),
                       why);
    if (!e)
        e = read_effective(&r, part, why);
    if (!e && closing->len)
        e = unreadable(&r, "end unreadable",
                       closing_add(&tally->closing, part->in->agent,
                                   closing->data, closing->len, why),
                       why);
    return e;
}

static enum err read_accepted(struct db *db, int64_t attempt,
                              struct accept *accept, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    accept_off(accept);
    enum err e = db_prepare(
        db, &stmt,
        "select x.rule, x.value from attempt a "
        "join trial t on t.id = a.trial "
        "join accepted x on x.experiment = t.experiment where a.id = ?",
        DB_VALUES(DB_I(attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        struct db_value rule = db_column(stmt, 0), value = db_column(stmt, 1);
        for (size_t i = 0; i < ACCEPT_LAST; i++)
            if (rule.type == DB_TEXT && value.type != DB_NULL &&
                !strcmp(rule.data, accept_name((enum accept_rule)i)))
                accept->limit[i] =
                    value.type == DB_INT ? (double)value.i : value.f;
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

enum err documents_plan(struct db *db, int64_t attempt, struct tally *tally,
                        struct why *why)
{
    int64_t planned_ns = 0;
    enum err e = db_run(db,
                        "select coalesce(max(e.measure_ns), 0) from attempt a "
                        "join trial t on t.id = a.trial join experiment e on "
                        "e.id = t.experiment where a.id = ?",
                        DB_VALUES(DB_I(attempt)), &planned_ns, why);
    tally->planned_ns = (uint64_t)planned_ns;
    return e ? e : read_accepted(db, attempt, &tally->accept, why);
}

enum err documents_restored(struct db *db, int64_t attempt,
                            const struct tally *tally, struct why *why)
{
    const struct closing *c = &tally->closing;
    if (!c->known)
        return ERR_OK;
    return db_run(db,
                  "update attempt set restored = ?, restored_evidence = ? "
                  "where id = ?",
                  DB_VALUES(DB_I(!c->altered), DB_T(c->differs), DB_I(attempt)),
                  NULL, why);
}
