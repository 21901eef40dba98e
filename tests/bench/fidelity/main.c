/* fidelity: the target's heap against a real JVM, run by run. */
#include <string.h>

#include "tests/bench/fidelity/args.h"
#include "tests/bench/fidelity/replay.h"
#include "tests/bench/fidelity/report.h"
#include "tests/bench/fidelity/row.h"

/* One of each kind: links, heaps, predictors, window sizes, service time, reads
 * per wake-up, components, header lines, parse threads, out of memory; of those
 * that agree whatever the seed, since a last digit of exp() may decide whose
 * turn it is. */
static const uint64_t fixed20[] = {20,  21,  40,  43,   46,   60,  63,
                                   78,  95,  122, 135,  156,  159, 197,
                                   240, 247, 250, 1009, 1012, 1013};

static bool among_fixed20(uint64_t run)
{
    for (size_t i = 0; i < sizeof fixed20 / sizeof *fixed20; i++)
        if (fixed20[i] == run)
            return true;
    return false;
}

/* Whether the nth of all scored rows is chosen. */
static bool chosen(const struct args *args, const struct row *row, size_t nth,
                   size_t all)
{
    if (args->run)
        return row->run == args->run;
    if (args->fixed20)
        return among_fixed20(row->run);
    if (!args->cells || args->cells >= all)
        return true;
    return row_scored(row) &&
           nth * args->cells / all != (nth + 1) * args->cells / all;
}

static enum err run(const struct args *args, const struct rows *rows,
                    struct why *why)
{
    enum err e = ERR_OK;
    struct report report;
    size_t nth = 0, all = 0;
    for (size_t i = 0; i < rows->n; i++)
        all += row_scored(&rows->of[i]);
    report_begin(&report, rows, args->json);
    for (size_t i = 0; i < rows->n && !e; i++) {
        const struct row *row = &rows->of[i];
        struct figures ours = {0};
        bool wanted = chosen(args, row, nth, all);
        nth += row_scored(row);
        if (!wanted)
            continue;
        for (uint64_t n = 0; n < args->replays && !e; n++)
            e = replay_run(row, args->seed + n, &ours, why);
        if (!e)
            report_row(&report, row, &ours);
    }
    double within = report_end(&report);
    if (!e && report.sizes_differ && args->require > 0)
        e = err_set(why, ERR_INTERNAL, "sizes of generations differ");
    if (!e && within < args->require)
        e = err_set(why, ERR_INTERNAL, "%.2f agree, %.2f are required", within,
                    args->require);
    return e;
}

int main(int argc, char **argv)
{
    struct args args;
    struct rows rows = {0};
    struct why why = {0};
    enum err e = args_read(&args, argc, argv, &why);
    if (!e)
        e = rows_load(&rows, args.reference, args.histograms, &why);
    if (!e)
        e = run(&args, &rows, &why);
    rows_free(&rows);
    return err_main("fidelity", e, &why);
}
