#include "results/remark.h"

#include <assert.h>
#include <string.h>

#include "common/text.h"
#include "results/answer.h"
#include "results/conclude.h"
#include "results/handle.h"

static enum err check_text(const char *what, const char *text, struct why *why)
{
    size_t len = strlen(text);
    if (!text[strspn(text, " \t\n")])
        return err_set(why, ERR_USAGE, "%s is empty", what);
    if (len > REMARK_TEXT_MAX)
        return err_set(why, ERR_USAGE, "%s has %zu bytes, at most %u", what,
                       len, REMARK_TEXT_MAX);
    if (text_good(text, len) < len)
        return err_set(why, ERR_USAGE,
                       "%s: byte %zu is no text (UTF-8 is accepted)", what,
                       text_good(text, len) + 1);
    return ERR_OK;
}

static bool is_trial(const char *word)
{
    const char *colon = strrchr(word, ':');
    return colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
}

/* Whose trial it is, and its number there. */
static enum err place(struct store *store, int64_t trial, int64_t *experiment,
                      int64_t *tid, struct why *why)
{
    enum err e = db_run(store->db, "select experiment from trial where id = ?",
                        DB_VALUES(DB_I(trial)), experiment, why);
    return e ? e
             : db_run(store->db, "select tid from trial where id = ?",
                      DB_VALUES(DB_I(trial)), tid, why);
}

enum err remark_note(struct store *store, const char *word, const char *text,
                     int64_t *experiment, int64_t *tid, struct why *why)
{
    int64_t trial = 0;
    assert(store->mode == STORE_WRITE);
    *tid = 0;
    enum err e = check_text("the note", text, why);
    if (!e && is_trial(word)) {
        e = answer_trial(store, word, &trial, why);
        if (!e)
            e = place(store, trial, experiment, tid, why);
    } else if (!e) {
        e = answer_find(store, word, experiment, why);
    }
    if (e)
        return e;
    return db_run(
        store->db,
        "insert into note (experiment, trial, text) values (?, ?, ?)",
        DB_VALUES(DB_I(*experiment),
                  trial ? DB_I(trial) : (struct db_value){.type = DB_NULL},
                  DB_T(text)),
        NULL, why);
}

enum err remark_invalidate(struct store *store, const char *word,
                           const char *reason, int64_t *experiment,
                           int64_t *tid, struct why *why)
{
    int64_t trial = 0, attempt = 0;
    assert(store->mode == STORE_WRITE);
    enum err e = check_text("--reason", reason, why);
    if (!e)
        e = answer_trial(store, word, &trial, why);
    if (!e)
        e = place(store, trial, experiment, tid, why);
    if (e)
        return e;
    e = db_run(store->db,
               "select a.id from trial t join attempt a on a.id = "
               "coalesce(t.attempt, (select x.id from attempt x where x.trial "
               "= t.id order by x.n desc limit 1)) where t.id = ? and a.state "
               "= 'stored'",
               DB_VALUES(DB_I(trial)), &attempt, why);
    if (e == ERR_NOTFOUND)
        return err_set(why, ERR_STATE,
                       "trial %lld:%lld has no attempt that is over: there is "
                       "nothing to take out",
                       (long long)*experiment, (long long)*tid);
    return e ? e
             : conclude_invalid(store->db, attempt, REMARK_RULE, reason, why);
}
