#include "results/check_state.h"

#include <stdio.h>
#include <stdlib.h>

#include "results/steady.h"

#define SECONDS_MAX 100000u

/* All whole seconds: documents, or operations where there are none. */
struct series {
    uint64_t *values; /* [n] */
    size_t n, warm;   /* of them before the window */
};

static enum err read_series(struct series *s, struct db *db, int64_t attempt,
                            struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select second, case when (select sum(docs) from sample_load where "
        "attempt = ?1) > 0 then sum(docs) else sum(ops) end from sample_load "
        "where attempt = ?1 and second < (select max(begin + window_ns) / "
        "1000000000 from (select coalesce(begin_ns, 0) as begin, window_ns "
        "from task where attempt = ?1)) group by second order by second",
        DB_VALUES(DB_I(attempt)), why);
    s->values = calloc(SECONDS_MAX, sizeof *s->values);
    if (!e && !s->values)
        e = err_set(why, ERR_NOMEM, "check");
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row && s->n < SECONDS_MAX) {
        s->warm += db_column(stmt, 0).i < 0;
        s->values[s->n++] = (uint64_t)db_column(stmt, 1).i;
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

static void judge_long(struct check_state *out, const uint64_t *values,
                       size_t n)
{
    struct mser mser;
    steady_mser(&mser, values, n);
    enum steady_class class = steady_class_of(&mser, STEADY_MARGIN);
    out->odd = class == STEADY_NONE || class == STEADY_DRIFTING;
    static const char *const names[] = {
        [STEADY_FLAT] = "flat",
        [STEADY_WARM_UP] = "warm-up within the window",
        [STEADY_SLOWDOWN] = "slower after its begin",
        [STEADY_DRIFTING] = "drifting",
        [STEADY_NONE] = "no steady state"};
    (void)snprintf(out->words, sizeof out->words,
                   "%s: of %zu s, MSER-5 would cut %zu s; last third %+.1f %% "
                   "against the first of what is left",
                   names[class], n, 5 * mser.cut, 100 * mser.drift);
}

static void judge_short(struct check_state *out, const uint64_t *values,
                        size_t n)
{
    struct steady steady;
    steady_judge(&steady, values, n, STEADY_ACCEPTED);
    out->odd = !steady.steady;
    (void)snprintf(out->words, sizeof out->words,
                   "%s: second half %+.1f %% against the first (t %.1f)",
                   steady.steady ? "steady" : "drifting", 100 * steady.drift,
                   steady.t);
}

enum err check_state(struct check_state *out, struct db *db, int64_t attempt,
                     struct why *why)
{
    struct series s = {.values = NULL};
    *out = (struct check_state){.judged = false};
    enum err e = read_series(&s, db, attempt, why);
    size_t n = s.n - s.warm;
    out->judged = n >= STEADY_HALVES_MIN;
    if (!e && n >= STEADY_MSER_MIN)
        judge_long(out, s.values + s.warm, n);
    else if (!e && out->judged)
        judge_short(out, s.values + s.warm, n);
    else
        (void)snprintf(out->words, sizeof out->words,
                       "not judged: a window of %zu s, from %u s on it is", n,
                       STEADY_HALVES_MIN);
    if (!e && s.n >= STEADY_MSER_MIN) {
        struct mser mser;
        steady_mser(&mser, s.values, s.n);
        out->cut_s = 5.0 * (double)mser.cut;
    }
    free(s.values);
    return e;
}
