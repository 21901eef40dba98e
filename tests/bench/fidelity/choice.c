#include "tests/bench/fidelity/choice.h"

#include <stdlib.h>

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

/* Whether the row, the nth of all scored ones, is chosen. */
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

enum err choice_make(struct choice *choice, const struct rows *rows,
                     const struct args *args, struct why *why)
{
    size_t nth = 0, all = 0;
    *choice = (struct choice){.rows = calloc(rows->n + 1, sizeof(void *))};
    if (!choice->rows)
        return err_set(why, ERR_NOMEM, "choice: no memory");
    for (size_t i = 0; i < rows->n; i++)
        all += row_scored(&rows->of[i]);
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->of[i];
        if (chosen(args, row, nth, all))
            choice->rows[choice->n++] = row;
        nth += row_scored(row);
    }
    if (choice->n || !args->run)
        return ERR_OK;
    return err_set(why, ERR_NOTFOUND,
                   "--run %llu: the reference has no such "
                   "run",
                   (unsigned long long)args->run);
}

void choice_free(struct choice *choice)
{
    free(choice->rows);
    *choice = (struct choice){.n = 0};
}
