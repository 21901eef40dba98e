#include "results/sitting.h"

#include <assert.h>

#include "results/handle.h"

static enum err begin(struct db *db, const char *folder, struct sitting *s,
                      struct why *why)
{
    int64_t n = 0;
    enum err e =
        db_run(db, "select count(*) + 1 from sitting where experiment = ?",
               DB_VALUES(DB_I(s->experiment)), &n, why);
    if (!e)
        e = db_run(db,
                   "insert into sitting (experiment, n, folder) "
                   "values (?, ?, ?) returning id",
                   DB_VALUES(DB_I(s->experiment), DB_I(n), DB_T(folder)),
                   &s->id, why);
    if (!e)
        e = db_run(db,
                   "update experiment set state = 'running', ended = null, "
                   "wish = 0 where id = ?",
                   DB_VALUES(DB_I(s->experiment)), NULL, why);
    s->n = (uint32_t)n;
    return e;
}

enum err sitting_begin(struct store *store, int64_t experiment,
                       const char *folder, struct sitting *out, struct why *why)
{
    assert(store->mode == STORE_WRITE);
    *out = (struct sitting){.experiment = experiment};
    enum err e = db_begin(store->db, true, why);
    if (!e)
        e = db_end(store->db, begin(store->db, folder, out, why), why);
    return e ? err_wrap(why, e, "begin a sitting") : ERR_OK;
}

enum err sitting_end(struct store *store, const struct sitting *s,
                     const char *state, struct why *why)
{
    enum err e = db_run(store->db,
                        "update sitting set state = ?, ended = "
                        "strftime('%Y-%m-%dT%H:%M:%SZ') where id = ?",
                        DB_VALUES(DB_T(state), DB_I(s->id)), NULL, why);
    return e ? e : store_experiment_end(store, s->experiment, state, why);
}

enum err sitting_wish(struct store *store, int64_t experiment, enum wish wish,
                      struct why *why)
{
    return db_run(store->db, "update experiment set wish = ? where id = ?",
                  DB_VALUES(DB_I(wish), DB_I(experiment)), NULL, why);
}

enum err sitting_wished(struct store *store, int64_t experiment,
                        enum wish *wish, struct why *why)
{
    int64_t v = 0;
    enum err e = db_run(store->db, "select wish from experiment where id = ?",
                        DB_VALUES(DB_I(experiment)), &v, why);
    *wish = v == WISH_NOW ? WISH_NOW : v ? WISH_STOP : WISH_NONE;
    return e;
}
