/* The matrix of one experiment: as a grid for machines, as tables for
 * people. */
#include "results/answer.h"
#include "results/handle.h"
#include "results/heading.h"
#include "results/report.h"
#include "results/report_stack.h"

static enum err fill_grid(struct report *r, struct db *db, struct grid *grid,
                          struct why *why)
{
    enum err e = heading_add(&r->matrix, db, grid, why);
    if (e)
        return e;
    report_notes(r, grid);
    report_flat(r, grid);
    return ERR_OK;
}

enum err answer_report(struct store *store, int64_t experiment,
                       const struct answer_report *options, struct grid *grid,
                       struct why *why)
{
    struct report r = {.n_metrics = 0};
    enum err e = db_begin(store->db, false, why);
    if (e)
        return e;
    e = report_load(&r, store->db, experiment, options, why);
    if (!e)
        e = fill_grid(&r, store->db, grid, why);
    e = db_end(store->db, e, why);
    report_fini(&r);
    return e;
}

static enum err fill_sheet(struct report *r, struct db *db, bool padded,
                           struct sheet *sheet, struct why *why)
{
    enum err e = heading_title(&r->matrix, db, &sheet->title, why);
    if (!e)
        e = heading_conditions(&r->matrix, db, &sheet->conditions, why);
    if (!e)
        e = heading_trust(&r->matrix, db, &sheet->trust, why);
    if (e)
        return e;
    report_notes(r, &sheet->trust);
    report_stack(r, padded, sheet);
    return ERR_OK;
}

enum err answer_sheet(struct store *store, int64_t experiment,
                      const struct answer_report *options, bool padded,
                      struct sheet *sheet, struct why *why)
{
    struct report r = {.n_metrics = 0};
    enum err e = db_begin(store->db, false, why);
    if (e)
        return e;
    e = report_load(&r, store->db, experiment, options, why);
    if (!e)
        e = fill_sheet(&r, store->db, padded, sheet, why);
    e = db_end(store->db, e, why);
    report_fini(&r);
    return e;
}
