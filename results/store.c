#include "results/store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "results/handle.h"
#include "results/schema.h"

#define BUSY_MS   5000 /* how long another writer is waited for */
#define FACT_NAME 64
#define FACT_LINE 2048

/* A database of the store, NULL on failure. */
static enum err open_db(struct db **out, const char *path, bool write,
                        struct why *why)
{
    const struct db_options options = {.mode = write ? DB_WRITE : DB_READ,
                                       .busy_ms = BUSY_MS};
    enum err e = db_open(out, path, &options, why);
    if (!e)
        e = schema_open(*out, path, write, why);
    if (e) {
        db_close(*out);
        *out = NULL;
    }
    return e;
}

/* Whoever only reads does not care which build has written the file. */
static enum err migrate(const char *path, struct why *why)
{
    const struct db_options options = {.mode = DB_READ, .busy_ms = BUSY_MS};
    struct why cause = {""};
    struct db *db = NULL;
    bool old = false;
    enum err e = db_open(&db, path, &options, &cause);
    if (!e)
        e = schema_old(db, &old, &cause);
    db_close(db);
    if (e || !old)
        return ERR_VERSION; /* a newer one: why says so */
    e = open_db(&db, path, true, &cause);
    db_close(db);
    if (e)
        return err_set(why, ERR_VERSION,
                       "%s: an older pitwall has made it, and it cannot be "
                       "migrated here (%s): read a copy that you may write",
                       path, cause.text);
    return ERR_OK;
}

enum err store_open(struct store **out, const char *path, enum store_mode mode,
                    struct why *why)
{
    *out = NULL;
    struct store *store = calloc(1, sizeof *store);
    if (!store || !(store->path = strdup(path))) {
        free(store);
        return err_set(why, ERR_NOMEM, "%s", path);
    }
    store->mode = mode;
    enum err e = open_db(&store->db, path, mode == STORE_WRITE, why);
    if (e == ERR_VERSION && mode == STORE_READ && !(e = migrate(path, why)))
        e = open_db(&store->db, path, false, why);
    if (e)
        goto out;
    store_settle(store);
    *out = store;
    store = NULL;
out:
    store_close(store);
    return e;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    db_close(store->db);
    free(store->path);
    free(store);
}

void store_settle(struct store *store)
{
    struct why unused;
    if (store->mode == STORE_WRITE &&
        db_run(store->db, "pragma wal_checkpoint(passive)", DB_NONE, NULL,
               &unused))
        return;
}

/* One "name=value" line of len bytes. */
static enum err put_fact(struct db *db, int64_t experiment, const char *agent,
                         const char *line, size_t len, struct why *why)
{
    char buf[FACT_LINE];
    const char *equals = memchr(line, '=', len);
    if (!equals || equals == line || equals - line > FACT_NAME ||
        len >= sizeof buf)
        return err_set(why, ERR_INVALID,
                       "agent %s: fact \"%.*s\" is not name=value", agent,
                       (int)(len < 80 ? len : 80), line);
    memcpy(buf, line, len);
    buf[len] = '\0';
    buf[equals - line] = '\0';
    return db_run(db,
                  "insert or replace into host_fact (experiment, agent, name, "
                  "value) values (?, ?, ?, ?)",
                  DB_VALUES(DB_I(experiment), DB_T(agent), DB_T(buf),
                            DB_T(buf + (equals - line) + 1)),
                  NULL, why);
}

enum err store_facts_add(struct store *store, int64_t experiment,
                         const char *agent, const char *facts, struct why *why)
{
    assert(store->mode == STORE_WRITE);
    enum err e = db_begin(store->db, true, why);
    if (e)
        return e;
    while (!e && *facts) {
        size_t len = strcspn(facts, "\n");
        if (len)
            e = put_fact(store->db, experiment, agent, facts, len, why);
        facts += len + (facts[len] == '\n');
    }
    return db_end(store->db, e, why);
}

enum err store_experiment_end(struct store *store, int64_t experiment,
                              const char *state, struct why *why)
{
    int64_t id = 0;
    assert(store->mode == STORE_WRITE);
    enum err e = db_run(store->db,
                        "update experiment set state = ?, ended = "
                        "strftime('%Y-%m-%dT%H:%M:%SZ') where id = ? "
                        "returning id",
                        DB_VALUES(DB_T(state), DB_I(experiment)), &id, why);
    if (e == ERR_NOTFOUND)
        return err_set(why, e, "there is no experiment %lld",
                       (long long)experiment);
    return e;
}
