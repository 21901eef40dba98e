/* fidelity: the target's heap against a real JVM, run by run. */
#include <stdlib.h>

#include "tests/bench/fidelity/args.h"
#include "tests/bench/fidelity/choice.h"
#include "tests/bench/fidelity/levels.h"
#include "tests/bench/fidelity/live.h"
#include "tests/bench/fidelity/replay.h"
#include "tests/bench/fidelity/report.h"
#include "tests/bench/fidelity/team.h"

struct bench {
    const struct args *args;
    struct live *live; /* NULL: replay */
    struct choice choice;
    struct result *results; /* [choice.n] */
    struct report report;
};

static enum err measure(void *ctx, size_t i, struct why *why)
{
    struct bench *b = ctx;
    const struct row *row = b->choice.rows[i];
    struct result *r = &b->results[i];
    enum err e = ERR_OK;
    r->lacking = b->live ? levels_lacking(row) : NULL;
    for (uint64_t n = 0; n < b->args->replays && !e && !r->lacking; n++)
        e = b->live ? live_run(b->live, row, r, why)
                    : replay_run(row, b->args->seed + n, &r->figures, why);
    return e;
}

static void print(void *ctx, size_t i)
{
    struct bench *b = ctx;
    report_row(&b->report, b->choice.rows[i], &b->results[i]);
}

static enum err judge(const struct bench *b, double within, struct why *why)
{
    if (b->report.sizes_differ && b->args->require > 0)
        return err_set(why, ERR_INTERNAL, "sizes of generations differ");
    if (within < b->args->require)
        return err_set(why, ERR_INTERNAL, "%.2f agree, %.2f are required",
                       within, b->args->require);
    return ERR_OK;
}

static enum err run(struct bench *b, const struct rows *rows, struct why *why)
{
    b->results = calloc(b->choice.n + 1, sizeof *b->results);
    if (!b->results)
        return err_set(why, ERR_NOMEM, "results: no memory");
    report_begin(&b->report, rows, b->args->json);
    enum err e =
        team_run(b->choice.n, (unsigned)b->args->jobs, measure, print, b, why);
    double within = report_end(&b->report);
    free(b->results);
    return e ? e : judge(b, within, why);
}

int main(int argc, char **argv)
{
    struct args args;
    struct rows rows = {0};
    struct bench bench = {.args = &args};
    struct why why = {0};
    enum err e = args_read(&args, argc, argv, &why);
    if (!e)
        e = rows_load(&rows, args.reference, args.histograms, &why);
    if (!e)
        e = choice_make(&bench.choice, &rows, &args, &why);
    if (!e && !args.replay)
        e = live_open(&bench.live, args.pitwall, &why);
    if (!e)
        e = run(&bench, &rows, &why);
    live_close(bench.live);
    choice_free(&bench.choice);
    rows_free(&rows);
    return err_main("fidelity", e, &why);
}
