#include "results/effect_reads.h"

#include <math.h>
#include <stdlib.h>

#include "common/hist.h"
#include "results/rowsum.h"

static bool counts(const struct effects *x, size_t trial, size_t factor,
                   size_t level)
{
    const struct matrix_trial *t = &x->matrix.trials[trial];
    const struct matrix_cell *c = &x->matrix.cells[t->cell];
    return t->end == MATRIX_OK && c->purpose == PURPOSE_MEASURE &&
           c->levels[x->field.factor[factor]] == level;
}

/* One attempt's, if it has one. */
static enum err add(struct hist *sum, struct hist *one, struct db_stmt *stmt,
                    int64_t attempt, struct why *why)
{
    bool row = false;
    db_bind(stmt, DB_VALUES(DB_I(attempt)));
    enum err e = db_step(stmt, &row, why);
    if (e || !row)
        return e;
    struct db_value blob = db_column(stmt, 4);
    e = rowsum_check(stmt, "histogram", why);
    if (!e)
        e = hist_decode(one, blob.data, blob.len, why);
    if (!e)
        hist_merge(sum, one);
    return e;
}

static enum err sum_up(struct hist *sum, struct hist *one,
                       const struct effects *x, struct db *db,
                       const size_t level[2], struct why *why)
{
    struct db_stmt *stmt = NULL;
    size_t n = 0, at = 0;
    for (size_t t = 0; t < x->matrix.n_trials; t++)
        n += counts(x, t, level[0], level[1]);
    size_t step = n / EFFECT_READS_MAX + 1;
    enum err e = db_prepare(db, &stmt,
                            "select attempt, kind, task, second, blob, crc "
                            "from histogram where attempt = ? and kind = "
                            "'read_bytes' and second is null",
                            DB_VALUES(DB_I(0)), why);
    for (size_t t = 0; !e && t < x->matrix.n_trials; t++)
        if (counts(x, t, level[0], level[1]) && at++ % step == 0)
            e = add(sum, one, stmt, x->matrix.trials[t].attempt, why);
    db_finish(stmt);
    return e;
}

enum err effect_reads(struct effect_reads *out, const struct effects *x,
                      struct db *db, size_t factor, size_t level,
                      struct why *why)
{
    struct hist *sum = calloc(1, sizeof *sum), *one = calloc(1, sizeof *one);
    *out = (struct effect_reads){NAN, NAN, NAN};
    enum err e =
        sum && one ? ERR_OK : err_set(why, ERR_NOMEM, "read histograms");
    if (!e)
        e = sum_up(sum, one, x, db, (const size_t[]){factor, level}, why);
    if (!e && sum->total) {
        out->p10 = (double)hist_percentile(sum, 0.1);
        out->p50 = (double)hist_percentile(sum, 0.5);
        out->p90 = (double)hist_percentile(sum, 0.9);
    }
    free(sum);
    free(one);
    return e;
}
