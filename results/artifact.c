#include "results/artifact.h"

#include <stdio.h>
#include <string.h>

#include "common/crc.h"
#include "results/answer.h"
#include "results/digest.h"
#include "results/handle.h"

enum err artifact_add(struct db *db, int64_t attempt, const char *name,
                      const void *content, size_t bytes, struct why *why)
{
    char sha256[DIGEST_HEX_SIZE];
    enum err e = digest(content, bytes, sha256, why);
    if (e)
        return err_wrap(why, e, "artifact %s", name);
    return db_run(
        db,
        "insert into artifact (attempt, name, bytes, crc32c, content, "
        "sha256) values (?, ?, ?, ?, ?, ?)",
        DB_VALUES(DB_I(attempt), DB_T(name), DB_I(bytes),
                  DB_I(crc32c(0, content, bytes)), DB_B(content, bytes),
                  DB_T(sha256)),
        NULL, why);
}

/* The attempt that the trial's summary shows; ERR_NOTFOUND: none yet. */
static enum err find_attempt(struct db *db, int64_t trial, int64_t *attempt,
                             struct why *why)
{
    return db_run(db,
                  "select a.id from trial t join attempt a on "
                  "a.id = coalesce(t.attempt, (select x.id from attempt x "
                  "where x.trial = t.id order by x.n desc limit 1)) "
                  "where t.id = ?",
                  DB_VALUES(DB_I(trial)), attempt, why);
}

static enum err not_found(struct db *db, int64_t attempt, const char *trial,
                          const char *name, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    char names[160] = "none";
    enum err e = db_prepare(db, &stmt,
                            "select group_concat(name, ', ') from (select name "
                            "from artifact where attempt = ? order by name)",
                            DB_VALUES(DB_I(attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && row && db_column(stmt, 0).type == DB_TEXT)
        (void)snprintf(names, sizeof names, "%s",
                       (const char *)db_column(stmt, 0).data);
    db_finish(stmt);
    if (e)
        return e;
    return err_set(why, ERR_NOTFOUND,
                   "trial \"%s\": no artifact%s%s; it has: "
                   "%s",
                   trial, name ? " " : "", name ? name : "", names);
}

/* stmt stands on a row. */
static enum err hand_over(struct db_stmt *stmt, artifact_take *take, void *ctx,
                          struct why *why)
{
    struct db_value name = db_column(stmt, 0), content = db_column(stmt, 2);
    struct db_value sha256 = db_column(stmt, 1);
    char found[DIGEST_HEX_SIZE];
    const struct artifact a = {name.data, content.data, content.len, found};
    enum err e = digest(a.content, a.bytes, found, why);
    if (e)
        return e;
    if (name.type != DB_TEXT || sha256.type != DB_TEXT ||
        strcmp(sha256.data, found) != 0)
        return err_set(why, ERR_CORRUPT,
                       "artifact %s: the content does not match its digest",
                       name.type == DB_TEXT ? a.name : "without a name");
    return take(ctx, &a, why);
}

static enum err each(struct store *store, const char *trial, const char *name,
                     artifact_take *take, void *ctx, struct why *why)
{
    struct db_stmt *stmt = NULL;
    int64_t id = 0, attempt = 0;
    bool row = false, any = false;
    enum err e = answer_trial(store, trial, &id, why);
    if (!e)
        e = find_attempt(store->db, id, &attempt, why);
    if (e == ERR_NOTFOUND && id)
        return err_set(why, e, "trial \"%s\" was not tried yet", trial);
    if (!e)
        e = db_prepare(store->db, &stmt,
                       "select name, sha256, content from artifact where "
                       "attempt = ?1 and (?2 is null or name = ?2) "
                       "order by name",
                       DB_VALUES(DB_I(attempt), DB_T(name)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    for (; !e && row; any = true) {
        e = hand_over(stmt, take, ctx, why);
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e || any ? e : not_found(store->db, attempt, trial, name, why);
}

enum err artifact_each(struct store *store, const char *trial, const char *name,
                       artifact_take *take, void *ctx, struct why *why)
{
    enum err e = db_begin(store->db, false, why);
    return e ? e
             : db_end(store->db, each(store, trial, name, take, ctx, why), why);
}
