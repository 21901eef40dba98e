/* The life of an attempt in the store: added, moved, ended. */
#include <assert.h>
#include <string.h>

#include "common/clock.h"
#include "results/handle.h"
#include "results/ingest.h"
#include "results/profile.h"
#include "results/seal.h"

#define ATTEMPTS_MAX 100 /* as on the wire, common/body.h */
/* Where ends come faster than trials last, some are settled with later ones. */
#define SETTLE_NS (100 * NS_PER_MS)

static enum err put_move(struct db *db, int64_t attempt,
                         enum attempt_state state, struct why *why)
{
    return db_run(db,
                  "insert into attempt_move (attempt, n, state) select ?1, "
                  "count(*), ?2 from attempt_move where attempt = ?1",
                  DB_VALUES(DB_I(attempt), DB_T(state_name(state))), NULL, why);
}

static enum err add(struct db *db, int64_t experiment, uint32_t tid,
                    int64_t *attempt, int64_t *n, struct why *why)
{
    int64_t trial = 0;
    enum err e =
        db_run(db, "select id from trial where experiment = ? and tid = ?",
               DB_VALUES(DB_I(experiment), DB_I(tid)), &trial, why);
    if (e == ERR_NOTFOUND)
        return err_set(why, e, "experiment %lld has no trial %u",
                       (long long)experiment, tid);
    if (!e)
        e = db_run(db, "select count(*) + 1 from attempt where trial = ?",
                   DB_VALUES(DB_I(trial)), n, why);
    if (!e && *n > ATTEMPTS_MAX)
        return err_set(why, ERR_RANGE, "trial %u: more than %d attempts", tid,
                       ATTEMPTS_MAX);
    if (!e)
        e = db_run(db,
                   "insert into attempt (trial, n) values (?, ?) returning id",
                   DB_VALUES(DB_I(trial), DB_I(*n)), attempt, why);
    return e ? e : put_move(db, *attempt, ATTEMPT_PLANNED, why);
}

enum err store_attempt_add(struct store *store, int64_t experiment,
                           uint32_t tid, int64_t *attempt, uint32_t *n,
                           struct why *why)
{
    int64_t id = 0, number = 0;
    assert(store->mode == STORE_WRITE);
    enum err e = db_begin(store->db, true, why);
    if (e)
        return e;
    e = add(store->db, experiment, tid, &id, &number, why);
    e = db_end(store->db, e, why);
    if (!e) {
        *attempt = id;
        *n = (uint32_t)number;
    }
    return e;
}

/* The attempt's state; ERR_NOTFOUND. */
static enum err state_of(struct db *db, int64_t attempt,
                         enum attempt_state *state, struct why *why)
{
    struct db_stmt *select = NULL;
    bool row = false;
    enum err e =
        db_prepare(db, &select, "select state from attempt where id = ?",
                   DB_VALUES(DB_I(attempt)), why);
    if (!e)
        e = db_step(select, &row, why);
    if (!e && !row)
        e = err_set(why, ERR_NOTFOUND, "there is no attempt %lld",
                    (long long)attempt);
    if (!e) {
        const char *word = db_column(select, 0).data;
        e = state_parse(word ? word : "", state, why);
    }
    db_finish(select);
    return e;
}

static enum err move(struct db *db, int64_t attempt, enum attempt_state to,
                     struct why *why)
{
    enum attempt_state from = ATTEMPT_PLANNED;
    enum err e = state_of(db, attempt, &from, why);
    if (e || to == from)
        return e;
    if (to < from)
        return err_set(why, ERR_STATE, "attempt %lld is %s, not to become %s",
                       (long long)attempt, state_name(from), state_name(to));
    e = db_run(db, "update attempt set state = ? where id = ?",
               DB_VALUES(DB_T(state_name(to)), DB_I(attempt)), NULL, why);
    return e ? e : put_move(db, attempt, to, why);
}

enum err store_attempt_move(struct store *store, int64_t attempt,
                            enum attempt_state state, struct why *why)
{
    assert(store->mode == STORE_WRITE);
    enum err e = db_begin(store->db, true, why);
    if (e)
        return e;
    return db_end(store->db, move(store->db, attempt, state, why), why);
}

/* The attempt's own row says how it ended, under a checksum. */
static enum err put_end(struct db *db, int64_t attempt,
                        const struct store_result *result,
                        const struct ingest_summary *sum, struct why *why)
{
    size_t spool_bytes = 0;
    for (size_t i = 0; i < result->n_parts; i++)
        spool_bytes += result->parts[i].spool_len;
    enum err e = db_run(
        db,
        "update attempt set outcome = ?, partial = ?, error = ?, "
        "spool_bytes = ?, records_unknown = ?, records_damaged = ? "
        "where id = ?",
        DB_VALUES(DB_T(outcome_name(result->outcome)), DB_I(sum->partial),
                  DB_T(result->error), DB_I(spool_bytes), DB_I(sum->unknown),
                  DB_I(sum->damaged), DB_I(attempt)),
        NULL, why);
    return e ? e : seal_attempt(db, attempt, why);
}

/* A measured attempt becomes its trial's chosen one, but an invalid one not
 * instead of a valid one. */
static enum err choose(struct db *db, int64_t attempt,
                       const struct ingest_summary *sum, struct why *why)
{
    return db_run(db,
                  "update trial set attempt = ?1 where id = "
                  "(select trial from attempt where id = ?1) and (attempt is "
                  "null or ?2 = 0 or exists (select 1 from invalid i where "
                  "i.attempt = trial.attempt))",
                  DB_VALUES(DB_I(attempt), DB_I(sum->invalid)), NULL, why);
}

static enum err end(struct db *db, int64_t attempt,
                    const struct store_result *result, struct why *why)
{
    enum attempt_state from = ATTEMPT_PLANNED;
    struct ingest_summary sum = {0};
    enum err e = state_of(db, attempt, &from, why);
    if (!e && from == ATTEMPT_STORED)
        e = err_set(why, ERR_STATE, "attempt %lld is stored already",
                    (long long)attempt);
    bool any = false;
    for (size_t i = 0; i < result->n_parts; i++)
        any |= result->parts[i].spool != NULL;
    if (!e && any)
        e = ingest_parts(db, attempt, result, &sum, why);
    if (!e && any)
        e = profile_add(db, attempt, why);
    if (!e)
        e = move(db, attempt, ATTEMPT_STORED, why);
    if (!e && result->outcome == OUTCOME_OOM)
        sum.partial = true;
    if (!e)
        e = put_end(db, attempt, result, &sum, why);
    if (!e && (result->outcome == OUTCOME_OK || result->outcome == OUTCOME_OOM))
        e = choose(db, attempt, &sum, why);
    return e;
}

enum err store_attempt_end(struct store *store, int64_t attempt,
                           const struct store_result *result, struct why *why)
{
    assert(store->mode == STORE_WRITE);
    assert(result->outcome != OUTCOME_NONE);
    enum err e = db_begin(store->db, true, why);
    if (e)
        return e;
    e = db_end(store->db, end(store->db, attempt, result, why), why);
    if (e)
        return err_wrap(why, e, "store attempt %lld", (long long)attempt);
    uint64_t now_ns = clock_mono_ns();
    if (!store->settled_ns || now_ns - store->settled_ns > SETTLE_NS) {
        store_settle(store);
        store->settled_ns = now_ns;
    }
    return ERR_OK;
}
