#include "results/stat_outlier.h"

#include <math.h>
#include <string.h>

#include "results/stat_spread.h"

#define BLOCKS_MIN 4
#define PASSES     2
#define FAR        5.0

/* Takes the median out of n residuals, stride apart; NANs stay. */
static void polish(double *residual, size_t n, size_t stride, double *room)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(residual[i * stride]))
            room[m++] = residual[i * stride];
    double middle = m ? stat_median(room, m) : 0;
    for (size_t i = 0; i < n; i++)
        residual[i * stride] -= middle;
}

size_t stat_outliers(const struct stat_sitting *sitting, bool *marks,
                     double *residual, double *room)
{
    size_t blocks = sitting->n_blocks, cells = sitting->n_cells;
    size_t n = blocks * cells, m = 0, n_marks = 0;
    memset(marks, 0, n * sizeof *marks);
    memcpy(residual, sitting->y, n * sizeof *residual);
    if (blocks < BLOCKS_MIN)
        return 0;
    for (int pass = 0; pass < PASSES; pass++) {
        for (size_t b = 0; b < blocks; b++)
            polish(residual + b * cells, cells, 1, room);
        for (size_t c = 0; c < cells; c++)
            polish(residual + c, blocks, cells, room);
    }
    for (size_t i = 0; i < n; i++)
        if (!isnan(residual[i]))
            room[m++] = residual[i];
    double mad = m ? stat_mad(room, m) : 0;
    for (size_t i = 0; i < n; i++) {
        marks[i] = mad > 0 && fabs(residual[i]) > FAR * mad;
        n_marks += marks[i];
    }
    return n_marks;
}
