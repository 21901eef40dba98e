#include "results/stat_count.h"

#include <stdlib.h>
#include <string.h>

static size_t sum_of(const size_t *rank2, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += rank2[i];
    return sum;
}

enum err stat_count_signs(double **share, const size_t *rank2, size_t n,
                          struct why *why)
{
    size_t top = sum_of(rank2, n);
    double *p = *share = calloc(top + 1, sizeof *p);
    if (!p)
        return err_set(why, ERR_NOMEM, "count rank sums of %zu values", n);
    p[0] = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t s = top + 1; s-- > 0;)
            p[s] = (p[s] + (s >= rank2[i] ? p[s - rank2[i]] : 0)) / 2;
    return ERR_OK;
}

/* sets: [m + 1][top + 1], how many sets of k of the ranks have the sum s. As
 * doubles: exact up to 2^53, to 16 digits beyond. */
static void count_sets(double *sets, const size_t *rank2, size_t n, size_t m,
                       size_t top)
{
    sets[0] = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i < m ? i + 1 : m; k > 0; k--) {
            double *to = sets + k * (top + 1);
            const double *from = to - (top + 1);
            for (size_t s = top + 1; s-- > rank2[i];)
                to[s] += from[s - rank2[i]];
        }
}

enum err stat_count_choices(double **share, const size_t *rank2, size_t n,
                            size_t m, struct why *why)
{
    size_t top = sum_of(rank2, n);
    double total = 0, *last = NULL, *sets = NULL;
    enum err e = ERR_OK;
    *share = NULL;
    last = calloc(top + 1, sizeof *last);
    sets = calloc((m + 1) * (top + 1), sizeof *sets);
    if (!last || !sets) {
        e = err_set(why, ERR_NOMEM, "count rank sums of %zu values", n);
        goto out;
    }
    count_sets(sets, rank2, n, m, top);
    memcpy(last, sets + m * (top + 1), (top + 1) * sizeof *last);
    for (size_t s = 0; s <= top; s++)
        total += last[s];
    for (size_t s = 0; s <= top; s++)
        last[s] /= total;
    *share = last;
    last = NULL;
out:
    free(last);
    free(sets);
    return e;
}

double stat_count_share(const double *share, size_t from, size_t to)
{
    double sum = 0;
    for (size_t s = from; s <= to; s++)
        sum += share[s];
    return sum;
}
