#include "results/block.h"

#include <assert.h>

#include "results/handle.h"

enum err block_take(struct store *store, int64_t experiment, uint32_t iteration,
                    const char *bench, struct why *why)
{
    assert(store->mode == STORE_WRITE);
    enum err e = db_begin(store->db, true, why);
    if (e)
        return e;
    e = db_run(store->db, "insert or ignore into bench (name) values (?)",
               DB_VALUES(DB_T(bench)), NULL, why);
    if (!e)
        e = db_run(store->db,
                   "update block set bench = (select id from bench where name "
                   "= ?3) where experiment = ?1 and iteration = ?2 and not "
                   "exists (select 1 from trial t join attempt a on a.trial = "
                   "t.id where t.block = block.id)",
                   DB_VALUES(DB_I(experiment), DB_I(iteration), DB_T(bench)),
                   NULL, why);
    return db_end(store->db, e, why);
}

static enum err redo(struct db *db, int64_t experiment, uint32_t iteration,
                     struct why *why)
{
    int64_t old = 0, block = 0;
    enum err e =
        db_run(db,
               "update block set superseded = 1 where experiment = ? "
               "and iteration = ? returning id",
               DB_VALUES(DB_I(experiment), DB_I(iteration)), &old, why);
    if (!e && !old)
        return err_set(why, ERR_NOTFOUND, "there is no block %u", iteration);
    if (!e)
        e = db_run(db,
                   "insert into block (experiment, iteration, bench) select "
                   "?1, (select max(iteration) + 1 from block where experiment "
                   "= ?1), bench from block where id = ?2 returning id",
                   DB_VALUES(DB_I(experiment), DB_I(old)), &block, why);
    if (!e)
        e = db_run(db,
                   "insert into trial (experiment, tid, cell, iteration, "
                   "block, position) select ?1, (select max(tid) from trial "
                   "where experiment = ?1) + t.position, t.cell, b.iteration, "
                   "b.id, t.position from trial t, block b where t.block = ?2 "
                   "and b.id = ?3 order by t.position",
                   DB_VALUES(DB_I(experiment), DB_I(old), DB_I(block)), NULL,
                   why);
    return e;
}

enum err block_redo(struct store *store, int64_t experiment, uint32_t iteration,
                    struct why *why)
{
    assert(store->mode == STORE_WRITE);
    enum err e = db_begin(store->db, true, why);
    if (e)
        return e;
    return db_end(store->db, redo(store->db, experiment, iteration, why), why);
}
